/* The type "sheet": the point-to-point equations of a measured data sheet.
 *
 * Method: a receiver that starts when the sender does is done after recv(d); one that comes when the message is there
 * needs recvmin(d) (document 001, 5.2, the rule of its reverse profiler). So for a message of d elements
 *     free = sent + isend1(d),  done = free + isend2(d),  arrived = sent + recv(d) - recvmin(d),  taking = recvmin(d),
 * with send(d) for isend1 and nothing for isend2 in a sheet without these, pingpong(d) / 2 for recv if
 * arrival = "pingpong", and, if congested = true, the larger of that and allsend(p, d), what a message takes when half
 * of the p processors send to the other half. A time that comes out negative is 0. Agreement: allreduce(p, 1), or
 * without that entry 2 ceil(log2 p) messages of 8 bytes one after the other.
 * With ports = "single" messages take turns at their senders and receivers (predict/network/ports.h). A sheet with
 * messages that follow each other (gapout, gapin, gapring; predict/measure/gaps.c) says for how long:
 *     out = gapout(p, d),  in = gapin(p, d),  back = gapring(p, d) - max(out, in),
 * with p the processors as far as they were measured. A message that finds its ports idle is measured by recv(d), and
 * what it is ahead of the ports' work is their burst (predict/network/burst.h). In a sheet without these
 * recv(d) - recv(0), what grows with the message, is how long one passes a port. The rest of arrived - sent is latency.
 * Where that is negative, MPI moves a part of the message only once the receiver takes it: it takes it that much before
 * the port is free.
 * Uncertainty: sample k > 0 draws the coefficients of every entry once, from the normal distribution with the sheet's
 * covariance (by Cholesky's factors), for every entry a factor of this run, and for every time of every message and
 * every agreement a factor of its own with the standard deviation of the entry's noise. Factors are log-normal with
 * median 1: sheets say what is typical.
 * Cost: O(ranges of an operation) a message; three random numbers more in samples.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine/machine.h"
#include "predict/network/burst.h"
#include "predict/network/ports.h"
#include "predict/network/network.h"
#include "predict/sheet/run_effects.h"
#include "predict/sheet/sheet_private.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"

/* Kinds of chance, far from the numbers that others give to their equations. */
static const uint64_t CHANCE_COEFFICIENT = UINT64_C(0x73686565740000), CHANCE_NOISE = UINT64_C(0x73686565750000),
                      CHANCE_RUN = UINT64_C(0x73686565760000);

enum { STATUS_BYTES = 8 };

typedef enum role {
    POSTING,
    WAITING,
    ARRIVAL,
    TAKING,
    CONGESTION,
    AGREEMENT,
    SENDING,
    SYNCHRONOUS,
    READY,
    LEAVING,
    ENTERING,
    CIRCLING,
    FIRST,
    ROLES
} role;

/* An operation of the sheet, and the coefficients that this run has for its entries. */
typedef struct equation {
    const bmf_sheet_entry *entry; /* NULL: the sheet need not have it */
    int64_t entries;
    double p, scale, element_bytes;
    double measured; /* the most elements of its domain */
    double (*drawn)[BMF_TERMS];
    double max;                   /* the most elements beyond the entries' domain in this run, 0: none */
    char outside[BMF_SHEET_TEXT]; /* what is to be said about that */
} equation;

typedef struct sheet_network {
    bmf_network network;
    bmf_sheet *sheet;
    double element_bytes; /* of entries that do not say it; NAN: not set */
    equation equation[ROLES];
    int64_t sample, messages; /* so far */
    bool single;
    bool sends_collectives; /* collectives are made of messages, whatever the sheet has */
    bmf_ports ports;
    char more[BMF_SHEET_TEXT]; /* what is to be said about more processors than were measured */
} sheet_network;

/* ---- settings ---- */

static const char *const settings[] = {"sheet", "element_bytes", "arrival",     "congested",
                                       "ports", "pairs",         "collectives", NULL};

/* The operation's entries, if the sheet has it. */
static int find(const bmf_machine *machine, const config_setting_t *group, sheet_network *s, role which,
                const char *operation)
{
    equation *e = &s->equation[which];
    e->entry = sheet_find(s->sheet, operation, &e->entries);
    if (!e->entry)
        return BMF_OK;
    e->p = which == CONGESTION ? (double)s->network.processors : 2.0;
    e->scale = 1.0;
    e->element_bytes = e->entry->element_bytes > 0 ? e->entry->element_bytes : s->element_bytes;
    if (isnan(e->element_bytes))
        return machine_fail(machine, group, BMF_ERROR_FILE,
                            "'element_bytes' is missing: the sheet does not say how large an element of '%s' is",
                            operation);
    for (int64_t k = 0; k < e->entries; k++)
        e->measured = e->entry[k].form.size == BMF_SIZE_NONE ? INFINITY : fmax(e->measured, (double)e->entry[k].d_high);
    e->drawn = allocate(e->entries * (int64_t)sizeof *e->drawn);
    return BMF_OK;
}

static int need(const bmf_machine *machine, const config_setting_t *group, sheet_network *s, role which,
                const char *operation)
{
    BMF_TRY(find(machine, group, s, which, operation));
    if (s->equation[which].entry)
        return BMF_OK;
    return machine_fail(machine, config_setting_get_member(group, "sheet"), BMF_ERROR_FILE,
                        "the sheet has no entry '%s', which messages need", operation);
}

static int find_sending(const bmf_machine *machine, const config_setting_t *group, sheet_network *s)
{
    int64_t count;
    if (!sheet_find(s->sheet, "isend1", &count))
        return need(machine, group, s, POSTING, "send");
    BMF_TRY(need(machine, group, s, POSTING, "isend1"));
    return need(machine, group, s, WAITING, "isend2");
}

/* Messages that follow each other, among as many of the processors as were measured. */
static int find_gaps(const bmf_machine *machine, const config_setting_t *group, sheet_network *s)
{
    static const struct {
        role which;
        const char *operation;
    } gaps[] = {{LEAVING, "gapout"}, {ENTERING, "gapin"}, {CIRCLING, "gapring"}};
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
        equation *e = &s->equation[gaps[k].which];
        BMF_TRY(find(machine, group, s, gaps[k].which, gaps[k].operation));
        int32_t least = INT32_MAX, most = 0;
        for (int64_t j = 0; j < e->entries; j++) {
            least = e->entry[j].p_low < least ? e->entry[j].p_low : least;
            most = e->entry[j].p_high > most ? e->entry[j].p_high : most;
        }
        if (most > 0)
            e->p = fmin(fmax((double)s->network.processors, least), most);
    }
    return BMF_OK;
}

/* Sheets without times of pairs: half of the processors send to the other half. The sender and the receiver are busy
 * for as long as that takes (docs/machines.md). */
static int find_congested(const bmf_machine *machine, const config_setting_t *group, sheet_network *s)
{
    static const role busy[] = {POSTING, ARRIVAL, TAKING};
    for (size_t k = 0; k < sizeof busy / sizeof *busy; k++) {
        BMF_TRY(need(machine, group, s, busy[k], "allsend"));
        s->equation[busy[k]].p = (double)s->network.processors;
    }
    return find(machine, group, s, AGREEMENT, "allreduce");
}

static int read_settings(const bmf_machine *machine, const config_setting_t *group, sheet_network *s)
{
    static const char *const arrivals[] = {"recv", "pingpong", NULL}, *const ports[] = {"any", "single", NULL};
    int arrival, which;
    static const char *const pairs[] = {"own", "allsend", NULL}, *const collectives[] = {"sheet", "messages", NULL};
    int pair, collective;
    bool congested;
    BMF_TRY(machine_messages(machine, group, "sheet", &s->sheet));
    if (!s->sheet)
        return machine_fail(machine, group, BMF_ERROR_FILE, "'sheet' is missing: the data sheet's file");
    s->element_bytes = NAN;
    if (config_setting_get_member(group, "element_bytes"))
        BMF_TRY(machine_number(machine, group, "element_bytes", 1.0, 65536.0, NAN, &s->element_bytes));
    BMF_TRY(machine_word(machine, group, "arrival", arrivals, 0, &arrival));
    BMF_TRY(machine_flag(machine, group, "congested", false, &congested));
    BMF_TRY(machine_word(machine, group, "ports", ports, 0, &which));
    s->single = which == 1;
    BMF_TRY(machine_word(machine, group, "pairs", pairs, 0, &pair));
    BMF_TRY(machine_word(machine, group, "collectives", collectives, 0, &collective));
    s->sends_collectives = collective == 1;
    if (pair == 1)
        return find_congested(machine, group, s);
    BMF_TRY(find_sending(machine, group, s));
    BMF_TRY(need(machine, group, s, ARRIVAL, arrivals[arrival]));
    s->equation[ARRIVAL].scale = arrival == 1 ? 0.5 : 1.0; /* there and back */
    BMF_TRY(need(machine, group, s, TAKING, "recvmin"));
    if (congested)
        BMF_TRY(need(machine, group, s, CONGESTION, "allsend"));
    BMF_TRY(find(machine, group, s, SENDING, "send"));
    BMF_TRY(find(machine, group, s, SYNCHRONOUS, "ssend"));
    BMF_TRY(find(machine, group, s, READY, "rsend"));
    if (s->single)
        BMF_TRY(find_gaps(machine, group, s));
    BMF_TRY(find(machine, group, s, FIRST, "first"));
    return find(machine, group, s, AGREEMENT, "allreduce");
}

static void destroy(bmf_network *network)
{
    sheet_network *s = (sheet_network *)network;
    for (int k = 0; k < ROLES; k++)
        free(s->equation[k].drawn);
    ports_free(&s->ports);
    sheet_free(s->sheet);
    free(s);
}

static void draw_all(sheet_network *s, int64_t sample);
static double noise_of(const bmf_sheet_entry *entry);
static double find_burst(const sheet_network *s);

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    sheet_network *s = allocate_clear(1, sizeof *s);
    s->network.type = &network_sheet;
    s->network.processors = processors;
    int status = read_settings(machine, group, s);
    if (status != BMF_OK) {
        destroy(&s->network);
        return status;
    }
    const int32_t ranks = s->sheet->header.ranks;
    if (ranks > 1 && processors > ranks)
        snprintf(s->more, sizeof s->more,
                 "%" PRId64
                 " processors are beyond the %d ranks among which messages were measured: how they share links is "
                 "extrapolated",
                 processors, (int)ranks);
    if (s->equation[AGREEMENT].entry)
        s->network.agreement_noise = noise_of(
            entry_choose(s->equation[AGREEMENT].entry, s->equation[AGREEMENT].entries, (double)processors, 1.0));
    draw_all(s, 0); /* agreement may be asked for before the first run */
    if (s->equation[LEAVING].entry)
        s->ports.burst = find_burst(s);
    *network = &s->network;
    return BMF_OK;
}

/* ---- chance ---- */

/* Adds L z to the coefficients, with L L' the covariance; a term without variance has a row of zeros. */
static void draw(const bmf_sheet *sheet, const bmf_sheet_entry *entry, int64_t sample, double drawn[BMF_TERMS])
{
    double factor[BMF_TERMS][BMF_TERMS] = {{0.0}}, z[BMF_TERMS];
    for (int a = 0; a < BMF_TERMS; a++) {
        z[a] = normal_deviate(sample, CHANCE_COEFFICIENT + (uint64_t)(entry - sheet->entry), (uint64_t)a);
        for (int b = 0; b <= a; b++) {
            double rest = entry->covariance[a][b];
            for (int k = 0; k < b; k++)
                rest -= factor[a][k] * factor[b][k];
            if (a == b)
                factor[a][a] = sqrt(fmax(rest, 0.0));
            else
                factor[a][b] = factor[b][b] > 0.0 ? rest / factor[b][b] : 0.0;
            drawn[a] += factor[a][b] * z[b];
        }
    }
}

/* What this run makes of them. */
static void scale(const bmf_sheet *sheet, const bmf_sheet_entry *entry, int64_t sample, double drawn[BMF_TERMS])
{
    const double run = run_effects_widened(entry->run_noise, sheet->spread.freedom);
    const double factor = exp(run * normal_deviate(sample, CHANCE_RUN, (uint64_t)(entry - sheet->entry)));
    for (int a = 0; a < BMF_TERMS; a++)
        drawn[a] *= factor;
}

/* Coefficients one standard error below or above. */
static void move_by_error(const bmf_sheet_entry *entry, int64_t sample, double drawn[BMF_TERMS])
{
    const double sign = sample == BMF_SAMPLE_LEAST ? -1.0 : 1.0;
    for (int a = 0; entry->has_errors && a < BMF_TERMS; a++)
        drawn[a] += sign * sqrt(fmax(entry->covariance[a][a], 0.0));
}

/* The coefficients of this run, and nothing outside of the domain so far. */
static void draw_all(sheet_network *s, int64_t sample)
{
    s->sample = sample;
    s->messages = 0;
    for (int k = 0; k < ROLES; k++) {
        equation *e = &s->equation[k];
        e->max = 0.0;
        e->outside[0] = 0;
        for (int64_t j = 0; e->entry && j < e->entries; j++) {
            memcpy(e->drawn[j], e->entry[j].coefficient, sizeof e->drawn[j]);
            if (sample > 0 && e->entry[j].has_errors && !(s->network.still & BMF_CHANCE_FIT))
                draw(s->sheet, &e->entry[j], sample, e->drawn[j]);
            if (sample > 0 && !(s->network.still & BMF_CHANCE_RUN))
                scale(s->sheet, &e->entry[j], sample, e->drawn[j]);
            if (sample < 0)
                move_by_error(&e->entry[j], sample, e->drawn[j]);
        }
    }
}

static void start(bmf_network *network, int64_t sample)
{
    sheet_network *s = (sheet_network *)network;
    draw_all(s, sample);
    if (s->single)
        ports_start(&s->ports, network->processors);
}

static double noise_of(const bmf_sheet_entry *entry)
{
    return entry->has_errors && isfinite(entry->noise) ? entry->noise : 0.0;
}

/* A factor around 1 for one time of the present message. */
static double noise_factor(const sheet_network *s, role which, const bmf_sheet_entry *entry)
{
    const double noise = noise_of(entry), variance = log1p(noise * noise);
    if (s->sample <= 0 || noise == 0.0 || s->network.still & BMF_CHANCE_EVENT)
        return 1.0;
    return exp(sqrt(variance) * normal_deviate(s->sample, CHANCE_NOISE + which, (uint64_t)s->messages));
}

/* ---- times ---- */

/* Seconds of the operation with d elements and this run's coefficients, and the entry used. */
static double evaluate(const equation *e, double p, double d, const bmf_sheet_entry **entry)
{
    double basis[BMF_TERMS], sum = 0.0;
    *entry = entry_choose(e->entry, e->entries, p, d);
    const double *coefficient = e->drawn[*entry - e->entry];
    form_basis((*entry)->form, p, d, basis);
    for (int k = 0; k < BMF_TERMS; k++)
        sum += coefficient[k] * basis[k];
    return e->scale * fmax(sum, 0.0);
}

/* Remembers the largest message that is larger than what was measured. Sizes below the domain are no cause for a
 * remark: a constant and a slope hold there as well as anywhere. */
static void note_outside(equation *e, double d)
{
    if (d <= e->measured || d <= e->max)
        return;
    e->max = d;
    snprintf(e->outside, sizeof e->outside, "messages of %.0f bytes: the sheet's entry '%s' ends at %.0f",
             d * e->element_bytes, e->entry->operation, e->measured * e->element_bytes);
}

static double time_of(sheet_network *s, role which, const bmf_transit *message)
{
    equation *e = &s->equation[which];
    const bmf_sheet_entry *entry;
    if (!e->entry)
        return 0.0;
    const double d = (double)message->bytes / e->element_bytes, seconds = evaluate(e, e->p, d, &entry);
    note_outside(e, d);
    return seconds * noise_factor(s, which, entry);
}

/* Standard error of the arrival equation, relative to it. */
static double spread_of(const sheet_network *s, const bmf_transit *message)
{
    const equation *e = &s->equation[ARRIVAL];
    const bmf_sheet_entry *entry;
    const double d = (double)message->bytes / e->element_bytes, seconds = evaluate(e, e->p, d, &entry) / e->scale;
    double basis[BMF_TERMS], variance = 0.0;
    if (!entry->has_errors || seconds <= 0.0)
        return 0.0;
    form_basis(entry->form, e->p, d, basis);
    for (int a = 0; a < BMF_TERMS; a++)
        for (int b = 0; b < BMF_TERMS; b++)
            variance += basis[a] * entry->covariance[a][b] * basis[b];
    return sqrt(fmax(variance, 0.0) / (seconds * seconds) + noise_of(entry) * noise_of(entry));
}

/* ---- ports ---- */

/* The share of the arrival equation's time that grows with the message. */
static double growing_share(const sheet_network *s, const bmf_transit *message)
{
    const equation *e = &s->equation[ARRIVAL];
    const bmf_sheet_entry *entry;
    const double whole = evaluate(e, e->p, (double)message->bytes / e->element_bytes, &entry);
    const double empty = evaluate(e, e->p, 0.0, &entry);
    return whole > empty ? 1.0 - empty / whole : 0.0;
}

/* By how much longer a message keeps a port when its host sends and receives all the time, relative to one direction:
 * of the equations as they were found, because what a sample draws of their difference would be mostly noise. */
static double share_of_return(const sheet_network *s, const bmf_transit *message)
{
    static const role ways[] = {LEAVING, ENTERING, CIRCLING};
    double seconds[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        const equation *e = &s->equation[ways[k]];
        bmf_estimate estimate;
        if (!e->entry)
            continue;
        const double d = (double)message->bytes / e->element_bytes;
        entry_evaluate(entry_choose(e->entry, e->entries, e->p, d), e->p, d, &estimate);
        seconds[k] = fmax(estimate.mean, 0.0);
    }
    const double one_way = fmax(seconds[0], seconds[1]);
    return one_way > 0.0 ? fmax(seconds[2] / one_way - 1.0, 0.0) : 0.0;
}

/* How a message passes the ports that takes `whole` when they are idle, `transport` of it before its receiver does
 * something. */
static bmf_passage passage_of(sheet_network *s, const bmf_transit *message, double whole, double transport)
{
    if (!s->equation[LEAVING].entry) {
        const double length = growing_share(s, message) * whole;
        return (bmf_passage){.out = length, .in = length, .latency = transport - length};
    }
    const double out = time_of(s, LEAVING, message),
                 in = s->equation[ENTERING].entry ? time_of(s, ENTERING, message) : out, slower = fmax(out, in);
    return (bmf_passage){.out = out,
                         .in = in,
                         .back = slower * share_of_return(s, message),
                         .latency = transport - ports_beyond_burst(&s->ports, slower)};
}

/* The burst that explains both single messages and those that follow each other, at all sizes of which both are
 * known. */
static double find_burst(const sheet_network *s)
{
    enum { SIZES = 64 };
    const equation *one = &s->equation[ARRIVAL], *more = &s->equation[LEAVING];
    const bmf_sheet_entry *entry;
    double single[SIZES], following[SIZES];
    int64_t count = 0;
    const double most = fmin(fmin(one->measured * one->element_bytes, more->measured * more->element_bytes), 1e18);
    for (double bytes = fmax(one->element_bytes, more->element_bytes); bytes <= most && count < SIZES; bytes *= 2.0) {
        single[count] = evaluate(one, one->p, bytes / one->element_bytes, &entry);
        following[count++] = evaluate(more, more->p, bytes / more->element_bytes, &entry);
    }
    return burst_of(count, single, following);
}

/* The entry of a call that blocks until the sender may go on; POSTING for those that do not, and if the sheet has
 * none. */
static role blocking_role(const sheet_network *s, bmf_send_mode mode)
{
    const role wanted = mode == BMF_SEND_BLOCKING      ? SENDING
                        : mode == BMF_SEND_SYNCHRONOUS ? SYNCHRONOUS
                        : mode == BMF_SEND_READY       ? READY
                                                       : POSTING;
    if (s->equation[wanted].entry)
        return wanted;
    return wanted != POSTING && s->equation[SENDING].entry ? SENDING : POSTING;
}

static void send(bmf_network *network, bmf_transit *message)
{
    sheet_network *s = (sheet_network *)network;
    const double whole = fmax(time_of(s, ARRIVAL, message), time_of(s, CONGESTION, message));
    message->receive_overhead = time_of(s, TAKING, message);
    const role blocking = blocking_role(s, message->mode);
    message->sender_free = message->sent + time_of(s, blocking, message);
    message->send_done = message->sender_free + (blocking == POSTING ? time_of(s, WAITING, message) : 0.0);
    message->relative_error = spread_of(s, message);
    const double transport = fmax(whole - message->receive_overhead, 0.0);
    if (s->single) {
        const bmf_passage passage = passage_of(s, message, whole, transport);
        message->send_done = fmax(message->send_done, ports_leave(&s->ports, message, message->sent, passage));
    } else {
        message->arrived = message->sent + transport;
    }
    s->messages++;
    if (!s->single)
        network->complete(network->simulator, message);
}

static double next(bmf_network *network)
{
    return ports_next(&((sheet_network *)network)->ports);
}

static void advance(bmf_network *network)
{
    network->complete(network->simulator, ports_advance(&((sheet_network *)network)->ports));
}

static bool has_errors(const bmf_network *network)
{
    const sheet_network *s = (const sheet_network *)network;
    for (int k = 0; k < ROLES; k++)
        for (int64_t j = 0; s->equation[k].entry && j < s->equation[k].entries; j++)
            if (s->equation[k].entry[j].has_errors)
                return true;
    return false;
}

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    return ports_loads(&((const sheet_network *)network)->ports, load);
}

static double agreement(const bmf_network *network, int64_t processors)
{
    const sheet_network *s = (const sheet_network *)network;
    const equation *e = &s->equation[AGREEMENT];
    const bmf_sheet_entry *entry;
    if (processors < 2)
        return 0.0;
    if (e->entry)
        return evaluate(e, (double)processors, 1.0, &entry);
    e = &s->equation[ARRIVAL];
    return 2.0 * ceil(log2((double)processors)) * evaluate(e, e->p, STATUS_BYTES / e->element_bytes, &entry);
}

static double first_message(const bmf_network *network)
{
    const sheet_network *s = (const sheet_network *)network;
    const equation *e = &s->equation[FIRST];
    const bmf_sheet_entry *entry;
    return e->entry ? evaluate(e, e->p, 1.0, &entry) : 0.0;
}

/* ---- collective operations ---- */

/* What stands in for an operation that a sheet lacks (docs/mpi-programs.md): up to two others whose times add up, for d
 * elements, or for `count` if that is positive. */
static const struct {
    const char *operation, *first, *second;
    double count;
} instead[] = {
    {"gatherv", "gather", NULL, 0},
    {"scatter", "gather", NULL, 0},
    {"scatterv", "scatter", NULL, 0},
    {"allgatherv", "allgather", NULL, 0},
    {"alltoallv", "alltoall", NULL, 0},
    {"alltoallw", "alltoall", NULL, 0},
    {"reduce_scatter", "reduce", "scatter", 0},
    {"reduce_scatter_block", "reduce", "scatter", 0},
    {"exscan", "scan", NULL, 0},
    {"comm_split", "allgather", NULL, 2},
    {"comm_split_type", "comm_split", NULL, 0},
    {"cart_sub", "comm_split", NULL, 0},
    {"comm_create", "comm_split", NULL, 0},
    {"comm_create_group", "comm_split", NULL, 0},
    {"comm_dup", "allreduce", NULL, 1},
    {"cart_create", "comm_dup", NULL, 0},
    {"graph_create", "comm_dup", NULL, 0},
    {"dist_graph_create", "comm_dup", NULL, 0},
};

/* NAN: neither the sheet nor what may stand in for it has the operation. One process needs an entry for one. */
static double collective_time(const sheet_network *s, const char *operation, double p, double bytes, double count)
{
    int64_t entries;
    const bmf_sheet_entry *entry = sheet_find(s->sheet, operation, &entries);
    if (entry) {
        bmf_estimate estimate;
        const double size = entry->element_bytes > 0 ? entry->element_bytes : s->element_bytes;
        const double d = count > 0 ? count : entry->form.size == BMF_SIZE_NONE ? 0.0 : bytes / size;
        const bmf_sheet_entry *chosen = entry_choose(entry, entries, p, d);
        if (isnan(d) || (p < 2 && (chosen->p_low > 1 || chosen->p_low == 0)))
            return p < 2 ? 0.0 : NAN;
        entry_evaluate(chosen, p, d, &estimate);
        return fmax(s->sample >= 0 ? estimate.mean : s->sample == BMF_SAMPLE_LEAST ? estimate.min : estimate.max, 0.0);
    }
    for (size_t k = 0; k < sizeof instead / sizeof *instead; k++)
        if (strcmp(instead[k].operation, operation) == 0) {
            const double counted = instead[k].count > 0 ? instead[k].count : count;
            const double first = collective_time(s, instead[k].first, p, bytes, counted);
            return first + (instead[k].second ? collective_time(s, instead[k].second, p, bytes, counted) : 0.0);
        }
    return NAN;
}

static double collective_seconds(const bmf_network *network, const char *operation, int64_t processors, int64_t bytes)
{
    const sheet_network *s = (const sheet_network *)network;
    return s->sends_collectives ? NAN : collective_time(s, operation, (double)processors, (double)bytes, 0.0);
}

static const char *remark(const bmf_network *network, int64_t index)
{
    const sheet_network *s = (const sheet_network *)network;
    if (s->more[0] && index-- == 0)
        return s->more;
    for (int k = 0; k < ROLES; k++)
        if (s->equation[k].outside[0] && index-- == 0)
            return s->equation[k].outside;
    return NULL;
}

/* ---- in words ---- */

static void describe_equation(const equation *e, const char *what, FILE *stream)
{
    for (int64_t k = 0; e->entry && k < e->entries; k++) {
        const bmf_sheet_entry *entry = &e->entry[k];
        char text[BMF_SHEET_TEXT];
        fprintf(stream, "  %-22s %s%s", what, entry->operation, e->scale < 1.0 ? " / 2" : "");
        if (entry->form.size != BMF_SIZE_NONE)
            fprintf(stream, ", %lld to %lld elements of %.0f bytes", (long long)entry->d_low, (long long)entry->d_high,
                    e->element_bytes);
        fprintf(stream, ": %s us%s\n", equation_text(entry, BMF_EQUATION_EXACT, 1e-6, text, sizeof text),
                entry->doubtful ? ", doubtful" : "");
    }
}

static void describe(const bmf_network *network, FILE *stream)
{
    static const char *const what[ROLES] = {
        "a sender's overhead", "a sender's wait",   "until it is received", "of that, at the end", "or, if larger",
        "agreement",           "a blocking send",   "a synchronous one",    "a ready one",         "at a port out",
        "at a port in",        "at both of a host", "more of a first one"};
    const sheet_network *s = (const sheet_network *)network;
    fprintf(stream, "times of messages from the sheet '%s'\n", s->sheet->title);
    for (int k = 0; k < ROLES; k++)
        describe_equation(&s->equation[k], what[k], stream);
    if (s->single)
        fputs("a processor sends one message at a time and receives one at a time\n", stream);
    if (s->ports.burst > 0.0)
        fprintf(stream, "after a pause a port passes %.4g us of its work at once\n", 1e6 * s->ports.burst);
}

const bmf_network_type network_sheet = {.name = "sheet",
                                        .summary = "point-to-point equations of a measured data sheet, with errors",
                                        .setting = settings,
                                        .has_bounds = true,
                                        .create = create,
                                        .destroy = destroy,
                                        .start = start,
                                        .send = send,
                                        .next = next,
                                        .advance = advance,
                                        .has_errors = has_errors,
                                        .loads = loads,
                                        .describe = describe,
                                        .agreement = agreement,
                                        .first_message = first_message,
                                        .collective_seconds = collective_seconds,
                                        .remark = remark};
