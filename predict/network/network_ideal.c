/* The ideal network: a message is there when it is sent, and costs nobody anything.
 *
 * Source: the POP hierarchy's ideal-network run, which tells waiting for each other (serialisation) from waiting for
 * the network (transfer). Cost: a few stores a message.
 */
#include <stdlib.h>

#include "predict/network/network.h"
#include "runtime/base/allocate.h"

static void ideal_destroy(bmf_network *network)
{
    free(network);
}

static void ideal_start(bmf_network *network, int64_t sample)
{
    (void)network;
    (void)sample;
}

static void ideal_send(bmf_network *network, bmf_transit *message)
{
    message->sender_free = message->send_done = message->arrived = message->sent;
    network->complete(network->simulator, message);
}

static bool ideal_simple(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times)
{
    (void)network, (void)from, (void)to, (void)bytes;
    *times = (bmf_simple_message){0};
    return true;
}

static void ideal_describe(const bmf_network *network, FILE *stream)
{
    fprintf(stream, "ideal: messages between %lld processors take no time\n", (long long)network->processors);
}

static double ideal_agreement(const bmf_network *network, int64_t processors)
{
    (void)network;
    (void)processors;
    return 0;
}

static double ideal_collective(const bmf_network *network, const char *operation, int64_t processors, int64_t bytes)
{
    (void)network, (void)operation, (void)processors, (void)bytes;
    return 0;
}

static const bmf_network_type ideal_type = {
    .name = "ideal",
    .summary = "messages take no time",
    .destroy = ideal_destroy,
    .start = ideal_start,
    .send = ideal_send,
    .simple = ideal_simple,
    .describe = ideal_describe,
    .agreement = ideal_agreement,
    .collective_seconds = ideal_collective,
};

bmf_network *network_ideal(int64_t processors)
{
    bmf_network *network = allocate_clear(1, (int64_t)sizeof *network);
    network->type = &ideal_type;
    network->processors = processors;
    return network;
}
