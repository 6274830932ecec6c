/* An implementation of broadcasts for `bmf cop`: round the subset from node to node, in the order of their numbers, so
 * that one stream out of every node is enough and the source may be known at run time only.
 *
 *     cc -shared -fPIC -o ring.so examples/cop/ring.c
 *     bmf cop plan "(broadcast 'b (runtime) :m 64)" --size 4x4 --implementation ./ring.so:ring --rivals
 *
 * For 64 words on 4x4 it is the cheapest that there is for such a source, since every node serves two streams only. */
#include <bmf/cop.h>
#include <stddef.h>

static const char *refuse(const cop_pattern *pattern)
{
    return pattern->nodes < 3 ? "needs at least three nodes" : NULL;
}

/* Stream k goes from node k to the next one. */
static void streams(const cop_pattern *pattern, const cop_streams *list)
{
    for (int64_t k = 0; k < pattern->nodes; k++) {
        const int64_t next = (k + 1) % pattern->nodes;
        list->add(list, k, 1, &next);
    }
}

/* A processor reads a word and writes it on. */
static void metric(const cop_pattern *pattern, cop_cost *cost)
{
    cost->links += 3 * (pattern->nodes - 2);
}

static void write_message(const cop_io *io, const void *message)
{
    const int own = (int)io->node;
    if (io->node != io->operand[0])
        io->fail(io, "it is written by a node that is not its source");
    io->move(io, COP_NO_STREAM, NULL, 1, &own, message);
}

static void read_message(const cop_io *io, void *message)
{
    const int64_t nodes = io->pattern->nodes, next = (io->node + 1) % nodes;
    const int own = (int)io->node, before = (int)((io->node + nodes - 1) % nodes);
    if (io->node == io->operand[0])
        io->fail(io, "it is read by its source");
    io->move(io, before, message, next != io->operand[0], &own, NULL);
}

const cop_implementation ring = {.version = COP_IMPLEMENTATION_VERSION,
                                 .name = "ring",
                                 .operation = "broadcast",
                                 .what = "round the subset, from node to node",
                                 .refuse = refuse,
                                 .streams = streams,
                                 .metric = metric,
                                 .write = write_message,
                                 .read = read_message};
