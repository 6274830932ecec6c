/* make_addresses F BITS: a .npy file of 2^BITS ints, each its own address.
 * make_addresses F BITS SPEC COMPLEMENT: checks that F is such a file permuted; prints the first wrong address. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bmf/permutation.h"
#include "runtime/files/npy_part.h"

enum { BLOCK = 1 << 16 };

static int64_t block[BLOCK];

static bool write_all(int file, int64_t count)
{
    char header[NPY_HEADER_SIZE];
    npy_print_header(&(bmf_npy_header){&bmf_type_int, 1, {count, 1}, NPY_HEADER_SIZE}, header);
    bool right = write(file, header, sizeof header) == (ssize_t)sizeof header;
    for (int64_t first = 0; right && first < count; first += BLOCK) {
        const int64_t size = count - first < BLOCK ? count - first : BLOCK;
        for (int64_t k = 0; k < size; k++)
            block[k] = first + k;
        right = write(file, block, (size_t)size * sizeof *block) == size * (ssize_t)sizeof *block;
    }
    return right;
}

static bool check_all(int file, int64_t count, const bmf_permutation *p)
{
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t size = count - first < BLOCK ? count - first : BLOCK;
        if (pread(file, block, (size_t)size * sizeof *block, NPY_HEADER_SIZE + 8 * first) != 8 * size)
            return false;
        for (int64_t k = 0; k < size; k++)
            if (block[k] < 0 || block[k] >= count ||
                bmf_permutation_apply(p, (uint64_t)block[k]) != (uint64_t)(first + k)) {
                printf("address %" PRId64 " has element %" PRId64 "\n", first + k, block[k]);
                return false;
            }
    }
    return true;
}

int main(int argc, char **argv)
{
    bmf_permutation p;
    if (argc != 3 && argc != 5)
        return 2;
    const int bits = atoi(argv[2]);
    const int file = argc == 3 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666) : open(argv[1], O_RDONLY);
    if (file < 0 || bits < 0 || bits > 40)
        return 2;
    if (argc == 3)
        return write_all(file, INT64_C(1) << bits) && close(file) == 0 ? 0 : 1;
    if (bmf_permutation_parse(NULL, bits, argv[3], &p) != BMF_OK ||
        bmf_permutation_parse_complement(NULL, argv[4], &p) != BMF_OK)
        return 2;
    return check_all(file, INT64_C(1) << bits, &p) ? 0 : 1;
}
