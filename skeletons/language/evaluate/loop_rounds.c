/* Counting the rounds of loops, and cutting them short; see the header. */
#include "skeletons/language/evaluate/loop_rounds.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum {
    FEW = 3, /* rounds that are gone through: the first has more to do than others, and the last of them is repeated */
    MANY = 6 /* fewer are not worth it */
};
static const double EVEN = 0.1; /* elements of all rounds differ by no more from what a few rounds say */

/* ---- loops of a text ---- */

static int by_place(const void *a, const void *b)
{
    const bmf_span *x = a, *y = b;
    if (x->text != y->text)
        return x->text < y->text ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

typedef struct spans {
    bmf_span *span;
    int64_t count, capacity;
} spans;

static void find_loops(const bmf_expression *expression, spans *found)
{
    if (expression->kind == BMF_EXPRESSION_WHILE)
        *ARRAY_APPEND(found->span, found->count, found->capacity) = expression->span;
    for (int k = 0; k < expression->children; k++)
        if (expression->child[k])
            find_loops(expression->child[k], found);
}

/* In the order of the text, each once. */
static spans loops_of(const bmf_expression *checked)
{
    spans found = {0};
    int64_t kept = 0;
    find_loops(checked, &found);
    if (found.count > 0)
        qsort(found.span, (size_t)found.count, sizeof *found.span, by_place);
    for (int64_t k = 0; k < found.count; k++)
        if (kept == 0 || by_place(&found.span[kept - 1], &found.span[k]) != 0)
            found.span[kept++] = found.span[k];
    found.count = kept;
    return found;
}

bool loop_rounds_begin(bmf_loop_rounds *rounds, const bmf_expression *checked)
{
    const spans found = loops_of(checked);
    if (!rounds->cut) {
        loop_rounds_free(rounds);
        rounds->loops = found.count;
        rounds->loop = allocate_clear(found.count, (int64_t)sizeof *rounds->loop);
    }
    const bool same = rounds->loops == found.count;
    for (int64_t k = 0; k < found.count && same; k++) {
        rounds->loop[k].span = found.span[k];
        rounds->loop[k].entries = 0;
    }
    free(found.span);
    return same;
}

void loop_rounds_free(bmf_loop_rounds *rounds)
{
    for (int64_t k = 0; k < rounds->loops; k++)
        free(rounds->loop[k].rounds);
    free(rounds->loop);
    rounds->loop = NULL;
    rounds->loops = 0;
}

/* ---- going round ---- */

static bmf_counted_loop *find_loop(bmf_loop_rounds *rounds, const bmf_span *span)
{
    for (int64_t k = 0; k < rounds->loops; k++)
        if (by_place(&rounds->loop[k].span, span) == 0)
            return &rounds->loop[k];
    return NULL;
}

void loop_enter(bmf_loop_rounds *rounds, bmf_context *ctx, const bmf_expression *loop, int64_t instances,
                bmf_loop_entry *entry)
{
    *entry = (bmf_loop_entry){0};
    if (!rounds || instances != 1 || !ctx->backend->mark || !ctx->backend->mark(ctx, &entry->first))
        return;
    entry->of = find_loop(rounds, &loop->span);
    if (!entry->of)
        return;
    const int64_t number = entry->of->entries++;
    if (!rounds->cut)
        return;
    entry->rounds = number < entry->of->counted ? entry->of->rounds[number] : 0;
    entry->cut = !entry->of->uneven && entry->rounds >= MANY;
}

int loop_round(bmf_context *ctx, bmf_loop_entry *entry, bool *over)
{
    bmf_run_mark now;
    *over = false;
    if (!entry->of || !ctx->backend->mark(ctx, &now))
        return BMF_OK;
    const int64_t gone = entry->round++;
    if (gone == 0)
        entry->first = now;
    if (entry->cut && gone == FEW) {
        *over = true;
        return ctx->backend->repeat(ctx, &entry->last, entry->rounds - FEW);
    }
    if (gone == FEW)
        entry->few = now;
    const int64_t messages = now.messages - entry->last.messages;
    entry->last = now;
    return entry->cut && gone == 1 && ctx->backend->expect ? ctx->backend->expect(ctx, messages * (entry->rounds - 1))
                                                           : BMF_OK;
}

/* What all rounds computed, and what they would have if all did as the last of the few. */
static bool is_even(const bmf_loop_entry *entry, const bmf_run_mark *end)
{
    const double few = (double)(entry->few.elements - entry->first.elements),
                 all = (double)(end->elements - entry->first.elements);
    return fabs(few / FEW * (double)entry->round - all) <= EVEN * all;
}

void loop_leave(bmf_context *ctx, bmf_loop_entry *entry)
{
    bmf_counted_loop *loop = entry->of;
    bmf_run_mark end;
    if (!loop || entry->cut || loop->entries != loop->counted + 1)
        return;
    *ARRAY_APPEND(loop->rounds, loop->counted, loop->capacity) = entry->round;
    if (entry->round >= MANY && ctx->backend->mark(ctx, &end))
        loop->uneven = loop->uneven || !is_even(entry, &end);
}
