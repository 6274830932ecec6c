/* Implementations from shared objects. Method: each record gets one of the compiler's own, whose functions translate
 * (implement.c asks for it where plug_in is set). Cost: a look through an operator's instances for each question.
 * Source: document 004, 4.1 (Table 4.1) and 2.9 (-I file:definition). */
#include "predict/cop/plug_in.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/build_tree.h"
#include "predict/cop/implement_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

struct bmf_cop_plug_ins {
    int count;
    void **object;
    bmf_cop_implementation *made;
    const bmf_cop_implementation **list;
};

/* ---- questions ---- */

static int build_tree(const cop_pattern *p, const unsigned char *valid, int64_t start, int64_t max_children,
                      int64_t max_distance, int64_t *parent)
{
    bmf_mesh mesh = {.nodes = 1};
    const bmf_cop_instance instance = {.nodes = p->nodes, .node = p->node};
    if (start < 0 || start >= p->nodes)
        return 0;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        mesh.size[d] = p->size[d];
        mesh.nodes *= p->size[d];
    }
    bool *counts = valid ? allocate_array(p->nodes, (int64_t)sizeof *counts) : NULL;
    for (int64_t k = 0; valid && k < p->nodes; k++)
        counts[k] = valid[k] != 0;
    int64_t *made = cop_build_tree(&mesh, &instance, counts, start, max_children, max_distance);
    free(counts);
    if (!made)
        return 0;
    memcpy(parent, made, (size_t)p->nodes * sizeof *parent);
    free(made);
    return 1;
}

cop_pattern cop_plug_in_pattern(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i)
{
    const bmf_cop_instance *instance = &op->instance[i];
    cop_pattern p = {.label = op->label, .words = op->words, .calls = op->calls, .build_tree = build_tree};
    p.nodes = instance->nodes;
    p.node = instance->node;
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++)
        p.size[d] = mesh->size[d];
    for (int k = 0; k < BMF_COP_OPERANDS; k++) {
        const bmf_cop_operand *o = &instance->operand[k];
        p.operand[k] =
            (cop_operand){.is_runtime = o->runtime, .value = o->value, .count = o->count, .values = o->values};
    }
    return p;
}

const char *cop_plug_in_refuses(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op)
{
    const bmf_cop_operand *o = op->instance[0].operand;
    if (o[0].distributed || o[0].dynamic || o[1].distributed || o[1].dynamic)
        return "needs operands that all nodes know";
    if (op->in_parallel && plug_in->load)
        return "cannot share its nodes with parallel operators";
    for (int64_t i = 0; i < op->instances && plug_in->refuse; i++) {
        const cop_pattern pattern = cop_plug_in_pattern(mesh, op, i);
        const char *why = plug_in->refuse(&pattern);
        if (why)
            return why;
    }
    return NULL;
}

typedef struct adding {
    const bmf_cop_instance *instance;
    int64_t number, before;
    bmf_cop_streams *streams;
} adding;

/* Numbers that are none of the subset's are left out, and so is a stream without destinations. */
static int add(const cop_streams *streams, int64_t from, int64_t count, const int64_t *to)
{
    const adding *a = streams->state;
    const int64_t nodes = a->instance->nodes, before = a->streams->count;
    int64_t *node = allocate_array(count + 1, (int64_t)sizeof *node), kept = 0;
    for (int64_t k = 0; k < count; k++)
        if (to[k] >= 0 && to[k] < nodes && to[k] != from)
            node[kept++] = a->instance->node[to[k]];
    if (from >= 0 && from < nodes)
        cop_add_multicast(a->streams, a->number, a->instance->node[from], kept, node, false);
    free(node);
    return a->streams->count > before ? (int)(before - a->before) : COP_NO_STREAM;
}

void cop_plug_in_streams(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t i,
                         bmf_cop_streams *streams)
{
    const cop_pattern pattern = cop_plug_in_pattern(mesh, op, i);
    adding a = {&op->instance[i], i, streams->count, streams};
    const cop_streams list = {add, &a};
    plug_in->streams(&pattern, &list);
}

/* Nothing is known about who waits for whom, so phases end by barriers. */
void cop_plug_in_metric(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op,
                        const bmf_cop_streams *streams, bmf_cop_metric *metric)
{
    cop_usual_metric(mesh, op, streams, metric);
    metric->passes = true;
    for (int64_t i = 0; i < op->instances && plug_in->metric; i++) {
        const cop_pattern pattern = cop_plug_in_pattern(mesh, op, i);
        cop_cost cost = {.messages = metric->messages, .links = metric->links, .most_words = metric->max_bandwidth};
        plug_in->metric(&pattern, &cost);
        metric->messages = cost.messages > metric->messages ? cost.messages : metric->messages;
        metric->links = cost.links > metric->links ? cost.links : metric->links;
        if (cost.most_words > 0 && cost.most_words < metric->max_bandwidth)
            metric->max_bandwidth = cost.most_words;
    }
}

/* ---- opening ---- */

static int find_kind(const char *operation, bmf_cop_kind *kind)
{
    for (int k = 0; k < BMF_COP_KINDS; k++)
        if (operation && strcmp(operation, cop_kind_name((bmf_cop_kind)k)) == 0) {
            *kind = (bmf_cop_kind)k;
            return BMF_OK;
        }
    return BMF_ERROR_FILE;
}

static bool has_name(const bmf_cop_plug_ins *p, const char *name)
{
    for (int k = 0; k < p->count; k++)
        if (strcmp(p->made[k].name, name) == 0)
            return true;
    for (int k = 0; cop_implementations[k]; k++)
        if (strcmp(cop_implementations[k]->name, name) == 0)
            return true;
    return false;
}

static int check_record(const bmf_cop_plug_ins *p, const char *text, const cop_implementation *record,
                        bmf_cop_kind *kind)
{
    if (record->version != COP_IMPLEMENTATION_VERSION)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the record is of version %d; this bmf has version %d", text,
                        record->version, COP_IMPLEMENTATION_VERSION);
    if (!record->name || !record->name[0])
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the record has no name", text);
    if (find_kind(record->operation, kind) != BMF_OK)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: '%s' is no operator", text,
                        record->operation ? record->operation : "");
    if (has_name(p, record->name))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: there is an implementation '%s' already", text, record->name);
    const bool calls = cop_is_functional(*kind);
    if (!record->streams || (calls ? !record->call : !record->write || !record->read))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the record of a %s needs streams%s", text, record->operation,
                        calls ? " and call" : ", write and read");
    return BMF_OK;
}

static int open_one(bmf_cop_plug_ins *p, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: F.so:NAME is wanted, a shared object and its record", text);
    char *path = text_copy(text);
    path[colon - text] = '\0';
    /* without a slash it would be looked for among the system's libraries */
    char *here = allocate((int64_t)strlen(path) + 3);
    sprintf(here, "%s%s", strchr(path, '/') ? "" : "./", path);
    free(path);
    void *object = p->object[p->count] = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    free(here);
    if (!object)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s", dlerror());
    const cop_implementation *record = dlsym(object, colon + 1);
    bmf_cop_kind kind = BMF_COP_STREAM;
    const int status = record ? check_record(p, text, record, &kind)
                              : bmf_fail(NULL, BMF_ERROR_FILE, "%s: there is no record '%s'", text, colon + 1);
    if (status != BMF_OK) {
        dlclose(object);
        return status;
    }
    p->made[p->count] = (bmf_cop_implementation){
        .name = record->name, .kind = kind, .what = record->what ? record->what : "", .plug_in = record};
    p->list[p->count] = &p->made[p->count];
    p->count++;
    return BMF_OK;
}

int cop_open_plug_ins(int count, const char *const *text, bmf_cop_plug_ins **plug_ins)
{
    bmf_cop_plug_ins *p = allocate_clear(1, sizeof *p);
    p->object = allocate_clear(count + 1, (int64_t)sizeof *p->object);
    p->made = allocate_clear(count + 1, sizeof *p->made);
    p->list = allocate_clear(count + 1, (int64_t)sizeof *p->list);
    int status = BMF_OK;
    for (int k = 0; k < count && status == BMF_OK; k++)
        status = open_one(p, text[k]);
    if (status != BMF_OK) {
        cop_close_plug_ins(p);
        return status;
    }
    *plug_ins = p;
    return BMF_OK;
}

void cop_close_plug_ins(bmf_cop_plug_ins *p)
{
    if (!p)
        return;
    for (int k = 0; k < p->count; k++)
        dlclose(p->object[k]);
    free(p->object);
    free(p->made);
    free(p->list);
    free(p);
}

const bmf_cop_implementation *const *cop_plug_in_list(const bmf_cop_plug_ins *p)
{
    return p->list;
}
