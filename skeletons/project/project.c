/* project: out[i] = xs[indices[i]]. Document 000, 5.9.
 *
 * Method: every piece of the index list finds the part of xs that owns each index and counts its needs by owner; the
 * counts of a processor's pieces give every index its place in one request per owner, so requests are filled and
 * answers are read as streams in list order, without sorting. Requests go by a sparse round, answers by a round whose
 * sizes both sides know. Elements on the asking processor itself are copied, not sent.
 * A list that is a BMMC permutation goes another way (skeletons/project/permutation.c).
 * Cost: 8 bytes per element in the request, w in the answer, two messages per pair of processors that have something
 * to say; three passes over the index list. Source: own. */
#include "skeletons/project/project.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/move.h"
#include "bmf/skeletons.h"

/* ---- who owns what ---- */

/* Even splits are guessed right by proportion. */
static int64_t owner_of(const bmf_partition *partition, double parts_per_element, int64_t index)
{
    int64_t guess = (int64_t)((double)index * parts_per_element);
    guess = guess < partition->parts ? guess : partition->parts - 1;
    if (partition->start[guess] <= index && index < partition->start[guess + 1])
        return guess;
    return bmf_partition_part_of(partition, index);
}

static int32_t add_need(bmf_piece_needs *needs, int64_t part, int64_t owner, int64_t piece)
{
    if (needs->count == needs->capacity) {
        int64_t old = needs->capacity, entry = (int64_t)sizeof *needs->need;
        needs->capacity = 2 * old + 16;
        needs->need = reallocate(needs->need, old * entry, needs->capacity * entry);
    }
    needs->need[needs->count] = (bmf_need){.part = part, .owner = owner, .piece = piece};
    return (int32_t)needs->count++;
}

/* This worker's table from owner to need, all -1 between pieces. */
static int32_t *known_needs(bmf_project_call *call, int worker)
{
    int64_t parts = call->xs->partition->parts;
    if (!call->known[worker]) {
        call->known[worker] = allocate(parts * (int64_t)sizeof(int32_t));
        for (int64_t k = 0; k < parts; k++)
            call->known[worker][k] = -1;
    }
    return call->known[worker];
}

/* Indices of one owner often stand together: those up to the first one outside [low, high) go to the same need. */
static int64_t same_owner(const bmf_column *indices, int64_t i, int64_t end, int64_t low, int64_t high, int32_t need,
                          int32_t *slot)
{
    const char *data = (const char *)indices->data;
    int64_t stride = indices->stride;
    for (; i < end; i++) {
        int64_t element = *(const int64_t *)(data + i * stride);
        if (element < low || element >= high)
            break;
        slot[i] = need;
    }
    return i;
}

static int find_owners(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    bmf_project_call *call = state;
    const bmf_partition *partition = call->xs->partition;
    bmf_piece_needs *needs = &call->needs[index];
    int32_t *known = known_needs(call, worker), *slot = call->slot;
    int64_t length = bmf_length(call->xs), origin = bmf_partition_local_begin(call->indices->partition);
    double parts_per_element = length > 0 ? (double)partition->parts / (double)length : 0;
    for (int64_t i = piece->begin - origin, next; i < piece->end - origin; i = next) {
        int64_t element = project_index(call, i);
        if (element < 0 || element >= length) {
            needs->bad = i + origin;
            break;
        }
        int64_t owner = owner_of(partition, parts_per_element, element);
        if (known[owner] < 0)
            known[owner] = add_need(needs, piece->part, owner, index);
        slot[i] = known[owner];
        next = same_owner(&call->indices->column, i + 1, piece->end - origin, partition->start[owner],
                          partition->start[owner + 1], known[owner], slot);
        needs->need[known[owner]].count += next - i;
    }
    for (int64_t k = 0; k < needs->count; k++)
        known[needs->need[k].owner] = -1;
    return 0;
}

/* Pieces stand in list order, so the first bad one found is this host's first. */
static int check_range(const bmf_project_call *call)
{
    for (int64_t k = 0; k < call->pieces; k++) {
        int64_t position = call->needs[k].bad;
        if (position < 0)
            continue;
        int64_t local = position - bmf_partition_local_begin(call->indices->partition);
        return bmf_fail(call->ctx, BMF_ERROR_INDEX,
                        "index %" PRId64 " at position %" PRId64 " is outside a list of %" PRId64 " elements",
                        project_index(call, local), position, bmf_length(call->xs));
    }
    return BMF_OK;
}

/* ---- requests ---- */

static int by_run(const void *a, const void *b)
{
    const bmf_need *x = *(bmf_need *const *)a, *y = *(bmf_need *const *)b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* All needs from other processors in the order of runs; the caller frees. */
static bmf_need **sort_needs(const bmf_project_call *call, int64_t *count)
{
    int64_t all = 0;
    for (int64_t k = 0; k < call->pieces; k++)
        all += call->needs[k].count;
    bmf_need **sorted = allocate(all * (int64_t)sizeof *sorted);
    *count = 0;
    for (int64_t k = 0; k < call->pieces; k++)
        for (int64_t n = 0; n < call->needs[k].count; n++) {
            bmf_need *need = &call->needs[k].need[n];
            int64_t asker = call->piece[k].processor;
            need->run = BMF_OWN;
            if (bmf_partition_processor(call->xs->partition, need->owner) != asker)
                sorted[(*count)++] = need;
        }
    qsort(sorted, (size_t)*count, sizeof *sorted, by_run);
    return sorted;
}

/* Gives every need its place and joins those of a part and an owner. */
static void make_runs(bmf_project_call *call)
{
    int64_t count;
    bmf_need **sorted = sort_needs(call, &count);
    call->run = allocate_clear(count, (int64_t)sizeof *call->run);
    for (int64_t k = 0; k < count; k++) {
        bmf_need *need = sorted[k];
        if (k == 0 || need->part != sorted[k - 1]->part || need->owner != sorted[k - 1]->owner)
            call->run[call->runs++] =
                (bmf_run_of_needs){.asker = bmf_partition_processor(call->indices->partition, need->part),
                                   .owner = bmf_partition_processor(call->xs->partition, need->owner),
                                   .first = call->requests};
        need->run = call->runs - 1;
        need->first = call->requests;
        call->run[need->run].count += need->count;
        call->requests += need->count;
    }
    free(sorted);
}

static int fill_requests(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    bmf_project_call *call = state;
    bmf_need *need = call->needs[index].need;
    int64_t origin = bmf_partition_local_begin(call->indices->partition);
    (void)worker;
    if (project_all_own(&call->needs[index]))
        return 0;
    for (int64_t k = 0; k < call->needs[index].count; k++)
        need[k].next = need[k].first;
    for (int64_t i = piece->begin - origin; i < piece->end - origin; i++) {
        bmf_need *wanted = &need[call->slot[i]];
        if (wanted->run != BMF_OWN)
            call->request[wanted->next++] = project_index(call, i);
    }
    return 0;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_project_call *call = state;
    segment[0] = (bmf_segment){call->request + message->first, message->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    bmf_project_call *call = state;
    if (call->askeds == call->asked_capacity) {
        int64_t old = call->asked_capacity, entry = (int64_t)sizeof *call->asked;
        call->asked_capacity = 2 * old + 16;
        call->asked = reallocate(call->asked, old * entry, call->asked_capacity * entry);
    }
    bmf_asked *asked = &call->asked[call->askeds++];
    *asked = (bmf_asked){.asker = message->from,
                         .owner = message->to,
                         .count = message->bytes / (int64_t)sizeof(int64_t),
                         .buffer = working_buffer(message->bytes)};
    asked->index = asked->buffer->data;
    segment[0] = (bmf_segment){asked->index, message->bytes};
    return 1;
}

static int by_owner(const void *a, const void *b)
{
    const bmf_asked *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->asker < y->asker ? -1 : x->asker > y->asker;
}

static int send_requests(bmf_project_call *call)
{
    bmf_round round = {allocate(call->runs * (int64_t)sizeof(bmf_message)), call->runs, call->runs};
    bmf_transfer transfer = {outgoing, incoming, call};
    for (int64_t k = 0; k < call->runs; k++) {
        const bmf_run_of_needs *run = &call->run[k];
        round.message[k] =
            (bmf_message){run->asker, run->owner, run->count * (int64_t)sizeof(int64_t), run->first, run->count};
    }
    int status = call->ctx->backend->exchange_sparse(call->ctx, &round, 0, &transfer);
    free(round.message);
    if (call->askeds > 0)
        qsort(call->asked, (size_t)call->askeds, sizeof *call->asked, by_owner);
    for (int64_t k = 0; k < call->askeds; k++) {
        call->asked[k].first = call->answers;
        call->answers += call->asked[k].count;
    }
    return status;
}

/* ---- the answers' round ---- */

static int by_ends(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void project_answer_round(const bmf_project_call *call, int64_t element_bytes, bmf_round *round)
{
    int64_t max = call->askeds + call->runs, count = 0;
    bmf_message *message = allocate(max * (int64_t)sizeof *message);
    for (int64_t k = 0; k < call->askeds; k++)
        message[count++] = (bmf_message){.from = call->asked[k].owner,
                                         .to = call->asked[k].asker,
                                         .bytes = call->asked[k].count,
                                         .count = call->asked[k].count};
    for (int64_t k = 0; k < call->runs; k++)
        if (!is_local(call->ctx, call->run[k].owner)) /* those of this host have been asked */
            message[count++] = (bmf_message){.from = call->run[k].owner,
                                             .to = call->run[k].asker,
                                             .bytes = call->run[k].count,
                                             .count = call->run[k].count};
    for (int64_t k = 0; k < count; k++)
        message[k].bytes = element_bytes < 0 ? BMF_BYTES_UNKNOWN : message[k].count * element_bytes;
    qsort(message, (size_t)count, sizeof *message, by_ends);
    *round = (bmf_round){message, count, max};
}

static int run_by_ends(const void *key, const void *entry)
{
    const bmf_message *answer = key;
    const bmf_run_of_needs *run = entry;
    if (answer->to != run->asker)
        return answer->to < run->asker ? -1 : 1;
    return answer->from < run->owner ? -1 : answer->from > run->owner;
}

bmf_run_of_needs *project_run(const bmf_project_call *call, const bmf_message *answer)
{
    return bsearch(answer, call->run, (size_t)call->runs, sizeof *call->run, run_by_ends);
}

static int asked_by_ends(const void *key, const void *entry)
{
    const bmf_message *answer = key;
    const bmf_asked *asked = entry;
    if (answer->from != asked->owner)
        return answer->from < asked->owner ? -1 : 1;
    return answer->to < asked->asker ? -1 : answer->to > asked->asker;
}

bmf_asked *project_asked(const bmf_project_call *call, const bmf_message *answer)
{
    return bsearch(answer, call->asked, (size_t)call->askeds, sizeof *call->asked, asked_by_ends);
}

const bmf_skeleton_type skeleton_project = {
    .id = 11, .name = "project", .communication = BMF_COMMUNICATION_PROJECT, .keyword = "P_Project"};

/* ---- the skeleton ---- */

static int compute(bmf_project_call *call, const char *kernel, uint32_t round,
                   int (*run)(void *state, int64_t index, const bmf_piece *piece, int worker))
{
    return backend_compute(
        call->ctx,
        &(bmf_work){
            .kernel = kernel, .round = round, .piece = call->piece, .pieces = call->pieces, .run = run, .state = call});
}

static void free_call(bmf_project_call *call)
{
    for (int64_t k = 0; k < call->pieces; k++)
        free(call->needs[k].need);
    for (int worker = 0; worker < call->ctx->threads; worker++)
        free(call->known[worker]);
    for (int64_t k = 0; k < call->askeds; k++)
        buffer_release(call->asked[k].buffer);
    free(call->needs);
    free(call->known);
    buffer_release(call->slots);
    buffer_release(call->request_buffer);
    free(call->run);
    free(call->asked);
    free(call->piece);
}

static int project(bmf_project_call *call, bmf_list **out)
{
    bmf_context *ctx = call->ctx;
    pieces_create(ctx, call->indices->partition, BMF_BLOCK, &call->piece, &call->pieces);
    call->needs = allocate_clear(call->pieces, (int64_t)sizeof *call->needs);
    for (int64_t k = 0; k < call->pieces; k++)
        call->needs[k].bad = -1;
    call->known = allocate_clear(ctx->threads, (int64_t)sizeof *call->known);
    call->slots = working_buffer(call->indices->column.count * (int64_t)sizeof *call->slot);
    call->slot = call->slots->data;
    BMF_TRY(compute(call, "project owners", 0, find_owners));
    BMF_TRY(bmf_agree(ctx, check_range(call)));
    make_runs(call);
    call->request_buffer = working_buffer(call->requests * (int64_t)sizeof *call->request);
    call->request = call->request_buffer->data;
    BMF_TRY(compute(call, "project requests", 1, fill_requests));
    BMF_TRY(send_requests(call));
    return bmf_type_is_fixed(call->xs->type) ? project_fixed(call, out) : project_nested(call, out);
}

int bmf_project(const bmf_list *xs, const bmf_list *indices, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_project_call call = {.ctx = ctx, .xs = xs, .indices = indices};
    char text[128];
    if (indices->type->kind != BMF_INT)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "project: indices are int, not %s",
                        bmf_type_print(indices->type, text, sizeof text));
    skeleton_begin(ctx, &skeleton_project, "project");
    plan_title(ctx, "project", xs);
    bool done;
    int status = project_permutation(xs, indices, &done, out);
    if (status == BMF_OK && !done) {
        status = project(&call, out);
        free_call(&call);
    }
    return skeleton_end(ctx, indices->partition, status);
}
