/* Progress: silent at first, never backwards, one at a time, and a last call when something was shown. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "runtime/base/progress.h"

static int calls, ends;
static double last, left;
static const char *title;

static void watch(const char *what, double done, double seconds_left)
{
    if (!what) {
        ends++;
        return;
    }
    calls++;
    assert_true(done >= last && done <= 1.0);
    last = done;
    left = seconds_left;
    title = what;
}

static void pause_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))}, NULL);
}

static void start(void)
{
    calls = ends = 0;
    last = 0.0;
    progress_watch(watch);
}

static void short_work_is_silent(void **state)
{
    (void)state;
    bmf_progress progress;
    start();
    progress_begin(&progress, "short");
    for (int k = 0; k < 1000; k++)
        progress_tell(&progress, k / 1000.0);
    progress_end(&progress);
    assert_int_equal(calls, 0);
    assert_int_equal(ends, 0);
}

static void long_work_is_told_and_ends(void **state)
{
    (void)state;
    bmf_progress progress, inner;
    start();
    progress_begin(&progress, "long");
    pause_for(2.1);
    progress_begin(&inner, "inner");
    assert_false(inner.told);
    progress_tell(&inner, 0.9);
    progress_end(&inner);
    assert_int_equal(calls, 0);
    progress_tell(&progress, 0.5);
    assert_int_equal(calls, 1);
    assert_string_equal(title, "long");
    assert_true(last == 0.5 && left >= 2.1); /* as long again */
    progress_tell(&progress, 0.6);
    assert_int_equal(calls, 1); /* not every call */
    pause_for(0.25);
    progress_tell(&progress, 0.3); /* less than before */
    assert_true(calls == 2 && last == 0.6);
    progress_end(&progress);
    assert_int_equal(ends, 1);
}

static void show(const char *what, double done, double seconds_left)
{
    if (!what) {
        ends++;
        return;
    }
    calls++;
    assert_true(done < 0.0 && seconds_left < 0.0);
    assert_string_equal(what, "searching: round 7 of none");
}

static void work_without_an_end_says_what_it_is_at(void **state)
{
    (void)state;
    bmf_progress progress;
    start();
    progress_watch(show);
    progress_begin(&progress, "searching");
    progress_note(&progress, "round %d of %s", 6, "none");
    assert_int_equal(calls, 0);
    pause_for(2.1);
    progress_note(&progress, "round %d of %s", 7, "none");
    progress_note(&progress, "round %d of %s", 8, "none");
    assert_int_equal(calls, 1);
    progress_end(&progress);
    assert_int_equal(ends, 1);
}

static void nobody_watches(void **state)
{
    (void)state;
    bmf_progress progress;
    progress_watch(NULL);
    progress_begin(&progress, "unseen");
    assert_false(progress_due(&progress));
    progress_tell(&progress, 0.5);
    progress_note(&progress, "nothing");
    progress_end(&progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_work_is_silent),
        cmocka_unit_test(long_work_is_told_and_ends),
        cmocka_unit_test(work_without_an_end_says_what_it_is_at),
        cmocka_unit_test(nobody_watches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
