/* Permutations of files: plans have the fewest passes and their product is the permutation; passes over real files with
 * tiny memories do what permuting in memory does, also in parts; journals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bmf/permute.h"
#include "ctest/support/testing.h"
#include "permute/external/journal.h"
#include "permute/external/pass.h"
#include "permute/gf2.h"
#include "permute/local/tiling.h"
#include "runtime/base/output_file.h"

enum { MAX_TEST_BITS = 12, HEADER = 24 };

static char *directory;

/* One of all classes, and of matrices that are the identity but for a few columns. */
static bmf_permutation random_permutation(int bits, uint64_t *state)
{
    bmf_permutation p;
    bmf_bit_matrix a, b;
    bmf_permutation_identity(bits, &p);
    switch (test_below(state, 5)) {
    case 0:
        bmf_bit_matrix_random(bits, state, &p.matrix);
        break;
    case 1:
        bmf_bit_matrix_random_permutation(bits, state, &p.matrix);
        break;
    case 2:
        bmf_permutation_bit_reversal(bits, &p);
        break;
    case 3: /* rows of high bits added to low ones, and the other way round */
        for (int k = 0; k < 3 && bits > 1; k++) {
            const int i = (int)test_below(state, bits), j = (int)test_below(state, bits);
            bmf_bit_matrix_identity(bits, &a);
            a.column[j] |= UINT64_C(1) << i;
            if (bmf_bit_matrix_rank(&a) == bits) {
                b = p.matrix;
                bmf_bit_matrix_product(&a, &b, &p.matrix);
            }
        }
        break;
    default:
        break;
    }
    p.complement = test_below(state, 2) ? random_bits(state) & low_bits(bits) : 0;
    return p;
}

/* ---- plans ---- */

static void expect_plan(const bmf_external_plan *plan, const bmf_permutation *p)
{
    bmf_permutation product;
    bmf_permutation_identity(p->bits, &product);
    for (int k = 0; k < plan->passes; k++) {
        const bmf_external_pass *pass = &plan->pass[k];
        bmf_permutation_compose(&pass->permutation, &product, &product);
        assert_true(pass->run_bits >= plan->block_bits);
        assert_true(pass->tile_bits <= plan->memory_bits);
        assert_int_equal(pass->tile_bits, pass->run_bits + tiling_rank(&pass->permutation.matrix, pass->run_bits));
    }
    assert_true(bmf_permutation_equal(&product, p));
}

/* The fewest passes that blocks of at least 2^block records allow. */
static int fewest_passes(const bmf_permutation *p, int memory, int block)
{
    int fewest = INT32_MAX;
    for (int k = block; k <= memory; k++) {
        const int rank = tiling_rank(&p->matrix, k), window = memory - k;
        const int passes = rank == 0 ? 1 : window == 0 ? INT32_MAX : (rank + window - 1) / window;
        fewest = passes < fewest ? passes : fewest;
    }
    return fewest;
}

/* Cormen's bound has one more. */
static void plans_have_the_fewest_passes(void **state)
{
    uint64_t seed = 20261122;
    bmf_external_plan plan;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4000; k++) {
        const int bits = 1 + (int)test_below(&seed, 40), memory = 1 + (int)test_below(&seed, bits);
        const int block = (int)test_below(&seed, memory);
        const bmf_permutation p = random_permutation(bits, &seed);
        assert_true(external_plan_make(&p, 8, INT64_C(16) << memory, INT64_C(8) << block, &plan));
        expect_plan(&plan, &p);
        assert_int_equal(plan.memory_bits, memory);
        assert_true(plan.block_bits >= block);
        assert_int_equal(plan.rank, tiling_rank(&p.matrix, plan.block_bits));
        assert_int_equal(plan.passes, fewest_passes(&p, memory, block));
        assert_true(external_plan_make(&p, 8, INT64_C(16) << memory, 0, &plan));
        expect_plan(&plan, &p);
        assert_int_equal(plan.passes, fewest_passes(&p, plan.memory_bits, plan.block_bits));
    }
}

static void memory_that_is_too_small_is_refused(void **state)
{
    bmf_permutation p;
    bmf_external_plan plan;
    (void)state;
    bmf_permutation_bit_reversal(10, &p);
    assert_false(external_plan_make(&p, 8, 15, 0, &plan));
    assert_true(external_plan_make(&p, 8, 16, 0, &plan)); /* record by record */
    assert_int_equal(plan.passes, 1);
    assert_false(external_plan_make(&p, 8, 1024, 1024, &plan));
    assert_false(external_plan_make(&p, 8, 1024, 512, &plan)); /* M = B, but the rank is not 0 */
    assert_true(external_plan_make(&p, 8, 1024, 256, &plan));
    assert_int_equal(plan.passes, 5); /* the rank is 5, and lg(M / B) is 1 */
    assert_int_equal(external_least_passes(3, 0), -1);
}

/* ---- passes ---- */

static char *path_of(const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
    return path;
}

static int open_test_file(const char *name)
{
    char *path = path_of(name);
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    free(path);
    return file;
}

typedef struct stopping {
    int64_t at, seen;
} stopping;

static bool stop(void *state, int64_t tile)
{
    stopping *s = state;
    assert_true(tile > s->seen);
    s->seen = tile;
    return tile < s->at;
}

/* All tiles of a pass: two shares, the first of them interrupted and continued. */
static void run_in_parts(bmf_external_work *work, uint64_t *state)
{
    const int64_t tiles = external_tiles(work->pass), middle = test_below(state, tiles + 1);
    bmf_external_failure failure;
    stopping stops = {.at = 1 + test_below(state, tiles), .seen = 0};
    work->first = 0;
    work->end = middle;
    work->done = stop;
    work->state = &stops;
    assert_int_equal(external_pass_run(work, &failure), BMF_OK);
    assert_true(stops.seen == (stops.at < middle ? stops.at : middle));
    work->first = stops.seen;
    work->done = NULL;
    assert_int_equal(external_pass_run(work, &failure), BMF_OK);
    work->first = middle;
    work->end = tiles;
    assert_int_equal(external_pass_run(work, &failure), BMF_OK);
}

/* Permutes a file with random bytes by a plan, and compares with the permutation by its definition. */
static void expect_permuted(const bmf_external_plan *plan, uint64_t *state)
{
    const int64_t bytes = plan->record_bytes << plan->permutation.bits;
    const int64_t tile = plan->record_bytes << plan->memory_bits;
    char *source = malloc((size_t)bytes), *expected = malloc((size_t)bytes), *found = malloc((size_t)bytes);
    char *memory = malloc((size_t)(2 * tile));
    int file[3] = {open_test_file("in"), open_test_file("one"), open_test_file("other")};
    for (int64_t k = 0; k < bytes; k++)
        source[k] = (char)random_bits(state);
    bmf_local_permute_naive(expected, source, plan->record_bytes, &plan->permutation);
    assert_true(pwrite(file[0], source, (size_t)bytes, HEADER) == bytes);
    for (int k = 0; k < plan->passes; k++) {
        bmf_external_work work = {.pass = &plan->pass[k],
                                  .record_bytes = plan->record_bytes,
                                  .source = {file[k == 0 ? 0 : 1 + (k - 1) % 2], HEADER},
                                  .target = {file[1 + k % 2], HEADER},
                                  .read = memory,
                                  .permuted = memory + tile,
                                  .threads = 1 + (int)test_below(state, 3)};
        run_in_parts(&work, state);
    }
    assert_true(pread(file[1 + (plan->passes - 1) % 2], found, (size_t)bytes, HEADER) == bytes);
    assert_memory_equal(found, expected, (size_t)bytes);
    for (int k = 0; k < 3; k++)
        close(file[k]);
    free(source);
    free(expected);
    free(found);
    free(memory);
}

static void files_are_permuted_as_memory_is(void **state)
{
    static const int64_t sizes[] = {1, 3, 4, 8, 16, 24};
    uint64_t seed = 20261123;
    bmf_external_plan plan;
    int most = 0;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 300; k++) {
        const int bits = (int)test_below(&seed, MAX_TEST_BITS), memory = (int)test_below(&seed, bits + 1);
        const int64_t size = sizes[test_below(&seed, 6)];
        const int block = memory > 0 ? (int)test_below(&seed, memory) : 0;
        const bmf_permutation p = random_permutation(bits, &seed);
        if (!external_plan_make(&p, size, size << (memory + 1), size << block, &plan))
            fail_msg("case %d: no plan", k);
        most = plan.passes > most ? plan.passes : most;
        expect_permuted(&plan, &seed);
    }
    assert_true(most >= 3);
}

static void failures_name_the_place(void **state)
{
    char memory[64];
    bmf_permutation p;
    bmf_external_plan plan;
    bmf_external_failure failure;
    (void)state;
    bmf_permutation_bit_reversal(3, &p);
    assert_true(external_plan_make(&p, 4, 64, 0, &plan));
    bmf_external_work work = {.pass = &plan.pass[0],
                              .record_bytes = 4,
                              .source = {open_test_file("short"), 0},
                              .target = {open_test_file("target"), 0},
                              .end = 1,
                              .read = memory,
                              .permuted = memory + 32,
                              .threads = 1};
    assert_int_equal(ftruncate(work.source.file, 31), 0);
    assert_int_equal(external_pass_run(&work, &failure), BMF_ERROR_FILE);
    assert_false(failure.writing);
    assert_int_equal(failure.error, 0);
    assert_int_equal(failure.offset, 0);
    assert_int_equal(ftruncate(work.source.file, 32), 0);
    close(work.target.file);
    work.target.file = -1;
    assert_int_equal(external_pass_run(&work, &failure), BMF_ERROR_FILE);
    assert_true(failure.writing);
    assert_int_equal(failure.error, EBADF);
    close(work.source.file);
}

/* ---- journals ---- */

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void journals_are_read_as_written(void **state)
{
    static const char *const broken[] = {"",
                                         "bmf permute 1 0",
                                         "bmf permute 1 000000000000002a 1 2",
                                         "bmf permute 1 000000000000002a -1 2\n",
                                         "bmf permute 2 000000000000002a 1 2\n",
                                         "bmf permute 1 000000000000002a 1 2\nmore\n"};
    char *path = path_of("journal");
    bmf_external_journal journal = {.key = 42, .pass = 7, .tile = 7}, found = {.key = 42};
    (void)state;
    assert_int_equal(external_journal_read(NULL, path, &journal), BMF_OK); /* there is none */
    assert_true(journal.pass == 0 && journal.tile == 0 && journal.key == 42);
    journal = (bmf_external_journal){.key = 42, .pass = 3, .tile = INT64_C(1) << 40};
    assert_int_equal(external_journal_write(NULL, path, &journal), BMF_OK);
    assert_int_equal(external_journal_read(NULL, path, &found), BMF_OK);
    assert_true(found.pass == 3 && found.tile == journal.tile);
    found.key = 43;
    assert_int_equal(external_journal_read(NULL, path, &found), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "another permutation"));
    for (size_t k = 0; k < sizeof broken / sizeof broken[0]; k++) {
        write_text(path, broken[k]);
        found.key = 42;
        assert_int_equal(external_journal_read(NULL, path, &found), BMF_ERROR_FILE);
        assert_non_null(strstr(bmf_error_text(NULL), "not the journal"));
    }
    free(path);
}

static int make_directory(void **state)
{
    (void)state;
    directory = temporary_directory_create("bmf-external");
    return directory ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    temporary_directory_remove(directory);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_have_the_fewest_passes),    cmocka_unit_test(memory_that_is_too_small_is_refused),
        cmocka_unit_test(files_are_permuted_as_memory_is), cmocka_unit_test(failures_name_the_place),
        cmocka_unit_test(journals_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
