// Builds one clika op from its record: operands by position, settings by name, result types by the op's own inference.
#pragma once
#include "Dialect/OpTable.h"
#include "mlir/IR/Builders.h"

namespace clika::onnx {

class Importer;

class OpMaker {
public:
  OpMaker(Importer &importer, llvm::StringRef mnemonic);

  /// The next operand; null leaves an optional one out.
  OpMaker &in(mlir::Value operand);
  /// The operands of a variadic parameter.
  OpMaker &in(llvm::ArrayRef<mlir::Value> operands);

  OpMaker &set(llvm::StringRef name, mlir::Attribute value);
  OpMaker &set(llvm::StringRef name, bool value);
  OpMaker &set(llvm::StringRef name, int value) { return set(name, static_cast<int64_t>(value)); }
  OpMaker &set(llvm::StringRef name, int64_t value);
  OpMaker &set(llvm::StringRef name, double value);
  OpMaker &set(llvm::StringRef name, const char *value) { return set(name, llvm::StringRef(value)); }
  OpMaker &set(llvm::StringRef name, llvm::StringRef value);
  OpMaker &set(llvm::StringRef name, llvm::ArrayRef<int64_t> value);
  OpMaker &set(llvm::StringRef name, mlir::Type value);

  /// Builds the op. A refusal of its inference or verifier becomes an error that names the ONNX node.
  mlir::Operation *build();
  mlir::Value result() { return build()->getResult(0); }

private:
  /// Refuses operands of a dtype that the operator does not take.
  void checkDtypes() const;

  Importer &importer;
  const OpInfo &info;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<int32_t> segments;
  mlir::NamedAttrList settings;
};

} // namespace clika::onnx
