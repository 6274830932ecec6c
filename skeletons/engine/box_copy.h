/* Copying a box of elements whose dimensions lie in another order in memory. Private to skeletons. */
#ifndef BMF_BOX_COPY_H
#define BMF_BOX_COPY_H

#include <stdint.h>

enum { BOX_AXES = 3 };

/* Where a box's elements lie: its first one, and bytes from one to the next along each axis. */
typedef struct box_place {
    char *data;
    int64_t stride[BOX_AXES];
} box_place;

/* Copies extent[0] x extent[1] x extent[2] elements of `size` bytes. They do not overlap. Fast where elements next to
 * each other along some axis are so in `from`, and along axis 2 in `to`; any strides are allowed, 0 too. */
void box_copy(int64_t size, const int64_t extent[BOX_AXES], const box_place *to, const box_place *from);

#endif
