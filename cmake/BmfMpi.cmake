# The MPI that bmf is built with: target bmf::MPI, BMF_MPIRUN (what starts its ranks), BMF_MPICC (its compiler wrapper),
# BMF_MPI_PC (pkg-config's name).
# BMF_MPI says which; one build knows one MPI, and what is linked with libbmf uses the same.
#
#   mpich      found by FindMPICH.cmake, also where another MPI is the default; or an MPI with its ABI
#   openmpi    found by pkg-config (ompi-c)
#
# Also part of the CMake package.
if(NOT TARGET bmf::MPI)
  add_library(bmf::MPI INTERFACE IMPORTED GLOBAL)
  if(BMF_MPI STREQUAL mpich)
    find_package(MPICH REQUIRED)
    set_target_properties(bmf::MPI PROPERTIES INTERFACE_LINK_LIBRARIES MPICH::MPICH)
    set(BMF_MPIRUN ${MPICH_MPIRUN})
    set(BMF_MPICC ${MPICH_COMPILER})
    set(BMF_MPI_PC mpich)
    # What MPI_Init need not look for: other networks than memory, devices of the host. BMF_MPI_CLI_ENVIRONMENT is for tests
    # that start many short programs: the ranks of a host begin by spinning in turns until all are there, a time slice each
    # where there are more of them than cores; ranks of hosts of their own, which these are then, do not.
    set(BMF_MPI_TEST_ENVIRONMENT UCX_TLS=self,sm UCX_MODULES=^ib,rdmacm HWLOC_COMPONENTS=-linuxio,-x86)
    set(BMF_MPI_CLI_ENVIRONMENT MPIR_CVAR_NOLOCAL=1)
  elseif(BMF_MPI STREQUAL openmpi)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(OPENMPI REQUIRED IMPORTED_TARGET GLOBAL ompi-c)
    set_target_properties(bmf::MPI PROPERTIES INTERFACE_LINK_LIBRARIES PkgConfig::OPENMPI)
    find_program(BMF_OPENMPI_MPIRUN NAMES mpirun.openmpi mpiexec.openmpi mpirun DOC "Open MPI's mpirun")
    find_program(BMF_OPENMPI_MPICC NAMES mpicc.openmpi mpicc DOC "Open MPI's compiler wrapper")
    set(BMF_MPIRUN ${BMF_OPENMPI_MPIRUN})
    set(BMF_MPICC ${BMF_OPENMPI_MPICC})
    set(BMF_MPI_PC ompi-c)
    # As in containers: root, and more ranks than cores. Of a rank that fails mpirun says nothing of its own, nor does
    # its libevent of files that are closed already while it ends the others: tests count the lines on standard error.
    set(BMF_MPI_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                                 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_execute_quiet=1
                                 EVENT_NOEPOLL=1)
  else()
    message(FATAL_ERROR "BMF_MPI is `${BMF_MPI}`; it may be mpich or openmpi")
  endif()
endif()
