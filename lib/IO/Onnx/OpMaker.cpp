#include "IO/Onnx/OpMaker.h"

#include "Dialect/ListSettings.h"
#include "Dialect/OperandDtypes.h"
#include "IO/Onnx/Importer.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace clika::onnx {
namespace {

const OpInfo &infoOf(StringRef mnemonic) {
  if (const OpInfo *info = findOpByMnemonic({mnemonic.data(), mnemonic.size()}))
    return *info;
  fail(ClikaRT::Status::Internal, "there is no operator '" + mnemonic.str() + "'");
}

/// MLIR's "'clika.add' op needs …" as "add: needs …".
std::string inUsersWords(const std::string &message) {
  StringRef text = message, dialect = "'clika.", op = "' op ";
  size_t end = text.find(op);
  if (!text.starts_with(dialect) || end == StringRef::npos)
    return message;
  return (text.slice(dialect.size(), end) + ": " + text.drop_front(end + op.size())).str();
}

/// Collects the errors that are emitted while it lives.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (!text.empty())
            text += "; ";
          text += inUsersWords(diagnostic.str());
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

LogicalResult inferTypes(OperationState &state, RegisteredOperationName name) {
  auto *inference = name.getInterface<InferTypeOpInterface>();
  if (!inference)
    return emitError(state.location) << "'" << name.getStringRef() << "' does not infer its results";
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  struct Storage {
    RegisteredOperationName name;
    std::unique_ptr<char[]> bytes;
    OpaqueProperties properties;
    explicit Storage(RegisteredOperationName name)
        : name(name), bytes(new char[std::max(1, name.getOpPropertyByteSize())]), properties(bytes.get()) {
      name.initOpProperties(properties, nullptr);
    }
    ~Storage() { name.destroyOpProperties(properties); }
  } storage(name);
  auto onError = [&] { return emitError(state.location); };
  if (failed(name.setOpPropertiesFromAttribute(state.name, storage.properties, attributes, onError)))
    return failure();
  if (failed(inference->inferReturnTypes(context, state.location, state.operands, attributes, storage.properties,
                                         state.regions, state.types)))
    return failure();
  for (mlir::Type type : state.types)
    if (failed(checkCount(state.location, name.stripDialect(), dimsOf(type))))
      return failure();
  return success();
}

} // namespace

OpMaker::OpMaker(Importer &importer, StringRef mnemonic) : importer(importer), info(infoOf(mnemonic)) {}

OpMaker &OpMaker::in(Value operand) {
  if (operand)
    operands.push_back(operand);
  segments.push_back(operand ? 1 : 0);
  return *this;
}

OpMaker &OpMaker::in(ArrayRef<Value> list) {
  operands.append(list.begin(), list.end());
  segments.push_back(static_cast<int32_t>(list.size()));
  return *this;
}

OpMaker &OpMaker::set(StringRef name, mlir::Attribute value) {
  bool known = llvm::any_of(info.settings, [&](const SettingInfo &setting) {
    return StringRef(setting.name.data(), setting.name.size()) == name;
  });
  if (!known)
    fail(ClikaRT::Status::Internal, "'" + std::string(info.opName) + "' has no setting '" + name.str() + "'");
  settings.set(name, value);
  return *this;
}
OpMaker &OpMaker::set(StringRef name, bool value) { return set(name, importer.builder.getBoolAttr(value)); }
OpMaker &OpMaker::set(StringRef name, int64_t value) { return set(name, importer.builder.getI64IntegerAttr(value)); }
OpMaker &OpMaker::set(StringRef name, double value) { return set(name, importer.builder.getF64FloatAttr(value)); }
OpMaker &OpMaker::set(StringRef name, StringRef value) { return set(name, importer.builder.getStringAttr(value)); }
OpMaker &OpMaker::set(StringRef name, ArrayRef<int64_t> value) {
  return set(name, importer.builder.getDenseI64ArrayAttr(value));
}
OpMaker &OpMaker::set(StringRef name, mlir::Type value) { return set(name, TypeAttr::get(value)); }

void OpMaker::checkDtypes() const {
  ArrayRef<Value> left = operands;
  for (auto [operand, count] : llvm::zip_equal(info.operands, segments)) {
    for (Value value : left.take_front(static_cast<size_t>(count)))
      if (!takesType(operand, value.getType()))
        importer.failNode(std::string(info.codeName) + " is given " + clika::describe(value.getType()) + " as its " +
                              "operand '" + std::string(operand.name) + "'; it takes a tensor of " +
                              dtypesText(operand),
                          ClikaRT::Status::Unsupported);
    left = left.drop_front(static_cast<size_t>(count));
  }
}

Operation *OpMaker::build() {
  while (segments.size() < info.operands.size())
    segments.push_back(0);
  if (segments.size() != info.operands.size())
    fail(ClikaRT::Status::Internal, "'" + std::string(info.opName) + "' was given too many operands");
  checkDtypes();
  OperationState state(importer.location, StringRef(info.opName.data(), info.opName.size()));
  state.addOperands(operands);
  if (info.hasOperandSegments)
    settings.set("operandSegmentSizes", importer.builder.getDenseI32ArrayAttr(segments));
  state.attributes = settings;
  std::optional<RegisteredOperationName> name = state.name.getRegisteredInfo();
  if (!name)
    fail(ClikaRT::Status::Internal, "'" + std::string(info.opName) + "' is not registered");
  Diagnostics diagnostics(state.getContext());
  if (failed(inferTypes(state, *name)))
    importer.failNode(diagnostics.text);
  Operation *op = importer.builder.create(state);
  if (failed(name->verifyInvariants(op)))
    importer.failNode(diagnostics.text);
  return op;
}

} // namespace clika::onnx
