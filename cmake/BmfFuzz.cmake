# Fuzz targets: ctest/fuzz/NAME.c has libFuzzer's entry; ctest/fuzz/run_files.c runs it on files.
#
#   NAME_corpus   every build: the target on the files of ctest/fuzz/corpus/NAME, as test unit_NAME_corpus
#   NAME_fuzz     with BMF_FUZZ (clang only): libFuzzer; fuzz_targets are all of them

foreach(target cop costs data equations graph journal language language_server machine matrix measurements messages notation npy predictor report samples schedule sheet trace)
  add_executable(${target}_corpus ctest/fuzz/${target}.c ctest/fuzz/fuzz.c ctest/fuzz/run_files.c)
  set(made ${target}_corpus)
  add_dependencies(unit_and_mpi_tests ${target}_corpus)
  file(GLOB corpus CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ctest/fuzz/corpus/${target}/*)
  add_test(NAME unit_${target}_corpus COMMAND ${target}_corpus ${corpus})
  set_tests_properties(unit_${target}_corpus PROPERTIES LABELS unit)
  if(BMF_FUZZ)
    add_executable(${target}_fuzz ctest/fuzz/${target}.c ctest/fuzz/fuzz.c)
    target_link_options(${target}_fuzz PRIVATE -fsanitize=fuzzer)
    list(APPEND made ${target}_fuzz)
    list(APPEND fuzz_targets ${target}_fuzz)
  endif()
  foreach(program IN LISTS made)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(${program} PRIVATE ${BMF_COMPILE_OPTIONS})
    target_link_libraries(${program} PRIVATE bmf_drivers ${BMF_LIBRARIES} bmf::MPI OpenMP::OpenMP_C m)
  endforeach()
endforeach()
if(BMF_FUZZ)
  add_custom_target(fuzz_targets DEPENDS ${fuzz_targets})
endif()
