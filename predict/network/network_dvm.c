/* The type "dvm": clusters of clusters, as the Predictor of DVM programs describes machines.
 *
 * Method: the innermost level's clusters have processors as members, every other level's have the clusters of the next
 * level. A message takes TStart + bytes TByte of the lowest level that has both its ends in one cluster:
 *   ethernet    one channel for each cluster: begin = max(sent, channel free), end = begin + TStart + bytes TByte
 *   myrinet     several channels, the least busy one is taken (equal ones: the first)
 *   transputer  the members are a grid; nothing is in a message's way, and over more than one link it is cut into
 *               portions that follow each other: with distance D and portions of s bytes, k whole ones and perhaps a
 *               rest of e,
 *                   T(s) = (D - 1 + k)(TStart + s TByte) + (e > 0)(TStart + e TByte).
 *               For a given number m of portions the smallest s = ceil(bytes / m) is best, which leaves
 *                   T = (D - 1)(TStart + s TByte) + m TStart + bytes TByte,
 *               and the best m lies near sqrt((D - 1) bytes TByte / TStart), that is s near
 *               sqrt(bytes TStart / ((D - 1) TByte)); it is found exactly, by going both ways until the bound without
 *               rounding cannot win, at most 1000 steps each way: enough unless a byte costs more than a start. (The
 *               document searches downwards from its s only.)
 * The sender's processor goes on at once, its wait ends when the message is there. Agreement: the reduction formula,
 * (TStart + 8 TByte) times 2 n - 2 on a bus or in channels, times twice the way from a corner to the centre in a grid.
 * Cost: O(levels + channels) a message, in grids O(1) steps of the search as a rule.
 * Sources: document 002, 2.4, 4.2 and 4.4, whose formulas the scan has lost in part, and the notes on the Predictor's
 * later cluster files; a hierarchy, channels and Begin = max(send, least busy channel) are from there.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/machine/machine.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

enum { MAX_LEVELS = 8, MAX_DIMENSIONS = 4, MAX_CHANNELS = 1 << 16, MAX_STEPS = 1000, STATUS_BYTES = 8 };

typedef enum wiring { ETHERNET, MYRINET, TRANSPUTER } wiring;
static const char *const kinds[] = {"ethernet", "myrinet", "transputer", NULL};

typedef struct channel {
    double free; /* again from then on */
    int64_t messages, bytes;
    double busy;
} channel;

typedef struct level {
    wiring kind;
    double start, per_byte; /* TStart and TByte, in seconds */
    int64_t members;        /* of a cluster */
    int64_t inside;         /* processors of a member */
    int64_t clusters;       /* that the network's processors are in */
    int64_t channels;       /* of a cluster; 0: as many as messages */
    int dimensions;
    int64_t size[MAX_DIMENSIONS]; /* of the grid, the last varies fastest */
    channel *channel;             /* channel c of cluster i: i * channels + c; NULL before the first start */
} level;

typedef struct dvm {
    bmf_network network;
    int levels;
    level level[MAX_LEVELS]; /* the outermost first */
} dvm;

/* ---- settings ---- */

static const char *const settings[] = {"levels", NULL};

static int read_grid(const bmf_machine *machine, const config_setting_t *group, level *l)
{
    const config_setting_t *grid = config_setting_get_member(group, "topology");
    if (!grid)
        return machine_fail(machine, group, BMF_ERROR_FILE, "'topology' is missing: the sizes of the grid");
    const int count =
        config_setting_is_aggregate(grid) && !config_setting_is_group(grid) ? config_setting_length(grid) : 0;
    if (count < 1 || count > MAX_DIMENSIONS)
        return machine_fail(machine, grid, BMF_ERROR_FILE, "'topology' must hold 1 to %d sizes", MAX_DIMENSIONS);
    l->dimensions = count;
    l->members = 1;
    for (int k = 0; k < count; k++) {
        const config_setting_t *size = config_setting_get_elem(grid, (unsigned)k);
        const int64_t read = config_is_integer(size) ? config_setting_get_int64(size) : 0;
        if (read < 1 || read > INT32_MAX / l->members)
            return machine_fail(machine, grid, BMF_ERROR_FILE,
                                "'topology' must hold whole numbers of at least 1, together at most %d", INT32_MAX);
        l->size[k] = read;
        l->members *= l->size[k];
    }
    return BMF_OK;
}

static int refuse(const bmf_machine *machine, const config_setting_t *group, const char *key, wiring kind)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    if (!setting)
        return BMF_OK;
    return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' does not go with kind = \"%s\"", key, kinds[kind]);
}

/* Members of the outermost level may be left out: as many as there are processors for; then 0. */
static int read_members(const bmf_machine *machine, const config_setting_t *group, bool outermost, level *l)
{
    l->channels = l->kind == ETHERNET;
    if (l->kind == TRANSPUTER) {
        BMF_TRY(refuse(machine, group, "members", l->kind));
        BMF_TRY(refuse(machine, group, "channels", l->kind));
        return read_grid(machine, group, l);
    }
    BMF_TRY(refuse(machine, group, "topology", l->kind));
    if (l->kind == ETHERNET)
        BMF_TRY(refuse(machine, group, "channels", l->kind));
    else
        BMF_TRY(machine_integer(machine, group, "channels", 1, MAX_CHANNELS, 1, &l->channels));
    return machine_integer(machine, group, "members", 1, INT32_MAX, outermost ? 0 : INT64_MIN, &l->members);
}

static int read_level(const bmf_machine *machine, const config_setting_t *group, bool outermost, level *l)
{
    static const char *const known[] = {"kind", "start_us", "us_per_byte", "members", "channels", "topology", NULL};
    int which;
    if (!config_setting_is_group(group))
        return machine_fail(machine, group, BMF_ERROR_FILE, "a level is a group { kind = ..; start_us = ..; .. }");
    BMF_TRY(machine_keys(machine, group, known));
    BMF_TRY(machine_word(machine, group, "kind", kinds, -1, &which));
    if (which < 0)
        return machine_fail(machine, group, BMF_ERROR_FILE, "'kind' is missing");
    l->kind = (wiring)which;
    BMF_TRY(machine_microseconds(machine, group, "start_us", NAN, &l->start));
    BMF_TRY(machine_microseconds(machine, group, "us_per_byte", NAN, &l->per_byte));
    return read_members(machine, group, outermost, l);
}

/* Counts processors and clusters, from the innermost level to the outermost. */
static int count_clusters(const bmf_machine *machine, const config_setting_t *list, int64_t processors, dvm *d)
{
    int64_t inside = 1;
    for (int k = d->levels - 1; k >= 0; k--) {
        level *l = &d->level[k];
        l->inside = inside;
        if (l->members == 0)
            l->members = (processors - 1) / inside + 1;
        if (l->members > INT32_MAX / inside)
            return machine_fail(machine, list, BMF_ERROR_FILE, "the levels have more than %d processors", INT32_MAX);
        inside *= l->members;
        l->clusters = (processors - 1) / inside + 1;
    }
    if (processors > inside)
        return machine_fail(machine, list, BMF_ERROR_ARGUMENT, "the levels have %lld processors, not %lld",
                            (long long)inside, (long long)processors);
    return BMF_OK;
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    const config_setting_t *list = config_setting_get_member(group, "levels");
    dvm read = {.network = {.type = &network_dvm, .processors = processors}};
    if (!list)
        return machine_fail(machine, group, BMF_ERROR_FILE, "'levels' is missing: levels = ( { kind = ..; .. } )");
    read.levels = config_setting_is_list(list) ? config_setting_length(list) : 0;
    if (read.levels < 1 || read.levels > MAX_LEVELS)
        return machine_fail(machine, list, BMF_ERROR_FILE, "'levels' must be a list ( .. ) of 1 to %d levels",
                            MAX_LEVELS);
    for (int k = 0; k < read.levels; k++)
        BMF_TRY(read_level(machine, config_setting_get_elem(list, (unsigned)k), k == 0, &read.level[k]));
    BMF_TRY(count_clusters(machine, list, processors, &read));
    dvm *d = allocate(sizeof *d);
    *d = read;
    *network = &d->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    dvm *d = (dvm *)network;
    for (int k = 0; k < d->levels; k++)
        free(d->level[k].channel);
    free(d);
}

/* ---- messages ---- */

static void start(bmf_network *network, int64_t sample)
{
    dvm *d = (dvm *)network;
    (void)sample;
    for (int k = 0; k < d->levels; k++) {
        level *l = &d->level[k];
        const int64_t count = l->clusters * l->channels;
        if (!l->channel)
            l->channel = allocate(count * (int64_t)sizeof *l->channel);
        for (int64_t c = 0; c < count; c++)
            l->channel[c] = (channel){0};
    }
}

static int64_t cluster_of(const level *l, int64_t processor)
{
    return processor / (l->inside * l->members);
}

static level *lowest_common(dvm *d, int64_t a, int64_t b)
{
    int k = d->levels - 1;
    while (cluster_of(&d->level[k], a) != cluster_of(&d->level[k], b))
        k--; /* the outermost level has everything in one cluster */
    return &d->level[k];
}

/* Links between two members of a grid. */
static int64_t distance(const level *l, int64_t a, int64_t b)
{
    int64_t sum = 0;
    a = a / l->inside % l->members;
    b = b / l->inside % l->members;
    for (int k = l->dimensions - 1; k >= 0; k--) {
        sum += llabs(a % l->size[k] - b % l->size[k]);
        a /= l->size[k];
        b /= l->size[k];
    }
    return sum;
}

/* In m portions. */
static double in_portions(const level *l, double links, double bytes, double m)
{
    return links * (l->start + ceil(bytes / m) * l->per_byte) + m * l->start + bytes * l->per_byte;
}

/* The best of the numbers of portions from m on, in steps of 1 or -1. */
static double search_portions(const level *l, double links, double bytes, double m, double step)
{
    double best = in_portions(l, links, bytes, m);
    for (int k = 0; k < MAX_STEPS && m >= 1.0 && m <= bytes; k++, m += step) {
        const double unrounded = links * (l->start + bytes / m * l->per_byte) + m * l->start + bytes * l->per_byte;
        if (unrounded > best)
            break;
        best = fmin(best, in_portions(l, links, bytes, m));
    }
    return best;
}

static double transfer(const level *l, int64_t way, int64_t message_bytes)
{
    const double links = (double)(way - 1), bytes = (double)message_bytes;
    if (way == 1 || message_bytes <= 1 || l->per_byte == 0.0)
        return (double)way * (l->start + bytes * l->per_byte);
    double middle = l->start > 0.0 ? floor(sqrt(links * bytes * l->per_byte / l->start)) : bytes;
    middle = fmin(fmax(middle, 1.0), bytes);
    return fmin(search_portions(l, links, bytes, middle, -1.0), search_portions(l, links, bytes, middle, 1.0));
}

static double take_channel(const level *l, const bmf_transit *message)
{
    channel *all = &l->channel[cluster_of(l, message->from) * l->channels], *taken = all;
    for (int64_t c = 1; c < l->channels; c++)
        if (all[c].free < taken->free)
            taken = &all[c];
    const double length = l->start + (double)message->bytes * l->per_byte, begin = fmax(message->sent, taken->free);
    taken->free = begin + length;
    taken->messages++;
    taken->bytes += message->bytes;
    taken->busy += length;
    return taken->free;
}

static void send(bmf_network *network, bmf_transit *message)
{
    const level *l = lowest_common((dvm *)network, message->from, message->to);
    if (l->kind == TRANSPUTER)
        message->arrived = message->sent + transfer(l, distance(l, message->from, message->to), message->bytes);
    else
        message->arrived = take_channel(l, message);
    message->sender_free = message->sent;
    message->send_done = message->arrived;
    network->complete(network->simulator, message);
}

/* ---- everything else ---- */

/* Messages one after the other to collect something from the first n members and to give it back to them: in a grid
 * along the way from a corner of the part that they fill to its centre. */
static int64_t reduction_messages(const level *l, int64_t n)
{
    int64_t to_centre = 0;
    if (l->kind != TRANSPUTER)
        return 2 * n - 2;
    for (int k = l->dimensions - 1; k >= 0; k--) {
        to_centre += (n < l->size[k] ? n : l->size[k]) / 2;
        n = (n - 1) / l->size[k] + 1;
    }
    return 2 * to_centre;
}

static double agreement(const bmf_network *network, int64_t processors)
{
    const dvm *d = (const dvm *)network;
    double seconds = 0.0;
    for (int k = 0; k < d->levels; k++) {
        const level *l = &d->level[k];
        const int64_t used = (processors - 1) / l->inside + 1, members = used < l->members ? used : l->members;
        seconds += (double)reduction_messages(l, members) * (l->start + STATUS_BYTES * l->per_byte);
    }
    return seconds;
}

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    const dvm *d = (const dvm *)network;
    int64_t count = 0, row = 0;
    for (int k = 0; k < d->levels; k++)
        count += d->level[k].channel ? d->level[k].clusters * d->level[k].channels : 0;
    *load = allocate_clear(count, sizeof **load);
    for (int k = 0; k < d->levels; k++)
        for (int64_t c = 0; d->level[k].channel && c < d->level[k].clusters * d->level[k].channels; c++, row++) {
            const level *l = &d->level[k];
            bmf_link_load *to = &(*load)[row];
            snprintf(to->from, sizeof to->from, "level %d cluster %lld", k + 1, (long long)(c / l->channels));
            snprintf(to->to, sizeof to->to, "%s channel %lld", kinds[l->kind], (long long)(c % l->channels));
            to->messages = l->channel[c].messages;
            to->bytes = l->channel[c].bytes;
            to->busy = l->channel[c].busy;
        }
    return count;
}

static void describe_level(const level *l, bool innermost, FILE *stream)
{
    const char *members = innermost ? "processors" : "clusters";
    if (l->kind == TRANSPUTER) {
        fputs("a transputer grid of ", stream);
        for (int k = 0; k < l->dimensions; k++)
            fprintf(stream, "%s%lld", k ? " x " : "", (long long)l->size[k]);
        fprintf(stream, " %s, messages cut into portions", members);
    } else if (l->kind == ETHERNET) {
        fprintf(stream, "%lld %s on one bus", (long long)l->members, members);
    } else {
        fprintf(stream, "%lld %s that share %lld channel%s", (long long)l->members, members, (long long)l->channels,
                l->channels == 1 ? "" : "s");
    }
    fprintf(stream, ": %.9g us and %.9g us a byte\n", 1e6 * l->start, 1e6 * l->per_byte);
}

static void describe(const bmf_network *network, FILE *stream)
{
    const dvm *d = (const dvm *)network;
    for (int k = 0; k < d->levels; k++)
        describe_level(&d->level[k], k == d->levels - 1, stream);
    fputs("sending and receiving cost the processors nothing\n", stream);
}

const bmf_network_type network_dvm = {.name = "dvm",
                                      .summary = "clusters of clusters: buses, channels, transputer grids",
                                      .setting = settings,
                                      .create = create,
                                      .destroy = destroy,
                                      .start = start,
                                      .send = send,
                                      .loads = loads,
                                      .describe = describe,
                                      .agreement = agreement};
