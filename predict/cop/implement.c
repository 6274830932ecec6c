/* The table of implementations, and what they share. */
#include "predict/cop/implement.h"

#include <stdlib.h>
#include <string.h>

#include "predict/cop/implement_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

const bmf_cop_implementation *const cop_implementations[] = {&cop_str_stream,         &cop_str_stream_rtdest,
                                                             &cop_str_stream_runtime, &cop_str_stream_dense,
                                                             &cop_str_bcast,          &cop_str_bcast_dense,
                                                             &cop_str_bcast_linear,   &cop_str_shift,
                                                             &cop_str_eoshift,        &cop_str_permute,
                                                             &cop_str_reduce,         &cop_repl_runtime_reduce,
                                                             &cop_repl_allreduce,     &cop_str_prefix,
                                                             &cop_repl_barrier,       &cop_str_barrier,
                                                             &cop_str_spread,         &cop_str_gather,
                                                             &cop_str_collect,        &cop_dyn_stream,
                                                             &cop_dyn_bcast_dense,    &cop_dyn_bcast_tree,
                                                             &cop_dyn_bcast,          &cop_dyn_collect,
                                                             &cop_dyn_spread,         &cop_dyn_gather,
                                                             &cop_dyn_reduce,         &cop_dyn_allreduce,
                                                             &cop_dyn_prefix,         &cop_dyn_barrier,
                                                             &cop_dyn_shift,          &cop_dyn_eoshift,
                                                             &cop_dyn_permute,        NULL};

const bmf_cop_implementation *cop_find_implementation(const char *name)
{
    for (int k = 0; cop_implementations[k]; k++)
        if (strcmp(cop_implementations[k]->name, name) == 0)
            return cop_implementations[k];
    return NULL;
}

void cop_add_multicast(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t count, const int64_t *to,
                       bool reprogrammed)
{
    if (count == 0)
        return;
    bmf_cop_stream made = {.from = from, .reprogrammed = reprogrammed, .instance = instance};
    made.to = allocate(count * (int64_t)sizeof *made.to);
    for (int64_t k = 0; k < count; k++)
        if (to[k] != from)
            made.to[made.destinations++] = to[k];
    if (made.destinations == 0)
        free(made.to);
    else
        *ARRAY_APPEND(streams->stream, streams->count, streams->capacity) = made;
}

void cop_add_stream(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t to)
{
    cop_add_multicast(streams, instance, from, 1, &to, false);
}

void cop_add_joint(bmf_cop_streams *streams, int64_t instance, int64_t from, int64_t to)
{
    cop_add_stream(streams, instance, from, to);
    streams->stream[streams->count - 1].joins = true;
}

void cop_make_streams(const bmf_mesh *mesh, const bmf_cop_implementation *implementation, const bmf_cop_operator *op,
                      bmf_cop_streams *streams)
{
    *streams = (bmf_cop_streams){0};
    for (int64_t i = 0; i < op->instances; i++)
        if (implementation->plug_in)
            cop_plug_in_streams(implementation->plug_in, mesh, op, i, streams);
        else
            implementation->streams(mesh, op, i, streams);
}

const char *cop_refuses(const bmf_cop_implementation *implementation, const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    return implementation->plug_in ? cop_plug_in_refuses(implementation->plug_in, mesh, op)
                                   : implementation->refuse(mesh, op);
}

void cop_measure(const bmf_cop_implementation *implementation, const bmf_mesh *mesh, const bmf_cop_operator *op,
                 const bmf_cop_streams *streams, bmf_cop_metric *metric)
{
    if (implementation->plug_in)
        cop_plug_in_metric(implementation->plug_in, mesh, op, streams, metric);
    else
        implementation->metric(mesh, op, streams, metric);
}

void cop_streams_free(bmf_cop_streams *streams)
{
    for (int64_t k = 0; k < streams->count; k++)
        free(streams->stream[k].to);
    free(streams->stream);
    *streams = (bmf_cop_streams){0};
}

void cop_usual_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                      bmf_cop_metric *metric)
{
    *metric = (bmf_cop_metric){.messages = 1, .stages = 1, .max_bandwidth = 0.5};
    for (int64_t k = 0; k < streams->count; k++)
        for (int64_t d = 0; d < streams->stream[k].destinations; d++) {
            const int64_t links = mesh_distance(mesh, streams->stream[k].from, streams->stream[k].to[d]);
            metric->hop_links = links > metric->hop_links ? links : metric->hop_links;
        }
    metric->links = metric->hop_links;
    metric->passes = metric->hop_links > 1 || !cop_are_lines(mesh, op);
}

bool cop_instance_has(const bmf_cop_instance *instance, int64_t node)
{
    for (int64_t k = 0; k < instance->nodes; k++)
        if (instance->node[k] == node)
            return true;
    return false;
}

bmf_cop_box cop_box_of(const bmf_mesh *mesh, const bmf_cop_instance *instance)
{
    bmf_cop_box box = cop_empty_box();
    for (int64_t k = 0; k < instance->nodes; k++)
        cop_box_add(&box, mesh, instance->node[k]);
    return box;
}

bool cop_box_holds(const bmf_cop_box *box, const bmf_mesh *mesh, int64_t node)
{
    bmf_cop_box at = cop_empty_box();
    cop_box_add(&at, mesh, node);
    return cop_boxes_overlap(box, &at);
}

static bool is_box(const bmf_mesh *mesh, const bmf_cop_instance *instance)
{
    const bmf_cop_box box = cop_box_of(mesh, instance);
    int64_t volume = 1;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        volume *= box.high[d] - box.low[d] + 1;
    return volume == instance->nodes;
}

bool cop_are_boxes(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    for (int64_t i = 0; i < op->instances; i++)
        if (!is_box(mesh, &op->instance[i]))
            return false;
    return true;
}

static bool is_line(const bmf_mesh *mesh, const bmf_cop_instance *instance)
{
    const bmf_cop_box box = cop_box_of(mesh, instance);
    int longer = 0;
    for (int64_t k = 0; k < instance->nodes; k++)
        if (mesh_distance(mesh, instance->node[0], instance->node[k]) != k)
            return false;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        longer += box.high[d] > box.low[d];
    return longer <= 1;
}

bool cop_are_lines(const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    for (int64_t i = 0; i < op->instances; i++)
        if (!is_line(mesh, &op->instance[i]))
            return false;
    return true;
}

int64_t *cop_snake(const bmf_mesh *mesh, const bmf_cop_instance *instance)
{
    int64_t *order = allocate(instance->nodes * (int64_t)sizeof *order), n = 0;
    if (!is_box(mesh, instance)) {
        memcpy(order, instance->node, (size_t)instance->nodes * sizeof *order);
        return order;
    }
    const bmf_cop_box box = cop_box_of(mesh, instance);
    const int64_t width = box.high[0] - box.low[0] + 1, height = box.high[1] - box.low[1] + 1;
    for (int64_t z = box.low[2]; z <= box.high[2]; z++)
        for (int64_t j = 0; j < height; j++)
            for (int64_t i = 0; i < width; i++) {
                const int64_t row = (z - box.low[2]) * height + j;
                const int64_t y = (z - box.low[2]) % 2 == 0 ? box.low[1] + j : box.high[1] - j;
                const int64_t x = row % 2 == 0 ? box.low[0] + i : box.high[0] - i;
                order[n++] = mesh_node(mesh, (const int64_t[BMF_MESH_DIMENSIONS]){x, y, z});
            }
    return order;
}

/* ---- trees ---- */

static void link_range(int64_t begin, int64_t end, int64_t under, int64_t *parent)
{
    if (begin >= end)
        return;
    const int64_t middle = begin + (end - begin) / 2;
    parent[middle] = under;
    link_range(begin, middle, middle, parent);
    link_range(middle + 1, end, middle, parent);
}

void cop_balanced_tree(int64_t nodes, int64_t root, int64_t *parent)
{
    parent[root] = -1;
    link_range(0, root, root, parent);
    link_range(root + 1, nodes, root, parent);
}

bmf_cop_tree_place cop_place_in_tree(int64_t nodes, int64_t root, int64_t own)
{
    int64_t *parent = allocate_array(nodes, (int64_t)sizeof *parent);
    cop_balanced_tree(nodes, root, parent);
    bmf_cop_tree_place p = {.parent = parent[own], .child = {BMF_COP_NOBODY, BMF_COP_NOBODY}, .first = own};
    for (int64_t k = 0; k < nodes; k++)
        if (parent[k] == own)
            p.child[k > own] = k;
    for (int64_t left = p.child[0]; left != BMF_COP_NOBODY;) {
        p.first = left;
        int64_t next = BMF_COP_NOBODY;
        for (int64_t k = 0; k < left; k++)
            if (parent[k] == left)
                next = k;
        left = next;
    }
    free(parent);
    return p;
}

/* ---- dense broadcasts ---- */

/* The highest dimension in which the nodes differ; -1: none. */
static int last_dimension(const bmf_mesh *mesh, int64_t a, int64_t b)
{
    int last = -1;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        if (mesh_coordinate(mesh, a, d) != mesh_coordinate(mesh, b, d))
            last = d;
    return last;
}

bool cop_comes_over(const bmf_mesh *mesh, int64_t source, int64_t by, int64_t to)
{
    const int along = last_dimension(mesh, source, to);
    return along >= 0 && last_dimension(mesh, by, to) == along &&
           mesh_distance(mesh, source, by) + 1 == mesh_distance(mesh, source, to);
}
