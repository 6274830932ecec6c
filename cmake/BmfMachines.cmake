# The example machines, models and sheets, and the libraries of the language: installed under share/bmf, and found there from the program's own place, so
# that an installation may be moved; in a build tree links take the place of the files.

file(RELATIVE_PATH bmf_from_bin_to_share ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/bmf)
set_property(
  SOURCE predict/config/installed.c
  PROPERTY COMPILE_DEFINITIONS "BMF_SHARE_FROM_BIN=\"${bmf_from_bin_to_share}\""
           "BMF_SHARE_INSTALLED=\"${CMAKE_INSTALL_FULL_DATADIR}/bmf\"")

foreach(folder machines models sheets library)
  cmake_path(ABSOLUTE_PATH bmf_from_bin_to_share BASE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} NORMALIZE
             OUTPUT_VARIABLE bmf_share)
  file(MAKE_DIRECTORY ${bmf_share})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples/${folder} ${bmf_share}/${folder} SYMBOLIC)
  install(DIRECTORY examples/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/bmf COMPONENT command)
endforeach()
