/* Replay of recorded MPI programs: the rules of document 001, 5.2, by hand on its data sheets; congestion; collectives
 * made of messages; damaged sections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/machine/machine.h"
#include "predict/replay/recorded.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { MICROSECOND = 1000, BYTES = 8, MAX_EVENTS = 8192 };

static const char t3d_path[] = "unit_recorded_t3d.sheet", life_path[] = "unit_recorded_life.sheet",
                  workstations_path[] = "unit_recorded_workstations.sheet", noisy_path[] = "unit_recorded_noisy.sheet";

#define SHEET(entries)                                                                                                 \
    "format = \"bmf sheet 1\";\ntitle = \"t\";\nunits = \"us\";\nlogarithm = \"natural\";\nentries = (" entries ");\n"
#define PAIR(operation, range, equation)                                                                               \
    "{ operation = \"" operation "\"; family = \"point-to-point\"; element_bytes = 8; d = [" range "]; " equation " }"
#define GROUP(operation, range, equation)                                                                              \
    "{ operation = \"" operation "\"; family = \"collective\"; element_bytes = 8; p = [2, 128]; d = [" range           \
    "]; " equation " }"

/* What the tests need of document 001, appendix B. */
static const char t3d_sheet[] = SHEET(PAIR("send", "32, 8192", "c = 30.0; size = \"d\"; k = 0.09;") "," PAIR(
    "recv", "32, 8192",
    "c = 60.0; size = \"d\"; k = 0.5;") "," PAIR("recvmin", "32, 8192",
                                                 "c = 30.0; size = \"d\"; k = 0.4;") "," GROUP("allreduce", "1, 32",
                                                                                               "c = 300.0; startup = "
                                                                                               "\"p\"; s = 6.0; size = "
                                                                                               "\"log(p)*d\"; k = "
                                                                                               "2.0;") "," GROUP("allre"
                                                                                                                 "duce",
                                                                                                                 "32, "
                                                                                                                 "8192",
                                                                                                                 "c = "
                                                                                                                 "300."
                                                                                                                 "0; "
                                                                                                                 "start"
                                                                                                                 "up = "
                                                                                                                 "\"p\""
                                                                                                                 "; s "
                                                                                                                 "= "
                                                                                                                 "6.0; "
                                                                                                                 "size "
                                                                                                                 "= "
                                                                                                                 "\"log"
                                                                                                                 "(p)*"
                                                                                                                 "d\"; "
                                                                                                                 "k = "
                                                                                                                 "1."
                                                                                                                 "0;"));

/* Of section 5.4: 60 +- 12, 91.75 +- 17.75 and 100 us; and messages of 250 us when all send. */
static const char life_sheet[] = SHEET(PAIR("send", "1, 8192", "c = 60.0; size = \"d\"; k = 0.0;") "," PAIR(
    "recv", "1, 8192",
    "c = 100.0; size = \"d\"; k = 0.0;") "," PAIR("recvmin", "1, 8192",
                                                  "c = 91.75; size = \"d\"; k = 0.0;") "," GROUP("allsend", "1, 8192",
                                                                                                 "c = 250.0; size = "
                                                                                                 "\"d\"; k = 0.0;"));

/* Of section 4.1. */
static const char workstations_sheet[] = SHEET(GROUP(
    "allsend", "1, 8192", "c = 2000.0; size = \"d\"; k = 1.0;") ","
                                                                "{ operation = \"barrier\"; family = \"barrier\"; p = "
                                                                "[2, 8]; c = 0.0; startup = \"p\"; s = 9000.0; }");

static void assert_close(double value, double wanted, double by)
{
    if (!(fabs(value - wanted) <= by))
        fail_msg("%.9g is not %.9g", value, wanted);
}

/* ---- programs ---- */

typedef struct program {
    bmf_trace_run *run;
    int64_t *clock; /* by lane, in nanoseconds */
} program;

static program program_create(int32_t lanes)
{
    program p = {run_create("program", "here", lanes, lanes, 1), allocate_clear(lanes, (int64_t)sizeof(int64_t))};
    p.run->groups = 1;
    p.run->members = lanes;
    p.run->group = allocate_clear(1, (int64_t)sizeof *p.run->group);
    p.run->group[0].members = lanes;
    p.run->member = allocate_array(lanes, (int64_t)sizeof *p.run->member);
    p.run->detail = allocate_array(MAX_EVENTS, (int64_t)sizeof *p.run->detail);
    for (int32_t lane = 0; lane < lanes; lane++)
        p.run->member[lane] = lane;
    return p;
}

static void program_free(program *p)
{
    run_free(p->run);
    free(p->clock);
}

/* An event of 1 us, or of the computing time that it says. */
static void add(program *p, int32_t lane, bmf_event_kind kind, const char *name, int32_t peer, int64_t amount,
                int64_t number)
{
    const int64_t length = kind == BMF_EVENT_KERNEL ? number : MICROSECOND;
    p->run->detail[p->run->events] = (bmf_trace_detail){0, kind == BMF_EVENT_KERNEL ? -1 : 5, number};
    run_add(p->run, &(bmf_event){.begin = p->clock[lane],
                                 .end = p->clock[lane] + length,
                                 .amount = amount,
                                 .lane = lane,
                                 .peer = peer,
                                 .kind = (uint16_t)kind,
                                 .name = (uint16_t)run_name(p->run, name)});
    p->clock[lane] += length;
}

static void compute(program *p, int32_t lane, int64_t microseconds)
{
    if (microseconds > 0)
        add(p, lane, BMF_EVENT_KERNEL, "compute", -1, 0, microseconds * MICROSECOND);
}

/* ---- replaying ---- */

typedef struct replayed {
    bmf_machine *machine;
    bmf_network *network;
    bmf_trace_run *run;
    bmf_recorded_replay result;
} replayed;

static int replay_to(program *p, const char *text, replayed *r)
{
    assert_int_equal(machine_parse(text, "m.machine", &r->machine), BMF_OK);
    assert_int_equal(machine_network(r->machine, p->run->lanes, &r->network), BMF_OK);
    assert_int_equal(run_sort(p->run), BMF_OK);
    return replay_recorded(p->run, r->machine, r->network, &(bmf_recorded_options){0}, &r->run, &r->result);
}

static void replay(program *p, const char *text, replayed *r)
{
    const int status = replay_to(p, text, r);
    if (status != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
}

static void unreplay(replayed *r)
{
    run_free(r->run);
    r->network->type->destroy(r->network);
    machine_free(r->machine);
}

/* When the last event of a kind on a lane ends, in microseconds. */
static double end_of(const bmf_trace_run *run, int32_t lane, bmf_event_kind kind)
{
    double end = -1.0;
    for (int64_t k = 0; k < run->events; k++)
        if (run->event[k].lane == lane && run->event[k].kind == kind)
            end = (double)run->event[k].end / MICROSECOND;
    return end;
}

static const char noisy_sheet[] = SHEET(PAIR("send", "1, 1000", "c = 10.0;") "," PAIR(
    "recvmin", "1, 1000", "c = 20.0;") "," PAIR("recv", "1, 1000", "c = 100.0; errors = [10.0, 0.0, 0.0];"));

#define MACHINE(path, more) "network = { type = \"sheet\"; sheet = \"" path "\"; " more " };\n"
static const char t3d[] = MACHINE("unit_recorded_t3d.sheet", ""), life[] = MACHINE("unit_recorded_life.sheet", ""),
                  life_congested[] = MACHINE("unit_recorded_life.sheet", "congested = true;"),
                  workstations[] = MACHINE("unit_recorded_workstations.sheet", "pairs = \"allsend\";"),
                  workstations_messages[] =
                      MACHINE("unit_recorded_workstations.sheet", "pairs = \"allsend\"; collectives = \"messages\";");

static const char noisy[] = MACHINE("unit_recorded_noisy.sheet", "");

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static int write_sheets(void **state)
{
    (void)state;
    write_file(t3d_path, t3d_sheet);
    write_file(life_path, life_sheet);
    write_file(workstations_path, workstations_sheet);
    write_file(noisy_path, noisy_sheet);
    return 0;
}

static int remove_sheets(void **state)
{
    (void)state;
    unlink(t3d_path);
    unlink(life_path);
    unlink(workstations_path);
    unlink(noisy_path);
    return 0;
}

/* ---- messages ---- */

/* 100 elements; the receiver and the sender come when they come. Returns the receiver's end. */
static double one_message(int64_t sent_at, int64_t received_at, double *sender_free)
{
    program p = program_create(2);
    replayed r;
    compute(&p, 0, sent_at);
    add(&p, 0, BMF_EVENT_SEND, "send", 1, 100 * BYTES, 0);
    compute(&p, 1, received_at);
    add(&p, 1, BMF_EVENT_RECEIVE, "recv", 0, 100 * BYTES, 0);
    replay(&p, t3d, &r);
    *sender_free = end_of(r.run, 0, BMF_EVENT_SEND);
    const double end = end_of(r.run, 1, BMF_EVENT_RECEIVE);
    unreplay(&r);
    program_free(&p);
    return end;
}

static void messages_follow_the_receive_rule(void **state)
{
    (void)state;
    double sender_free;
    /* Both at once: recv(100) = 60 + 0.5 * 100; the sender is busy for send(100) = 30 + 0.09 * 100. */
    assert_close(one_message(0, 0, &sender_free), 110.0, 0.001);
    assert_close(sender_free, 39.0, 0.001);
    /* There long before: recvmin(100) = 70. */
    assert_close(one_message(0, 500, &sender_free), 570.0, 0.001);
    /* 50 us late. */
    assert_close(one_message(50, 0, &sender_free), 160.0, 0.001);
}

/* ---- collectives ---- */

static void add_allreduce(program *p, int64_t apart, int64_t elements, int64_t bytes)
{
    for (int32_t lane = 0; lane < p->run->lanes; lane++) {
        compute(p, lane, apart * lane);
        add(p, lane, BMF_EVENT_COLLECTIVE, "allreduce", -1, elements * bytes, 0);
    }
}

static void all_leave_a_collective_together(void **state)
{
    (void)state;
    static const struct {
        int64_t elements;
        double end;
    } of[] = {{1, 422.16}, {1000, 2497.44}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        program p = program_create(8);
        replayed r;
        add_allreduce(&p, 10, of[k].elements, BYTES);
        replay(&p, t3d, &r);
        for (int32_t lane = 0; lane < 8; lane++)
            assert_close(end_of(r.run, lane, BMF_EVENT_COLLECTIVE), of[k].end, 0.006);
        unreplay(&r);
        program_free(&p);
    }
}

static void add_barrier(program *p)
{
    for (int32_t lane = 0; lane < p->run->lanes; lane++)
        add(p, lane, BMF_EVENT_COLLECTIVE, "barrier", -1, 0, 0);
}

static void workstations_have_no_pairs(void **state)
{
    (void)state;
    program p = program_create(8);
    replayed r;
    add_barrier(&p);
    replay(&p, workstations, &r);
    assert_close(r.result.time.seconds, 0.072, 1e-9); /* 9000 p us */
    unreplay(&r);
    /* Dissemination: three rounds of one message to and one from everybody. allsend(d) = 2000 + d us: each is busy with
     * sending for that long, and with receiving for as long again. */
    replay(&p, workstations_messages, &r);
    assert_close(r.result.time.seconds, 3 * 2 * 0.002, 1e-9);
    unreplay(&r);
    program_free(&p);
}

/* ---- the ring of life (document 001, 5.4): 20 times {compute, send, send, receive, receive} on 32 processors ---- */

static program life_ring(int32_t lanes)
{
    program p = program_create(lanes);
    for (int32_t lane = 0; lane < lanes; lane++) {
        const int32_t next = (lane + 1) % lanes, before = (lane + lanes - 1) % lanes;
        for (int64_t step = 0; step < 20; step++) {
            compute(&p, lane, 1042);
            add(&p, lane, BMF_EVENT_SEND, "send", next, 100, step);
            add(&p, lane, BMF_EVENT_SEND, "send", before, 100, step);
            add(&p, lane, BMF_EVENT_RECEIVE, "recv", before, 100, step);
            add(&p, lane, BMF_EVENT_RECEIVE, "recv", next, 100, step);
        }
    }
    return p;
}

static void the_ring_of_life_takes_what_the_document_says(void **state)
{
    (void)state;
    program p = life_ring(32);
    replayed r;
    /* 1042 + 2 * 60 + 2 * 91.75: both messages are there when they are asked for. */
    replay(&p, life, &r);
    assert_close(r.result.time.seconds, 20 * 1345.5e-6, 1e-9);
    assert_int_equal(r.result.messages, 32 * 20 * 2);
    unreplay(&r);
    /* The first comes 250 us after 1042, the second after that and 91.75. */
    replay(&p, life_congested, &r);
    assert_close(r.result.time.seconds, 20 * 1383.75e-6, 1e-9);
    unreplay(&r);
    program_free(&p);
}

/* ---- intervals ---- */

static void assert_between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%g is not in %g .. %g", value, low, high);
}

/* A message that takes 100 us, with a standard error of 10 us: 95 % are in 80.4 .. 119.6. */
static void noise_of_the_sheet_is_that_of_the_run(void **state)
{
    (void)state;
    program p = program_create(2);
    replayed r, again;
    add(&p, 0, BMF_EVENT_SEND, "send", 1, 100 * BYTES, 0);
    add(&p, 1, BMF_EVENT_RECEIVE, "recv", 0, 100 * BYTES, 0);
    replay(&p, noisy, &r);
    assert_close(r.result.time.seconds, 100e-6, 1e-12);
    assert_int_equal(r.result.time.samples, 200); /* as many as are ever taken */
    assert_between(r.result.time.median, 98e-6, 102e-6);
    assert_between(r.result.time.low, 77e-6, 84e-6);
    assert_between(r.result.time.high, 116e-6, 123e-6);
    for (int64_t k = 0; k < r.run->events; k++) {
        const bmf_event *e = &r.run->event[k];
        const bool receives = e->kind == BMF_EVENT_RECEIVE;
        assert_int_equal(e->end - e->begin, receives ? 100 * MICROSECOND : 10 * MICROSECOND);
        assert_between((double)e->low, receives ? 77e3 : 10e3, receives ? 84e3 : 10e3);
        assert_between((double)e->high, receives ? 116e3 : 10e3, receives ? 123e3 : 10e3);
    }
    replay(&p, noisy, &again);
    assert_memory_equal(&r.result.time, &again.result.time, sizeof r.result.time);
    unreplay(&again);
    unreplay(&r);
    program_free(&p);
}

/* A power that is stated is off by relative_error: 95 % of exp(N(0, ln(1 + 0.3^2))) are in 0.56 .. 1.78. */
static void a_stated_power_has_an_interval(void **state)
{
    (void)state;
    program p = program_create(1);
    replayed r;
    compute(&p, 0, 1000);
    replay(&p, "compute = { power = 2.0; };\nnetwork = { type = \"fixed\"; };\nrelative_error = 0.3;\n", &r);
    assert_close(r.result.time.median, 500e-6, 1e-9);
    assert_between(r.result.time.low / 500e-6, 0.5, 0.62);
    assert_between(r.result.time.high / 500e-6, 1.6, 1.95);
    unreplay(&r);
    program_free(&p);
}

/* ---- collectives made of messages ---- */

static void assert_in_time(const char *operation, int32_t lanes, double seconds)
{
    if (!(seconds >= 9.99e-6))
        fail_msg("%s of %d processes takes %g s, less than one message", operation, lanes, seconds);
}

/* All algorithms at all small numbers of processes: nothing waits for ever, and an operation that gathers from all ends
 * on its last member no earlier than a message takes. */
static void messages_of_collectives_come_to_an_end(void **state)
{
    (void)state;
    static const char *const operations[] = {"barrier",    "bcast",     "scatter",        "gather",
                                             "reduce",     "allreduce", "scan",           "exscan",
                                             "allgather",  "alltoall",  "reduce_scatter", "neighbor_alltoall",
                                             "comm_split", "alltoallw"};
    const char *machine = "network = { type = \"hockney\"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; };\n";
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (int32_t lanes = 1; lanes <= 17; lanes++)
            for (int64_t bytes = 8; bytes <= 1000000; bytes *= 125) {
                program p = program_create(lanes);
                replayed r;
                for (int32_t lane = 0; lane < lanes; lane++)
                    add(&p, lane, BMF_EVENT_COLLECTIVE, operations[k], lanes / 2, bytes, 0);
                replay(&p, machine, &r);
                if (lanes == 1)
                    assert_true(r.result.time.seconds == 0.0);
                else
                    assert_in_time(operations[k], lanes, r.result.time.seconds);
                unreplay(&r);
                program_free(&p);
            }
}

/* ---- what is refused ---- */

static void refuse(program *p, const char *part)
{
    replayed r;
    assert_int_equal(replay_to(p, "network = { type = \"fixed\"; };\n", &r), BMF_ERROR_ARGUMENT);
    if (!strstr(bmf_error_text(NULL), part))
        fail_msg("'%s' does not say '%s'", bmf_error_text(NULL), part);
    unreplay(&r);
    program_free(p);
}

static void what_cannot_be_replayed_is_said(void **state)
{
    (void)state;
    program p = program_create(2);
    add(&p, 0, BMF_EVENT_SEND, "send", 1, 8, 0);
    refuse(&p, "event 0: the send of message 0 from rank 0 to rank 1 with tag 5 has no receive");

    p = program_create(2);
    add(&p, 1, BMF_EVENT_RECEIVE, "recv", 0, 8, 0);
    refuse(&p, "has no send");

    p = program_create(3);
    add(&p, 0, BMF_EVENT_COLLECTIVE, "barrier", -1, 0, 0);
    refuse(&p, "only 1 called it");

    p = program_create(2);
    add(&p, 0, BMF_EVENT_COLLECTIVE, "barrier", -1, 0, 0);
    add(&p, 1, BMF_EVENT_COLLECTIVE, "bcast", 0, 8, 0);
    refuse(&p, "as collective 0 of one group");

    p = program_create(2);
    run_add_fact(p.run, "incomplete", "rank 1 ended by MPI_Abort");
    refuse(&p, "rank 1 ended by MPI_Abort");

    p = program_create(2);
    add(&p, 0, BMF_EVENT_WAIT, "put", -1, 0, -1);
    p.run->detail[0].group_and_flags = (uint32_t)BMF_DETAIL_OPAQUE << BMF_DETAIL_GROUP_BITS;
    refuse(&p, "rank 0 calls put");

    p = program_create(1);
    compute(&p, 0, 1);
    p.run->event[0].round = 3000000000U;
    refuse(&p, "event 0: request 3000000000 of a rank with 1 events");

    /* Both receive first: such a run cannot have been recorded. */
    p = program_create(2);
    for (int32_t lane = 0; lane < 2; lane++) {
        add(&p, lane, BMF_EVENT_RECEIVE, "recv", 1 - lane, 8, 0);
        add(&p, lane, BMF_EVENT_SEND, "send", 1 - lane, 8, 0);
    }
    refuse(&p, "2 ranks wait for each other for ever: rank 0 in recv, rank 1 in recv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_follow_the_receive_rule),
        cmocka_unit_test(all_leave_a_collective_together),
        cmocka_unit_test(workstations_have_no_pairs),
        cmocka_unit_test(the_ring_of_life_takes_what_the_document_says),
        cmocka_unit_test(noise_of_the_sheet_is_that_of_the_run),
        cmocka_unit_test(a_stated_power_has_an_interval),
        cmocka_unit_test(messages_of_collectives_come_to_an_end),
        cmocka_unit_test(what_cannot_be_replayed_is_said),
    };
    return cmocka_run_group_tests(tests, write_sheets, remove_sheets);
}
