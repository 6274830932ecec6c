/* Tables of results by key: folding blocks of elements into them; private to skeletons.
 *
 * A table has an entry for every key, records one behind the other. The elements of the list are cut into blocks of a
 * length that depends on their number and that of the keys alone; a block's table is that of its elements from left to
 * right, each entry beginning with the operator's identity. Tables are joined entry by entry, by the fixed tree over
 * the numbers of the blocks (skeletons/engine/tree.h); an entry that is the identity, bit by bit, leaves the other as
 * it is. For exact operators any cut gives the same, and blocks mean nothing. */
#ifndef BMF_BY_KEY_TABLES_H
#define BMF_BY_KEY_TABLES_H

#include "skeletons/engine/partials.h"

/* Elements of cut blocks that stand on later processors, brought to the parts where the blocks begin. */
typedef struct bmf_late {
    bmf_list *keys, *values; /* NULL: no block is cut */
    int64_t elements;        /* of all parts */
} bmf_late;

typedef struct bmf_by_key {
    bmf_context *ctx;
    const bmf_list *keys, *values; /* NULL: none */
    int64_t count;                 /* keys are 0 .. count - 1 */
    const bmf_operator *op;
    bmf_tree entry;    /* of one entry */
    bmf_operator join; /* of whole tables, */
    bmf_tree table;    /* and its records */
    char *join_name;
    char *identity;       /* as a record */
    int64_t block;        /* elements; 0 without lists */
    bool parts_all;       /* exact: all elements are one block, of which every part folds a share of the keys */
    bmf_partition *nodes; /* of the parts: blocks that begin there; elements if the operator is exact */
    bmf_late late;
    bmf_partials partials; /* their tables */
    int64_t bad;           /* number of the first element here whose key is out of range, or -1 */
} bmf_by_key;

/* Elements of a block: the list is cut into as many as the largest power of two that leaves them long enough for their
 * tables to cost little. So parts that are as many, or that number halved again and again, cut next to none. */
int64_t by_key_block(int64_t count, int64_t length);

/* Of a table of so many keys. */
int64_t by_key_record_bytes(const bmf_by_key *by, int64_t count);

/* Makes ready; the lists conform and the operator has an identity. */
int by_key_open(bmf_by_key *by, const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op);
/* The same without lists: for by_key_segments. */
int by_key_open_alone(bmf_by_key *by, bmf_context *ctx, const bmf_type *type, int64_t count, const bmf_operator *op);
void by_key_close(bmf_by_key *by);

/* Whether ranks have room for so many results, placed or evenly on the processors of a list; BMF_ERROR_MEMORY with a
 * message on all ranks if not. */
int by_key_fits(bmf_context *ctx, const bmf_partition *like, const bmf_type *type, int64_t count, bool placed);

/* The results as a list: placed, on the first processor of the values, or evenly on all of them. Collective, and
 * settles failures, also those noted before; messages as of bmf_reduce_by_key. */
int by_key_reduce(bmf_by_key *by, bool placed, bmf_list **out);

/* Several lists that lie on this rank as wholes, each reduced by itself. */
typedef struct bmf_by_key_segments {
    const char *kernel;      /* for traces */
    const bmf_column *keys;  /* of all, list by list */
    const bmf_slice *values; /* of the leaves */
    int64_t segments;
    const int64_t *start; /* segment k has the elements [start[k], start[k + 1]) */
    const int64_t *processor;
    char *results;    /* a table for every segment, by->table.record bytes each */
    int64_t failed;   /* out: the first segment whose operator failed or with a key out of range, or -1 */
    int64_t position; /* out: of the element with that key, in the columns; -1: the operator failed */
} bmf_by_key_segments;
/* Not collective. The same bits as by_key_reduce of each list. */
int by_key_segments(const bmf_by_key *by, bmf_by_key_segments *all);

/* The first element from `element` on that begins a block, at most `end`. */
static inline int64_t by_key_block_from(const bmf_by_key *by, int64_t element, int64_t end)
{
    const int64_t begin = (element + by->block - 1) / by->block * by->block;
    return begin < end ? begin : end;
}

/* The cut blocks' later elements to where the blocks begin: by->late. Looks for keys out of range among them. */
int by_key_bring_late(bmf_by_key *by);

/* Left becomes left op right, entry by entry. Returns 0 or the operator's failure code. */
int by_key_join(const bmf_by_key *by, char *left, const char *right);
/* So many entries become the identity. */
void by_key_clear_entries(const bmf_by_key *by, int64_t count, char *entries);
static inline void by_key_clear_table(const bmf_by_key *by, char *table)
{
    by_key_clear_entries(by, by->count, table);
}

/* by->bad as a failure of this rank. */
int by_key_refuse_bad(const bmf_by_key *by);

/* Folds elements into tables of entries that are already there. `lanes` runs of `elements` each, `apart` from each
 * other, go to tables that stand side by side, each from left to right. */
typedef struct bmf_by_key_run {
    int64_t count;           /* keys are 0 .. count - 1 */
    const void *key;         /* of the first element of the columns, */
    int key_bytes;           /* 8, or 2 or 4 without a sign, */
    int64_t stride;          /* and bytes to the next one */
    const bmf_slice *values; /* of the leaves, from the column's first element on */
    int64_t first;           /* number in the columns */
    int64_t elements, apart;
    int lanes;
} bmf_by_key_run;

/* A worker's room. */
typedef struct bmf_by_key_room {
    int64_t entries;    /* of a table */
    int lanes;          /* tables that go side by side, at most */
    bmf_buffer *tables; /* of so many; NULL: one */
    char *table;        /* where elements are folded: `tables`, or the next one of a forest */
    int32_t *stamp;     /* by entry of all lanes: the batch in which it was last used; NULL: no batch yet */
    int32_t batch;      /* now */
    char *left;         /* records of a batch */
    char *right;
    int64_t *entry;  /* of the batch: where entries stand in the tables, in bytes */
    int64_t *number; /* keys that are not ints one behind the other */
} bmf_by_key_room;

/* For tables of so many entries, or fewer; tables: with room for several of all keys, side by side. */
void by_key_room_open(const bmf_by_key *by, int64_t entries, bool tables, bmf_by_key_room *room);
void by_key_room_close(bmf_by_key_room *room);
/* Tables [0, lanes) begin anew; a single one is the next one of the forest. */
struct bmf_table_forest;
void by_key_clear(const bmf_by_key *by, bmf_by_key_room *room, int lanes, const struct bmf_table_forest *forest);
/* Of lane k, to be pushed onto the forest. */
static inline const char *by_key_table(const bmf_by_key *by, const bmf_by_key_room *room, int lane)
{
    return room->table + lane * by->table.record;
}
/* Returns 0 or the operator's failure code. Ends early at a key out of range: *bad is its number in the columns. */
int by_key_run(const bmf_by_key *by, bmf_by_key_room *room, const bmf_by_key_run *run, int64_t *bad);

#endif
