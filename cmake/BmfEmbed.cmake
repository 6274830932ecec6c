# Text files as C strings.
#
# bmf_embed(TARGET NAME FILE...): adds a constant `const char NAME[]` to the target that holds the files one behind the
# other, ended by a zero byte. Made again when a file changes. Run as a script this file makes the C source:
#   cmake -D NAME=.. -D FILES=FILE|FILE.. -D OUTPUT=.. -P BmfEmbed.cmake

if(CMAKE_SCRIPT_MODE_FILE)
  string(REPLACE "|" ";" FILES "${FILES}")
  set(bytes "")
  foreach(file IN LISTS FILES)
    file(READ ${file} hex HEX)
    string(APPEND bytes ${hex})
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
  return()
endif()

set(BMF_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(bmf_embed target name)
  set(paths ${ARGN})
  list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/)
  list(JOIN paths "|" files)
  set(source ${PROJECT_BINARY_DIR}/embed/${name}.c)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D "FILES=${files}" -D OUTPUT=${source} -P ${BMF_EMBED_SCRIPT}
    DEPENDS ${paths} ${BMF_EMBED_SCRIPT}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
