# BMF_COMMIT, which `bmf --version` tells: the commit that is built; "unknown" outside of a repository.
set(BMF_COMMIT unknown)

# bmf_git(VARIABLE ARGUMENT..): what git prints, or nothing.
function(bmf_git variable)
  execute_process(COMMAND ${GIT_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

find_package(Git QUIET)
if(GIT_FOUND)
  bmf_git(bmf_head rev-parse --short=12 HEAD)
  bmf_git(bmf_log rev-parse --path-format=absolute --git-path logs/HEAD)
  if(bmf_head)
    set(BMF_COMMIT ${bmf_head})
  endif()
  if(EXISTS "${bmf_log}") # a new commit configures again
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${bmf_log})
  endif()
endif()
set_property(SOURCE drivers/main.c APPEND PROPERTY COMPILE_DEFINITIONS BMF_COMMIT="${BMF_COMMIT}")
