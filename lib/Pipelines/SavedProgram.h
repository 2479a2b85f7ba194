// A compiled program in a file: what it takes and gives, what it runs on, and its machine code.
#pragma once
#include "Pipelines/Compile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace clika {

/// Lines of text that say all but the code and the constants. `program` was compiled to be saved.
std::string savedHead(const Program &program);

/// Makes the program again, over `constants`: as many as it had, and in their order. The error says why it cannot, as
/// where the code was made by another release or for a CPU that this one is not.
llvm::Expected<std::shared_ptr<Program>> loadProgram(llvm::StringRef head, llvm::StringRef code,
                                                     std::vector<ConstantArgument> constants);

/// How many bytes each constant has by `head`.
llvm::Expected<std::vector<size_t>> savedConstantSizes(llvm::StringRef head);

} // namespace clika
