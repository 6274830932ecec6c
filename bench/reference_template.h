/* The computing reference loops for one type of element: a template of bench/reference_compute.c, which defines
 *
 *   ELEMENT      the type
 *   ELEMENT_MPI  MPI's name for it
 *   TYPED(name)  the name of a function for this type
 */

BMF_VECTORISE static void TYPED(map_loop)(int64_t begin, int64_t end, const ELEMENT *restrict x, ELEMENT *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = 2 * x[i] + 1;
}

BMF_VECTORISE static void TYPED(mirror_loop)(int64_t begin, int64_t end, ELEMENT *x)
{
    for (int64_t i = begin; i < end; i++)
        x[i] = 1023 - x[i];
}

BMF_VECTORISE static void TYPED(zip_loop)(int64_t begin, int64_t end, const ELEMENT *restrict x,
                                          const ELEMENT *restrict y, ELEMENT *restrict z)
{
    for (int64_t i = begin; i < end; i++)
        z[i] = x[i] + y[i];
}

BMF_VECTORISE static void TYPED(zip_in_place_loop)(int64_t begin, int64_t end, ELEMENT *restrict x,
                                                   const ELEMENT *restrict y)
{
    for (int64_t i = begin; i < end; i++)
        x[i] = y[i] - x[i];
}

BMF_VECTORISE static void TYPED(iota_loop)(int64_t begin, int64_t end, int64_t first, ELEMENT *y)
{
    for (int64_t i = begin; i < end; i++)
        y[i] = (ELEMENT)(first + i);
}

/* The sum of a share: of x, or of products with y. */
#define SUM_LOOP(name, value)                                                                                          \
    BMF_VECTORISE static ELEMENT TYPED(name)(int64_t begin, int64_t end, const ELEMENT *x, const ELEMENT *y)           \
    {                                                                                                                  \
        ELEMENT sum = 0;                                                                                               \
        (void)y;                                                                                                       \
        _Pragma("omp simd reduction(+ : sum)") for (int64_t i = begin; i < end; i++) sum += value;                     \
        return sum;                                                                                                    \
    }
SUM_LOOP(sum_loop, x[i])
SUM_LOOP(squares_loop, x[i] * x[i])
SUM_LOOP(dot_loop, x[i] * y[i])

static void TYPED(map)(const bench_team *team, int64_t count, const void *x, void *y)
{
    SHARED(team, count, TYPED(map_loop)(begin, end, x, y))
}

static void TYPED(mirror)(const bench_team *team, int64_t count, void *x)
{
    SHARED(team, count, TYPED(mirror_loop)(begin, end, x))
}

static void TYPED(zip)(const bench_team *team, int64_t count, const void *x, const void *y, void *z)
{
    SHARED(team, count, TYPED(zip_loop)(begin, end, x, y, z))
}

static void TYPED(zip_in_place)(const bench_team *team, int64_t count, void *x, const void *y)
{
    SHARED(team, count, TYPED(zip_in_place_loop)(begin, end, x, y))
}

static void TYPED(iota)(const bench_team *team, int64_t first, int64_t count, void *y)
{
    SHARED(team, count, TYPED(iota_loop)(begin, end, first, y))
}

static void TYPED(sum)(const bench_team *team, int64_t count, const void *x, void *total)
{
    SUMMED(team, count, total, TYPED(sum_loop)(begin, end, x, NULL))
}

static void TYPED(sum_of_squares)(const bench_team *team, int64_t count, const void *x, void *total)
{
    SUMMED(team, count, total, TYPED(squares_loop)(begin, end, x, NULL))
}

static void TYPED(dot)(const bench_team *team, int64_t count, const void *x, const void *y, void *total)
{
    SUMMED(team, count, total, TYPED(dot_loop)(begin, end, x, y))
}

/* What stands before each thread of this rank: part[t], from the sums of all threads, which it replaces. */
static void TYPED(prefix_of_threads)(const bench_team *team, ELEMENT *part)
{
    ELEMENT sum = 0, prefix = 0;
    for (int t = 0; t < team->threads; t++)
        sum += part[t];
    MPI_Exscan(&sum, &prefix, 1, ELEMENT_MPI, MPI_SUM, team->comm);
    if (team->rank == 0)
        prefix = 0;
    for (int t = 0; t < team->threads; t++) {
        const ELEMENT mine = part[t];
        part[t] = prefix;
        prefix += mine;
    }
}

/* Two passes: `total` of a share, then what `step` writes for each element; `sum` is what stands before it. */
#define SCAN(name, total, step)                                                                                        \
    static void TYPED(name)(const bench_team *team, int64_t count, const void *in, void *out)                          \
    {                                                                                                                  \
        const ELEMENT *x = in;                                                                                         \
        ELEMENT *y = out, part[team->threads];                                                                         \
        for (int t = 0; t < team->threads; t++)                                                                        \
            part[t] = 0;                                                                                               \
        SHARED(team, count, part[omp_get_thread_num()] = total)                                                        \
        TYPED(prefix_of_threads)(team, part);                                                                          \
        SHARED(team, count, {                                                                                          \
            ELEMENT sum = part[omp_get_thread_num()];                                                                  \
            for (int64_t i = begin; i < end; i++) {                                                                    \
                const ELEMENT value = x[i];                                                                            \
                step;                                                                                                  \
            }                                                                                                          \
        })                                                                                                             \
    }
SCAN(scan, TYPED(sum_loop)(begin, end, x, NULL), y[i] = sum += value)
SCAN(scan_exclusive, TYPED(sum_loop)(begin, end, x, NULL), y[i] = sum; sum += value)
SCAN(map_scan, 2 * TYPED(sum_loop)(begin, end, x, NULL) + (ELEMENT)(end - begin), y[i] = sum += 2 * value + 1)

BMF_VECTORISE static int64_t TYPED(count_loop)(int64_t begin, int64_t end, const ELEMENT *x)
{
    int64_t kept = 0;
    for (int64_t i = begin; i < end; i++)
        kept += x[i] < 512;
    return kept;
}

static int64_t TYPED(filter)(const bench_team *team, int64_t count, const void *in, void *out)
{
    const ELEMENT *x = in;
    ELEMENT *y = out;
    int64_t start[team->threads + 1], length[team->ranks];
    for (int t = 0; t <= team->threads; t++)
        start[t] = 0;
    SHARED(team, count, start[omp_get_thread_num() + 1] = TYPED(count_loop)(begin, end, x))
    for (int t = 0; t < team->threads; t++)
        start[t + 1] += start[t];
    SHARED(team, count, {
        int64_t at = start[omp_get_thread_num()];
        for (int64_t i = begin; i < end; i++)
            if (x[i] < 512)
                y[at++] = x[i];
    })
    MPI_Allgather(&start[team->threads], 1, MPI_INT64_T, length, 1, MPI_INT64_T, team->comm);
    return length[team->rank];
}

#undef ELEMENT
#undef ELEMENT_MPI
#undef TYPED
#undef SUM_LOOP
#undef SCAN
