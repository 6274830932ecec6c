/* Tables of results by key: their records, and joining them; see tables.h.
 *
 * Method: entries are joined by all threads, unless each of them has tables of its own: in runs between those of which
 * one is the identity, or, entries of 8 bytes, all at once, after which those are put right.
 * Cost: 3 w bytes an entry. */
#include "skeletons/by_key/tables.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum {
    SHORTEST_BLOCK = 1024,
    ELEMENTS_OF_ENTRY = 6, /* of a block, at least: joining an entry takes as long as folding one or two */
    TABLE_ALIGNMENT = 16,
    THREADED_ENTRIES = 1 << 16,
    WORD = 8, /* bytes */
    JOINED_AT_ONCE = 512,
    REPEATED = 4096 /* bytes */
};

/* Whether an entry is the identity. */
static bool is_identity(const bmf_by_key *by, const char *entry)
{
    int64_t bits, identity;
    if (by->entry.record != WORD)
        return memcmp(entry, by->identity, (size_t)by->entry.record) == 0;
    memcpy(&bits, entry, WORD);
    memcpy(&identity, by->identity, WORD);
    return bits == identity;
}

/* `made` becomes left op right, `count` entries. */
static int combine(const bmf_by_key *by, int64_t count, const char *left, const char *right, char *made)
{
    bmf_slice in[2 * BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    if (count == 0)
        return 0;
    tree_record(&by->entry, (char *)left, in);
    tree_record(&by->entry, (char *)right, in + by->entry.leaves);
    tree_record(&by->entry, made, out);
    return by->op->combine(by->op->context, count, in, out);
}

static int combine_run(const bmf_by_key *by, int64_t begin, int64_t end, char *left, const char *right)
{
    const int64_t at = begin * by->entry.record;
    return combine(by, end - begin, left + at, right + at, left + at);
}

/* Entries [first, end) of left become left op right; where one is the identity the other stays, or is taken. */
static int join_mixed(const bmf_by_key *by, int64_t first, int64_t end, char *left, const char *right)
{
    const int64_t record = by->entry.record;
    int64_t begin = first;
    int code = 0;
    for (int64_t i = first; i < end && code == 0; i++) {
        const bool keep = is_identity(by, right + i * record);
        if (!keep && !is_identity(by, left + i * record))
            continue;
        code = combine_run(by, begin, i, left, right);
        begin = i + 1;
        if (!keep)
            memcpy(left + i * record, right + i * record, (size_t)record);
    }
    return code ? code : combine_run(by, begin, end, left, right);
}

/* Of entries of 8 bytes: left becomes the right one where it is the identity, otherwise what was joined, unless the
 * right one is the identity. */
BMF_VECTORISE static void choose(int64_t count, int64_t identity, const char *joined, const char *right, char *left)
{
    for (int64_t i = 0; i < count; i++) { /* memcpy, because entries are numbers, not words */
        int64_t l, r, x;
        memcpy(&l, left + i * WORD, WORD);
        memcpy(&r, right + i * WORD, WORD);
        memcpy(&x, joined + i * WORD, WORD);
        x = r == identity ? l : l == identity ? r : x;
        memcpy(left + i * WORD, &x, WORD);
    }
}

/* The same as join_mixed, all entries at once: of those of which one is the identity what is joined is not used. */
static int join_words(const bmf_by_key *by, int64_t begin, int64_t count, char *left, const char *right)
{
    _Alignas(64) char joined[JOINED_AT_ONCE * WORD];
    int64_t identity;
    memcpy(&identity, by->identity, WORD);
    const int code = combine(by, count, left + begin * WORD, right + begin * WORD, joined);
    choose(count, identity, joined, right + begin * WORD, left + begin * WORD);
    return code;
}

static int join_run(const bmf_by_key *by, int64_t first, int64_t end, char *left, const char *right)
{
    int code = 0;
    if (by->entry.record != WORD || by->op->may_fail)
        return join_mixed(by, first, end, left, right);
    for (int64_t begin = first, count; begin < end && code == 0; begin += count) {
        count = end - begin < JOINED_AT_ONCE ? end - begin : JOINED_AT_ONCE;
        code = join_words(by, begin, count, left, right);
    }
    return code;
}

static int join_threaded(const bmf_by_key *by, char *left, const char *right)
{
    const int chunks = by->ctx->threads;
    int code = 0;
#pragma omp parallel for num_threads(chunks) schedule(static)
    for (int c = 0; c < chunks; c++) {
        const int64_t begin = bmf_split_start(by->count, chunks, c), end = bmf_split_start(by->count, chunks, c + 1);
        const int failed = join_run(by, begin, end, left, right);
        if (failed) {
#pragma omp atomic write
            code = failed;
        }
    }
    return code;
}

int by_key_join(const bmf_by_key *by, char *left, const char *right)
{
    if (by->count >= THREADED_ENTRIES && by->ctx->threads > 1 && !omp_in_parallel())
        return join_threaded(by, left, right);
    return join_run(by, 0, by->count, left, right);
}

/* For the fixed tree; context: the bmf_by_key. The result stands in place of the left operand, or is new. */
static int join_tables(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const bmf_by_key *by = context;
    int code = 0;
    for (int64_t k = 0; k < count && code == 0; k++) {
        char *made = (char *)out[0].data + k * out[0].stride;
        const char *left = (const char *)in[0].data + k * in[0].stride;
        if (made != left)
            memcpy(made, left, (size_t)by->table.record);
        code = by_key_join(by, made, (const char *)in[1].data + k * in[1].stride);
    }
    return code;
}

/* A record of the identity whose padding is that of elements that were copied leaf by leaf: zeros. */
static void make_identity(bmf_by_key *by)
{
    const bmf_tree *tree = &by->entry;
    bmf_slice leaf[BMF_MAX_LEAVES];
    by->identity = allocate_clear(1, tree->record);
    tree_record(tree, by->identity, leaf);
    tree_put(tree, by->op->identity, leaf, 0);
}

int64_t by_key_block(int64_t count, int64_t length)
{
    const int64_t long_enough = length / SHORTEST_BLOCK;
    const int64_t filled = count > 0 ? length / count / ELEMENTS_OF_ENTRY : length;
    const int64_t most = long_enough < filled ? long_enough : filled; /* blocks */
    int64_t blocks = 1;
    while (blocks <= most / 2)
        blocks *= 2;
    return length > 0 ? (length + blocks - 1) / blocks : 1;
}

int64_t by_key_record_bytes(const bmf_by_key *by, int64_t count)
{
    const int64_t bytes = count * by->entry.record;
    return bytes > 0 ? (bytes + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT : TABLE_ALIGNMENT;
}

int by_key_open_alone(bmf_by_key *by, bmf_context *ctx, const bmf_type *type, int64_t count, const bmf_operator *op)
{
    *by = (bmf_by_key){.ctx = ctx, .count = count, .op = op, .bad = -1};
    BMF_TRY(tree_open(&by->entry, ctx, "reduce_by_key", op, type));
    make_identity(by);
    const int64_t record = by_key_record_bytes(by, count);
    const int64_t characters = (int64_t)strlen(op->name) + (int64_t)sizeof " tables";
    by->join_name = allocate(characters);
    snprintf(by->join_name, (size_t)characters, "%s tables", op->name);
    by->join = (bmf_operator){
        .name = by->join_name, .combine = join_tables, .context = by, .flags = op->flags, .may_fail = op->may_fail};
    by->table = (bmf_tree){.op = &by->join,
                           .leaves = 1,
                           .leaf_size = {record},
                           .record = record,
                           .exact = by->entry.exact,
                           .workers = ctx->threads};
    return BMF_OK;
}

/* What stands there is doubled until it is a few kilobytes, which stay in the cache while they are repeated. */
void by_key_clear_entries(const bmf_by_key *by, int64_t count, char *entries)
{
    const int64_t record = by->entry.record, bytes = count * record;
    const int64_t most = record < REPEATED ? REPEATED / record * record : record;
    if (bytes > 0)
        memcpy(entries, by->identity, (size_t)record);
    for (int64_t done = record, next; done < bytes; done += next) {
        next = done < most ? done : most;
        next = next < bytes - done ? next : bytes - done;
        memcpy(entries + done, entries, (size_t)next);
    }
}

void by_key_close(bmf_by_key *by)
{
    if (by->partials.part)
        partials_free(&by->partials);
    bmf_list_free(by->late.keys);
    bmf_list_free(by->late.values);
    bmf_partition_release(by->nodes);
    free(by->join_name);
    free(by->identity);
    tree_close(&by->entry);
}
