# Where bmf may be installed: anywhere but in the checkout, whose share/ would be copied into itself. Included before all
# that installs something.
install(
  CODE "
  get_filename_component(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" REALPATH)
  get_filename_component(checkout \"${PROJECT_SOURCE_DIR}\" REALPATH)
  if(prefix STREQUAL checkout)
    message(FATAL_ERROR \"bmf cannot be installed into its own checkout, \${prefix}; use another --prefix, like ~/.local\")
  endif()")
