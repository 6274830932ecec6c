/* project's answers, elements of fixed size.
 *
 * Method: answers are gathered leaf by leaf, a block of element numbers at a time, straight into what is sent; the
 * result is filled in list order from the own elements and from the arrived streams.
 * Cost: w bytes read at random and w written, on each side. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "bmf/kernel.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/scalar_size.h"
#include "skeletons/project/indices.h"
#include "skeletons/project/project.h"

/* Places whose elements are on their way at once. */
enum { AHEAD = 256 };

typedef struct fixed_answers {
    bmf_project_call *call;
    int leaves;
    int64_t size[BMF_MAX_LEAVES];
    char *sent[BMF_MAX_LEAVES];             /* answers elements */
    char *arrived[BMF_MAX_LEAVES];          /* requests elements */
    bmf_buffer *buffer[2 * BMF_MAX_LEAVES]; /* own the two above */
    bmf_slice own[BMF_MAX_LEAVES];          /* the local elements of xs */
    bmf_slice result[BMF_MAX_LEAVES];
    bmf_piece *piece;                     /* of the answers */
    const bmf_incoming_request **request; /* by piece */
    int64_t pieces;
} fixed_answers;

/* ---- answering ---- */

/* Cuts the answers into pieces of about the same size for every worker, each of one request. */
static void cut_answers(fixed_answers *all)
{
    bmf_project_call *call = all->call;
    const int64_t shares = work_shares(call->ctx), share = call->answered / shares + 1;
    const int64_t max = call->incoming_requests + shares;
    all->piece = allocate(max * (int64_t)sizeof *all->piece);
    all->request = allocate(max * (int64_t)sizeof *all->request);
    for (int64_t k = 0; k < call->incoming_requests; k++) {
        const bmf_incoming_request *request = &call->incoming_request[k];
        for (int64_t begin = request->first, end; begin < request->first + request->count; begin = end) {
            int64_t worker = begin / share;
            end = (worker + 1) * share;
            end = end < request->first + request->count ? end : request->first + request->count;
            all->request[all->pieces] = request;
            all->piece[all->pieces++] = (bmf_piece){
                .part = request->owner, .processor = request->owner, .begin = begin, .end = end, .worker = (int)worker};
        }
    }
}

static int answer(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    fixed_answers *all = state;
    const bmf_incoming_request *request = all->request[index];
    int64_t origin = bmf_partition_local_begin(all->call->xs->partition);
    (void)worker;
    for (int64_t begin = piece->begin, count; begin < piece->end; begin += count) {
        count = piece->end - begin < BMF_BLOCK ? piece->end - begin : BMF_BLOCK;
        for (int k = 0; k < all->leaves; k++)
            fetch_elements(all->sent[k] + begin * all->size[k], all->size[k], &all->own[k], origin,
                           request->index + (begin - request->first), count, piece->end - begin - count);
    }
    return 0;
}

/* ---- the round ---- */

static int segments_at(const fixed_answers *all, char *const *memory, int64_t first, int64_t count,
                       bmf_segment *segment)
{
    for (int k = 0; k < all->leaves; k++)
        segment[k] = (bmf_segment){memory[k] + first * all->size[k], count * all->size[k]};
    return all->leaves;
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const fixed_answers *all = state;
    return segments_at(all, all->sent, project_incoming_request(all->call, message)->first, message->count, segment);
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const fixed_answers *all = state;
    return segments_at(all, all->arrived, project_outgoing_request(all->call, message)->first, message->count, segment);
}

/* ---- the result ---- */

/* Block by block: where every element is, then leaf by leaf. Own elements are at place >= 0, arrived ones at ~place.
 * Neither branches on which of the two an element is, which is as good as random. */
static void find_places(const bmf_project_call *call, bmf_fetch_block *blocks, int64_t position, int64_t count,
                        int64_t *place)
{
    int64_t origin = bmf_partition_local_begin(call->xs->partition);
    for (int64_t i = 0; i < count; i++) {
        bmf_fetch_block *block = &blocks[call->slot[position + i]];
        int64_t own = project_index(call, position + i) - origin, arrived = ~block->next;
        int64_t is_own = -(int64_t)(block->request == BMF_FETCH_LOCAL); /* all bits */
        place[i] = (own & is_own) | (arrived & ~is_own);
        block->next++; /* of own ones nobody asks */
    }
}

/* A leaf's two sources: [0] own elements, [1] arrived ones. */
typedef struct leaf_sources {
    uintptr_t data[2];
    int64_t stride[2];
} leaf_sources;

BMF_INLINE const void *element_at(const leaf_sources *from, int64_t place)
{
    const int arrived = place < 0;
    const int64_t at = place ^ -(int64_t)arrived;
    return (const void *)(from->data[arrived] + (uintptr_t)(at * from->stride[arrived]));
}

BMF_INLINE void put_one(char *to, const leaf_sources *from, const int64_t *place, int64_t ahead, int64_t size)
{
    __builtin_prefetch(element_at(from, place[ahead]));
    memcpy(to, element_at(from, place[0]), (size_t)size);
}

#define PUT(size)                                                                                                      \
    for (int64_t i = 0; i < count; i++)                                                                                \
    put_one(to + i * (size), &from, place + i, ahead, size)

static void put_ahead(char *to, int64_t size, leaf_sources from, const int64_t *place, int64_t count, int64_t ahead)
{
    WITH_SCALAR_SIZE(size, PUT);
}

/* The first `count` of `known` places. */
static void put(char *to, int64_t size, leaf_sources from, const int64_t *place, int64_t count, int64_t known)
{
    const int64_t far = known - AHEAD < 0 ? 0 : known - AHEAD < count ? known - AHEAD : count;
    put_ahead(to, size, from, place, far, AHEAD);
    put_ahead(to + far * size, size, from, place + far, count - far, 0);
}

/* Where nothing comes from elsewhere. */
static int place_own(const fixed_answers *all, int64_t begin, int64_t end)
{
    int64_t origin = bmf_partition_local_begin(all->call->xs->partition), count;
    for (; begin < end; begin += count) {
        int64_t room[BMF_BLOCK];
        count = end - begin < BMF_BLOCK ? end - begin : BMF_BLOCK;
        const int64_t *index = indices_at(&all->call->indices->column, begin, count, room);
        for (int k = 0; k < all->leaves; k++)
            fetch_elements((char *)all->result[k].data + begin * all->size[k], all->size[k], &all->own[k], origin,
                           index, count, index == room ? 0 : end - begin - count);
    }
    return 0;
}

static int place_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    fixed_answers *all = state;
    const bmf_project_call *call = all->call;
    bmf_piece_blocks *blocks = &call->blocks[index];
    int64_t origin = bmf_partition_local_begin(call->indices->partition);
    (void)worker;
    if (project_all_local(blocks))
        return place_own(all, piece->begin - origin, piece->end - origin);
    for (int64_t k = 0; k < blocks->count; k++)
        blocks->block[k].next = blocks->block[k].first;
    int64_t place[BMF_BLOCK + AHEAD], known = 0, end = piece->end - origin;
    for (int64_t begin = piece->begin - origin, count; begin < end; begin += count) {
        int64_t wanted = end - begin < BMF_BLOCK + AHEAD ? end - begin : BMF_BLOCK + AHEAD;
        count = end - begin < BMF_BLOCK ? end - begin : BMF_BLOCK;
        find_places(call, blocks->block, begin + known, wanted - known, place + known);
        for (int k = 0; k < all->leaves; k++) {
            const bmf_slice *own = &all->own[k];
            const int64_t size = all->size[k];
            put((char *)all->result[k].data + begin * size, size,
                (leaf_sources){{(uintptr_t)own->data, (uintptr_t)all->arrived[k]}, {own->stride, size}}, place, count,
                wanted);
        }
        known = wanted - count;
        memmove(place, place + count, (size_t)known * sizeof *place);
    }
    return 0;
}

/* ---- all together ---- */

static void allocate_answers(fixed_answers *all)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    all->leaves = bmf_type_leaves(all->call->xs->type, leaf);
    for (int k = 0; k < all->leaves; k++) {
        all->size[k] = leaf[k]->size;
        all->buffer[2 * k] = working_buffer(all->call->answered * leaf[k]->size);
        all->buffer[2 * k + 1] = working_buffer(all->call->requested * leaf[k]->size);
        all->sent[k] = all->buffer[2 * k]->data;
        all->arrived[k] = all->buffer[2 * k + 1]->data;
    }
    column_slices(&all->call->xs->column, 0, all->own);
}

static void free_answers(fixed_answers *all)
{
    for (int k = 0; k < 2 * all->leaves; k++)
        buffer_release(all->buffer[k]);
    free(all->piece);
    free(all->request);
}

static int answer_all(fixed_answers *all)
{
    bmf_context *ctx = all->call->ctx;
    bmf_transfer transfer = {outgoing, incoming, all};
    bmf_round round;
    cut_answers(all);
    BMF_TRY(backend_compute(ctx, &(bmf_work){.kernel = "project answers",
                                             .round = 2,
                                             .piece = all->piece,
                                             .pieces = all->pieces,
                                             .run = answer,
                                             .state = all}));
    project_answer_round(all->call, type_element_bytes(all->call->xs->type), &round);
    int status = ctx->backend->exchange(ctx, &round, 1, &transfer);
    free(round.message);
    return status;
}

int project_fixed(bmf_project_call *call, bmf_list **out)
{
    fixed_answers all = {.call = call};
    bmf_list *made;
    BMF_TRY(bmf_list_create(call->ctx, call->xs->type, call->indices->partition, &made));
    allocate_answers(&all);
    column_slices(&made->column, 0, all.result);
    int status = answer_all(&all);
    if (status == BMF_OK)
        status = backend_compute(call->ctx, &(bmf_work){.kernel = "project place",
                                                        .round = 3,
                                                        .piece = call->piece,
                                                        .pieces = call->pieces,
                                                        .run = place_piece,
                                                        .state = &all});
    free_answers(&all);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}
