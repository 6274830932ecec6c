# Installation: headers under include/bmf, libraries, the bmf command, man pages, bmf.pc, and the CMake package.
#
# Users link with bmf::bmf (or pkg-config bmf): runtime, permute and skeletons, and predict with what it needs, so that
# their programs can be predicted.

set(BMF_PUBLIC_LIBRARIES "")
foreach(name runtime permute skeletons convert mesh predict)
  if(TARGET bmf_${name})
    list(PREPEND BMF_PUBLIC_LIBRARIES bmf_${name})
  endif()
endforeach()
if(NOT BMF_PUBLIC_LIBRARIES)
  return()
endif()

add_library(bmf_all INTERFACE)
set_target_properties(bmf_all PROPERTIES EXPORT_NAME bmf)
target_link_libraries(bmf_all INTERFACE ${BMF_PUBLIC_LIBRARIES})

set(CMAKE_INSTALL_LIBDIR_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/bmf)
install(TARGETS bmf_all ${BMF_PUBLIC_LIBRARIES} EXPORT bmfTargets)
install(EXPORT bmfTargets NAMESPACE bmf:: DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE})
if(TARGET bmf)
  file(RELATIVE_PATH bmf_from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(bmf PROPERTIES INSTALL_RPATH "$ORIGIN/${bmf_from_bin_to_lib}")
  install(TARGETS bmf)
endif()
foreach(name ${BMF_PUBLIC_LIBRARIES})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
endforeach()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# Vim finds it there when the prefix is /usr; otherwise add the directory to its runtimepath.
install(DIRECTORY share/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles FILES_MATCHING PATTERN "*.vim")

list(TRANSFORM BMF_PUBLIC_LIBRARIES PREPEND "-l" OUTPUT_VARIABLE BMF_PC_LIBRARIES)
string(JOIN " " BMF_PC_LIBRARIES ${BMF_PC_LIBRARIES})
# Relative to itself, so that an installation may be moved.
file(RELATIVE_PATH BMF_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/bmf.pc.in bmf.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bmf.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/bmfConfig.cmake.in bmfConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE})
write_basic_package_version_file(bmfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bmfConfig.cmake ${PROJECT_BINARY_DIR}/bmfConfigVersion.cmake
              cmake/FindMPICH.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR_CMAKE})
