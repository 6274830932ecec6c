# What users link with: libbmf.so and libbmf.a, both made from one relocatable object of all modules.
#
# The object holds the runtime, the permutations and the skeletons whole, and of predict what predicting a program takes.
# Programs call its public functions through the checked interface. Only what the public headers mark with BMF_API can be seen: the linker keeps the rest out of the shared library's table,
# and in the archive the rest is made local, so that a user's function may have the name of an internal one.

set(bmf_whole bmf_runtime bmf_permute bmf_skeletons)
set(bmf_wanted bmf_convert bmf_mesh bmf_predict)
set(bmf_archives ${bmf_whole} ${bmf_wanted})
list(TRANSFORM bmf_archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE bmf_files)
list(SUBLIST bmf_files 0 3 bmf_whole_files)
list(SUBLIST bmf_files 3 -1 bmf_wanted_files)

# The functions of the checked interface take the names of those they call, which are renamed (checked/checked.h).
file(GLOB bmf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/checked/*.c)
add_library(bmf_checked OBJECT ${bmf_sources})
target_include_directories(bmf_checked PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(bmf_checked PRIVATE ${BMF_COMPILE_OPTIONS})
target_link_libraries(bmf_checked PRIVATE bmf::MPI)
set_target_properties(bmf_checked PROPERTIES C_VISIBILITY_PRESET hidden)

set(bmf_unchecked_object ${PROJECT_BINARY_DIR}/libbmf-unchecked.o)
set(bmf_names ${PROJECT_BINARY_DIR}/libbmf-unchecked.names)
set(bmf_object ${PROJECT_BINARY_DIR}/libbmf.o)
set(bmf_local_object ${PROJECT_BINARY_DIR}/libbmf-local.o)
add_custom_command(
  OUTPUT ${bmf_object} ${bmf_local_object}
  COMMAND ${CMAKE_LINKER} -r -d -o ${bmf_unchecked_object} -u model_open --whole-archive ${bmf_whole_files}
          --no-whole-archive --start-group ${bmf_wanted_files} --end-group
  COMMAND ${CMAKE_NM} -u $<TARGET_OBJECTS:bmf_checked> | sed -n "s/^ *U unchecked_\\(.*\\)/\\1 unchecked_\\1/p" | sort -u > ${bmf_names}
  COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${bmf_names} ${bmf_unchecked_object}
  COMMAND ${CMAKE_LINKER} -r -d -o ${bmf_object} ${bmf_unchecked_object} $<TARGET_OBJECTS:bmf_checked>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol=bmf_*
          ${bmf_object} ${bmf_local_object}
  DEPENDS ${bmf_archives} $<TARGET_OBJECTS:bmf_checked>
  COMMENT "Linking the modules into one object"
  COMMAND_EXPAND_LISTS
  VERBATIM)

# bmf_library(NAME KIND OBJECT SCOPE): target NAME, a library called libbmf; SCOPE says who links what it needs.
function(bmf_library name kind object scope)
  add_library(${name} ${kind} ${object})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME bmf LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC bmf::MPI)
  target_link_libraries(${name} ${scope} PkgConfig::LIBCONFIG ZLIB::ZLIB $<$<BOOL:${HDF5_FOUND}>:PkgConfig::HDF5> ${OpenMP_C_FLAGS} m)
endfunction()
bmf_library(bmf_shared SHARED ${bmf_object} PRIVATE)
bmf_library(bmf_static STATIC ${bmf_local_object} INTERFACE)
set_target_properties(bmf_shared PROPERTIES EXPORT_NAME bmf LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/libbmf.map)
target_link_options(bmf_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/libbmf.map)
# Both come from one command: one target must run it before the other.
add_dependencies(bmf_static bmf_shared)
add_dependencies(bmf_shared bmf_checked)
