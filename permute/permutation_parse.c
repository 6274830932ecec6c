/* Permutations as users name them: SPEC and complement of the command line, and matrix files.
 *
 * A matrix file is N lines of N characters 0 or 1; spaces and tabs at the end of a line and empty lines at the end of
 * the file do not count. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/permutation.h"
#include "permute/gf2.h"

/* Reads up to 4 whole numbers >= 0 separated by commas; returns how many, or -1. */
static int read_numbers(const char *text, uint64_t number[4])
{
    for (int k = 0; k < 4; k++) {
        char *end;
        errno = 0;
        if (*text < '0' || *text > '9')
            return -1;
        number[k] = strtoull(text, &end, 10);
        if (errno)
            return -1;
        if (*end == 0)
            return k + 1;
        if (*end != ',')
            return -1;
        text = end + 1;
    }
    return -1;
}

/* ---- matrix files ---- */

typedef struct matrix_file {
    bmf_context *ctx;
    const char *path;
    FILE *stream;
    int bits, line;
} matrix_file;

static int wrong(const matrix_file *file, int column, const char *what)
{
    return bmf_fail(file->ctx, BMF_ERROR_FILE, "%s:%d:%d: %s; expected %d lines of %d characters 0 or 1", file->path,
                    file->line, column, what, file->bits, file->bits);
}

/* Skips blanks up to the end of the line; returns the first other character. */
static int skip_blanks(matrix_file *file, int *column)
{
    int c;
    while ((c = getc(file->stream)) == ' ' || c == '\t' || c == '\r')
        ++*column;
    return c;
}

static int read_row(matrix_file *file, bmf_bit_matrix *a)
{
    int row = file->line - 1, column = 1;
    for (; column <= file->bits; column++) {
        int c = getc(file->stream);
        if (c == EOF)
            return wrong(file, column, column == 1 ? "too few lines" : "the line is too short");
        if (c == '\n' || c == '\r')
            return wrong(file, column, "the line is too short");
        if (c != '0' && c != '1')
            return wrong(file, column, "neither 0 nor 1");
        a->column[column - 1] |= (uint64_t)(c - '0') << row;
    }
    int c = skip_blanks(file, &column);
    return c == '\n' || c == EOF ? BMF_OK : wrong(file, column, "the line is too long");
}

static int read_rows(matrix_file *file, bmf_bit_matrix *a)
{
    for (file->line = 1; file->line <= file->bits; file->line++)
        BMF_TRY(read_row(file, a));
    for (int c, column = 1; (c = skip_blanks(file, &column)) != EOF; column = 1, file->line++)
        if (c != '\n')
            return wrong(file, column, "too many lines");
    return BMF_OK;
}

static int read_matrix(bmf_context *ctx, const char *path, int bits, bmf_bit_matrix *a)
{
    matrix_file file = {.ctx = ctx, .path = path, .stream = fopen(path, "r"), .bits = bits};
    if (!file.stream)
        return bmf_fail(ctx, BMF_ERROR_FILE, "cannot open '%s': %s", path, strerror(errno));
    *a = (bmf_bit_matrix){.bits = bits};
    int status = read_rows(&file, a);
    if (status != BMF_OK && ferror(file.stream))
        status = bmf_fail(ctx, BMF_ERROR_FILE, "cannot read '%s'", path);
    fclose(file.stream);
    if (status != BMF_OK)
        return status;
    int rank = bmf_bit_matrix_rank(a);
    if (rank < bits)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: the matrix is singular: its rank is %d, not %d", path, rank, bits);
    return BMF_OK;
}

/* ---- SPEC ---- */

typedef struct spec {
    const char *name;
    int numbers;
    int (*make)(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p);
} spec;

static int make_identity(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    (void)ctx;
    (void)number;
    bmf_permutation_identity(bits, p);
    return BMF_OK;
}

static int make_bit_reversal(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    (void)ctx;
    (void)number;
    bmf_permutation_bit_reversal(bits, p);
    return BMF_OK;
}

static int make_gray(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    (void)ctx;
    (void)number;
    bmf_permutation_gray(bits, p);
    return BMF_OK;
}

static int make_inverse_gray(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    (void)ctx;
    (void)number;
    bmf_permutation_inverse_gray(bits, p);
    return BMF_OK;
}

static int make_rotation(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    if (number[0] > (uint64_t)bits)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%" PRIu64 " is more than the %d address bits", number[0], bits);
    bmf_permutation_rotation(bits, (int)number[0], p);
    return BMF_OK;
}

static int make_reblocking(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    uint64_t sum = 0;
    for (int k = 0; k < 4; k++)
        sum += number[k] <= BMF_MAX_BITS ? number[k] : BMF_MAX_BITS + 1;
    if (sum != (uint64_t)bits)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "the groups of reblock must have %d address bits together", bits);
    bmf_permutation_reblocking(bits, (int)number[0], (int)number[1], (int)number[2], p);
    return BMF_OK;
}

static int make_random(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    uint64_t state = number[0];
    (void)ctx;
    *p = (bmf_permutation){.bits = bits};
    bmf_bit_matrix_random(bits, &state, &p->matrix);
    return BMF_OK;
}

static int make_random_bpc(bmf_context *ctx, int bits, const uint64_t number[4], bmf_permutation *p)
{
    uint64_t state = number[0];
    (void)ctx;
    *p = (bmf_permutation){.bits = bits};
    bmf_bit_matrix_random_permutation(bits, &state, &p->matrix);
    return BMF_OK;
}

static const spec specs[] = {
    {"identity", 0, make_identity},  {"bitrev", 0, make_bit_reversal},  {"transpose", 1, make_rotation},
    {"gray", 0, make_gray},          {"invgray", 0, make_inverse_gray}, {"shuffle", 1, make_rotation},
    {"reblock", 4, make_reblocking}, {"random", 1, make_random},        {"randombpc", 1, make_random_bpc}};
enum { SPECS = sizeof specs / sizeof specs[0] };

static const spec *find_spec(const char *text, size_t length)
{
    for (int k = 0; k < SPECS; k++)
        if (strlen(specs[k].name) == length && memcmp(specs[k].name, text, length) == 0)
            return &specs[k];
    return NULL;
}

int bmf_permutation_parse(bmf_context *ctx, int bits, const char *text, bmf_permutation *p)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    uint64_t number[4] = {0};
    if (bits < 0 || bits > BMF_MAX_BITS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "address bits are 0 to %d, not %d", BMF_MAX_BITS, bits);
    if (colon && length == 4 && memcmp(text, "file", 4) == 0) {
        *p = (bmf_permutation){.bits = bits};
        return read_matrix(ctx, colon + 1, bits, &p->matrix);
    }
    const spec *found = find_spec(text, length);
    if (!found)
        return bmf_fail(
            ctx, BMF_ERROR_ARGUMENT,
            "unknown permutation '%s'; known: identity, bitrev, transpose:ROWBITS, gray, invgray, shuffle:K, "
            "reblock:A,B,C,D, random:SEED, randombpc:SEED, file:PATH",
            text);
    if ((colon ? read_numbers(colon + 1, number) : 0) != found->numbers)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "'%s': %s takes %d whole number%s", text, found->name, found->numbers,
                        found->numbers == 1 ? "" : "s");
    return found->make(ctx, bits, number, p);
}

int bmf_permutation_parse_complement(bmf_context *ctx, const char *text, bmf_permutation *p)
{
    const char *digits = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 2 : text;
    size_t length = strlen(digits), used = strspn(digits, "0123456789abcdefABCDEF");
    if (length == 0 || used != length)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "the complement '%s' is not a hexadecimal number", text);
    digits += strspn(digits, "0");
    uint64_t value = strtoull(digits, NULL, 16);
    if (strlen(digits) > 16 || value > low_bits(p->bits))
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "the complement '%s' has more than %d bits", text, p->bits);
    p->complement = value;
    return BMF_OK;
}
