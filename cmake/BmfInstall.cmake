# Installation: the public headers, libbmf.so and libbmf.a, the bmf command, man pages, bmf.pc, and the CMake package. Each
# file belongs to a component: command, library, development or documentation; a package is made of each
# (BmfPackages.cmake).

set(CMAKE_INSTALL_LIBDIR_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/bmf)

install(TARGETS bmf_shared bmf_static EXPORT bmfTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(EXPORT bmfTargets NAMESPACE bmf:: DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE} COMPONENT development)
install(TARGETS bmf RUNTIME COMPONENT command)
if(TARGET bmf_record)
  install(TARGETS bmf_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)
endif()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")

# Vim finds it there when the prefix is /usr; otherwise add the directory to its runtimepath.
install(DIRECTORY share/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles COMPONENT command FILES_MATCHING PATTERN "*.vim")

# Relative to itself, so that an installation may be moved.
file(RELATIVE_PATH BMF_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/bmf.pc.in bmf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bmf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/bmfConfig.cmake.in bmfConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE})
write_basic_package_version_file(bmfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bmfConfig.cmake ${PROJECT_BINARY_DIR}/bmfConfigVersion.cmake
              cmake/FindMPICH.cmake cmake/BmfMpi.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE} COMPONENT development)
