/* The list of all skeletons, of this module and of those below it, and of their words in the language. A new skeleton
 * describes itself in its file and gets a line in BMF_SKELETON_TYPES, and one in BMF_SKELETON_FORMS or
 * BMF_SKELETON_OPERATIONS if programs in the language can say it. */
#ifndef BMF_SKELETON_TYPES_H
#define BMF_SKELETON_TYPES_H

#include "runtime/trace/skeleton_type.h"

/* X(name): skeleton_NAME. */
#define BMF_SKELETON_TYPES(X)                                                                                          \
    X(split)                                                                                                           \
    X(gather)                                                                                                          \
    X(reduce)                                                                                                          \
    X(map_reduce)                                                                                                      \
    X(zip_map_reduce)                                                                                                  \
    X(reduce_each)                                                                                                     \
    X(reduce_many)                                                                                                     \
    X(reduce_begin)                                                                                                    \
    X(scan)                                                                                                            \
    X(map_scan)                                                                                                        \
    X(scan_each)                                                                                                       \
    X(distl)                                                                                                           \
    X(project)                                                                                                         \
    X(index)                                                                                                           \
    X(to_array)                                                                                                        \
    X(lengths)                                                                                                         \
    X(redistribute)                                                                                                    \
    X(rebalance)                                                                                                       \
    X(concatenate)                                                                                                     \
    X(permute)                                                                                                         \
    X(detect)                                                                                                          \
    X(map)                                                                                                             \
    X(zip)                                                                                                             \
    X(filter)                                                                                                          \
    X(tabulate)                                                                                                        \
    X(flatten)                                                                                                         \
    X(nest)                                                                                                            \
    X(pair)                                                                                                            \
    X(component)                                                                                                       \
    X(stencil)                                                                                                         \
    X(sort)                                                                                                            \
    X(argsort)                                                                                                         \
    X(sort_by)                                                                                                         \
    X(unique)                                                                                                          \
    X(group)                                                                                                           \
    X(reduce_by_key)                                                                                                   \
    X(shift)                                                                                                           \
    X(transpose)                                                                                                       \
    X(each_part)                                                                                                       \
    X(place)                                                                                                           \
    X(spread)                                                                                                          \
    X(stream)                                                                                                          \
    X(read)                                                                                                            \
    X(write)

/* In the language, those that take expressions, as B_Map (f) does: X(KIND, file), a part of the table in
 * language/forms/list.h. */
#define BMF_SKELETON_FORMS(X)                                                                                          \
    X(MAP, map)                                                                                                        \
    X(REDUCE, reduce)                                                                                                  \
    X(SCAN, scan)                                                                                                      \
    X(ZIP, zip)                                                                                                        \
    X(SPLIT, split)                                                                                                    \
    X(BLOCKS, blocks)                                                                                                  \
    X(JOIN, join)                                                                                                      \
    X(FILTER, filter)                                                                                                  \
    X(REDUCE_BY_KEY, reduce_by_key)                                                                                    \
    X(STENCIL, stencil)                                                                                                \
    X(SHIFT, shift)                                                                                                    \
    X(SORT_BY, sort_by)                                                                                                \
    X(GROUP, group)

/* In the language, those that only take lists, as B_Op (B_Length) does: X(OPERATION, file). language/operations/file.c
 * holds the descriptor (language/operations/operation.h), bmf_operation_file. */
#define BMF_SKELETON_OPERATIONS(X)                                                                                     \
    X(LENGTH, length)                                                                                                  \
    X(INDEX, index)                                                                                                    \
    X(IOTA, iota)                                                                                                      \
    X(DISTL, distl)                                                                                                    \
    X(PROJECT, project)                                                                                                \
    X(CONC, concatenate)                                                                                               \
    X(SORT, sort)                                                                                                      \
    X(ARGSORT, argsort)                                                                                                \
    X(UNIQUE, unique)                                                                                                  \
    X(TRANSPOSE, transpose)                                                                                            \
    X(MATMUL, matmul)                                                                                                  \
    X(SLICE, slice)

#define BMF_SKELETON_TYPE_DECLARE(name) extern const bmf_skeleton_type skeleton_##name;
BMF_SKELETON_TYPES(BMF_SKELETON_TYPE_DECLARE)
#undef BMF_SKELETON_TYPE_DECLARE

/* All of them, then NULL. */
extern const bmf_skeleton_type *const skeleton_types[];

/* The skeleton with a number or a name; NULL if there is none. */
const bmf_skeleton_type *skeleton_type_of(uint32_t id);
const bmf_skeleton_type *skeleton_type_named(const char *name);

#endif
