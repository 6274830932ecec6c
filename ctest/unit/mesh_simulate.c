/* The simulator of scheduled routers against the reference that does everything in every cycle: random schedules with
 * stalls, changes of phases, reprogramming; and that no word is lost, doubled or overtaken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/reference/random_numesh.h"
#include "ctest/reference/reference_numesh.h"
#include "ctest/support/testing.h"
#include "bmf/status.h"

enum { SCHEDULES = 1500, LIMIT = 20000 };

typedef struct world {
    bmf_scheduled_machine *machine;
    bmf_processor_script *script;
    random_stream stream[2][RANDOM_MAX_STREAMS];
    int64_t streams[2];
} world;

static void make_machine(uint64_t *state, world *w)
{
    const int64_t size[3] = {1 + test_below(state, 4), 1 + test_below(state, 3), 1 + (test_below(state, 4) == 0)};
    bmf_scheduled_hardware hardware = {.pipelines = 1 + (int)test_below(state, 3),
                                       .length = 3 + (int)test_below(state, 14),
                                       .separate_wires = test_below(state, 3) == 0};
    assert_int_equal(mesh_make(3, size, false, &hardware.mesh), BMF_OK);
    assert_int_equal(scheduled_create(&hardware, &w->machine), BMF_OK);
    w->script = scripts_create(&hardware.mesh);
}

static void start_in(world *w, int block)
{
    for (int64_t n = 0; n < w->machine->hardware.mesh.nodes; n++)
        w->machine->node[n].pointer = (uint8_t)(block * w->machine->hardware.length);
}

static void free_world(world *w)
{
    scripts_free(&w->machine->hardware.mesh, w->script);
    scheduled_free(w->machine);
}

static void random_world(uint64_t seed, world *w, int64_t max_words, int64_t max_wait)
{
    uint64_t state = seed;
    make_machine(&state, w);
    w->streams[0] = random_numesh_fill(w->machine, 1, &state, 10 + test_below(&state, 60), w->stream[0]);
    random_numesh_transfers(&w->machine->hardware.mesh, w->script, &state, 0, w->streams[0], w->stream[0], max_words,
                            max_wait);
    scheduled_fill_reprogram(w->machine, 1);
    start_in(w, 1);
}

static void expect_ok(uint64_t seed, int status)
{
    if (status != BMF_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, bmf_error_text(NULL));
}

static void compare_views(uint64_t seed, const bmf_scheduled_simulation *s, const reference_numesh *r, int64_t nodes)
{
    for (int64_t n = 0; n < nodes; n++) {
        bmf_scheduled_view fast, slow;
        scheduled_simulation_view(s, n, &fast);
        reference_numesh_view(r, n, &slow);
        fast.step = slow.step; /* counted one further at the end */
        if (memcmp(&fast, &slow, sizeof fast) != 0)
            fail_msg("seed %llu: node %lld differs after cycle %lld", (unsigned long long)seed, (long long)n,
                     (long long)reference_numesh_cycle(r) - 1);
    }
}

static void compare_results(uint64_t seed, const world *w, const bmf_scheduled_simulation *s, const reference_numesh *r)
{
    assert_int_equal(scheduled_simulation_hops(s), reference_numesh_hops(r));
    assert_int_equal(reference_numesh_disordered(r), 0);
    for (int64_t n = 0; n < w->machine->hardware.mesh.nodes; n++) {
        for (int64_t u = 0; u < w->script[n].uses; u++) {
            const bmf_interface_use *use = &w->script[n].use[u];
            int64_t done, first, last;
            reference_numesh_use(r, n, u, &done, &first, &last);
            if (use->done != done || use->first != first || use->last != last || done != use->words)
                fail_msg("seed %llu: node %lld, use %lld: %lld words in cycles %lld to %lld, not %lld in %lld to %lld",
                         (unsigned long long)seed, (long long)n, (long long)u, (long long)use->done,
                         (long long)use->first, (long long)use->last, (long long)done, (long long)first,
                         (long long)last);
        }
        for (int64_t k = 0; k < w->script[n].steps; k++)
            assert_int_equal(w->script[n].step[k].ended, reference_numesh_step_ended(r, n, k));
    }
}

/* Cycle by cycle, the whole state. */
static void every_cycle_agrees(void **unused)
{
    (void)unused;
    int64_t words = 0, longest = 0;
    for (uint64_t seed = 1; seed <= test_cases(SCHEDULES); seed++) {
        world w = {0};
        random_world(seed, &w, 30, 60);
        reference_numesh *r = reference_numesh_create(w.machine, w.script);
        bmf_scheduled_simulation *s =
            scheduled_simulation_create(w.machine, w.script, &(bmf_simulation_settings){.every_cycle = true});
        while (!reference_numesh_ended(r) && reference_numesh_cycle(r) < LIMIT) {
            reference_numesh_step(r);
            expect_ok(seed, scheduled_simulation_step(s));
            compare_views(seed, s, r, w.machine->hardware.mesh.nodes);
        }
        assert_true(reference_numesh_ended(r));
        assert_true(scheduled_simulation_ended(s));
        compare_results(seed, &w, s, r);
        words += reference_numesh_hops(r);
        longest = w.streams[0] > longest ? w.streams[0] : longest;
        reference_numesh_free(r);
        scheduled_simulation_free(s);
        free_world(&w);
    }
    assert_true(words > 100 * (int64_t)test_cases(SCHEDULES));
    assert_true(longest >= 8);
}

/* The same results when periods and idle times are skipped; long messages, so that there is something to skip. */
static void skipping_agrees(void **unused)
{
    (void)unused;
    int64_t cycles = 0, carried_out = 0;
    for (uint64_t seed = 1; seed <= test_cases(SCHEDULES / 10); seed++) {
        world w = {0};
        random_world(7000 + seed, &w, 400, 900);
        reference_numesh *r = reference_numesh_create(w.machine, w.script);
        while (!reference_numesh_ended(r))
            reference_numesh_step(r);
        bmf_scheduled_simulation *s = scheduled_simulation_create(w.machine, w.script, &(bmf_simulation_settings){0});
        expect_ok(7000 + seed, scheduled_simulation_run(s));
        compare_results(7000 + seed, &w, s, r);
        cycles += scheduled_simulation_length(s);
        carried_out += scheduled_simulation_carried_out(s);
        reference_numesh_free(r);
        scheduled_simulation_free(s);
        free_world(&w);
    }
    assert_true(carried_out < cycles / 2);
}

/* Two phases, one after the other; every node changes over the loader phase, at a time of its own. */
static void phases_agree(void **unused)
{
    (void)unused;
    int64_t changed = 0;
    for (uint64_t seed = 1; seed <= test_cases(SCHEDULES / 5); seed++) {
        uint64_t state = 100000 + seed;
        world w = {0};
        make_machine(&state, &w);
        const bmf_scheduled_hardware *hardware = &w.machine->hardware;
        for (int phase = 0; phase < 2; phase++) {
            w.streams[phase] = random_numesh_fill(w.machine, 1 + phase, &state, 20, w.stream[phase]);
            random_numesh_transfers(&hardware->mesh, w.script, &state, 100 * phase, w.streams[phase], w.stream[phase],
                                    10, 20);
            for (int64_t n = 0; n < hardware->mesh.nodes && phase == 0; n++) {
                script_until(&w.script[n], BMF_TIME_PSYNC, 3000 + test_below(&state, 50));
                script_change_phase(&w.script[n], hardware, 1, 0);
                script_until(&w.script[n], BMF_TIME_PSYNC, 3200 + test_below(&state, 50));
                script_change_phase(&w.script[n], hardware, 0, 2);
            }
        }
        const bool possible = scheduled_fill_reprogram(w.machine, 1) < 0;
        start_in(&w, 1);
        reference_numesh *r = reference_numesh_create(w.machine, w.script);
        bmf_scheduled_simulation *s =
            scheduled_simulation_create(w.machine, w.script, &(bmf_simulation_settings){.every_cycle = seed % 2});
        if (possible && seed % 2) {
            while (!reference_numesh_ended(r) && reference_numesh_cycle(r) < LIMIT) {
                reference_numesh_step(r);
                expect_ok(seed, scheduled_simulation_step(s));
                compare_views(seed, s, r, hardware->mesh.nodes);
            }
            assert_true(scheduled_simulation_ended(s));
            compare_results(seed, &w, s, r);
            changed++;
        } else if (possible) {
            while (!reference_numesh_ended(r))
                reference_numesh_step(r);
            expect_ok(seed, scheduled_simulation_run(s));
            compare_results(seed, &w, s, r);
        }
        reference_numesh_free(r);
        scheduled_simulation_free(s);
        free_world(&w);
    }
    assert_true(changed > (int64_t)test_cases(SCHEDULES / 5) / 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cycle_agrees), cmocka_unit_test(skipping_agrees),
                                       cmocka_unit_test(phases_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
