# The documents: cmake --build BUILD --target doc, then BUILD/doc/site/index.html: all pages, the manual pages and, if there is
# doxygen, the reference of the public headers (BUILD/doc/html). scripts/site makes the pages.

find_program(BMF_DOXYGEN doxygen)
set(BMF_DOC ${PROJECT_BINARY_DIR}/doc)
set(bmf_site_options)
if(BMF_DOXYGEN)
  add_custom_target(
    reference
    COMMAND ${CMAKE_COMMAND} -E make_directory ${BMF_DOC}
    COMMAND ${CMAKE_COMMAND} -E env BMF_HEADERS=${PROJECT_SOURCE_DIR}/include BMF_DOC=${BMF_DOC}
            BMF_VERSION=${PROJECT_VERSION} ${BMF_DOXYGEN} ${PROJECT_SOURCE_DIR}/docs/Doxyfile
    COMMENT "Making the reference of the public headers"
    VERBATIM)
  set(bmf_site_options --reference ${BMF_DOC})
endif()
add_custom_target(
  doc
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/site --man ${BMF_MANUAL} ${bmf_site_options} ${BMF_DOC}/site
  COMMENT "Making the site of the documents"
  VERBATIM)
add_dependencies(doc manual)
if(BMF_DOXYGEN)
  add_dependencies(doc reference)
endif()
