/* A program whose calls stand in lines that their comments name; the test looks for them. Usage: make_places */
#include <bmf.h>
#include <stdio.h>

BMF_MAP_KERNEL(twice, double, x, double, 2 * x)
BMF_FOLD_KERNEL(plus, double, a, b, a + b, 0.0)

static bmf_context *ctx;

/* Called inside of the arguments of another call. */
static bmf_list *numbers(void)
{
    bmf_list *made;
    BMF_CHECK(bmf_iota_real(ctx, 100, &made)); /* place: iota_real */
    return made;
}

static bmf_list *mapped(const bmf_list *xs)
{
    int (*const function)(const bmf_list *, const bmf_kernel *, bmf_list **) = bmf_map;
    bmf_list *made;
    BMF_CHECK(function(xs, &twice, &made)); /* by its address: no place */
    return made;
}

int main(int argc, char **argv)
{
    double sum, sums[2];
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    bmf_region_begin(ctx, "whole");                /* place: whole */
    BMF_CHECK(bmf_reduce(numbers(), &plus, &sum)); /* place: reduce plus */
    bmf_list *xs = numbers(), *ys = mapped(xs);
    for (int step = 0; step < 3; step++) {
        bmf_region_begin_keyed(ctx, "step", step); /* place: step */
        if (step % 2)
            BMF_CHECK(bmf_map_reduce(xs, &twice, &plus, &sums[0])); /* place: map_reduce plus twice */
        else
            BMF_CHECK(bmf_map_reduce(ys, &twice, &plus, &sums[1])); /* place: map_reduce plus twice */
        bmf_region_end(ctx);
    }
    bmf_region_end(ctx);
    if (bmf_is_root(ctx))
        printf("%g %g %g\n", sum, sums[0], sums[1]);
    bmf_list_free(xs);
    bmf_list_free(ys);
    return bmf_close(ctx);
}
