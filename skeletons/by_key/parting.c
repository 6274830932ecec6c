/* Elements parted by the bands of their keys; see parting.h.
 *
 * Method: workers count how many elements of a piece each band has, and then write the elements to where those counts
 * say. A parting with more bands than elements is one piece, and sorted by merging: it has no room for counts.
 * Cost: keys are read twice, values once; what is written goes to up to a few hundred places in turn. */
#include "skeletons/by_key/parting.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/scalar_size.h"
#include "skeletons/sort/radix.h"

enum { SHARE = 8192 /* elements of a worker, at least */ };

struct bmf_parted_work {
    bmf_piece *piece;
    int64_t pieces;
    int64_t *parting; /* of every piece */
    int64_t **place;  /* by piece and band: counts, then the next element; NULL: of a parting that is sorted */
    int64_t *bad;     /* by piece: an element, or -1 */
    bmf_slice value[BMF_MAX_LEAVES];
};
typedef struct bmf_parted_work work;

static bool is_sorted(const bmf_parting *parting)
{
    return parting->cut->members * parting->cut->bands > parting->end - parting->begin;
}

static int64_t local_begin(const bmf_by_key *by)
{
    return bmf_partition_local_begin(by->values->partition);
}

/* ---- counting ---- */

/* The key of an element; *stride: from one to the next. */
static const char *key_at(const bmf_by_key *by, int64_t element, int64_t *stride)
{
    *stride = by->keys->column.stride;
    return (const char *)by->keys->column.data + (element - local_begin(by)) * *stride;
}

/* Returns the number of the first element whose key is out of range, or -1. */
static int64_t count_bands(const bmf_by_key *by, const bmf_key_cut *cut, int64_t begin, int64_t end, int64_t *count)
{
    int64_t stride, inside;
    const char *key = key_at(by, begin, &stride);
    for (int64_t i = begin; i < end; i++, key += stride) {
        const int64_t k = *(const int64_t *)(const void *)key;
        if ((uint64_t)k >= (uint64_t)cut->count)
            return i;
        count[key_cut_find(cut, k, &inside)]++;
    }
    return -1;
}

/* The same of a parting that is sorted: {band, element}. */
static int64_t sort_bands(const bmf_by_key *by, bmf_parting *parting)
{
    const int64_t elements = parting->end - parting->begin;
    uint64_t *room[2] = {allocate(16 * elements), allocate(16 * elements)};
    int64_t stride, inside;
    const char *key = key_at(by, parting->begin, &stride);
    for (int64_t i = 0; i < elements; i++, key += stride) {
        const int64_t k = *(const int64_t *)(const void *)key;
        if ((uint64_t)k >= (uint64_t)parting->cut->count) {
            free(room[0]);
            free(room[1]);
            return parting->begin + i;
        }
        room[0][2 * i] = (uint64_t)key_cut_find(parting->cut, k, &inside);
        room[0][2 * i + 1] = (uint64_t)(parting->begin + i);
    }
    const int sorted = records_merge_sort(room[0], room[1], elements);
    parting->order = room[sorted];
    free(room[!sorted]);
    return -1;
}

static int count_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const bmf_parted *parted = state;
    const work *w = parted->work;
    bmf_parting *parting = &parted->parting[w->parting[index]];
    (void)worker;
    w->bad[index] = w->place[index] ? count_bands(parted->by, parting->cut, piece->begin, piece->end, w->place[index])
                                    : sort_bands(parted->by, parting);
    return 0;
}

/* ---- where bands begin ---- */

static void add_band(bmf_parting *parting, int64_t band, int64_t begin, int64_t count)
{
    if (count > 0)
        parting->band[parting->bands++] = (bmf_band){band, begin, count};
}

/* Counts of the pieces [first, next) become places, band by band. */
static void place_bands(const work *w, int64_t first, int64_t next, bmf_parting *parting, int64_t at)
{
    const int64_t bands = parting->cut->members * parting->cut->bands;
    parting->band = allocate_array(bands, (int64_t)sizeof *parting->band);
    for (int64_t b = 0; b < bands; b++) {
        const int64_t begin = at;
        for (int64_t i = first; i < next; i++) {
            const int64_t count = w->place[i][b];
            w->place[i][b] = at;
            at += count;
        }
        add_band(parting, b, begin, at - begin);
    }
}

static void list_sorted(bmf_parting *parting, int64_t at)
{
    const int64_t elements = parting->end - parting->begin;
    parting->band = allocate_array(elements, (int64_t)sizeof *parting->band);
    for (int64_t i = 0, next; i < elements; i = next) {
        for (next = i + 1; next < elements && parting->order[2 * next] == parting->order[2 * i];)
            next++;
        add_band(parting, (int64_t)parting->order[2 * i], at + i, next - i);
    }
}

static void place_all(const bmf_parted *parted)
{
    const work *w = parted->work;
    int64_t at = 0;
    for (int64_t i = 0, next; i < w->pieces; i = next) {
        bmf_parting *parting = &parted->parting[w->parting[i]];
        for (next = i + 1; next < w->pieces && w->parting[next] == w->parting[i];)
            next++;
        if (w->place[i])
            place_bands(w, i, next, parting, at);
        else
            list_sorted(parting, at);
        at += parting->end - parting->begin;
    }
}

/* ---- writing ---- */

static void put_key(const bmf_parted *parted, int64_t at, int64_t inside)
{
    if (parted->key_bytes == 2)
        ((uint16_t *)parted->keys->data)[at] = (uint16_t)inside;
    else if (parted->key_bytes == 4)
        ((uint32_t *)parted->keys->data)[at] = (uint32_t)inside;
    else
        ((int64_t *)parted->keys->data)[at] = inside;
}

#define PUT_KEYS(type)                                                                                                 \
    do {                                                                                                               \
        type *const to = parted->keys->data;                                                                           \
        for (int64_t i = 0; i < count; i++, key += stride) {                                                           \
            at[i] = place[key_cut_find(cut, *(const int64_t *)(const void *)key, &inside)]++;                          \
            to[at[i]] = (type)inside;                                                                                  \
        }                                                                                                              \
    } while (0)

#define PUT_LEAF(size)                                                                                                 \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(to + at[i] * (size), from + i * stride, (size_t)(size))

static void put_leaf(const bmf_slice *leaf, int64_t size, int64_t first, int64_t count, const int64_t *at, char *to)
{
    const int64_t stride = leaf->stride;
    const char *from = (const char *)leaf->data + first * stride;
    WITH_SCALAR_SIZE(size, PUT_LEAF);
}

/* Elements [begin, end), whose next places by band are known. */
static void put_elements(const bmf_parted *parted, const bmf_key_cut *cut, int64_t begin, int64_t end, int64_t *place)
{
    const bmf_by_key *by = parted->by;
    int64_t at[BMF_BLOCK], stride, inside;
    for (int64_t first = begin, count; first < end; first += count) {
        count = end - first < BMF_BLOCK ? end - first : BMF_BLOCK;
        const char *key = key_at(by, first, &stride);
        if (parted->key_bytes == 2)
            PUT_KEYS(uint16_t);
        else if (parted->key_bytes == 4)
            PUT_KEYS(uint32_t);
        else
            PUT_KEYS(int64_t);
        for (int k = 0; k < by->entry.leaves; k++)
            put_leaf(&parted->work->value[k], by->entry.leaf_size[k], first - local_begin(by), count, at,
                     parted->leaf[k]->data);
    }
}

/* Those of a parting that is sorted, one by one. */
static void put_sorted(const bmf_parted *parted, const bmf_parting *parting)
{
    const bmf_by_key *by = parted->by;
    const int64_t elements = parting->end - parting->begin, first = elements > 0 ? parting->band[0].begin : 0;
    for (int64_t i = 0; i < elements; i++) {
        const int64_t element = (int64_t)parting->order[2 * i + 1], at = first + i;
        int64_t stride, inside;
        key_cut_find(parting->cut, *(const int64_t *)(const void *)key_at(by, element, &stride), &inside);
        put_key(parted, at, inside);
        for (int k = 0; k < by->entry.leaves; k++)
            put_leaf(&parted->work->value[k], by->entry.leaf_size[k], element - local_begin(by), 1, &at,
                     parted->leaf[k]->data);
    }
}

static int fill_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const bmf_parted *parted = state;
    const work *w = parted->work;
    const bmf_parting *parting = &parted->parting[w->parting[index]];
    (void)worker;
    if (w->place[index])
        put_elements(parted, parting->cut, piece->begin, piece->end, w->place[index]);
    else
        put_sorted(parted, parting);
    return 0;
}

/* ---- all of it ---- */

/* Pieces of about as many elements for every worker; a parting that is sorted is one. */
static void cut_pieces(bmf_parted *parted)
{
    bmf_context *ctx = parted->by->ctx;
    const bmf_partition *partition = parted->by->values->partition;
    const int64_t even = (parted->elements + ctx->threads - 1) / ctx->threads, share = even > SHARE ? even : SHARE;
    work *w = parted->work = allocate_clear(1, (int64_t)sizeof *w);
    w->piece = allocate((parted->partings + ctx->threads) * (int64_t)sizeof *w->piece);
    w->parting = allocate((parted->partings + ctx->threads) * (int64_t)sizeof *w->parting);
    for (int64_t k = 0, done = 0; k < parted->partings; k++) {
        const bmf_parting *parting = &parted->parting[k];
        for (int64_t begin = parting->begin, end; begin < parting->end; begin = end) {
            const int64_t worker = done / share, rest = (worker + 1) * share - done;
            end = parting->end - begin < rest || is_sorted(parting) ? parting->end : begin + rest;
            w->parting[w->pieces] = k;
            w->piece[w->pieces++] =
                (bmf_piece){parting->part, bmf_partition_processor(partition, parting->part), begin, end, (int)worker};
            done += end - begin;
        }
    }
}

static int run(const bmf_parted *parted, const char *kernel, uint32_t round, const bmf_kernel_work *each,
               int (*run_piece)(void *, int64_t, const bmf_piece *, int))
{
    const work *w = parted->work;
    return backend_compute(parted->by->ctx, &(bmf_work){.kernel = kernel,
                                                        .round = round,
                                                        .piece = w->piece,
                                                        .pieces = w->pieces,
                                                        .each = *each,
                                                        .run = run_piece,
                                                        .state = (void *)parted});
}

static void note_bad(const work *w, int64_t *bad)
{
    for (int64_t i = 0; i < w->pieces; i++)
        if (w->bad[i] >= 0 && (*bad < 0 || w->bad[i] < *bad))
            *bad = w->bad[i];
}

int parted_open(bmf_parted *parted, const bmf_by_key *by, int64_t partings, bmf_parting *parting, uint32_t round,
                int64_t *bad)
{
    const bmf_kernel_work each = {.operations = 4, .read = 8};
    *parted = (bmf_parted){.by = by, .parting = parting, .partings = partings, .key_bytes = 8};
    for (int64_t k = 0; k < partings; k++) {
        parted->elements += parting[k].end - parting[k].begin;
        parted->key_bytes = parting[k].cut->key_bytes;
    }
    cut_pieces(parted);
    work *w = parted->work;
    w->place = allocate_clear(w->pieces, (int64_t)sizeof *w->place);
    w->bad = allocate(w->pieces * (int64_t)sizeof *w->bad);
    memset(w->bad, -1, (size_t)w->pieces * sizeof *w->bad);
    column_slices(&by->values->column, 0, w->value);
    for (int64_t i = 0; i < w->pieces; i++) {
        const bmf_parting *of = &parting[w->parting[i]];
        if (!is_sorted(of))
            w->place[i] = allocate_clear(of->cut->members * of->cut->bands, (int64_t)sizeof *w->place[i]);
    }
    const int status = run(parted, "keys count", round, &each, count_piece);
    note_bad(w, bad);
    if (status == BMF_OK && *bad < 0)
        place_all(parted);
    return status;
}

int parted_fill(bmf_parted *parted, uint32_t round)
{
    const bmf_tree *entry = &parted->by->entry;
    const int64_t bytes = type_element_bytes(parted->by->values->type);
    const bmf_kernel_work each = {.operations = 5, .read = 8 + bytes, .written = parted->key_bytes + bytes};
    parted->keys = working_buffer(parted->elements * parted->key_bytes);
    for (int k = 0; k < entry->leaves; k++) {
        parted->leaf[k] = working_buffer(parted->elements * entry->leaf_size[k]);
        parted->value[k] = (bmf_slice){parted->leaf[k]->data, entry->leaf_size[k]};
    }
    return run(parted, "keys part", round, &each, fill_piece);
}

void parted_close(bmf_parted *parted)
{
    work *w = parted->work;
    for (int64_t i = 0; i < w->pieces; i++)
        free(w->place[i]);
    free(w->place);
    free(w->piece);
    free(w->parting);
    free(w->bad);
    free(w);
    for (int64_t k = 0; k < parted->partings; k++) {
        free(parted->parting[k].band);
        free(parted->parting[k].order);
    }
    buffer_release(parted->keys);
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        buffer_release(parted->leaf[k]);
}

int64_t parting_bands(const bmf_parting *parting, int64_t begin, int64_t end, int64_t *first)
{
    *first = SEARCH_FIRST(b, 0, parting->bands, parting->band[b].band >= begin);
    return SEARCH_FIRST(b, *first, parting->bands, parting->band[b].band >= end);
}
