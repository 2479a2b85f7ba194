// Why patterns of PDL do not match, in the words of their text.
#ifndef CLIKA_API_PDLREASONS_H
#define CLIKA_API_PDLREASONS_H

#include "API/Core.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace clika {

struct PdlBody;

/// What a pattern asks for and does not find.
struct PdlRefusal {
  /// In the pattern's terms alone, alike for all nodes: "input 0 of %outer (Relu) is not %inner (Relu)".
  std::string inGeneral;
  /// "input 0 of Relu 'relu_2' is Neg 'neg_1', and not %inner (Relu)".
  std::string here;
  /// Of the pattern's text, counted from 1; 0 where that is not the user's.
  int line = 0;
};

/// Follows the patterns of a rule by itself, beside the bytecode that applies them. The graph's lock must be held.
class PdlReasons {
public:
  PdlReasons(GraphCore &core, const PdlBody &body);

  /// What keeps the pattern that gets furthest from beginning at `op`; none where one does, or `op` is no root of any.
  std::optional<PdlRefusal> atRoot(mlir::Operation *op) const;
  /// Why `op` is no node of an occurrence; none where it is one.
  std::optional<std::string> whyNot(mlir::Operation *op) const;

private:
  class Attempt;
  struct Found;

  mlir::ModuleOp text() const { return module.get(); }
  std::vector<mlir::Operation *> rootsAround(mlir::Operation *op) const;
  bool isRoot(mlir::Operation *op) const;
  std::string nameOf(mlir::Operation *part) const;

  GraphCore &core;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// As in "%inner", of what the text names.
  llvm::DenseMap<mlir::Operation *, std::string> names;
  bool isOwnText;
};

} // namespace clika

#endif
