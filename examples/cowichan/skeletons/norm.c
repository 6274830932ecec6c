/* norm: a reduction finds the limits of both coordinates at once, a map moves the points. */
#include "skeletons.h"

typedef struct limits {
    double least_x, least_y, most_x, most_y;
} limits;

static inline limits join(limits a, limits b)
{
    return (limits){a.least_x < b.least_x ? a.least_x : b.least_x, a.least_y < b.least_y ? a.least_y : b.least_y,
                    a.most_x > b.most_x ? a.most_x : b.most_x, a.most_y > b.most_y ? a.most_y : b.most_y};
}

static inline double moved(double x, double least, double most)
{
    return most > least ? (x - least) / (most - least) : 0;
}

BMF_MAP_KERNEL(limits_of, point, p, limits, ((limits){p.x, p.y, p.x, p.y}))
BMF_FOLD_KERNEL_NO_IDENTITY(joined, limits, a, b, join(a, b), BMF_EXACT | BMF_COMMUTATIVE)
BMF_MAP_KERNEL_WITH(into_square, limits, all, point, p, point,
                    ((point){moved(p.x, all->least_x, all->most_x), moved(p.y, all->least_y, all->most_y)}))

int skeleton_norm(const bmf_list *points, bmf_list **out)
{
    limits all;
    BMF_TRY(bmf_map_reduce(points, &limits_of, &joined, &all));
    const bmf_kernel place = bmf_kernel_bind(&into_square, &all);
    return bmf_map(points, &place, out);
}
