/* Runs in memory: names, nodes, events.
 *
 * Method: events are appended to one array that doubles. Names and nodes are found by hash tables of their
 * numbers, which catch up when names or nodes were put into the run by other means. Sorting merges natural runs, so a
 * recording that is nearly in order costs nearly nothing.
 * Cost: run_add one 64-byte store; run_name and run_node one hash; run_sort n log n at worst.
 */
#include "runtime/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/trace/format.h"
#include "runtime/base/allocate.h"
#include "runtime/base/handle.h"
#include "runtime/base/text.h"

enum { FIRST_EVENTS = 1024 };

/* Number 0 exists in every run and is never looked up; all others are in the tables. */
struct bmf_run_index {
    bmf_table names, nodes;
    uint32_t name_capacity, node_capacity;
};

static uint64_t hash_node(const bmf_trace_node *node)
{
    return hash_word(((uint64_t)node->parent << 32 | node->name) + node->kind);
}

/* Make the tables hold all numbers, and have room for one more. */
static bool know_names(bmf_trace_run *run)
{
    bmf_table *known = &run->index->names;
    if (!table_reserve(known, run->names))
        return false;
    for (uint32_t number = (uint32_t)known->count + 1; number < run->names; number++)
        table_add(known, hash_text(run->name[number]), number);
    return true;
}

static bool know_nodes(bmf_trace_run *run)
{
    bmf_table *known = &run->index->nodes;
    if (!table_reserve(known, run->nodes))
        return false;
    for (uint32_t number = (uint32_t)known->count + 1; number < run->nodes; number++)
        table_add(known, hash_node(&run->node[number]), number);
    return true;
}

/* What is looked up in a run. */
typedef struct wanted {
    const bmf_trace_run *run;
    const char *text;
    bmf_trace_node node;
} wanted;

static bool is_name(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    return strcmp(w->run->name[number], w->text) == 0;
}

static bool is_node(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    const bmf_trace_node *known = &w->run->node[number];
    return known->parent == w->node.parent && known->name == w->node.name && known->kind == w->node.kind;
}

static int32_t *block_ranks(int32_t lanes, int32_t ranks)
{
    int32_t *rank = allocate_array(lanes, (int64_t)sizeof *rank);
    int32_t size = lanes / ranks, larger = lanes % ranks;
    for (int32_t lane = 0; lane < lanes; lane++) {
        int32_t begin_small = larger * (size + 1);
        rank[lane] = lane < begin_small ? lane / (size + 1) : larger + (lane - begin_small) / size;
    }
    return rank;
}

struct bmf_run_index *run_index_create(void)
{
    return allocate_clear(1, (int64_t)sizeof(struct bmf_run_index));
}

bmf_trace_run *run_create(const char *program, const char *machine, int32_t lanes, int32_t ranks, int32_t threads)
{
    bmf_trace_run *run = allocate_clear(1, (int64_t)sizeof *run);
    run->lanes = lanes > 0 ? lanes : 1;
    run->ranks = ranks > 0 ? ranks : 1;
    run->threads = threads > 0 ? threads : 1;
    run->program = text_copy(program ? program : "");
    run->machine = text_copy(machine ? machine : "");
    run->index = run_index_create();
    run->name = allocate((int64_t)sizeof *run->name);
    run->name[0] = text_copy("");
    run->names = 1;
    run->node = allocate((int64_t)sizeof *run->node);
    run->lane_rank = block_ranks(run->lanes, run->ranks);
    run->index->name_capacity = run->index->node_capacity = run->nodes = 1;
    run->node[0] = (bmf_trace_node){0, run_name(run, "main"), BMF_EVENT_REGION, BMF_SKELETON_UNKNOWN};
    return run;
}

void run_free(bmf_trace_run *run)
{
    if (!run)
        return;
    for (uint32_t k = 0; k < run->names; k++)
        free(run->name[k]);
    if (run->index) {
        table_free(&run->index->names);
        table_free(&run->index->nodes);
    }
    free(run->index);
    free(run->name);
    free(run->node);
    free(run->lane_rank);
    free(run->event);
    free(run->work);
    free(run->held);
    for (uint32_t k = 0; k < run->facts; k++) {
        free(run->fact[k].key);
        free(run->fact[k].value);
    }
    free(run->fact);
    free(run->group);
    free(run->member);
    free(run->detail);
    free(run->program);
    free(run->machine);
    free(run);
}

void bmf_trace_free(bmf_trace *trace)
{
    if (!trace)
        return;
    for (int k = 0; k < trace->runs; k++)
        run_free(trace->run[k]);
    handle_free(trace);
}

uint32_t run_name(bmf_trace_run *run, const char *text)
{
    if (!*text || !know_names(run))
        return 0;
    const uint64_t hash = hash_text(text);
    const int64_t known = table_find(&run->index->names, hash, is_name, &(wanted){.run = run, .text = text});
    if (known != TABLE_NONE)
        return (uint32_t)known;
    char *copy = strdup(text);
    if (!copy || !ARRAY_TRY_RESERVE(run->name, run->index->name_capacity, run->names + 1)) {
        free(copy);
        return 0;
    }
    run->name[run->names] = copy;
    table_add(&run->index->names, hash, run->names);
    return run->names++;
}

static uint32_t enter_node(bmf_trace_run *run, bmf_trace_node node)
{
    const wanted w = {.run = run, .node = node};
    if (!know_nodes(run))
        return node.parent;
    const uint64_t hash = hash_node(&node);
    const int64_t known = table_find(&run->index->nodes, hash, is_node, &w);
    if (known != TABLE_NONE)
        return (uint32_t)known;
    if (!ARRAY_TRY_RESERVE(run->node, run->index->node_capacity, run->nodes + 1))
        return node.parent;
    run->node[run->nodes] = node;
    table_add(&run->index->nodes, hash, run->nodes);
    return run->nodes++;
}

uint32_t run_node(bmf_trace_run *run, uint32_t parent, const char *text, bmf_event_kind kind)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), kind, BMF_SKELETON_UNKNOWN});
}

uint32_t run_call(bmf_trace_run *run, uint32_t parent, const char *text, uint32_t skeleton)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), BMF_EVENT_SKELETON, skeleton});
}

uint32_t run_node_like(bmf_trace_run *run, uint32_t parent, const char *text, const bmf_trace_node *like)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), like->kind, like->skeleton});
}

void run_add(bmf_trace_run *run, const bmf_event *event)
{
    if (run->events == run->capacity && !ARRAY_TRY_RESERVE(run->event, run->capacity, run->events + FIRST_EVENTS)) {
        run->dropped++;
        return;
    }
    run->event[run->events++] = *event;
}

/* Regions and skeleton calls hold other events. */
static bool is_outer(const bmf_event *event)
{
    return event->kind <= BMF_EVENT_SKELETON;
}

static bool takes_time(const bmf_event *event)
{
    return event->end > event->begin;
}

/* True if b must not stand before a, so that merging with it is stable. Nodes are numbered from the root down, so among
 * calls with the same interval the smaller number is the outer one. What begins where something else does that takes
 * time, and takes none itself, was over before. */
static bool in_order(const bmf_event *a, const bmf_event *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane;
    if (a->begin != b->begin)
        return a->begin < b->begin;
    if (is_outer(a) != is_outer(b))
        return is_outer(a);
    if (!is_outer(a) && takes_time(a) != takes_time(b))
        return takes_time(b);
    if (a->end != b->end)
        return a->end > b->end;
    return !is_outer(a) || a->node <= b->node;
}

static int64_t sorted_until(const bmf_event *event, int64_t from, int64_t events)
{
    int64_t at = from + 1;
    while (at < events && in_order(&event[at - 1], &event[at]))
        at++;
    return at < events ? at : events;
}

/* Events, and their details where they have some. */
typedef struct sorted_events {
    bmf_event *event;
    bmf_trace_detail *detail;
} sorted_events;

static void merge(const sorted_events *from, int64_t begin, int64_t middle, int64_t end, const sorted_events *to)
{
    int64_t left = begin, right = middle;
    for (int64_t at = begin; at < end; at++) {
        const bool first = right == end || (left < middle && in_order(&from->event[left], &from->event[right]));
        const int64_t next = first ? left++ : right++;
        to->event[at] = from->event[next];
        if (from->detail)
            to->detail[at] = from->detail[next];
    }
}

/* One pass: merges neighbouring sorted stretches pairwise; returns how many stretches it left. */
static int64_t merge_pass(const sorted_events *from, int64_t events, const sorted_events *to)
{
    int64_t stretches = 0;
    for (int64_t begin = 0; begin < events; stretches++) {
        int64_t middle = sorted_until(from->event, begin, events);
        int64_t end = middle < events ? sorted_until(from->event, middle, events) : events;
        merge(from, begin, middle, end, to);
        begin = end;
    }
    return stretches;
}

int run_sort(bmf_trace_run *run)
{
    if (run->events < 2 || sorted_until(run->event, 0, run->events) == run->events)
        return BMF_OK;
    const size_t events = (size_t)run->events;
    sorted_events from = {run->event, run->detail}, to = {malloc(events * sizeof *to.event), NULL};
    if (run->detail)
        to.detail = malloc(events * sizeof *to.detail);
    if (!to.event || (run->detail && !to.detail)) {
        free(to.event);
        free(to.detail);
        return BMF_ERROR_MEMORY;
    }
    int64_t stretches;
    do {
        stretches = merge_pass(&from, run->events, &to);
        const sorted_events swap = from;
        from = to;
        to = swap;
    } while (stretches > 1);
    if (run->event != from.event)
        run->capacity = run->events;
    run->event = from.event;
    run->detail = from.detail;
    free(to.event);
    free(to.detail);
    return BMF_OK;
}

const char *run_fact(const bmf_trace_run *run, const char *key)
{
    for (uint32_t k = 0; k < run->facts; k++)
        if (strcmp(run->fact[k].key, key) == 0)
            return run->fact[k].value;
    return NULL;
}

void run_add_fact(bmf_trace_run *run, const char *key, const char *value)
{
    if (run_fact(run, key))
        return;
    run->fact = reallocate_array(run->fact, run->facts, (int64_t)run->facts + 1, (int64_t)sizeof *run->fact);
    run->fact[run->facts++] = (bmf_trace_fact){text_copy(key), text_copy(value)};
}

void run_copy_groups(bmf_trace_run *to, const bmf_trace_run *from)
{
    to->groups = from->groups;
    to->members = from->members;
    to->group = allocate_array(from->groups, (int64_t)sizeof *to->group);
    to->member = allocate_array(from->members, (int64_t)sizeof *to->member);
    memcpy(to->group, from->group, from->groups * sizeof *to->group);
    memcpy(to->member, from->member, (size_t)from->members * sizeof *to->member);
    for (uint32_t k = 0; k < to->groups; k++)
        to->group[k].name = run_name(to, from->name[from->group[k].name]);
    for (uint32_t k = 0; k < from->facts; k++)
        run_add_fact(to, from->fact[k].key, from->fact[k].value);
}

/* Appends text at *at as far as it fits. */
static void append(char *text, size_t size, size_t *at, const char *piece)
{
    for (; *piece && *at + 1 < size; piece++)
        text[(*at)++] = *piece;
}

char *run_path(const bmf_trace_run *run, uint32_t node, char *text, size_t size)
{
    if (size == 0)
        return text;
    /* Parents are numbered below their children, so the ancestors come out innermost first; deeper paths than the stack
     * lose their outermost part. */
    uint32_t ancestor[256];
    int depth = 0;
    for (; node != 0 && depth < 256; node = run->node[node].parent)
        ancestor[depth++] = node;
    size_t at = 0;
    append(text, size, &at, run->name[run->node[node].name]);
    while (depth-- > 0) {
        append(text, size, &at, "/");
        append(text, size, &at, run->name[run->node[ancestor[depth]].name]);
    }
    text[at] = '\0';
    return text;
}

const char *bmf_event_kind_name(bmf_event_kind kind)
{
    static const char *const name[BMF_EVENT_KINDS] = {"region",  "skeleton", "kernel", "send",
                                                      "receive", "wait",     "file",   "collective"};
    return (unsigned)kind < BMF_EVENT_KINDS ? name[kind] : "unknown";
}
