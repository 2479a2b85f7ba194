#include "Dialect/Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace clika {

DiagnosticCapture::DiagnosticCapture(MLIRContext *context) : context(context) {
  handler = context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (std::this_thread::get_id() != thread)
      return failure();
    if (first.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      note(diagnostic);
    return success();
  });
}

void DiagnosticCapture::note(Diagnostic &diagnostic) {
  first = diagnostic.str();
  if (auto location = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    place = "line " + std::to_string(location.getLine()) + ", column " + std::to_string(location.getColumn()) + ": ";
}

std::string DiagnosticCapture::located(std::string_view fallback) const {
  return first.empty() ? std::string(fallback) : place + first;
}

DiagnosticCapture::~DiagnosticCapture() { context->getDiagEngine().eraseHandler(handler); }

std::string DiagnosticCapture::message(std::string_view fallback) const {
  llvm::StringRef text = first;
  if (text.empty())
    return std::string(fallback);
  // "'clika.add' op needs …" and "add: shapes …" both name the op, which the caller does already.
  if (text.consume_front("'clika.")) {
    size_t quote = text.find("' op ");
    if (quote != llvm::StringRef::npos)
      text = text.drop_front(quote + 5);
    return text.str();
  }
  size_t colon = text.find(": ");
  if (colon < 32 && text.take_front(colon).find(' ') == llvm::StringRef::npos)
    text = text.drop_front(colon + 2);
  return text.str();
}

} // namespace clika
