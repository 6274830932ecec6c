/* The type "loggp": latency L, overhead o, gap g, gap per byte G, with eager messages and rendezvous.
 *
 * Method: for a message of k bytes (an empty one counts as one byte), o(k) = o + (k - 1) O with O = 0 unless it is set:
 *   eager       the sender's processor is busy for o(k) and goes on; then the first byte enters the network, the last
 *               one (k - 1) G later, and each travels L; the receiver's processor takes the message in o(k). Alone:
 *                   free = sent + o(k),  arrived = free + (k - 1) G + L,  taking = o(k).
 *               A processor's interface sends one message at a time and receives one at a time; from the last byte of
 *               one to the first byte of the next it needs g (predict/network/ports.h).
 *   rendezvous  above S bytes the data wait for the receiver. The request, one byte, is there at sent + o + L; once the
 *               receive is posted too, the receiver spends o on taking it and o on the acknowledgement, which travels
 *               L; then the sender spends o(k) and the data follow as those of an eager message do. So
 *                   free = sent + o,  first byte = max(sent + o + L, posted) + 2 o + L + o(k).
 *               With `handshake_us` that is max(sent + o, posted) + handshake: what a network costs that does not
 *               interrupt its processors. The sender's wait ends when the last byte has entered the network.
 * Cost: O(log messages under way) a message. Sources: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP",
 * SPAA 1995; F. Ino, N. Fujimoto, K. Hagihara, "LogGPS", PPoPP 2001 (S and the exchange before long messages); O is
 * that of T. Hoefler, T. Schneider, A. Lumsdaine, "LogGOPSim", HPDC 2010.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/machine/machine.h"
#include "predict/network/ports.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

typedef struct loggp {
    bmf_network network;
    double latency, overhead, overhead_per_byte, gap_per_byte; /* L, o, O, G */
    double handshake;                                          /* NAN: of overheads and a latency */
    int64_t eager;                                             /* S: the most bytes of an eager message */
    bmf_ports ports;                                           /* has g */
} loggp;

static const char *const settings[] = {"latency_us",      "overhead_us", "overhead_us_per_byte", "gap_us",
                                       "gap_us_per_byte", "eager_bytes", "handshake_us",         NULL};

static int read_settings(const bmf_machine *machine, const config_setting_t *group, loggp *l)
{
    BMF_TRY(machine_microseconds(machine, group, "latency_us", NAN, &l->latency));
    BMF_TRY(machine_microseconds(machine, group, "overhead_us", NAN, &l->overhead));
    BMF_TRY(machine_microseconds(machine, group, "overhead_us_per_byte", 0.0, &l->overhead_per_byte));
    BMF_TRY(machine_microseconds(machine, group, "gap_us", NAN, &l->ports.gap));
    BMF_TRY(machine_microseconds(machine, group, "gap_us_per_byte", NAN, &l->gap_per_byte));
    BMF_TRY(machine_integer(machine, group, "eager_bytes", 0, INT64_MAX, INT64_MAX, &l->eager));
    l->handshake = NAN;
    const config_setting_t *handshake = config_setting_get_member(group, "handshake_us");
    if (!handshake)
        return BMF_OK;
    if (l->eager == INT64_MAX)
        return machine_fail(machine, handshake, BMF_ERROR_FILE,
                            "'handshake_us' goes with 'eager_bytes': without it no message waits for its receiver");
    return machine_microseconds(machine, group, "handshake_us", NAN, &l->handshake);
}

static int create(const bmf_machine *machine, const config_setting_t *group, int64_t processors, bmf_network **network)
{
    loggp read = {.network = {.type = &network_loggp, .processors = processors}};
    BMF_TRY(read_settings(machine, group, &read));
    loggp *l = allocate(sizeof *l);
    *l = read;
    *network = &l->network;
    return BMF_OK;
}

static void destroy(bmf_network *network)
{
    ports_free(&((loggp *)network)->ports);
    free(network);
}

static void start(bmf_network *network, int64_t sample)
{
    (void)sample;
    ports_start(&((loggp *)network)->ports, network->processors);
}

/* k - 1 */
static double further_bytes(const bmf_transit *message)
{
    return message->bytes > 1 ? (double)(message->bytes - 1) : 0.0;
}

static double overhead(const loggp *l, const bmf_transit *message)
{
    return l->overhead + further_bytes(message) * l->overhead_per_byte;
}

static bmf_passage passage(const loggp *l, const bmf_transit *message)
{
    const double length = further_bytes(message) * l->gap_per_byte;
    return (bmf_passage){.out = length, .in = length, .latency = l->latency};
}

/* When both sides are ready for the data. */
static double meeting(const bmf_network *network, const bmf_transit *message)
{
    const loggp *l = (const loggp *)network;
    return isnan(l->handshake) ? fmax(message->sent + l->overhead + l->latency, message->posted) + 2.0 * l->overhead +
                                     l->latency + overhead(l, message)
                               : fmax(message->sent + l->overhead, message->posted) + l->handshake;
}

static void meet(loggp *l, bmf_transit *message)
{
    ports_leave_later(&l->ports, message, meeting(&l->network, message), passage(l, message));
}

static void send(bmf_network *network, bmf_transit *message)
{
    loggp *l = (loggp *)network;
    message->receive_overhead = overhead(l, message);
    if (message->bytes <= l->eager) {
        message->sender_free = message->sent + overhead(l, message);
        message->send_done = ports_leave(&l->ports, message, message->sender_free, passage(l, message));
        return;
    }
    message->sender_free = message->sent + l->overhead;
    if (isfinite(message->posted))
        meet(l, message);
}

static void post(bmf_network *network, bmf_transit *message)
{
    loggp *l = (loggp *)network;
    if (message->bytes > l->eager)
        meet(l, message);
}

static double next(bmf_network *network)
{
    return ports_next(&((loggp *)network)->ports);
}

static void advance(bmf_network *network)
{
    bmf_transit *message = ports_advance(&((loggp *)network)->ports);
    if (message)
        network->complete(network->simulator, message);
}

static bool simple(const bmf_network *network, int64_t from, int64_t to, int64_t bytes, bmf_simple_message *times)
{
    const loggp *l = (const loggp *)network;
    const bmf_transit message = {.from = from, .to = to, .bytes = bytes};
    const double whole = overhead(l, &message);
    const bool meets = bytes > l->eager;
    *times = (bmf_simple_message){.busy = meets ? l->overhead : whole,
                                  .length = further_bytes(&message) * l->gap_per_byte,
                                  .latency = l->latency,
                                  .gap = l->ports.gap,
                                  .taking = whole,
                                  .ported = true,
                                  .meets = meets};
    return true;
}

static int64_t loads(const bmf_network *network, bmf_link_load **load)
{
    return ports_loads(&((const loggp *)network)->ports, load);
}

static void describe(const bmf_network *network, FILE *stream)
{
    const loggp *l = (const loggp *)network;
    fprintf(stream, "L %.9g us, o %.9g us", 1e6 * l->latency, 1e6 * l->overhead);
    if (l->overhead_per_byte > 0.0)
        fprintf(stream, " + %.9g us a byte", 1e6 * l->overhead_per_byte);
    fprintf(stream, ", g %.9g us, G %.9g us a byte", 1e6 * l->ports.gap, 1e6 * l->gap_per_byte);
    if (l->gap_per_byte > 0.0)
        fprintf(stream, " (%.6g MB/s)", 1e-6 / l->gap_per_byte);
    fputs("\na processor's interface sends one message at a time and receives one at a time\n", stream);
    if (l->eager == INT64_MAX)
        fputs("messages never wait for their receivers\n", stream);
    else if (isnan(l->handshake))
        fprintf(stream, "messages above %lld bytes wait for their receivers: request and acknowledgement before them\n",
                (long long)l->eager);
    else
        fprintf(stream, "messages above %lld bytes wait for their receivers, and %.9g us more\n", (long long)l->eager,
                1e6 * l->handshake);
}

const bmf_network_type network_loggp = {.name = "loggp",
                                        .summary = "LogGP: latency, overhead, gaps; eager and rendezvous messages",
                                        .setting = settings,
                                        .create = create,
                                        .destroy = destroy,
                                        .start = start,
                                        .send = send,
                                        .post = post,
                                        .next = next,
                                        .advance = advance,
                                        .simple = simple,
                                        .meeting = meeting,
                                        .loads = loads,
                                        .describe = describe};
