# Build types and compiler flags.
#
#   Release  optimised, with the lines of the sources for debuggers and profilers, without assertions: what users and benchmarks run
#   Debug    not optimised, with assertions and the invariant checks
#   Asan     AddressSanitizer and UndefinedBehaviorSanitizer, with assertions and the lines of the sources only
#   Tsan     ThreadSanitizer, with assertions; compiled by clang, whose OpenMP tells it of threads (docs/threads.md)
#
# Contraction of a * b + c into one rounding is off: it would make results depend on the vector width the loader picks.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Asan or Tsan" FORCE)
endif()

set(CMAKE_C_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_ASAN
    "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined")
# A third of a program would be relocations of what the sanitizers say.
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined -no-pie")
set(CMAKE_SHARED_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
if(CMAKE_BUILD_TYPE STREQUAL Tsan AND NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "Tsan takes clang, -DCMAKE_C_COMPILER=clang: ThreadSanitizer does not see GCC's OpenMP wait")
endif()
set(CMAKE_C_FLAGS_TSAN "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread")
set(CMAKE_EXE_LINKER_FLAGS_TSAN "-fsanitize=thread")
set(CMAKE_SHARED_LINKER_FLAGS_TSAN "-fsanitize=thread")

set(BMF_COMPILE_OPTIONS -Wall -Wextra -Wshadow -Wconversion -Wpedantic -ffp-contract=off)
# GCC 12 takes MPICH's MPI_STATUSES_IGNORE, the address 1, for a mistake unless it is told that low addresses are fine.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  list(APPEND BMF_COMPILE_OPTIONS --param=min-pagesize=0)
else()
  # clang warns of loops marked as simd that it does not vectorise, as none is under sanitizers.
  list(APPEND BMF_COMPILE_OPTIONS -Wno-pass-failed)
endif()
if(BMF_WERROR)
  list(APPEND BMF_COMPILE_OPTIONS -Werror)
endif()
