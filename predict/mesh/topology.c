/* Meshes and tori: numbering and neighbours by arithmetic. Cost: O(1) a question. Source: document 004, 1.1 and 2.5. */
#include "predict/mesh/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bmf/status.h"

int mesh_make(int sizes, const int64_t *size, bool torus, bmf_mesh *mesh)
{
    *mesh = (bmf_mesh){.size = {1, 1, 1}, .torus = torus, .nodes = 1};
    if (sizes < 1 || sizes > BMF_MESH_DIMENSIONS)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a mesh has 1 to %d sizes, not %d", BMF_MESH_DIMENSIONS, sizes);
    for (int k = 0; k < sizes; k++) {
        if (size[k] < 1 || size[k] > BMF_MESH_MAX_NODES / mesh->nodes)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a mesh has 1 to %d nodes; size %d is %" PRId64,
                            BMF_MESH_MAX_NODES, k + 1, size[k]);
        mesh->size[k] = size[k];
        mesh->nodes *= size[k];
    }
    return BMF_OK;
}

int mesh_parse(const char *text, bool torus, bmf_mesh *mesh)
{
    int64_t size[BMF_MESH_DIMENSIONS];
    int sizes = 0;
    for (const char *at = text; sizes < BMF_MESH_DIMENSIONS;) {
        char *end;
        errno = 0;
        size[sizes] = strtoll(at, &end, 10);
        if (end == at || errno != 0 || *at < '0' || *at > '9')
            break;
        sizes++;
        if (*end == '\0')
            return mesh_make(sizes, size, torus, mesh);
        if (*end != 'x')
            break;
        at = end + 1;
    }
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "'%s' is no size of a mesh, such as 8x8 or 4x4x4", text);
}

void mesh_for(int64_t nodes, bmf_mesh *mesh)
{
    int64_t height = 1;
    while ((height + 1) * (height + 1) <= nodes)
        height++;
    int64_t divisor = height;
    while (nodes % divisor != 0)
        divisor--;
    if (divisor > 1 || nodes < 4)
        height = divisor;
    const int64_t width = (nodes + height - 1) / height;
    *mesh = (bmf_mesh){.size = {width, height, 1}, .torus = false, .nodes = width * height};
}

const char *mesh_text(const bmf_mesh *mesh, char text[BMF_MESH_TEXT])
{
    int length = snprintf(text, BMF_MESH_TEXT, "%" PRId64 "x%" PRId64, mesh->size[0], mesh->size[1]);
    if (mesh->size[2] > 1)
        snprintf(text + length, (size_t)(BMF_MESH_TEXT - length), "x%" PRId64, mesh->size[2]);
    return text;
}

int64_t mesh_neighbour(const bmf_mesh *mesh, int64_t node, int port)
{
    const int dimension = port / 2;
    int64_t stride = 1;
    for (int k = 0; k < dimension; k++)
        stride *= mesh->size[k];
    const int64_t size = mesh->size[dimension], at = node / stride % size;
    if (size == 1)
        return -1;
    if (port % 2 == 1)
        return at + 1 < size ? node + stride : mesh->torus ? node - (size - 1) * stride : -1;
    return at > 0 ? node - stride : mesh->torus ? node + (size - 1) * stride : -1;
}

int64_t mesh_distance(const bmf_mesh *mesh, int64_t from, int64_t to)
{
    int64_t links = 0;
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++) {
        const int64_t apart = llabs(mesh_coordinate(mesh, from, k) - mesh_coordinate(mesh, to, k));
        links += mesh->torus && mesh->size[k] - apart < apart ? mesh->size[k] - apart : apart;
    }
    return links;
}

const char *mesh_port_name(int port)
{
    static const char *const name[BMF_MESH_PORTS] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    return name[port];
}
