// Rewrites given as text: modules of pdl.pattern operations, or PDLL.
#ifndef CLIKA_API_PDLRULES_H
#define CLIKA_API_PDLRULES_H

#include "API/Core.h"
#include "API/PdlMaker.h"
#include "Transforms/CompiledRules.h"

#include <exception>
#include <string>

namespace clika {

/// The pdl.pattern operations of `text`, which is these or, where the tool mlir-pdll is found, PDLL. An Error with the
/// line and column where it is not well formed, or names what there is none of.
std::string pdlOf(const std::string &text, std::string_view call);
/// Whether it is PDLL.
bool isPdll(const std::string &text);

/// Compiled rewrites. They run by MLIR's bytecode; what they make, replace and erase is checked first.
class PdlRules {
public:
  /// `pdl` has come of pdlOf.
  PdlRules(mlir::MLIRContext *context, const std::string &pdl);
  PdlRules(const PdlRules &) = delete;
  PdlRules &operator=(const PdlRules &) = delete;

  const CompiledRules &rules() const { return *compiled; }
  /// The graph that is rewritten from now on.
  void use(GraphCore &graph) { core = &graph; }
  /// Forgets the graph and what went wrong.
  void reset();
  /// What went wrong in a rewrite; no further one does anything.
  std::exception_ptr failure;

private:
  void finish(mlir::PatternRewriter &rewriter, llvm::ArrayRef<mlir::PDLValue> arguments);

  GraphCore *core = nullptr;
  PdlMaker maker;
  std::optional<CompiledRules> compiled;
};

} // namespace clika

#endif
