#include "Conversion/ClikaToLinalg/Broadcast.h"

#include "Conversion/ClikaToLinalg/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace clika {
namespace {

// One operand's part in one dimension of the result.
struct Part {
  unsigned operand;
  unsigned dim;
  Dim size;
};

class Broadcaster {
public:
  Broadcaster(OpBuilder &builder, Operation *op, ValueRange operands, ArrayRef<Dims> shapes, ArrayRef<Dim> result)
      : b(op->getLoc(), builder), op(op), shapes(shapes), result(result) {
    out.operands.assign(operands.begin(), operands.end());
  }

  Broadcasted run() {
    for (unsigned i = 0; i < result.size(); ++i)
      out.sizes.push_back(sizeOf(i));
    for (unsigned k = 0; k < out.operands.size(); ++k)
      out.maps.push_back(mapOf(k));
    return std::move(out);
  }

private:
  // The parts of dimension `i` that are not known to be 1, one per size that may differ from the others'.
  SmallVector<Part> partsOf(unsigned i) {
    SmallVector<Part> parts;
    for (auto [k, shape] : llvm::enumerate(shapes)) {
      unsigned offset = result.size() - shape.size();
      if (i < offset || constantOf(shape[i - offset]) == 1)
        continue;
      parts.push_back({static_cast<unsigned>(k), i - offset, shape[i - offset]});
    }
    return parts;
  }

  bool sameSize(const Part &a, const Part &c) {
    return sameDim(a.size, c.size) || (out.operands[a.operand] == out.operands[c.operand] && a.dim == c.dim);
  }

  Value dimOf(const Part &part) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           tensor::getMixedSize(b, b.getLoc(), out.operands[part.operand], part.dim));
  }

  Value isEqual(Value left, Value right) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left, right); }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  // The size of dimension `i`; parts whose size may differ from it are checked and put down as `unsure`.
  OpFoldResult sizeOf(unsigned i) {
    SmallVector<Part> parts = partsOf(i);
    std::optional<int64_t> size = constantOf(result[i]);
    for (const Part &part : parts)
      if (!size)
        size = constantOf(part.size);
    SmallVector<Part> distinct;
    for (const Part &part : parts)
      if (constantOf(part.size) != size || !size)
        if (llvm::none_of(distinct, [&](const Part &other) { return sameSize(part, other); }))
          distinct.push_back(part);
    if (size && distinct.empty())
      return b.getIndexAttr(*size);
    if (!size && distinct.size() == 1)
      return dimOf(distinct.front());
    if (!size && distinct.empty())
      return b.getIndexAttr(1);

    Value common = size ? index(*size) : Value();
    for (const Part &part : distinct) {
      Value other = dimOf(part);
      if (!size)
        common = common ? arith::SelectOp::create(b, isEqual(common, index(1)), other, common) : other;
    }
    for (const Part &part : parts) {
      if (size && constantOf(part.size) == size)
        continue;
      unsure.push_back({part, i, common});
    }
    for (const Part &part : distinct)
      check(part, i, common);
    return size ? OpFoldResult(b.getIndexAttr(*size)) : OpFoldResult(common);
  }

  void check(const Part &part, unsigned i, Value common) {
    Value own = dimOf(part);
    Value fits = arith::OrIOp::create(b, isEqual(own, common), isEqual(own, index(1)));
    SmallVector<std::string> texts;
    for (const Dims &shape : shapes)
      texts.push_back(describe(shape));
    checkAtRunTime(b, op, fits,
                   "shapes " + llvm::join(texts, " and ") + " do not broadcast in dimension " + Twine(i) +
                       ": the sizes differ and neither is 1");
  }

  AffineMap mapOf(unsigned k) {
    unsigned rank = result.size(), offset = rank - shapes[k].size();
    for (auto &[part, i, common] : unsure)
      if (part.operand == k)
        out.operands[k] = stretched(out.operands[k], part.dim, i, common);
    SmallVector<AffineExpr> exprs;
    for (auto [d, size] : llvm::enumerate(shapes[k])) {
      bool one = constantOf(size) == 1;
      exprs.push_back(one ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(offset + d));
    }
    return AffineMap::get(rank, 0, exprs, b.getContext());
  }

  // `value` with dimension `dim` of the size `common`: itself, or where its own size is 1 and `common` is not, a copy.
  Value stretched(Value value, unsigned dim, unsigned i, Value common) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = 1;
    auto narrow = RankedTensorType::get(shape, type.getElementType());
    std::optional<int64_t> size = getConstantIntValue(out.sizes[i]);
    shape[dim] = size.value_or(ShapedType::kDynamic);
    auto wide = RankedTensorType::get(shape, type.getElementType());

    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), value);
    Value own = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]);
    Value fits = isEqual(own, common);
    auto branch = scf::IfOp::create(
        b, fits,
        [&](OpBuilder &then, Location location) {
          scf::YieldOp::create(then, location, tensor::CastOp::create(then, location, wide, value).getResult());
        },
        [&](OpBuilder &otherwise, Location location) {
          Value one = tensor::CastOp::create(otherwise, location, narrow, value);
          sizes[dim] = out.sizes[i];
          Value empty = tensor::EmptyOp::create(otherwise, location, sizes, type.getElementType());
          Value copy = copied(otherwise, location, one, dim, empty);
          if (copy.getType() != wide)
            copy = tensor::CastOp::create(otherwise, location, wide, copy);
          scf::YieldOp::create(otherwise, location, copy);
        });
    return branch.getResult(0);
  }

  Value copied(OpBuilder &builder, Location location, Value one, unsigned dim, Value empty) {
    unsigned rank = cast<RankedTensorType>(empty.getType()).getRank();
    SmallVector<AffineExpr> exprs;
    for (unsigned d = 0; d < rank; ++d)
      exprs.push_back(d == dim ? builder.getAffineConstantExpr(0) : builder.getAffineDimExpr(d));
    SmallVector<AffineMap> maps{AffineMap::get(rank, 0, exprs, builder.getContext()),
                                builder.getMultiDimIdentityMap(rank)};
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, location, empty.getType(), one, empty, maps, loops,
        [](OpBuilder &body, Location at, ValueRange args) { linalg::YieldOp::create(body, at, args[0]); });
    return generic.getResult(0);
  }

  struct Unsure {
    Part part;
    unsigned dim;
    Value common;
  };

  ImplicitLocOpBuilder b;
  Operation *op;
  ArrayRef<Dims> shapes;
  ArrayRef<Dim> result;
  SmallVector<Unsure> unsure;
  Broadcasted out;
};

} // namespace

Broadcasted broadcastOperands(OpBuilder &builder, Operation *op, ValueRange operands, ArrayRef<Dims> shapes,
                              ArrayRef<Dim> result) {
  return Broadcaster(builder, op, operands, shapes, result).run();
}

} // namespace clika
