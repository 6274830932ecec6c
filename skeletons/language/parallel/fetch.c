/* P_Project and B_Index of distributed lists: elements sent to whoever requests them. Document 000, 5.9.
 *
 * Method: a request is a pair (target, element). How holders hear of those of a placed list of indices is in
 * skeletons/language/parallel/placed_indices.c. Indices that are distributed themselves, and those of B_Index, are sent
 * to the holders in a sparse round. Holders answer with packed elements; only where targets do not know what they
 * requested, on processors without an element of a shorter list, in a sparse round.
 * Cost: of the requests of a placed list none or count - 1 messages, otherwise one of 8 bytes an index; then one
 * message for every element that changes its processor, and none for those that stay. */
#include <stdlib.h>

#include "runtime/base/search.h"
#include "skeletons/language/parallel/fetch.h"

static void add_message(bmf_schedule *schedule, int64_t from, int64_t to, int64_t bytes, int64_t first, int64_t count)
{
    bmf_message message = {.from = from, .to = to, .bytes = bytes, .first = first, .count = count};
    schedule_add(schedule, 0, message);
}

static bmf_schedule *one_round(const bmf_context *ctx)
{
    bmf_schedule *schedule =
        schedule_create("sparse", ctx->first_processor, ctx->first_processor + ctx->local_processors);
    schedule_extend(schedule, 1);
    return schedule;
}

/* ---- requests ---- */

typedef struct index_messages {
    bmf_fetch_requests *requests;
    int64_t word; /* an index on the wire; what it says stands in the message's first and count */
} index_messages;

static int outgoing_index(void *state, const bmf_message *message, bmf_segment *segment)
{
    index_messages *all = state;
    (void)message;
    segment[0] = (bmf_segment){&all->word, (int64_t)sizeof all->word};
    return 1;
}

static int incoming_index(void *state, const bmf_message *message, bmf_segment *segment)
{
    index_messages *all = state;
    fetch_add_request(all->requests, message->first, message->count);
    return outgoing_index(state, message, segment);
}

static int by_target(const void *a, const void *b)
{
    const bmf_fetch_request *x = a, *y = b;
    return x->target < y->target ? -1 : x->target > y->target;
}

void fetch_sort_requests(bmf_fetch_requests *all)
{
    if (all->count > 0)
        qsort(all->request, (size_t)all->count, sizeof *all->request, by_target);
}

/* Targets on this rank request an element each of its holder. element[n] is for the n-th local target. */
static int send_requests(bmf_context *ctx, const bmf_layout *targets, const bmf_layout *elements,
                         const int64_t *element, bmf_fetch_requests *requests)
{
    bmf_schedule *schedule = one_round(ctx);
    index_messages all = {.requests = requests};
    for (int64_t n = 0; n < targets->local_count && !ctx->sends_marks; n++) {
        int64_t target = targets->local[n], from = targets->processor[target], to = elements->processor[element[n]];
        if (from == to)
            fetch_add_request(requests, target, element[n]);
        else
            add_message(schedule, from, to, (int64_t)sizeof(int64_t), target, element[n]);
    }
    bmf_transfer transfer = {outgoing_index, incoming_index, &all};
    int status = ctx->backend->exchange_sparse(ctx, &schedule->round[0], 0, &transfer);
    schedule_free(schedule);
    fetch_sort_requests(requests);
    return status;
}

/* ---- answering ---- */

/* Packs what is requested, every element once. */
static int pack_requested(bmf_evaluator *evaluator, const bmf_layout *elements, bmf_value *values,
                          const bmf_fetch_requests *requests, bmf_parcels *parcels)
{
    bmf_column column;
    BMF_TRY(value_to_column(evaluator->ctx, values, &column));
    int64_t *packed = allocate((elements->local_count + 1) * (int64_t)sizeof *packed);
    for (int64_t n = 0; n < elements->local_count; n++)
        packed[n] = -1;
    for (int64_t k = 0; k < requests->count; k++) {
        int64_t n = last_not_above(elements->local, elements->local_count, requests->request[k].element),
                target = requests->request[k].target;
        if (packed[n] < 0)
            parcels_pack(parcels, target, &column, n, n + 1);
        else
            parcels_copy(parcels, packed[n], target);
        packed[n] = target;
    }
    free(packed);
    column_free(&column);
    return BMF_OK;
}

/* The answers that leave this rank, by target. known: for a round whose receivers know it, too. */
static void add_answers(const bmf_layout *targets, const bmf_layout *elements, const bmf_fetch_requests *requests,
                        const bmf_parcels *parcels, bool known, bmf_schedule *schedule)
{
    for (int64_t k = 0; k < requests->count; k++) {
        int64_t target = requests->request[k].target;
        int64_t from = elements->processor[requests->request[k].element], to = targets->processor[target];
        if (from != to)
            add_message(schedule, from, to, known ? parcels->element_bytes : parcels->parcel[target].bytes, target, 1);
    }
}

/* The answers that come from other ranks, by target; bytes: of each, or BMF_BYTES_UNKNOWN. */
static void expect_answers(const bmf_context *ctx, const bmf_layout *targets, const bmf_layout *elements,
                           const int64_t *element, int64_t bytes, bmf_schedule *schedule)
{
    for (int64_t n = 0; n < targets->local_count; n++) {
        int64_t target = targets->local[n], from = elements->processor[element[n]];
        if (!is_local(ctx, from))
            add_message(schedule, from, targets->processor[target], bytes, target, 1);
    }
}

/* The requested elements as a batch for this rank's targets. values: the elements on this rank, taken over. element:
 * what the n-th local target requested; NULL, everywhere, if targets do not know. */
static int answer(bmf_evaluator *evaluator, const bmf_layout *targets, const bmf_layout *elements, bmf_value *values,
                  const bmf_fetch_requests *requests, const int64_t *element, bmf_value *out)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = values->type;
    bmf_parcels parcels;
    parcels_open(&parcels, ctx, type, targets->count);
    int status = pack_requested(evaluator, elements, values, requests, &parcels);
    value_free(values);
    if (status == BMF_OK) {
        bmf_schedule *schedule = one_round(ctx);
        add_answers(targets, elements, requests, &parcels, element, schedule);
        if (element)
            expect_answers(ctx, targets, elements, element, parcels.element_bytes, schedule);
        status = element ? parcels_exchange(&parcels, &schedule->round[0], 1)
                         : parcels_deliver(&parcels, &schedule->round[0], 1);
        schedule_free(schedule);
    }
    if (status == BMF_OK)
        status = value_from_parcels(&parcels, type, targets->local, targets->local_count, out);
    parcels_close(&parcels);
    return status;
}

/* ---- indices ---- */

int fail_index(bmf_evaluator *evaluator, const bmf_expression *by, const bmf_frame *frame, int64_t instance,
               int64_t index, int64_t length)
{
    bmf_failure failure = {.kind = BMF_FAILURE_INDEX, .expression = by, .element = instance, .value = {index, length}};
    return frame_fail(evaluator, frame, &failure);
}

void note_failed_index(bmf_evaluator *evaluator, int status)
{
    if (status != BMF_OK && !evaluator->ctx->sends_marks)
        failure_note(evaluator->ctx, status);
}

/* B_Index: one index an instance. */
static int index_elements(bmf_evaluator *evaluator, const bmf_expression *index, const bmf_frame *frame,
                          const bmf_layout *instances, const bmf_distribution *spread, const bmf_value *indices,
                          int64_t *element)
{
    for (int64_t n = 0; n < instances->local_count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        int64_t i = index_at(indices, n), length = offset[1] - offset[0];
        if (i < 0 || i >= length)
            return fail_index(evaluator, index, frame, n, i, length);
        element[n] = offset[0] + i;
    }
    return BMF_OK;
}

/* ---- P_Project ---- */

/* An index on each processor of the result. */
static int project_distributed(bmf_evaluator *evaluator, bmf_expression *project, bmf_frame *frame,
                               const bmf_distribution *spread, const bmf_value *indices, bmf_fetch_requests *requests,
                               bmf_distribution **results, int64_t **element_of)
{
    const bmf_value *numbers = &indices->child[0];
    bmf_item *item = distribution_items(indices->spread);
    int64_t *element = allocate((numbers->count + 1) * (int64_t)sizeof *element);
    bmf_frame inner;
    int status = BMF_OK;
    frame_open_spread(frame, project, indices->spread, &inner);
    for (int64_t n = 0; status == BMF_OK && n < numbers->count; n++) {
        const int64_t *offset = spread->offsets + item[n].instance;
        int64_t i = index_at(numbers, n), length = offset[1] - offset[0];
        if (i < 0 || i >= length)
            status = fail_index(evaluator, project, &inner, n, i, length);
        element[n] = offset[0] + i;
    }
    frame_close(&inner);
    note_failed_index(evaluator, status);
    status = send_requests(evaluator->ctx, indices->spread->elements, spread->elements, element, requests);
    if (status == BMF_OK)
        *results = distribution_retain(indices->spread);
    *element_of = element;
    free(item);
    return status;
}

int evaluate_parallel_project(bmf_evaluator *evaluator, bmf_expression *project, bmf_frame *frame, bmf_value *x,
                              bmf_value *out)
{
    bmf_value indices, elements, fetched;
    bmf_distribution *spread = distribution_retain(x->child[0].spread), *results = NULL;
    bmf_layout *instances;
    bmf_fetch_requests requests = {0};
    int64_t count = x->count, *element = NULL;
    value_move(&x->child[0].child[0], &elements);
    value_move(&x->child[1], &indices);
    value_free(x);
    operation_begin(evaluator, project);
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK)
        status =
            indices.spread
                ? project_distributed(evaluator, project, frame, spread, &indices, &requests, &results, &element)
                : project_placed(evaluator, project, frame, instances, spread, &indices, &requests, &results, &element);
    if (status == BMF_OK)
        status = answer(evaluator, results->elements, spread->elements, &elements, &requests, element, &fetched);
    free(element);
    value_free(&indices);
    value_free(&elements);
    free(requests.request);
    distribution_release(spread);
    if (status == BMF_OK)
        value_distribute(count, results, &fetched, out);
    else
        distribution_release(results);
    return operation_end(evaluator, status);
}

int evaluate_parallel_index(bmf_evaluator *evaluator, bmf_expression *index, bmf_frame *frame, bmf_value *x,
                            bmf_value *out)
{
    bmf_value indices, elements;
    bmf_distribution *spread = distribution_retain(x->child[0].spread);
    bmf_layout *instances;
    bmf_fetch_requests requests = {0};
    int64_t *element = allocate((x->count + 1) * (int64_t)sizeof *element);
    value_move(&x->child[0].child[0], &elements);
    value_move(&x->child[1], &indices);
    value_free(x);
    operation_begin(evaluator, index);
    int status = frame_layout(evaluator, frame, &instances);
    if (status == BMF_OK) {
        note_failed_index(evaluator, index_elements(evaluator, index, frame, instances, spread, &indices, element));
        status = send_requests(evaluator->ctx, instances, spread->elements, element, &requests);
    }
    if (status == BMF_OK)
        status = answer(evaluator, instances, spread->elements, &elements, &requests, element, out);
    value_free(&indices);
    value_free(&elements);
    free(requests.request), free(element);
    distribution_release(spread);
    return operation_end(evaluator, status);
}
