# Manual pages: <build>/man/*.1, from the tables of the commands and the hand-written fragments docs/man/*.roff.
set(BMF_MANUAL ${PROJECT_BINARY_DIR}/man)
file(GLOB BMF_FRAGMENTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.roff)
file(MAKE_DIRECTORY ${BMF_MANUAL})
add_custom_command(
  OUTPUT ${BMF_MANUAL}/bmf.1
  COMMAND bmf --man ${PROJECT_SOURCE_DIR}/docs/man ${BMF_MANUAL}
  DEPENDS bmf ${BMF_FRAGMENTS}
  COMMENT "Writing manual pages"
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${BMF_MANUAL}/bmf.1)
install(DIRECTORY ${BMF_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
