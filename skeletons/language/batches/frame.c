/* Frames: the instances of a batch, where they come from and where they lie.
 *
 * Method: a frame has runs of instances per processor, made from those of its outer frame. Layouts, which every rank
 * knows in full, are made only for instances that communicate: each rank tells how many instances it has for each
 * instance of the outer frame. The path of a failure is found by going outwards.
 * Cost: O(runs) to open, O(instances of all ranks) for a layout. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/batches/operations.h"

void frame_open_program(bmf_evaluator *evaluator, bmf_frame *frame)
{
    bmf_run_of_instances *run = allocate((int64_t)sizeof *run);
    bool here = is_local(evaluator->ctx, 0);
    *run = (bmf_run_of_instances){0, here};
    *frame = (bmf_frame){.count = here, .run = run, .runs = here};
}

/* A frame with as many runs as the outer one, whose ends are yet to be filled in. */
static void open_inside(const bmf_frame *outer, const bmf_expression *by, bmf_frame *frame, bmf_run_of_instances **run)
{
    *frame = (bmf_frame){.outer = outer, .by = by, .runs = outer->runs};
    frame->run = *run = allocate((outer->runs + 1) * (int64_t)sizeof **run);
}

void frame_open_elements(const bmf_frame *outer, const bmf_expression *by, const int64_t *offsets, bmf_frame *frame)
{
    bmf_run_of_instances *run;
    open_inside(outer, by, frame, &run);
    frame->offsets = offsets;
    frame->count = offsets[outer->count];
    for (int64_t r = 0; r < outer->runs; r++)
        run[r] = (bmf_run_of_instances){outer->run[r].processor, offsets[outer->run[r].end]};
}

void frame_open_picked(const bmf_frame *outer, const bmf_expression *by, const int64_t *picked, int64_t count,
                       bmf_frame *frame)
{
    bmf_run_of_instances *run;
    open_inside(outer, by, frame, &run);
    frame->picked = picked;
    frame->count = count;
    for (int64_t r = 0, end = 0; r < outer->runs; r++) {
        end = next_not_below(picked, end, count, outer->run[r].end);
        run[r] = (bmf_run_of_instances){outer->run[r].processor, end};
    }
}

void frame_open_spread(const bmf_frame *outer, const bmf_expression *by, bmf_distribution *spread, bmf_frame *frame)
{
    const bmf_layout *layout = spread->elements;
    bmf_run_of_instances *run = allocate((layout->local_count + 1) * (int64_t)sizeof *run);
    *frame = (bmf_frame){.outer = outer, .by = by, .count = layout->local_count, .spread = spread, .run = run};
    for (int64_t n = 0; n < layout->local_count; n++) {
        int64_t processor = layout->processor[layout->local[n]];
        if (frame->runs == 0 || run[frame->runs - 1].processor != processor)
            run[frame->runs++].processor = processor;
        run[frame->runs - 1].end = n + 1;
    }
    frame->layout = layout_retain(spread->elements);
}

void frame_close(bmf_frame *frame)
{
    free((void *)frame->run);
    layout_release(frame->layout);
    *frame = (bmf_frame){0};
}

/* ---- layouts ---- */

/* Instances of the frame for each of this rank's outer instances. */
static void count_inside(const bmf_frame *frame, int64_t *inside)
{
    for (int64_t i = 0; i < frame->outer->count; i++)
        inside[i] = frame->offsets ? frame->offsets[i + 1] - frame->offsets[i] : 0;
    if (frame->picked)
        for (int64_t j = 0; j < frame->count; j++)
            inside[frame->picked[j]] = 1;
}

/* `all` has the numbers rank by rank; an outer instance's number becomes that many instances on its processor. */
static bmf_layout *expand(bmf_context *ctx, const bmf_layout *outer, const int64_t *all)
{
    int64_t *next = allocate_clear(ctx->ranks + 1, (int64_t)sizeof *next);
    int64_t total = 0;
    for (int64_t c = 0; c < outer->count; c++) {
        next[bmf_rank_of(ctx, outer->processor[c]) + 1]++;
        total += all[c];
    }
    for (int r = 0; r < ctx->ranks; r++)
        next[r + 1] += next[r];
    int64_t *processor = allocate((total + 1) * (int64_t)sizeof *processor);
    for (int64_t c = 0, n = 0; c < outer->count; c++) {
        int64_t inside = all[next[bmf_rank_of(ctx, outer->processor[c])]++];
        for (int64_t k = 0; k < inside; k++)
            processor[n++] = outer->processor[c];
    }
    bmf_layout *layout = layout_create(ctx, total, processor);
    free(processor);
    free(next);
    return layout;
}

/* From the counts inside the outer frame's instances, whose layout is there. */
static int make_layout(bmf_context *ctx, bmf_frame *frame)
{
    const bmf_layout *outer = frame->outer->layout;
    int64_t *inside = allocate((frame->outer->count + 1) * (int64_t)sizeof *inside);
    int64_t *all = allocate((outer->count + 1) * (int64_t)sizeof *all);
    count_inside(frame, inside);
    int status = layout_allgather(ctx, outer, 1, inside, all);
    if (status == BMF_OK)
        frame->layout = expand(ctx, outer, all);
    free(inside);
    free(all);
    return status;
}

int frame_layout(bmf_evaluator *evaluator, bmf_frame *frame, bmf_layout **layout)
{
    static const int64_t first_processor = 0;
    bmf_layout *outer;
    if (!frame->layout && !frame->outer) {
        frame->layout = layout_create(evaluator->ctx, 1, &first_processor);
    } else if (!frame->layout) {
        BMF_TRY(frame_layout(evaluator, (bmf_frame *)frame->outer, &outer));
        BMF_TRY(make_layout(evaluator->ctx, frame));
    }
    *layout = frame->layout;
    return BMF_OK;
}

/* ---- pieces ---- */

/* Pieces of whole instances, also of those without elements; part is the first instance of a piece, begin and end are
 * elements. */
static int64_t cut_whole(const bmf_frame *frame, const int64_t *offsets, int64_t count, int workers, bmf_piece *piece)
{
    int64_t share = count / workers + 1, made = 0, instance = 0;
    for (int64_t r = 0; r < frame->runs; r++) {
        int64_t last = frame->run[r].end;
        while (instance < last) {
            int64_t worker = offsets[instance] / share, limit = (worker + 1) * share;
            int64_t end = instance + first_above(offsets + instance + 1, last - instance, limit);
            end = end > instance ? end : instance + 1;
            piece[made++] =
                (bmf_piece){instance, frame->run[r].processor, offsets[instance], offsets[end], (int)worker};
            instance = end;
        }
    }
    return made;
}

static void cut_anywhere(const bmf_frame *frame, const int64_t *offsets, int64_t count, int workers, bmf_piece **piece,
                         int64_t *pieces)
{
    bmf_run_of_instances *run = allocate((frame->runs + 1) * (int64_t)sizeof *run);
    for (int64_t r = 0; r < frame->runs; r++) {
        int64_t end = frame->run[r].end;
        run[r] = (bmf_run_of_instances){frame->run[r].processor, offsets ? offsets[end] : end};
    }
    cut_pieces(frame->runs, run, count, workers, piece, pieces);
    free(run);
}

void frame_pieces(bmf_evaluator *evaluator, const bmf_frame *frame, const int64_t *offsets, int64_t count, bool whole,
                  bmf_piece **piece, int64_t *pieces)
{
    int workers = evaluator->ctx->threads;
    if (!whole || !offsets) {
        cut_anywhere(frame, offsets, count, workers, piece, pieces);
        return;
    }
    *piece = allocate((frame->runs + 2 * workers + 2) * (int64_t)sizeof **piece);
    *pieces = cut_whole(frame, offsets, count, workers, *piece);
}

/* ---- failures ---- */

enum { MAX_PATH = 8, WORDS = 200 };

/* One step of the way out to the program. */
typedef struct step {
    const bmf_expression *by;
    int64_t element;
} step;

/* This rank's number of instance c of all instances, or -1. */
static int64_t local_number(const bmf_frame *frame, int64_t c)
{
    const bmf_layout *layout = frame->layout;
    if (!layout)
        return !frame->outer && frame->count > 0 ? 0 : -1;
    int64_t n = first_not_below(layout->local, layout->local_count, c);
    return n < layout->local_count && layout->local[n] == c ? n : -1;
}

/* The steps from instance j outwards; returns their number. */
static int find_path(const bmf_frame *frame, int64_t j, step path[MAX_PATH])
{
    int steps = 0;
    for (; frame->outer && j >= 0 && steps < MAX_PATH; frame = frame->outer) {
        if (frame->picked) {
            j = frame->picked[j];
        } else if (frame->offsets) {
            int64_t i = last_not_above(frame->offsets, frame->outer->count + 1, j);
            path[steps++] = (step){frame->by, j - frame->offsets[i]};
            j = i;
        } else {
            const bmf_distribution *spread = frame->spread;
            int64_t e = spread->elements->local[j], c = last_not_above(spread->offsets, spread->instances + 1, e);
            path[steps++] = (step){frame->by, e - spread->offsets[c]};
            j = local_number(frame->outer, c);
        }
    }
    return steps;
}

/* " (element 12 of B_Map at 2:5, there element 3 of B_Map at 3:1)" */
static void print_path(const bmf_evaluator *evaluator, const step *path, int steps, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = steps - 1; k >= 0; k--) {
        int64_t line = 0, column = 0;
        bmf_span span = path[k].by->span;
        used += (size_t)snprintf(text + used, size - used, "%selement %" PRId64 " of %s",
                                 k == steps - 1 ? " (" : ", there ", path[k].element, expression_keyword(path[k].by));
        if (used < size && evaluator->texts && span.text >= 0 && span.text < evaluator->texts->count) {
            text_place(&evaluator->texts->text[span.text], span.begin, &line, &column);
            used += (size_t)snprintf(text + used, size - used, " at %" PRId64 ":%" PRId64, line, column);
        }
        if (used + 2 > size)
            return;
    }
    if (steps > 0)
        snprintf(text + used, size - used, ")");
}

static int status_of(bmf_failure_kind kind)
{
    switch (kind) {
    case BMF_FAILURE_INDEX:
    case BMF_FAILURE_SLICE:
    case BMF_FAILURE_KEY:
        return BMF_ERROR_INDEX;
    case BMF_FAILURE_RAGGED:
    case BMF_FAILURE_EMPTY:
    case BMF_FAILURE_ROWS:
    case BMF_FAILURE_SHAPES:
    case BMF_FAILURE_ARRAY:
    case BMF_FAILURE_COUNT:
    case BMF_FAILURE_BLOCKS:
        return BMF_ERROR_SHAPE;
    default:
        return BMF_ERROR_ARGUMENT;
    }
}

static void print_overflow(const bmf_failure *failure, char *text)
{
    const int64_t *value = failure->value;
    const bmf_expression *by = failure->expression;
    if (value[0] == 0 && value[1] == 0)
        snprintf(text, WORDS, ": an int becomes too large for 64 bits");
    else if (by->kind == BMF_EXPRESSION_OP &&
             (by->operation == BMF_OPERATION_UMINUS || by->operation == BMF_OPERATION_NEG ||
              by->operation == BMF_OPERATION_ABS))
        snprintf(text, WORDS, " of %" PRId64 " is too large for 64 bits", value[0]);
    else
        snprintf(text, WORDS, " of %" PRId64 " and %" PRId64 " is too large for 64 bits", value[0], value[1]);
}

static void print_rows(const int64_t *value, char *text)
{
    static const char *const matrix[] = {"", " of the first matrix", " of the second matrix"};
    snprintf(text, WORDS,
             " needs rows of equal length: row %" PRId64 "%s has %" PRId64 " element%s, row 0 has %" PRId64, value[0],
             matrix[value[3]], value[1], value[1] == 1 ? "" : "s", value[2]);
}

/* "[2]" or "[2][1]" */
static void print_list(int64_t i, int64_t j, char text[48])
{
    const int used = snprintf(text, 48, "[%" PRId64 "]", i);
    if (j >= 0)
        snprintf(text + used, 48 - (size_t)used, "[%" PRId64 "]", j);
}

static void print_array(const int64_t *value, char *text)
{
    char list[2][48];
    print_list(value[0], value[1], list[0]);
    print_list(0, value[1] < 0 ? -1 : 0, list[1]);
    snprintf(text, WORDS, " needs lists of equal length: %s has %" PRId64 " element%s, %s has %" PRId64, list[0],
             value[2], value[2] == 1 ? "" : "s", list[1], value[3]);
}

/* Block {1, 0} of the grid that the form has. */
static void print_blocks(const bmf_failure *failure, char *text)
{
    static const char *const words[2][BMF_NUMBERS] = {{"rows", "columns"}, {"planes", "rows", "columns"}};
    const bmf_expression *form = failure->expression;
    const int64_t *value = failure->value;
    int64_t place[BMF_NUMBERS], block = value[0];
    char at[80];
    size_t used = 0;
    for (int d = form->numbers - 1; d >= 0; d--) {
        place[d] = block % (form->number[d] > 0 ? form->number[d] : 1);
        block /= form->number[d] > 0 ? form->number[d] : 1;
    }
    for (int d = 0; d < form->numbers; d++)
        used += (size_t)snprintf(at + used, sizeof at - used, "%s%" PRId64, d > 0 ? ", " : "", place[d]);
    snprintf(text, WORDS, " needs blocks that fit each other: block {%s} has %" PRId64 " %s, its neighbours %" PRId64,
             at, value[2], words[form->numbers - 2][value[1]], value[3]);
}

static void print_slice(const int64_t *value, char *text)
{
    if (value[1] < value[0])
        snprintf(text, WORDS, ": %" PRId64 " ..< %" PRId64 " ends before it begins", value[0], value[1]);
    else
        snprintf(text, WORDS, ": %" PRId64 " ..< %" PRId64 " is outside a list of %" PRId64 " element%s", value[0],
                 value[1], value[2], value[2] == 1 ? "" : "s");
}

static void print_failure(const bmf_failure *failure, char text[WORDS])
{
    const int64_t *value = failure->value;
    char real[32];
    switch (failure->kind) {
    case BMF_FAILURE_OVERFLOW:
        print_overflow(failure, text);
        return;
    case BMF_FAILURE_DIVISION:
        snprintf(text, WORDS, ": %" PRId64 " is divided by zero", value[0]);
        return;
    case BMF_FAILURE_SHIFT:
        snprintf(text, WORDS, ": %" PRId64 " is no number of bits from 0 to 63", value[1]);
        return;
    case BMF_FAILURE_CONVERSION:
        snprintf(text, WORDS, ": the real %s is no int of 64 bits", real_print(failure->real, real));
        return;
    case BMF_FAILURE_INDEX:
        snprintf(text, WORDS, ": index %" PRId64 " is outside a list of %" PRId64 " element%s", value[0], value[1],
                 value[1] == 1 ? "" : "s");
        return;
    case BMF_FAILURE_SLICE:
        print_slice(value, text);
        return;
    case BMF_FAILURE_LENGTH:
        snprintf(text, WORDS, ": %" PRId64 " is no length", value[0]);
        return;
    case BMF_FAILURE_RAGGED:
        snprintf(text, WORDS, " needs lists of equal length, found %" PRId64 " and %" PRId64 " elements", value[0],
                 value[1]);
        return;
    case BMF_FAILURE_KEY:
        snprintf(text, WORDS, ": key %" PRId64 " is not one of 0 to %" PRId64, value[0], value[1] - 1);
        return;
    case BMF_FAILURE_ROWS:
        print_rows(value, text);
        return;
    case BMF_FAILURE_SHAPES:
        snprintf(text, WORDS,
                 " needs as many columns of the first matrix as rows of the second, found %" PRId64 " x %" PRId64
                 " and %" PRId64 " x %" PRId64,
                 value[0], value[1], value[2], value[3]);
        return;
    case BMF_FAILURE_ARRAY:
        print_array(value, text);
        return;
    case BMF_FAILURE_COUNT:
        snprintf(text, WORDS, " needs %" PRId64 " blocks, found %" PRId64, value[0], value[1]);
        return;
    case BMF_FAILURE_BLOCKS:
        print_blocks(failure, text);
        return;
    case BMF_FAILURE_EMPTY:
        snprintf(text, WORDS, " without a default of an empty list");
        return;
    default:
        snprintf(text, WORDS, " failed");
    }
}

int frame_fail(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_failure *failure)
{
    char words[WORDS], where[280];
    step path[MAX_PATH];
    int steps = find_path(frame, failure->element, path);
    print_failure(failure, words);
    print_path(evaluator, path, steps, where, sizeof where);
    return text_fail(evaluator->texts, evaluator->ctx, failure->expression->span, status_of(failure->kind), "%s%s%s",
                     expression_keyword(failure->expression), words, where);
}
