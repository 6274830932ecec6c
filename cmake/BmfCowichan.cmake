# The Cowichan programs: plain MPI, one executable each from examples/cowichan/NAME.c, in cowichan/ of the build; and
# `chain`, made of all of them; and `skeletons`, those of examples/cowichan/skeletons/.

set(cowichan_folder ${PROJECT_SOURCE_DIR}/examples/cowichan)
set(cowichan_chained mandel randmat half life thresh invperc winnow norm elastic outer gauss sor product vecdiff)
list(TRANSFORM cowichan_chained PREPEND ${cowichan_folder}/ OUTPUT_VARIABLE cowichan_parts)
list(TRANSFORM cowichan_parts APPEND .c)

add_library(cowichan_common OBJECT ${cowichan_folder}/common.c ${cowichan_folder}/mains.c ${cowichan_folder}/npy.c)
target_include_directories(cowichan_common PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_compile_options(cowichan_common PRIVATE ${BMF_COMPILE_OPTIONS})
target_link_libraries(cowichan_common PUBLIC bmf::MPI m)

# cowichan_program(NAME SOURCE..)
function(cowichan_program name)
  add_executable(cowichan_${name} ${ARGN})
  set_target_properties(cowichan_${name} PROPERTIES OUTPUT_NAME ${name}
                                                    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/cowichan)
  target_compile_options(cowichan_${name} PRIVATE ${BMF_COMPILE_OPTIONS} ${OpenMP_C_FLAGS})
  target_link_options(cowichan_${name} PRIVATE ${OpenMP_C_FLAGS})
  target_link_libraries(cowichan_${name} PRIVATE cowichan_common)
endfunction()

foreach(name IN LISTS cowichan_chained ITEMS pingpong farm)
  cowichan_program(${name} ${cowichan_folder}/${name}.c)
endforeach()

# The parallel parts alone, without main programs.
add_library(cowichan_plain OBJECT ${cowichan_parts})
target_compile_definitions(cowichan_plain PRIVATE COWICHAN_CHAIN)
target_compile_options(cowichan_plain PRIVATE ${BMF_COMPILE_OPTIONS} ${OpenMP_C_FLAGS})
target_link_libraries(cowichan_plain PUBLIC cowichan_common)
cowichan_program(chain ${cowichan_folder}/chain.c)
target_link_libraries(cowichan_chain PRIVATE cowichan_plain)

file(GLOB cowichan_skeletons CONFIGURE_DEPENDS ${cowichan_folder}/skeletons/*.c)
list(FILTER cowichan_skeletons EXCLUDE REGEX "/main\\.c$")
add_library(cowichan_versions OBJECT ${cowichan_skeletons})
target_compile_options(cowichan_versions PRIVATE ${BMF_COMPILE_OPTIONS})
target_link_libraries(cowichan_versions PUBLIC cowichan_plain)
cowichan_program(skeletons ${cowichan_folder}/skeletons/main.c)
target_link_libraries(cowichan_skeletons PRIVATE cowichan_versions cowichan_plain bmf_static m)
if(TARGET bmf-bench)
  target_link_libraries(bmf-bench PRIVATE cowichan_versions cowichan_plain cowichan_common)
  target_compile_definitions(bmf-bench PRIVATE COWICHAN_SOURCES="${cowichan_folder}")
endif()
