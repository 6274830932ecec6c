/* The functions of bmf/skeletons.h, bmf/files.h and bmf/npy.h. */
#include "bmf/files.h"
#include "bmf/npy.h"
#include "bmf/skeletons.h"
#include "checked/checked.h"

/* clang-format off */

/* ---- making lists, and looking at them ---- */

STATUS_FUNCTION(bmf_place,
                (bmf_context *ctx, int64_t processor, const bmf_type *type, int64_t n, const void *data,
                 bmf_list **out),
                (ctx, processor, type, n, data, out),
                BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(processor), TYPE(type), NUMBER(n), NEW_LIST(out))
STATUS_FUNCTION(bmf_spread,
                (bmf_context *ctx, const bmf_type *type, int64_t n, const void *data, bmf_list **out),
                (ctx, type, n, data, out),
                BMF_COLLECTIVE, CONTEXT(ctx), TYPE(type), NUMBER(n), DATA(data, n), NEW_LIST(out))
STATUS_FUNCTION(bmf_iota, (bmf_context *ctx, int64_t n, bmf_list **out), (ctx, n, out),
                BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(n), NEW_LIST(out))
STATUS_FUNCTION(bmf_iota_real, (bmf_context *ctx, int64_t n, bmf_list **out), (ctx, n, out),
                BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(n), NEW_LIST(out))
STATUS_FUNCTION(bmf_tabulate, (bmf_context *ctx, int64_t n, const bmf_kernel *kernel, bmf_list **out),
                (ctx, n, kernel, out),
                BMF_COLLECTIVE, CONTEXT(ctx), NUMBER(n), KERNEL(kernel), NEW_LIST(out))
STATUS_FUNCTION(bmf_index, (const bmf_list *xs, int64_t i, void *value), (xs, i, value),
                BMF_COLLECTIVE, LIST(xs), NUMBER(i), MEMORY(value))
STATUS_FUNCTION(bmf_to_array, (const bmf_list *xs, void *data), (xs, data),
                BMF_COLLECTIVE, LIST(xs), ARRAY(data))

/* ---- moving ---- */

STATUS_FUNCTION(bmf_split, (const bmf_list *xs, int64_t parts, int log2_stride, bmf_list **out),
                (xs, parts, log2_stride, out),
                BMF_COLLECTIVE, LIST(xs), NUMBER(parts), NUMBER(log2_stride), NEW_LIST(out))
STATUS_FUNCTION(bmf_gather, (const bmf_list *xs, bmf_list **out), (xs, out),
                BMF_COLLECTIVE, LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_rebalance, (const bmf_list *xs, bmf_list **out), (xs, out),
                BMF_COLLECTIVE, LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_redistribute, (const bmf_list *xs, const bmf_list *like, bmf_list **out), (xs, like, out),
                BMF_COLLECTIVE, LIST(xs), LIST(like), NEW_LIST(out))
STATUS_FUNCTION(bmf_distl, (const bmf_list *value, const bmf_list *xs, bmf_list **out), (value, xs, out),
                BMF_COLLECTIVE, LIST(value), LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_distl_value,
                (const bmf_type *type, const void *value, const bmf_list *xs, bmf_list **out),
                (type, value, xs, out),
                BMF_COLLECTIVE, TYPE(type), RECORD(value), LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_project, (const bmf_list *xs, const bmf_list *indices, bmf_list **out), (xs, indices, out),
                BMF_COLLECTIVE, LIST(xs), LIST(indices), NEW_LIST(out))
STATUS_FUNCTION(bmf_concatenate, (const bmf_list *xs, const bmf_list *ys, bmf_list **out), (xs, ys, out),
                BMF_COLLECTIVE, LIST(xs), LIST(ys), NEW_LIST(out))

STATUS_FUNCTION(bmf_shift, (const bmf_list *xs, int64_t k, const void *beyond, bmf_list **out), (xs, k, beyond, out),
                BMF_COLLECTIVE, LIST(xs), NUMBER(k), OPTIONAL_RECORD(beyond), NEW_LIST(out))

/* ---- sorting ---- */

STATUS_FUNCTION(bmf_sort, (const bmf_list *xs, bmf_list **out), (xs, out), BMF_COLLECTIVE, LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_argsort, (const bmf_list *xs, bmf_list **out), (xs, out), BMF_COLLECTIVE, LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_sort_by, (const bmf_list *xs, const bmf_kernel *key, bmf_list **out), (xs, key, out),
                BMF_COLLECTIVE, LIST(xs), KERNEL(key), NEW_LIST(out))

STATUS_FUNCTION(bmf_unique, (const bmf_list *xs, bmf_list **out), (xs, out), BMF_COLLECTIVE, LIST(xs), NEW_LIST(out))
STATUS_FUNCTION(bmf_group_by, (const bmf_list *xs, const bmf_kernel *kernel, bmf_list **keys, bmf_list **groups),
                (xs, kernel, keys, groups),
                BMF_COLLECTIVE, LIST(xs), KERNEL(kernel), NEW_LIST(keys), NEW_LIST(groups))

/* ---- elementwise ---- */

STATUS_FUNCTION(bmf_map, (const bmf_list *xs, const bmf_kernel *kernel, bmf_list **out), (xs, kernel, out),
                BMF_COLLECTIVE, LIST(xs), KERNEL(kernel), NEW_LIST(out))
STATUS_FUNCTION(bmf_map_in_place, (bmf_list *xs, const bmf_kernel *kernel), (xs, kernel),
                BMF_COLLECTIVE, LIST(xs), KERNEL(kernel))
STATUS_FUNCTION(bmf_zip, (const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, bmf_list **out),
                (xs, ys, kernel, out),
                BMF_COLLECTIVE, LIST(xs), LIST(ys), KERNEL(kernel), NEW_LIST(out))
STATUS_FUNCTION(bmf_zip_in_place, (bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel), (xs, ys, kernel),
                BMF_COLLECTIVE, LIST(xs), LIST(ys), KERNEL(kernel))
STATUS_FUNCTION(bmf_pair, (const bmf_list *xs, const bmf_list *ys, bmf_list **out), (xs, ys, out),
                BMF_COLLECTIVE, LIST(xs), LIST(ys), NEW_LIST(out))
STATUS_FUNCTION(bmf_component, (const bmf_list *xs, int k, bmf_list **out), (xs, k, out),
                BMF_COLLECTIVE, LIST(xs), NUMBER(k), NEW_LIST(out))
STATUS_FUNCTION(bmf_filter, (const bmf_list *xs, const bmf_kernel *predicate, bmf_list **out), (xs, predicate, out),
                BMF_COLLECTIVE, LIST(xs), KERNEL(predicate), NEW_LIST(out))

/* ---- reduce and scan ---- */

STATUS_FUNCTION(bmf_reduce, (const bmf_list *xs, const bmf_operator *op, void *value), (xs, op, value),
                BMF_COLLECTIVE, LIST(xs), OPERATOR(op), MEMORY(value))
STATUS_FUNCTION(bmf_reduce_many,
                (int count, const bmf_list *const *xs, const bmf_operator *const *op, void *const *value),
                (count, xs, op, value),
                BMF_COLLECTIVE, LIST_AT(xs, count, 0), LIST_AT(xs, count, 1), LIST_AT(xs, count, 2),
                LIST_AT(xs, count, 3), LIST_AT(xs, count, 4), LIST_AT(xs, count, 5), LIST_AT(xs, count, 6),
                LIST_AT(xs, count, 7), OPERATOR_AT(op, count, 0), OPERATOR_AT(op, count, 1),
                OPERATOR_AT(op, count, 2), OPERATOR_AT(op, count, 3), OPERATOR_AT(op, count, 4),
                OPERATOR_AT(op, count, 5), OPERATOR_AT(op, count, 6), OPERATOR_AT(op, count, 7),
                RANGE(count, 1, BMF_MAX_REDUCTIONS), MEMORY(xs), MEMORY(op), MEMORY(value))
STATUS_FUNCTION(bmf_reduce_begin, (const bmf_list *xs, const bmf_operator *op, bmf_reduction **reduction),
                (xs, op, reduction),
                BMF_COLLECTIVE, LIST(xs), OPERATOR(op), MEMORY(reduction))
STATUS_FUNCTION(bmf_reduction_test, (bmf_reduction *reduction, bool *done), (reduction, done),
                BMF_ANY_THREAD, MEMORY(reduction), MEMORY(done))
STATUS_FUNCTION(bmf_reduction_wait, (bmf_reduction *reduction, void *value), (reduction, value),
                BMF_ANY_THREAD, MEMORY(reduction), MEMORY(value))
STATUS_FUNCTION(bmf_reduce_placed, (const bmf_list *xs, const bmf_operator *op, bmf_list **out), (xs, op, out),
                BMF_COLLECTIVE, LIST(xs), OPERATOR(op), NEW_LIST(out))
STATUS_FUNCTION(bmf_reduce_by_key,
                (const bmf_list *keys, const bmf_list *values, int64_t count, const bmf_operator *op, bmf_list **out),
                (keys, values, count, op, out),
                BMF_COLLECTIVE, LIST(keys), LIST(values), NUMBER(count), OPERATOR(op), NEW_LIST(out))
STATUS_FUNCTION(bmf_map_reduce,
                (const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, void *value),
                (xs, kernel, op, value),
                BMF_COLLECTIVE, LIST(xs), KERNEL(kernel), OPERATOR(op), MEMORY(value))
STATUS_FUNCTION(bmf_zip_map_reduce,
                (const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, const bmf_operator *op,
                 void *value),
                (xs, ys, kernel, op, value),
                BMF_COLLECTIVE, LIST(xs), LIST(ys), KERNEL(kernel), OPERATOR(op), MEMORY(value))
STATUS_FUNCTION(bmf_scan, (const bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out),
                (xs, op, kind, out),
                BMF_COLLECTIVE, LIST(xs), OPERATOR(op), RANGE(kind, BMF_INCLUSIVE, BMF_EXCLUSIVE), NEW_LIST(out))
STATUS_FUNCTION(bmf_scan_in_place, (bmf_list *xs, const bmf_operator *op, bmf_scan_kind kind), (xs, op, kind),
                BMF_COLLECTIVE, LIST(xs), OPERATOR(op), RANGE(kind, BMF_INCLUSIVE, BMF_EXCLUSIVE))
STATUS_FUNCTION(bmf_map_scan,
                (const bmf_list *xs, const bmf_kernel *kernel, const bmf_operator *op, bmf_scan_kind kind,
                 bmf_list **out),
                (xs, kernel, op, kind, out),
                BMF_COLLECTIVE, LIST(xs), KERNEL(kernel), OPERATOR(op), RANGE(kind, BMF_INCLUSIVE, BMF_EXCLUSIVE),
                NEW_LIST(out))
STATUS_FUNCTION(bmf_each_part,
                (bmf_context *ctx, const bmf_partition *partition, const char *name, bmf_part_function *run,
                 void *state),
                (ctx, partition, name, run, state),
                BMF_COLLECTIVE, CONTEXT(ctx), PARTITION(partition), TEXT(name), FUNCTION(run))

/* ---- lists of lists ---- */

STATUS_FUNCTION(bmf_flatten, (const bmf_list *xss, bmf_list **out), (xss, out),
                BMF_COLLECTIVE, LIST(xss), NEW_LIST(out))
STATUS_FUNCTION(bmf_lengths, (const bmf_list *xss, bmf_list **out), (xss, out),
                BMF_COLLECTIVE, LIST(xss), NEW_LIST(out))
STATUS_FUNCTION(bmf_nest, (const bmf_list *xs, const bmf_list *lengths, bmf_list **out), (xs, lengths, out),
                BMF_COLLECTIVE, LIST(xs), LIST(lengths), NEW_LIST(out))
STATUS_FUNCTION(bmf_map_each, (const bmf_list *xss, const bmf_kernel *kernel, bmf_list **out), (xss, kernel, out),
                BMF_COLLECTIVE, LIST(xss), KERNEL(kernel), NEW_LIST(out))
STATUS_FUNCTION(bmf_reduce_each, (const bmf_list *xss, const bmf_operator *op, bmf_list **out), (xss, op, out),
                BMF_COLLECTIVE, LIST(xss), OPERATOR(op), NEW_LIST(out))
STATUS_FUNCTION(bmf_scan_each, (const bmf_list *xss, const bmf_operator *op, bmf_scan_kind kind, bmf_list **out),
                (xss, op, kind, out),
                BMF_COLLECTIVE, LIST(xss), OPERATOR(op), RANGE(kind, BMF_INCLUSIVE, BMF_EXCLUSIVE), NEW_LIST(out))

/* ---- files ---- */

STATUS_FUNCTION(bmf_npy_header_read, (bmf_context *ctx, const char *path, bmf_npy_header *header),
                (ctx, path, header),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(path), MEMORY(header))
STATUS_FUNCTION(bmf_npy_read, (bmf_context *ctx, const char *path, bmf_list **list), (ctx, path, list),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(path), NEW_LIST(list))
STATUS_FUNCTION(bmf_npy_read_parts,
                (bmf_context *ctx, const char *path, bmf_partition *partition, bmf_list **list),
                (ctx, path, partition, list),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(path), PARTITION(partition), NEW_LIST(list))
STATUS_FUNCTION(bmf_npy_read_as,
                (bmf_context *ctx, const char *path, const bmf_type *scalar, bmf_partition *partition,
                 bmf_list **list),
                (ctx, path, scalar, partition, list),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(path), TYPE(scalar), OPTIONAL_PARTITION(partition), NEW_LIST(list))
STATUS_FUNCTION(bmf_npy_write, (const bmf_list *list, const char *path), (list, path),
                BMF_COLLECTIVE, LIST(list), TEXT(path))
STATUS_FUNCTION(bmf_file_read,
                (bmf_context *ctx, const char *name, const bmf_type *item, bmf_partition *partition, bmf_list **list),
                (ctx, name, item, partition, list),
                BMF_COLLECTIVE, CONTEXT(ctx), TEXT(name), TYPE(item), OPTIONAL_PARTITION(partition), NEW_LIST(list))
STATUS_FUNCTION(bmf_file_write, (const bmf_list *list, const char *name), (list, name),
                BMF_COLLECTIVE, LIST(list), TEXT(name))
