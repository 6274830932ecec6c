# The reference of the public headers: cmake --build BUILD --target doc, then BUILD/doc/html/index.html.

find_program(BMF_DOXYGEN doxygen)
if(BMF_DOXYGEN)
  add_custom_target(
    doc
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/doc
    COMMAND ${CMAKE_COMMAND} -E env BMF_HEADERS=${PROJECT_SOURCE_DIR}/include BMF_DOC=${PROJECT_BINARY_DIR}/doc
            BMF_VERSION=${PROJECT_VERSION} ${BMF_DOXYGEN} ${PROJECT_SOURCE_DIR}/docs/Doxyfile
    COMMENT "Making the reference of the public headers"
    VERBATIM)
endif()
