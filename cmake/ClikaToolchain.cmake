# Compiler settings and the LLVM/MLIR 22 packages. We link the two dylibs only: naming a static MLIR
# library beside them loads a second copy of MLIR.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

find_program(CLIKA_CCACHE ccache)
if(CLIKA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache asks for before it serves files that use a precompiled header. It goes by the header's own .sum file, so
  # that clones in other folders, whose precompiled files differ in paths alone, share what one of them compiled.
  set(CMAKE_C_COMPILER_LAUNCHER ${CLIKA_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
      ${CLIKA_CCACHE})
endif()

set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "Where MLIRConfig.cmake is")
# No version here: MLIR's version file accepts nothing but its own major.minor pair.
find_package(MLIR CONFIG QUIET)
if(NOT MLIR_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "LLVM/MLIR 22 was not found in ${MLIR_DIR}. Install Debian's packages llvm-22-dev and "
                      "libmlir-22-dev mlir-22-tools llvm-22-tools, or set MLIR_DIR.")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(CLIKA_MLIR_INCLUDES ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
list(REMOVE_DUPLICATES CLIKA_MLIR_INCLUDES)
separate_arguments(CLIKA_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

add_library(clika_flags INTERFACE)
target_compile_options(clika_flags INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-semantic-interposition
                       -ffp-contract=off "SHELL:-Xclang -fno-pch-timestamp")
if(CLIKA_SANITIZE)
  target_compile_options(clika_flags INTERFACE -fsanitize=${CLIKA_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(clika_flags INTERFACE -fsanitize=${CLIKA_SANITIZE})
endif()
