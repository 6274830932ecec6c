/* The parallel algorithms of C++17, which the GNU library runs on TBB, for the rows of bmf-bench skeletons.
 *
 * Method: one call of the standard algorithm for each row, with par_unseq, over plain arrays; what the standard has no
 * parallel algorithm for is written with the nearest one (iota: a for_each that knows its index; a product of matrices,
 * which does not commute: tbb::parallel_reduce).
 */
#include <algorithm>
#include <execution>
#include <tbb/parallel_sort.h>
#include <functional>
#include <memory>
#include <numeric>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>

#include "bench/peers/peers.h"

namespace
{

constexpr auto policy = std::execution::par_unseq;

template <class T> void put(void *total, T value)
{
    *static_cast<T *>(total) = value;
}

template <class T> void map(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::transform(policy, x, x + count, static_cast<T *>(out), [](T value) { return 2 * value + 1; });
}

template <class T> void zip(const bench_team *, int64_t count, const void *left, const void *right, void *out)
{
    const T *x = static_cast<const T *>(left), *y = static_cast<const T *>(right);
    std::transform(policy, x, x + count, y, static_cast<T *>(out), std::plus<T>());
}

template <class T> void sum(const bench_team *, int64_t count, const void *in, void *total)
{
    const T *x = static_cast<const T *>(in);
    put(total, std::reduce(policy, x, x + count, T(0)));
}

template <class T> void sum_of_squares(const bench_team *, int64_t count, const void *in, void *total)
{
    const T *x = static_cast<const T *>(in);
    put(total,
        std::transform_reduce(policy, x, x + count, T(0), std::plus<T>(), [](T value) { return value * value; }));
}

template <class T> void dot(const bench_team *, int64_t count, const void *left, const void *right, void *total)
{
    const T *x = static_cast<const T *>(left), *y = static_cast<const T *>(right);
    put(total, std::transform_reduce(policy, x, x + count, y, T(0)));
}

bench_matrix times(const bench_matrix &x, const bench_matrix &y)
{
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

void product(const bench_team *, int64_t count, const bench_matrix *x, bench_matrix *total)
{
    const auto fold = [x](const tbb::blocked_range<int64_t> &range, bench_matrix before) {
        for (int64_t i = range.begin(); i < range.end(); i++)
            before = times(before, x[i]);
        return before;
    };
    *total = tbb::parallel_reduce(tbb::blocked_range<int64_t>(0, count), bench_matrix{1, 0, 0, 1}, fold, times);
}

template <class T> void scan(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::inclusive_scan(policy, x, x + count, static_cast<T *>(out));
}

template <class T> void scan_exclusive(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::exclusive_scan(policy, x, x + count, static_cast<T *>(out), T(0));
}

template <class T> void map_scan(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::transform_inclusive_scan(policy, x, x + count, static_cast<T *>(out), std::plus<T>(),
                                  [](T value) { return 2 * value + 1; });
}

template <class T> int64_t filter(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    T *y = static_cast<T *>(out);
    return std::copy_if(policy, x, x + count, y, [](T value) { return value < 512; }) - y;
}

template <class T> void sort(const bench_team *, int64_t count, const void *in, void *out)
{
    const T *x = static_cast<const T *>(in);
    T *y = static_cast<T *>(out);
    std::copy(policy, x, x + count, y);
    tbb::parallel_sort(y, y + count);
}

template <class T> void iota(const bench_team *, int64_t first, int64_t count, void *out)
{
    T *y = static_cast<T *>(out);
    std::for_each(policy, y, y + count, [=](T &value) { value = static_cast<T>(first + (&value - y)); });
}

template <class T>
void move(const bench_team *, const int64_t *from, int64_t shift, const void *in, const int64_t *, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::copy(policy, x, x + from[1] - from[0], static_cast<T *>(out) + shift);
}

template <class T>
int project(const bench_team *, const int64_t *, const void *in, int64_t count, const int64_t *index, void *out)
{
    const T *x = static_cast<const T *>(in);
    std::transform(policy, index, index + count, static_cast<T *>(out), [x](int64_t i) { return x[i]; });
    return 0;
}

template <class T> constexpr bench_loops loops()
{
    bench_loops table = {};
    table.name = "TBB";
    table.map = map<T>;
    table.zip = zip<T>;
    table.sum = sum<T>;
    table.sum_of_squares = sum_of_squares<T>;
    table.dot = dot<T>;
    table.product = product;
    table.scan = scan<T>;
    table.scan_exclusive = scan_exclusive<T>;
    table.map_scan = map_scan<T>;
    table.filter = filter<T>;
    table.sort = sort<T>;
    table.iota = iota<T>;
    table.move = move<T>;
    table.project = project<T>;
    return table;
}

const bench_loops peer[BENCH_TYPES] = {loops<double>(), loops<int64_t>()};

} // namespace

const bench_loops *bench_peer(bench_type type)
{
    return &peer[type];
}

void bench_peer_start(int threads)
{
    static std::unique_ptr<tbb::global_control> control;
    control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(threads));
}
