/* The type "graph": messages travel through the links of a graph and are in each other's way.
 *
 * Method: a link of weight w carries w times the bandwidth; its latency comes on top and does not keep it busy. In the
 * modes store-and-forward and cut-through a link carries one message at a time, each in the earliest gap of the link's
 * time-line that is long enough, in the order in which messages are sent:
 *   store-and-forward   a link begins when all of the message is there: alone, hops (bytes / bandwidth + latency);
 * cut-through it begins when the head is there, and a message that has to wait is stored: alone, hops latency +
 * bytes / the least bandwidth. Behind a slower link the bytes come with gaps, in which a link carries
 *                       those of others: it is taken for as long as they need together, up to when the last one comes.
 *                       Buses and crossbars, where nothing is stored, always work so.
 * fluid messages that are under way together share links max-min fairly (predict/network/fluid.h): alone,
 *                       hops latency, in which no link is used, and then bytes / the least bandwidth.
 * Before that the sender's processor is busy with the message, and afterwards the receiver's: a constant and a time for
 * a byte each. The sender's wait ends when the message has left its first link (fluid: all of them), or with `buffered`
 * at once.
 * Cost: O(hops) a message plus what time-lines or fluid cost; 80 bytes a link. Sources: document 000, chapter 6 and
 * 4.7.2; P. Kermani, L. Kleinrock, "Virtual cut-through", Computer Networks 3, 1979.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "predict/network/fluid.h"
#include "predict/network/graph/graph.h"
#include "predict/machine/machine.h"
#include "predict/network/timeline.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

typedef enum mode { STORE_AND_FORWARD, CUT_THROUGH, FLUID } mode;
static const char *const modes[] = {"store-and-forward", "cut-through", "fluid", NULL};

typedef enum duplex { FULL, HALF } duplex;
static const char *const duplexes[] = {"full", "half", NULL};

/* What a message needs to know of a link, and what is counted there. */
typedef struct hop {
    double per_byte; /* seconds */
    int64_t messages, bytes;
    int32_t channel; /* -1: takes no time */
} hop;

typedef struct graph_network {
    bmf_network network;
    bmf_graph *graph;
    int mode, duplex;
    bool buffered;
    double bandwidth, latency;
    double send, send_per_byte, receive, receive_per_byte;
    hop *hop;           /* by link */
    bmf_timeline *line; /* by channel; not in the mode fluid */
    bmf_fluid *fluid;
    double *capacity; /* by channel, bytes a second; mode fluid */
    int32_t *route;   /* channels of a flow */
    int64_t room;
} graph_network;

static const char *const settings[] = {
    "file",   "topology", "size",    "growth",           "bandwidth_mb_per_s", "latency_us",          "mode",
    "duplex", "buffered", "send_us", "send_us_per_byte", "receive_us",         "receive_us_per_byte", NULL};

/* ---- settings ---- */

static int read_numbers(const bmf_machine *machine, const config_setting_t *group, graph_network *g)
{
    BMF_TRY(machine_number(machine, group, "bandwidth_mb_per_s", DBL_MIN, INFINITY, NAN, &g->bandwidth));
    g->bandwidth *= 1e6;
    BMF_TRY(machine_microseconds(machine, group, "latency_us", 0.0, &g->latency));
    BMF_TRY(machine_microseconds(machine, group, "send_us", 0.0, &g->send));
    BMF_TRY(machine_microseconds(machine, group, "send_us_per_byte", 0.0, &g->send_per_byte));
    BMF_TRY(machine_microseconds(machine, group, "receive_us", 0.0, &g->receive));
    BMF_TRY(machine_microseconds(machine, group, "receive_us_per_byte", 0.0, &g->receive_per_byte));
    BMF_TRY(machine_word(machine, group, "mode", modes, STORE_AND_FORWARD, &g->mode));
    BMF_TRY(machine_word(machine, group, "duplex", duplexes, FULL, &g->duplex));
    return machine_flag(machine, group, "buffered", false, &g->buffered);
}

static int read_one_size(const bmf_machine *machine, const config_setting_t *setting, int64_t *size)
{
    if (!config_is_integer(setting))
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'size' is a whole number or a list of them");
    *size = config_setting_get_int64(setting);
    return BMF_OK;
}

static int read_sizes(const bmf_machine *machine, const config_setting_t *setting, int64_t *size, int *sizes)
{
    if (!config_setting_is_aggregate(setting)) {
        *sizes = 1;
        return read_one_size(machine, setting, size);
    }
    *sizes = config_setting_length(setting);
    if (*sizes < 1 || *sizes > BMF_GRAPH_DIMENSIONS)
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'size' has 1 to %d numbers", BMF_GRAPH_DIMENSIONS);
    for (int d = 0; d < *sizes; d++)
        BMF_TRY(read_one_size(machine, config_setting_get_elem(setting, (unsigned)d), &size[d]));
    return BMF_OK;
}

/* Without a size a topology has as many processors as are needed, if one number says it all. */
static int choose_sizes(const bmf_machine *machine, const config_setting_t *group, int topology, int64_t needed,
                        int64_t *size, int *sizes)
{
    const config_setting_t *setting = config_setting_get_member(group, "size");
    if (setting)
        return read_sizes(machine, setting, size, sizes);
    if (graph_sizes(topology) != 1)
        return machine_fail(machine, config_setting_get_member(group, "topology"), BMF_ERROR_FILE, "a %s needs 'size'",
                            graph_topologies[topology]);
    *sizes = 1;
    *size = graph_min_size(topology, needed);
    return BMF_OK;
}

static int build(const bmf_machine *machine, const config_setting_t *group, int64_t needed, bmf_graph **graph)
{
    const config_setting_t *grown = config_setting_get_member(group, "growth");
    int topology, sizes = 0;
    int64_t size[BMF_GRAPH_DIMENSIONS];
    double growth = NAN;
    BMF_TRY(machine_word(machine, group, "topology", graph_topologies, 0, &topology));
    BMF_TRY(choose_sizes(machine, group, topology, needed, size, &sizes));
    if (grown && !graph_grows(topology))
        return machine_fail(machine, grown, BMF_ERROR_FILE, "'growth' goes with fat trees");
    if (grown)
        BMF_TRY(machine_number(machine, group, "growth", DBL_MIN, 1e6, NAN, &growth));
    if (graph_build(topology, sizes, size, growth, graph) == BMF_OK)
        return BMF_OK;
    const config_setting_t *at = config_setting_get_member(group, "size");
    char reason[256];
    snprintf(reason, sizeof reason, "%s", bmf_error_text(NULL));
    return machine_fail(machine, at ? at : group, BMF_ERROR_FILE, "%s", reason);
}

static int read_file(const bmf_machine *machine, const config_setting_t *group, bmf_graph **graph)
{
    char *path;
    static const char *const others[] = {"topology", "size", "growth"};
    for (int k = 0; k < 3; k++)
        if (config_setting_get_member(group, others[k]))
            return machine_fail(machine, config_setting_get_member(group, others[k]), BMF_ERROR_FILE,
                                "'%s' does not go with 'file'", others[k]);
    if (machine->processors == 0)
        return machine_fail(machine, group, BMF_ERROR_FILE,
                            "'processors' of the machine must say how many nodes of the file are processors");
    BMF_TRY(machine_path_value(machine, group, "file", &path));
    int status = graph_read(path, machine->processors, graph);
    free(path);
    return status;
}

static int make_graph(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_graph **graph)
{
    const int64_t needed = machine->processors > 0 ? machine->processors : processors;
    if (config_setting_get_member(group, "file"))
        return read_file(machine, group, graph);
    if (!config_setting_get_member(group, "topology"))
        return machine_fail(machine, group, BMF_ERROR_FILE, "'file' or 'topology' is missing");
    BMF_TRY(build(machine, group, needed, graph));
    const int64_t has = (*graph)->processors;
    if (has >= needed)
        return BMF_OK;
    graph_free(*graph);
    return machine_fail(machine, config_setting_get_member(group, "size"), BMF_ERROR_ARGUMENT,
                        "the network has %lld processors, not %lld", (long long)has, (long long)needed);
}

/* ---- making ---- */

static void flow_ended(void *network, void *message, double time);

static void make_fluid(graph_network *g)
{
    const bmf_graph *graph = g->graph;
    g->capacity = allocate(graph->channels * (int64_t)sizeof *g->capacity);
    for (int64_t c = 0; c < graph->channels; c++)
        g->capacity[c] = INFINITY;
    for (int64_t k = 0; k < graph->links; k++) {
        const bmf_link *link = &graph->link[k];
        if (link->channel >= 0)
            g->capacity[link->channel] = fmin(g->capacity[link->channel], link->weight * g->bandwidth);
    }
    g->fluid = fluid_create(graph->channels, g->capacity, flow_ended, g);
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    graph_network read = {.network = {.type = &network_graph, .processors = processors}};
    BMF_TRY(read_numbers(machine, group, &read));
    BMF_TRY(make_graph(machine, group, processors, &read.graph));
    graph_network *g = allocate(sizeof *g);
    *g = read;
    if (g->duplex == HALF)
        graph_share_directions(g->graph);
    if (g->graph->direct && g->mode == STORE_AND_FORWARD)
        g->mode = CUT_THROUGH;
    g->hop = allocate_clear(g->graph->links, sizeof *g->hop);
    for (int64_t k = 0; k < g->graph->links; k++) {
        const bmf_link *link = &g->graph->link[k];
        g->hop[k] = (hop){.per_byte = 1.0 / (link->weight * g->bandwidth), .channel = link->channel};
    }
    if (g->mode == FLUID)
        make_fluid(g);
    else
        g->line = allocate_clear(g->graph->channels, sizeof *g->line);
    *network = &g->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    graph_network *g = (graph_network *)network;
    for (int64_t c = 0; g->line && c < g->graph->channels; c++)
        timeline_free(&g->line[c]);
    fluid_free(g->fluid);
    free(g->capacity);
    free(g->route);
    free(g->line);
    free(g->hop);
    graph_free(g->graph);
    free(g);
}

static void start(bmf_network *network, int64_t sample)
{
    graph_network *g = (graph_network *)network;
    (void)sample; /* nothing is uncertain */
    for (int64_t k = 0; k < g->graph->links; k++)
        g->hop[k].messages = g->hop[k].bytes = 0;
    for (int64_t c = 0; g->line && c < g->graph->channels; c++)
        timeline_clear(&g->line[c]);
    if (g->fluid)
        fluid_clear(g->fluid);
}

/* ---- messages ---- */

static void count(hop *h, int64_t bytes)
{
    h->messages++;
    h->bytes += bytes;
}

/* Both return the arrival, and when the message has left its first link. */
static double store_and_forward(graph_network *g, const bmf_transit *message, const int32_t *route, int64_t hops,
                                double *left)
{
    double here = message->sender_free;
    for (int64_t k = 0; k < hops; k++) {
        hop *h = &g->hop[route[k]];
        const double seconds = (double)message->bytes * h->per_byte;
        here = timeline_take(&g->line[h->channel], message->sent, here, seconds) + seconds;
        if (k == 0)
            *left = here;
        here += g->latency;
        count(h, message->bytes);
    }
    return here;
}

static double cut_through(graph_network *g, const bmf_transit *message, const int32_t *route, int64_t hops,
                          double *left)
{
    double head = message->sender_free, tail = message->sender_free;
    for (int64_t k = 0; k < hops; k++) {
        hop *h = &g->hop[route[k]];
        const double seconds = (double)message->bytes * h->per_byte;
        if (h->channel < 0)
            continue;
        const double ready = fmax(head, tail - seconds);
        const double begin = timeline_take(&g->line[h->channel], message->sent, ready, seconds);
        if (k == 0)
            *left = begin + seconds;
        head += begin - ready + g->latency;
        tail = begin + seconds + g->latency;
        count(h, message->bytes);
    }
    return tail;
}

static void start_flow(graph_network *g, bmf_transit *message, const int32_t *route, int64_t hops)
{
    int64_t channels = 0;
    if (hops > g->room) {
        free(g->route);
        g->route = allocate(hops * (int64_t)sizeof *g->route);
        g->room = hops;
    }
    for (int64_t k = 0; k < hops; k++) {
        hop *h = &g->hop[route[k]];
        if (h->channel < 0)
            continue;
        g->route[channels++] = h->channel;
        count(h, message->bytes);
    }
    fluid_start(g->fluid, message->sender_free + (double)channels * g->latency, (double)message->bytes, channels,
                g->route, message);
}

static void flow_ended(void *network, void *owner, double time)
{
    graph_network *g = network;
    bmf_transit *message = owner;
    message->arrived = time;
    if (!g->buffered)
        message->send_done = time;
    g->network.complete(g->network.simulator, message);
}

static void send(bmf_network *network, bmf_transit *message)
{
    graph_network *g = (graph_network *)network;
    const int32_t *route;
    const int64_t hops = graph_route(g->graph, message->from, message->to, &route);
    double left = 0.0;
    message->sender_free = message->sent + g->send + (double)message->bytes * g->send_per_byte;
    message->receive_overhead = g->receive + (double)message->bytes * g->receive_per_byte;
    if (g->buffered)
        message->send_done = message->sender_free;
    if (g->mode == FLUID) {
        start_flow(g, message, route, hops);
        return;
    }
    message->arrived = g->mode == CUT_THROUGH ? cut_through(g, message, route, hops, &left)
                                              : store_and_forward(g, message, route, hops, &left);
    if (!g->buffered)
        message->send_done = left;
    network->complete(network->simulator, message);
}

static double next(bmf_network *network)
{
    const graph_network *g = (graph_network *)network;
    return g->fluid ? fluid_next(g->fluid) : INFINITY;
}

static void advance(bmf_network *network)
{
    fluid_advance(((graph_network *)network)->fluid);
}

/* ---- showing ---- */

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    const graph_network *g = (const graph_network *)network;
    const bmf_graph *graph = g->graph;
    double *x = allocate(graph->nodes * (int64_t)sizeof *x), *y = allocate(graph->nodes * (int64_t)sizeof *y);
    int64_t listed = 0;
    *load = allocate_clear(graph->links, sizeof **load);
    graph_draw(graph, x, y);
    for (int64_t k = 0; k < graph->links; k++) {
        const bmf_link *link = &graph->link[k];
        bmf_link_load *l = &(*load)[listed];
        if (link->channel < 0)
            continue;
        graph_node_name(graph, link->from, l->from, sizeof l->from);
        graph_node_name(graph, link->to, l->to, sizeof l->to);
        l->x0 = x[link->from];
        l->y0 = y[link->from];
        l->x1 = x[link->to];
        l->y1 = y[link->to];
        l->messages = g->hop[k].messages;
        l->bytes = g->hop[k].bytes;
        l->busy = (double)l->bytes * g->hop[k].per_byte;
        listed++;
    }
    free(x);
    free(y);
    return listed;
}

static bmf_graph *graph_of(bmf_network *network)
{
    return ((graph_network *)network)->graph;
}

static void describe(const bmf_network *network, FILE *stream)
{
    const graph_network *g = (const graph_network *)network;
    graph_describe(g->graph, stream);
    fprintf(stream, "\na link of weight 1 carries %.6g MB/s, its latency is %.9g us", 1e-6 * g->bandwidth,
            1e6 * g->latency);
    fputs(g->duplex == HALF ? "; both directions of a link share it\n" : "\n", stream);
    if (g->mode == FLUID)
        fputs("fluid: messages that are under way together share links max-min fairly\n", stream);
    else
        fprintf(stream, "%s: a link carries one message at a time, in the earliest gap that is long enough\n",
                modes[g->mode]);
    fprintf(stream,
            "sending keeps a processor busy for %.9g us and %.9g us a byte, receiving for %.9g us and %.9g us a byte\n",
            1e6 * g->send, 1e6 * g->send_per_byte, 1e6 * g->receive, 1e6 * g->receive_per_byte);
    fprintf(stream, "a sender's wait ends %s\n",
            g->buffered        ? "when the message has been copied"
            : g->mode == FLUID ? "when the message has arrived"
                               : "when the message has left its first link");
}

const bmf_network_type network_graph = {.name = "graph",
                                        .summary = "links between processors and switches, with contention",
                                        .setting = settings,
                                        .create = create,
                                        .destroy = destroy,
                                        .start = start,
                                        .send = send,
                                        .next = next,
                                        .advance = advance,
                                        .loads = loads,
                                        .graph = graph_of,
                                        .describe = describe};
