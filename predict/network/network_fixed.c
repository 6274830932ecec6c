/* The type "fixed": a message takes the same time between any two processors, and nothing is ever in its way.
 *
 * Method: overheads of the sender's and the receiver's processor, proportional to the message's length (and, if so set,
 * a constant each), and a constant time of transport between the end of the one and the beginning of the other:
 *     free = done = sent + send + send_per_byte * bytes,  arrived = free + transport,
 *     taking = receive + receive_per_byte * bytes.
 * Cost: O(1) a message. Source: document 000, 4.7 (the basic model).
 */
#include <stdlib.h>

#include "predict/machine/machine.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

typedef struct fixed {
    bmf_network network;
    double send, send_per_byte, transport, receive, receive_per_byte; /* seconds */
} fixed;

static const char *const settings[] = {"send_us",    "send_us_per_byte",    "transport_us",
                                       "receive_us", "receive_us_per_byte", NULL};

static int read_settings(const bmf_machine *machine, const config_setting_t *group, fixed *f)
{
    BMF_TRY(machine_microseconds(machine, group, "send_us", 0.0, &f->send));
    BMF_TRY(machine_microseconds(machine, group, "send_us_per_byte", 0.0, &f->send_per_byte));
    BMF_TRY(machine_microseconds(machine, group, "transport_us", 0.0, &f->transport));
    BMF_TRY(machine_microseconds(machine, group, "receive_us", 0.0, &f->receive));
    return machine_microseconds(machine, group, "receive_us_per_byte", 0.0, &f->receive_per_byte);
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    fixed read = {.network = {.type = &network_fixed, .processors = processors}};
    BMF_TRY(read_settings(machine, group, &read));
    fixed *f = allocate(sizeof *f);
    *f = read;
    *network = &f->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    free(network);
}

static void start(bmf_network *network, int64_t sample)
{
    (void)network;
    (void)sample;
}

static void send(bmf_network *network, bmf_transit *message)
{
    const fixed *f = (const fixed *)network;
    const double bytes = (double)message->bytes;
    message->sender_free = message->send_done = message->sent + (f->send + f->send_per_byte * bytes);
    message->arrived = message->sender_free + f->transport;
    message->receive_overhead = f->receive + f->receive_per_byte * bytes;
    network->complete(network->simulator, message);
}

static bool simple(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times)
{
    const fixed *f = (const fixed *)network;
    (void)from, (void)to;
    *times = (bmf_simple_message){.busy = f->send + f->send_per_byte * (double)bytes,
                                  .latency = f->transport,
                                  .taking = f->receive + f->receive_per_byte * (double)bytes};
    return true;
}

static void describe(const bmf_network *network, FILE *stream)
{
    const fixed *f = (const fixed *)network;
    fprintf(stream,
            "sending keeps a processor busy for %.9g us and %.9g us a byte, receiving for %.9g us and %.9g us a byte\n"
            "in between a message travels %.9g us, however long and far it is; messages do not disturb each other\n",
            1e6 * f->send, 1e6 * f->send_per_byte, 1e6 * f->receive, 1e6 * f->receive_per_byte, 1e6 * f->transport);
}

const bmf_network_type network_fixed = {.name = "fixed",
                                        .summary = "overheads by length, the same time for every way",
                                        .setting = settings,
                                        .create = create,
                                        .destroy = destroy,
                                        .start = start,
                                        .send = send,
                                        .simple = simple,
                                        .describe = describe};
