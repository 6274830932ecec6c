# Builds of the type Tsan: tests with the label `threads`, and the target thread_tests of their programs.
#
# Which: the MPI tests with 4 threads on 1 rank, unit tests that start threads, and programs with a race each, which must be
# reported.

if(NOT CMAKE_BUILD_TYPE STREQUAL Tsan)
  return()
endif()

set(BMF_THREAD_UNITS unit_kernel unit_local unit_language_operator unit_language_scalar unit_language_stream
                     unit_language_stream_edges unit_language_value unit_memory unit_one_permutable unit_type)

bmf_programs(ctest/threads threads_)
foreach(kind part kernel region none)
  add_test(NAME threads_race_${kind} COMMAND threads_race ${kind})
  set_tests_properties(threads_race_${kind} PROPERTIES LABELS threads)
  set_property(TEST threads_race_${kind} APPEND PROPERTY ENVIRONMENT BMF_THREADS=4 BMF_PROCS=64)
  if(NOT kind STREQUAL none)
    set_tests_properties(threads_race_${kind} PROPERTIES PASS_REGULAR_EXPRESSION
                                                         "ThreadSanitizer: data race.*race\\.c:")
  endif()
endforeach()

add_custom_target(thread_tests DEPENDS threads_race)
get_property(tests DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS tests)
  string(REGEX REPLACE "\\.r1t4$" "" program ${test})
  if(test MATCHES "^mpi_.*\\.r1t4$" OR test IN_LIST BMF_THREAD_UNITS)
    add_dependencies(thread_tests ${program})
    get_test_property(${test} LABELS labels)
    set_tests_properties(${test} PROPERTIES LABELS "${labels};threads")
  endif()
endforeach()
