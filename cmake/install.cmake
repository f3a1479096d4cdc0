# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies: headers, libraries, .pc files, the CMake package, the program.
# Everything can be moved afterwards: no installed file holds an absolute path.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/linkwork)

install(DIRECTORY include/linkwork DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(TARGETS linkwork linkwork-static linkwork-core linkwork-core-static EXPORT linkworkTargets)
install(EXPORT linkworkTargets NAMESPACE linkwork:: DESTINATION ${package_dir})
install(TARGETS linkwork-cli)
# for the Python package, which pip builds against an installed linkwork
install(FILES $<TARGET_FILE:linkwork-page> DESTINATION ${CMAKE_INSTALL_LIBDIR})

configure_package_config_file(cmake/linkworkConfig.cmake.in linkworkConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(linkworkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/linkworkConfig.cmake
  ${PROJECT_BINARY_DIR}/linkworkConfigVersion.cmake DESTINATION ${package_dir})

# lw_pc_file(<library> <description>)
function(lw_pc_file name description)
  set(prefix /)
  get_property(private_libraries TARGET ${name} PROPERTY LW_PRIVATE_LIBRARIES)
  cmake_path(RELATIVE_PATH prefix BASE_DIRECTORY /${CMAKE_INSTALL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)
  configure_file(cmake/library.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
lw_pc_file(linkwork "${PROJECT_DESCRIPTION}")
lw_pc_file(linkwork-core "${PROJECT_DESCRIPTION}: needs libc and libm only")
