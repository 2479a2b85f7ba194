# What `cmake --install` lays down: headers, libClikaRT.so, the tools, and a package config that asks its user for
# nothing of MLIR. The installed files find each other, and LLVM's two dylibs, without LD_LIBRARY_PATH.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(clika_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ClikaRT)

set_target_properties(ClikaRT PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
install(TARGETS ClikaRT LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
        NAMELINK_COMPONENT development)
install(TARGETS clika_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/lib/StaticRuntime/ DESTINATION ${CMAKE_INSTALL_DATADIR}/clika/static
        COMPONENT development FILES_MATCHING PATTERN "*.c" PATTERN "*.def")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ClikaRT DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/ClikaRT DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        OPTIONAL FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "CMakeFiles" EXCLUDE)

get_property(tools GLOBAL PROPERTY CLIKA_TOOLS)
file(RELATIVE_PATH to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(${tools} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib};${LLVM_LIBRARY_DIR}")
install(TARGETS ${tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ClikaRTConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/cmake/ClikaRTConfig.cmake
                              INSTALL_DESTINATION ${clika_package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/ClikaRTConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/ClikaRTConfig.cmake ${CMAKE_BINARY_DIR}/cmake/ClikaRTConfigVersion.cmake
        DESTINATION ${clika_package_dir} COMPONENT development)

# The list of committed generated files, for the test that compares them.
get_property(committed GLOBAL PROPERTY CLIKA_COMMITTED)
list(JOIN committed "\n" committed)
file(WRITE ${CMAKE_BINARY_DIR}/committed.txt "${committed}\n")
