/* Block sources: one or two lists under an optional kernel; see source.h. */
#include "skeletons/engine/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/copy_nontemporal.h"

/* Bytes to stream out at once, by the number of columns read meanwhile. Measured on EPYC (Zen 4) at 512 bytes to 8
 * KiB: the more streams are read, the sooner they want to go on. */
static int64_t streamed_bytes(int streams)
{
    return streams == 0 ? 8192 : streams == 1 ? 2048 : 512;
}
enum { SMALLEST_BLOCK = 16 };
enum { LINE_BYTES = 64, AHEAD_BYTES = 4096 };
/* Elements that are computed at a time where they go into one fold: few, so that memory is not idle for long. */
enum { COMPUTED_BLOCK = 128 };

static int64_t round_up_to_line(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Leaf sizes of a fixed type; returns the number of leaves or -1. */
static int leaf_sizes(const bmf_type *type, int64_t size[BMF_MAX_LEAVES])
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(type, leaf);
    for (int k = 0; k < leaves; k++)
        size[k] = leaf[k]->size;
    return leaves;
}

static int64_t block_bytes(int leaves, const int64_t *leaf_size)
{
    int64_t bytes = 0;
    for (int k = 0; k < leaves; k++)
        bytes += round_up_to_line(BMF_BLOCK * leaf_size[k]);
    return bytes;
}

static char **make_scratch(int workers, int leaves, const int64_t *leaf_size)
{
    char **scratch = allocate(workers * (int64_t)sizeof *scratch);
    for (int w = 0; w < workers; w++)
        scratch[w] = allocate(block_bytes(leaves, leaf_size));
    return scratch;
}

static void free_scratch(char **scratch, int workers)
{
    for (int w = 0; scratch && w < workers; w++)
        free(scratch[w]);
    free(scratch);
}

static void scratch_slices(char *scratch, int leaves, const int64_t *leaf_size, bmf_slice *slice)
{
    for (int k = 0; k < leaves; k++) {
        slice[k] = (bmf_slice){scratch, leaf_size[k]};
        scratch += round_up_to_line(BMF_BLOCK * leaf_size[k]);
    }
}

/* The leaves the kernel wants must be the leaves the lists have, whatever the tuples around them. */
static int check_types(bmf_context *ctx, const char *skeleton, const bmf_list *xs, const bmf_list *ys,
                       const bmf_kernel *kernel)
{
    const bmf_type *have[2 * BMF_MAX_LEAVES], *want[BMF_MAX_INPUTS * BMF_MAX_LEAVES];
    int haves = bmf_type_leaves(xs->type, have), wants = 0;
    char first[128], second[128] = "";
    if (ys && haves >= 0) {
        int more = bmf_type_leaves(ys->type, have + haves);
        haves = more < 0 ? -1 : haves + more;
    }
    bmf_type_print(xs->type, first, sizeof first);
    if (ys)
        bmf_type_print(ys->type, second, sizeof second);
    if (haves < 0)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s takes elements without lists inside, found %s%s%s", skeleton, first,
                        ys ? " and " : "", second);
    if (!kernel)
        return BMF_OK;
    bool fits = true;
    char wanted[256] = "";
    size_t used = 0;
    for (int i = 0; i < kernel->inputs; i++) {
        int leaves = bmf_type_leaves(kernel->input[i], want + wants);
        char text[128];
        bmf_type_print(kernel->input[i], text, sizeof text);
        if (used < sizeof wanted)
            used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%s", i ? " and " : "", text);
        fits = fits && leaves >= 0;
        wants += leaves > 0 ? leaves : 0;
    }
    fits = fits && wants == haves;
    for (int k = 0; fits && k < wants; k++)
        fits = bmf_type_equal(want[k], have[k]);
    if (!fits)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: kernel %s takes %s, found %s%s%s", skeleton, kernel->name, wanted,
                        first, ys ? " and " : "", second);
    const bmf_type *out[BMF_MAX_LEAVES];
    if (bmf_type_leaves(kernel->output, out) < 0)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: kernel %s gives elements with lists inside", skeleton, kernel->name);
    return BMF_OK;
}

static int check_shapes(bmf_context *ctx, const char *skeleton, const bmf_list *xs, const bmf_list *ys)
{
    char first[256], second[256];
    if (xs->context != ys->context)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s: the lists belong to different contexts", skeleton);
    if (bmf_partition_equal(xs->partition, ys->partition))
        return BMF_OK;
    bmf_partition_print(xs->partition, first, sizeof first);
    bmf_partition_print(ys->partition, second, sizeof second);
    return bmf_fail(ctx, BMF_ERROR_SHAPE, "%s needs lists of equal shape on equal processors, found %s and %s",
                    skeleton, first, second);
}

/* Asks for what stands some lines behind `count` elements, AHEAD_BYTES of all lists together: the machine's own reading
 * ahead stops at pages, and memory has nothing to do while a kernel and a fold compute, unless it knows what comes
 * next. */
static void read_ahead(const bmf_source *source, const bmf_slice *in, int64_t count)
{
    for (int k = 0; k < source->inputs; k++) {
        uintptr_t at = (uintptr_t)in[k].data + AHEAD_BYTES / (uintptr_t)source->inputs;
        const uintptr_t end = at + (uintptr_t)(count * in[k].stride);
        for (; at < end; at += 4 * LINE_BYTES) {
            __builtin_prefetch((const void *)at);
            __builtin_prefetch((const void *)(at + LINE_BYTES));
            __builtin_prefetch((const void *)(at + 2 * LINE_BYTES));
            __builtin_prefetch((const void *)(at + 3 * LINE_BYTES));
        }
    }
}

static int list_block(const bmf_block_source *blocks, int worker, int64_t begin, int64_t count, bmf_slice *block)
{
    const bmf_source *source = (const bmf_source *)blocks;
    bmf_slice in[2 * BMF_MAX_LEAVES];
    if (source->kernel) {
        source_inputs(source, begin, in);
        read_ahead(source, in, count);
    }
    return source_block(source, worker, begin, count, block);
}

/* Short blocks: what is computed and folded meanwhile fits between two requests to memory. With a fused function there
 * is no meanwhile. */
static int fold_list_blocks(const bmf_block_source *blocks, int worker, int64_t begin, int64_t count,
                            const bmf_operator *op, bmf_fold_blocks *fold_blocks, void *values)
{
    const bmf_source *source = (const bmf_source *)blocks;
    const int64_t size = source->leaf_size[0];
    bmf_slice in[2 * BMF_MAX_LEAVES], block[BMF_MAX_LEAVES];
    source_inputs(source, begin, in);
    if (blocks->fused) {
        source->kernel->fused->fold(source->kernel->context, count, in, values);
        return 0;
    }
    scratch_slices(source->scratch[worker], source->leaves, source->leaf_size, block);
    for (int64_t done = 0, here; done < count; done += here) {
        here = count - done < COMPUTED_BLOCK / BMF_COLUMN_BLOCK ? count - done : COMPUTED_BLOCK / BMF_COLUMN_BLOCK;
        read_ahead(source, in, here * BMF_COLUMN_BLOCK);
        int code = source->kernel->block(source->kernel->context, here * BMF_COLUMN_BLOCK, in, block);
        if (code != 0)
            return code;
        fold_blocks(op->context, here, block[0].data, (char *)values + done * BMF_COLUMNS * size);
        for (int k = 0; k < source->inputs; k++)
            in[k].data = (char *)in[k].data + here * BMF_COLUMN_BLOCK * in[k].stride;
    }
    return 0;
}

bmf_kernel_work source_work(const bmf_source *source, bool written)
{
    bmf_kernel_work each = {.operations = source->kernel ? 2 : 1};
    for (int k = 0; k < source->inputs; k++)
        each.read += source->input[k].stride;
    for (int k = 0; k < source->leaves && written; k++)
        each.written += source->leaf_size[k];
    return each;
}

int source_open(bmf_source *source, const char *skeleton, const bmf_list *xs, const bmf_list *ys,
                const bmf_kernel *kernel)
{
    bmf_context *ctx = xs->context;
    if (ys)
        BMF_TRY(check_shapes(ctx, skeleton, xs, ys));
    BMF_TRY(check_types(ctx, skeleton, xs, ys, kernel));
    *source = (bmf_source){.kernel = kernel, .workers = ctx->threads, .may_fail = kernel && kernel->may_fail};
    source->type = bmf_type_intern(kernel ? kernel->output : xs->type);
    source->leaves = leaf_sizes(source->type, source->leaf_size);
    source->origin = bmf_partition_local_begin(xs->partition);
    source->inputs = column_slices(&xs->column, 0, source->input);
    if (ys)
        source->inputs += column_slices(&ys->column, 0, source->input + source->inputs);
    source->blocks = (bmf_block_source){.block = list_block,
                                        .fold_blocks = kernel ? fold_list_blocks : NULL,
                                        .plain = kernel || source->input[0].stride == source->leaf_size[0],
                                        .direct = !kernel,
                                        .computed = COMPUTED_BLOCK};
    if (kernel)
        source->scratch = make_scratch(source->workers, source->leaves, source->leaf_size);
    return BMF_OK;
}

void source_close(bmf_source *source)
{
    free_scratch(source->scratch, source->workers);
}

void source_inputs(const bmf_source *source, int64_t begin, bmf_slice *in)
{
    for (int k = 0; k < source->inputs; k++) {
        const bmf_slice *from = &source->input[k];
        in[k] = (bmf_slice){(char *)from->data + (begin - source->origin) * from->stride, from->stride};
    }
}

bool source_contiguous(const bmf_source *source)
{
    for (int k = 0; k < source->inputs; k++)
        if (source->input[k].stride == 0)
            return false;
    return true;
}

int source_block(const bmf_source *source, int worker, int64_t begin, int64_t count, bmf_slice block[BMF_MAX_LEAVES])
{
    bmf_slice in[2 * BMF_MAX_LEAVES];
    if (!source->kernel) {
        source_inputs(source, begin, block);
        return 0;
    }
    source_inputs(source, begin, in);
    scratch_slices(source->scratch[worker], source->leaves, source->leaf_size, block);
    return source->kernel->block(source->kernel->context, count, in, block);
}

void sink_open_leaves(bmf_sink *sink, int leaves, const int64_t *leaf_size, const bmf_slice *output, int64_t count,
                      bmf_sink_mode mode, int streams, int workers)
{
    int64_t size = 0;
    *sink = (bmf_sink){.leaves = leaves, .block = BMF_BLOCK, .workers = workers};
    for (int k = 0; k < leaves; k++) {
        sink->leaf_size[k] = leaf_size[k];
        sink->output[k] = output[k];
        size += leaf_size[k];
    }
    sink->streaming = mode == BMF_SINK_NEW && count * size >= BMF_STREAMED_BYTES;
    sink->staged = mode == BMF_SINK_STAGED || sink->streaming;
    while (sink->streaming && sink->block > SMALLEST_BLOCK && sink->block * size > streamed_bytes(streams))
        sink->block /= 2;
    if (sink->staged)
        sink->scratch = make_scratch(sink->workers, sink->leaves, sink->leaf_size);
}

void sink_open(bmf_sink *sink, const bmf_list *list, bmf_sink_mode mode, int streams)
{
    int64_t leaf_size[BMF_MAX_LEAVES];
    bmf_slice output[BMF_MAX_LEAVES];
    int leaves = leaf_sizes(list->type, leaf_size);
    column_slices(&list->column, 0, output);
    sink_open_leaves(sink, leaves, leaf_size, output, list->column.count, mode, streams, list->context->threads);
    sink->origin = bmf_partition_local_begin(list->partition);
}

/* Kernels from before there were such functions do not have the member. */
static bool can_stream(const bmf_kernel *kernel)
{
    const bmf_slice in[BMF_MAX_INPUTS] = {{0}}, out = {0};
    return kernel->version >= 1 && kernel->stream && kernel->stream(kernel->context, 0, in, &out);
}

/* Elements of about 2 KiB: measured from 256 bytes to 8 KiB. */
static int64_t direct_block(int64_t size)
{
    const int64_t block = 2048 / size;
    return block > BMF_BLOCK ? BMF_BLOCK : block;
}

void sink_open_kernel(bmf_sink *sink, const bmf_list *list, bmf_sink_mode mode, int streams, const bmf_kernel *kernel,
                      bool contiguous)
{
    sink_open(sink, list, mode, streams);
    sink->direct = sink->streaming && sink->leaves == 1 && contiguous && can_stream(kernel);
    if (sink->direct)
        sink->block = direct_block(sink->leaf_size[0]);
}

int64_t sink_count(const bmf_sink *sink, int64_t begin, int64_t end)
{
    const int64_t count = sink->block - (begin - sink->origin) % sink->block;
    return count < end - begin ? count : end - begin;
}

void sink_close(bmf_sink *sink)
{
    free_scratch(sink->scratch, sink->workers);
}

/* Where leaf k of element `begin` goes in the end. */
static bmf_slice place_of(const bmf_sink *sink, int k, int64_t begin)
{
    const int64_t size = sink->leaf_size[k];
    return (bmf_slice){(char *)sink->output[k].data + (begin - sink->origin) * size, size};
}

void sink_place(const bmf_sink *sink, int64_t begin, bmf_slice place[BMF_MAX_LEAVES])
{
    for (int k = 0; k < sink->leaves; k++)
        place[k] = place_of(sink, k, begin);
}

void sink_block(const bmf_sink *sink, int worker, int64_t begin, bmf_slice block[BMF_MAX_LEAVES])
{
    if (sink->staged) {
        scratch_slices(sink->scratch[worker], sink->leaves, sink->leaf_size, block);
        return;
    }
    sink_place(sink, begin, block);
}

static bool whole_lines(const bmf_slice *out, int64_t count)
{
    return (uintptr_t)out->data % 64 == 0 && count * out->stride % 64 == 0;
}

int sink_run(const bmf_sink *sink, int worker, const bmf_kernel *kernel, const bmf_slice *in, int64_t begin,
             int64_t count)
{
    const bmf_slice place = place_of(sink, 0, begin);
    bmf_slice out[BMF_MAX_LEAVES];
    if (sink->direct && whole_lines(&place, count)) {
        kernel->stream(kernel->context, count, in, &place);
        return 0;
    }
    sink_block(sink, worker, begin, out);
    int code = kernel->block(kernel->context, count, in, out);
    if (code == 0)
        sink_commit(sink, worker, begin, count);
    return code;
}

/* Writes elements of one leaf that stand elsewhere. */
static void write_leaf(const bmf_sink *sink, int leaf, int64_t begin, int64_t count, const void *from)
{
    const int64_t size = sink->leaf_size[leaf];
    char *to = (char *)sink->output[leaf].data + (begin - sink->origin) * size;
    if (sink->streaming)
        copy_nontemporal(to, from, count * size);
    else
        memcpy(to, from, (size_t)(count * size));
}

void sink_commit(const bmf_sink *sink, int worker, int64_t begin, int64_t count)
{
    bmf_slice staged[BMF_MAX_LEAVES];
    if (!sink->staged)
        return;
    scratch_slices(sink->scratch[worker], sink->leaves, sink->leaf_size, staged);
    for (int k = 0; k < sink->leaves; k++)
        write_leaf(sink, k, begin, count, staged[k].data);
}

void sink_store(const bmf_sink *sink, int64_t begin, int64_t count, const void *from)
{
    write_leaf(sink, 0, begin, count, from);
}

int agree_if(bmf_context *ctx, bool may_fail, int status)
{
    if (may_fail)
        return bmf_agree(ctx, status);
    /* An operator that fails though it says it cannot: nobody else looks, but no mark may be left for the next call. */
    return status == BMF_OK ? failure_settle_alone(ctx) : status;
}
