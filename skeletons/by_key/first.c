/* Reductions by key at the first processor.
 *
 * Method: blocks of elements are folded into tables of all keys (run.c, fold.c); the tables of a block are joined by
 * the fixed tree over the blocks' numbers, first those of a processor, then those of all, by the schedules of
 * reductions. Blocks are at least six times as long as tables, so that joining costs little; one that is cut is
 * folded where it begins (late.c).
 * Cost: n (8 + w) bytes read once; a table has w bytes a key. Messages: those of bmf_reduce_placed of tables. */
#include "skeletons/by_key/fold.h"
#include "skeletons/by_key/methods.h"
#include "skeletons/engine/reduction.h"

/* A key out of range as a failure of this rank; the others hear of it. */
static int defer_bad(const bmf_by_key *by, int status)
{
    if (status == BMF_OK && by->bad >= 0)
        status = by_key_refuse_bad(by);
    return failure_defer(by->ctx, status);
}

/* The tables of every part become its partial result. */
static int make_partials(bmf_by_key *by, const bmf_folded *folded)
{
    int code = 0;
    for (int64_t i = 0; i < folded->pieces && code == 0; i++) {
        const bmf_table_forest *forest = &folded->forest[i];
        bmf_forest *partial = &by->partials.part[folded->piece[i].part - by->nodes->local_first].partial;
        for (int k = 0; k < forest->nodes && code == 0; k++)
            code = by->table.exact ? forest_append(&by->table, partial, forest->end, forest->node[k].table, false)
                                   : forest_push(&by->table, partial, INT64_C(1) << forest->node[k].level,
                                                 forest->node[k].table, false);
    }
    return code == 0 ? BMF_OK : bmf_fail(by->ctx, BMF_ERROR_KERNEL, "operator %s failed", by->op->name);
}

static int bring_together(bmf_by_key *by, char *results)
{
    bmf_reduction_rounds rounds;
    reduction_open(&rounds, &by->partials, "joining tables", by->values, true, results);
    const int status = reduction_run(&rounds, true);
    reduction_close(&rounds);
    return status;
}

/* Of a list with one part, whose first table is that of the results. */
static int reduce_alone(bmf_by_key *by, char *results)
{
    bmf_folded folded;
    int status = by_key_fold(by, false, results, &folded);
    if (status == BMF_OK && by->bad < 0 && folded.pieces > 0 && table_forest_total(by, &folded.forest[0], results) != 0)
        status = bmf_fail(by->ctx, BMF_ERROR_KERNEL, "operator %s failed", by->op->name);
    folded_close(&folded);
    BMF_TRY(defer_bad(by, status));
    return agree_if(by->ctx, true, BMF_OK);
}

int by_key_at_first(bmf_by_key *by, char *results)
{
    bmf_folded folded;
    if (by->values->partition->parts == 1)
        return reduce_alone(by, results);
    BMF_TRY(by_key_bring_late(by));
    partials_start(&by->partials, by->ctx, &by->table, by->nodes, 1);
    int status = by_key_fold(by, false, NULL, &folded);
    if (status == BMF_OK && by->bad < 0)
        status = make_partials(by, &folded);
    folded_close(&folded);
    BMF_TRY(defer_bad(by, status));
    return bring_together(by, results);
}
