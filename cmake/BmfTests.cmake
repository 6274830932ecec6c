# Tests, by where a file in ctest/ is:
#
#   unit/NAME.c          cmocka, one process; test unit_NAME, and unit_NAME.valgrind when valgrind is there
#   mpi/NAME.c           run at several numbers of ranks and threads; tests mpi_NAME.rRtT, and the slow mpi_NAME.valgrind
#   cli/NAME.bats        tests of the command line; test cli_NAME, or slow_NAME for slow_NAME.bats
#   cli/programs/NAME.c  programs that they run
#   cli/recorded/NAME.c  programs of MPI 4 that they record
#   cli/checked/NAME.c   likewise, linked with libbmf.a, as users' programs are
#   cli/preload/         libraries that they preload
#   reference/           plain, slow answers to compare with, and generators of random cases
#   support/             what tests share; linked into all of them, as the references are
#   fuzz/                fuzz targets and their corpus
#   threads/             programs with races, for ThreadSanitizer (cmake/BmfThreads.cmake)
#
# Labels: unit, valgrind, mpi, cli, slow; threads: in a build with ThreadSanitizer; full: only for scripts/check --full, as
# valgrind is. A test that keeps several cores busy says so by PROCESSORS.

set(BMF_RUNS 1:1 1:4 2:2 3:1 4:3 5:2 7:1 8:1) # ranks:threads; every number of ranks, and 1 to 4 threads, occur
set(BMF_RUNS_mpi_language_document 16:1) # more for some tests
set(BMF_FULL_RUNS 1:1 1:4 2:2 5:2 8:1 16:1) # left to scripts/check --full; likewise
set(BMF_SLOW_RUNS 7:1) # to --full --slow
set(BMF_VALGRIND_RANKS 3)
# Too long for every change: valgrind where the sanitizers look too, and measuring with many more ranks than cores.
set(BMF_SLOW_TESTS unit_language_stream.valgrind unit_language_stream_edges.valgrind unit_language_scalar.valgrind
                   unit_language_native.valgrind unit_language_products.valgrind
                   unit_notation.valgrind unit_notation_random.valgrind unit_fit.valgrind unit_schedule_cost.valgrind unit_kernel.valgrind unit_local.valgrind
                   unit_fit_program.valgrind unit_run_effects.valgrind unit_loop_rounds.valgrind unit_measurements.valgrind unit_recorded.valgrind unit_mechanism.valgrind unit_random_language.valgrind
                   unit_trace.valgrind unit_simulate.valgrind unit_replay.valgrind unit_edn.valgrind unit_sheet.valgrind
                   unit_extrapolation.valgrind unit_intervals.valgrind unit_in_order.valgrind unit_cop_build_tree.valgrind
                   unit_cop_plan.valgrind unit_cop_run.valgrind unit_cop_messages.valgrind unit_mesh_simulate.valgrind unit_mesh_streams.valgrind unit_mesh_dynamic.valgrind
                   mpi_measure.r5t2 mpi_measure.r7t1 mpi_measure.r8t1)
# Tests of the command line that go through many cases or long runs: left to --full, so that without it a check from
# nothing takes a few minutes behind the build.
set(BMF_FULL_TESTS cli_bench cli_calibrate cli_checked cli_collectives cli_convert cli_cop cli_costs cli_cowichan
                   cli_data cli_documents cli_examples cli_first_hour cli_hostile cli_install cli_language_examples
                   cli_language_matrices cli_language_words cli_memory cli_model_fit cli_notation cli_notation_cost
                   cli_npy cli_one_line cli_outputs cli_outputs_disk cli_parallelise cli_permute cli_permute_file
                   cli_permute_predict cli_predict_examples cli_predict_mpi cli_record cli_replay cli_report_browser
                   cli_schedules cli_sheet_measure cli_site cli_standard_output cli_tutorial)
# Tests of the command line that learn from measured times, or fill the memory: alone. The others start one program after
# the other, most of which wait or have one process, so that several tests fill the cores.
set(BMF_LONELY_TESTS cli_bench cli_calibrate cli_memory cli_permute_predict cli_sheet_measure)
set(BMF_TEST_TIMEOUT 600) # seconds: only to end what hangs
set(BMF_SLOW_TEST_TIMEOUT 1500)
set(BMF_TEST_ENVIRONMENT
    "OMP_WAIT_POLICY=passive"
    "ASAN_OPTIONS=detect_leaks=1:abort_on_error=0"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/ctest/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/ctest/tsan.supp:ignore_noninstrumented_modules=1:exitcode=66"
    "MALLOC_PERTURB_=85" # memory that nobody wrote must not look right by chance
    # hwloc's plugins, which MPI_Init loads and unloads, leak; nothing else in a program of bmf does
    "HWLOC_PLUGINS_PATH=${PROJECT_BINARY_DIR}/no-plugins")

find_program(BMF_VALGRIND valgrind)
set(BMF_UNDER_VALGRIND
    ${BMF_VALGRIND} --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,possible
    --suppressions=${PROJECT_SOURCE_DIR}/ctest/valgrind.supp)
if(CMAKE_BUILD_TYPE MATCHES "^[AT]san$")
  set(BMF_VALGRIND "")
endif()

file(GLOB BMF_SHARED_TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ctest/support/*.c
     ${PROJECT_SOURCE_DIR}/ctest/reference/*.c)
if(BMF_SHARED_TEST_SOURCES)
  add_library(bmf_testing STATIC ${BMF_SHARED_TEST_SOURCES})
  target_compile_options(bmf_testing PRIVATE ${BMF_COMPILE_OPTIONS})
  target_link_libraries(bmf_testing PUBLIC ${BMF_LIBRARIES} bmf::MPI OpenMP::OpenMP_C)
  list(PREPEND BMF_LIBRARIES bmf_testing)
endif()

# The programs of the unit and MPI tests alone: what the sanitizers look at.
add_custom_target(unit_and_mpi_tests)

bmf_programs(ctest/unit unit_)
if(BMF_MADE)
  add_dependencies(unit_and_mpi_tests ${BMF_MADE})
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
foreach(test IN LISTS BMF_MADE)
  target_link_libraries(${test} PRIVATE PkgConfig::CMOCKA)
  add_test(NAME ${test} COMMAND ${test})
  set_tests_properties(${test} PROPERTIES LABELS unit)
  if(BMF_VALGRIND)
    add_test(NAME ${test}.valgrind COMMAND ${BMF_UNDER_VALGRIND} $<TARGET_FILE:${test}>)
    set_tests_properties(${test}.valgrind PROPERTIES LABELS valgrind)
  endif()
endforeach()
# Scalar expressions without native code, where there is some, and with that for AVX2 where it would not be chosen.
foreach(test unit_language_scalar unit_language_native)
  if(TARGET ${test})
    add_test(NAME ${test}.interpreted COMMAND ${test})
    set_tests_properties(${test}.interpreted PROPERTIES LABELS unit ENVIRONMENT BMF_JIT=0)
    add_test(NAME ${test}.avx2 COMMAND ${test})
    set_tests_properties(${test}.avx2 PROPERTIES LABELS unit ENVIRONMENT BMF_JIT=avx2)
  endif()
endforeach()
target_compile_definitions(unit_language_words PRIVATE BMF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
foreach(test unit_command_tables unit_first_calls unit_growth unit_json unit_judge_schedules)
  target_link_libraries(${test} PRIVATE bmf_drivers)
endforeach()
if(TARGET unit_report)
  target_link_libraries(unit_report PRIVATE PkgConfig::JANSSON ZLIB::ZLIB)
endif()

include(BmfFuzz)

bmf_programs(ctest/mpi mpi_)
if(BMF_MADE)
  add_dependencies(unit_and_mpi_tests ${BMF_MADE})
endif()
foreach(test IN LISTS BMF_MADE)
  foreach(run IN LISTS BMF_RUNS BMF_RUNS_${test})
    set(run_name ${run})
    string(REPLACE ":" ";" run ${run})
    list(GET run 0 ranks)
    list(GET run 1 threads)
    set(name ${test}.r${ranks}t${threads})
    add_test(NAME ${name} COMMAND ${BMF_MPIRUN} -n ${ranks} $<TARGET_FILE:${test}>)
    if(run_name IN_LIST BMF_FULL_RUNS)
      set_tests_properties(${name} PROPERTIES LABELS "mpi;full")
    elseif(run_name IN_LIST BMF_SLOW_RUNS)
      set_tests_properties(${name} PROPERTIES LABELS "mpi;full;slow")
    else()
      set_tests_properties(${name} PROPERTIES LABELS mpi)
    endif()
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT BMF_THREADS=${threads})
    if(NOT run STREQUAL "1;1")
      set_tests_properties(${name} PROPERTIES PROCESSORS 2)
    endif()
  endforeach()
  if(BMF_VALGRIND)
    add_test(NAME ${test}.valgrind
             COMMAND ${BMF_MPIRUN} -n ${BMF_VALGRIND_RANKS} ${BMF_UNDER_VALGRIND} $<TARGET_FILE:${test}>)
    set_tests_properties(${test}.valgrind PROPERTIES LABELS slow PROCESSORS 2)
    set_property(TEST ${test}.valgrind APPEND PROPERTY ENVIRONMENT BMF_THREADS=1)
  endif()
endforeach()

include(BmfThreads)
bmf_programs(ctest/cli/programs "")
if(TARGET bmf_record)
  bmf_programs(ctest/cli/recorded "")
endif()
bmf_examples(ctest/cli/checked)

# Preloaded into programs: to count what they hand to MPI, to fail as a full or broken disk does, and to be slow to see
# what happened.
foreach(name count_sends full_disk slow_poll)
  add_library(bmf_${name} MODULE ctest/cli/preload/${name}.c)
  target_compile_options(bmf_${name} PRIVATE ${BMF_COMPILE_OPTIONS})
  target_link_libraries(bmf_${name} PRIVATE bmf::MPI ${CMAKE_DL_LIBS})
endforeach()

file(GLOB BMF_BATS_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ctest/cli/*.bats)
if(BMF_BATS_FILES)
  find_program(BMF_BATS bats REQUIRED)
  # The tests call python3 and want NumPy, which scripts/setup installs for the system's. The first python3 of the path may
  # be another one.
  foreach(python /usr/bin/python3 python3)
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      execute_process(COMMAND ${python} -c "import os, sys; print(os.path.realpath(sys.executable))" OUTPUT_VARIABLE BMF_PYTHON
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
      file(CREATE_LINK ${BMF_PYTHON} ${PROJECT_BINARY_DIR}/python/python3 SYMBOLIC)
      break()
    endif()
  endforeach()
endif()
foreach(file IN LISTS BMF_BATS_FILES)
  cmake_path(GET file STEM name)
  if(name MATCHES "^slow_")
    set(label slow)
  else()
    set(label cli)
    set(name cli_${name})
  endif()
  if(name IN_LIST BMF_FULL_TESTS)
    set(label "cli;full")
  endif()
  add_test(NAME ${name} COMMAND ${BMF_BATS} --tap ${file})
  set_tests_properties(${name} PROPERTIES LABELS "${label}")
  if(label STREQUAL slow OR name IN_LIST BMF_LONELY_TESTS)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
                                            "PATH=path_list_prepend:${PROJECT_BINARY_DIR}/python")
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "BMF_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                                                        "BMF_BUILD_DIR=${PROJECT_BINARY_DIR}"
                                                        "BMF_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "MPIRUN=${BMF_MPIRUN}"
                                                        "MPICC=${BMF_MPICC}" ${BMF_MPI_CLI_ENVIRONMENT})
endforeach()

get_property(tests DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS tests)
  if(test IN_LIST BMF_SLOW_TESTS)
    set_tests_properties(${test} PROPERTIES LABELS slow)
  endif()
  get_test_property(${test} LABELS label)
  if(label STREQUAL slow)
    set_tests_properties(${test} PROPERTIES TIMEOUT ${BMF_SLOW_TEST_TIMEOUT})
  else()
    set_tests_properties(${test} PROPERTIES TIMEOUT ${BMF_TEST_TIMEOUT})
  endif()
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${BMF_TEST_ENVIRONMENT} ${BMF_MPI_TEST_ENVIRONMENT})
endforeach()
