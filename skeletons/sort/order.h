/* The order of scalars as that of words of 64 bits, so that sorting knows one kind of key. Private to skeletons.
 *
 * ints ascend; reals and floats ascend, -0.0 before 0.0, NaN behind infinity; false comes before true. */
#ifndef BMF_SORT_ORDER_H
#define BMF_SORT_ORDER_H

#include "runtime/data/column.h"

/* Whether elements of the type can be sorted: an int, a real, a bool, an int32 or a float. */
bool order_has(const bmf_type *type);

/* key[i * step] = that of element first + i of the column, for i < count. With `equal_nans` all NaN have one key, the
 * largest; otherwise keys are as different as the elements' bits are. */
void order_keys(const bmf_column *column, int64_t first, int64_t count, bool equal_nans, uint64_t *key, int64_t step);

/* The elements of such keys, made without equal_nans; `element` may be `key` where elements have 8 bytes. */
void order_elements(const bmf_type *type, const uint64_t *key, int64_t count, void *element);

/* Keys without their upper bytes, which are zero for elements of `bytes` bytes, 1, 4 or 8, and back. */
void order_pack(const uint64_t *key, int64_t count, int64_t bytes, void *packed);
void order_unpack(const void *packed, int64_t count, int64_t bytes, uint64_t *key);

/* The least key of what is equal to an element: 0.0 is equal to -0.0, and NaN to NaN. */
uint64_t order_floor(const bmf_type *type, uint64_t key);

#endif
