/* Where in the program we are: the stack of regions and skeleton calls that gives events their structural ids. */
#include <stdarg.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/context/place.h"
#include "runtime/context/private.h"

/* How often a node was entered before. */
static uint32_t next_instance(bmf_context *ctx, uint32_t node)
{
    if (node >= ctx->instances_capacity) {
        uint32_t old = ctx->instances_capacity, grown = node + 64;
        ctx->instances =
            reallocate(ctx->instances, (int64_t)(old * sizeof(uint32_t)), (int64_t)(grown * sizeof(uint32_t)));
        for (uint32_t k = old; k < grown; k++)
            ctx->instances[k] = 0;
        ctx->instances_capacity = grown;
    }
    return ctx->instances[node]++;
}

enum { PLACE_TEXT = 1024 };

/* The number of the place of what is being entered, as a name of the run; 0 if it is not known. */
static uint16_t find_place(bmf_context *ctx, bool is_call)
{
    char text[PLACE_TEXT];
    const bmf_position *outer = &ctx->position[ctx->depth];
    const char *place = ctx->place ? ctx->place : place_of_call(text, sizeof text);
    ctx->place = NULL;
    if (place) {
        const uint32_t name = run_name(ctx->run, place);
        return name <= UINT16_MAX ? (uint16_t)name : 0;
    }
    return is_call && ctx->run->node[outer->node].kind == BMF_EVENT_SKELETON ? outer->place : 0;
}

static void enter(bmf_context *ctx, const char *text, const bmf_skeleton_type *skeleton)
{
    const bmf_event_kind kind = skeleton ? BMF_EVENT_SKELETON : BMF_EVENT_REGION;
    /* Deeper nesting than the stack holds is counted but belongs to the deepest node kept. */
    if (ctx->depth + 1 < BMF_NODE_DEPTH) {
        uint32_t outer = ctx->position[ctx->depth].node;
        uint32_t node =
            skeleton ? run_call(ctx->run, outer, text, skeleton->id) : run_node(ctx->run, outer, text, kind);
        const uint16_t place = find_place(ctx, skeleton);
        ctx->position[ctx->depth + 1] = (bmf_position){node, next_instance(ctx, node), place, context_now(ctx)};
    }
    ctx->depth++;
    if (ctx->backend->enter && ctx->depth < BMF_NODE_DEPTH)
        ctx->backend->enter(ctx, kind);
}

/* The call as an event on every lane of this rank. */
static void record(bmf_context *ctx, bmf_event_kind kind, const bmf_partition *partition)
{
    const bmf_position *at = &ctx->position[ctx->depth];
    int64_t end = context_now(ctx), duration = end - at->begin;
    for (int64_t p = ctx->first_processor; p < ctx->first_processor + ctx->local_processors; p++)
        run_add(ctx->run, &(bmf_event){.begin = at->begin,
                                       .end = end,
                                       .amount = partition ? bmf_partition_length_on(partition, p) : 0,
                                       .low = duration,
                                       .high = duration,
                                       .node = at->node,
                                       .instance = at->instance,
                                       .lane = (int32_t)p,
                                       .peer = -1,
                                       .kind = (uint16_t)kind,
                                       .name = at->place});
}

static void leave(bmf_context *ctx, bmf_event_kind kind, const bmf_partition *partition)
{
    if (ctx->depth < BMF_NODE_DEPTH && ctx->backend->leave)
        ctx->backend->leave(ctx, partition);
    else if (ctx->depth < BMF_NODE_DEPTH)
        record(ctx, kind, partition);
    ctx->depth--;
}

void bmf_region_begin(bmf_context *ctx, const char *name)
{
    if (ctx->run)
        enter(ctx, name, NULL);
}

void bmf_region_begin_keyed(bmf_context *ctx, const char *name, int64_t key)
{
    char text[128];
    snprintf(text, sizeof text, "%s[%lld]", name, (long long)key);
    bmf_region_begin(ctx, text);
}

void bmf_region_end(bmf_context *ctx)
{
    if (ctx->run && ctx->depth > 0)
        leave(ctx, BMF_EVENT_REGION, NULL);
}

void skeleton_begin(bmf_context *ctx, const bmf_skeleton_type *skeleton, const char *format, ...)
{
    char text[128];
    va_list arguments;
    if (!ctx->run)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    enter(ctx, text, skeleton);
}

int skeleton_end(bmf_context *ctx, const bmf_partition *partition, int status)
{
    if (ctx->run && ctx->depth > 0)
        leave(ctx, BMF_EVENT_SKELETON, partition);
    return status;
}

const char backend_agreement[] = "agreement", backend_broadcast[] = "broadcast", backend_allgather[] = "allgather",
           backend_barrier[] = "barrier";

bmf_trace_run *recording_pause(bmf_context *ctx)
{
    bmf_trace_run *run = ctx->run;
    ctx->run = NULL;
    return run;
}

void recording_resume(bmf_context *ctx, bmf_trace_run *run)
{
    ctx->run = run;
}
