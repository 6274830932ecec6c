/* project along an index list in arithmetic progression, elements of fixed size.
 *
 * Method: a run of elements (skeletons/project/progression.h) is a message, received where it belongs in the result. It
 * is sent from where it stands if its elements are neighbours there in the same order, otherwise it is packed before.
 * What stays on its processor is copied while the messages are on their way. No index is sent.
 * Cost: w bytes an element; one message a run: for a reversal of an even split at most one for every part. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/engine/move.h"
#include "skeletons/project/indices.h"
#include "skeletons/project/progression.h"
#include "skeletons/project/project.h"

/* The runs of elements that are here and go to other processors, or stay. */
typedef struct given_runs {
    const bmf_progression_run **run;
    int64_t *begin; /* of each run, in positions */
    int64_t *place; /* of each run among all of these elements: count + 1 values */
    int64_t count;
} given_runs;

typedef struct progression_move {
    bmf_context *ctx;
    const bmf_progression *progression;
    const bmf_list *xs, *made;
    int leaves;
    int64_t size[BMF_MAX_LEAVES];
    bmf_slice x[BMF_MAX_LEAVES], result[BMF_MAX_LEAVES];
    bool packs[BMF_MAX_LEAVES]; /* a leaf's runs are packed before they are sent */
    char *packed[BMF_MAX_LEAVES];
    bmf_buffer *buffer[BMF_MAX_LEAVES]; /* own the above */
    bmf_progression_runs runs;
    given_runs sent, kept; /* sent: by position, for the search */
    const given_runs *now; /* those that the work that runs is about */
} progression_move;

/* ---- runs ---- */

static int by_begin(const void *a, const void *b)
{
    const bmf_progression_run *x = *(const bmf_progression_run *const *)a, *y = *(const bmf_progression_run *const *)b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static given_runs list_given(const progression_move *move, bool kept)
{
    const bmf_progression_runs *runs = &move->runs;
    given_runs made = {.run = allocate(runs->count * (int64_t)sizeof *made.run),
                       .begin = allocate((2 * runs->count + 1) * (int64_t)sizeof *made.begin)};
    made.place = made.begin + runs->count;
    for (int64_t k = 0; k < runs->count; k++)
        if (is_local(move->ctx, runs->run[k].from) && (runs->run[k].from == runs->run[k].to) == kept)
            made.run[made.count++] = &runs->run[k];
    if (made.count > 1)
        qsort(made.run, (size_t)made.count, sizeof *made.run, by_begin);
    made.place[0] = 0;
    for (int64_t k = 0; k < made.count; k++) {
        made.begin[k] = made.run[k]->begin;
        made.place[k + 1] = made.place[k] + made.run[k]->end - made.run[k]->begin;
    }
    return made;
}

static void free_given(given_runs *given)
{
    free(given->run);
    free(given->begin);
}

/* ---- copying ---- */

/* The local element of xs that stands at position i of the result. */
static int64_t element_at(const progression_move *move, int64_t i)
{
    return progression_at(move->progression, i) - bmf_partition_local_begin(move->xs->partition);
}

/* Positions of one run: into the result if they are kept, otherwise to where they are sent from. */
static int copy_piece(void *state, int64_t number, const bmf_piece *piece, int worker)
{
    const progression_move *move = state;
    const int64_t r = last_not_above(move->now->begin, move->now->count, piece->begin);
    const int64_t count = piece->end - piece->begin, element = element_at(move, piece->begin);
    const bool kept = move->now == &move->kept;
    const int64_t place = kept ? piece->begin - bmf_partition_local_begin(move->made->partition)
                               : move->now->place[r] + piece->begin - move->now->begin[r];
    (void)number;
    (void)worker;
    for (int k = 0; k < move->leaves; k++) {
        const bmf_slice *x = &move->x[k];
        char *to = kept ? move->result[k].data : move->packed[k];
        if (kept || move->packs[k])
            copy_strided(to + place * move->size[k], move->size[k], (const char *)x->data + element * x->stride,
                         move->progression->step * x->stride, count);
    }
    return 0;
}

/* Cuts the runs into pieces of about the same size for every worker, each of one run. */
static bmf_piece *cut(const progression_move *move, const given_runs *given, int64_t *pieces)
{
    const int64_t shares = work_shares(move->ctx), share = given->place[given->count] / shares + 1;
    bmf_piece *piece = allocate((given->count + shares) * (int64_t)sizeof *piece);
    *pieces = 0;
    for (int64_t k = 0; k < given->count; k++)
        for (int64_t place = given->place[k], end; place < given->place[k + 1]; place = end) {
            const int64_t worker = place / share, shift = given->begin[k] - given->place[k];
            end = (worker + 1) * share < given->place[k + 1] ? (worker + 1) * share : given->place[k + 1];
            piece[(*pieces)++] = (bmf_piece){.part = given->run[k]->from,
                                             .processor = given->run[k]->from,
                                             .begin = place + shift,
                                             .end = end + shift,
                                             .worker = (int)worker};
        }
    return piece;
}

static int copy_given(progression_move *move, const given_runs *given, const char *kernel, uint32_t round)
{
    int64_t pieces;
    bmf_piece *piece = cut(move, given, &pieces);
    move->now = given;
    const int status = backend_compute(
        move->ctx,
        &(bmf_work){
            .kernel = kernel, .round = round, .piece = piece, .pieces = pieces, .run = copy_piece, .state = move});
    free(piece);
    return status;
}

/* ---- messages ---- */

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const progression_move *move = state;
    const int64_t r = last_not_above(move->sent.begin, move->sent.count, message->first);
    const int64_t element = element_at(move, message->first);
    for (int k = 0; k < move->leaves; k++) {
        char *packed = move->packs[k] ? move->packed[k] + move->sent.place[r] * move->size[k] : NULL;
        segment[k] = (bmf_segment){packed ? packed : (char *)move->x[k].data + element * move->size[k],
                                   message->count * move->size[k]};
    }
    return move->leaves;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const progression_move *move = state;
    const int64_t place = message->first - bmf_partition_local_begin(move->made->partition);
    for (int k = 0; k < move->leaves; k++)
        segment[k] =
            (bmf_segment){(char *)move->result[k].data + place * move->size[k], message->count * move->size[k]};
    return move->leaves;
}

static bmf_round make_round(const progression_move *move)
{
    const int64_t bytes = type_element_bytes(move->xs->type);
    bmf_round round = {0};
    for (int64_t k = 0; k < move->runs.count; k++) {
        const bmf_progression_run *run = &move->runs.run[k];
        const int64_t count = run->end - run->begin;
        if (run->from != run->to)
            *ARRAY_APPEND(round.message, round.count, round.capacity) =
                (bmf_message){run->from, run->to, count * bytes, run->begin, count};
    }
    return round;
}

static int move_runs(progression_move *move)
{
    bmf_transfer transfer = {outgoing, incoming, move};
    bmf_round round = make_round(move);
    bmf_exchange *under_way = NULL;
    int status = copy_given(move, &move->sent, "project pack", 1);
    if (status == BMF_OK)
        status = backend_exchange_begin(move->ctx, &round, 0, &transfer, &under_way);
    if (status == BMF_OK)
        status = copy_given(move, &move->kept, "project keep", 2);
    if (under_way) {
        const int ended = backend_exchange_end(move->ctx, under_way);
        status = status == BMF_OK ? ended : status;
    }
    free(round.message);
    return status;
}

/* ---- all together ---- */

static void open_move(progression_move *move)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    move->leaves = bmf_type_leaves(move->xs->type, leaf);
    column_slices(&move->xs->column, 0, move->x);
    column_slices(&move->made->column, 0, move->result);
    progression_runs(move->ctx, move->progression, move->xs->partition, move->made->partition, &move->runs);
    move->sent = list_given(move, false);
    move->kept = list_given(move, true);
    for (int k = 0; k < move->leaves; k++) {
        move->size[k] = leaf[k]->size;
        move->packs[k] = move->progression->step != 1 || move->x[k].stride != leaf[k]->size;
        if (!move->packs[k])
            continue;
        move->buffer[k] = working_buffer(move->sent.place[move->sent.count] * leaf[k]->size);
        move->packed[k] = move->buffer[k]->data;
    }
}

static void close_move(progression_move *move)
{
    for (int k = 0; k < move->leaves; k++)
        buffer_release(move->buffer[k]);
    free_given(&move->sent);
    free_given(&move->kept);
    free(move->runs.run);
}

int project_progression(const bmf_list *xs, const bmf_list *indices, const bmf_progression *progression, bmf_list **out)
{
    bmf_list *made;
    BMF_TRY(bmf_list_create(xs->context, xs->type, indices->partition, &made));
    progression_move move = {.ctx = xs->context, .progression = progression, .xs = xs, .made = made};
    open_move(&move);
    const int status = move_runs(&move);
    close_move(&move);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}
