/* The list of all skeletons, of this module and of those below it. A new skeleton describes itself in its file and gets
 * a line in BMF_SKELETON_TYPES. */
#ifndef BMF_SKELETON_TYPES_H
#define BMF_SKELETON_TYPES_H

#include "runtime/trace/skeleton_type.h"

/* X(name): skeleton_NAME, in the order of their numbers. */
#define BMF_SKELETON_TYPES(X)                                                                                          \
    X(split)                                                                                                           \
    X(gather)                                                                                                          \
    X(reduce)                                                                                                          \
    X(map_reduce)                                                                                                      \
    X(zip_map_reduce)                                                                                                  \
    X(reduce_each)                                                                                                     \
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
    X(each_part)                                                                                                       \
    X(place)                                                                                                           \
    X(spread)                                                                                                          \
    X(stream)                                                                                                          \
    X(read)                                                                                                            \
    X(write)

#define BMF_SKELETON_TYPE_DECLARE(name) extern const bmf_skeleton_type skeleton_##name;
BMF_SKELETON_TYPES(BMF_SKELETON_TYPE_DECLARE)
#undef BMF_SKELETON_TYPE_DECLARE

/* All of them, then NULL. */
extern const bmf_skeleton_type *const skeleton_types[];

/* The skeleton with a number or a name; NULL if there is none. */
const bmf_skeleton_type *skeleton_type_of(uint32_t id);
const bmf_skeleton_type *skeleton_type_named(const char *name);

#endif
