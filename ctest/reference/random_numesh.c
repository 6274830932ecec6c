/* Random schedules: a stream is a random walk of VFSMs with random slots, pipelines, delays and deliveries on the way;
 * what breaks a rule is taken back. Cost: a check of the whole block per try. */
#include "ctest/reference/random_numesh.h"

#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"

typedef struct attempt {
    bmf_scheduled_machine *machine;
    int block, slots, period, offset; /* slots of the stream: offset + k * period */
    bool clash;
} attempt;

static int free_vfsm(const bmf_scheduled_node *node, int pipeline)
{
    int vfsm = BMF_VFSM_FIRST;
    while (vfsm < BMF_SCHEDULED_VFSMS && node->annotation[pipeline][vfsm].source != BMF_PLACE_NOP)
        vfsm++;
    return vfsm;
}

/* Puts a new VFSM at the stream's present slots. */
static int put(attempt *a, int64_t n, int pipeline, int source, int destination, bool copy)
{
    bmf_scheduled_node *node = &a->machine->node[n];
    const int length = a->machine->hardware.length, vfsm = free_vfsm(node, pipeline);
    if (vfsm == BMF_SCHEDULED_VFSMS) {
        a->clash = true;
        return BMF_VFSM_FIRST;
    }
    node->annotation[pipeline][vfsm] = (bmf_annotation){(uint8_t)source, (uint8_t)destination, copy};
    for (int k = 0; k < a->slots; k++) {
        uint8_t *at = &node->entry[a->block * length + (a->offset + k * a->period) % length].vfsm[pipeline];
        a->clash |= *at != BMF_VFSM_NOP;
        *at = (uint8_t)vfsm;
    }
    return vfsm;
}

static int free_register(const bmf_scheduled_node *node, int pipelines, bool outbound)
{
    bool used[BMF_SCHEDULED_REGISTERS] = {false};
    for (int p = 0; p < pipelines; p++)
        for (int v = 0; v < BMF_SCHEDULED_VFSMS; v++) {
            const int place = outbound ? node->annotation[p][v].source : node->annotation[p][v].destination;
            if (place_is_register(place))
                used[place - BMF_PLACE_REGISTER] = true;
        }
    for (int r = 0; r < BMF_SCHEDULED_REGISTERS - BMF_SCHEDULED_PIPELINES; r++)
        if (!used[r])
            return r;
    return -1;
}

static int deliver(attempt *a, int64_t n, random_stream *stream)
{
    const int reg = free_register(&a->machine->node[n], a->machine->hardware.pipelines, false);
    if (reg < 0 || stream->readers == RANDOM_MAX_READERS) {
        a->clash = true;
        return BMF_PLACE_NULL;
    }
    stream->reader[stream->readers] = n;
    stream->in[stream->readers++] = reg;
    return BMF_PLACE_REGISTER + reg;
}

/* A walk that does not come to a node twice, in `path`; returns its length in nodes. */
static int walk(const bmf_mesh *mesh, uint64_t *state, int64_t *path, int *port, int max)
{
    int length = 1;
    path[0] = test_below(state, mesh->nodes);
    for (int tries = 0; tries < 4 * max && length < max; tries++) {
        port[length - 1] = (int)test_below(state, BMF_MESH_PORTS);
        const int64_t to = mesh_neighbour(mesh, path[length - 1], port[length - 1]);
        bool seen = to < 0;
        for (int k = 0; k < length; k++)
            seen |= path[k] == to;
        if (!seen)
            path[length++] = to;
    }
    return length;
}

/* The node's VFSMs: from `source` perhaps through a delay to `destination`, perhaps with a delivery here. */
static void pass(attempt *a, int64_t n, int source, int destination, bool reads, uint64_t *state, random_stream *stream)
{
    const int pipeline = (int)test_below(state, a->machine->hardware.pipelines);
    if (test_below(state, 3) == 0 && a->period > 1) {
        const int vfsm = free_vfsm(&a->machine->node[n], pipeline);
        put(a, n, pipeline, source, BMF_PLACE_BUFFER + vfsm, false);
        source = BMF_PLACE_BUFFER + vfsm;
        a->offset += 1 + (int)test_below(state, a->period - 1);
    }
    put(a, n, pipeline, source, destination, false);
    if (reads) {
        a->offset++;
        put(a, n, pipeline, destination, deliver(a, n, stream), true);
        a->offset--;
    }
    a->offset++;
}

static bool try_stream(bmf_scheduled_machine *machine, int block, uint64_t *state, random_stream *stream)
{
    enum { MAX = 6 };
    const int length = machine->hardware.length;
    int64_t path[MAX];
    int port[MAX + 1];
    const int nodes = walk(&machine->hardware.mesh, state, path, port, 1 + (int)test_below(state, MAX));
    attempt a = {.machine = machine, .block = block};
    a.slots = 1 + (int)test_below(state, length / 2);
    a.period = length / a.slots;
    a.offset = (int)test_below(state, length);
    *stream = (random_stream){.from = path[0], .slots = a.slots, .hops = nodes - 1};
    stream->out = free_register(&machine->node[path[0]], machine->hardware.pipelines, true);
    if (stream->out < 0)
        return false;
    for (int k = 0; k < nodes; k++) {
        const int source = k == 0 ? BMF_PLACE_REGISTER + stream->out : mesh_opposite(port[k - 1]);
        const bool last = k == nodes - 1;
        const bool reads = !last && test_below(state, 4) == 0;
        const int destination = last ? deliver(&a, path[k], stream) : port[k];
        pass(&a, path[k], source, destination, reads, state, stream);
    }
    return !a.clash && scheduled_check(machine, block) == 0;
}

int64_t random_numesh_fill(bmf_scheduled_machine *machine, int block, uint64_t *state, int64_t tries,
                           random_stream stream[RANDOM_MAX_STREAMS])
{
    const size_t size = (size_t)machine->hardware.mesh.nodes * sizeof *machine->node;
    bmf_scheduled_node *kept = malloc(size);
    int64_t streams = 0;
    for (int64_t k = 0; k < tries && streams < RANDOM_MAX_STREAMS; k++) {
        memcpy(kept, machine->node, size);
        if (try_stream(machine, block, state, &stream[streams]))
            streams++;
        else
            memcpy(machine->node, kept, size);
    }
    free(kept);
    return streams;
}

static void add_half(bmf_processor_script *script, int64_t node, int64_t first, int64_t streams,
                     const random_stream *stream, const int64_t *words)
{
    bmf_interface_use use[2 * RANDOM_MAX_STREAMS];
    int64_t uses = 0;
    for (int64_t k = 0; k < streams; k++) {
        if (stream[k].from == node)
            use[uses++] = (bmf_interface_use){.reg = stream[k].out, .stream = first + k, .words = words[k]};
        for (int64_t r = 0; r < stream[k].readers; r++)
            if (stream[k].reader[r] == node)
                use[uses++] =
                    (bmf_interface_use){.reg = stream[k].in[r], .reads = true, .stream = first + k, .words = words[k]};
    }
    script_transfer(script, uses == 1, uses, use);
}

void random_numesh_transfers(const bmf_mesh *mesh, bmf_processor_script *script, uint64_t *state, int64_t first,
                             int64_t streams, const random_stream *stream, int64_t max_words, int64_t max_wait)
{
    int64_t words[2][RANDOM_MAX_STREAMS];
    for (int64_t k = 0; k < streams; k++) {
        words[0][k] = 1 + test_below(state, max_words);
        words[1][k] = 1 + test_below(state, max_words);
    }
    for (int64_t n = 0; n < mesh->nodes; n++)
        for (int half = 0; half < 2; half++) {
            if (test_below(state, 2) == 0)
                script_wait(&script[n], BMF_TIME_CPU, test_below(state, max_wait));
            add_half(&script[n], n, first, streams, stream, words[half]);
        }
}
