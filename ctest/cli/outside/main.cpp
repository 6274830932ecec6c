/* A C++ program outside of bmf, built by ctest/cli/install.bats against an installed bmf: kernels and operators of
 * numbers and of a struct, in C++. The sum of the squares 0 .. 100 is 338350, and 0 .. 100 has 101 points. */
#include <bmf.h>
#include <cstdio>

namespace
{
struct moments {
    double count, sum;
};

BMF_MAP_KERNEL(square, double, x, double, x * x)
BMF_MAP_KERNEL(moments_of, double, x, moments, (moments{1.0, x}))
BMF_MAP_KERNEL_WITH(times, double, factor, double, x, double, x * *factor)
BMF_COMMUTATIVE_OPERATOR(plus, double, a, b, a + b, 0.0)
BMF_NONCOMMUTATIVE_OPERATOR(together, moments, a, b, (moments{a.count + b.count, a.sum + b.sum}), {0.0, 0.0})

int run(bmf_context *ctx)
{
    bmf_list *xs, *halves, *prefixes;
    double sum, half = 0.5, last;
    moments all;
    const bmf_kernel halve = bmf_kernel_bind(&times, &half);
    BMF_TRY(bmf_iota_real(ctx, 101, &xs));
    BMF_TRY(bmf_map_reduce(xs, &square, &plus, &sum));
    BMF_TRY(bmf_map_reduce(xs, &moments_of, &together, &all));
    BMF_TRY(bmf_map(xs, &halve, &halves));
    BMF_TRY(bmf_scan(halves, &bmf_plus_real, BMF_INCLUSIVE, &prefixes));
    BMF_TRY(bmf_index(prefixes, 100, &last));
    if (bmf_is_root(ctx))
        std::printf("%g %g %g %g on %d ranks\n", sum, all.count, all.sum, last, bmf_ranks(ctx));
    bmf_list_free(prefixes);
    bmf_list_free(halves);
    bmf_list_free(xs);
    return BMF_OK;
}
} // namespace

int main(int argc, char **argv)
{
    static_assert(BMF_VERSION_AT_LEAST(0, 1, 0), "the headers know their version");
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(run(ctx));
    return bmf_close(ctx);
}
