# Manual pages: <build>/man/*.1, from the tables of the commands and the hand-written fragments docs/man/*.roff. Completion
# scripts for bash and zsh: <build>/completions/bmf and _bmf, from the tables.
set(BMF_MANUAL ${PROJECT_BINARY_DIR}/man)
set(BMF_COMPLETIONS ${PROJECT_BINARY_DIR}/completions)
file(GLOB BMF_FRAGMENTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.roff)
file(MAKE_DIRECTORY ${BMF_MANUAL} ${BMF_COMPLETIONS})
add_custom_command(
  OUTPUT ${BMF_MANUAL}/bmf.1 ${BMF_COMPLETIONS}/bmf
  COMMAND bmf --man ${PROJECT_SOURCE_DIR}/docs/man ${BMF_MANUAL}
  COMMAND bmf --completions ${BMF_COMPLETIONS}
  DEPENDS bmf ${BMF_FRAGMENTS}
  COMMENT "Writing manual pages and completions"
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${BMF_MANUAL}/bmf.1 ${BMF_COMPLETIONS}/bmf)
install(DIRECTORY ${BMF_MANUAL}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${BMF_COMPLETIONS}/bmf DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${BMF_COMPLETIONS}/_bmf DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
