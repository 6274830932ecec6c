/* Runs in the order of their recording: the passes over a sample. Method and cost in the header. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/in_order_state.h"
#include "runtime/base/allocate.h"

enum { MAX_PASSES = 20 };

/* Threads beyond the first one: while all of their states have no more bytes than this, and steps enough to be worth
 * it. */
static const int64_t STATES_BYTES = INT64_C(1) << 30, WORTH_STEPS = 100000;

/* ---- states ---- */

static int64_t bytes_of_state(const bmf_in_order *o)
{
    const int64_t message = (int64_t)(sizeof(course) + (o->meets ? 4 : 2) * sizeof(double) + 1);
    return o->messages * message + o->kept * (int64_t)sizeof(double) +
           o->actions->processors * (int64_t)(3 * sizeof(double) + 1) + in_order_ports_bytes(o);
}

static double *numbers(int64_t count)
{
    return allocate((count + 1) * (int64_t)sizeof(double));
}

static in_order_run_state *state_create(const bmf_in_order *o)
{
    in_order_run_state *r = allocate_clear(1, (int64_t)sizeof *r);
    r->o = o;
    r->clock = numbers(o->actions->processors);
    r->last = numbers(o->actions->processors);
    r->leading = numbers(o->actions->processors);
    r->shifted = allocate_clear(o->actions->processors, 1);
    r->seconds = numbers(o->kept);
    r->factors.common = numbers(o->computations.kinds);
    r->factors.deviation = numbers(o->computations.kinds);
    r->course = allocate((o->messages + 1) * (int64_t)sizeof *r->course);
    r->ready = numbers(o->messages);
    r->waits = numbers(o->messages);
    if (o->meets) {
        r->posted = numbers(o->messages);
        r->pushed = numbers(o->messages);
    }
    r->news = allocate(o->messages + 1);
    in_order_ports_create(r);
    return r;
}

static void state_free(in_order_run_state *r)
{
    if (!r)
        return;
    in_order_ports_free(r);
    free(r->clock);
    free(r->last);
    free(r->leading);
    free(r->shifted);
    free(r->seconds);
    free(r->factors.common);
    free(r->factors.deviation);
    free(r->course);
    free(r->ready);
    free(r->waits);
    free(r->posted);
    free(r->pushed);
    free(r->news);
    free(r);
}

void in_order_states_free(bmf_in_order *o)
{
    for (int64_t k = 0; k < o->states; k++)
        state_free(o->state[k]);
    free(o->state);
}

/* ---- what processors do ---- */

static void post(in_order_run_state *r, int32_t first)
{
    const int32_t whose = r->o->message[first].to;
    for (int32_t m = first; m >= 0; m = r->o->message[m].next)
        r->posted[m] = r->clock[whose];
}

/* bmf_network_type.meeting asks for bytes. */
static double meeting(const in_order_run_state *r, int32_t m)
{
    const bmf_in_order *o = r->o;
    return o->network->type->meeting(o->network, &(bmf_transit){.from = o->message[m].from,
                                                                .to = o->message[m].to,
                                                                .bytes = o->message[m].bytes,
                                                                .sent = r->course[m].sent,
                                                                .posted = r->posted[m]});
}

void in_order_depart(in_order_run_state *r, int32_t m)
{
    const bmf_simple_message *times = ordered_times(r->o, m);
    course *c = &r->course[m];
    if (r->pushed)
        r->pushed[m] = times->meets ? meeting(r, m) : c->sent;
    if (times->ported) {
        in_order_pass_port(r, OUT, m);
        in_order_pass_port(r, IN, m);
    } else {
        c->done = (times->meets ? r->pushed[m] : c->sent + times->busy) + times->length;
        c->arrived = c->done + times->latency;
    }
}

static void send(in_order_run_state *r, int32_t m)
{
    double *clock = &r->clock[r->o->message[m].from];
    r->course[m].sent = *clock;
    *clock += ordered_times(r->o, m)->busy;
    in_order_depart(r, m);
}

double in_order_take(in_order_run_state *r, int32_t first, double clock)
{
    const ordered_message *message = r->o->message;
    int64_t count = 0;
    for (int32_t m = first; m >= 0; m = message[m].next)
        r->some[count++] = m;
    if (count > 1)
        in_order_sort_arrivals(r, r->some, count);
    for (int64_t k = 0; k < count; k++) {
        const double arrived = r->course[r->some[k]].arrived;
        clock = (arrived > clock ? arrived : clock) + ordered_times(r->o, r->some[k])->taking;
    }
    return clock;
}

static void receive(in_order_run_state *r, int32_t first)
{
    double *clock = &r->clock[r->o->message[first].to];
    r->ready[first] = *clock;
    *clock = in_order_take(r, first, *clock);
}

double in_order_wait(const in_order_run_state *r, int32_t first, double clock)
{
    for (int32_t m = first; m >= 0; m = r->o->message[m].next_sent)
        clock = r->course[m].done > clock ? r->course[m].done : clock;
    return clock;
}

static void wait(in_order_run_state *r, int32_t first)
{
    double *clock = &r->clock[r->o->message[first].from];
    r->waits[first] = *clock;
    *clock = in_order_wait(r, first, *clock);
}

/* ---- passes ---- */

static double latest(const in_order_run_state *r, const double *clock)
{
    double last = 0.0;
    for (int64_t p = 0; p < r->o->actions->processors; p++)
        last = clock[p] > last ? clock[p] : last;
    return last;
}

/* From when all have met, each goes on when it has done what the meeting asks of it. */
static void meet(in_order_run_state *r, const ordered_part *part, double clock, double agreement)
{
    const bmf_action *action = &r->o->actions->stored[part->begin];
    for (int64_t p = 0; p < r->o->actions->processors; p++, action += part->own)
        r->clock[p] = clock + (isnan(action->seconds) ? agreement : action->seconds);
}

/* What is computed behind each other: by whom, and which stored action it is. */
typedef struct block {
    int64_t count;
    int32_t whose[BMF_COMPUTATION_BLOCK], stored[BMF_COMPUTATION_BLOCK];
} block;

/* How far a part is: stored actions, members or processors, and actions of a member. */
typedef struct block_place {
    int64_t at, within;
} block_place;

static void add_to_block(block *b, int32_t whose, int64_t stored)
{
    b->whose[b->count] = whose;
    b->stored[b->count++] = (int32_t)stored;
}

static void next_of_family(const bmf_in_order *o, const ordered_part *part, block_place *place, block *b)
{
    const bmf_actions *actions = o->actions;
    while (place->at < part->end && b->count < BMF_COMPUTATION_BLOCK) {
        const bmf_member *member = &actions->member[place->at];
        const bmf_action_slice *slice = &actions->slice[part->slice + member->slice];
        while (place->within < slice->count && b->count < BMF_COMPUTATION_BLOCK)
            add_to_block(b, member->processor, slice->begin + place->within++);
        if (place->within < slice->count)
            return;
        place->at++;
        place->within = 0;
    }
}

/* The next block of a part; place begins with its first. */
static void next_block(const bmf_in_order *o, const ordered_part *part, block_place *place, block *b)
{
    b->count = 0;
    if (part->kind == ORDERED_FAMILY)
        next_of_family(o, part, place, b);
    for (; part->kind == ORDERED_COMPUTE && place->at < part->end && b->count < BMF_COMPUTATION_BLOCK; place->at++)
        add_to_block(b, o->computations.of[place->at].processor, place->at);
    for (; part->kind == ORDERED_ALL && place->at < o->actions->processors && b->count < BMF_COMPUTATION_BLOCK;
         place->at++)
        add_to_block(b, (int32_t)place->at, part->begin);
}

/* One after the other, as the simulator adds them. */
static void add_seconds(in_order_run_state *r, const block *b, const double *seconds)
{
    int32_t whose = b->whose[0];
    double clock = r->clock[whose];
    for (int64_t k = 0; k < b->count; k++) {
        if (b->whose[k] != whose) {
            r->clock[whose] = clock;
            whose = b->whose[k];
            clock = r->clock[whose];
        }
        clock += seconds[k];
    }
    r->clock[whose] = clock;
}

/* known: the seconds were drawn, and kept. Those of leading parts are not. */
static void compute(in_order_run_state *r, const ordered_part *part, bool leading, bool known)
{
    const bmf_in_order *o = r->o;
    double drawn[BMF_COMPUTATION_BLOCK], *kept = r->seconds + part->computation;
    block b;
    int64_t action = part->action;
    for (block_place place = {.at = part->kind == ORDERED_ALL ? 0 : part->begin};; action += b.count) {
        next_block(o, part, &place, &b);
        if (b.count == 0)
            return;
        double *seconds = leading ? drawn : kept + (action - part->action);
        if (!known)
            chances_draw(&r->chances, &o->computations, &r->factors, action, b.stored, b.count, seconds);
        add_seconds(r, &b, seconds);
    }
}

/* What of a pass is the same in the next one, or behind the leading parts. */
typedef struct passed {
    double loading; /* the clock at the program's start */
    int64_t meetings;
} passed;

static void pass_part(in_order_run_state *r, const ordered_part *part, double agreement, passed *p)
{
    const bmf_in_order *o = r->o;
    const int32_t *item = part->listed ? o->item : NULL;
    double clock;
    switch (part->kind) {
    case ORDERED_COMPUTE:
    case ORDERED_FAMILY:
    case ORDERED_ALL:
        break;
    case ORDERED_POST:
        for (int64_t k = part->begin; k < part->end; k++)
            post(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_SEND:
        for (int64_t k = part->begin; k < part->end; k++)
            send(r, (int32_t)k);
        break;
    case ORDERED_RECEIVE:
        for (int64_t k = part->begin; k < part->end; k++)
            receive(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_WAIT:
        for (int64_t k = part->begin; k < part->end; k++)
            wait(r, item ? item[k] : (int32_t)k);
        break;
    case ORDERED_PAIRS:
        for (int32_t m = (int32_t)part->begin; m < part->end; m++) {
            send(r, m);
            receive(r, m);
            wait(r, m);
        }
        break;
    case ORDERED_LOADED:
    case ORDERED_MEET:
        clock = latest(r, r->clock);
        p->loading = part->kind == ORDERED_LOADED ? clock : p->loading;
        meet(r, part, clock, chances_meeting(&r->chances, agreement, p->meetings++));
        break;
    }
}

/* Parts [first, end). */
static void pass_parts(in_order_run_state *r, int64_t first, int64_t end, double agreement, bool known, passed *p)
{
    const bmf_in_order *o = r->o;
    for (int64_t k = first; k < end; k++)
        if (ordered_computing(o->part[k].kind))
            compute(r, &o->part[k], k < o->leading, known);
        else
            pass_part(r, &o->part[k], agreement, p);
}

/* The parts before anything is sent. */
static passed lead(in_order_run_state *r, double agreement)
{
    const bmf_in_order *o = r->o;
    passed p = {0};
    memset(r->clock, 0, (size_t)o->actions->processors * sizeof *r->clock);
    pass_parts(r, 0, o->leading, agreement, false, &p);
    memcpy(r->leading, r->clock, (size_t)o->actions->processors * sizeof *r->clock);
    return p;
}

/* One pass over all others; returns the clock at the program's start. */
static double follow_all(in_order_run_state *r, double agreement, bool known, passed p)
{
    const bmf_in_order *o = r->o;
    if (known)
        memcpy(r->clock, r->leading, (size_t)o->actions->processors * sizeof *r->clock);
    memset(r->news, 0, (size_t)o->messages);
    pass_parts(r, o->leading, o->parts, agreement, known, &p);
    double *clocks = r->clock;
    r->clock = r->last;
    r->last = clocks;
    return p.loading;
}

static void run_sample(in_order_run_state *r, double agreement, bmf_in_order_sample *sample)
{
    chances_begin(&r->chances, r->o->actions, r->o->network, sample->sample);
    chances_find_factors(&r->chances, sample->compute_factor, &r->o->computations, &r->factors);
    const passed before = lead(r, agreement);
    sample->loading = follow_all(r, agreement, false, before);
    bool again = in_order_settle(r);
    for (int pass = 1; pass < MAX_PASSES && again; pass++) {
        if (!in_order_follow_changes(r))
            sample->loading = follow_all(r, agreement, true, before);
        again = in_order_settle(r);
    }
    sample->seconds = latest(r, r->last);
    sample->settled = !again && isfinite(sample->seconds);
    in_order_forget_orders(r);
}

/* ---- threads ---- */

static int64_t threads_for(const bmf_in_order *o, int64_t count)
{
    const int64_t most = STATES_BYTES / (bytes_of_state(o) + 1), there = omp_get_max_threads();
    int64_t threads = count < there ? count : there;
    threads = threads < most ? threads : most;
    return threads < 1 || count * (o->computed + 4 * o->messages) < WORTH_STEPS ? 1 : threads;
}

static void make_states(bmf_in_order *o, int64_t count)
{
    if (o->states >= count)
        return;
    o->state = reallocate_array(o->state, o->states, count, (int64_t)sizeof *o->state);
    while (o->states < count)
        o->state[o->states++] = NULL;
}

void in_order_run(bmf_in_order *o, bmf_in_order_sample *sample, int64_t count)
{
    const int64_t threads = threads_for(o, count);
    double *agreement = allocate_array(count, (int64_t)sizeof *agreement);
    for (int64_t k = 0; k < count; k++)
        agreement[k] = step_agreement(o->network, sample[k].sample);
    make_states(o, threads);
#pragma omp parallel for num_threads((int)threads) schedule(dynamic)
    for (int64_t k = 0; k < count; k++) {
        in_order_run_state **r = &o->state[omp_get_thread_num()];
        if (!*r)
            *r = state_create(o);
        run_sample(*r, agreement[k], &sample[k]);
    }
    free(agreement);
}
