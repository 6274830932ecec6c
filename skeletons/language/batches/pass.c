/* Passes over many elements: threads, offsets and positions.
 *
 * A pass that belongs to a frame's instances goes through the backend, one kernel event a processor; others are shared
 * among the threads directly. Sums of lengths and positions of a mask take two sweeps: each thread's total, then each
 * thread's part from where the one before ends. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/batches/operations.h"

static int workers_for(const bmf_context *ctx, int64_t count)
{
    return !ctx || count < BMF_ALONE ? 1 : ctx->threads;
}

void pass_open(bmf_evaluator *evaluator, const bmf_frame *frame, const char *kernel, const int64_t *offsets,
               bmf_pass *pass)
{
    *pass = (bmf_pass){.ctx = evaluator->ctx, .kernel = kernel, .runs = frame->runs};
    pass->run = allocate((frame->runs + 1) * (int64_t)sizeof *pass->run);
    for (int64_t r = 0; r < frame->runs; r++) {
        int64_t end = frame->run[r].end;
        pass->run[r] = (bmf_run_of_instances){frame->run[r].processor, offsets ? offsets[end] : end};
    }
}

void pass_close(bmf_pass *pass)
{
    free(pass->run);
    *pass = (bmf_pass){0};
}

void cut_pieces(int64_t runs, const bmf_run_of_instances *run, int64_t count, int workers, bmf_piece **piece,
                int64_t *pieces)
{
    int64_t share = (count + workers - 1) / workers, made = 0;
    bmf_piece *all = allocate((runs + workers + 1) * (int64_t)sizeof *all);
    for (int64_t r = 0, begin = 0; r < runs; r++) {
        while (begin < run[r].end) {
            int worker = (int)(begin / share);
            int64_t cut = (worker + 1) * share, end = cut < run[r].end ? cut : run[r].end;
            all[made++] = (bmf_piece){r, run[r].processor, begin, end, worker};
            begin = end;
        }
    }
    *piece = all;
    *pieces = made;
}

typedef struct pass_state {
    void (*run)(void *state, int64_t begin, int64_t end);
    void *state;
} pass_state;

static int run_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const pass_state *s = state;
    (void)index, (void)worker;
    s->run(s->state, piece->begin, piece->end);
    return 0;
}

/* The operation that a pass carries out, as in bmf_work; the others prepare one. */
static const char *operation_of(const bmf_pass *pass)
{
    static const char *const known[][2] = {
        {"concatenate", "B_Conc "}, {"distl", "B_Distl "},   {"index", "B_Index "},     {"iota", "B_Iota "},
        {"length", "B_Length "},    {"matmul", "B_Matmul "}, {"project", "B_Project "}, {"transpose", "B_Transpose "}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(pass->kernel, known[k][0]) == 0)
            return known[k][1];
    return "";
}

int pass_run(const bmf_pass *pass, int64_t count, void (*run)(void *state, int64_t begin, int64_t end), void *state)
{
    int workers = workers_for(pass->ctx, count);
    if (count == 0)
        return BMF_OK;
    if (pass->runs == 0 && workers == 1) {
        run(state, 0, count);
        return BMF_OK;
    }
    if (pass->runs == 0) {
        int64_t share = (count + workers - 1) / workers;
#pragma omp parallel for schedule(static, 1) num_threads(workers)
        for (int w = 0; w < workers; w++)
            if (w * share < count)
                run(state, w * share, (w + 1) * share < count ? (w + 1) * share : count);
        return BMF_OK;
    }
    bmf_piece *piece;
    int64_t pieces;
    pass_state inner = {run, state};
    cut_pieces(pass->runs, pass->run, count, workers, &piece, &pieces);
    int status = backend_compute(pass->ctx, &(bmf_work){.kernel = pass->kernel,
                                                        .operations = operation_of(pass),
                                                        .round = pass->round,
                                                        .piece = piece,
                                                        .pieces = pieces,
                                                        .run = run_piece,
                                                        .state = &inner});
    free(piece);
    return status;
}

/* ---- offsets ---- */

/* Adds up entries (begin, end] onto `sum`; false if it becomes too large for memory. */
static bool sum_up(int64_t *offsets, int64_t begin, int64_t end, int64_t sum)
{
    for (int64_t i = begin + 1; i <= end; i++) {
        if (__builtin_add_overflow(sum, offsets[i], &sum))
            return false;
        offsets[i] = sum;
    }
    return sum <= INT64_MAX / 16;
}

static bool sum_in_parts(int64_t *offsets, int64_t count, int workers)
{
    int64_t share = (count + workers - 1) / workers;
    int64_t *before = allocate((workers + 1) * (int64_t)sizeof *before);
    bool fits = true;
#pragma omp parallel for schedule(static, 1) num_threads(workers) reduction(&& : fits)
    for (int w = 0; w < workers; w++) {
        int64_t begin = w * share < count ? w * share : count, end = begin + share < count ? begin + share : count;
        fits = sum_up(offsets, begin, end, 0);
    }
    before[0] = 0;
    for (int w = 0; w < workers && fits; w++) {
        int64_t begin = w * share < count ? w * share : count, end = begin + share < count ? begin + share : count;
        fits = !__builtin_add_overflow(before[w], end > begin ? offsets[end] : 0, &before[w + 1]);
    }
    if (fits) {
#pragma omp parallel for schedule(static, 1) num_threads(workers)
        for (int w = 1; w < workers; w++)
            for (int64_t i = w * share + 1; i <= (w + 1) * share && i <= count; i++)
                offsets[i] += before[w];
    }
    fits = fits && before[workers] <= INT64_MAX / 16;
    free(before);
    return fits;
}

bool offsets_sum(bmf_context *ctx, int64_t *offsets, int64_t count)
{
    int workers = workers_for(ctx, count);
    offsets[0] = 0;
    return workers == 1 ? sum_up(offsets, 0, count, 0) : sum_in_parts(offsets, count, workers);
}

typedef struct lengths_state {
    const bmf_value *list;
    int64_t *offsets;
} lengths_state;

static void write_lengths(void *state, int64_t begin, int64_t end)
{
    const lengths_state *s = state;
    for (int64_t i = begin; i < end; i++)
        s->offsets[i + 1] = value_length(s->list, i);
}

int value_offsets(bmf_context *ctx, const bmf_value *list, bmf_buffer **offsets)
{
    bmf_pass pass = {.ctx = ctx};
    *offsets = buffer_create((list->count + 1) * (int64_t)sizeof(int64_t));
    if (!*offsets)
        return fail_no_memory(ctx, list->count);
    lengths_state state = {list, (*offsets)->data};
    pass_run(&pass, list->count, write_lengths, &state);
    if (offsets_sum(ctx, state.offsets, list->count))
        return BMF_OK;
    buffer_release(*offsets);
    return fail_no_memory(ctx, INT64_MAX);
}

/* ---- masks ---- */

static bool holds(const bmf_value *mask, int64_t i)
{
    return ((const uint8_t *)mask->data)[i * mask->stride] != 0;
}

int mask_positions(bmf_context *ctx, const bmf_value *mask, bool wanted, int64_t **position, int64_t *count)
{
    int workers = workers_for(ctx, mask->count);
    int64_t share = (mask->count + workers - 1) / workers;
    int64_t *before = allocate_clear(workers + 1, (int64_t)sizeof *before);
#pragma omp parallel for schedule(static, 1) num_threads(workers)
    for (int w = 0; w < workers; w++) {
        int64_t found = 0;
        for (int64_t i = w * share; i < (w + 1) * share && i < mask->count; i++)
            found += holds(mask, i) == wanted;
        before[w + 1] = found;
    }
    for (int w = 0; w < workers; w++)
        before[w + 1] += before[w];
    *count = before[workers];
    *position = malloc((size_t)(*count + 1) * sizeof **position);
    if (*position) {
        int64_t *to = *position;
#pragma omp parallel for schedule(static, 1) num_threads(workers)
        for (int w = 0; w < workers; w++) {
            int64_t at = before[w];
            for (int64_t i = w * share; i < (w + 1) * share && i < mask->count; i++)
                if (holds(mask, i) == wanted)
                    to[at++] = i;
        }
    }
    free(before);
    return *position ? BMF_OK : fail_no_memory(ctx, *count);
}
