/* Looking at arguments; see the header.
 *
 * Cost: expected constant for each, but for records and permutations, of which all bytes are hashed. */
#include "checked/arguments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checked/call.h"
#include "checked/registry.h"
#include "runtime/base/hash.h"
#include "runtime/data/list.h"

int unchecked_bmf_type_leaves(const bmf_type *type, const bmf_type *leaf[BMF_MAX_LEAVES]);
int64_t unchecked_bmf_type_record(const bmf_type *type, int64_t offset[BMF_MAX_LEAVES]);
char *unchecked_bmf_type_print(const bmf_type *type, char *text, size_t size);
char *unchecked_bmf_partition_print(const bmf_partition *partition, char *text, size_t size);

enum { DEEPEST_TYPE = 64 };

/* ---- handles ---- */

static void check_context_is_left(bmf_checked_call *call, const bmf_argument *argument, int64_t context)
{
    bmf_handle left;
    const int64_t count = registry_left(context, &left);
    if (argument->handle != BMF_HANDLE_CONTEXT || !argument->last_use || count == 0)
        return;
    call_misused(call, "%s has %" PRId64 " list%s or plan%s that %s not freed; the first was made by %s",
                 argument->name, count, count == 1 ? "" : "s", count == 1 ? "" : "s", count == 1 ? "is" : "are",
                 left.made_by);
}

/* What the context, or the list in it, is now. */
static void check_use(bmf_checked_call *call, const bmf_argument *argument, const bmf_handle *handle)
{
    const bmf_checked_context *context = registry_context(handle->context);
    if (call->context < 0)
        call->context = handle->context;
    else if (call->context != handle->context)
        call_misused(call, "%s is of another context than the arguments before it", argument->name);
    if (!context->open) {
        call_misused(call, "%s is of a context that is closed", argument->name);
        return;
    }
    if (handle->kind != BMF_HANDLE_CONTEXT && !argument->last_use && handle->processors != context->ctx->processors)
        call_misused(call,
                     "%s was made for %" PRId64 " processors, the context has %" PRId64 " since bmf_set_processors",
                     argument->name, handle->processors, context->ctx->processors);
    check_context_is_left(call, argument, handle->context);
}

static void check_handle(bmf_checked_call *call, const bmf_argument *argument)
{
    bmf_handle handle;
    if (!argument->pointer) {
        if (!argument->optional)
            call_misused(call, "%s is NULL", argument->name);
    } else if (!registry_find(argument->pointer, &handle)) {
        call_misused(call, "%s is no %s", argument->name, handle_kind_name(argument->handle));
    } else if (handle.kind != argument->handle) {
        call_misused(call, "%s is a %s, not a %s", argument->name, handle_kind_name(handle.kind),
                     handle_kind_name(argument->handle));
    } else if (!handle.alive) {
        call->context = call->context < 0 ? handle.context : call->context;
        call_misused(call, "%s was freed by %s", argument->name, handle.freed_by);
    } else if (handle.context >= 0) {
        check_use(call, argument, &handle);
    }
}

/* ---- types, kernels, operators ---- */

/* What is wrong with a type; NULL: nothing. */
static const char *type_fault(const bmf_type *type, int depth)
{
    static const int64_t size[] = {8, 8, 1, 4, 4, 16}; /* of the scalars, in the order of bmf_type_kind */
    const bool is_inner = type && type->kind >= BMF_TUPLE && type->kind != BMF_NOTHING;
    if (!type)
        return "is NULL";
    if (depth > DEEPEST_TYPE)
        return "has no end";
    if ((int)type->kind < 0 || type->kind > BMF_DISTRIBUTED)
        return "has a kind that there is not";
    if (type->kind < BMF_STRUCT && type->size != size[type->kind])
        return "is a scalar of another size than its kind";
    if (type->kind == BMF_STRUCT && type->size < 1)
        return "is a struct of no bytes";
    if (is_inner && (type->components < 1 || !type->component))
        return "has no components";
    for (int k = 0; is_inner && k < type->components; k++) {
        const char *fault = type_fault(type->component[k], depth + 1);
        if (fault)
            return strcmp(fault, "is NULL") == 0 ? "has a component that is NULL" : fault;
    }
    return NULL;
}

static void check_type(bmf_checked_call *call, const char *name, const char *member, const bmf_type *type)
{
    const char *fault = type_fault(type, 0);
    if (fault)
        call_misused(call, "%s%s %s", name, member, fault);
}

static void check_version(bmf_checked_call *call, const char *name, int version, int newest)
{
    if (version < 0 || version > newest)
        call_misused(call, "%s->version is %d, this bmf knows 0 to %d; make it with the macros of bmf/kernel.h", name,
                     version, newest);
}

static void check_kernel(bmf_checked_call *call, const char *name, const bmf_kernel *kernel)
{
    if (!kernel) {
        call_misused(call, "%s is NULL", name);
        return;
    }
    check_version(call, name, kernel->version, BMF_KERNEL_VERSION);
    if (!kernel->name || !kernel->block)
        call_misused(call, "%s->%s is NULL", name, kernel->name ? "block" : "name");
    if (kernel->inputs < 1 || kernel->inputs > BMF_MAX_INPUTS)
        call_misused(call, "%s->inputs is %d, not from 1 to %d", name, kernel->inputs, BMF_MAX_INPUTS);
    for (int k = 0; !*call->misuse && k < kernel->inputs; k++)
        check_type(call, name, "->input", kernel->input[k]);
    if (!*call->misuse)
        check_type(call, name, "->output", kernel->output);
    if (!*call->misuse && kernel->version > 0 && kernel->stream && kernel->may_fail)
        call_misused(call, "%s->stream is for kernels that cannot fail", name);
}

static void check_operator(bmf_checked_call *call, const char *name, const bmf_operator *op)
{
    if (!op) {
        call_misused(call, "%s is NULL", name);
        return;
    }
    check_version(call, name, op->version, BMF_OPERATOR_VERSION);
    if (!op->name || !op->combine)
        call_misused(call, "%s->%s is NULL", name, op->name ? "combine" : "name");
    check_type(call, name, "->type", op->type);
    if (op->flags & ~(unsigned)(BMF_COMMUTATIVE | BMF_EXACT))
        call_misused(call, "%s->flags has a flag that there is not: %#x", name, op->flags);
    if (*call->misuse || op->version < 1)
        return;
    if (op->scan_rows && !op->fold_rows)
        call_misused(call, "%s->scan_rows needs fold_rows, which is NULL", name);
    if (op->fold_columns && !(op->flags & BMF_COMMUTATIVE))
        call_misused(call, "%s->fold_columns is for operators that commute", name);
}

/* ---- all others ---- */

static void check_range(bmf_checked_call *call, const bmf_argument *argument, int64_t low, int64_t high)
{
    if (argument->number < low || argument->number > high)
        call_misused(call, "%s is %" PRId64 ", not from %" PRId64 " to %" PRId64, argument->name, argument->number, low,
                     high);
}

/* Of the elements, or of the inner lists' elements; -1: there are too many, or lists in lists. */
static int64_t list_leaves(const bmf_list *list)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    return unchecked_bmf_type_leaves(list->type->kind == BMF_LIST ? list->type->component[0] : list->type, leaf);
}

/* The first that is too large. */
static int64_t index_end(bmf_index_kind kind, const void *of)
{
    const bmf_partition *partition = of;
    const bmf_context *ctx = of;
    switch (kind) {
    case BMF_INDEX_LEAF:
        return list_leaves(of);
    case BMF_INDEX_PART:
        return partition->parts;
    case BMF_INDEX_PART_END:
        return partition->parts + 1;
    case BMF_INDEX_ELEMENT:
        return partition->start[partition->parts];
    case BMF_INDEX_PROCESSOR:
        return ctx->processors;
    case BMF_INDEX_RANK_END:
        return ctx->ranks + 1;
    case BMF_INDEX_RUN:
        return ((const bmf_trace *)of)->runs;
    }
    return 0;
}

static void check_index(bmf_checked_call *call, const bmf_argument *argument)
{
    const int64_t end = index_end(argument->index, call->argument[0].pointer);
    if (end < 0)
        call_misused(call, "%s has lists in lists, whose leaves bmf_flatten gives", call->argument[0].name);
    else
        check_range(call, argument, 0, end - 1);
}

static void check_array(bmf_checked_call *call, const bmf_argument *argument)
{
    const bmf_list *list = call->argument[0].pointer;
    if (!argument->pointer && list->partition->start[list->partition->parts] > 0)
        call_misused(call, "%s is NULL", argument->name);
}

static void check_region(bmf_checked_call *call, const bmf_argument *argument)
{
    if (registry_context(call->context)->regions + argument->number < 0)
        call_misused(call, "no region is open");
}

static void check_matrix(bmf_checked_call *call, const char *name, const bmf_bit_matrix *a)
{
    if (!a)
        call_misused(call, "%s is NULL", name);
    else if (a->bits < 0 || a->bits > BMF_MAX_BITS)
        call_misused(call, "%s has %d bits, not from 0 to %d", name, a->bits, BMF_MAX_BITS);
}

static void check_permutation(bmf_checked_call *call, const char *name, const bmf_permutation *p)
{
    if (!p)
        call_misused(call, "%s is NULL", name);
    else if (p->bits < 0 || p->bits > BMF_MAX_BITS || p->matrix.bits != p->bits)
        call_misused(call, "%s has %d bits and a matrix of %d, not both the same from 0 to %d", name, p->bits,
                     p->matrix.bits, BMF_MAX_BITS);
}

static void check_argument(bmf_checked_call *call, const bmf_argument *argument)
{
    switch (argument->kind) {
    case BMF_ARGUMENT_HANDLE:
        check_handle(call, argument);
        break;
    case BMF_ARGUMENT_KERNEL:
        check_kernel(call, argument->name, argument->pointer);
        break;
    case BMF_ARGUMENT_OPERATOR:
        check_operator(call, argument->name, argument->pointer);
        break;
    case BMF_ARGUMENT_TYPE:
        check_type(call, argument->name, "", argument->pointer);
        break;
    case BMF_ARGUMENT_MATRIX:
        check_matrix(call, argument->name, argument->pointer);
        break;
    case BMF_ARGUMENT_PERMUTATION:
        check_permutation(call, argument->name, argument->pointer);
        break;
    case BMF_ARGUMENT_NUMBER:
        check_range(call, argument, argument->low, argument->high);
        break;
    case BMF_ARGUMENT_INDEX:
        check_index(call, argument);
        break;
    case BMF_ARGUMENT_ARRAY:
        check_array(call, argument);
        break;
    case BMF_ARGUMENT_REGION:
        check_region(call, argument);
        break;
    case BMF_ARGUMENT_OUTPUT:
    case BMF_ARGUMENT_TEXT:
    case BMF_ARGUMENT_RECORD:
    case BMF_ARGUMENT_MEMORY:
        if (!argument->pointer && !argument->optional)
            call_misused(call, "%s is NULL", argument->name);
        break;
    }
}

void arguments_check(bmf_checked_call *call)
{
    for (int k = 0; k < call->arguments && !*call->misuse; k++)
        check_argument(call, &call->argument[k]);
    /* A handle that is none does not say where the other ranks are. */
    for (int k = 0; k < call->arguments && call->context < 0; k++) {
        bmf_handle handle;
        if (call->argument[k].kind == BMF_ARGUMENT_HANDLE && registry_find(call->argument[k].pointer, &handle))
            call->context = handle.context;
    }
}

/* ---- in words ---- */

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void print_handle(const bmf_argument *argument, char *text, size_t size)
{
    bmf_handle handle;
    char words[128];
    if (!argument->pointer)
        append(text, size, "NULL");
    else if (!registry_find(argument->pointer, &handle) || !handle.alive || handle.kind != argument->handle)
        append(text, size, "?");
    else if (handle.kind == BMF_HANDLE_PARTITION)
        append(text, size, "%s", unchecked_bmf_partition_print(argument->pointer, words, sizeof words));
    else
        append(text, size, "%s %" PRId64 " by %s", handle_kind_name(handle.kind), handle.number, handle.made_by);
}

/* Of the scalars: a struct may have bytes between its members that nobody wrote. */
static uint64_t hash_record(const bmf_type *type, const void *record)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int64_t offset[BMF_MAX_LEAVES];
    uint64_t hash = HASH_START;
    const int leaves = unchecked_bmf_type_leaves(type, leaf);
    if (leaves > 0)
        unchecked_bmf_type_record(type, offset);
    for (int k = 0; k < leaves; k++)
        if (leaf[k]->kind != BMF_STRUCT)
            hash = hash_bytes(hash, (const char *)record + offset[k], (size_t)leaf[k]->size);
    return hash;
}

static uint64_t hash_permutation(const bmf_permutation *p)
{
    uint64_t hash = hash_add(0, p->complement);
    for (int k = 0; k < p->bits; k++)
        hash = hash_add(hash, p->matrix.column[k]);
    return hash;
}

/* Only of arguments without misuse. False: it may differ between ranks. */
static bool print_argument(const bmf_argument *argument, char *text, size_t size)
{
    char words[128];
    switch (argument->kind) {
    case BMF_ARGUMENT_HANDLE:
        print_handle(argument, text, size);
        return true;
    case BMF_ARGUMENT_KERNEL:
        append(text, size, "%s", ((const bmf_kernel *)argument->pointer)->name);
        return true;
    case BMF_ARGUMENT_OPERATOR:
        append(text, size, "%s", ((const bmf_operator *)argument->pointer)->name);
        return true;
    case BMF_ARGUMENT_TYPE:
        append(text, size, "%s", unchecked_bmf_type_print(argument->pointer, words, sizeof words));
        return true;
    case BMF_ARGUMENT_PERMUTATION:
        append(text, size, "%016" PRIx64, hash_permutation(argument->pointer));
        return true;
    case BMF_ARGUMENT_NUMBER:
        append(text, size, "%" PRId64, argument->number);
        return true;
    case BMF_ARGUMENT_TEXT:
        append(text, size, argument->pointer ? "\"%s\"" : "%sNULL",
               argument->pointer ? (const char *)argument->pointer : "");
        return true;
    case BMF_ARGUMENT_RECORD:
        append(text, size, "%016" PRIx64, hash_record(argument[-1].pointer, argument->pointer));
        return true;
    default:
        return false;
    }
}

void arguments_print(const bmf_checked_call *call, char *text, size_t size)
{
    const char *comma = "";
    snprintf(text, size, "%s(", call->function);
    for (int k = 0; k < call->arguments && !*call->misuse; k++) {
        char words[256] = "";
        const bmf_argument *argument = &call->argument[k];
        const bool is_context = argument->kind == BMF_ARGUMENT_HANDLE && argument->handle == BMF_HANDLE_CONTEXT;
        if (is_context || !print_argument(argument, words, sizeof words))
            continue;
        append(text, size, "%s%s = %s", comma, argument->name, words);
        comma = ", ";
    }
    append(text, size, ")");
}

/* ---- after the call ---- */

void arguments_register(const bmf_checked_call *call)
{
    for (int k = 0; k < call->arguments; k++) {
        const bmf_argument *argument = &call->argument[k];
        if (argument->pointer && argument->handle == BMF_HANDLE_CONTEXT && argument->last_use)
            registry_context(call->context)->open = false;
        if (argument->kind == BMF_ARGUMENT_REGION)
            registry_context(call->context)->regions += argument->number;
        if (argument->kind != BMF_ARGUMENT_OUTPUT)
            continue;
        void *made;
        memcpy(&made, argument->pointer, sizeof made);
        if (argument->handle == BMF_HANDLE_CONTEXT)
            registry_open(made, call->function);
        else
            registry_add(argument->handle, made, call->context, call->function);
    }
}
