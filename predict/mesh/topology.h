/* Meshes and tori of two or three dimensions: node numbers, ports, neighbours.
 *
 * Node (x, y, z) has the number x + y X + z X Y (document 004, 2.5). Its ports are 0 .. 5: -x, +x, -y, +y, -z, +z; port
 * p leads to the neighbour's port p ^ 1. A mesh has no links over its edges, a torus has. Pure data: a mesh is copied
 * freely.
 */
#ifndef BMF_MESH_TOPOLOGY_H
#define BMF_MESH_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_MESH_DIMENSIONS = 3, BMF_MESH_PORTS = 2 * BMF_MESH_DIMENSIONS, BMF_MESH_MAX_NODES = 1 << 20 };

typedef struct bmf_mesh {
    int64_t size[BMF_MESH_DIMENSIONS]; /* at least 1; size[2] is 1 in two dimensions */
    bool torus;
    int64_t nodes; /* the product of the sizes */
} bmf_mesh;

/* From a text like "8x8", "4x4x4" or "16". BMF_ERROR_ARGUMENT: not such a text, or more than BMF_MESH_MOST_NODES nodes;
 * the message goes to the process-wide slot. */
int mesh_parse(const char *text, bool torus, bmf_mesh *mesh);
/* As mesh_parse, from numbers; `sizes` of them. */
int mesh_make(int sizes, const int64_t *size, bool torus, bmf_mesh *mesh);
/* The most compact mesh (in two dimensions) with exactly or, if that would be a line, at least that many nodes. */
void mesh_for(int64_t nodes, bmf_mesh *mesh);
/* "8x8" or "4x4x4"; returns text. */
enum { BMF_MESH_TEXT = 72 };
const char *mesh_text(const bmf_mesh *mesh, char text[BMF_MESH_TEXT]);

static inline int64_t mesh_coordinate(const bmf_mesh *mesh, int64_t node, int dimension)
{
    for (int k = 0; k < dimension; k++)
        node /= mesh->size[k];
    return node % mesh->size[dimension];
}
static inline int64_t mesh_node(const bmf_mesh *mesh, const int64_t at[BMF_MESH_DIMENSIONS])
{
    return at[0] + mesh->size[0] * (at[1] + mesh->size[1] * at[2]);
}
static inline int mesh_opposite(int port)
{
    return port ^ 1;
}
/* The node behind a port, or -1. In a torus of size 2 both ports of a dimension lead to the same node; of size 1,
 * none. */
int64_t mesh_neighbour(const bmf_mesh *mesh, int64_t node, int port);
/* Links on a shortest path. */
int64_t mesh_distance(const bmf_mesh *mesh, int64_t from, int64_t to);
/* "-x", "+y", .. */
const char *mesh_port_name(int port);

#endif
