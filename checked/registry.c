/* Handles by address; see the header. */
#include "checked/registry.h"

#include <stdlib.h>

#include "checked/call.h"
#include "runtime/base/array.h"
#include "runtime/base/handle.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

enum { MOST_KEPT = 1 << 16 };

static struct {
    pthread_mutex_t lock;
    bmf_table table; /* of addresses, numbers in handle */
    bmf_handle *handle;
    int64_t handles, capacity;
    void *kept[MOST_KEPT]; /* freed handles, a ring */
    int64_t freed;
    bmf_checked_context **context;
    int64_t contexts, context_capacity;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_address(const void *wanted, uint32_t number)
{
    return registry.handle[number].address == wanted;
}

/* The lock is held. */
static bmf_handle *find(const void *address)
{
    const int64_t number = table_find(&registry.table, hash_word((uint64_t)(uintptr_t)address), has_address, address);
    return number < 0 ? NULL : &registry.handle[number];
}

static bmf_handle *find_or_add(const void *address)
{
    bmf_handle *found = find(address);
    if (found)
        return found;
    table_make_room(&registry.table, registry.handles + 1);
    table_add(&registry.table, hash_word((uint64_t)(uintptr_t)address), (uint32_t)registry.handles);
    found = ARRAY_APPEND(registry.handle, registry.handles, registry.capacity);
    *found = (bmf_handle){.address = address};
    return found;
}

/* Frees the memory of the handle that was freed longest ago. */
static void keep(void *memory)
{
    void **oldest = &registry.kept[registry.freed++ % MOST_KEPT];
    free(*oldest);
    *oldest = memory;
}

static void free_or_keep(void *memory)
{
    pthread_mutex_lock(&registry.lock);
    bmf_handle *handle = find(memory);
    if (handle && handle->alive) {
        handle->alive = false;
        handle->freed_by = call_current() ? call_current()->function : "bmf";
        keep(memory);
    } else {
        free(memory);
    }
    pthread_mutex_unlock(&registry.lock);
}

void registry_start(void)
{
    handle_free = free_or_keep;
}

/* ---- handles ---- */

static int64_t next_number(bmf_handle_kind kind, bmf_checked_context *in)
{
    if (!in || (kind != BMF_HANDLE_LIST && kind != BMF_HANDLE_PLAN))
        return 0;
    return ++*(kind == BMF_HANDLE_LIST ? &in->lists : &in->plans);
}

void registry_add(bmf_handle_kind kind, const void *address, int64_t context, const char *made_by)
{
    pthread_mutex_lock(&registry.lock);
    bmf_handle *handle = find_or_add(address);
    bmf_checked_context *in = context < 0 ? NULL : registry.context[context];
    if (!handle->alive)
        *handle = (bmf_handle){.address = address,
                               .kind = kind,
                               .alive = true,
                               .number = next_number(kind, in),
                               .context = context,
                               .processors = in ? in->ctx->processors : 0,
                               .made_by = made_by};
    pthread_mutex_unlock(&registry.lock);
}

bool registry_find(const void *address, bmf_handle *found)
{
    pthread_mutex_lock(&registry.lock);
    const bmf_handle *handle = find(address);
    if (handle)
        *found = *handle;
    pthread_mutex_unlock(&registry.lock);
    return handle;
}

int64_t registry_left(int64_t context, bmf_handle *left)
{
    int64_t count = 0;
    pthread_mutex_lock(&registry.lock);
    for (int64_t k = registry.handles - 1; k >= 0; k--) {
        const bmf_handle *handle = &registry.handle[k];
        if (!handle->alive || handle->context != context ||
            (handle->kind != BMF_HANDLE_LIST && handle->kind != BMF_HANDLE_PLAN))
            continue;
        *left = *handle;
        count++;
    }
    pthread_mutex_unlock(&registry.lock);
    return count;
}

const char *handle_kind_name(bmf_handle_kind kind)
{
    static const char *const name[] = {"context", "list", "partition", "permutation plan", "trace"};
    return name[kind];
}

/* ---- contexts ---- */

static int64_t oldest_with_same_ranks(const bmf_context *ctx)
{
    for (int64_t k = 0; k < registry.contexts; k++) {
        int compared = MPI_UNEQUAL;
        if (registry.context[k]->open)
            MPI_Comm_compare(registry.context[k]->ctx->comm, ctx->comm, &compared);
        if (compared == MPI_CONGRUENT)
            return registry.context[k]->peers;
    }
    return registry.contexts;
}

void registry_open(bmf_context *ctx, const char *made_by)
{
    bmf_checked_context *opened = allocate(sizeof *opened);
    *opened =
        (bmf_checked_context){.ctx = ctx, .open = true, .thread = pthread_self(), .peers = oldest_with_same_ranks(ctx)};
    pthread_mutex_lock(&registry.lock);
    for (int64_t k = 0; k < registry.contexts; k++)
        opened->number += registry.context[k]->peers == opened->peers;
    opened->number++;
    *ARRAY_APPEND(registry.context, registry.contexts, registry.context_capacity) = opened;
    pthread_mutex_unlock(&registry.lock);
    registry_add(BMF_HANDLE_CONTEXT, ctx, registry.contexts - 1, made_by);
}

bmf_checked_context *registry_context(int64_t number)
{
    pthread_mutex_lock(&registry.lock);
    bmf_checked_context *context = registry.context[number];
    pthread_mutex_unlock(&registry.lock);
    return context;
}

const bmf_checked_context *registry_peer(const bmf_checked_context *context)
{
    for (int64_t k = context->peers; k < registry.contexts; k++)
        if (registry.context[k]->open && registry.context[k]->peers == context->peers)
            return registry.context[k];
    return context;
}

int64_t registry_contexts(void)
{
    return registry.contexts;
}

int64_t registry_only_context(void)
{
    int64_t only = -1;
    for (int64_t k = 0; k < registry.contexts; k++) {
        if (registry.context[k]->open && only >= 0)
            return -1;
        if (registry.context[k]->open)
            only = k;
    }
    return only;
}
