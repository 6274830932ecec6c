# Functions that make libraries and programs from the sources of a folder, if it has any.
#
# BMF_LIBRARIES holds the libraries made so far. Each links all of those before it, so that dependencies point one way.

set(BMF_LIBRARIES "")

# bmf_module(NAME): library bmf_NAME from NAME/*.c and NAME/*/*.c.
macro(bmf_module name)
  file(GLOB bmf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c ${PROJECT_SOURCE_DIR}/${name}/*/*.c)
  if(bmf_sources)
    add_library(bmf_${name} ${bmf_sources})
    add_library(bmf::bmf_${name} ALIAS bmf_${name})
    target_include_directories(
      bmf_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/bmf>)
    target_compile_options(bmf_${name} PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(bmf_${name} PUBLIC ${BMF_LIBRARIES} MPICH::MPICH OpenMP::OpenMP_C m)
    set_target_properties(bmf_${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
    list(PREPEND BMF_LIBRARIES bmf_${name})
  endif()
endmacro()

# bmf_executable(NAME SOURCE...): a program linked with every library made so far.
function(bmf_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${BMF_COMPILE_OPTIONS})
  target_link_libraries(${name} PRIVATE ${BMF_LIBRARIES} MPICH::MPICH OpenMP::OpenMP_C m)
endfunction()

# bmf_program(NAME FOLDER): one program from FOLDER/*.c.
function(bmf_program name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  if(sources)
    bmf_executable(${name} ${sources})
  endif()
endfunction()

# bmf_programs(FOLDER PATTERN): one program from each matching file, named by the file. Sets BMF_MADE to their names.
function(bmf_programs folder pattern)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  set(made "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    bmf_executable(${name} ${source})
    list(APPEND made ${name})
  endforeach()
  set(BMF_MADE ${made} PARENT_SCOPE)
endfunction()
