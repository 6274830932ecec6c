# Functions that make libraries and programs from the sources of a folder, if it has any.
#
# BMF_LIBRARIES holds the libraries made so far. Each links all of those before it, so that dependencies point one way.

set(BMF_LIBRARIES "")

# bmf_module(NAME FOLDER [BUT SUBFOLDER...]): library bmf_NAME from all C files below FOLDER, but not below the others.
macro(bmf_module name folder)
  cmake_parse_arguments(bmf_module "" "" BUT ${ARGN})
  file(GLOB_RECURSE bmf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  foreach(but IN LISTS bmf_module_BUT)
    list(FILTER bmf_sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${but}/")
  endforeach()
  add_library(bmf_${name} STATIC ${bmf_sources})
  target_include_directories(bmf_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(bmf_${name} PRIVATE ${BMF_COMPILE_OPTIONS})
  target_link_libraries(bmf_${name} PUBLIC ${BMF_LIBRARIES} bmf::MPI OpenMP::OpenMP_C m)
  set_target_properties(bmf_${name} PROPERTIES C_VISIBILITY_PRESET hidden)
  list(PREPEND BMF_LIBRARIES bmf_${name})
endmacro()

# bmf_executable(NAME SOURCE...): a program linked with every library made so far.
function(bmf_executable name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${BMF_COMPILE_OPTIONS})
  target_link_libraries(${name} PRIVATE ${BMF_LIBRARIES} bmf::MPI OpenMP::OpenMP_C m)
endfunction()

# bmf_tool_library(NAME FOLDER [BUT FILE...]): a static library from all C files below FOLDER, but not these, for the
# programs of this project. It is not installed.
function(bmf_tool_library name folder)
  cmake_parse_arguments(bmf_tool "" "" BUT ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  list(TRANSFORM bmf_tool_BUT PREPEND ${PROJECT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${bmf_tool_BUT})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(${name} PUBLIC ${BMF_LIBRARIES} bmf::MPI OpenMP::OpenMP_C m)
  endif()
endfunction()

# bmf_program(NAME FOLDER [BUT SUBFOLDER...]): one program from all C files below FOLDER, but not below the others.
function(bmf_program name folder)
  cmake_parse_arguments(bmf_program "" "" BUT ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  foreach(but IN LISTS bmf_program_BUT)
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${but}/")
  endforeach()
  if(sources)
    bmf_executable(${name} ${sources})
  endif()
endfunction()

# bmf_programs(FOLDER PREFIX): one program from each FOLDER/NAME.c, called PREFIXNAME. Sets BMF_MADE to their names.
function(bmf_programs folder prefix)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  set(made "")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    bmf_executable(${prefix}${name} ${source})
    list(APPEND made ${prefix}${name})
  endforeach()
  set(BMF_MADE ${made} PARENT_SCOPE)
endfunction()

# bmf_mpi_examples(FOLDER): one program from each FOLDER/NAME.c, in mpi/ of the build; MPI alone, nothing of bmf.
function(bmf_mpi_examples folder)
  file(GLOB entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  foreach(entry IN LISTS entries)
    cmake_path(GET entry STEM name)
    add_executable(plain_${name} ${entry})
    set_target_properties(plain_${name} PROPERTIES OUTPUT_NAME ${name}
                                                   RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/mpi)
    target_compile_options(plain_${name} PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(plain_${name} PRIVATE bmf::MPI m)
  endforeach()
endfunction()

# bmf_examples(FOLDER): one program from each FOLDER/NAME.c, and one from all files FOLDER/NAME/*.c, called NAME. They see
# the public headers only, and are linked with libbmf.a, as users' programs are.
function(bmf_examples folder)
  file(GLOB entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c ${PROJECT_SOURCE_DIR}/${folder}/*/main.c)
  foreach(entry IN LISTS entries)
    set(sources ${entry})
    cmake_path(GET entry STEM name)
    if(name STREQUAL main)
      cmake_path(GET entry PARENT_PATH directory)
      cmake_path(GET directory FILENAME name)
      file(GLOB sources CONFIGURE_DEPENDS ${directory}/*.c)
    endif()
    add_executable(${name} ${sources})
    target_compile_options(${name} PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(${name} PRIVATE bmf_static m)
  endforeach()
endfunction()
