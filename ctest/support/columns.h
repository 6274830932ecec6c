/* What the tests of moving skeletons share: random columns that every rank has whole, lists made of them, and checks of
 * lists against them. */
#ifndef BMF_TEST_COLUMNS_H
#define BMF_TEST_COLUMNS_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmf.h"
#include "ctest/support/testing.h"
#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

static uint64_t seed = 2024;

/* ---- random elements, the same on every rank ---- */

static inline int64_t below(int64_t limit)
{
    return test_below(&seed, limit);
}

typedef struct bytes {
    char *data;
    int64_t used, capacity;
} bytes;

static inline void append(bytes *to, const void *from, int64_t size)
{
    if (to->used + size > to->capacity) {
        to->capacity = 2 * (to->used + size);
        to->data = realloc(to->data, (size_t)to->capacity);
    }
    if (size > 0)
        memcpy(to->data + to->used, from, (size_t)size);
    to->used += size;
}

/* Packed as column_pack describes: a list's lengths before its children, a tuple's components one by one. */
static inline void append_random(bytes *to, const bmf_type *type, int64_t count)
{
    int64_t children = 0;
    for (int k = 0; type->kind == BMF_TUPLE && k < type->components; k++)
        append_random(to, type->component[k], count);
    for (int64_t i = 0; i < count && type->kind == BMF_LIST; i++) {
        int64_t length = below(4);
        children += length;
        append(to, &length, sizeof length);
    }
    if (type->kind == BMF_LIST)
        append_random(to, type->component[0], children);
    for (int64_t i = 0; i < count && type->components == 0; i++) {
        double real = random_unit(&seed);
        if (type->kind == BMF_REAL)
            append(to, &real, sizeof real);
        for (int64_t b = 0; b < type->size && type->kind != BMF_REAL; b++) {
            char value = (char)below(type->kind == BMF_BOOL ? 2 : 100);
            append(to, &value, 1);
        }
    }
}

static inline bmf_column random_column(const bmf_type *type, int64_t count)
{
    bytes packed = {malloc(16), 0, 16};
    bmf_column column;
    bmf_column_builder *builder = column_builder_create(type);
    append_random(&packed, type, count);
    column_builder_append(builder, packed.data, count);
    CHECK(column_builder_finish(builder, &column) == BMF_OK, "random column");
    free(packed.data);
    return column;
}

enum { TYPES = 13 };

static inline const bmf_type *type_number(int number)
{
    const bmf_type *struct12 = bmf_type_struct(12, "twelve");
    const bmf_type *ints = bmf_type_list(&bmf_type_int), *bools = bmf_type_list(&bmf_type_bool);
    switch (number) {
    case 0:
        return bmf_type_intern(&bmf_type_int);
    case 1:
        return bmf_type_intern(&bmf_type_real);
    case 2:
        return bmf_type_intern(&bmf_type_bool);
    case 3:
        return struct12;
    case 4:
        return bmf_type_pair(&bmf_type_int, bmf_type_pair(&bmf_type_bool, struct12));
    case 5:
        return ints;
    case 6:
        return bmf_type_pair(&bmf_type_bool, bmf_type_list(&bmf_type_real));
    case 7:
        return bmf_type_list(ints);
    case 8:
        return bmf_type_list(bmf_type_pair(&bmf_type_real, bools));
    case 9:
        return &bmf_type_int32;
    case 10:
        return &bmf_type_complex;
    case 11:
        return bmf_type_pair(&bmf_type_bool, bmf_type_pair(&bmf_type_float, &bmf_type_complex));
    default:
        return bmf_type_list(bmf_type_pair(&bmf_type_int32, bmf_type_list(&bmf_type_float)));
    }
}

/* ---- lists and what they should be ---- */

/* Elements of a whole column on a partition. */
static inline bmf_list *list_of(bmf_context *ctx, const bmf_column *whole, bmf_partition *partition)
{
    bmf_column column;
    bmf_list *list;
    bmf_column_builder *builder = column_builder_create(whole->type);
    column_builder_copy(builder, whole, bmf_partition_local_begin(partition), bmf_partition_local_end(partition));
    CHECK(column_builder_finish(builder, &column) == BMF_OK, "local column");
    list_adopt(ctx, partition, &column, &list);
    return list;
}

static inline bmf_list *placed_list(bmf_context *ctx, const bmf_column *whole, int64_t processor)
{
    bmf_partition *partition;
    BMF_CHECK(bmf_partition_placed(ctx, processor, whole->count, &partition));
    bmf_list *list = list_of(ctx, whole, partition);
    bmf_partition_release(partition);
    return list;
}

static inline bool same_element(const bmf_column *a, int64_t i, const bmf_column *b, int64_t j)
{
    int64_t size = column_packed_bytes(a, i, i + 1);
    if (size != column_packed_bytes(b, j, j + 1))
        return false;
    char *x = malloc((size_t)size + 1), *y = malloc((size_t)size + 1);
    column_pack(a, i, i + 1, x);
    column_pack(b, j, j + 1, y);
    bool same = memcmp(x, y, (size_t)size) == 0;
    free(x);
    free(y);
    return same;
}

/* Every local element i is element order[i] of the whole column (i if order is NULL). */
static inline void expect_elements(const bmf_list *list, const bmf_column *whole, const int64_t *order,
                                   const char *what)
{
    char text[256];
    int64_t begin = bmf_partition_local_begin(list->partition);
    bmf_list_print(list, text, sizeof text);
    CHECK(list->type == whole->type, "%s: %s", what, text);
    CHECK(list->column.count == bmf_partition_local_end(list->partition) - begin, "%s: %s", what, text);
    CHECK(!column_broken(&list->column), "%s: %s: %s", what, text, column_broken(&list->column));
    CHECK(!partition_broken(list->context, list->partition), "%s: %s", what, text);
    for (int64_t i = 0; i < list->column.count; i++)
        if (!CHECK(same_element(&list->column, i, whole, order ? order[begin + i] : begin + i),
                   "%s: %s: element %" PRId64, what, text, begin + i))
            break;
}

static inline bmf_partition *random_partition(bmf_context *ctx, int64_t length)
{
    int64_t processors = bmf_processors(ctx);
    bmf_level level = {1, (int)below(2)};
    int64_t base = below(processors);
    level.count = 1 + below(((processors - 1 - base) >> level.log2_stride) + 1);
    int levels = below(4) > 0;
    int64_t parts = levels ? level.count : 1, *start = malloc((size_t)(parts + 1) * sizeof *start);
    for (int64_t k = 1; k < parts; k++)
        start[k] = below(length + 1);
    start[0] = 0;
    start[parts] = length;
    for (int64_t k = 1; k < parts; k++) /* insertion sort */
        for (int64_t j = k; j > 1 && start[j] < start[j - 1]; j--) {
            int64_t swap = start[j];
            start[j] = start[j - 1];
            start[j - 1] = swap;
        }
    bmf_partition *partition;
    BMF_CHECK(bmf_partition_create(ctx, base, levels, &level, length, start, &partition));
    free(start);
    return partition;
}

/* Counted messages and bytes of all ranks since the last call. */
static inline bmf_statistics moved(bmf_context *ctx)
{
    static bmf_statistics before;
    bmf_statistics now, difference;
    bmf_total_statistics(ctx, &now);
    difference.messages = now.messages - before.messages;
    difference.bytes = now.bytes - before.bytes;
    before = now;
    return difference;
}

#endif
