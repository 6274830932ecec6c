/* The expanded delta network of a machine in lockstep: rounds of messages become iterations of the router.
 *
 * Method: a round begins when all its senders have come to it and the round before has ended; the control unit needs
 * `send_us` for it. Its messages are routed in the order of their senders (predict/network/edn.h); an iteration lasts
 * as many times iteration_us as its longest message has words. A message has arrived at the end of its iteration;
 * senders go on when the router is done with the round. A receiver needs receive_us for a message. Nothing is
 * uncertain. Cost: that of edn_route for a message. Source: document 003, chapter 3 and section 5.1; docs/edn.md.
 */
#include "predict/network/network_edn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine/machine.h"
#include "predict/network/network.h"
#include "runtime/base/allocate.h"

/* What crossed a wire. */
typedef struct crossing {
    int64_t messages, bytes, words;
} crossing;

typedef struct edn_network {
    bmf_network network;
    bmf_edn_place place;
    double iteration, send, receive; /* seconds */
    bmf_edn *edn;
    double ready; /* end of the last round */
    int64_t hyperbars;
    crossing *in, *out, *thick;
    int64_t *iteration_of, messages_room; /* by message of a round */
    int64_t *words_until;                 /* by iteration of a round: words sent by its end */
} edn_network;

static edn_network *of(bmf_network *network)
{
    return (edn_network *)network;
}

static const bmf_edn_place *place_edn(const bmf_network *network)
{
    return &((const edn_network *)network)->place;
}

/* ---- settings ---- */

enum { MAX_PORTS = 1 << 20, MAX_CAPACITY = 1 << 15 };

static bool is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* A part of `ports` must divide it. */
static int read_part(const bmf_machine *machine, const config_setting_t *settings, const char *key, int64_t ports,
                     int64_t *value)
{
    BMF_TRY(machine_integer(machine, settings, key, 1, ports, INT64_MIN, value));
    if (ports % *value != 0)
        return machine_fail(machine, config_setting_get_member(settings, key), BMF_ERROR_FILE,
                            "%lld ports cannot be divided by %lld %s", (long long)ports, (long long)*value, key);
    return BMF_OK;
}

static int read_order(const bmf_machine *machine, const config_setting_t *settings, bmf_edn_place *place)
{
    static const char *const known[] = {"cluster", "matrix", NULL};
    const int64_t ports = place->shape.ports, each = place->processors_per_port;
    int order;
    BMF_TRY(machine_word(machine, settings, "map", known, 0, &order));
    if (order == 0)
        return BMF_OK;
    if (!is_power_of_two(ports) || !is_power_of_two(each))
        return machine_fail(machine, config_setting_get_member(settings, "map"), BMF_ERROR_FILE,
                            "matrix order needs powers of two as 'ports' and 'processors_per_port'");
    place->bits = __builtin_ctzll((uint64_t)ports) + __builtin_ctzll((uint64_t)each);
    edn_matrix_order(place->bits, __builtin_ctzll((uint64_t)each), place->place);
    return BMF_OK;
}

static int read_stage(const bmf_machine *machine, const config_setting_t *group, bmf_edn_stage *stage)
{
    static const char *const known[] = {"inputs", "buckets", "capacity", NULL};
    if (!config_setting_is_group(group))
        return machine_fail(machine, group, BMF_ERROR_FILE, "a stage is a group { inputs = ..; buckets = ..; .. }");
    BMF_TRY(machine_keys(machine, group, known));
    BMF_TRY(machine_integer(machine, group, "inputs", 1, MAX_PORTS, INT64_MIN, &stage->inputs));
    BMF_TRY(machine_integer(machine, group, "buckets", 1, MAX_PORTS, INT64_MIN, &stage->buckets));
    return machine_integer(machine, group, "capacity", 1, MAX_CAPACITY, INT64_MIN, &stage->capacity);
}

/* Stages of hyperbars behind the first one. */
static int read_stages(const bmf_machine *machine, const config_setting_t *settings, bmf_edn_place *place)
{
    const config_setting_t *list = config_setting_get_member(settings, "further");
    if (!list)
        return BMF_OK;
    place->stages = config_setting_is_list(list) ? config_setting_length(list) : 0;
    if (place->stages < 1 || place->stages > BMF_EDN_FURTHER)
        return machine_fail(machine, list, BMF_ERROR_FILE,
                            "'further' must be a list of 1 to %d stages: ( { inputs = ..; .. } )", BMF_EDN_FURTHER);
    for (int k = 0; k < place->stages; k++) {
        const config_setting_t *group = config_setting_get_elem(list, (unsigned)k);
        BMF_TRY(read_stage(machine, group, &place->stage[k]));
        const char *fault = edn_stage_fault(&place->shape, place->stage, k);
        if (fault)
            return machine_fail(machine, group, BMF_ERROR_FILE, "stage %d does not fit: %s", k + 2, fault);
    }
    return BMF_OK;
}

/* What document 003's programs take beside the router. */
static int read_programs(const bmf_machine *machine, const config_setting_t *settings, bmf_edn_place *place)
{
    static const char *const known[] = {"copied", "routed", NULL};
    int own;
    BMF_TRY(machine_microseconds(machine, settings, "setup_us", 0.0, &place->setup));
    BMF_TRY(machine_word(machine, settings, "own_records", known, 0, &own));
    place->routes_own = own == 1;
    return BMF_OK;
}

static int read_place(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                      bmf_edn_place *place)
{
    enum { MAX_PROCESSORS = 1 << 20, MAX_WORD = 1 << 20 };
    bmf_edn_shape *shape = &place->shape;
    BMF_TRY(machine_integer(machine, settings, "ports", 1, MAX_PORTS, INT64_MIN, &shape->ports));
    BMF_TRY(read_part(machine, settings, "inputs", shape->ports, &shape->inputs));
    BMF_TRY(read_part(machine, settings, "buckets", shape->ports, &shape->buckets));
    BMF_TRY(machine_integer(machine, settings, "capacity", 1, MAX_CAPACITY, INT64_MIN, &shape->capacity));
    BMF_TRY(
        machine_integer(machine, settings, "processors_per_port", 1, MAX_PROCESSORS, 1, &place->processors_per_port));
    BMF_TRY(machine_integer(machine, settings, "word_bytes", 1, MAX_WORD, 4, &place->word_bytes));
    if (processors > shape->ports * place->processors_per_port)
        return machine_fail(machine, config_setting_get_member(settings, "ports"), BMF_ERROR_ARGUMENT,
                            "%lld processors do not fit: %lld ports with %lld each", (long long)processors,
                            (long long)shape->ports, (long long)place->processors_per_port);
    BMF_TRY(read_stages(machine, settings, place));
    BMF_TRY(read_programs(machine, settings, place));
    return read_order(machine, settings, place);
}

static int create_edn(const bmf_machine *machine, const config_setting_t *settings, int64_t processors,
                      bmf_network **network)
{
    edn_network made = {.network = {.type = &network_edn, .processors = processors}};
    BMF_TRY(read_place(machine, settings, processors, &made.place));
    BMF_TRY(machine_microseconds(machine, settings, "iteration_us", NAN, &made.iteration));
    BMF_TRY(machine_microseconds(machine, settings, "send_us", 0.0, &made.send));
    BMF_TRY(machine_microseconds(machine, settings, "receive_us", 0.0, &made.receive));
    const bmf_edn_shape *shape = &made.place.shape;
    made.hyperbars = shape->ports / shape->inputs;
    made.edn = edn_create_stages(shape, made.place.stage, made.place.stages);
    made.in = allocate_clear(shape->ports, (int64_t)sizeof(crossing));
    made.out = allocate_clear(shape->ports, (int64_t)sizeof(crossing));
    made.thick = allocate_clear(made.hyperbars * shape->buckets, (int64_t)sizeof(crossing));
    edn_network *kept = allocate((int64_t)sizeof *kept);
    *kept = made;
    *network = &kept->network;
    return BMF_OK;
}

static void destroy_edn(bmf_network *network)
{
    edn_network *n = of(network);
    edn_free(n->edn);
    free(n->in);
    free(n->out);
    free(n->thick);
    free(n->iteration_of);
    free(n->words_until);
    free(n);
}

static void start_edn(bmf_network *network, int64_t sample)
{
    edn_network *n = of(network);
    const int64_t ports = n->place.shape.ports, size = (int64_t)sizeof(crossing);
    (void)sample;
    n->ready = 0.0;
    memset(n->in, 0, (size_t)(ports * size));
    memset(n->out, 0, (size_t)(ports * size));
    memset(n->thick, 0, (size_t)(n->hyperbars * n->place.shape.buckets * size));
}

/* ---- rounds ---- */

static int64_t words_of(const edn_network *n, const bmf_transit *message)
{
    const int64_t word = n->place.word_bytes;
    return message->bytes <= word ? 1 : (message->bytes - 1) / word + 1;
}

static void cross(crossing *wire, int64_t bytes, int64_t words)
{
    wire->messages++;
    wire->bytes += bytes;
    wire->words += words;
}

/* Finds every message's iteration and how long each iteration is. */
static void route(edn_network *n, bmf_transit **message, int64_t count)
{
    const bmf_edn_shape *shape = &n->place.shape;
    edn_clear(n->edn);
    for (int64_t k = 0; k < count; k++) {
        const int64_t from = edn_port_of(&n->place, (uint64_t)message[k]->from);
        const int64_t to = edn_port_of(&n->place, (uint64_t)message[k]->to), words = words_of(n, message[k]);
        const int64_t t = n->iteration_of[k] = edn_route(n->edn, from, to);
        if (words > n->words_until[t])
            n->words_until[t] = words;
        cross(&n->in[from], message[k]->bytes, words);
        cross(&n->out[to], message[k]->bytes, words);
        cross(&n->thick[from % n->hyperbars * shape->buckets + to / (shape->ports / shape->buckets)], message[k]->bytes,
              words);
    }
    for (int64_t t = 1; t < edn_iterations(n->edn); t++)
        n->words_until[t] += n->words_until[t - 1];
}

/* A round has no more iterations than messages. */
static void make_room(edn_network *n, int64_t count)
{
    if (count > n->messages_room) {
        free(n->iteration_of);
        free(n->words_until);
        n->messages_room = count;
        n->iteration_of = allocate(count * (int64_t)sizeof *n->iteration_of);
        n->words_until = allocate(count * (int64_t)sizeof *n->words_until);
    }
    memset(n->words_until, 0, (size_t)count * sizeof *n->words_until);
}

static void send_round(bmf_network *network, bmf_transit **message, int64_t count)
{
    edn_network *n = of(network);
    double begin = n->ready;
    make_room(n, count);
    route(n, message, count);
    for (int64_t k = 0; k < count; k++)
        begin = fmax(begin, message[k]->sent);
    begin += n->send;
    const double end = begin + (double)n->words_until[edn_iterations(n->edn) - 1] * n->iteration;
    n->ready = end + n->receive;
    for (int64_t k = 0; k < count; k++) {
        bmf_transit *m = message[k];
        m->sender_free = m->send_done = end;
        m->arrived = begin + (double)n->words_until[n->iteration_of[k]] * n->iteration;
        m->receive_overhead = n->receive;
        m->relative_error = 0.0;
        network->complete(network->simulator, m);
    }
}

/* ---- for reports and for machine show ---- */

static bmf_link_load load_of(const edn_network *n, const crossing *wire, const char *from, int64_t f, const char *to,
                             int64_t t)
{
    bmf_link_load load = {.messages = wire->messages, .bytes = wire->bytes, .busy = (double)wire->words * n->iteration};
    snprintf(load.from, sizeof load.from, "%s %lld", from, (long long)f);
    snprintf(load.to, sizeof load.to, "%s %lld", to, (long long)t);
    return load;
}

/* Columns from left to right: ports, hyperbars, buckets, ports; each spread over the same height. */
static void draw(bmf_link_load *load, double column, double from, double to)
{
    load->x0 = column;
    load->x1 = column + 1.0;
    load->y0 = from;
    load->y1 = to;
}

static int64_t loads_edn(const bmf_network *network, bmf_link_load **load)
{
    const edn_network *n = (const edn_network *)network;
    const int64_t ports = n->place.shape.ports, buckets = n->place.shape.buckets, thick = n->hyperbars * buckets;
    const double height = (double)ports, bar = height / (double)n->hyperbars, bucket = height / (double)buckets;
    bmf_link_load *l = *load = allocate((2 * ports + thick) * (int64_t)sizeof **load);
    for (int64_t k = 0; k < ports; k++, l++) {
        *l = load_of(n, &n->in[k], "port", k, "hyperbar", k % n->hyperbars);
        draw(l, 0.0, (double)k + 0.5, ((double)(k % n->hyperbars) + 0.5) * bar);
    }
    for (int64_t k = 0; k < thick; k++, l++) {
        *l = load_of(n, &n->thick[k], "hyperbar", k / buckets, "bucket", k % buckets);
        draw(l, 1.0, ((double)(k / buckets) + 0.5) * bar, ((double)(k % buckets) + 0.5) * bucket);
    }
    for (int64_t k = 0; k < ports; k++, l++) {
        const int64_t from = k / (ports / buckets);
        *l = load_of(n, &n->out[k], "bucket", from, "port", k);
        draw(l, 2.0, ((double)from + 0.5) * bucket, (double)k + 0.5);
    }
    return 2 * ports + thick;
}

static void describe_edn(const bmf_network *network, FILE *stream)
{
    const edn_network *n = (const edn_network *)network;
    const bmf_edn_shape *s = &n->place.shape;
    fprintf(stream, "expanded delta network in lockstep: %lld ports with %lld processors each, numbered in %s order\n",
            (long long)s->ports, (long long)n->place.processors_per_port, n->place.bits ? "matrix" : "cluster");
    fprintf(stream, "%lld hyperbars of %lld inputs and %lld buckets; a thick wire carries %lld messages an iteration\n",
            (long long)n->hyperbars, (long long)s->inputs, (long long)s->buckets, (long long)s->capacity);
    for (int k = 0; k < n->place.stages; k++) {
        const bmf_edn_stage *stage = &n->place.stage[k];
        fprintf(stream, "then hyperbars of %lld inputs and %lld buckets; a thick wire carries %lld\n",
                (long long)stage->inputs, (long long)stage->buckets, (long long)stage->capacity);
    }
    fprintf(stream,
            "an iteration of the router takes %.6g us for %lld bytes; a round %.6g us, a receiver %.6g us more\n",
            n->iteration * 1e6, (long long)n->place.word_bytes, n->send * 1e6, n->receive * 1e6);
    if (n->place.setup > 0.0 || n->place.routes_own)
        fprintf(stream, "permuting by sets takes %.6g us to begin with; records that stay are %s\n",
                n->place.setup * 1e6, n->place.routes_own ? "routed" : "copied");
}

/* In lockstep the control unit sees the status of all at once: a round of one iteration. */
static double agreement_edn(const bmf_network *network, int64_t processors)
{
    const edn_network *n = (const edn_network *)network;
    return processors > 1 ? n->send + n->iteration + n->receive : 0.0;
}

static const char *const settings_edn[] = {
    "ports",   "inputs",     "buckets", "capacity", "processors_per_port", "iteration_us", "word_bytes",
    "send_us", "receive_us", "map",     "setup_us", "own_records",         "further",      NULL};

const bmf_network_type network_edn = {
    .name = "edn",
    .summary = "expanded delta network of a machine in lockstep: router iterations, clusters that share a port",
    .setting = settings_edn,
    .collective = true,
    .create = create_edn,
    .destroy = destroy_edn,
    .start = start_edn,
    .send_round = send_round,
    .loads = loads_edn,
    .describe = describe_edn,
    .agreement = agreement_edn,
    .edn_place = place_edn,
};
