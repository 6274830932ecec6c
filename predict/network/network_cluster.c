/* The type "cluster": nodes of several processors, whose messages to other nodes share the node's link.
 *
 * Method: processors 0 .. k - 1 are on node 0, the next k on node 1, and so on. Between nodes a message of m bytes has
 *     free = sent + send,  done = when its last byte has left the node,  arrived = its last byte has come;
 * a node sends one message at a time and receives one at a time, m / bandwidth each and gap between two, and the way
 * between the nodes takes the latency (predict/network/ports.h). So when many processors of a node send at once they
 * share its link. Within a node a message is copied by its processors, beside those of others:
 *     free = sent + send,  done = free + m / node_bandwidth,  arrived = done + node_latency.
 * taking = receive in both cases. Switches are not modelled: what is between the nodes never is a bottleneck.
 * Cost: O(log messages under way) a message. Source: the two levels are those of the usual "max-rate" model, W. Gropp,
 * L. Olson, P. Samfass, "Modeling MPI communication performance on SMP nodes", EuroMPI 2016.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "predict/network/link.h"
#include "predict/network/network.h"
#include "predict/network/ports.h"
#include "runtime/base/allocate.h"

typedef struct cluster {
    bmf_network network;
    int64_t per_node;
    bmf_link link;                       /* of a node */
    double node_latency, node_bandwidth; /* seconds, bytes a second */
    bmf_ports ports;
} cluster;

static const char *const settings[] = {"latency_us",
                                       "bandwidth_mb_per_s",
                                       "send_us",
                                       "receive_us",
                                       "gap_us",
                                       "node_latency_us",
                                       "node_bandwidth_mb_per_s",
                                       "processors_per_node",
                                       NULL};

static int read_settings(const bmf_machine *machine, const config_setting_t *group, cluster *c)
{
    BMF_TRY(link_read(machine, group, &c->link));
    BMF_TRY(machine_microseconds(machine, group, "gap_us", 0.0, &c->ports.gap));
    BMF_TRY(machine_microseconds(machine, group, "node_latency_us", NAN, &c->node_latency));
    BMF_TRY(machine_number(machine, group, "node_bandwidth_mb_per_s", DBL_MIN, INFINITY, NAN, &c->node_bandwidth));
    const int64_t usual = machine->node.processors > 0 ? machine->node.processors : INT64_MIN;
    BMF_TRY(machine_integer(machine, group, "processors_per_node", 1, INT32_MAX, usual, &c->per_node));
    if (machine->threads > 1) /* of processors: of ranks */
        c->per_node = c->per_node > machine->threads ? c->per_node / machine->threads : 1;
    c->node_bandwidth *= 1e6;
    c->ports.sharing = c->per_node;
    return BMF_OK;
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    cluster read = {.network = {.type = &network_cluster, .processors = processors}};
    BMF_TRY(read_settings(machine, group, &read));
    cluster *c = allocate(sizeof *c);
    *c = read;
    *network = &c->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    ports_free(&((cluster *)network)->ports);
    free(network);
}

static void start(bmf_network *network, int64_t sample)
{
    (void)sample;
    ports_start(&((cluster *)network)->ports, network->processors);
}

static void send(bmf_network *network, bmf_transit *message)
{
    cluster *c = (cluster *)network;
    const double bytes = (double)message->bytes;
    message->sender_free = message->sent + c->link.send;
    message->receive_overhead = c->link.receive;
    if (message->from / c->per_node != message->to / c->per_node) {
        const double length = bytes / c->link.bandwidth;
        message->send_done = ports_leave(&c->ports, message, message->sender_free,
                                         (bmf_passage){.out = length, .in = length, .latency = c->link.latency});
        return;
    }
    message->send_done = message->sender_free + bytes / c->node_bandwidth;
    message->arrived = message->send_done + c->node_latency;
    network->complete(network->simulator, message);
}

static double next(bmf_network *network)
{
    return ports_next(&((cluster *)network)->ports);
}

static void advance(bmf_network *network)
{
    network->complete(network->simulator, ports_advance(&((cluster *)network)->ports));
}

/* A tree over the nodes' processors, and one over the nodes, up and down. */
static double agreement(const bmf_network *network, int64_t processors)
{
    const cluster *c = (const cluster *)network;
    const double inside = (double)(processors < c->per_node ? processors : c->per_node);
    const double nodes = ceil((double)processors / (double)c->per_node), bytes = 8.0, both = 2.0;
    return both * (ceil(log2(inside)) * (c->link.send + bytes / c->node_bandwidth + c->node_latency + c->link.receive) +
                   ceil(log2(nodes)) * (c->link.send + bytes / c->link.bandwidth + c->link.latency + c->link.receive));
}

static bool simple(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times)
{
    const cluster *c = (const cluster *)network;
    const bool ported = from / c->per_node != to / c->per_node;
    *times = (bmf_simple_message){.busy = c->link.send,
                                  .length = (double)bytes / (ported ? c->link.bandwidth : c->node_bandwidth),
                                  .latency = ported ? c->link.latency : c->node_latency,
                                  .gap = c->ports.gap,
                                  .taking = c->link.receive,
                                  .ported = ported};
    return true;
}

static int64_t port_sharing(const bmf_network *network)
{
    return ((const cluster *)network)->per_node;
}

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    return ports_loads(&((const cluster *)network)->ports, load);
}

static void describe(const bmf_network *network, FILE *stream)
{
    const cluster *c = (const cluster *)network;
    fprintf(stream, "nodes of %lld processors\n", (long long)c->per_node);
    fprintf(stream, "between nodes a message of m bytes takes %.9g us + m / %.9g MB/s, a node's messages one by one\n",
            1e6 * (c->link.send + c->link.latency), 1e-6 * c->link.bandwidth);
    fprintf(stream, "within a node %.9g us + m / %.9g MB/s, beside each other\n",
            1e6 * (c->link.send + c->node_latency), 1e-6 * c->node_bandwidth);
    fprintf(stream, "sending keeps a processor busy for %.9g us, receiving for %.9g us\n", 1e6 * c->link.send,
            1e6 * c->link.receive);
    if (c->ports.gap > 0.0)
        fprintf(stream, "a node's link needs %.9g us between two messages\n", 1e6 * c->ports.gap);
}

const bmf_network_type network_cluster = {.name = "cluster",
                                          .summary = "nodes of several processors that share the node's link",
                                          .setting = settings,
                                          .create = create,
                                          .destroy = destroy,
                                          .start = start,
                                          .send = send,
                                          .next = next,
                                          .advance = advance,
                                          .simple = simple,
                                          .port_sharing = port_sharing,
                                          .agreement = agreement,
                                          .loads = loads,
                                          .describe = describe};
