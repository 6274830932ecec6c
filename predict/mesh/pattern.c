/* Traffic of the named patterns. Method: every pattern is a function from a sender to its destinations; random traffic
 * is drawn cycle by cycle from splitmix64 (Steele, Lea and Flood 2014), so that a seed says everything. Cost:
 * O(messages), and O(nodes cycles) for random traffic. Source: document 004, 1.2.2, 2.9 and 8.2; the injection process
 * is BookSim's. */
#include "predict/mesh/pattern.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/pattern_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/random.h"
#include "bmf/status.h"

/* ---- building ---- */

bmf_mesh_traffic *mesh_traffic_create(const char *name, const bmf_mesh *mesh)
{
    bmf_mesh_traffic *traffic = allocate_clear(1, sizeof *traffic);
    traffic->name = allocate((int64_t)strlen(name) + 1);
    strcpy(traffic->name, name);
    traffic->nodes = mesh->nodes;
    return traffic;
}

void mesh_traffic_add(bmf_mesh_traffic *traffic, int64_t from, int64_t destinations, const int64_t *to, int64_t words,
                      int64_t cycle, double bandwidth)
{
    int64_t *copy = allocate(destinations * (int64_t)sizeof *copy);
    memcpy(copy, to, (size_t)destinations * sizeof *copy);
    *ARRAY_APPEND(traffic->message, traffic->messages, traffic->capacity) = (bmf_mesh_message){
        .from = from, .destinations = destinations, .to = copy, .words = words, .cycle = cycle, .bandwidth = bandwidth};
}

void mesh_traffic_free(bmf_mesh_traffic *traffic)
{
    if (!traffic)
        return;
    for (int64_t m = 0; m < traffic->messages; m++)
        free((void *)traffic->message[m].to);
    free(traffic->message);
    free(traffic->name);
    free(traffic);
}

static void add_one(bmf_mesh_traffic *traffic, int64_t from, int64_t to, int64_t words)
{
    if (from != to)
        mesh_traffic_add(traffic, from, 1, &to, words, 0, 0);
}

/* ---- patterns; `rest` is what follows the colon, or NULL ---- */

typedef struct request {
    const bmf_mesh *mesh;
    int64_t words;
    const char *rest;
    const bmf_mesh_random *random;
} request;

static int make_bitrev(const request *r, bmf_mesh_traffic *traffic)
{
    const int64_t nodes = r->mesh->nodes;
    if ((nodes & (nodes - 1)) != 0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "bitrev needs a power of two of nodes, not %" PRId64, nodes);
    for (int64_t node = 0; node < nodes; node++) {
        int64_t reversed = 0;
        for (int64_t bit = 1; bit < nodes; bit *= 2)
            reversed = 2 * reversed + (node & bit ? 1 : 0);
        add_one(traffic, node, reversed, r->words);
    }
    return BMF_OK;
}

static int make_transpose(const request *r, bmf_mesh_traffic *traffic)
{
    const int64_t *size = r->mesh->size;
    const int dimensions = size[2] > 1 ? 3 : 2;
    if (size[0] != size[1] || (dimensions == 3 && size[0] != size[2]))
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "transpose needs a mesh with all sizes equal");
    for (int64_t node = 0; node < r->mesh->nodes; node++) {
        int64_t to[BMF_MESH_DIMENSIONS] = {0};
        for (int k = 0; k < dimensions; k++)
            to[k] = mesh_coordinate(r->mesh, node, (k + 1) % dimensions);
        add_one(traffic, node, mesh_node(r->mesh, to), r->words);
    }
    return BMF_OK;
}

/* x, y or z; -1 if it is none. */
static int axis_of(const char *text)
{
    return text[0] >= 'x' && text[0] <= 'z' && text[1] == '\0' ? text[0] - 'x' : -1;
}

static int64_t shifted(const bmf_mesh *mesh, int64_t node, int axis, int64_t by)
{
    int64_t to[BMF_MESH_DIMENSIONS];
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
        to[k] = mesh_coordinate(mesh, node, k);
    const int64_t size = mesh->size[axis];
    to[axis] = ((to[axis] + by) % size + size) % size;
    return mesh_node(mesh, to);
}

static int make_shift(const request *r, bmf_mesh_traffic *traffic)
{
    int64_t by = -1;
    int axis = 1;
    if (r->rest) {
        char *end;
        errno = 0;
        by = strtoll(r->rest, &end, 10);
        if (*end == ',')
            axis = axis_of(end + 1);
        if (end == r->rest || errno != 0 || llabs(by) > BMF_MESH_MAX_NODES || (*end != ',' && *end != '\0') || axis < 0)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "shift:%s: a distance and an axis are wanted, such as shift:-1,y",
                            r->rest);
    }
    for (int64_t node = 0; node < r->mesh->nodes; node++)
        add_one(traffic, node, shifted(r->mesh, node, axis, by), r->words);
    return BMF_OK;
}

static int make_broadcast(const request *r, bmf_mesh_traffic *traffic)
{
    int64_t from = 0;
    if (r->rest) {
        const char *end = mesh_read_node(r->mesh, r->rest, &from);
        if (!end || *end != '\0')
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "broadcast:%s: a node 0 .. %" PRId64 " is wanted", r->rest,
                            r->mesh->nodes - 1);
    }
    int64_t *to = allocate(r->mesh->nodes * (int64_t)sizeof *to), count = 0;
    for (int64_t node = 0; node < r->mesh->nodes; node++)
        if (node != from)
            to[count++] = node;
    if (count > 0)
        mesh_traffic_add(traffic, from, count, to, r->words, 0, 0);
    free(to);
    return BMF_OK;
}

static int make_neighbours(const request *r, bmf_mesh_traffic *traffic)
{
    const int axis = r->rest ? axis_of(r->rest) : 0;
    if (axis < 0)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "neighbours:%s: an axis x, y or z is wanted", r->rest);
    for (int64_t node = 0; node < r->mesh->nodes; node++)
        for (int port = 2 * axis; port < 2 * axis + 2; port++) {
            const int64_t to = mesh_neighbour(r->mesh, node, port);
            if (to >= 0)
                add_one(traffic, node, to, r->words);
        }
    return BMF_OK;
}

static int make_random(const request *r, bmf_mesh_traffic *traffic)
{
    const bmf_mesh_random *random = r->random;
    const int64_t nodes = r->mesh->nodes;
    if (!random || !(random->load > 0 && random->load <= 1) || random->cycles < 1)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "random traffic needs a load above 0 and at most 1, and cycles");
    if (nodes < 2)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "random traffic needs at least 2 nodes");
    const double chance = random->load / (double)r->words;
    uint64_t state = random->seed;
    for (int64_t cycle = 0; cycle < random->cycles; cycle++)
        for (int64_t node = 0; node < nodes; node++) {
            if (random_unit(&state) >= chance)
                continue;
            int64_t to = (int64_t)(random_unit(&state) * (double)(random->itself ? nodes : nodes - 1));
            to += !random->itself && to >= node;
            mesh_traffic_add(traffic, node, 1, &to, r->words, cycle, 0);
        }
    traffic->cycles = random->cycles;
    return BMF_OK;
}

static int make_file(const request *r, bmf_mesh_traffic *traffic)
{
    return mesh_traffic_read(r->rest, r->mesh, traffic);
}

typedef struct pattern {
    const char *name;
    enum { NO_REST, MAY_REST, NEEDS_REST } rest;
    int (*make)(const request *r, bmf_mesh_traffic *traffic);
} pattern;

static const pattern patterns[] = {
    {"bitrev", NO_REST, make_bitrev},          {"transpose", NO_REST, make_transpose},
    {"shift", MAY_REST, make_shift},           {"broadcast", MAY_REST, make_broadcast},
    {"neighbours", MAY_REST, make_neighbours}, {"random", NO_REST, make_random},
    {"file", NEEDS_REST, make_file},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

int mesh_traffic_make(const char *text, const bmf_mesh *mesh, int64_t words, const bmf_mesh_random *random,
                      bmf_mesh_traffic **traffic)
{
    if (words < 1 || words > INT64_C(1) << 40)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a message has 1 to 2^40 words, not %" PRId64, words);
    const size_t length = strcspn(text, ":");
    const request r = {mesh, words, text[length] ? text + length + 1 : NULL, random};
    for (int k = 0; k < PATTERNS; k++) {
        const pattern *p = &patterns[k];
        if (strlen(p->name) != length || strncmp(p->name, text, length) != 0)
            continue;
        if ((p->rest == NO_REST && r.rest) || (p->rest == NEEDS_REST && !r.rest))
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the pattern %s %s", p->name,
                            r.rest ? "takes nothing after a colon" : "needs something after a colon");
        bmf_mesh_traffic *made = mesh_traffic_create(text, mesh);
        const int status = p->make(&r, made);
        if (status != BMF_OK)
            mesh_traffic_free(made);
        else
            *traffic = made;
        return status;
    }
    return bmf_fail(
        NULL, BMF_ERROR_ARGUMENT,
        "there is no pattern '%s'; known: bitrev, transpose, shift, broadcast, neighbours, random, file:PATH", text);
}
