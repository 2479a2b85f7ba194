// MLIR's diagnostics as messages of the API.
#ifndef CLIKA_DIALECT_DIAGNOSTICS_H
#define CLIKA_DIALECT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <thread>

namespace clika {

/// Collects the errors that this thread causes in `context` while it lives.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(mlir::MLIRContext *context);
  ~DiagnosticCapture();

  /// The first error, without MLIR's "'clika.add' op" before it; `fallback` where there was none.
  std::string message(std::string_view fallback) const;
  /// The same with the line and column it is about, for text that was read.
  std::string located(std::string_view fallback) const;
  bool any() const { return !first.empty(); }

private:
  void note(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID handler;
  std::thread::id thread = std::this_thread::get_id();
  std::string first, place;
};

} // namespace clika

#endif
