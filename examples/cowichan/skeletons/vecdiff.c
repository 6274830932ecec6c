/* vecdiff: one reduction of the differences. */
#include "skeletons.h"

#include <math.h>

BMF_ZIP_KERNEL(difference, double, a, double, b, double, fabs(a - b))

int skeleton_vecdiff(const bmf_list *a, const bmf_list *b, double *largest)
{
    return bmf_zip_map_reduce(a, b, &difference, &bmf_max_real, largest);
}
