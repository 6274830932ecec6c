/* project: out[i] = xs[indices[i]]. Document 000, 5.9.
 *
 * Method: every piece of the index list finds the part of xs that owns each index and counts its blocks by owner; the
 * counts of a processor's pieces give every index its place in one request per owner, so requests are filled and
 * answers are read as streams in list order, without sorting. Requests go by a sparse round, answers by a round whose
 * sizes both sides know. Elements on the asking processor itself are copied, not sent.
 * An index list in arithmetic progression needs no requests (skeletons/project/progression.c). A list that is a BMMC
 * permutation goes another way (skeletons/project/permutation.c), and so do lists that are on one processor
 * (skeletons/project/local.c).
 * Cost: 8 bytes per element in the request, w in the answer, two messages per pair of processors that have something
 * to say; three passes over the index list. Source: own. */
#include "skeletons/project/project.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/engine/move.h"
#include "bmf/skeletons.h"
#include "skeletons/project/indices.h"

/* ---- who owns what ---- */

/* Even splits are guessed right by proportion, but for rounding. */
static int64_t owner_of(const bmf_partition *partition, double parts_per_element, int64_t index)
{
    const int64_t *start = partition->start;
    int64_t guess = (int64_t)((double)index * parts_per_element);
    guess = guess < partition->parts ? guess : partition->parts - 1;
    guess += index >= start[guess + 1] && guess + 1 < partition->parts;
    guess -= index < start[guess];
    if (start[guess] <= index && index < start[guess + 1])
        return guess;
    return bmf_partition_part_of(partition, index);
}

static int32_t add_block(bmf_piece_blocks *blocks, int64_t part, int64_t owner, int64_t piece)
{
    if (blocks->count == blocks->capacity) {
        int64_t old = blocks->capacity, entry = (int64_t)sizeof *blocks->block;
        blocks->capacity = 2 * old + 16;
        blocks->block = reallocate(blocks->block, old * entry, blocks->capacity * entry);
    }
    blocks->block[blocks->count] = (bmf_fetch_block){.part = part, .owner = owner, .piece = piece};
    return (int32_t)blocks->count++;
}

/* This worker's table from owner to block, all -1 between pieces. */
static int32_t *blocks_of_owners(bmf_project_call *call, int worker)
{
    int64_t parts = call->xs->partition->parts;
    if (!call->block_of_owner[worker]) {
        call->block_of_owner[worker] = allocate(parts * (int64_t)sizeof(int32_t));
        for (int64_t k = 0; k < parts; k++)
            call->block_of_owner[worker][k] = -1;
    }
    return call->block_of_owner[worker];
}

/* The owners of indices that are looked at together. */
enum { CHUNK = 64 };

/* What a worker needs to find the blocks of a piece. */
typedef struct owner_search {
    const bmf_partition *partition;
    double parts_per_element;
    bmf_piece_blocks *blocks;
    int32_t *block_of_owner;
    const bmf_piece *piece;
    int64_t number;     /* of the piece */
    int64_t last_owner; /* of the index before */
} owner_search;

static int32_t claim_block(owner_search *search, int64_t owner)
{
    int32_t *block = &search->block_of_owner[owner];
    if (*block < 0)
        *block = add_block(search->blocks, search->piece->part, owner, search->number);
    return *block;
}

/* Indices of one owner often stand together. */
static void find_chunk(owner_search *search, int64_t count, const int64_t *index, int32_t *slot)
{
    const int64_t *start = search->partition->start, last = search->last_owner;
    if (indices_in_range(count, index, start[last], start[last + 1])) {
        int32_t block = claim_block(search, last);
        for (int64_t i = 0; i < count; i++)
            slot[i] = block;
        search->blocks->block[block].count += count;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        search->last_owner = owner_of(search->partition, search->parts_per_element, index[i]);
        slot[i] = claim_block(search, search->last_owner);
        search->blocks->block[slot[i]].count++;
    }
}

static int find_owners(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    bmf_project_call *call = state;
    bmf_piece_blocks *blocks = &call->blocks[index];
    int64_t length = bmf_length(call->xs), origin = bmf_partition_local_begin(call->indices->partition);
    owner_search search = {.partition = call->xs->partition,
                           .parts_per_element = length > 0 ? (double)call->xs->partition->parts / (double)length : 0,
                           .blocks = blocks,
                           .block_of_owner = blocks_of_owners(call, worker),
                           .piece = piece,
                           .number = index};
    for (int64_t i = piece->begin - origin, count; i < piece->end - origin; i += count) {
        int64_t room[CHUNK];
        count = piece->end - origin - i < CHUNK ? piece->end - origin - i : CHUNK;
        const int64_t *element = indices_at(&call->indices->column, i, count, room);
        if (!indices_in_range(count, element, 0, length)) {
            blocks->bad = i + origin + indices_before_range_ends(count, element, 0, length);
            break;
        }
        find_chunk(&search, count, element, call->slot + i);
    }
    for (int64_t k = 0; k < blocks->count; k++)
        search.block_of_owner[blocks->block[k].owner] = -1;
    return 0;
}

int project_refuse_index(const bmf_list *xs, const bmf_list *indices, int64_t position)
{
    const bmf_column *column = &indices->column;
    int64_t local = position - bmf_partition_local_begin(indices->partition);
    int64_t index = *(const int64_t *)((const char *)column->data + local * column->stride);
    return bmf_fail(xs->context, BMF_ERROR_INDEX,
                    "index %" PRId64 " at position %" PRId64 " is outside a list of %" PRId64 " elements", index,
                    position, bmf_length(xs));
}

/* Pieces stand in list order, so the first bad one found is this host's first. */
static int check_range(const bmf_project_call *call)
{
    for (int64_t k = 0; k < call->pieces; k++)
        if (call->blocks[k].bad >= 0)
            return project_refuse_index(call->xs, call->indices, call->blocks[k].bad);
    return BMF_OK;
}

/* ---- requests ---- */

static int by_request(const void *a, const void *b)
{
    const bmf_fetch_block *x = *(bmf_fetch_block *const *)a, *y = *(bmf_fetch_block *const *)b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* All blocks from other processors in the order of requests; the caller frees. */
static bmf_fetch_block **sort_blocks(const bmf_project_call *call, int64_t *count)
{
    int64_t all = 0;
    for (int64_t k = 0; k < call->pieces; k++)
        all += call->blocks[k].count;
    bmf_fetch_block **sorted = allocate(all * (int64_t)sizeof *sorted);
    *count = 0;
    for (int64_t k = 0; k < call->pieces; k++)
        for (int64_t n = 0; n < call->blocks[k].count; n++) {
            bmf_fetch_block *block = &call->blocks[k].block[n];
            int64_t requester = call->piece[k].processor;
            block->request = BMF_FETCH_LOCAL;
            if (bmf_partition_processor(call->xs->partition, block->owner) != requester)
                sorted[(*count)++] = block;
        }
    qsort(sorted, (size_t)*count, sizeof *sorted, by_request);
    return sorted;
}

/* Gives every block its place and joins those of a part and an owner. */
static void make_requests(bmf_project_call *call)
{
    int64_t count;
    bmf_fetch_block **sorted = sort_blocks(call, &count);
    call->outgoing_request = allocate_clear(count, (int64_t)sizeof *call->outgoing_request);
    for (int64_t k = 0; k < count; k++) {
        bmf_fetch_block *block = sorted[k];
        if (k == 0 || block->part != sorted[k - 1]->part || block->owner != sorted[k - 1]->owner)
            call->outgoing_request[call->outgoing_requests++] =
                (bmf_outgoing_request){.requester = bmf_partition_processor(call->indices->partition, block->part),
                                       .owner = bmf_partition_processor(call->xs->partition, block->owner),
                                       .first = call->requested};
        block->request = call->outgoing_requests - 1;
        block->first = call->requested;
        call->outgoing_request[block->request].count += block->count;
        call->requested += block->count;
    }
    free(sorted);
}

/* Without a branch on where an index belongs, which is as good as random: own ones are written where nobody looks. */
static int fill_requests(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    bmf_project_call *call = state;
    const bmf_piece_blocks *blocks = &call->blocks[index];
    int64_t origin = bmf_partition_local_begin(call->indices->partition), nowhere;
    (void)worker;
    if (project_all_local(blocks))
        return 0;
    int64_t **to = allocate(blocks->count * (int64_t)sizeof *to),
            *step = allocate(blocks->count * (int64_t)sizeof *step);
    for (int64_t k = 0; k < blocks->count; k++) {
        const bmf_fetch_block *block = &blocks->block[k];
        step[k] = block->request != BMF_FETCH_LOCAL;
        to[k] = step[k] ? call->requested_index + block->first : &nowhere;
    }
    for (int64_t i = piece->begin - origin; i < piece->end - origin; i++) {
        int32_t slot = call->slot[i];
        *to[slot] = project_index(call, i);
        to[slot] += step[slot];
    }
    free(to);
    free(step);
    return 0;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_project_call *call = state;
    segment[0] = (bmf_segment){call->requested_index + message->first, message->bytes};
    return 1;
}

static bmf_incoming_request *add_incoming(bmf_project_call *call, int64_t requester, int64_t owner, int64_t count)
{
    bmf_incoming_request *request =
        ARRAY_APPEND(call->incoming_request, call->incoming_requests, call->incoming_capacity);
    *request = (bmf_incoming_request){.requester = requester,
                                      .owner = owner,
                                      .count = count,
                                      .buffer = working_buffer(count * (int64_t)sizeof(int64_t))};
    request->index = request->buffer->data;
    return request;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const int64_t count = message->bytes / (int64_t)sizeof(int64_t);
    segment[0] = (bmf_segment){add_incoming(state, message->from, message->to, count)->index, message->bytes};
    return 1;
}

static int by_owner(const void *a, const void *b)
{
    const bmf_incoming_request *x = a, *y = b;
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->requester < y->requester ? -1 : x->requester > y->requester;
}

static int send_requests(bmf_project_call *call)
{
    bmf_round round = {allocate(call->outgoing_requests * (int64_t)sizeof(bmf_message)), call->outgoing_requests,
                       call->outgoing_requests};
    bmf_transfer transfer = {outgoing, incoming, call};
    for (int64_t k = 0; k < call->outgoing_requests; k++) {
        const bmf_outgoing_request *request = &call->outgoing_request[k];
        round.message[k] = (bmf_message){request->requester, request->owner, request->count * (int64_t)sizeof(int64_t),
                                         request->first, request->count};
    }
    int status = call->ctx->backend->exchange_sparse(call->ctx, &round, 0, &transfer);
    free(round.message);
    return status;
}

/* Runs [begin, end) have the same ends. */
static void add_known_request(bmf_project_call *call, const bmf_progression_run *begin, const bmf_progression_run *end)
{
    int64_t count = 0;
    for (const bmf_progression_run *run = begin; run < end; run++)
        count += run->end - run->begin;
    int64_t *index = add_incoming(call, begin->to, begin->from, count)->index;
    for (const bmf_progression_run *run = begin; run < end; run++)
        for (int64_t i = run->begin; i < run->end; i++)
            *index++ = progression_at(call->progression, i);
}

/* What others would request, as it is known here. */
static void know_requests(bmf_project_call *call)
{
    bmf_progression_runs runs;
    progression_runs(call->ctx, call->progression, call->xs->partition, call->indices->partition, &runs);
    for (int64_t k = 0, next; k < runs.count; k = next) {
        const bmf_progression_run *run = &runs.run[k];
        for (next = k + 1; next < runs.count && runs.run[next].from == run->from && runs.run[next].to == run->to;)
            next++;
        if (is_local(call->ctx, run->from) && run->from != run->to)
            add_known_request(call, run, &runs.run[next]);
    }
    free(runs.run);
}

static void number_answers(bmf_project_call *call)
{
    if (call->incoming_requests > 0)
        qsort(call->incoming_request, (size_t)call->incoming_requests, sizeof *call->incoming_request, by_owner);
    for (int64_t k = 0; k < call->incoming_requests; k++) {
        call->incoming_request[k].first = call->answered;
        call->answered += call->incoming_request[k].count;
    }
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
    int64_t max = call->incoming_requests + call->outgoing_requests, count = 0;
    bmf_message *message = allocate(max * (int64_t)sizeof *message);
    for (int64_t k = 0; k < call->incoming_requests; k++)
        message[count++] = (bmf_message){.from = call->incoming_request[k].owner,
                                         .to = call->incoming_request[k].requester,
                                         .bytes = call->incoming_request[k].count,
                                         .count = call->incoming_request[k].count};
    for (int64_t k = 0; k < call->outgoing_requests; k++)
        if (!is_local(call->ctx, call->outgoing_request[k].owner)) /* those of this host came in as requests */
            message[count++] = (bmf_message){.from = call->outgoing_request[k].owner,
                                             .to = call->outgoing_request[k].requester,
                                             .bytes = call->outgoing_request[k].count,
                                             .count = call->outgoing_request[k].count};
    for (int64_t k = 0; k < count; k++)
        message[k].bytes = element_bytes < 0 ? BMF_BYTES_UNKNOWN : message[k].count * element_bytes;
    qsort(message, (size_t)count, sizeof *message, by_ends);
    *round = (bmf_round){message, count, max};
}

static int outgoing_by_ends(const void *key, const void *entry)
{
    const bmf_message *answer = key;
    const bmf_outgoing_request *request = entry;
    if (answer->to != request->requester)
        return answer->to < request->requester ? -1 : 1;
    return answer->from < request->owner ? -1 : answer->from > request->owner;
}

bmf_outgoing_request *project_outgoing_request(const bmf_project_call *call, const bmf_message *answer)
{
    return bsearch(answer, call->outgoing_request, (size_t)call->outgoing_requests, sizeof *call->outgoing_request,
                   outgoing_by_ends);
}

static int incoming_by_ends(const void *key, const void *entry)
{
    const bmf_message *answer = key;
    const bmf_incoming_request *request = entry;
    if (answer->from != request->owner)
        return answer->from < request->owner ? -1 : 1;
    return answer->to < request->requester ? -1 : answer->to > request->requester;
}

bmf_incoming_request *project_incoming_request(const bmf_project_call *call, const bmf_message *answer)
{
    return bsearch(answer, call->incoming_request, (size_t)call->incoming_requests, sizeof *call->incoming_request,
                   incoming_by_ends);
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
        free(call->blocks[k].block);
    for (int worker = 0; worker < call->ctx->threads; worker++)
        free(call->block_of_owner[worker]);
    for (int64_t k = 0; k < call->incoming_requests; k++)
        buffer_release(call->incoming_request[k].buffer);
    free(call->blocks);
    free(call->block_of_owner);
    buffer_release(call->slots);
    buffer_release(call->requested_buffer);
    free(call->outgoing_request);
    free(call->incoming_request);
    free(call->piece);
}

static int project(bmf_project_call *call, bmf_list **out)
{
    bmf_context *ctx = call->ctx;
    pieces_create(ctx, call->indices->partition, BMF_BLOCK, &call->piece, &call->pieces);
    call->blocks = allocate_clear(call->pieces, (int64_t)sizeof *call->blocks);
    for (int64_t k = 0; k < call->pieces; k++)
        call->blocks[k].bad = -1;
    call->block_of_owner = allocate_clear(ctx->threads, (int64_t)sizeof *call->block_of_owner);
    call->slots = working_buffer(call->indices->column.count * (int64_t)sizeof *call->slot);
    call->slot = call->slots->data;
    BMF_TRY(compute(call, "project owners", 0, find_owners));
    BMF_TRY(failure_defer(ctx, check_range(call))); /* the requests' round settles */
    if (!ctx->sends_marks)
        make_requests(call);
    call->requested_buffer = working_buffer(call->requested * (int64_t)sizeof *call->requested_index);
    call->requested_index = call->requested_buffer->data;
    if (!ctx->sends_marks)
        BMF_TRY(compute(call, "project requests", 1, fill_requests));
    if (call->progression)
        know_requests(call);
    else
        BMF_TRY(send_requests(call));
    number_answers(call);
    return bmf_type_is_fixed(call->xs->type) ? project_fixed(call, out) : project_nested(call, out);
}

static void plan_progression(const bmf_project_call *call)
{
    const bmf_progression *p = call->progression;
    if (plan_wanted(call->ctx))
        fprintf(call->ctx->plan,
                "  index i is (%" PRId64 " %c %" PRId64 " i) mod %" PRId64 ": known to all, no requests\n", p->first,
                p->step < 0 ? '-' : '+', p->step < 0 ? -p->step : p->step, p->length);
}

static int project_with_requests(bmf_project_call *call, bmf_list **out)
{
    const int status = project(call, out);
    free_call(call);
    return status;
}

/* Looks what kind of list the indices are, and projects accordingly. */
static int project_any(bmf_project_call *call, bmf_list **out)
{
    const bmf_list *xs = call->xs, *indices = call->indices;
    const bool local = project_is_local(xs, indices);
    bmf_progression progression;
    bool known = false, done;
    if (!local)
        BMF_TRY(progression_recognise(xs, indices, &progression, &known));
    if (known) {
        call->progression = &progression;
        plan_progression(call);
        return bmf_type_is_fixed(xs->type) ? project_progression(xs, indices, &progression, out)
                                           : project_with_requests(call, out);
    }
    BMF_TRY(project_permutation(xs, indices, &done, out));
    if (done)
        return BMF_OK;
    return local ? project_local(xs, indices, out) : project_with_requests(call, out);
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
    return skeleton_end(ctx, indices->partition, project_any(&call, out));
}
