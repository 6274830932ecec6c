/* The type "hockney": a message of m bytes takes latency + m / bandwidth.
 *
 * Method: with ports = "any" every message has the network to itself:
 *     free = sent + send,  done = free + m / bandwidth,  arrived = done + latency,  taking = receive.
 * With ports = "single" a processor sends one message at a time and receives one at a time (predict/network/ports.h),
 * so that k messages to one receiver take latency + k m / bandwidth. Overheads of the processors are 0 unless set.
 * Cost: O(1) a message, O(log messages under way) with single ports. Source: R. W. Hockney, "The communication
 * challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994), 389-398.
 */
#include <stdlib.h>

#include "predict/network/link.h"
#include "predict/network/ports.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

typedef struct hockney {
    bmf_network network;
    bool single;
    bmf_link link;
    bmf_ports ports;
} hockney;

static const char *const settings[] = {"latency_us", "bandwidth_mb_per_s", "send_us", "receive_us", "ports", NULL};

static int read_settings(const bmf_machine *machine, const config_setting_t *group, hockney *h)
{
    static const char *const ports[] = {"any", "single", NULL};
    int which;
    BMF_TRY(link_read(machine, group, &h->link));
    BMF_TRY(machine_word(machine, group, "ports", ports, 0, &which));
    h->single = which == 1;
    return BMF_OK;
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    hockney read = {.network = {.type = &network_hockney, .processors = processors}};
    BMF_TRY(read_settings(machine, group, &read));
    hockney *h = allocate(sizeof *h);
    *h = read;
    *network = &h->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    ports_free(&((hockney *)network)->ports);
    free(network);
}

static void start(bmf_network *network, int64_t sample)
{
    hockney *h = (hockney *)network;
    (void)sample;
    if (h->single)
        ports_start(&h->ports, network->processors);
}

static void send(bmf_network *network, bmf_transit *message)
{
    hockney *h = (hockney *)network;
    const double length = (double)message->bytes / h->link.bandwidth;
    message->sender_free = message->sent + h->link.send;
    message->receive_overhead = h->link.receive;
    if (h->single) {
        message->send_done = ports_leave(&h->ports, message, message->sender_free,
                                         (bmf_passage){.out = length, .in = length, .latency = h->link.latency});
        return;
    }
    message->send_done = message->sender_free + length;
    message->arrived = message->send_done + h->link.latency;
    network->complete(network->simulator, message);
}

static double next(bmf_network *network)
{
    return ports_next(&((hockney *)network)->ports);
}

static void advance(bmf_network *network)
{
    network->complete(network->simulator, ports_advance(&((hockney *)network)->ports));
}

static bool simple(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times)
{
    const hockney *h = (const hockney *)network;
    (void)from, (void)to;
    *times = (bmf_simple_message){.busy = h->link.send,
                                  .length = (double)bytes / h->link.bandwidth,
                                  .latency = h->link.latency,
                                  .taking = h->link.receive,
                                  .ported = h->single};
    return true;
}

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    return ports_loads(&((const hockney *)network)->ports, load);
}

static void describe(const bmf_network *network, FILE *stream)
{
    const hockney *h = (const hockney *)network;
    fprintf(stream,
            "a message of m bytes takes %.9g us + m / %.9g MB/s; half of the bandwidth is reached at %.9g bytes\n",
            1e6 * h->link.latency, 1e-6 * h->link.bandwidth, h->link.latency * h->link.bandwidth);
    fprintf(stream, "sending keeps a processor busy for %.9g us, receiving for %.9g us\n", 1e6 * h->link.send,
            1e6 * h->link.receive);
    fputs(h->single ? "a processor sends one message at a time and receives one at a time\n"
                    : "messages do not disturb each other\n",
          stream);
}

const bmf_network_type network_hockney = {.name = "hockney",
                                          .summary = "latency and bandwidth, with one port a processor or many",
                                          .setting = settings,
                                          .create = create,
                                          .destroy = destroy,
                                          .start = start,
                                          .send = send,
                                          .next = next,
                                          .advance = advance,
                                          .simple = simple,
                                          .loads = loads,
                                          .describe = describe};
