/* P_Project by lists of indices that lie on the processors of their instances: how the processors of elements and of
 * results hear of them. Document 000, 5.9.
 *
 * Method: if all lists are progressions (index k is first + k step: the identity, a reversal, one element for all),
 * every rank computes them from three numbers, which are told beside the lengths. Otherwise a list of indices goes as a
 * split to the processors of the elements: each gets its part, who wants its element and which element it gets itself.
 * Cost: no messages, or those of a split: count - 1 messages of 16 bytes and 8 an index. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "skeletons/language/parallel/fetch.h"

/* What all ranks know of a list of indices. */
typedef struct index_list {
    int64_t length, first, step;
    int64_t is_progression;
} index_list;

enum { NUMBERS = sizeof(index_list) / sizeof(int64_t) };

/* ---- what all ranks know ---- */

static index_list describe(const bmf_value *lists, int64_t n)
{
    const int64_t begin = lists->begin[n * lists->step];
    index_list list = {.length = value_length(lists, n), .is_progression = true};
    list.first = list.length > 0 ? index_at(&lists->child[0], begin) : 0;
    list.step = list.length > 1 ? index_at(&lists->child[0], begin + 1) - list.first : 0;
    for (int64_t k = 0; k < list.length && list.is_progression; k++)
        list.is_progression = index_at(&lists->child[0], begin + k) == list.first + k * list.step;
    return list;
}

/* The lists of all instances in their order, on every rank. Collective; settles failures. */
static int collect_lists(bmf_context *ctx, const bmf_layout *instances, const bmf_value *lists, index_list *all)
{
    index_list *local = allocate_array(lists->count + 1, (int64_t)sizeof *local);
    index_list *by_rank = allocate_array(instances->count + 1, (int64_t)sizeof *by_rank);
    int64_t *next = allocate_clear(ctx->ranks + 1, (int64_t)sizeof *next);
    for (int64_t n = 0; n < lists->count; n++)
        local[n] = describe(lists, n);
    int status = layout_allgather(ctx, instances, NUMBERS, (const int64_t *)local, (int64_t *)by_rank);
    for (int64_t c = 0; c < instances->count; c++)
        next[bmf_rank_of(ctx, instances->processor[c]) + 1]++;
    for (int r = 0; r < ctx->ranks; r++)
        next[r + 1] += next[r];
    for (int64_t c = 0; c < instances->count; c++)
        all[c] = by_rank[next[bmf_rank_of(ctx, instances->processor[c])]++];
    free(local), free(by_rank), free(next);
    return status;
}

/* Where the results of one list lie: where its elements do, and on with the same step. */
static int place_results(bmf_evaluator *evaluator, const bmf_expression *project, const bmf_distribution *spread,
                         int64_t c, int64_t count, int64_t instance_processor, int64_t *processor)
{
    const int64_t *of_element = spread->elements->processor + spread->offsets[c];
    int64_t elements = spread->offsets[c + 1] - spread->offsets[c];
    int64_t base = elements > 0 ? of_element[0] : instance_processor;
    int64_t step = elements > 1 ? of_element[1] - of_element[0] : 1;
    if (count > 0 && count - 1 > (evaluator->ctx->processors - 1 - base) / step)
        return text_fail(evaluator->texts, evaluator->ctx, project->span, BMF_ERROR_SHAPE,
                         "P_Project to %" PRId64 " elements from processor %" PRId64
                         " goes beyond the machine's %" PRId64 " processors",
                         count, base, evaluator->ctx->processors);
    for (int64_t k = 0; k < count; k++)
        processor[k] = base + k * step;
    return BMF_OK;
}

static int make_results(bmf_evaluator *evaluator, const bmf_expression *project, const bmf_layout *instances,
                        const bmf_distribution *spread, const index_list *list, bmf_distribution **made)
{
    bmf_context *ctx = evaluator->ctx;
    int64_t *offsets = allocate_array(instances->count + 1, (int64_t)sizeof *offsets);
    int status = BMF_OK;
    offsets[0] = 0;
    for (int64_t c = 0; c < instances->count; c++)
        offsets[c + 1] = offsets[c] + list[c].length;
    int64_t *processor = allocate_array(offsets[instances->count] + 1, (int64_t)sizeof *processor);
    for (int64_t c = 0; status == BMF_OK && c < instances->count; c++)
        status = place_results(evaluator, project, spread, c, list[c].length, instances->processor[c],
                               processor + offsets[c]);
    if (status == BMF_OK)
        *made =
            distribution_create(instances->count, offsets, layout_create(ctx, offsets[instances->count], processor));
    free(offsets), free(processor);
    return status;
}

static int check_indices(bmf_evaluator *evaluator, const bmf_expression *project, const bmf_frame *frame,
                         const bmf_layout *instances, const bmf_distribution *spread, const bmf_value *lists)
{
    for (int64_t n = 0; n < lists->count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        for (int64_t k = lists->begin[n * lists->step]; k < lists->end[n * lists->step]; k++) {
            int64_t i = index_at(&lists->child[0], k);
            if (i < 0 || i >= offset[1] - offset[0])
                return fail_index(evaluator, project, frame, n, i, offset[1] - offset[0]);
        }
    }
    return BMF_OK;
}

/* Whether every result lies on the processor of an element of its list, which hears of the list there. */
static bool results_know(const bmf_distribution *spread, const index_list *list)
{
    bool all = true;
    for (int64_t c = 0; c < spread->instances && all; c++)
        all = list[c].length <= spread->offsets[c + 1] - spread->offsets[c];
    return all;
}

/* ---- computing ---- */

/* What is asked of an element, and which element its processor gets. */
static void compute_part(const bmf_distribution *spread, const bmf_distribution *results, const index_list *list,
                         const bmf_item *item, bmf_fetch_requests *requests)
{
    const int64_t c = item->instance, away = item->item - list->first, target = results->offsets[c];
    const int64_t element = spread->offsets[c] + item->item;
    if (list->step == 0) {
        for (int64_t k = 0; k < list->length && away == 0; k++)
            fetch_add_request(requests, target + k, element);
    } else if (away % list->step == 0 && away / list->step >= 0 && away / list->step < list->length) {
        fetch_add_request(requests, target + away / list->step, element);
    }
}

static void print_computed(const bmf_evaluator *evaluator, const bmf_expression *project)
{
    char type[200];
    const bmf_context *ctx = evaluator->ctx;
    if (ctx->plan && ctx->rank == 0)
        fprintf(ctx->plan, "%s of %s\n  indices are first + k step: computed everywhere, no messages\n",
                expression_keyword(project), bmf_type_print(project->in, type, sizeof type));
}

/* ---- sending ---- */

/* Of the parts of one list, as they are sent: for each element the index of its own result (-1: none), and which
 * results want it. */
typedef struct index_parts {
    int64_t *number; /* all parts one after the other */
    int64_t *start;  /* of each, and the end */
} index_parts;

static index_parts make_parts(const bmf_value *lists, int64_t n, int64_t elements)
{
    const int64_t length = value_length(lists, n), begin = lists->begin[n * lists->step];
    index_parts parts = {.number = allocate_array(length + elements + 1, (int64_t)sizeof *parts.number),
                         .start = allocate_clear(elements + 2, (int64_t)sizeof *parts.start)};
    int64_t *next = allocate_array(elements + 1, (int64_t)sizeof *next);
    for (int64_t k = 0; k < length; k++)
        parts.start[index_at(&lists->child[0], begin + k) + 1]++;
    for (int64_t e = 0; e < elements; e++) {
        parts.start[e + 1] += parts.start[e] + 1;
        next[e] = parts.start[e];
        parts.number[next[e]++] = e < length ? index_at(&lists->child[0], begin + e) : -1;
    }
    for (int64_t k = 0; k < length; k++)
        parts.number[next[index_at(&lists->child[0], begin + k)]++] = k;
    free(next);
    return parts;
}

static void pack_parts(const bmf_layout *instances, const bmf_distribution *spread, const bmf_value *lists,
                       const bmf_type *type, bmf_parcels *parcels)
{
    for (int64_t n = 0; n < lists->count; n++) {
        const int64_t *offset = spread->offsets + instances->local[n];
        index_parts parts = make_parts(lists, n, offset[1] - offset[0]);
        for (int64_t e = 0; e < offset[1] - offset[0]; e++) {
            int64_t *number = parts.number + parts.start[e], ends[2] = {0, parts.start[e + 1] - parts.start[e]};
            bmf_column child = {.type = type->component[0], .count = ends[1], .data = number, .stride = sizeof *number};
            const bmf_column list = {.type = type, .count = 1, .offsets = ends, .child = &child};
            parcels_pack(parcels, offset[0] + e, &list, 0, 1);
        }
        free(parts.number), free(parts.start);
    }
}

/* Reads the parts that have come to this rank; element: as project_placed wants it, or NULL. */
static void read_parts(const bmf_parcels *parcels, const bmf_distribution *spread, const bmf_distribution *results,
                       bmf_fetch_requests *requests, int64_t *element)
{
    bmf_item *item = distribution_items(spread);
    for (int64_t n = 0, result = 0; n < spread->elements->local_count; n++) {
        const int64_t e = spread->elements->local[n], c = item[n].instance;
        const char *at = parcel_data(parcels, e);
        int64_t count, own, target;
        memcpy(&count, at, sizeof count);
        memcpy(&own, at + sizeof count, sizeof own);
        if (element && own >= 0)
            element[result++] = spread->offsets[c] + own;
        for (int64_t k = 1; k < count; k++) {
            memcpy(&target, at + (k + 1) * (int64_t)sizeof target, sizeof target);
            fetch_add_request(requests, results->offsets[c] + target, e);
        }
    }
    free(item);
}

static int send_parts(bmf_evaluator *evaluator, const bmf_expression *project, const bmf_layout *instances,
                      const bmf_distribution *spread, const bmf_value *lists, bmf_parcels *parcels)
{
    bmf_context *ctx = evaluator->ctx;
    const bmf_type *type = bmf_type_list(&bmf_type_int);
    int64_t most = 0;
    for (int64_t c = 0; c < spread->instances; c++)
        most = spread->offsets[c + 1] - spread->offsets[c] > most ? spread->offsets[c + 1] - spread->offsets[c] : most;
    const bmf_algorithm *chosen = choose_algorithm(ctx, &(bmf_choice){.skeleton = "split", .count = most});
    bmf_schedule *schedule = distribution_schedule(ctx, spread, chosen);
    int status = BMF_OK;
    parcels_open(parcels, ctx, type, spread->elements->count);
    pack_parts(instances, spread, lists, type, parcels);
    distribution_plan(evaluator, project, spread, chosen);
    for (int r = 0; status == BMF_OK && r < schedule->rounds; r++)
        status = parcels_exchange(parcels, &schedule->round[r], (uint32_t)r);
    schedule_free(schedule);
    return status;
}

/* ---- both ---- */

static bool are_progressions(const index_list *list, int64_t count)
{
    bool all = true;
    for (int64_t c = 0; c < count && all; c++)
        all = list[c].is_progression;
    return all;
}

static void compute_parts(const bmf_distribution *spread, const bmf_distribution *results, const index_list *list,
                          bmf_fetch_requests *requests, int64_t *element)
{
    bmf_item *item = distribution_items(spread);
    for (int64_t n = 0, result = 0; n < spread->elements->local_count; n++) {
        const index_list *of = &list[item[n].instance];
        compute_part(spread, results, of, &item[n], requests);
        if (element && item[n].item < of->length)
            element[result++] = spread->offsets[item[n].instance] + of->first + item[n].item * of->step;
    }
    free(item);
}

int project_placed(bmf_evaluator *evaluator, bmf_expression *project, bmf_frame *frame, const bmf_layout *instances,
                   const bmf_distribution *spread, const bmf_value *lists, bmf_fetch_requests *requests,
                   bmf_distribution **results, int64_t **element)
{
    bmf_context *ctx = evaluator->ctx;
    bmf_parcels parcels = {0};
    index_list *list = allocate_array(instances->count + 1, (int64_t)sizeof *list);
    note_failed_index(evaluator, check_indices(evaluator, project, frame, instances, spread, lists));
    int status = collect_lists(ctx, instances, lists, list);
    if (status == BMF_OK)
        status = make_results(evaluator, project, instances, spread, list, results);
    const bool computed = status == BMF_OK && are_progressions(list, instances->count);
    if (status == BMF_OK && results_know(spread, list))
        *element = allocate_array((*results)->elements->local_count + 1, (int64_t)sizeof **element);
    if (computed) {
        print_computed(evaluator, project);
        compute_parts(spread, *results, list, requests, *element);
    } else if (status == BMF_OK) {
        status = send_parts(evaluator, project, instances, spread, lists, &parcels);
        if (status == BMF_OK && !ctx->sends_marks)
            read_parts(&parcels, spread, *results, requests, *element);
        parcels_close(&parcels);
    }
    fetch_sort_requests(requests);
    free(list);
    return status;
}
