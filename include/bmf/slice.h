/** @file
 * Where elements are in memory. */
#ifndef BMF_SLICE_H
#define BMF_SLICE_H

#include <stdint.h>

/** A slice: where a kernel finds (or puts) element i of one leaf: (char *)data + i * stride. */
typedef struct bmf_slice {
    void *data;     /**< element 0 */
    int64_t stride; /**< bytes; 0 for a broadcast value */
} bmf_slice;

#endif
