/* Records of elements: one pass each way. */
#include "skeletons/sort/elements.h"

#include <stdlib.h>

typedef struct conversion {
    const bmf_records *records;
    const bmf_column *column;
    const bmf_type *type;
    bmf_numbering numbering;
    int64_t first;
    char *to;
} conversion;

static int make(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const conversion *c = state;
    uint64_t *record = records_at(c->records, piece->part, piece->begin);
    const bool numbers = c->numbering != BMF_NUMBERS_NONE;
    const int64_t zero = c->numbering == BMF_NUMBERS_INSIDE ? -c->records->start[piece->part] : c->first;
    (void)index, (void)worker;
    order_keys(c->column, piece->begin, piece->end - piece->begin, numbers, record, c->records->words);
    for (int64_t i = piece->begin; i < piece->end && numbers; i++)
        record[2 * (i - piece->begin) + 1] = (uint64_t)(zero + i);
    return 0;
}

static int read(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const conversion *c = state;
    const uint64_t *record = records_at(c->records, piece->part, piece->begin);
    const int64_t count = piece->end - piece->begin;
    (void)index, (void)worker;
    if (c->numbering == BMF_NUMBERS_NONE) {
        order_elements(c->type, record, count, c->to + piece->begin * c->type->size);
        return 0;
    }
    int64_t *number = (int64_t *)(void *)c->to + piece->begin;
    for (int64_t i = 0; i < count; i++)
        number[i] = (int64_t)record[2 * i + 1];
    return 0;
}

static int convert(conversion *c, bmf_records *records, const bmf_records_kernel *kernel)
{
    bmf_piece *piece;
    int64_t pieces;
    records_cut(records, &piece, &pieces);
    const int status = records_compute(records, kernel, piece, pieces, c);
    free(piece);
    return status;
}

int records_make(bmf_records *records, const bmf_column *column, bmf_numbering numbering, int64_t first)
{
    const bmf_records_kernel kernel = {
        "sort keys", {.operations = 3, .read = column->type->size, .written = 8 * records->words}, make, false};
    conversion c = {.records = records, .column = column, .numbering = numbering, .first = first};
    return convert(&c, records, &kernel);
}

int records_read(bmf_records *records, const bmf_type *type, bmf_numbering numbering, void *to)
{
    const bmf_records_kernel kernel = {
        "sort elements", {.operations = 3, .read = 8 * records->words, .written = type->size}, read, false};
    conversion c = {.records = records, .type = type, .numbering = numbering, .to = to};
    return convert(&c, records, &kernel);
}
