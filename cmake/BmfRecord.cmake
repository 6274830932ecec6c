# libbmf-record.so: the recorder of MPI programs. It is loaded before MPI and defines MPI's functions, so it has nothing of
# the other libraries but the few files of the runtime that write traces, and exports only MPI's names and its own. It wraps
# functions of MPI 4 and keeps handles as numbers, so it is made for MPICH only.
file(RELATIVE_PATH bmf_library_directory ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_property(SOURCE ${PROJECT_SOURCE_DIR}/drivers/record.c APPEND PROPERTY COMPILE_DEFINITIONS
             BMF_LIBRARY_DIRECTORY="${bmf_library_directory}")
if(NOT BMF_MPI STREQUAL mpich)
  message(STATUS "BMF_MPI is ${BMF_MPI}: without `bmf record` and `bmf predict --mpi`, which need MPICH")
  return()
endif()
file(GLOB bmf_record_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/predict/record/*.c)
add_library(bmf_record SHARED ${bmf_record_sources})
target_include_directories(bmf_record PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(bmf_record PRIVATE ${BMF_COMPILE_OPTIONS})
target_link_libraries(bmf_record PRIVATE $<TARGET_FILE:bmf_runtime> bmf::MPI ${CMAKE_DL_LIBS})
add_dependencies(bmf_record bmf_runtime)
add_dependencies(bmf bmf_record) # bmf record loads it from beside itself
set_target_properties(bmf_record PROPERTIES OUTPUT_NAME bmf-record C_VISIBILITY_PRESET hidden
                                            LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/libbmf-record.map;$<TARGET_FILE:bmf_runtime>")
# clang leaves the functions of sanitizers to the program that loads a shared library.
target_link_options(bmf_record PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libbmf-record.map
                                       $<$<NOT:$<AND:$<C_COMPILER_ID:Clang>,$<CONFIG:Asan,Tsan>>>:LINKER:--no-undefined>)
