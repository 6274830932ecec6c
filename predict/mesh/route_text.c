/* Routes as lines of numbers: slots, register and hops, then a line a hop. Method: every number is looked at when it is
 * read; whether routers take the routes together is for the reader's caller to ask. Cost: O(bytes). */
#include "predict/mesh/route_text.h"

#include <inttypes.h>

#include "runtime/base/allocate.h"

enum { MIN_HOP = 20 /* bytes: ten numbers */ };

static void write_hop(FILE *stream, const bmf_stream_hop *hop)
{
    fprintf(stream, "%" PRId64 " %" PRId64 " %d %d %d %d %d %d %d %d", hop->node, hop->parent, hop->in, hop->pipeline,
            hop->slot, hop->delay, hop->delivers, hop->reg, hop->own, hop->outs);
    for (int o = 0; o < hop->outs; o++)
        fprintf(stream, " %d", hop->out[o]);
    fputc('\n', stream);
}

void route_text_write(FILE *stream, const bmf_stream_route *route)
{
    fprintf(stream, "%d %d %" PRId64 "\n", route->slots, route->reg, route->hops);
    for (int64_t h = 0; h < route->hops; h++)
        write_hop(stream, &route->hop[h]);
}

static bool is_in(int value, int low, int high)
{
    return value >= low && value <= high;
}

static bool read_hop(FILE *stream, const bmf_scheduled_hardware *hardware, int64_t number, bmf_stream_hop *hop)
{
    int delivers;
    *hop = (bmf_stream_hop){0};
    if (fscanf(stream, "%" SCNd64 " %" SCNd64 " %d %d %d %d %d %d %d %d", &hop->node, &hop->parent, &hop->in,
               &hop->pipeline, &hop->slot, &hop->delay, &delivers, &hop->reg, &hop->own, &hop->outs) != 10)
        return false;
    hop->delivers = delivers;
    bool good = hop->node >= 0 && hop->node < hardware->mesh.nodes && hop->parent >= -1 && hop->parent < number &&
                (number == 0 || hop->parent >= 0) && is_in(hop->in, -1, BMF_MESH_PORTS - 1) &&
                is_in(hop->pipeline, 0, hardware->pipelines - 1) && is_in(hop->slot, 0, hardware->length - 1) &&
                is_in(hop->delay, 0, hardware->length - 1) && is_in(delivers, 0, 1) &&
                is_in(hop->reg, -1, BMF_SCHEDULED_REGISTERS - 1) && is_in(hop->own, -1, BMF_SCHEDULED_REGISTERS - 1) &&
                is_in(hop->outs, 0, BMF_MESH_PORTS);
    for (int o = 0; good && o < hop->outs; o++) {
        int port;
        good = fscanf(stream, " %d", &port) == 1 && is_in(port, 0, BMF_MESH_PORTS - 1);
        hop->out[o] = (int8_t)(good ? port : 0);
    }
    return good;
}

/* How many hops the rest of the text can hold. */
static int64_t hops_left(FILE *stream, int64_t bytes)
{
    const long at = ftell(stream);
    return at < 0 ? 0 : (bytes - at) / MIN_HOP;
}

bool route_text_read(FILE *stream, int64_t bytes, const bmf_scheduled_hardware *hardware, bmf_stream_route *route)
{
    int64_t hops;
    if (fscanf(stream, "%d %d %" SCNd64, &route->slots, &route->reg, &hops) != 3 ||
        !is_in(route->slots, 1, hardware->length / 2) || !is_in(route->reg, 0, BMF_SCHEDULED_REGISTERS - 1) ||
        hops < 1 || hops > hops_left(stream, bytes))
        return false;
    route->hop = allocate_array(hops, (int64_t)sizeof *route->hop);
    route->capacity = hops;
    for (; route->hops < hops; route->hops++)
        if (!read_hop(stream, hardware, route->hops, &route->hop[route->hops]))
            return false;
    return true;
}
