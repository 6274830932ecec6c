/* Routing through an expanded delta network.
 *
 * Method: every wire has a set of the iterations in which it is full, a bit each, and remembers before which iteration
 * there is no other. A message's iteration is the first that is in none of its three wires' sets; counts, not searching
 * among messages. Cost: a message 3 words for every 64 iterations between the first possible one and its own; memory
 * per wire a bit (thick ones: 17) for every iteration up to its last one. Further stages are further wires. Source:
 * predict/network/edn.h. */
#include <stdlib.h>
#include <string.h>

#include "predict/network/edn.h"
#include "runtime/base/allocate.h"

typedef struct wire {
    uint64_t *full;      /* bit t: nothing more passes in iteration t */
    uint16_t *carried;   /* by iteration; NULL: it carries one message */
    int64_t words, room; /* in use and allocated of `full`; 64 times as many in `carried` */
    int64_t first;       /* all words before this one are full */
    int64_t load;        /* messages since the last clear */
} wire;

/* A stage of hyperbars, in as many networks beside each other as there are buckets before it. */
typedef struct layer {
    int64_t networks, hyperbars, buckets, capacity; /* hyperbars of a network, buckets of a hyperbar */
    int64_t ports;                                  /* that a bucket leads to */
    wire *thick;                                    /* (network * hyperbars + hyperbar) * buckets + bucket */
} layer;

struct bmf_edn {
    bmf_edn_shape shape;
    int64_t iterations;
    wire *in, *out; /* ports each */
    int layers;
    layer layer[1 + BMF_EDN_FURTHER];
};

static layer first_layer(const bmf_edn_shape *shape)
{
    return (layer){.networks = 1,
                   .hyperbars = shape->ports / shape->inputs,
                   .buckets = shape->buckets,
                   .capacity = shape->capacity,
                   .ports = shape->ports / shape->buckets};
}

/* The stage behind a layer; hyperbars 0 if it does not fit. */
static layer next_layer(const layer *before, const bmf_edn_stage *stage)
{
    const int64_t carried = before->hyperbars * before->capacity;
    const int64_t hyperbars = carried % stage->inputs ? 0 : carried / stage->inputs;
    return (layer){.networks = before->networks * before->buckets,
                   .hyperbars = hyperbars && before->hyperbars % hyperbars == 0 ? hyperbars : 0,
                   .buckets = stage->buckets,
                   .capacity = stage->capacity,
                   .ports = before->ports % stage->buckets ? 0 : before->ports / stage->buckets};
}

const char *edn_stage_fault(const bmf_edn_shape *shape, const bmf_edn_stage *stage, int k)
{
    layer at = first_layer(shape);
    for (int j = 0; j <= k; j++)
        at = next_layer(&at, &stage[j]);
    return at.hyperbars == 0 ? "its inputs do not share the wires of the stage before it evenly"
           : at.ports == 0   ? "its buckets do not share the ports of a bucket before it evenly"
                             : NULL;
}

static int64_t wires_of(const layer *l)
{
    return l->networks * l->hyperbars * l->buckets;
}

bmf_edn *edn_create_stages(const bmf_edn_shape *shape, const bmf_edn_stage *stage, int stages)
{
    bmf_edn *edn = allocate_clear(1, (int64_t)sizeof *edn);
    edn->shape = *shape;
    edn->layers = 1 + stages;
    edn->in = allocate_clear(shape->ports, (int64_t)sizeof(wire));
    edn->out = allocate_clear(shape->ports, (int64_t)sizeof(wire));
    for (int k = 0; k < edn->layers; k++) {
        layer *l = &edn->layer[k];
        *l = k == 0 ? first_layer(shape) : next_layer(l - 1, &stage[k - 1]);
        l->thick = allocate_clear(wires_of(l), (int64_t)sizeof(wire));
    }
    return edn;
}

bmf_edn *edn_create(const bmf_edn_shape *shape)
{
    return edn_create_stages(shape, NULL, 0);
}

static void free_wires(wire *w, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        free(w[k].full);
        free(w[k].carried);
    }
    free(w);
}

void edn_free(bmf_edn *edn)
{
    if (!edn)
        return;
    free_wires(edn->in, edn->shape.ports);
    free_wires(edn->out, edn->shape.ports);
    for (int k = 0; k < edn->layers; k++)
        free_wires(edn->layer[k].thick, wires_of(&edn->layer[k]));
    free(edn);
}

static void clear_wires(wire *w, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        w[k].words = w[k].first = w[k].load = 0;
}

void edn_clear(bmf_edn *edn)
{
    clear_wires(edn->in, edn->shape.ports);
    clear_wires(edn->out, edn->shape.ports);
    for (int k = 0; k < edn->layers; k++)
        clear_wires(edn->layer[k].thick, wires_of(&edn->layer[k]));
    edn->iterations = 0;
}

/* Makes iteration `t` part of the wire's sets. */
static void reach(wire *w, int64_t t, bool thick)
{
    const int64_t words = t / 64 + 1, word_bytes = (int64_t)sizeof *w->full,
                  count_bytes = 64 * (int64_t)sizeof *w->carried;
    if (words <= w->words)
        return;
    if (words > w->room) {
        const int64_t room = 2 * words;
        w->full = reallocate(w->full, w->words * word_bytes, room * word_bytes);
        if (thick)
            w->carried = reallocate(w->carried, w->words * count_bytes, room * count_bytes);
        w->room = room;
    }
    memset(w->full + w->words, 0, (size_t)((words - w->words) * word_bytes));
    if (thick)
        memset(w->carried + 64 * w->words, 0, (size_t)((words - w->words) * count_bytes));
    w->words = words;
}

static uint64_t full_word(const wire *w, int64_t k)
{
    return k < w->words ? w->full[k] : 0;
}

static void fill(wire *w, int64_t t)
{
    w->full[t / 64] |= UINT64_C(1) << (t % 64);
    while (w->first < w->words && ~w->full[w->first] == 0)
        w->first++;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A way through the switch: two ports and a thick wire for each stage. */
enum { IN, OUT, FIRST_THICK, MAX_WIRES = FIRST_THICK + 1 + BMF_EDN_FURTHER };

static int find_way(bmf_edn *edn, int64_t from_port, int64_t to_port, wire *way[MAX_WIRES])
{
    int64_t hyperbar = from_port;
    way[IN] = &edn->in[from_port];
    way[OUT] = &edn->out[to_port];
    for (int k = 0; k < edn->layers; k++) {
        const layer *l = &edn->layer[k];
        const int64_t bucket = to_port / l->ports; /* of all networks of the stage */
        hyperbar %= l->hyperbars;
        way[FIRST_THICK + k] =
            &l->thick[(bucket / l->buckets * l->hyperbars + hyperbar) * l->buckets + bucket % l->buckets];
    }
    return FIRST_THICK + edn->layers;
}

static uint64_t full_words(wire *const *way, int wires, int64_t word)
{
    uint64_t full = 0;
    for (int k = 0; k < wires; k++)
        full |= full_word(way[k], word);
    return full;
}

int64_t edn_route(bmf_edn *edn, int64_t from_port, int64_t to_port)
{
    wire *way[MAX_WIRES];
    const int wires = find_way(edn, from_port, to_port, way);
    int64_t word = 0;
    uint64_t full;
    for (int k = 0; k < wires; k++)
        word = largest(word, way[k]->first);
    while (~(full = full_words(way, wires, word)) == 0)
        word++;
    const int64_t t = 64 * word + __builtin_ctzll(~full);
    for (int k = 0; k < wires; k++) {
        const bool thick = k >= FIRST_THICK;
        reach(way[k], t, thick);
        if (!thick || ++way[k]->carried[t] == edn->layer[k - FIRST_THICK].capacity)
            fill(way[k], t);
        way[k]->load++;
    }
    edn->iterations = largest(edn->iterations, t + 1);
    return t;
}

int64_t edn_iterations(const bmf_edn *edn)
{
    return edn->iterations;
}

int64_t edn_serialisation(const bmf_edn *edn)
{
    int64_t max = 0;
    for (int64_t k = 0; k < edn->shape.ports; k++)
        max = largest(max, largest(edn->in[k].load, edn->out[k].load));
    return max;
}

int64_t edn_bound(const bmf_edn *edn)
{
    int64_t bound = edn_serialisation(edn);
    for (int k = 0; k < edn->layers; k++) {
        const layer *l = &edn->layer[k];
        for (int64_t n = 0; n < wires_of(l); n++)
            bound = largest(bound, (l->thick[n].load + l->capacity - 1) / l->capacity);
    }
    return bound;
}

int64_t edn_wire_load(const bmf_edn *edn, int64_t hyperbar, int64_t bucket)
{
    return edn->layer[0].thick[hyperbar * edn->shape.buckets + bucket].load;
}

void edn_matrix_order(int bits, int cluster_bits, int place[BMF_MAX_BITS])
{
    const int columns = (bits + 1) / 2, cluster_columns = (cluster_bits + 1) / 2, cluster_rows = cluster_bits / 2;
    int next = 0, column = cluster_columns, row = columns + cluster_rows;
    for (int k = 0; k < cluster_columns; k++)
        place[k] = next++;
    for (int k = 0; k < cluster_rows; k++)
        place[columns + k] = next++;
    while (next < bits) {
        if (column < columns)
            place[column++] = next++;
        if (row < bits)
            place[row++] = next++;
    }
}

uint64_t edn_move_bits(const int *place, int bits, uint64_t number)
{
    uint64_t moved = 0;
    for (int j = 0; j < bits; j++)
        moved |= (number >> j & 1) << place[j];
    return moved;
}
