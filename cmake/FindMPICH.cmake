# FindMPICH: finds MPICH itself, even when another MPI is installed beside it and is the default one.
#
# Looks at pkg-config's "mpich" first, then at what mpicc.mpich (or mpicc) reports, and takes only an mpi.h that says it
# is MPICH's. Hint: MPICH_ROOT.
#
# Defines the target MPICH::MPICH and the variables MPICH_FOUND, MPICH_VERSION, MPICH_MPIRUN, MPICH_COMPILER.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(MPICH_PC QUIET mpich)
endif()

find_program(MPICH_COMPILER NAMES mpicc.mpich mpicc HINTS ${MPICH_ROOT}/bin DOC "MPICH's compiler wrapper")
find_program(MPICH_MPIRUN NAMES mpirun.mpich mpiexec.mpich mpirun mpiexec HINTS ${MPICH_ROOT}/bin
             DOC "MPICH's mpirun")

set(MPICH_SHOWN "")
if(MPICH_COMPILER AND NOT MPICH_PC_FOUND)
  execute_process(COMMAND ${MPICH_COMPILER} -show OUTPUT_VARIABLE MPICH_SHOWN ERROR_QUIET)
  string(REGEX MATCHALL "-I[^ \n]+" MPICH_SHOWN_INCLUDES "${MPICH_SHOWN}")
  string(REGEX MATCHALL "-L[^ \n]+" MPICH_SHOWN_LIBRARIES "${MPICH_SHOWN}")
  list(TRANSFORM MPICH_SHOWN_INCLUDES REPLACE "^-I" "")
  list(TRANSFORM MPICH_SHOWN_LIBRARIES REPLACE "^-L" "")
endif()

find_path(MPICH_INCLUDE_DIR mpi.h
          HINTS ${MPICH_ROOT}/include ${MPICH_PC_INCLUDE_DIRS} ${MPICH_SHOWN_INCLUDES} PATH_SUFFIXES mpich)
find_library(MPICH_LIBRARY NAMES mpich mpi HINTS ${MPICH_ROOT}/lib ${MPICH_PC_LIBRARY_DIRS} ${MPICH_SHOWN_LIBRARIES})

set(MPICH_VERSION "")
if(MPICH_INCLUDE_DIR)
  file(STRINGS ${MPICH_INCLUDE_DIR}/mpi.h MPICH_VERSION_LINE REGEX "^#define MPICH_VERSION ")
  string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" MPICH_VERSION "${MPICH_VERSION_LINE}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MPICH REQUIRED_VARS MPICH_LIBRARY MPICH_INCLUDE_DIR MPICH_VERSION VERSION_VAR MPICH_VERSION)

if(MPICH_FOUND AND NOT TARGET MPICH::MPICH)
  add_library(MPICH::MPICH UNKNOWN IMPORTED)
  set_target_properties(MPICH::MPICH PROPERTIES IMPORTED_LOCATION ${MPICH_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${MPICH_INCLUDE_DIR})
endif()
mark_as_advanced(MPICH_COMPILER MPICH_MPIRUN MPICH_INCLUDE_DIR MPICH_LIBRARY)
