/* What the kernels of streams do: operations, bytes, lists and rounds, for traces and predictions.
 *
 * Method: what every element needs follows from the compiled code and the sizes of leaves. Views may read the same
 * elements many times: their footprint is at most their column. Rounds of loops are counted by the workers' rooms,
 * piece by piece. Cost: the number of instructions a kernel call, and two searches a piece. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "skeletons/language/streams/stream.h"

typedef struct counted {
    const bmf_stream_source *source;
    const bmf_stream_work *work;
    int64_t viewed, view_footprint; /* bytes that views read for all elements, and their columns' */
    int64_t round;                  /* operations of a round of a loop */
    int64_t *rounds;                /* by piece; NULL: there are no loops */
} counted;

/* ---- what is computed ---- */

/* The same for the same expression wherever it stands. */
static uint64_t code_of(const bmf_expression *x)
{
    uint64_t hash = HASH_START;
    if (!x)
        return hash;
    hash = hash_add(hash, (uint64_t)x->kind);
    hash = hash_add(hash, (uint64_t)x->operation);
    hash = hash_add(hash, (uint64_t)x->head * BMF_EXPRESSION_KINDS + (uint64_t)x->tail);
    for (int k = 0; k < BMF_NUMBERS; k++)
        hash = hash_add(hash, (uint64_t)x->number[k]);
    hash = hash_add(hash, (uint64_t)x->constant.integer);
    hash = hash_bytes(hash, &x->constant.real, sizeof x->constant.real);
    hash = hash_add(hash, x->in ? (uint64_t)x->in->kind : 0);
    for (int k = 0; k < x->children; k++)
        hash = hash_add(hash, code_of(x->child[k]));
    return hash;
}

static uint64_t code_of_work(const bmf_stream_source *source, const bmf_stream_work *work)
{
    uint64_t hash = code_of(source->stream);
    for (const bmf_naming *n = source->stream->names; n; n = n->outer)
        hash = hash_add(hash, hash_text(n->name));
    return hash_add(hash, hash_text(work->step ? work->step : "")) | 1; /* not 0 */
}

static void add_cost(const bmf_scalar *scalar, bmf_kernel_work *each, int64_t *round)
{
    bmf_scalar_costs costs;
    if (!scalar)
        return;
    scalar_cost(scalar, &costs);
    each->operations += costs.operations;
    *round += costs.round;
}

/* ---- what is moved ---- */

static bool is_viewed(const bmf_stream_source *source, int input)
{
    for (int k = 0; k < source->parts; k++)
        if (input >= source->part[k].first && input < source->part[k].first + source->part[k].leaves)
            return source->part[k].place == BMF_PLACE_VIEW;
    return false;
}

static bool is_read(const bmf_stream_source *source, int input)
{
    for (int k = 0; k < source->parts; k++)
        if (input >= source->part[k].first && input < source->part[k].first + source->part[k].leaves &&
            source->part[k].place == BMF_PLACE_INSTANCE)
            return false;
    return source->input_leaf[input] && source->input[input].stride != 0;
}

static void add_reading(counted *c, bmf_kernel_work *each)
{
    const bmf_stream_source *source = c->source;
    for (int k = 0; k < source->inputs; k++) {
        if (!is_read(source, k))
            continue;
        each->read += source->input_size[k];
        if (is_viewed(source, k)) {
            const int64_t column = source->input_leaf[k]->count * source->input_size[k];
            const int64_t all = source->count * source->input_size[k];
            c->viewed += source->input_size[k];
            c->view_footprint += column < all ? column : all;
        } else {
            each->footprint += source->input_size[k];
        }
    }
}

static void add_writing(const counted *c, bmf_kernel_work *each)
{
    for (int k = 0; k < c->source->leaves && c->work->writes; k++) {
        each->written += c->source->leaf_size[k];
        each->footprint += c->source->leaf_size[k];
    }
}

/* ---- counting ---- */

static int64_t rounds_of(const bmf_stream_source *source, int worker)
{
    const bmf_stream_worker *w = &source->worker[worker];
    return (w->element ? scalar_room_rounds(w->element) : 0) + (w->predicate ? scalar_room_rounds(w->predicate) : 0);
}

static int run_counted(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const counted *c = state;
    const int64_t before = c->rounds ? rounds_of(c->source, worker) : 0;
    const int code = c->work->run(c->work->state, index, piece, worker);
    if (c->rounds)
        c->rounds[index] = rounds_of(c->source, worker) - before;
    return code;
}

static void count_piece(const void *state, int64_t index, const bmf_piece *piece, bmf_kernel_work *work)
{
    const counted *c = state;
    const bmf_stream_source *source = c->source;
    const int64_t elements = piece->end - piece->begin;
    if (c->viewed > 0)
        work->footprint += (int64_t)((double)c->view_footprint * (double)elements / (double)source->count);
    if (source->offset && source->segments > 1) {
        work->inner += elements;
        work->lists += stream_first_segment(source, piece->end) - stream_first_segment(source, piece->begin);
    }
    if (c->rounds) {
        work->rounds += c->rounds[index];
        work->operations += c->rounds[index] * c->round;
    }
}

int stream_run_counted(const bmf_stream_source *source, const bmf_stream_work *work, bmf_work *made)
{
    counted c = {.source = source, .work = work};
    bmf_kernel_work each = {.operations = 1, .code = code_of_work(source, work)};
    add_cost(source->element, &each, &c.round);
    add_cost(source->predicate, &each, &c.round);
    add_reading(&c, &each);
    add_writing(&c, &each);
    if (c.round > 0)
        c.rounds = allocate_clear(work->pieces, (int64_t)sizeof *c.rounds);
    made->each = each;
    made->count = count_piece;
    made->counted = &c;
    made->run = run_counted;
    made->state = &c;
    const int status = backend_compute(source->evaluator->ctx, made);
    free(c.rounds);
    return status;
}
