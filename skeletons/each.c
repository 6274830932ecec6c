/* map, reduce and scan of every inner list of a list of lists.
 *
 * Method: the flattened children are one long list. map_each maps that. reduce_each and scan_each run the fixed tree
 * inside every inner list, with element numbers counted from its own start, so that a result does not depend on where
 * the inner list lies. No messages between processors; hosts tell each other how many children each part has. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "bmf/skeletons.h"
#include "skeletons/engine/tree.h"

const bmf_skeleton_type skeleton_reduce_each = {
    .id = 6, .name = "reduce_each", .communication = BMF_COMMUNICATION_REDUCE};
const bmf_skeleton_type skeleton_scan_each = {.id = 9, .name = "scan_each", .communication = BMF_COMMUNICATION_SCAN};

static int check_nested(const char *skeleton, const bmf_list *xss)
{
    char text[128];
    if (xss->type->kind == BMF_LIST && bmf_type_is_fixed(xss->type->component[0]))
        return BMF_OK;
    return bmf_fail(xss->context, BMF_ERROR_TYPE,
                    "%s takes a list of lists of elements without lists, found a list of %s", skeleton,
                    bmf_type_print(xss->type, text, sizeof text));
}

/* The inner lists of xss with other children, which are taken over. */
static int nest_children(const bmf_list *xss, bmf_list *children, bmf_list **out)
{
    bmf_column column;
    int status = column_share(&xss->column, &column);
    if (status == BMF_OK) {
        bmf_column old = column.child[0];
        column.type = bmf_type_list(children->type);
        column.child[0] = children->column;
        children->column = old;
        list_adopt(xss->context, xss->partition, &column, out);
    }
    bmf_list_free(children);
    return status;
}

int bmf_map_each(const bmf_list *xss, const bmf_kernel *kernel, bmf_list **out)
{
    bmf_list *flat = NULL, *mapped = NULL;
    BMF_TRY(check_nested("map_each", xss));
    BMF_TRY(bmf_flatten(xss, &flat));
    int status = bmf_map(flat, kernel, &mapped);
    bmf_list_free(flat);
    return status == BMF_OK ? nest_children(xss, mapped, out) : status;
}

/* ---- reduce and scan ---- */

typedef struct each_state {
    const bmf_tree *tree;
    const bmf_source *source; /* the children */
    const int64_t *offsets;   /* of the local inner lists */
    int64_t first;            /* global number of the first local inner list */
    bmf_scan_kind kind;
    bmf_slice out[BMF_MAX_LEAVES]; /* reduce: one element an inner list; scan: one a child */
    bmf_forest *forest;            /* by worker */
    char **record;                 /* by worker: two records */
    bool scans;                    /* otherwise it reduces */
} each_state;

static void restart(bmf_forest *forest)
{
    forest->begin = forest->end = 0;
    forest->nodes = 0;
    forest->records = 0;
}

/* An inner list, whose elements count from its own start. */
typedef struct inner_source {
    bmf_block_source blocks;
    const bmf_source *children;
    int64_t first; /* global number of its first child */
} inner_source;

static int inner_block(const bmf_block_source *blocks, int worker, int64_t begin, int64_t count, bmf_slice *block)
{
    const inner_source *inner = (const inner_source *)blocks;
    return source_block(inner->children, worker, inner->first + begin, count, block);
}

/* The fold of one inner list of n > 0 children from global child number `first` on. */
static int fold_inner(const each_state *s, int worker, int64_t first, int64_t n, char *total)
{
    bmf_forest *forest = &s->forest[worker];
    inner_source inner = {.blocks = s->source->blocks, .children = s->source, .first = first};
    inner.blocks.block = inner_block;
    restart(forest);
    int code = forest_fold(s->tree, forest, &inner.blocks, worker, 0, n);
    return code != 0 ? code : forest_total(s->tree, forest, total);
}

static int reduce_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const each_state *s = state;
    const bmf_tree *tree = s->tree;
    char *total = s->record[worker] + tree->record;
    (void)index;
    for (int64_t j = piece->begin - s->first; j < piece->end - s->first; j++) {
        int64_t n = s->offsets[j + 1] - s->offsets[j];
        const char *result = n > 0 ? total : tree->op->identity;
        bmf_slice x[2 * BMF_MAX_LEAVES];
        int code = 0;
        source_inputs(s->source, s->source->origin + s->offsets[j], x);
        if (n > 0 && tree->reassociate && x[0].stride == tree->leaf_size[0])
            tree->op->reassociate(tree->op->context, n, x[0].data, total);
        else if (n > 0)
            code = fold_inner(s, worker, s->source->origin + s->offsets[j], n, total);
        if (code != 0)
            return code;
        tree_put(tree, result, s->out, j);
    }
    return 0;
}

static int scan_inner(const each_state *s, int worker, int64_t first, int64_t n)
{
    const bmf_tree *tree = s->tree;
    bmf_forest *forest = &s->forest[worker];
    restart(forest);
    for (int64_t i = 0, count; i < n; i += count) {
        bmf_slice x[BMF_MAX_LEAVES], out[BMF_MAX_LEAVES];
        count = tree_block(i, n);
        int code = source_block(s->source, worker, s->source->origin + first + i, count, x);
        for (int k = 0; k < tree->leaves; k++)
            out[k] = (bmf_slice){(char *)s->out[k].data + (first + i) * s->out[k].stride, s->out[k].stride};
        if (code == 0)
            code = forest_scan(tree, forest, worker, count, x, s->kind == BMF_INCLUSIVE, s->record[worker], out);
        if (code != 0)
            return code;
    }
    if (n > 0 && s->kind == BMF_EXCLUSIVE)
        tree_put(tree, tree->op->identity, s->out, first);
    return 0;
}

static int scan_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const each_state *s = state;
    (void)index;
    for (int64_t j = piece->begin - s->first; j < piece->end - s->first; j++) {
        int code = scan_inner(s, worker, s->offsets[j], s->offsets[j + 1] - s->offsets[j]);
        if (code != 0)
            return code;
    }
    return 0;
}

/* Elements of inner lists, and these lists. */
static void count_inner(const void *counted, int64_t index, const bmf_piece *piece, bmf_kernel_work *work)
{
    const each_state *s = counted;
    bmf_kernel_work each = source_work(s->source, s->scans);
    (void)index;
    each.inner = 1;
    kernel_work_add(work, &each, s->offsets[piece->end - s->first] - s->offsets[piece->begin - s->first]);
    work->lists += piece->end - piece->begin;
}

/* Runs one of the two over all local inner lists; `made` is where results go. */
static int run_each(const bmf_list *xss, const bmf_tree *tree, const bmf_source *children, bmf_scan_kind kind,
                    int (*run)(void *, int64_t, const bmf_piece *, int), const bmf_list *made)
{
    bmf_context *ctx = xss->context;
    bmf_piece *piece;
    int64_t pieces;
    pieces_create(ctx, xss->partition, 1, &piece, &pieces);
    each_state state = {.tree = tree,
                        .source = children,
                        .offsets = xss->column.offsets,
                        .first = bmf_partition_local_begin(xss->partition),
                        .kind = kind,
                        .scans = run == scan_piece};
    column_slices(&made->column, 0, state.out);
    state.forest = allocate_clear(ctx->threads, (int64_t)sizeof *state.forest);
    state.record = allocate(ctx->threads * (int64_t)sizeof *state.record);
    for (int w = 0; w < ctx->threads; w++)
        state.record[w] = allocate(2 * tree->record);
    int status = backend_compute(ctx, &(bmf_work){.kernel = tree->op->name,
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .run = run,
                                                  .state = &state,
                                                  .each = {.operations = 1},
                                                  .count = count_inner,
                                                  .counted = &state});
    for (int w = 0; w < ctx->threads; w++) {
        forest_free(&state.forest[w]);
        free(state.record[w]);
    }
    free(state.forest);
    free(state.record);
    free(piece);
    return agree_if(ctx, tree->op->may_fail, status);
}

/* Without an identity no inner list may be empty. */
static int check_empty(const bmf_list *xss, const bmf_operator *op)
{
    const int64_t *offsets = xss->column.offsets;
    int status = BMF_OK;
    if (op->identity)
        return BMF_OK;
    for (int64_t j = 0; j < xss->column.count && status == BMF_OK; j++)
        if (offsets[j] == offsets[j + 1])
            status = bmf_fail(xss->context, BMF_ERROR_SHAPE,
                              "reduce_each: inner list %lld is empty and operator %s has no identity",
                              (long long)(bmf_partition_local_begin(xss->partition) + j), op->name);
    return failure_defer(xss->context, status); /* flattening settles */
}

int bmf_reduce_each(const bmf_list *xss, const bmf_operator *op, bmf_list **out)
{
    bmf_context *ctx = xss->context;
    bmf_list *flat = NULL, *made = NULL;
    bmf_source children;
    bmf_tree tree;
    BMF_TRY(check_nested("reduce_each", xss));
    BMF_TRY(tree_open_reduction(&tree, ctx, "reduce_each", op, xss->type->component[0]));
    int status = check_empty(xss, op);
    skeleton_begin(ctx, &skeleton_reduce_each, "reduce_each %s", op->name);
    if (status == BMF_OK)
        status = bmf_flatten(xss, &flat);
    if (status == BMF_OK)
        status = bmf_list_create(ctx, xss->type->component[0], xss->partition, &made);
    if (status == BMF_OK && (status = source_open(&children, "reduce_each", flat, NULL, NULL)) == BMF_OK) {
        status = run_each(xss, &tree, &children, BMF_INCLUSIVE, reduce_piece, made);
        source_close(&children);
    }
    skeleton_end(ctx, xss->partition, status);
    tree_close(&tree);
    bmf_list_free(flat);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}

int bmf_scan_each(const bmf_list *xss, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out)
{
    bmf_context *ctx = xss->context;
    bmf_list *flat = NULL, *made = NULL;
    bmf_source children;
    bmf_tree tree;
    BMF_TRY(check_nested("scan_each", xss));
    if (kind == BMF_EXCLUSIVE && !op->identity)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "scan_each: an exclusive scan needs an operator with an identity; %s has none", op->name);
    BMF_TRY(tree_open(&tree, ctx, "scan_each", op, xss->type->component[0]));
    skeleton_begin(ctx, &skeleton_scan_each, "scan_each %s", op->name);
    int status = bmf_flatten(xss, &flat);
    if (status == BMF_OK)
        status = bmf_list_create(ctx, flat->type, flat->partition, &made);
    if (status == BMF_OK && (status = source_open(&children, "scan_each", flat, NULL, NULL)) == BMF_OK) {
        status = run_each(xss, &tree, &children, kind, scan_piece, made);
        source_close(&children);
    }
    skeleton_end(ctx, xss->partition, status);
    tree_close(&tree);
    bmf_list_free(flat);
    if (status == BMF_OK)
        return nest_children(xss, made, out);
    bmf_list_free(made);
    return status;
}
