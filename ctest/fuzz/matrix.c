/* Fuzz target of bit matrices of permutations: what is read is nonsingular and prints as it was. */
#include <stdio.h>
#include <stdlib.h>

#include "ctest/fuzz/fuzz.h"
#include "bmf/permutation.h"
#include "bmf/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    char spec[128];
    bmf_permutation p, again;
    const int bits = bytes[0] % 9;
    snprintf(spec, sizeof spec, "file:%s", file_of(bytes + 1, size - 1));
    int status = bmf_permutation_parse(NULL, bits, spec, &p);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    demand(bmf_bit_matrix_rank(&p.matrix) == bits, "a nonsingular matrix");
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    demand(stream, "memory");
    bmf_permutation_print_matrix(&p, stream);
    fclose(stream);
    snprintf(spec, sizeof spec, "file:%s", file_of((const uint8_t *)text, length));
    demand(bmf_permutation_parse(NULL, bits, spec, &again) == BMF_OK, "a printed matrix is read");
    for (int i = 0; i < bits; i++)
        demand(p.matrix.column[i] == again.matrix.column[i], "a printed matrix is the same");
    free(text);
    return 0;
}
