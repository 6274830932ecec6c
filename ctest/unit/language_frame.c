/* Frames: instances of instances on several processors, and the pieces their elements are cut into. Every instance must
 * lie on the processor of the instance it came from, and pieces must cover everything once, on the right processor,
 * for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/evaluate/evaluate.h"

enum { CASES = 500, MAX = 60, PROCESSORS = 6 };

/* A frame of elements of distributed lists, elements of those, and some of these. */
typedef struct frames {
    bmf_context ctx;
    bmf_evaluator evaluator;
    bmf_frame program, spread, elements, picked;
    bmf_distribution *distribution;
    int64_t processor[MAX], parts; /* of the spread frame's instances */
    int64_t offsets[MAX + 1];
    int64_t *number, numbers; /* of the picked ones */
} frames;

static void open_frames(uint64_t *seed, frames *f)
{
    static const bmf_expression map = {.kind = BMF_EXPRESSION_MAP};
    memset(f, 0, sizeof *f);
    f->ctx = (bmf_context){
        .threads = 1 + (int)test_below(seed, 4), .ranks = 1, .processors = PROCESSORS, .local_processors = PROCESSORS};
    f->evaluator.ctx = &f->ctx;
    f->parts = test_below(seed, MAX);
    for (int64_t k = 0; k < f->parts; k++) {
        int64_t rest = PROCESSORS - 1 - (k > 0 ? f->processor[k - 1] : 0);
        f->processor[k] = PROCESSORS - 1 - rest + (test_below(seed, 8) == 0 ? test_below(seed, rest + 1) : 0);
        f->offsets[k + 1] = f->offsets[k] + (test_below(seed, 3) == 0 ? 0 : test_below(seed, 50));
    }
    int64_t whole[2] = {0, f->parts};
    f->distribution = distribution_create(1, whole, layout_create(&f->ctx, f->parts, f->processor));
    frame_open_program(&f->evaluator, &f->program);
    frame_open_spread(&f->program, &map, f->distribution, &f->spread);
    frame_open_elements(&f->spread, &map, f->offsets, &f->elements);
    f->number = allocate((f->elements.count + 1) * (int64_t)sizeof *f->number);
    for (int64_t j = 0; j < f->elements.count; j++)
        if (test_below(seed, 3) == 0)
            f->number[f->numbers++] = j;
    frame_open_picked(&f->elements, &map, f->number, f->numbers, &f->picked);
}

static void close_frames(frames *f)
{
    frame_close(&f->picked);
    frame_close(&f->elements);
    frame_close(&f->spread);
    frame_close(&f->program);
    distribution_release(f->distribution);
    free(f->number);
}

static int64_t processor_of_element(const frames *f, int64_t j)
{
    int64_t k = 0;
    while (f->offsets[k + 1] <= j)
        k++;
    return f->processor[k];
}

static int64_t processor_in(const bmf_frame *frame, int64_t j)
{
    int64_t r = 0;
    while (frame->run[r].end <= j)
        r++;
    assert_true(r < frame->runs);
    return frame->run[r].processor;
}

static void test_processors(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed = (uint64_t)number;
        frames f;
        open_frames(&seed, &f);
        assert_int_equal(f.spread.count, f.parts);
        assert_int_equal(f.elements.count, f.offsets[f.parts]);
        assert_int_equal(f.picked.count, f.numbers);
        for (int64_t k = 0; k < f.parts; k++)
            assert_int_equal(processor_in(&f.spread, k), f.processor[k]);
        for (int64_t j = 0; j < f.elements.count; j++)
            assert_int_equal(processor_in(&f.elements, j), processor_of_element(&f, j));
        for (int64_t j = 0; j < f.numbers; j++)
            assert_int_equal(processor_in(&f.picked, j), processor_of_element(&f, f.number[j]));
        close_frames(&f);
    }
}

/* Pieces of elements: in order, without gaps, workers not falling. */
static void test_pieces(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed = (uint64_t)number;
        frames f;
        bmf_piece *piece;
        int64_t pieces, next = 0;
        int worker = 0;
        open_frames(&seed, &f);
        frame_pieces(&f.evaluator, &f.spread, f.offsets, f.elements.count, false, &piece, &pieces);
        for (int64_t p = 0; p < pieces; p++) {
            assert_int_equal(piece[p].begin, next);
            assert_true(piece[p].end > piece[p].begin);
            assert_int_equal(processor_of_element(&f, piece[p].begin), piece[p].processor);
            assert_int_equal(processor_of_element(&f, piece[p].end - 1), piece[p].processor);
            assert_true(piece[p].worker >= worker && piece[p].worker < f.ctx.threads);
            worker = piece[p].worker;
            next = piece[p].end;
        }
        assert_int_equal(next, f.elements.count);
        free(piece);
        close_frames(&f);
    }
}

/* Pieces of whole instances: every instance once, also those without elements. */
static void test_whole_pieces(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        uint64_t seed = (uint64_t)number;
        frames f;
        bmf_piece *piece;
        int64_t pieces, next = 0;
        int worker = 0;
        open_frames(&seed, &f);
        frame_pieces(&f.evaluator, &f.spread, f.offsets, f.elements.count, true, &piece, &pieces);
        for (int64_t p = 0; p < pieces; p++) {
            int64_t end = p + 1 < pieces ? piece[p + 1].part : f.parts;
            assert_int_equal(piece[p].part, next);
            assert_true(end > next);
            assert_int_equal(piece[p].begin, f.offsets[next]);
            assert_int_equal(piece[p].end, f.offsets[end]);
            for (int64_t k = next; k < end; k++)
                assert_int_equal(f.processor[k], piece[p].processor);
            assert_true(piece[p].worker >= worker && piece[p].worker < f.ctx.threads);
            worker = piece[p].worker;
            next = end;
        }
        assert_int_equal(next, f.parts);
        free(piece);
        close_frames(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_processors), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_whole_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
