/* Following the rules of a program; the header says what for. */
#include "predict/fit/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/replay/fail.h"
#include "predict/statistics/distribution.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/random.h"

enum { TURNS = 3, CALL_TIME = 2 };

/* How many messages went so far from or to a rank with a tag, in a group. */
typedef struct channel {
    int32_t peer, tag;
    uint32_t group;
    bool received;
    int64_t messages;
} channel;

/* A request that was started: its round, and of a receive the number of the message. */
typedef struct request {
    uint32_t round;
    int64_t message;
} request;

/* The deviation of coefficients of a rule in this sample, in standard errors. */
typedef struct deviation {
    double constant, factor;
} deviation;

typedef struct generator {
    const bmf_equations *equations;
    const bmf_rule *rule;
    int64_t rules;
    bmf_trace_run *run;
    int64_t steps, max_steps, detail_capacity;
    deviation *deviation; /* by rule; NULL: sample 0 */
    uint64_t random;
    uint32_t *entered; /* by node: how often */
    int64_t entered_capacity;
    /* of the rank: */
    bmf_rule_point at;
    int64_t clock, opened, open_capacity, channels, channel_capacity, *called, called_capacity;
    request *open;
    channel *channel;
    uint32_t node, instance, rounds;
    int64_t region, call; /* events: the open region, -1; the last call */
} generator;

/* ---- events ---- */

static bmf_event *add_event(generator *g, const bmf_event *event, const bmf_trace_detail *detail)
{
    bmf_trace_run *run = g->run;
    const int64_t at = run->events;
    ARRAY_RESERVE(run->detail, g->detail_capacity, at + 1);
    run->detail[at] = *detail;
    run_add(run, event);
    return run->events > at ? &run->event[at] : NULL;
}

static bmf_event make_event(const generator *g, bmf_event_kind kind, int64_t length)
{
    return (bmf_event){.begin = g->clock,
                       .end = g->clock + length,
                       .low = length,
                       .high = length,
                       .lane = (int32_t)g->at.r,
                       .peer = -1,
                       .kind = (uint16_t)kind,
                       .node = g->node,
                       .instance = g->instance};
}

static void add_kernel(generator *g, const char *name, double seconds, int64_t steps)
{
    const int64_t nanoseconds = (int64_t)llround(fmin(seconds, 1e9) * 1e9);
    bmf_event event = make_event(g, BMF_EVENT_KERNEL, nanoseconds);
    event.name = (uint16_t)run_name(g->run, name);
    event.amount = steps;
    add_event(g, &event, &(bmf_trace_detail){0, -1, nanoseconds});
    g->clock += nanoseconds;
}

static void close_region(generator *g)
{
    if (g->region >= 0) {
        bmf_event *region = &g->run->event[g->region];
        region->end = g->clock;
        region->low = region->high = region->end - region->begin;
    }
    g->region = -1;
    g->node = g->instance = 0;
}

static void open_region(generator *g, const char *name)
{
    close_region(g);
    if (!name[0])
        return;
    g->node = run_node(g->run, 0, name, BMF_EVENT_REGION);
    if (g->node >= g->entered_capacity) {
        const int64_t before = g->entered_capacity;
        ARRAY_RESERVE(g->entered, g->entered_capacity, (int64_t)g->node + 1);
        memset(g->entered + before, 0, (size_t)(g->entered_capacity - before) * sizeof *g->entered);
    }
    g->instance = g->entered[g->node]++;
    const bmf_event event = make_event(g, BMF_EVENT_REGION, 0);
    g->region = g->run->events;
    add_event(g, &event, &(bmf_trace_detail){0, -1, -1});
}

/* ---- work ---- */

static double normal(generator *g)
{
    return normal_quantile(random_unit(&g->random) * (1.0 - 2e-16) + 1e-16);
}

static int value_or(const generator *g, int32_t expression, double otherwise, double *value)
{
    *value = otherwise;
    return expression < 0 ? BMF_OK : rule_value(g->equations, expression, &g->at, value);
}

/* Noise has the mean that the equation says: normal if it is small, otherwise the logarithm is. */
static double noisy(generator *g, double seconds, double relative)
{
    const double spread = sqrt(log1p(relative * relative));
    return seconds * exp(spread * normal(g) - 0.5 * spread * spread);
}

static int add_work(generator *g, int64_t k)
{
    const bmf_rule *rule = &g->rule[k];
    double value[RULE_VALUES];
    for (int v = 0; v < RULE_VALUES; v++)
        BMF_TRY(value_or(g, rule->value[v], 0.0, &value[v]));
    if (g->deviation) {
        value[RULE_CONSTANT] += g->deviation[k].constant * value[RULE_CONSTANT_ERROR];
        const double shared = fmax(-1.0, fmin(1.0, value[RULE_CORRELATION]));
        value[RULE_FACTOR] += value[RULE_FACTOR_ERROR] * (shared * g->deviation[k].constant +
                                                          sqrt(1.0 - shared * shared) * g->deviation[k].factor);
    }
    double seconds = 1e-6 * fmax(0.0, value[RULE_CONSTANT] + value[RULE_FACTOR] * value[RULE_FUNCTION]);
    if (g->deviation && value[RULE_NOISE] > 0.0)
        seconds = noisy(g, seconds, value[RULE_NOISE]);
    add_kernel(g, "compute", seconds, 0);
    return BMF_OK;
}

/* ---- calls ---- */

/* The number of the next message on a channel. */
static int64_t next_message(generator *g, int32_t peer, int32_t tag, uint32_t group, bool received)
{
    for (int64_t k = 0; k < g->channels; k++) {
        channel *of = &g->channel[k];
        if (of->peer == peer && of->tag == tag && of->group == group && of->received == received)
            return of->messages++;
    }
    *ARRAY_APPEND(g->channel, g->channels, g->channel_capacity) = (channel){peer, tag, group, received, 1};
    return 0;
}

/* The number of this rank's collective in a group. */
static int64_t next_call(generator *g, uint32_t group)
{
    const int64_t before = g->called_capacity;
    ARRAY_RESERVE(g->called, g->called_capacity, (int64_t)group + 1);
    for (int64_t k = before; k < g->called_capacity; k++)
        g->called[k] = 0;
    return g->called[group]++;
}

/* What is known of a call before it is an event. */
typedef struct call_facts {
    int64_t peer, bytes, tag, group;
    uint32_t flags, round;
    int64_t number;
} call_facts;

static int read_facts(const generator *g, const bmf_rule *rule, call_facts *f)
{
    const int64_t last = g->run->lanes - 1;
    *f = (call_facts){.peer = -1, .tag = -1, .number = -1};
    if (rule->value[RULE_PEER] >= 0)
        BMF_TRY(rule_whole(g->equations, rule, rule->value[RULE_PEER], &g->at, 0, last, "a rank", &f->peer));
    if (rule->value[RULE_BYTES] >= 0)
        BMF_TRY(
            rule_whole(g->equations, rule, rule->value[RULE_BYTES], &g->at, 0, INT64_C(1) << 50, "bytes", &f->bytes));
    if (rule->value[RULE_TAG] >= 0)
        BMF_TRY(rule_whole(g->equations, rule, rule->value[RULE_TAG], &g->at, -1, INT32_MAX, "a tag", &f->tag));
    if (rule->value[RULE_GROUP] >= 0)
        BMF_TRY(rule_whole(g->equations, rule, rule->value[RULE_GROUP], &g->at, 0, 1000, "a group", &f->group));
    return BMF_OK;
}

/* The request that the call finishes. */
static int finish_request(generator *g, const bmf_rule *rule, call_facts *f)
{
    int64_t number;
    BMF_TRY(rule_whole(g->equations, rule, rule->value[RULE_REQUEST], &g->at, 0, INT32_MAX, "a request", &number));
    if (number >= g->opened)
        return rule_fail(g->equations, rule, BMF_ERROR_ARGUMENT,
                         "request %" PRId64 " of rank %.0f: only %" PRId64 " are open", number, g->at.r, g->opened);
    f->round = g->open[number].round;
    f->number = g->open[number].message;
    memmove(g->open + number, g->open + number + 1, (size_t)(g->opened - number - 1) * sizeof *g->open);
    g->opened--;
    return BMF_OK;
}

static int find_numbers(generator *g, const bmf_rule *rule, call_facts *f)
{
    const int32_t peer = (int32_t)f->peer, tag = (int32_t)f->tag;
    const uint32_t group = (uint32_t)f->group;
    int64_t number = -1;
    if (rule->value[RULE_REQUEST] >= 0)
        BMF_TRY(finish_request(g, rule, f));
    if (rule->call == RULE_SEND)
        number = next_message(g, peer, tag, group, false);
    else if (rule->call == RULE_POST || (rule->call == RULE_RECEIVE && f->round == 0))
        number = next_message(g, peer, tag, group, true);
    else if (rule->call == RULE_COLLECTIVE)
        number = next_call(g, group);
    if (rule->flags & RULE_STARTS) {
        f->round = ++g->rounds;
        *ARRAY_APPEND(g->open, g->opened, g->open_capacity) = (request){f->round, number};
    }
    if (rule->call == RULE_SEND || rule->call == RULE_COLLECTIVE || (rule->call == RULE_RECEIVE && f->number < 0))
        f->number = number;
    else if (rule->call != RULE_RECEIVE)
        f->number = -1;
    return BMF_OK;
}

static uint32_t flags_of(const bmf_rule *rule)
{
    uint32_t flags = rule->flags & RULE_ANY_TAG ? BMF_DETAIL_WILD_TAG : 0;
    if (rule->call == RULE_POST)
        flags |= BMF_DETAIL_POST;
    else if (rule->flags & RULE_STARTS)
        flags |= BMF_DETAIL_NONBLOCKING;
    return flags;
}

static void add_groups(bmf_trace_run *run, int64_t groups)
{
    while (run->groups < groups) {
        run->group = reallocate_array(run->group, run->groups, (int64_t)run->groups + 1, (int64_t)sizeof *run->group);
        run->group[run->groups++] = (bmf_trace_group){.members = run->lanes, .first = 0};
    }
}

static int add_call(generator *g, const bmf_rule *rule)
{
    static const bmf_event_kind kind[RULE_CALLS] = {BMF_EVENT_SEND, BMF_EVENT_RECEIVE, BMF_EVENT_WAIT, BMF_EVENT_WAIT,
                                                    BMF_EVENT_COLLECTIVE};
    call_facts f;
    BMF_TRY(read_facts(g, rule, &f));
    BMF_TRY(find_numbers(g, rule, &f));
    add_groups(g->run, f.group + 1);
    const bool together = rule->flags & RULE_TOGETHER && g->call >= 0 && g->run->event[g->call].end == g->clock;
    bmf_event event = make_event(g, kind[rule->call], together ? 0 : CALL_TIME);
    event.name = (uint16_t)run_name(g->run, rule->name);
    event.peer = (int32_t)f.peer;
    event.amount = f.bytes;
    event.round = f.round;
    g->call = g->run->events;
    add_event(g, &event,
              &(bmf_trace_detail){(uint32_t)f.group | flags_of(rule) << BMF_DETAIL_GROUP_BITS,
                                  rule->call == RULE_COLLECTIVE ? -1 : (int32_t)f.tag, f.number});
    g->clock = event.end;
    return BMF_OK;
}

/* ---- ranks ---- */

static int follow(generator *g, int64_t begin, int64_t end);

static int follow_loop(generator *g, int64_t begin, int64_t end)
{
    const bmf_rule_point outside = g->at;
    int64_t turns;
    BMF_TRY(rule_whole(g->equations, &g->rule[begin], g->rule[begin].value[0], &g->at, 0, INT64_C(1) << 40, "turns",
                       &turns));
    for (int k = TURNS - 1; k > 0; k--)
        g->at.turn[k] = outside.turn[k - 1];
    int status = BMF_OK;
    for (int64_t turn = 0; turn < turns && status == BMF_OK && end > begin + 1; turn++) {
        g->at.turn[0] = (double)turn;
        status = follow(g, begin + 1, end);
    }
    g->at = outside;
    return status;
}

static int follow_rule(generator *g, int64_t k)
{
    const bmf_rule *rule = &g->rule[k];
    int64_t steps;
    switch (rule->kind) {
    case RULE_REGION:
        open_region(g, rule->name);
        return BMF_OK;
    case RULE_WORK:
        return add_work(g, k);
    case RULE_STEPS:
        BMF_TRY(rule_whole(g->equations, rule, rule->value[0], &g->at, 0, INT64_C(1) << 50, "steps", &steps));
        add_kernel(g, "steps", 0.0, steps);
        return BMF_OK;
    case RULE_CALL:
        return add_call(g, rule);
    default:
        return BMF_OK;
    }
}

static int follow(generator *g, int64_t begin, int64_t end)
{
    int status = BMF_OK;
    for (int64_t k = begin; k < end && status == BMF_OK; k++) {
        if (++g->steps > g->max_steps)
            return rule_fail(g->equations, &g->rule[k], BMF_ERROR_ARGUMENT,
                             "the run is longer than %" PRId64 " rules followed one after the other", g->max_steps);
        if (g->rule[k].kind == RULE_REPEAT) {
            status = follow_loop(g, k, g->rule[k].end);
            k = g->rule[k].end;
        } else {
            status = follow_rule(g, k);
        }
    }
    return status;
}

/* The rules of the first role that this rank has. */
static int find_role(const generator *g, int64_t *role)
{
    double holds = 0.0;
    for (*role = 0; *role < g->rules; *role = g->rule[*role].end) {
        BMF_TRY(rule_value(g->equations, g->rule[*role].value[0], &g->at, &holds));
        if (holds != 0.0)
            return BMF_OK;
    }
    return fail_line(BMF_ERROR_ARGUMENT, "%s: no rules are for rank %.0f of %.0f, size %.15g",
                     equations_path(g->equations), g->at.r, g->at.p, g->at.d);
}

static int generate_rank(generator *g, int32_t rank)
{
    int64_t role;
    g->at.r = rank;
    g->clock = g->opened = g->channels = 0;
    g->node = g->instance = g->rounds = 0;
    g->region = g->call = -1;
    for (int64_t k = 0; k < g->called_capacity; k++)
        g->called[k] = 0;
    for (int64_t k = 0; k < g->entered_capacity; k++)
        g->entered[k] = 0;
    BMF_TRY(find_role(g, &role));
    const int64_t whole = g->run->events;
    const bmf_event event = make_event(g, BMF_EVENT_REGION, 0);
    add_event(g, &event, &(bmf_trace_detail){0, -1, -1});
    const int status = follow(g, role + 1, g->rule[role].end);
    close_region(g);
    if (g->run->events > whole) {
        g->run->event[whole].end = g->clock;
        g->run->event[whole].low = g->run->event[whole].high = g->clock;
    }
    return status;
}

static void make_world(bmf_trace_run *run)
{
    run->members = run->lanes;
    run->member = allocate_array(run->lanes, (int64_t)sizeof *run->member);
    for (int32_t k = 0; k < run->lanes; k++)
        run->member[k] = k;
    add_groups(run, 1);
}

/* As a program says it by bmf_value. */
static void add_size(bmf_trace_run *run, const char *size, double d)
{
    char key[256], value[40];
    snprintf(key, sizeof key, "value %.240s", size);
    snprintf(value, sizeof value, "%.17g", d);
    run_add_fact(run, key, value);
}

static void draw_deviations(generator *g, int64_t sample)
{
    g->random = hash_word((uint64_t)sample);
    g->deviation = allocate_array(g->rules, (int64_t)sizeof *g->deviation);
    for (int64_t k = 0; k < g->rules; k++) {
        g->deviation[k].constant = normal(g);
        g->deviation[k].factor = normal(g);
    }
}

int program_generate(const bmf_equations *equations, double d, int32_t processes, int64_t sample, int64_t max_steps,
                     bmf_trace_run **run)
{
    const char *program, *size;
    generator g = {.equations = equations, .at = {.d = d, .p = processes}, .max_steps = max_steps};
    g.rules = equations_rules(equations, &g.rule, &program, &size);
    g.run = run_create(program, "its rules", processes, processes, 1);
    make_world(g.run);
    add_size(g.run, size, d);
    if (sample > 0)
        draw_deviations(&g, sample);
    int status = BMF_OK;
    for (int32_t rank = 0; rank < processes && status == BMF_OK; rank++)
        status = generate_rank(&g, rank);
    if (status == BMF_OK && g.run->dropped > 0)
        status = fail_line(BMF_ERROR_MEMORY, "no memory for %d processes of %s", processes, program);
    free(g.deviation);
    free(g.entered);
    free(g.called);
    free(g.open);
    free(g.channel);
    *run = status == BMF_OK ? g.run : NULL;
    if (status != BMF_OK)
        run_free(g.run);
    return status;
}
