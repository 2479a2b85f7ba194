# clika_unit_test(NAME [MLIR] SRCS a.cpp …): one GoogleTest program, run by ctest and by ./dev check.
# MLIR: its sources include MLIR's headers. Headers of lib/ and of test/lib/Unit are on the include path either way.
find_package(GTest REQUIRED)
function(clika_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "SRCS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ClikaRT clika_flags GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include
                             ${CMAKE_SOURCE_DIR}/lib ${CMAKE_BINARY_DIR}/lib
                             ${CMAKE_SOURCE_DIR}/test/lib/Unit)
  target_compile_definitions(${name} PRIVATE CLIKA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE MLIR LLVM)
    target_include_directories(${name} SYSTEM PRIVATE ${CLIKA_MLIR_INCLUDES})
    target_compile_definitions(${name} PRIVATE ${CLIKA_LLVM_DEFINITIONS})
  endif()
  if(TARGET clika_generated)
    add_dependencies(${name} clika_generated)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/Unit)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS gtest)
endfunction()
