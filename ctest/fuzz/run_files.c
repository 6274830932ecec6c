/* Runs a fuzz target on every file given as an argument. */
#include <stdio.h>
#include <stdlib.h>

#include "ctest/fuzz/fuzz.h"

enum { MAX_BYTES = 1 << 24 };

int main(int argc, char **argv)
{
    uint8_t *bytes = malloc(MAX_BYTES);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || !bytes) {
            perror(argv[i]);
            return 2;
        }
        size_t size = fread(bytes, 1, MAX_BYTES, file);
        fclose(file);
        fprintf(stderr, "%s\n", argv[i]);  /* the last one shown is the one that crashed */
        uint8_t *exact = malloc(size + 1); /* so that tools see a read beyond the end */
        for (size_t k = 0; exact && k < size; k++)
            exact[k] = bytes[k];
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    free(bytes);
    return argc > 1 ? 0 : 2;
}
