// What reading a log of rewrites and doing what it says share.
#ifndef CLIKA_TRANSFORMS_REWRITELOGTEXT_H
#define CLIKA_TRANSFORMS_REWRITELOGTEXT_H

#include "Transforms/RewriteLog.h"

#include <optional>

namespace clika::rewrite_log {

llvm::Error refusal(const llvm::Twine &message);
std::string quoted(llvm::StringRef name);
/// The text of an attribute; "" where it is none.
std::string textOf(mlir::Attribute attribute);
/// The texts of a list; none where it is no list of texts.
std::optional<llvm::SmallVector<mlir::StringAttr>> textsOf(mlir::Operation *op, llvm::StringRef name);

} // namespace clika::rewrite_log

#endif
