/* What the fuzz targets share: bytes as a file, and what a refusal must look like. */
#ifndef BMF_FUZZ_H
#define BMF_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry, which every target defines. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Ends the process, which the fuzzer takes for a crash, unless `held`. */
void demand(bool held, const char *what);
/* A failed reader leaves one line without control characters in the process-wide slot, and ends commands with 1 or
 * 2. */
void demand_line(int status);
/* The path of a file with these bytes, until the next call. */
const char *file_of(const uint8_t *bytes, size_t size);

#endif
