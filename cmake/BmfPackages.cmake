# Packages by CPack: bmf (the command), libbmf0.1 (the shared library), libbmf-dev (headers, static library, pkg-config and
# CMake files) and bmf-doc (the pages of docs/, and the examples). Debian's are made by
#   cmake --preset package && cmake --build --preset package -j2 && cpack --preset package
# into build/package.

set(BMF_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(BMF_MAINTAINER "bmf maintainers <bmf@example.org>" CACHE STRING "who packages are from")

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bmf-doc/docs COMPONENT documentation
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bmf-doc COMPONENT documentation)

# What Debian wants in each package: the licence, and the changes.
find_program(BMF_GZIP gzip)
if(BMF_GZIP)
  file(WRITE ${PROJECT_BINARY_DIR}/copyright
       "bmf is free software under the GNU General Public License, version 3 or later.\n"
       "On Debian systems its text is in /usr/share/common-licenses/GPL-3.\n"
       "Copyright (C) 2026 the authors of bmf\n")
  string(TIMESTAMP bmf_date "%a, %d %b %Y 00:00:00 +0000" UTC)
  foreach(package bmf libbmf${BMF_ABI} libbmf-dev bmf-doc)
    file(WRITE ${PROJECT_BINARY_DIR}/changelogs/${package}/changelog
         "bmf (${PROJECT_VERSION}) unstable; urgency=low\n\n  * See CHANGELOG.md of the sources.\n\n"
         " -- ${BMF_MAINTAINER}  ${bmf_date}\n")
    execute_process(COMMAND ${BMF_GZIP} -9nf ${PROJECT_BINARY_DIR}/changelogs/${package}/changelog)
  endforeach()
  foreach(pair bmf:command libbmf${BMF_ABI}:library libbmf-dev:development bmf-doc:documentation)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 package)
    list(GET pair 1 component)
    install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelogs/${package}/changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endforeach()
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME bmf)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${BMF_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "data-parallel programs of Bird-Meertens skeletons, run and predicted")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL command library development documentation)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME bmf)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS mpich)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
    "run, predict and look at data-parallel programs
 The command bmf runs data-parallel programs of Bird-Meertens skeletons
 with mpirun, predicts them for machines that are not there, records any MPI
 program, and shows traces of both side by side.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libbmf${BMF_ABI})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "Bird-Meertens skeletons over MPI and OpenMP (shared library)
 Split, map, reduce, scan, zip, filter, permutations and files for lists that
 are distributed over the ranks of an MPI program.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbmf-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libbmf${BMF_ABI} (= ${PROJECT_VERSION}), libmpich-dev, libgsl-dev, libconfig-dev, zlib1g-dev, pkg-config${BMF_HDF5_PACKAGE}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "Bird-Meertens skeletons over MPI and OpenMP (development files)
 Headers, the static library, and files for pkg-config and CMake.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME bmf-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION
    "Bird-Meertens skeletons over MPI and OpenMP (documentation)
 Tutorial, reference pages, and example programs.")
include(CPack)
