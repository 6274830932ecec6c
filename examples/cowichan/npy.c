/* Matrices in .npy files (version 1 of the format), read and written by rank 0; rows are scattered and gathered. */
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 10, MAX_HEADER = 65535, MAX_ERROR = 400 };

/* A file's elements and shape. */
struct header {
    char type[8]; /* as "<i4" */
    long long rows, columns;
};

static bool read_header(FILE *file, struct header *header)
{
    unsigned char magic[MAGIC_BYTES];
    static char text[MAX_HEADER + 1];
    header->columns = 1;
    if (fread(magic, 1, MAGIC_BYTES, file) != MAGIC_BYTES || memcmp(magic, "\x93NUMPY\x01", 7) != 0)
        return false;
    const size_t length = magic[8] + 256u * magic[9];
    if (fread(text, 1, length, file) != length)
        return false;
    text[length] = '\0';
    const char *const type = strstr(text, "'descr':"), *const shape = strstr(text, "'shape':");
    return type && shape && strstr(text, "'fortran_order': False") &&
           sscanf(type, "'descr': '%7[^']'", header->type) == 1 &&
           sscanf(shape, "'shape': (%lld, %lld", &header->rows, &header->columns) >= 1 && header->rows >= 0 &&
           header->columns >= 1;
}

/* Bytes of an element; 0 if such elements are not read. */
static size_t element_bytes(const char *type, enum kind kind)
{
    if (strcmp(type, "|b1") == 0 || strcmp(type, "|u1") == 0)
        return kind == INTS ? 1 : 0;
    if (strcmp(type, "<i4") == 0)
        return 4;
    if (strcmp(type, "<i8") == 0)
        return kind == INTS ? 8 : 0;
    return strcmp(type, "<f8") == 0 && kind == REALS ? 8 : 0;
}

/* One element from its bytes; false if it does not fit. */
static bool convert(const char *type, const char *bytes, enum kind kind, void *to)
{
    int64_t integer = (unsigned char)bytes[0];
    if (strcmp(type, "<f8") == 0) {
        memcpy(to, bytes, sizeof(double));
        return true;
    }
    if (type[1] == 'i' && type[2] == '4') {
        int32_t value;
        memcpy(&value, bytes, sizeof value);
        integer = value;
    } else if (type[1] == 'i') {
        memcpy(&integer, bytes, sizeof integer);
    }
    if (kind == REALS)
        *(double *)to = (double)integer;
    else
        *(int32_t *)to = (int32_t)integer;
    return kind == REALS || (integer >= INT32_MIN && integer <= INT32_MAX);
}

/* Reads rows x columns elements into memory of its own; NULL and `error` otherwise. */
static void *read_elements(FILE *file, const struct header *header, enum kind kind, char *error)
{
    const int64_t cells = header->rows * header->columns;
    const size_t from = element_bytes(header->type, kind), to = kind == INTS ? sizeof(int32_t) : sizeof(double);
    char *const whole = memory(cells, to);
    for (int64_t i = 0; i < cells; i++) {
        char bytes[8];
        if (fread(bytes, from, 1, file) != 1)
            snprintf(error, MAX_ERROR, "the file ends after %lld of %lld elements", (long long)i, (long long)cells);
        else if (!convert(header->type, bytes, kind, whole + to * (size_t)i))
            snprintf(error, MAX_ERROR, "element %lld does not fit into 32 bits", (long long)i);
        if (error[0] != '\0') {
            free(whole);
            return NULL;
        }
    }
    return whole;
}

static void *read_whole(const char *path, enum kind kind, int columns, struct header *header, char *error)
{
    FILE *const file = fopen(path, "rb");
    void *whole = NULL;
    if (!file) {
        snprintf(error, MAX_ERROR, "%s", strerror(errno));
        return NULL;
    }
    if (!read_header(file, header))
        snprintf(error, MAX_ERROR, "not a .npy file of version 1 with rows one after the other");
    else if (element_bytes(header->type, kind) == 0)
        snprintf(error, MAX_ERROR, "elements of type %s where %s are needed", header->type,
                 kind == INTS ? "ints" : "reals");
    else if (header->rows > INT32_MAX || header->columns > INT32_MAX || header->rows * header->columns > INT32_MAX)
        snprintf(error, MAX_ERROR, "%lld x %lld cells are more than 2147483647", header->rows, header->columns);
    else if (columns == 0 && header->columns != header->rows)
        snprintf(error, MAX_ERROR, "%lld x %lld elements are not a square", header->rows, header->columns);
    else if ((columns != 0 && header->columns != columns) || header->rows == 0)
        snprintf(error, MAX_ERROR, "%lld x %lld elements where rows of %d are needed", header->rows, header->columns,
                 columns);
    else
        whole = read_elements(file, header, kind, error);
    fclose(file);
    return whole;
}

/* A datatype of one row. */
static MPI_Datatype row_type(const struct matrix *matrix)
{
    MPI_Datatype row;
    MPI_Type_contiguous(matrix->columns, matrix->ints ? MPI_INT32_T : MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    return row;
}

static void *local_rows(const struct matrix *matrix)
{
    return matrix->ints ? (void *)matrix->ints : (void *)matrix->reals;
}

struct matrix matrix_read(const struct run *run, const char *path, enum kind kind, int columns)
{
    struct header header = {.rows = 0};
    char error[MAX_ERROR] = "", message[2 * MAX_ERROR] = "";
    void *whole = NULL;
    if (run->rank == 0) {
        whole = read_whole(path, kind, columns, &header, error);
        if (!whole)
            snprintf(message, sizeof message, "%s: %s", path, error);
    }
    fail_if_root(run, 2, message);
    long long shape[2] = {header.rows, header.columns};
    MPI_Bcast(shape, 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    struct matrix matrix = matrix_make(run, shape[0], shape[1], kind);
    MPI_Datatype row = row_type(&matrix);
    MPI_Scatterv(whole, matrix.deal.count, matrix.deal.first, row, local_rows(&matrix), matrix.count, row, 0,
                 MPI_COMM_WORLD);
    MPI_Type_free(&row);
    free(whole);
    return matrix;
}

void *matrix_gather(const struct run *run, const struct matrix *matrix)
{
    const size_t size = matrix->ints ? sizeof(int32_t) : sizeof(double);
    void *const whole = run->rank == 0 ? memory((int64_t)matrix->rows * matrix->columns, size) : NULL;
    MPI_Datatype row = row_type(matrix);
    MPI_Gatherv(local_rows(matrix), matrix->count, row, whole, matrix->deal.count, matrix->deal.first, row, 0,
                MPI_COMM_WORLD);
    MPI_Type_free(&row);
    return whole;
}

static bool write_whole(const char *path, const struct matrix *matrix, const void *whole)
{
    const size_t size = matrix->ints ? sizeof(int32_t) : sizeof(double);
    const size_t cells = (size_t)matrix->rows * (size_t)matrix->columns;
    char text[128] = "";
    unsigned char magic[MAGIC_BYTES] = "\x93NUMPY\x01";
    char shape[40];
    snprintf(shape, sizeof shape, matrix->columns == 1 ? "(%d,)" : "(%d, %d)", matrix->rows, matrix->columns);
    const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                                matrix->ints ? "<i4" : "<f8", shape);
    const int padded = (MAGIC_BYTES + length + 1 + 63) / 64 * 64 - MAGIC_BYTES;
    memset(text + length, ' ', (size_t)(padded - length));
    text[padded - 1] = '\n';
    magic[8] = (unsigned char)padded;
    FILE *const file = fopen(path, "wb");
    if (!file)
        return false;
    const bool written = fwrite(magic, 1, MAGIC_BYTES, file) == MAGIC_BYTES &&
                         fwrite(text, 1, (size_t)padded, file) == (size_t)padded &&
                         fwrite(whole, size, cells, file) == cells;
    return fclose(file) == 0 && written;
}

void matrix_write(const struct run *run, const char *path, const struct matrix *matrix)
{
    char message[MAX_ERROR] = "";
    void *const whole = matrix_gather(run, matrix);
    if (run->rank == 0 && !write_whole(path, matrix, whole))
        snprintf(message, sizeof message, "%s: %s", path, strerror(errno));
    free(whole);
    fail_if_root(run, 1, message);
}
