// Calls of code that was compiled at run time.
#ifndef CLIKA_RUNTIME_COMPILEDCALL_H
#define CLIKA_RUNTIME_COMPILEDCALL_H

/// Of a function that makes such calls. UndefinedBehaviorSanitizer reads the signature ahead of what is called; such
/// code has none, and may begin at the first byte of its memory.
#define CLIKA_CALLS_COMPILED __attribute__((no_sanitize("function")))

#endif
