# MLIR's headers that most of our sources include, compiled once: reading them anew is most of what a file costs.
function(clika_precompile_mlir)
  set(headers
    <mlir/Bytecode/BytecodeOpInterface.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h>
    <mlir/IR/TypeUtilities.h>
    <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Transforms/DialectConversion.h>
    <algorithm> <functional> <map> <memory> <optional> <string> <vector>)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/clika_mlir_headers.cpp CONTENT "" @ONLY)
  add_library(clika_mlir_headers OBJECT ${CMAKE_BINARY_DIR}/clika_mlir_headers.cpp)
  clika_use_mlir(clika_mlir_headers)
  target_precompile_headers(clika_mlir_headers PRIVATE ${headers})
  # Compiler, flags and headers: all that decides what the precompiled file holds.
  string(SHA256 sum "${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${CMAKE_BUILD_TYPE} ${CLIKA_SANITIZE} ${headers}")
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/clika_mlir_headers.dir/cmake_pch.hxx.pch.sum ${sum})
endfunction()

# What a target needs to include MLIR's headers.
function(clika_use_mlir target)
  target_link_libraries(${target} PRIVATE clika_flags)
  target_include_directories(${target} SYSTEM PRIVATE ${CLIKA_MLIR_INCLUDES})
  target_compile_definitions(${target} PRIVATE ${CLIKA_LLVM_DEFINITIONS})
endfunction()

# clika_objects(NAME [MLIR] SRCS a.cpp …): one folder of lib/, an object library that libClikaRT.so is made of.
# MLIR: the folder includes MLIR's headers (the others must not).
function(clika_objects name)
  cmake_parse_arguments(ARG "MLIR" "" "SRCS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE clika_flags)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include ${CMAKE_SOURCE_DIR}/lib
                             ${CMAKE_BINARY_DIR}/lib)
  if(ARG_MLIR)
    clika_use_mlir(${name})
    # Not REUSE_FROM: its absolute path to the source header would keep ccache from serving other folders.
    set(precompiled ${CMAKE_BINARY_DIR}/CMakeFiles/clika_mlir_headers.dir/cmake_pch.hxx.pch)
    target_compile_options(${name} PRIVATE -Winvalid-pch "SHELL:-include-pch ${precompiled}")
    set_source_files_properties(${ARG_SRCS} PROPERTIES OBJECT_DEPENDS ${precompiled})
  endif()
  # Only to order the build: generated headers come before what may include them.
  if(TARGET clika_generated)
    add_dependencies(${name} clika_generated)
  endif()
  set_property(GLOBAL APPEND PROPERTY CLIKA_OBJECTS ${name})
endfunction()

# clika_tblgen(FILE -gen-…): runs our TableGen backend over the op records into the current binary folder.
function(clika_tblgen out)
  tablegen(CLIKA ${out} ${ARGN})
  set(TABLEGEN_OUTPUT ${TABLEGEN_OUTPUT} PARENT_SCOPE)
endfunction()

# clika_committed(docs/x.md FILE): the file of the repository that FILE, which the build generates, must equal. A test
# compares them; `./dev build --accept` copies what was generated.
function(clika_committed committed generated)
  set_property(GLOBAL APPEND PROPERTY CLIKA_COMMITTED "${committed}=${generated}")
endfunction()
