/* The words of COP programs about nodes and meshes. Numbers are those of the subset around them (document 004, 2.3). */
#include <inttypes.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/program_private.h"

typedef const bmf_lisp_value value;
typedef bmf_cop_reader reader;

#define MAX_LENGTH INT64_C(1000000)

void cop_whole_mesh(bmf_cop_reader *r)
{
    const bmf_mesh *mesh = &r->program->settings.mesh;
    int64_t *node = lisp_allocate(r->lisp, mesh->nodes * (int64_t)sizeof *node);
    for (int64_t n = 0; n < mesh->nodes; n++)
        node[n] = n;
    r->subset = (bmf_cop_subset){.nodes = mesh->nodes, .node = node};
    memcpy(r->subset.size, mesh->size, sizeof r->subset.size);
}

/* Nodes in the order of their box have its sizes. */
static void find_sizes(const bmf_mesh *mesh, bmf_cop_subset *subset)
{
    bmf_cop_box box = cop_empty_box();
    int64_t volume = 1;
    for (int64_t k = 0; k < subset->nodes; k++)
        cop_box_add(&box, mesh, subset->node[k]);
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        volume *= subset->size[d] = box.high[d] - box.low[d] + 1;
    bool in_order = volume == subset->nodes;
    for (int64_t k = 1; k < subset->nodes && in_order; k++)
        in_order = subset->node[k] > subset->node[k - 1];
    if (!in_order) {
        subset->size[0] = subset->nodes;
        subset->size[1] = subset->size[2] = 1;
    }
}

int cop_make_subset(bmf_cop_reader *r, int64_t count, const int64_t *number, bmf_cop_subset *subset)
{
    if (count == 0)
        return lisp_fail(r->lisp, "a subset without nodes");
    int64_t *node = lisp_allocate(r->lisp, count * (int64_t)sizeof *node);
    bool *taken = lisp_allocate(r->lisp, r->subset.nodes);
    for (int64_t k = 0; k < count; k++) {
        if (number[k] < 0 || number[k] >= r->subset.nodes)
            return lisp_fail(r->lisp, "node %" PRId64 " is outside the %s of %" PRId64 " nodes", number[k],
                             r->subset.nodes == r->program->settings.mesh.nodes ? "mesh" : "subset", r->subset.nodes);
        if (taken[number[k]])
            return lisp_fail(r->lisp, "node %" PRId64 " is in the subset twice", number[k]);
        taken[number[k]] = true;
        node[k] = r->subset.node[number[k]];
    }
    *subset = (bmf_cop_subset){.nodes = count, .node = node};
    find_sizes(&r->program->settings.mesh, subset);
    return BMF_OK;
}

/* ---- variables ---- */

static int whole(bmf_lisp *lisp, int64_t number, value **out)
{
    *out = lisp_integer(lisp, number);
    return BMF_OK;
}

#define VARIABLE(name, expression)                                                                                     \
    static int name(bmf_lisp *lisp, void *host, value **out)                                                           \
    {                                                                                                                  \
        const reader *r = host;                                                                                        \
        return whole(lisp, expression, out);                                                                           \
    }
VARIABLE(nodes, r->subset.nodes)
VARIABLE(x_size, r->subset.size[0])
VARIABLE(y_size, r->subset.size[1])
VARIABLE(z_size, r->subset.size[2])
VARIABLE(x_mesh, r->program->settings.mesh.size[0])
VARIABLE(y_mesh, r->program->settings.mesh.size[1])
VARIABLE(z_mesh, r->program->settings.mesh.size[2])
VARIABLE(schedule_length, r->program->settings.length)

static int mode(bmf_lisp *lisp, void *host, value **out)
{
    const reader *r = host;
    value *forms;
    const char *name = r->program->settings.dynamic ? "dyn" : "numesh";
    const bmf_lisp_place place = lisp_place(lisp);
    BMF_TRY(lisp_read(lisp, name, (int64_t)strlen(name), 1, &forms));
    lisp_set_place(lisp, place);
    *out = lisp_first(forms);
    return BMF_OK;
}

static int counted(bmf_lisp *lisp, int64_t begin, int64_t count, int64_t step, value **out)
{
    *out = NULL;
    if (count > MAX_LENGTH)
        return lisp_fail(lisp, "a list of more than %" PRId64 " elements", MAX_LENGTH);
    for (int64_t k = count - 1; k >= 0; k--)
        BMF_TRY(lisp_cons(lisp, lisp_integer(lisp, begin + k * step), *out, out));
    return BMF_OK;
}

static int subset_numbers(bmf_lisp *lisp, void *host, value **out)
{
    const reader *r = host;
    return counted(lisp, 0, r->subset.nodes, 1, out);
}

static int rows(bmf_lisp *lisp, void *host, value **out)
{
    (void)lisp;
    return cop_make_1d(host, 0, out);
}

static int cols(bmf_lisp *lisp, void *host, value **out)
{
    (void)lisp;
    return cop_make_1d(host, 1, out);
}

/* ---- functions ---- */

#define BUILTIN(name) static int name(bmf_lisp *lisp, void *host, int64_t count, value *const *argument, value **out)

/* Bounds keep begin + k step inside 64 bits. */
static int take_small(bmf_lisp *lisp, value *v, int64_t *number)
{
    BMF_TRY(lisp_take_integer(lisp, v, "a node or a count", number));
    return *number >= -(INT64_C(1) << 40) && *number <= INT64_C(1) << 40
               ? BMF_OK
               : lisp_fail(lisp, "%" PRId64 " is no node and no count", *number);
}

BUILTIN(all)
{
    int64_t n;
    (void)host, (void)count;
    BMF_TRY(take_small(lisp, argument[0], &n));
    return counted(lisp, 0, n, 1, out);
}

BUILTIN(count_from)
{
    int64_t begin, length;
    (void)host, (void)count;
    BMF_TRY(take_small(lisp, argument[0], &begin));
    BMF_TRY(take_small(lisp, argument[1], &length));
    return counted(lisp, begin, length, 1, out);
}

BUILTIN(step)
{
    int64_t begin, by, end;
    (void)host, (void)count;
    BMF_TRY(take_small(lisp, argument[0], &begin));
    BMF_TRY(take_small(lisp, argument[1], &by));
    BMF_TRY(take_small(lisp, argument[2], &end));
    if (by == 0)
        return lisp_fail(lisp, "a step of 0");
    return counted(lisp, begin, (end - begin) / by + ((end - begin) / by >= 0 && (end - begin) * by >= 0), by, out);
}

BUILTIN(coord)
{
    const reader *r = host;
    int64_t node = 0, stride = 1, at;
    for (int64_t d = 0; d < count; d++) {
        BMF_TRY(take_small(lisp, argument[d], &at));
        if (at < 0 || at >= r->subset.size[d])
            return lisp_fail(lisp, "coordinate %" PRId64 " is outside 0 .. %" PRId64, at, r->subset.size[d] - 1);
        node += at * stride;
        stride *= r->subset.size[d];
    }
    return whole(lisp, node, out);
}

BUILTIN(coords)
{
    const reader *r = host;
    int64_t node, at[BMF_MESH_DIMENSIONS];
    (void)count;
    BMF_TRY(take_small(lisp, argument[0], &node));
    if (node < 0 || node >= r->subset.nodes)
        return lisp_fail(lisp, "node %" PRId64 " is outside the subset of %" PRId64, node, r->subset.nodes);
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        at[d] = node % r->subset.size[d];
        node /= r->subset.size[d];
    }
    return lisp_integers(lisp, BMF_MESH_DIMENSIONS, at, out);
}

int cop_make_1d(bmf_cop_reader *r, int dimension, value **list)
{
    const int64_t *size = r->subset.size;
    int64_t stride = 1, first = 0;
    for (int d = 0; d < dimension; d++)
        stride *= size[d];
    const int64_t sets = r->subset.nodes / size[dimension];
    value **set = lisp_allocate(r->lisp, sets * (int64_t)sizeof(value *));
    for (int64_t k = 0; k < r->subset.nodes; k++)
        if (k / stride % size[dimension] == 0)
            BMF_TRY(counted(r->lisp, k, size[dimension], stride, &set[first++]));
    return lisp_list(r->lisp, sets, set, list);
}

BUILTIN(make_1d)
{
    (void)count;
    static const char names[] = "xyz";
    const char *name = lisp_is(argument[0], BMF_LISP_SYMBOL) ? argument[0]->symbol->name : "";
    const char *found = strlen(name) == 1 ? strchr(names, name[0]) : NULL;
    return found ? cop_make_1d(host, (int)(found - names), out) : lisp_fail(lisp, "make-1d takes 'x, 'y or 'z");
}

BUILTIN(reset_mesh)
{
    reader *r = host;
    int64_t size[BMF_MESH_DIMENSIONS] = {1, 1, 1};
    for (int64_t d = 0; d < count; d++)
        BMF_TRY(take_small(lisp, argument[d], &size[d]));
    if (mesh_make(BMF_MESH_DIMENSIONS, size, false, &r->program->settings.mesh) != BMF_OK)
        return lisp_fail(lisp, "%s", bmf_error_text(NULL));
    cop_whole_mesh(r);
    *out = NULL;
    return BMF_OK;
}

void cop_define_geometry(bmf_lisp *lisp)
{
    static const struct {
        const char *name;
        int (*compute)(bmf_lisp *, void *, value **);
    } variable[] = {
        {"*nodes*", nodes},  {"*xsize*", x_size},          {"*ysize*", y_size}, {"*zsize*", z_size},
        {"*xphys*", x_mesh}, {"*yphys*", y_mesh},          {"*zphys*", z_mesh}, {"*schedlen*", schedule_length},
        {"*mode*", mode},    {"*subset*", subset_numbers}, {"rows", rows},      {"cols", cols}};
    for (size_t k = 0; k < sizeof variable / sizeof *variable; k++)
        lisp_symbol(lisp, variable[k].name)->compute = variable[k].compute;
    lisp_define_builtin(lisp, "all", 1, 1, all);
    lisp_define_builtin(lisp, "iota", 1, 1, all);
    lisp_define_builtin(lisp, "count", 2, 2, count_from);
    lisp_define_builtin(lisp, "step", 3, 3, step);
    lisp_define_builtin(lisp, "coord", 1, BMF_MESH_DIMENSIONS, coord);
    lisp_define_builtin(lisp, "coords", 1, 1, coords);
    lisp_define_builtin(lisp, "make-1d", 1, 1, make_1d);
    lisp_define_builtin(lisp, "reset-mesh-size", 1, BMF_MESH_DIMENSIONS, reset_mesh);
}
