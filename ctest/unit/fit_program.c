/* Fits of programs: random programs of known rules are followed at a few sizes and numbers of processes; the fit to
 * these runs, written and read again, does the same at larger ones, call by call. What has no rule is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/fit/fit_program.h"
#include "predict/fit/generate.h"
#include "runtime/base/allocate.h"

enum { PROGRAMS = 10, TEXT = 1 << 13, SIZES = 4, COUNTS = 4, MAX_STEPS = 1 << 23 };
static const double sizes[SIZES] = {24, 36, 50, 77};
static const int32_t counts[COUNTS] = {1, 2, 4, 8};

static const char head[] = "mod(a,b) = a - b*floor(a/b)\n"
                           "turned(r,c) = r + c*(1 - 2*mod(floor(r/c),2))\n"
                           "firstrow(m,p,r) = r*floor(m/p) + min(r, mod(m,p))\n"
                           "owner(m,p,k) = k < mod(m,p)*(floor(m/p)+1) ? floor(k/(floor(m/p)+1)) : \\\n"
                           "  mod(m,p) + floor((k - mod(m,p)*(floor(m/p)+1))/floor(m/p))\n"
                           "program \"random\", \"n\"\n";

static bmf_equations *read_rules(const char *text)
{
    bmf_equations *e;
    if (equations_parse(text, (int64_t)strlen(text), "test.model", &(bmf_equation_settings){.rules_only = true}, &e) !=
        BMF_OK)
        fail_msg("%s\n%s", bmf_error_text(NULL), text);
    return e;
}

static bmf_trace_run *follow(const bmf_equations *e, double d, int32_t p)
{
    bmf_trace_run *run;
    if (program_generate(e, d, p, 0, MAX_STEPS, &run) != BMF_OK)
        fail_msg("d %g, p %d: %s", d, p, bmf_error_text(NULL));
    return run;
}

/* ---- random programs ---- */

typedef struct maker {
    uint64_t random;
    char text[TEXT];
    size_t used;
    int phases;
} maker;

__attribute__((format(printf, 2, 3))) static void put(maker *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    m->used += (size_t)vsnprintf(m->text + m->used, TEXT - m->used, format, arguments);
    va_end(arguments);
    assert_true(m->used < TEXT);
}

static const char *pick(maker *m, const char *const *list, int64_t count)
{
    return list[test_below(&m->random, count)];
}

static const char *bytes(maker *m)
{
    static const char *const list[] = {"8",
                                       "4*d",
                                       "8*d+8",
                                       "4*d*d",
                                       "8*ceil((d-r)/p)",
                                       "4*d*ceil((d-r)/p)",
                                       "8*ceil(d/p)",
                                       "d*p",
                                       "16*p",
                                       "8*d*ceil(log(p)/log(2)-1e-9)"};
    return pick(m, list, sizeof list / sizeof list[0]);
}

static const char *peer(maker *m)
{
    static const char *const list[] = {"mod(r+1,p)", "mod(r-1,p)", "turned(r,1)",        "0",
                                       "p-1",        "p-1-r",      "mod(r+floor(p/2),p)"};
    return pick(m, list, sizeof list / sizeof list[0]);
}

static void put_message(maker *m)
{
    const char *size = bytes(m);
    put(m, "call send \"send\" to %s bytes %s tag %d\n", peer(m), size, (int)test_below(&m->random, 3));
    put(m, "call receive \"recv\" from %s bytes %s tag 5\n", peer(m), size);
}

static void put_request(maker *m)
{
    const char *from = peer(m), *size = bytes(m);
    put(m, "call post \"irecv\" from %s tag 7 starts\n", from);
    put(m, "call send \"isend\" to %s bytes %s tag 7 starts\n", peer(m), size);
    put(m, "call receive \"waitall\" from %s bytes %s tag 7 request 0\n", from, size);
    put(m, "call wait \"waitall\" request 0 together\n");
}

static void put_collective(maker *m)
{
    static const char *const list[] = {"allreduce", "allgather", "alltoall", "scan"};
    if (test_below(&m->random, 2))
        put(m, "call collective \"%s\" bytes %s\n", pick(m, list, 4), bytes(m));
    else
        put(m, "call collective \"bcast\" root %s bytes %s\n", test_below(&m->random, 2) ? "0" : "p-1", bytes(m));
}

static void put_call(maker *m)
{
    static void (*const kind[])(maker *) = {put_message, put_request, put_collective};
    put(m, "work 1, 0.01 of d*ceil((d-r)/p)\n");
    kind[test_below(&m->random, 3)](m);
    if (test_below(&m->random, 4) == 0)
        put(m, "steps 3*d*ceil((d-r)/p)+1\n");
}

/* Phases of their own for every loop and behind it, so that nothing beside a loop looks like a part of it. */
static void put_phase(maker *m, int depth)
{
    static const char *const turns[] = {"3", "ceil(log(p)/log(2)-1e-9)", "p-1", "20", "2*p", "ceil(d/p)", "d", "1"};
    const int phase = ++m->phases;
    put(m, "region \"phase %d\"\n", phase);
    const int64_t calls = 1 + test_below(&m->random, 3);
    for (int64_t k = 0; k < calls; k++)
        put_call(m);
    put(m, "region \"loop %d\"\nrepeat %s\nregion \"turn %d\"\n", phase,
        pick(m, turns, sizeof turns / sizeof turns[0] - (depth > 0 ? 5 : 0)), phase);
    put_call(m);
    if (depth < 1 && test_below(&m->random, 3) == 0)
        put_phase(m, depth + 1);
    put(m, "end\nregion \"behind %d\"\ncall collective \"barrier\" bytes 0\n", phase);
}

static void make_program(maker *m)
{
    m->used = 0;
    m->phases = 0;
    put(m, "%s", head);
    const bool alone = test_below(&m->random, 2);
    put(m, "ranks p > 1\n");
    put_phase(m, 0);
    put_phase(m, 0);
    if (alone)
        put(m, "ranks p == 1\ncall collective \"barrier\" bytes 8*d\n");
    else
        put(m, "ranks 1\nrepeat 5\nsteps d*d\ncall collective \"allreduce\" bytes 8\nend\n");
}

/* ---- comparing runs ---- */

/* The next event that is no computing, from k on. */
static int64_t next_event(const bmf_trace_run *run, int64_t k)
{
    while (k < run->events && run->event[k].kind == BMF_EVENT_KERNEL && run->event[k].amount == 0)
        k++;
    return k;
}

static void assert_same_event(const bmf_trace_run *a, int64_t i, const bmf_trace_run *b, int64_t j, const char *text)
{
    const bmf_event *x = &a->event[i], *y = &b->event[j];
    const bmf_trace_detail *s = &a->detail[i], *t = &b->detail[j];
    if (x->kind != y->kind || x->lane != y->lane || x->peer != y->peer || x->amount != y->amount ||
        x->round != y->round || x->instance != y->instance || strcmp(a->name[x->name], b->name[y->name]) != 0 ||
        strcmp(a->name[a->node[x->node].name], b->name[b->node[y->node].name]) != 0 ||
        s->group_and_flags != t->group_and_flags || s->tag != t->tag || (s->number != t->number && s->number >= 0))
        fail_msg("rank %d: %s '%s' peer %d amount %lld tag %d round %u is %s '%s' peer %d amount %lld tag %d round "
                 "%u\n%s",
                 x->lane, a->name[x->name], a->name[a->node[x->node].name], x->peer, (long long)x->amount, s->tag,
                 x->round, b->name[y->name], b->name[b->node[y->node].name], y->peer, (long long)y->amount, t->tag,
                 y->round, text);
}

static void assert_same_runs(const bmf_trace_run *a, const bmf_trace_run *b, const char *text)
{
    int64_t i = next_event(a, 0), j = next_event(b, 0);
    while (i < a->events && j < b->events) {
        assert_same_event(a, i, b, j, text);
        i = next_event(a, i + 1);
        j = next_event(b, j + 1);
    }
    assert_true(i == a->events && j == b->events);
}

/* ---- fits ---- */

typedef struct runs {
    int64_t count;
    bmf_recording recording[SIZES * COUNTS];
    bmf_trace_run *run[SIZES * COUNTS];
} runs;

static void record(const bmf_equations *e, int sizes_taken, int counts_taken, runs *to)
{
    to->count = 0;
    for (int s = 0; s < sizes_taken; s++)
        for (int c = 0; c < counts_taken; c++) {
            to->run[to->count] = follow(e, sizes[s], counts[c]);
            to->recording[to->count] = (bmf_recording){to->run[to->count], "test.trace", sizes[s]};
            to->count++;
        }
}

static void runs_free(runs *of)
{
    for (int64_t k = 0; k < of->count; k++)
        run_free(of->run[k]);
}

static char *text_of(const bmf_fitted_program *program)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fitted_program_write(program, to);
    fclose(to);
    return text;
}

static char *fit(const runs *of, const char *text)
{
    bmf_fitted_program *program;
    if (program_fit(of->recording, of->count, &(bmf_fit_settings){.parameter = "n", .exact = true}, &program) !=
        BMF_OK) {
        fprintf(stderr, "%s\n", text);
        fail_msg("%s", bmf_error_text(NULL));
    }
    char *fitted = text_of(program);
    fitted_program_free(program);
    return fitted;
}

static void assert_same_programs(const bmf_equations *a, const bmf_equations *b, const char *text)
{
    static const struct {
        double d;
        int32_t p;
    } held_out[] = {{24, 1}, {77, 8}, {200, 16}, {131, 4}, {41, 32}};
    for (size_t k = 0; k < sizeof held_out / sizeof held_out[0]; k++) {
        bmf_trace_run *x = follow(a, held_out[k].d, held_out[k].p), *y = follow(b, held_out[k].d, held_out[k].p);
        assert_same_runs(x, y, text);
        run_free(x);
        run_free(y);
    }
}

static void the_same_rules_come_back(void **state)
{
    uint64_t seed = 20261122;
    (void)state;
    maker *m = allocate(sizeof *m);
    for (int k = 0; k < PROGRAMS; k++) {
        runs of;
        m->random = seed + (uint64_t)k;
        print_message("program %d of seed %llu\n", k, (unsigned long long)m->random);
        make_program(m);
        bmf_equations *before = read_rules(m->text);
        record(before, SIZES, COUNTS, &of);
        char *text = fit(&of, m->text);
        bmf_equations *behind = read_rules(text);
        assert_same_programs(before, behind, m->text);
        equations_free(before);
        equations_free(behind);
        runs_free(&of);
        free(text);
    }
    free(m);
}

/* Owners of rows: which loop a rank is in depends on its rows. */
static void owners_are_found(void **state)
{
    static const char text[] =
        "ranks 1\n"
        "repeat firstrow(d,p,r)\nregion \"a\"\ncall collective \"bcast\" root owner(d,p,k) bytes "
        "8*d\nend\n"
        "repeat ceil((d-r)/p)\nregion \"a\"\nsteps d-k-firstrow(d,p,r)\n"
        "call collective \"bcast\" root r bytes 8*d\nend\n"
        "repeat d-firstrow(d,p,r)-ceil((d-r)/p)\nregion \"a\"\n"
        "call collective \"bcast\" root owner(d,p,k+firstrow(d,p,r+1)) bytes 8*d\nend\n";
    char *whole = allocate((int64_t)(sizeof head + sizeof text));
    runs of;
    (void)state;
    sprintf(whole, "%s%s", head, text);
    bmf_equations *before = read_rules(whole);
    record(before, SIZES, COUNTS, &of);
    char *fitted = fit(&of, whole);
    bmf_equations *behind = read_rules(fitted);
    assert_same_programs(before, behind, fitted);
    equations_free(before);
    equations_free(behind);
    runs_free(&of);
    free(fitted);
    free(whole);
}

/* Work that grows as said comes back with coefficients near those that were given. */
static void work_is_fitted(void **state)
{
    static const char text[] = "ranks 1\nwork 50, 0.25 of d*ceil((d-r)/p)\ncall collective \"barrier\" bytes 0\n";
    char *whole = allocate((int64_t)(sizeof head + sizeof text));
    runs of;
    (void)state;
    sprintf(whole, "%s%s", head, text);
    bmf_equations *before = read_rules(whole);
    record(before, SIZES, COUNTS, &of);
    char *fitted = fit(&of, whole);
    const char *work = strstr(fitted, "work ");
    double c = 0.0, k = 0.0;
    char form[64] = "";
    assert_non_null(work);
    assert_int_equal(sscanf(work, "work %lf, %lf of %63s", &c, &k, form), 3);
    assert_string_equal(form, "d*ceil((d-r)/p)");
    assert_true(fabs(c - 50.0) < 0.1 && fabs(k - 0.25) < 0.001);
    equations_free(before);
    runs_free(&of);
    free(fitted);
    free(whole);
}

/* ---- what is refused ---- */

static void assert_refused(const char *text, int sizes_taken, int counts_taken, bool exact, const char *part)
{
    bmf_fitted_program *program;
    char *whole = allocate((int64_t)(sizeof head + strlen(text)));
    runs of;
    sprintf(whole, "%s%s", head, text);
    bmf_equations *e = read_rules(whole);
    record(e, sizes_taken, counts_taken, &of);
    assert_int_equal(
        program_fit(of.recording, of.count, &(bmf_fit_settings){.parameter = "n", .exact = exact}, &program),
        BMF_ERROR_ARGUMENT);
    if (!strstr(bmf_error_text(NULL), part) || strchr(bmf_error_text(NULL), '\n'))
        fail_msg("not about '%s': %s", part, bmf_error_text(NULL));
    equations_free(e);
    runs_free(&of);
    free(whole);
}

static void what_has_no_rule_is_refused(void **state)
{
    static const char barrier[] = "ranks 1\ncall collective \"barrier\" bytes 0\n";
    (void)state;
    assert_refused(barrier, 2, COUNTS, false, "three numbers of processes; there are 2 and 4");
    assert_refused(barrier, SIZES, 2, false, "three numbers of processes; there are 4 and 2");
    assert_refused("ranks 1\nregion \"odd\"\ncall send \"send\" to mod(floor(exp(mod(d,7))*(r+1)),p) bytes 8 tag 0\n",
                   SIZES, COUNTS, false, "phase 'odd' has no rule: with whom send is called");
    assert_refused("ranks 1\ncall collective \"bcast\" root 0 bytes floor(1000*exp(mod(d,7)))\n", SIZES, COUNTS, true,
                   "how many bytes bcast is called");
    assert_refused("ranks mod(floor(exp(mod(d,7))*(r+1)),3) == 1\ncall collective \"barrier\" bytes 0\n"
                   "ranks 1\ncall collective \"allreduce\" bytes 8\n",
                   SIZES, COUNTS, false, "no condition in p, d and r tells");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_rules_come_back),
        cmocka_unit_test(owners_are_found),
        cmocka_unit_test(work_is_fitted),
        cmocka_unit_test(what_has_no_rule_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
