# What bmf-bench is compared with, if it is installed (scripts/setup --peers): C++17 parallel algorithms on TBB, and the
# transposes of FFTW on MPI. Nothing else of bmf needs C++.
#
# bmf_peers(TARGET): TARGET gets the peers' sources, or bench/peers/none.c. Debian's FFTW for MPI is built with Open MPI, so
# its transposes are a program of their own, bmf-bench-fftw, with that MPI; scripts/compare-fftw runs it.

include(CheckLanguage)
option(BMF_PEERS "Build the benchmarks' peers if they are installed" ON)
set(BMF_PEERS_FOUND FALSE)
if(BMF_PEERS)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    find_package(TBB QUIET)
    set(BMF_PEERS_FOUND ${TBB_FOUND})
  endif()
endif()

function(bmf_peers target)
  if(NOT BMF_PEERS_FOUND)
    target_sources(${target} PRIVATE bench/peers/none.c)
    return()
  endif()
  target_sources(${target} PRIVATE bench/peers/tbb.cpp)
  # The widest instructions the processor has, as bmf's kernels use them: users of such a library build for their machine.
  set_source_files_properties(bench/peers/tbb.cpp PROPERTIES COMPILE_OPTIONS "-O3;-march=native")
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  target_compile_definitions(${target} PRIVATE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
  target_link_libraries(${target} PRIVATE TBB::tbb)
endfunction()

if(BMF_PEERS)
  pkg_check_modules(OPENMPI QUIET IMPORTED_TARGET ompi-c)
  pkg_check_modules(FFTW QUIET IMPORTED_TARGET fftw3)
  find_library(BMF_FFTW_MPI fftw3_mpi)
  mark_as_advanced(BMF_FFTW_MPI)
  if(OPENMPI_FOUND AND FFTW_FOUND AND BMF_FFTW_MPI)
    add_executable(bmf-bench-fftw bench/peers/fftw.c)
    target_compile_options(bmf-bench-fftw PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(bmf-bench-fftw PRIVATE ${BMF_FFTW_MPI} PkgConfig::FFTW PkgConfig::OPENMPI m)
  endif()
endif()
