# HDF5, for data sets as arguments and results: optional. BMF_HDF5 is AUTO (if it is there), ON or OFF. Of several the
# one for this MPI is taken, so that programs which use both load one library.
set(BMF_HDF5 AUTO CACHE STRING "Read and write HDF5 data sets: AUTO, ON or OFF")
set_property(CACHE BMF_HDF5 PROPERTY STRINGS AUTO ON OFF)

set(BMF_HDF5_MODULE "")
if(NOT BMF_HDF5 STREQUAL OFF)
  foreach(name IN ITEMS hdf5-${BMF_MPI} hdf5-serial hdf5)
    pkg_check_modules(HDF5 QUIET IMPORTED_TARGET ${name})
    if(HDF5_FOUND)
      set(BMF_HDF5_MODULE ${name})
      break()
    endif()
  endforeach()
  if(NOT BMF_HDF5_MODULE AND NOT BMF_HDF5 STREQUAL AUTO)
    message(FATAL_ERROR "HDF5 is not there (Debian: libhdf5-mpich-dev); -DBMF_HDF5=OFF builds without")
  endif()
endif()

set(BMF_HDF5_PACKAGE "") # of Debian, for libbmf-dev
if(BMF_HDF5_MODULE MATCHES "^hdf5-(mpich|openmpi)$")
  set(BMF_HDF5_PACKAGE ", libhdf5-${CMAKE_MATCH_1}-dev")
elseif(BMF_HDF5_MODULE)
  set(BMF_HDF5_PACKAGE ", libhdf5-dev")
endif()

# bmf_hdf5(TARGET)
function(bmf_hdf5 target)
  if(BMF_HDF5_MODULE)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/runtime/files/hdf5.c PROPERTIES COMPILE_DEFINITIONS BMF_HDF5)
    target_link_libraries(${target} PUBLIC PkgConfig::HDF5)
  endif()
endfunction()
