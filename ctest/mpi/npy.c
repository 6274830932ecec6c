/* .npy files in parallel against a serial reader and writer of the test's own.
 *
 * Scalar number i of a file is a function of i, so that every rank can check what it got and rank 0 what was written.
 * Random shapes, processors and partitions; then errors, which every rank must see alike, and the trace.
 */
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf.h"
#include "ctest/support/directory.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

enum { CASES = 80, PATH_SIZE = 512, MAX_SCALAR = 16 };

static bmf_context *ctx;
static char directory[PATH_SIZE];

/* ---- the serial side ---- */

typedef struct array {
    const bmf_type *scalar;
    int dimensions;
    int64_t shape[2]; /* shape[1] = 1 if dimensions is 1 */
} array;

static int64_t int_at(int64_t i)
{
    return (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15U);
}

static double real_at(int64_t i)
{
    return (double)i * 0.1 - 7.0;
}

static uint8_t bool_at(int64_t i)
{
    return (uint8_t)((uint64_t)int_at(i) >> 63);
}

static void put_scalar(const bmf_type *scalar, int64_t i, void *to)
{
    if (scalar == &bmf_type_int)
        memcpy(to, &(int64_t){int_at(i)}, sizeof(int64_t));
    else if (scalar == &bmf_type_real)
        memcpy(to, &(double){real_at(i)}, sizeof(double));
    else if (scalar == &bmf_type_int32)
        memcpy(to, &(int32_t){(int32_t)(int_at(i) >> 32)}, sizeof(int32_t));
    else if (scalar == &bmf_type_float)
        memcpy(to, &(float){(float)real_at(i)}, sizeof(float));
    else if (scalar == &bmf_type_complex)
        memcpy(to, (double[2]){real_at(i), -real_at(i + 1)}, 2 * sizeof(double));
    else
        *(uint8_t *)to = bool_at(i);
}

static const char *descr(const bmf_type *scalar)
{
    return scalar == &bmf_type_int       ? "<i8"
           : scalar == &bmf_type_int32   ? "<i4"
           : scalar == &bmf_type_real    ? "<f8"
           : scalar == &bmf_type_float   ? "<f4"
           : scalar == &bmf_type_complex ? "<c16"
                                         : "|b1";
}

static char *path_of(const char *name)
{
    static char path[4][PATH_SIZE + 32];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* Whether an unfinished file of that name is there. */
static bool is_left(const char *name)
{
    char pattern[PATH_SIZE + 16];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s.*.part", path_of(name));
    const bool is_there = glob(pattern, 0, NULL, &found) == 0;
    globfree(&found);
    return is_there;
}

static void shape_text(const array *of, char text[64])
{
    if (of->dimensions == 1)
        snprintf(text, 64, "(%" PRId64 ",)", of->shape[0]);
    else
        snprintf(text, 64, "(%" PRId64 ", %" PRId64 ")", of->shape[0], of->shape[1]);
}

/* Writes the file on rank 0 in one of several ways that all mean the same. */
static void write_serially(const char *path, const array *of, int version, bool reversed)
{
    char shape[64], text[256];
    shape_text(of, shape);
    if (reversed)
        snprintf(text, sizeof text, "{ 'shape':%s,'fortran_order' :False, \"descr\":\"%s\"}\n", shape,
                 descr(of->scalar));
    else
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }%31s\n", descr(of->scalar),
                 shape, "");
    FILE *file = fopen(path, "wb");
    uint32_t size = (uint32_t)strlen(text);
    fwrite((char[]){(char)0x93, 'N', 'U', 'M', 'P', 'Y', (char)version, 0}, 8, 1, file);
    fwrite(&size, version == 1 ? 2 : 4, 1, file); /* little-endian, as this machine is */
    fwrite(text, size, 1, file);
    for (int64_t i = 0; i < of->shape[0] * of->shape[1]; i++) {
        char scalar[MAX_SCALAR];
        put_scalar(of->scalar, i, scalar);
        fwrite(scalar, (size_t)of->scalar->size, 1, file);
    }
    fclose(file);
}

/* Checks on rank 0 that a file that bmf wrote holds the array, its scalars those of number(i). */
static void check_serially(const char *path, const array *of, int64_t (*number)(int64_t i))
{
    char header[129] = "", shape[64], expected[128];
    FILE *file = fopen(path, "rb");
    if (!CHECK(file, "%s was not written", path))
        return;
    shape_text(of, shape);
    snprintf(expected, sizeof expected, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr(of->scalar),
             shape);
    CHECK(fread(header, 128, 1, file) == 1, "%s: no header", path);
    CHECK(memcmp(header, "\x93NUMPY\x01\x00\x76\x00", 10) == 0 && header[127] == '\n', "%s: a bad header", path);
    CHECK(strncmp(header + 10, expected, strlen(expected)) == 0, "%s: `%s`, not `%s`", path, header + 10, expected);
    int64_t bad = -1, elements = of->shape[0] * of->shape[1];
    for (int64_t i = 0; i < elements && bad < 0; i++) {
        char found[MAX_SCALAR] = "", scalar[MAX_SCALAR];
        put_scalar(of->scalar, number(i), scalar);
        if (fread(found, (size_t)of->scalar->size, 1, file) != 1 ||
            memcmp(found, scalar, (size_t)of->scalar->size) != 0)
            bad = i;
    }
    CHECK(bad < 0, "%s: scalar %" PRId64 " is wrong", path, bad);
    CHECK(fgetc(file) == EOF, "%s: longer than its shape", path);
    fclose(file);
}

static int64_t itself(int64_t i)
{
    return i;
}

static int64_t always_three(int64_t i)
{
    (void)i;
    return 3;
}

/* ---- checks on every rank ---- */

static void check_list(const bmf_list *list, const array *of, const bmf_partition *partition)
{
    bool nested = of->dimensions == 2;
    int64_t begin = bmf_partition_local_begin(partition), count = bmf_partition_local_end(partition) - begin;
    const bmf_column *scalars = nested ? &list->column.child[0] : &list->column;
    CHECK(list->type == (nested ? bmf_type_list(of->scalar) : of->scalar), "the list has another type");
    CHECK(bmf_partition_equal(list->partition, partition), "the list has another partition");
    CHECK(!column_broken(&list->column), "%s", column_broken(&list->column));
    if (!CHECK(list->column.count == count && scalars->count == count * of->shape[1], "the column has another length"))
        return;
    for (int64_t i = 0; nested && i <= count; i++)
        CHECK(list->column.offsets[i] == i * of->shape[1], "row %" PRId64 " starts elsewhere", i);
    int64_t bad = -1;
    for (int64_t i = 0; i < scalars->count && bad < 0; i++) {
        char expected[MAX_SCALAR];
        put_scalar(of->scalar, begin * of->shape[1] + i, expected);
        if (memcmp(expected, (char *)scalars->data + i * scalars->stride, (size_t)of->scalar->size) != 0)
            bad = i;
    }
    CHECK(bad < 0, "local scalar %" PRId64 " of %" PRId64 " is wrong", bad, scalars->count);
}

/* Every rank must fail alike: with this status and the same text, which holds `part`. */
static void check_failed(int status, int expected, const char *part)
{
    char text[BMF_MESSAGE_SIZE];
    CHECK(status == expected, "status %d, not %d", status, expected);
    memcpy(text, bmf_error_text(ctx), sizeof text);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(text, bmf_error_text(ctx)) == 0, "`%s`, but rank 0 says `%s`", bmf_error_text(ctx), text);
    CHECK(strstr(text, part), "`%s` should say `%s`", text, part);
}

/* ---- cases ---- */

static array random_array(uint64_t *seed)
{
    static const bmf_type *const scalar[] = {&bmf_type_int,   &bmf_type_real,  &bmf_type_bool,
                                             &bmf_type_int32, &bmf_type_float, &bmf_type_complex};
    static const int64_t length[] = {0, 1, 3, 17, 1000, 4099};
    array of = {scalar[test_below(seed, 6)], 1 + (int)test_below(seed, 2), {length[test_below(seed, 6)], 1}};
    if (of.dimensions == 2)
        of.shape[1] = test_below(seed, 12);
    return of;
}

/* Parts on every second processor or on one, some of them empty. */
static bmf_partition *random_partition(uint64_t *seed, int64_t length)
{
    bmf_partition *partition;
    int64_t processors = bmf_processors(ctx), parts = (processors + 1) / 2, start[32] = {0};
    if (test_below(seed, 3) == 0) {
        BMF_CHECK(bmf_partition_placed(ctx, test_below(seed, processors), length, &partition));
        return partition;
    }
    for (int64_t k = 1; k <= parts; k++)
        start[k] = k == parts ? length : start[k - 1] + test_below(seed, length - start[k - 1] + 1) / 2;
    BMF_CHECK(bmf_partition_create(ctx, 0, 1, &(bmf_level){parts, 1}, length, start, &partition));
    return partition;
}

/* Reads evenly, writes, reads what was written onto other parts, writes those. */
static void round_trip(uint64_t *seed)
{
    array of = random_array(seed);
    int version = 1 + (int)test_below(seed, 3);
    bool reversed = test_below(seed, 2) == 0;
    char *in = path_of("in.npy"), *out = path_of("out.npy");
    BMF_CHECK(bmf_set_processors(ctx, 1 + test_below(seed, 24)));
    if (bmf_is_root(ctx))
        write_serially(in, &of, version, reversed);
    bmf_barrier(ctx);
    bmf_list *even, *again;
    bmf_partition *partition;
    BMF_CHECK(bmf_partition_even(ctx, of.shape[0], &partition));
    BMF_CHECK(bmf_npy_read(ctx, in, &even));
    check_list(even, &of, partition);
    bmf_partition_release(partition);
    BMF_CHECK(bmf_npy_write(even, out));
    partition = random_partition(seed, of.shape[0]);
    array read_back = of;
    if (of.shape[0] == 0 && of.dimensions == 2)
        read_back.shape[1] = 0; /* no row is left to tell its length */
    BMF_CHECK(bmf_npy_read_parts(ctx, out, partition, &again));
    check_list(again, &read_back, partition);
    if (bmf_is_root(ctx))
        check_serially(out, &read_back, itself);
    bmf_barrier(ctx);
    BMF_CHECK(bmf_npy_write(again, out)); /* over the first */
    if (bmf_is_root(ctx)) {
        check_serially(out, &read_back, itself);
        CHECK(!is_left("out.npy"), "the unfinished file was left behind");
    }
    bmf_barrier(ctx);
    bmf_partition_release(partition);
    bmf_list_free(even);
    bmf_list_free(again);
}

/* The scalar that number i of a file of `from` becomes. */
static void put_converted(const bmf_type *from, const bmf_type *to, int64_t i, void *at)
{
    char scalar[MAX_SCALAR];
    put_scalar(from, i, scalar);
    if (from == to)
        memcpy(at, scalar, (size_t)from->size);
    else if (to == &bmf_type_int)
        *(int64_t *)at = *(int32_t *)(void *)scalar;
    else
        *(double *)at = from == &bmf_type_int32 ? (double)*(int32_t *)(void *)scalar
                        : from == &bmf_type_int ? (double)*(int64_t *)(void *)scalar
                                                : (double)*(float *)(void *)scalar;
}

static void check_converted(const array *of, const bmf_type *to, const bmf_list *list)
{
    bool nested = of->dimensions == 2;
    int64_t begin = bmf_partition_local_begin(list->partition), bad = -1;
    const bmf_column *scalars = nested ? &list->column.child[0] : &list->column;
    CHECK(list->type == (nested ? bmf_type_list(to) : to), "the list has another type");
    CHECK(!column_broken(&list->column), "%s", column_broken(&list->column));
    CHECK(scalars->count == list->column.count * of->shape[1], "the column has another length");
    for (int64_t i = 0; i < scalars->count && bad < 0; i++) {
        char expected[MAX_SCALAR];
        put_converted(of->scalar, to, begin * of->shape[1] + i, expected);
        if (memcmp(expected, (char *)scalars->data + i * scalars->stride, (size_t)to->size) != 0)
            bad = i;
    }
    CHECK(bad < 0, "converted scalar %" PRId64 " of %" PRId64 " is wrong", bad, scalars->count);
}

static void test_conversion(uint64_t *seed)
{
    static const bmf_type *const pairs[][2] = {{&bmf_type_int32, &bmf_type_int},
                                               {&bmf_type_int32, &bmf_type_real},
                                               {&bmf_type_int, &bmf_type_real},
                                               {&bmf_type_float, &bmf_type_real},
                                               {&bmf_type_complex, &bmf_type_complex}};
    for (int c = 0; c < 20; c++) {
        array of = random_array(seed);
        of.scalar = pairs[c % 5][0];
        bmf_list *list;
        bmf_partition *partition = test_below(seed, 2) ? random_partition(seed, of.shape[0]) : NULL;
        if (bmf_is_root(ctx))
            write_serially(path_of("in.npy"), &of, 1, false);
        bmf_barrier(ctx);
        BMF_CHECK(bmf_npy_read_as(ctx, path_of("in.npy"), pairs[c % 5][1], partition, &list));
        CHECK(!partition || bmf_partition_equal(list->partition, partition), "the list has another partition");
        CHECK(bmf_length(list) == of.shape[0], "the list has another length");
        check_converted(&of, pairs[c % 5][1], list);
        bmf_list_free(list);
        if (partition)
            bmf_partition_release(partition);
        bmf_barrier(ctx);
    }
}

static void test_refused_conversions(void)
{
    const array of = {&bmf_type_complex, 1, {10, 1}};
    bmf_list *list = NULL;
    if (bmf_is_root(ctx))
        write_serially(path_of("in.npy"), &of, 1, false);
    bmf_barrier(ctx);
    check_failed(bmf_npy_read_as(ctx, path_of("in.npy"), &bmf_type_real, NULL, &list), BMF_ERROR_TYPE,
                 "in.npy: cannot read complex128 as real");
    check_failed(bmf_npy_read_as(ctx, path_of("in.npy"), bmf_type_list(&bmf_type_int), NULL, &list), BMF_ERROR_TYPE,
                 "in.npy: cannot read complex128 as [int]");
    CHECK(!list, "a list was made");
    bmf_barrier(ctx);
}

static void test_header(void)
{
    const array of = {&bmf_type_real, 2, {30, 4}};
    if (bmf_is_root(ctx))
        write_serially(path_of("in.npy"), &of, 1, false);
    bmf_barrier(ctx);
    bmf_npy_header header = {0};
    BMF_CHECK(bmf_npy_header_read(ctx, path_of("in.npy"), &header));
    CHECK(header.scalar == of.scalar && header.dimensions == 2 && header.shape[0] == 30 && header.shape[1] == 4,
          "the header says something else");
    struct stat about;
    CHECK(stat(path_of("in.npy"), &about) == 0 && header.data_offset == about.st_size - 30 * 4 * 8,
          "the data does not start at byte %" PRId64, header.data_offset);
    bmf_barrier(ctx);
}

/* A list whose column is one value for all its elements: more than fit the block it is written with. */
static void test_broadcast(void)
{
    const array of = {&bmf_type_real, 1, {1200000, 1}};
    bmf_partition *partition;
    bmf_column column;
    bmf_list *list;
    BMF_CHECK(bmf_partition_even(ctx, of.shape[0], &partition));
    BMF_CHECK(column_create(of.scalar, 1, &column));
    put_scalar(of.scalar, 3, column.data);
    column.stride = 0;
    column.count = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    list_adopt(ctx, partition, &column, &list);
    BMF_CHECK(bmf_npy_write(list, path_of("broadcast.npy")));
    if (bmf_is_root(ctx))
        check_serially(path_of("broadcast.npy"), &of, always_three);
    bmf_list_free(list);
    bmf_partition_release(partition);
}

/* Rows of length 2, but row `odd` has 3. */
static bmf_list *ragged_list(int64_t rows, int64_t odd)
{
    bmf_partition *partition;
    bmf_column column;
    bmf_list *list;
    BMF_CHECK(bmf_partition_even(ctx, rows, &partition));
    int64_t begin = bmf_partition_local_begin(partition), count = bmf_partition_local_end(partition) - begin;
    int64_t extra = odd >= begin && odd < begin + count;
    BMF_CHECK(column_create_list(bmf_type_list(&bmf_type_int), count, 2 * count + extra, &column));
    for (int64_t i = 0; i <= count; i++)
        column.offsets[i] = 2 * i + (begin + i > odd && begin <= odd);
    for (int64_t i = 0; i < 2 * count + extra; i++)
        ((int64_t *)column.child[0].data)[i] = i;
    list_adopt(ctx, partition, &column, &list);
    bmf_partition_release(partition);
    return list;
}

static void test_ragged_rows(void)
{
    for (int64_t odd = 1; odd < 20; odd += 6) {
        char text[64];
        bmf_list *list = ragged_list(20, odd);
        snprintf(text, sizeof text, "row %" PRId64 " has 3 elements, row 0 has 2", odd);
        check_failed(bmf_npy_write(list, path_of("ragged.npy")), BMF_ERROR_SHAPE, text);
        bmf_list_free(list);
    }
    bmf_list *first = ragged_list(20, 0);
    check_failed(bmf_npy_write(first, path_of("ragged.npy")), BMF_ERROR_SHAPE, "row 1 has 2 elements, row 0 has 3");
    bmf_list_free(first);
    CHECK(!exists(path_of("ragged.npy")) && !is_left("ragged.npy"), "a file was left behind");
}

/* A list of pairs as a structure, and the structure as structs in C. */
static void test_structures(void)
{
    typedef struct item {
        int64_t number;
        double real;
    } item;
    bmf_list *list, *items;
    bmf_partition *partition;
    const int64_t count = 1234;
    BMF_CHECK(bmf_partition_even(ctx, count, &partition));
    BMF_CHECK(bmf_list_create(ctx, bmf_type_pair(&bmf_type_int, &bmf_type_real), partition, &list));
    const int64_t begin = bmf_list_local_begin(list), end = bmf_list_local_end(list);
    for (int64_t i = begin; i < end; i++) {
        ((int64_t *)bmf_list_data_writable(list, 0))[i - begin] = int_at(i);
        ((double *)bmf_list_data_writable(list, 1))[i - begin] = real_at(i);
    }
    BMF_CHECK(bmf_npy_write(list, path_of("items.npy")));
    BMF_CHECK(bmf_npy_read_as(ctx, path_of("items.npy"), bmf_type_struct(sizeof(item), "item"), NULL, &items));
    int64_t stride;
    const item *read = bmf_list_data(items, 0, &stride);
    bool equal = bmf_length(items) == count && (begin == end || stride == sizeof(item));
    for (int64_t i = begin; i < end && equal; i++)
        equal = read[i - begin].number == int_at(i) && read[i - begin].real == real_at(i);
    CHECK(equal, "structures of %" PRId64 " items", count);
    check_failed(bmf_npy_read_as(ctx, path_of("items.npy"), bmf_type_struct(24, "body"), NULL, &items), BMF_ERROR_TYPE,
                 "cannot read {int, real} as body");
    bmf_list_free(items);
    bmf_list_free(list);
    bmf_partition_release(partition);
    remove(path_of("items.npy"));
}

static void test_wrong_types(void)
{
    bmf_list *list;
    bmf_partition *partition;
    BMF_CHECK(bmf_partition_even(ctx, 10, &partition));
    BMF_CHECK(bmf_list_create(ctx, bmf_type_struct(24, "body"), partition, &list));
    check_failed(bmf_npy_write(list, path_of("body.npy")), BMF_ERROR_TYPE, "cannot write [body] as .npy");
    CHECK(!exists(path_of("body.npy")), "a file was written");
    bmf_list_free(list);
    bmf_partition_release(partition);
}

static void test_wrong_partition(void)
{
    const array of = {&bmf_type_int, 1, {10, 1}};
    bmf_partition *partition;
    bmf_list *list = NULL;
    if (bmf_is_root(ctx))
        write_serially(path_of("in.npy"), &of, 1, false);
    bmf_barrier(ctx);
    BMF_CHECK(bmf_partition_even(ctx, 11, &partition));
    check_failed(bmf_npy_read_parts(ctx, path_of("in.npy"), partition, &list), BMF_ERROR_SHAPE,
                 "10 elements for a partition of 11");
    CHECK(!list, "a list was made");
    bmf_partition_release(partition);
}

/* A bad byte that only one rank reads must reach all, and the first of several must win. */
static void test_bad_bytes(void)
{
    const array of = {&bmf_type_bool, 1, {1000, 1}};
    for (int64_t at = 0; at < 1000; at += 333) {
        char text[64];
        bmf_list *list = NULL;
        if (bmf_is_root(ctx)) {
            write_serially(path_of("in.npy"), &of, 1, false);
            FILE *file = fopen(path_of("in.npy"), "r+b");
            fseek(file, at - 1000, SEEK_END);
            fputc(2, file);
            fseek(file, -1, SEEK_END);
            fputc(255, file);
            fclose(file);
        }
        bmf_barrier(ctx);
        snprintf(text, sizeof text, "scalar %" PRId64 " is byte %d", at, at == 999 ? 255 : 2);
        check_failed(bmf_npy_read(ctx, path_of("in.npy"), &list), BMF_ERROR_FILE, text);
        CHECK(!list, "a list was made");
        bmf_barrier(ctx);
    }
}

/* A rank that cannot write all its bytes: nobody hangs, the old file stays, the unfinished one goes. */
static void test_full_disk(void)
{
    const array small = {&bmf_type_int, 1, {10, 1}}, large = {&bmf_type_int, 1, {4 << 20, 1}};
    struct rlimit before, limit;
    bmf_partition *partition;
    bmf_list *list;
    if (bmf_is_root(ctx))
        write_serially(path_of("kept.npy"), &small, 1, false);
    BMF_CHECK(bmf_partition_even(ctx, large.shape[0], &partition));
    BMF_CHECK(bmf_list_create(ctx, large.scalar, partition, &list));
    if (list->column.count > 0)
        memset(list->column.data, 0, (size_t)list->column.count * sizeof(int64_t));
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 20 << 20; /* the last ranks' parts of the 32 MiB lie beyond */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    int status = bmf_npy_write(list, path_of("kept.npy"));
    setrlimit(RLIMIT_FSIZE, &before);
    check_failed(status, BMF_ERROR_FILE, "kept.npy: cannot write at byte ");
    CHECK(!is_left("kept.npy"), "the unfinished file was left behind");
    bmf_list_free(list);
    bmf_partition_release(partition);
    BMF_CHECK(bmf_npy_read(ctx, path_of("kept.npy"), &list));
    CHECK(bmf_length(list) == 10, "the old file is not what it was");
    bmf_list_free(list);
}

static void test_trace(void)
{
    const array of = {&bmf_type_real, 2, {100, 3}};
    bmf_list *list;
    if (bmf_is_root(ctx))
        write_serially(path_of("in.npy"), &of, 1, false);
    bmf_barrier(ctx);
    ctx->run = run_create("mpi_npy", "here", (int32_t)bmf_processors(ctx), bmf_ranks(ctx), bmf_threads(ctx));
    int64_t begin = context_now(ctx);
    BMF_CHECK(bmf_npy_read(ctx, path_of("in.npy"), &list));
    BMF_CHECK(bmf_npy_write(list, path_of("out.npy")));
    int64_t end = context_now(ctx), files = 0;
    for (int64_t e = 0; e < ctx->run->events; e++) {
        const bmf_event *event = &ctx->run->event[e];
        if (event->kind != BMF_EVENT_FILE)
            continue;
        int64_t part = event->lane - list->partition->base; /* even: part k on processor k */
        files++;
        CHECK(is_local(ctx, event->lane), "lane %d belongs to another rank", event->lane);
        CHECK(event->amount == (list->partition->start[part + 1] - list->partition->start[part]) * 24,
              "lane %d: %" PRId64 " bytes", event->lane, event->amount);
        CHECK(begin <= event->begin && event->begin <= event->end && event->end <= end, "a time outside the call");
        CHECK(event->node != 0, "the event belongs to no call");
    }
    CHECK(files == 2 * ctx->local_processors, "%" PRId64 " file events on %" PRId64 " lanes", files,
          ctx->local_processors);
    run_free(ctx->run);
    ctx->run = NULL;
    bmf_list_free(list);
}

/* ---- the program ---- */

static void make_directory(void)
{
    test_directory("mpi_npy", directory);
    BMF_CHECK(directory[0] != '\0' ? BMF_OK : bmf_fail(ctx, BMF_ERROR_FILE, "no temporary directory"));
}

static void remove_directory(void)
{
    static const char *const name[] = {"in.npy", "out.npy", "broadcast.npy", "kept.npy"};
    bmf_barrier(ctx);
    if (!bmf_is_root(ctx))
        return;
    for (size_t k = 0; k < sizeof name / sizeof name[0]; k++)
        remove(path_of(name[k]));
    CHECK(rmdir(directory) == 0, "%s holds files that nobody should have made", directory);
}

int main(int argc, char **argv)
{
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    if (bmf_is_root(ctx))
        printf("seed %" PRIu64 "\n", seed);
    make_directory();
    for (int c = 0; c < CASES; c++)
        round_trip(&seed);
    BMF_CHECK(bmf_set_processors(ctx, 13));
    test_conversion(&seed);
    test_refused_conversions();
    test_header();
    test_broadcast();
    test_ragged_rows();
    test_structures();
    test_wrong_types();
    test_wrong_partition();
    test_bad_bytes();
    test_full_disk();
    test_trace();
    remove_directory();
    int failed = test_finish();
    return bmf_close(ctx) != 0 || failed;
}
