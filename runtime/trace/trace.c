/* Runs in memory: names, nodes, events.
 *
 * Method: events are appended to one array that doubles. Names and nodes are found by open-addressing hash tables of
 * their numbers, rebuilt when names or nodes were put into the run by other means. Sorting merges natural runs, so a
 * recording that is nearly in order costs nearly nothing.
 * Cost: run_add one 64-byte store; run_name and run_node one hash; run_sort n log n at worst.
 */
#include "runtime/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/trace/format.h"

enum { FIRST_EVENTS = 1024, FIRST_SLOTS = 64 };

/* A table of numbers, 0 where empty (number 0 exists in every run and is never looked up). */
typedef struct table {
    uint32_t *slot;
    uint32_t slots; /* a power of two, more than twice `count` */
    uint32_t count; /* names or nodes known to the table, including number 0 */
} table;

struct bmf_run_index {
    table names, nodes;
    uint32_t name_capacity, node_capacity;
};

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325U;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3U;
    return h ^ (h >> 32);
}

static uint64_t hash_node(const bmf_trace_node *node)
{
    uint64_t h = ((uint64_t)node->parent << 32 | node->name) + node->kind;
    h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15U;
    return h ^ (h >> 29);
}

static uint64_t hash_number(const bmf_run *run, const table *t, uint32_t number)
{
    return t == &run->index->names ? hash_text(run->name[number]) : hash_node(&run->node[number]);
}

static void enter_number(const bmf_run *run, table *t, uint32_t number)
{
    uint64_t at = hash_number(run, t, number) & (t->slots - 1);
    while (t->slot[at])
        at = (at + 1) & (t->slots - 1);
    t->slot[at] = number;
}

/* Makes the table hold all `count` numbers and have room for one more. */
static bool table_refresh(const bmf_run *run, table *t, uint32_t count)
{
    if (t->slot && t->count == count && count + 1 < t->slots / 2)
        return true;
    uint32_t slots = FIRST_SLOTS;
    while (slots / 4 <= count)
        slots *= 2;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(t->slot);
    *t = (table){slot, slots, count};
    for (uint32_t number = 1; number < count; number++)
        enter_number(run, t, number);
    return true;
}

/* Room for one more element in an array of a run. */
static bool reserve(void **array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t wanted = count < 16 ? 32 : count * 2;
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

static int32_t *block_ranks(int32_t lanes, int32_t ranks)
{
    int32_t *rank = malloc((size_t)(lanes > 0 ? lanes : 1) * sizeof *rank);
    int32_t size = lanes / ranks, larger = lanes % ranks;
    for (int32_t lane = 0; rank && lane < lanes; lane++) {
        int32_t begin_small = larger * (size + 1);
        rank[lane] = lane < begin_small ? lane / (size + 1) : larger + (lane - begin_small) / size;
    }
    return rank;
}

struct bmf_run_index *run_index_create(void)
{
    return calloc(1, sizeof(struct bmf_run_index));
}

bmf_run *run_create(const char *program, const char *machine, int32_t lanes, int32_t ranks, int32_t threads)
{
    bmf_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->lanes = lanes > 0 ? lanes : 1;
    run->ranks = ranks > 0 ? ranks : 1;
    run->threads = threads > 0 ? threads : 1;
    run->program = strdup(program ? program : "");
    run->machine = strdup(machine ? machine : "");
    run->index = run_index_create();
    run->name = calloc(1, sizeof *run->name);
    run->node = calloc(1, sizeof *run->node);
    run->lane_rank = block_ranks(run->lanes, run->ranks);
    if (run->name && (run->name[0] = strdup("")))
        run->names = 1;
    if (!run->program || !run->machine || !run->index || !run->names || !run->node || !run->lane_rank) {
        run_free(run);
        return NULL;
    }
    run->index->name_capacity = run->index->node_capacity = run->nodes = 1;
    run->node[0] = (bmf_trace_node){0, run_name(run, "main"), BMF_EVENT_REGION, BMF_SKELETON_UNKNOWN};
    return run;
}

void run_free(bmf_run *run)
{
    if (!run)
        return;
    for (uint32_t k = 0; k < run->names; k++)
        free(run->name[k]);
    if (run->index) {
        free(run->index->names.slot);
        free(run->index->nodes.slot);
    }
    free(run->index);
    free(run->name);
    free(run->node);
    free(run->lane_rank);
    free(run->event);
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
    free(trace);
}

uint32_t run_name(bmf_run *run, const char *text)
{
    table *t = &run->index->names;
    if (!*text || !table_refresh(run, t, run->names))
        return 0;
    uint64_t at = hash_text(text) & (t->slots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1))
        if (strcmp(run->name[t->slot[at]], text) == 0)
            return t->slot[at];
    char *copy = strdup(text);
    if (!copy || !reserve((void **)&run->name, run->names, &run->index->name_capacity, sizeof *run->name)) {
        free(copy);
        return 0;
    }
    run->name[run->names] = copy;
    t->count++;
    return t->slot[at] = run->names++;
}

static uint32_t enter_node(bmf_run *run, bmf_trace_node node)
{
    table *t = &run->index->nodes;
    if (!table_refresh(run, t, run->nodes))
        return node.parent;
    uint64_t at = hash_node(&node) & (t->slots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        const bmf_trace_node *known = &run->node[t->slot[at]];
        if (known->parent == node.parent && known->name == node.name && known->kind == node.kind)
            return t->slot[at];
    }
    if (!reserve((void **)&run->node, run->nodes, &run->index->node_capacity, sizeof *run->node))
        return node.parent;
    run->node[run->nodes] = node;
    t->count++;
    return t->slot[at] = run->nodes++;
}

uint32_t run_node(bmf_run *run, uint32_t parent, const char *text, bmf_event_kind kind)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), kind, BMF_SKELETON_UNKNOWN});
}

uint32_t run_call(bmf_run *run, uint32_t parent, const char *text, uint32_t skeleton)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), BMF_EVENT_SKELETON, skeleton});
}

uint32_t run_node_like(bmf_run *run, uint32_t parent, const char *text, const bmf_trace_node *like)
{
    return enter_node(run, (bmf_trace_node){parent, run_name(run, text), like->kind, like->skeleton});
}

static bool grow_events(bmf_run *run)
{
    int64_t wanted = run->capacity ? run->capacity * 2 : FIRST_EVENTS;
    bmf_event *grown = realloc(run->event, (size_t)wanted * sizeof *grown);
    if (!grown)
        return false;
    run->event = grown;
    run->capacity = wanted;
    return true;
}

void run_add(bmf_run *run, const bmf_event *event)
{
    if (run->events == run->capacity && !grow_events(run)) {
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
 * calls with the same interval the smaller number is the outer one. What begins where something else does that takes time,
 * and takes none itself, was over before. */
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

static void merge(const bmf_event *from, int64_t begin, int64_t middle, int64_t end, bmf_event *to)
{
    int64_t left = begin, right = middle;
    for (int64_t at = begin; at < end; at++)
        to[at] = right == end || (left < middle && in_order(&from[left], &from[right])) ? from[left++] : from[right++];
}

/* One pass: merges neighbouring sorted stretches pairwise; returns how many stretches it left. */
static int64_t merge_pass(const bmf_event *from, int64_t events, bmf_event *to)
{
    int64_t stretches = 0;
    for (int64_t begin = 0; begin < events; stretches++) {
        int64_t middle = sorted_until(from, begin, events);
        int64_t end = middle < events ? sorted_until(from, middle, events) : events;
        merge(from, begin, middle, end, to);
        begin = end;
    }
    return stretches;
}

int run_sort(bmf_run *run)
{
    if (run->events < 2 || sorted_until(run->event, 0, run->events) == run->events)
        return BMF_OK;
    bmf_event *from = run->event, *to = malloc((size_t)run->events * sizeof *to);
    if (!to)
        return BMF_ERROR_MEMORY;
    int64_t stretches;
    do {
        stretches = merge_pass(from, run->events, to);
        bmf_event *swap = from;
        from = to;
        to = swap;
    } while (stretches > 1);
    if (run->event != from)
        run->capacity = run->events;
    run->event = from;
    free(to);
    return BMF_OK;
}

/* Appends text at *at as far as it fits. */
static void append(char *text, size_t size, size_t *at, const char *piece)
{
    for (; *piece && *at + 1 < size; piece++)
        text[(*at)++] = *piece;
}

char *run_path(const bmf_run *run, uint32_t node, char *text, size_t size)
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

const char *event_kind_name(bmf_event_kind kind)
{
    static const char *const name[BMF_EVENT_KINDS] = {"region",  "skeleton", "kernel", "send",
                                                      "receive", "wait",     "file"};
    return (unsigned)kind < BMF_EVENT_KINDS ? name[kind] : "unknown";
}
