/* Making a mesh of dynamic routers: settings, numbers of channels, memory. Cost: O(nodes). */
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/dynamic_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

static int check_range(const char *what, int value, int min, int max)
{
    if (value >= min && value <= max)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "dynamic router: %s is %d, not %d to %d", what, value, min, max);
}

static int check_settings(const bmf_mesh *mesh, const bmf_dynamic_settings *s)
{
    const bool adapts = s->routing == BMF_DYNAMIC_ADAPTIVE;
    const int min_channels = (mesh->torus ? 2 : 1) + adapts;
    if (s->channels < min_channels)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s routing on a %s needs at least %d virtual channels, not %d",
                        adapts ? "adaptive" : "e-cube", mesh->torus ? "torus" : "mesh", min_channels, s->channels);
    if (adapts && !s->atomic)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT,
                        "adaptive routing needs atomic channels: others could block for ever");
    BMF_TRY(check_range("the number of channels", s->channels, 1, BMF_DYNAMIC_CHANNELS));
    BMF_TRY(check_range("a buffer", s->buffer, 1, BMF_DYNAMIC_BUFFER));
    BMF_TRY(check_range("the number of channels from a processor", s->inject_channels, 1, s->channels));
    BMF_TRY(check_range("the number of addresses", s->addresses, 1, BMF_DYNAMIC_ADDRESSES));
    BMF_TRY(check_range("a header", s->header, 0, BMF_DYNAMIC_HEADER));
    BMF_TRY(check_range("the switch's speedup", s->speedup, 1, s->channels));
    BMF_TRY(check_range("the number of misroutes", s->misroutes, 0, UINT16_MAX));
    const int from_none[] = {s->route, s->allocate};
    const int from_one[] = {s->link, s->inject, s->credit, s->inject_credit, s->eject_credit};
    for (size_t k = 0; k < sizeof from_none / sizeof *from_none; k++)
        BMF_TRY(check_range("a delay", from_none[k], 0, BMF_DYNAMIC_DELAY));
    for (size_t k = 0; k < sizeof from_one / sizeof *from_one; k++)
        BMF_TRY(check_range("a delay", from_one[k], 1, BMF_DYNAMIC_DELAY));
    return BMF_OK;
}

static uint64_t first_bits(int count)
{
    return (UINT64_C(1) << count) - 1;
}

/* Which channels of a link are for what, see ecube.c and adaptive.c. */
static void set_classes(bmf_wormhole_mesh *d)
{
    const int channels = d->channels;
    const uint64_t all = first_bits(channels), lower = first_bits(channels / 2), last = UINT64_C(1) << (channels - 1);
    const bool torus = d->mesh.torus;
    if (d->settings.routing == BMF_DYNAMIC_ADAPTIVE) {
        d->class_mask[0] = torus ? last >> 1 : last;
        d->class_mask[1] = last;
        d->adaptive_mask = all & ~d->class_mask[0] & ~last;
    } else {
        d->class_mask[0] = torus ? lower : all;
        d->class_mask[1] = torus ? all & ~lower : all;
    }
}

static void set_numbers(bmf_wormhole_mesh *d)
{
    const bmf_dynamic_settings *s = &d->settings;
    d->channels = s->channels;
    d->ports = (d->mesh.size[2] > 1 ? BMF_MESH_PORTS : BMF_MESH_PORTS - 2) + 1;
    d->inputs = d->ports * s->channels;
    d->outputs = (d->ports - 1) * s->channels + s->addresses;
    d->entries = d->ports * s->speedup;
    for (int k = 0; k < d->inputs; k++) {
        d->input_port[k] = (uint8_t)(k / s->channels);
        d->next_turn[k] = (uint8_t)((k % s->channels + s->speedup) % s->channels);
        d->entry[k] = (uint8_t)(k / s->channels * s->speedup + k % s->channels % s->speedup);
    }
    for (int k = 0; k < d->outputs; k++)
        d->output_port[k] = (uint8_t)(k / s->channels < d->ports - 1 ? k / s->channels : d->ports - 1);
    d->address_mask = first_bits(s->addresses) << ((d->ports - 1) * s->channels);
    set_classes(d);
}

static void set_neighbours(bmf_wormhole_mesh *d)
{
    const int64_t nodes = d->mesh.nodes;
    d->at = allocate(nodes * (int64_t)sizeof *d->at);
    d->beyond = allocate(nodes * d->ports * (int64_t)sizeof *d->beyond);
    for (int64_t node = 0; node < nodes; node++) {
        for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
            d->at[node][k] = (int32_t)mesh_coordinate(&d->mesh, node, k);
        for (int port = 0; port < d->ports; port++)
            d->beyond[node * d->ports + port] =
                port < d->ports - 1 ? (int32_t)mesh_neighbour(&d->mesh, node, port) : -1;
    }
}

static void set_wheel(bmf_wormhole_mesh *d)
{
    const bmf_dynamic_settings *s = &d->settings;
    const int delay[] = {s->link, s->inject, s->credit, s->inject_credit, s->eject_credit};
    d->slots = 2;
    for (size_t k = 0; k < sizeof delay / sizeof *delay; k++)
        while (d->slots <= delay[k])
            d->slots *= 2;
    d->wheel = allocate_clear(d->slots, sizeof *d->wheel);
}

static void allocate_list(awake_list *list, int64_t nodes)
{
    list->node = allocate(nodes * (int64_t)sizeof *list->node);
    list->listed = allocate(nodes);
}

int dynamic_create(const bmf_mesh *mesh, const bmf_dynamic_settings *settings, bmf_wormhole_callback *arrived,
                   bmf_wormhole_callback *sent, void *state, bmf_wormhole_mesh **dynamic)
{
    BMF_TRY(check_settings(mesh, settings));
    bmf_wormhole_mesh *d = allocate_clear(1, sizeof *d);
    const int64_t nodes = mesh->nodes;
    d->mesh = *mesh;
    d->settings = *settings;
    d->arrived = arrived;
    d->sent = sent;
    d->told_state = state;
    set_numbers(d);
    set_neighbours(d);
    set_wheel(d);
    d->node = allocate(nodes * (int64_t)sizeof *d->node);
    d->input = allocate(nodes * d->inputs * (int64_t)sizeof *d->input);
    d->header = allocate(nodes * d->inputs * (int64_t)sizeof *d->header);
    d->crossed = allocate(nodes * d->ports * (int64_t)sizeof *d->crossed);
    d->output = allocate(nodes * d->outputs * (int64_t)sizeof *d->output);
    d->flit = allocate(nodes * d->inputs * settings->buffer * (int64_t)sizeof *d->flit);
    d->processor = allocate(nodes * (int64_t)sizeof *d->processor);
    allocate_list(&d->routers, nodes);
    allocate_list(&d->processors, nodes);
    dynamic_clear(d);
    *dynamic = d;
    return BMF_OK;
}

static void clear_node(bmf_wormhole_mesh *d, int64_t node)
{
    node_state *n = &d->node[node];
    *n = (node_state){0};
    for (int k = 0; k < d->outputs; k++) {
        const int port = d->output_port[k];
        d->output[node * d->outputs + k] = (output_channel){.credits = d->settings.buffer, .owner = NO_OWNER};
        if (port == d->ports - 1 || d->beyond[node * d->ports + port] >= 0)
            n->free |= UINT64_C(1) << k;
    }
    d->processor[node] = (processor){.first = NO_MESSAGE, .reads = -1};
    for (int k = 0; k < d->settings.inject_channels; k++)
        d->processor[node].credits[k] = (int16_t)d->settings.buffer;
}

void dynamic_clear(bmf_wormhole_mesh *d)
{
    const int64_t nodes = d->mesh.nodes;
    for (int64_t node = 0; node < nodes; node++)
        clear_node(d, node);
    memset(d->input, 0, (size_t)(nodes * d->inputs) * sizeof *d->input);
    memset(d->header, 0, (size_t)(nodes * d->inputs) * sizeof *d->header);
    memset(d->crossed, 0, (size_t)(nodes * d->ports) * sizeof *d->crossed);
    for (int64_t k = 0; k < d->slots; k++)
        d->wheel[k].events = d->wheel[k].words = 0;
    memset(d->routers.listed, 0, (size_t)nodes);
    memset(d->processors.listed, 0, (size_t)nodes);
    d->routers.count = d->processors.count = 0;
    free(d->message);
    d->message = NULL;
    d->message_capacity = 0;
    d->free_message = NO_MESSAGE;
    d->time = d->flit_hops = d->disordered = d->pending = 0;
}

void dynamic_free(bmf_wormhole_mesh *d)
{
    if (!d)
        return;
    for (int64_t k = 0; k < d->slots; k++) {
        free(d->wheel[k].word);
        free(d->wheel[k].event);
    }
    void *const memory[] = {d->wheel,
                            d->header,
                            d->crossed,
                            d->at,
                            d->beyond,
                            d->node,
                            d->input,
                            d->output,
                            d->flit,
                            d->message,
                            d->routers.node,
                            d->routers.listed,
                            d->processors.node,
                            d->processors.listed,
                            d->processor};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        free(memory[k]);
    free(d);
}
