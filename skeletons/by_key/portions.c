/* Which part has tables of what; see portions.h. Cost: log2 of its blocks. */
#include "skeletons/by_key/portions.h"

static void add(bmf_portions *p, bmf_portion one)
{
    if (one.begin < one.end)
        p->of[p->count++] = one;
}

static void add_share(const bmf_by_key *by, int64_t length, int64_t part, bmf_share_side side, bmf_portions *p)
{
    const int64_t number = shared_block_of(by->values->partition, length, part, side);
    bmf_shared_block block;
    if (number < 0)
        return;
    shared_block_make(by, length, number, &block);
    add(p, (bmf_portion){.after = by->table.exact ? block.end : number + 1,
                         .begin = key_cut_share(&block.cut, part - block.first),
                         .end = key_cut_share(&block.cut, part - block.first + 1),
                         .side = side});
}

/* Blocks that the first node in [at, end) covers. */
static int64_t first_node(int64_t at, int64_t end)
{
    int64_t count = at == 0 ? INT64_MAX / 2 + 1 : at & -at;
    while (count > end - at)
        count /= 2;
    return count;
}

/* The nodes that the part's whole blocks make. */
static void add_whole(const bmf_by_key *by, int64_t part, bmf_portions *p)
{
    const int64_t *start = by->values->partition->start, length = bmf_length(by->values);
    if (by->table.exact) {
        if (start[part] < start[part + 1])
            add(p, (bmf_portion){.after = start[part + 1], .end = by->count, .side = BMF_SHARE_SIDES});
        return;
    }
    const int64_t end = start[part + 1] == length ? (length + by->block - 1) / by->block : start[part + 1] / by->block;
    int node = 0;
    for (int64_t at = (start[part] + by->block - 1) / by->block, next; at < end; at = next) {
        next = at + first_node(at, end);
        add(p, (bmf_portion){.after = next, .end = by->count, .side = BMF_SHARE_SIDES, .node = node++});
    }
}

void portions_list(const bmf_by_key *by, int64_t length, int64_t part, bmf_portions *portions)
{
    portions->count = 0;
    add_share(by, length, part, BMF_SHARE_BEFORE, portions);
    if (portions_fold_whole(by, length))
        add_whole(by, part, portions);
    add_share(by, length, part, BMF_SHARE_BEHIND, portions);
}
