/* Routing through an expanded delta network.
 *
 * Method: every wire has a set of the iterations in which it is full, a bit each, and remembers before which iteration
 * there is no other. A message's iteration is the first that is in none of its three wires' sets; counts, not searching
 * among messages. Cost: a message 3 words for every 64 iterations between the first possible one and its own; memory
 * per wire a bit (thick ones: 17) for every iteration up to its last one. Source: predict/network/edn.h. */
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

struct bmf_edn {
    bmf_edn_shape shape;
    int64_t hyperbars, iterations;
    wire *in, *out, *thick; /* ports, ports, hyperbars * buckets */
};

bmf_edn *edn_create(const bmf_edn_shape *shape)
{
    bmf_edn *edn = allocate_clear(1, (int64_t)sizeof *edn);
    edn->shape = *shape;
    edn->hyperbars = shape->ports / shape->inputs;
    edn->in = allocate_clear(shape->ports, (int64_t)sizeof(wire));
    edn->out = allocate_clear(shape->ports, (int64_t)sizeof(wire));
    edn->thick = allocate_clear(edn->hyperbars * shape->buckets, (int64_t)sizeof(wire));
    return edn;
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
    free_wires(edn->thick, edn->hyperbars * edn->shape.buckets);
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
    clear_wires(edn->thick, edn->hyperbars * edn->shape.buckets);
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

int64_t edn_route(bmf_edn *edn, int64_t from_port, int64_t to_port)
{
    wire *in = &edn->in[from_port], *out = &edn->out[to_port];
    const int64_t bucket = to_port / (edn->shape.ports / edn->shape.buckets);
    wire *thick = &edn->thick[from_port % edn->hyperbars * edn->shape.buckets + bucket];
    int64_t word = largest(in->first, largest(out->first, thick->first));
    uint64_t full;
    while (~(full = full_word(in, word) | full_word(out, word) | full_word(thick, word)) == 0)
        word++;
    const int64_t t = 64 * word + __builtin_ctzll(~full);
    reach(in, t, false);
    reach(out, t, false);
    reach(thick, t, true);
    fill(in, t);
    fill(out, t);
    if (++thick->carried[t] == edn->shape.capacity)
        fill(thick, t);
    in->load++;
    out->load++;
    thick->load++;
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
    int64_t max = 0;
    for (int64_t k = 0; k < edn->hyperbars * edn->shape.buckets; k++)
        max = largest(max, edn->thick[k].load);
    return largest(edn_serialisation(edn), (max + edn->shape.capacity - 1) / edn->shape.capacity);
}

int64_t edn_wire_load(const bmf_edn *edn, int64_t hyperbar, int64_t bucket)
{
    return edn->thick[hyperbar * edn->shape.buckets + bucket].load;
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
