# clika_objects(NAME [MLIR] SRCS a.cpp …): one folder of lib/, an object library that libClikaRT.so is made of.
# MLIR: the folder includes MLIR's headers (the others must not).
function(clika_objects name)
  cmake_parse_arguments(ARG "MLIR" "" "SRCS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE clika_flags)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include ${CMAKE_SOURCE_DIR}/lib
                             ${CMAKE_BINARY_DIR}/lib)
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PRIVATE ${CLIKA_MLIR_INCLUDES})
    target_compile_definitions(${name} PRIVATE ${CLIKA_LLVM_DEFINITIONS})
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
