/* Elements into tables by their keys; see tables.h.
 *
 * Method: an operator made by a macro has a loop of its own (fold_keys). Any other combines a batch of entries at once,
 * which are gathered before and put back after: elements are taken as long as no entry comes twice. Few keys would make
 * short batches, so several blocks go side by side then, an element of each in turn. Blocks of a loop go one after the
 * other, but several before their tables are joined: on some processors a loop that begins right behind a join takes
 * 1.5 times as long (AMD Zen 4), apparently because stores are no longer forwarded to loads.
 * Cost: the loop reads an element once and changes an entry; batches also copy both operands and the result. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/by_key/forest.h"
#include "skeletons/engine/scalar_size.h"

enum { BATCH = 256, MOST_LANES = 16, ENTRIES_SIDE_BY_SIDE = 4096, MOST_LOOPS = 64, ENTRIES_OF_LOOPS = 1024 };

static bool has_loop(const bmf_by_key *by)
{
    return by->op->version >= 2 && by->op->fold_keys;
}

/* Whether the operator's loop can read these values. */
static bool can_loop(const bmf_by_key *by, const bmf_slice *values)
{
    return has_loop(by) && tree_is_plain(&by->entry, values) && by->entry.record == by->entry.leaf_size[0];
}

/* How many tables of so many entries are filled before they are joined; of an exact operator one, if it has a loop. */
static int lanes_of(const bmf_by_key *by, int64_t entries)
{
    const bool loops = has_loop(by);
    const int64_t most = loops ? MOST_LOOPS : MOST_LANES;
    const int64_t lanes = (loops ? ENTRIES_OF_LOOPS : ENTRIES_SIDE_BY_SIDE) / (entries > 0 ? entries : 1);
    if (lanes < 1 || (loops && by->table.exact))
        return 1;
    return (int)(lanes < most ? lanes : most);
}

void by_key_room_open(const bmf_by_key *by, int64_t entries, bool tables, bmf_by_key_room *room)
{
    room->entries = entries;
    room->lanes = tables ? lanes_of(by, entries) : 1;
    room->tables = room->lanes > 1 ? working_buffer(room->lanes * by->table.record) : NULL;
    room->table = NULL;
    room->stamp = NULL;
    room->batch = 0;
    room->left = allocate(BATCH * by->entry.record);
    room->right = allocate(BATCH * by->entry.record);
    room->entry = allocate(BATCH * (int64_t)sizeof *room->entry);
    room->number = allocate(BMF_BLOCK * (int64_t)sizeof *room->number);
}

void by_key_room_close(bmf_by_key_room *room)
{
    if (room->tables)
        buffer_release(room->tables);
    free(room->stamp);
    free(room->left);
    free(room->right);
    free(room->entry);
    free(room->number);
}

void by_key_clear(const bmf_by_key *by, bmf_by_key_room *room, int lanes, const bmf_table_forest *forest)
{
    room->table = lanes > 1 ? room->tables->data : table_forest_next(forest);
    for (int k = 0; k < lanes; k++)
        by_key_clear_table(by, room->table + k * by->table.record);
}

/* ---- the operator's own loop ---- */

#define WIDEN(type)                                                                                                    \
    for (int64_t i = 0; i < count; i++)                                                                                \
    to[i] = *(const type *)(const void *)(from + i * run->stride)

/* Keys [first, first + count) as ints: where they stand, or in `to`. */
static const int64_t *keys_of(const bmf_by_key_run *run, int64_t first, int64_t count, int64_t *to)
{
    const char *from = (const char *)run->key + first * run->stride;
    if (run->key_bytes == 2)
        WIDEN(uint16_t);
    else if (run->key_bytes == 4)
        WIDEN(uint32_t);
    else if (run->stride != sizeof(int64_t))
        WIDEN(int64_t);
    else
        return (const int64_t *)(const void *)from;
    return to;
}

static int run_loop(const bmf_by_key *by, bmf_by_key_room *room, const bmf_by_key_run *run, int lane, int64_t *bad)
{
    const bool whole = run->key_bytes == sizeof(int64_t) && run->stride == sizeof(int64_t);
    char *table = room->table + lane * by->table.record;
    for (int64_t i = 0, count; i < run->elements; i += count) {
        const int64_t rest = run->elements - i, at = run->first + lane * run->apart + i;
        count = whole || rest < BMF_BLOCK ? rest : BMF_BLOCK;
        const int64_t *key = keys_of(run, at, count, room->number);
        const char *x = (const char *)run->values[0].data + at * run->values[0].stride;
        const int64_t done = by->op->fold_keys(by->op->context, run->count, count, key, x, table);
        if (done < 0)
            return 1;
        if (done < count) {
            *bad = at + done;
            return 0;
        }
    }
    return 0;
}

/* ---- batches ---- */

#define COPY_ENTRY(size)                                                                                               \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(to + i * (size), table + entry[i], (size_t)(size))

static void take_entries(char *to, const char *table, int64_t count, const int64_t *entry, int64_t record)
{
    WITH_SCALAR_SIZE(record, COPY_ENTRY);
}

#define PUT_ENTRY(size)                                                                                                \
    for (int64_t i = 0; i < count; i++)                                                                                \
    memcpy(table + entry[i], from + i * (size), (size_t)(size))

static void put_entries(const char *from, char *table, int64_t count, const int64_t *entry, int64_t record)
{
    WITH_SCALAR_SIZE(record, PUT_ENTRY);
}

/* The entries of a batch, combined with the elements on the right. */
static int finish_batch(const bmf_by_key *by, bmf_by_key_room *room, int64_t count)
{
    const bmf_tree *tree = &by->entry;
    bmf_slice in[2 * BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
    if (count == 0)
        return 0;
    take_entries(room->left, room->table, count, room->entry, tree->record);
    tree_record(tree, room->left, out);
    memcpy(in, out, sizeof out);
    tree_record(tree, room->right, in + tree->leaves);
    memcpy(in, out, (size_t)tree->leaves * sizeof *in);
    const int code = tree->op->combine(tree->op->context, count, in, out);
    if (code == 0)
        put_entries(room->left, room->table, count, room->entry, tree->record);
    return code;
}

static void put_right(const bmf_tree *tree, const bmf_slice *values, int64_t at, char *record)
{
    for (int k = 0; k < tree->leaves; k++) {
        const char *from = (const char *)values[k].data + at * values[k].stride;
        if (tree->leaf_size[k] == 8)
            memcpy(record + tree->offset[k], from, 8);
        else
            memcpy(record + tree->offset[k], from, (size_t)tree->leaf_size[k]);
    }
}

/* No entry has been used in the batch that begins. */
static void next_batch(bmf_by_key_room *room)
{
    if (!room->stamp)
        room->stamp = allocate_clear(room->lanes * room->entries, (int64_t)sizeof *room->stamp);
    if (room->batch == INT32_MAX) {
        memset(room->stamp, 0, (size_t)(room->lanes * room->entries) * sizeof *room->stamp);
        room->batch = 0;
    }
    room->batch++;
}

static int run_batches(const bmf_by_key *by, bmf_by_key_room *room, const bmf_by_key_run *run, int64_t *bad)
{
    const int64_t record = by->entry.record;
    int64_t filled = 0, wide;
    int code = 0;
    next_batch(room);
    for (int64_t i = 0; i < run->elements && code == 0; i++)
        for (int64_t lane = 0; lane < run->lanes && code == 0; lane++) {
            const int64_t at = run->first + lane * run->apart + i, key = *keys_of(run, at, 1, &wide);
            if (key < 0 || key >= run->count) {
                *bad = at;
                return 0;
            }
            const int64_t stamp = lane * room->entries + key;
            if (room->stamp[stamp] == room->batch || filled == BATCH) {
                code = finish_batch(by, room, filled);
                filled = 0;
                next_batch(room);
            }
            room->stamp[stamp] = room->batch;
            room->entry[filled] = lane * by->table.record + key * record;
            put_right(&by->entry, run->values, at, room->right + filled++ * record);
        }
    return code ? code : finish_batch(by, room, filled);
}

int by_key_run(const bmf_by_key *by, bmf_by_key_room *room, const bmf_by_key_run *run, int64_t *bad)
{
    int code = 0;
    if (!can_loop(by, run->values))
        return run_batches(by, room, run, bad);
    for (int lane = 0; lane < run->lanes && code == 0 && *bad < 0; lane++)
        code = run_loop(by, room, run, lane, bad);
    return code;
}
