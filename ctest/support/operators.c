/* Operators for the property tests.
 *
 * Method: the bmf form is a kernel macro or a block function, the reference form an ordinary function on records; they
 * share no code. Most telling is `mixed`, which is not associative at all and claims to be inexact: a library that
 * follows the fixed tree to the letter gives the reference's value, and any other association another one.
 */
#include "ctest/support/operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"

/* A brace-enclosed initialiser as one macro argument. */
// clang-format off
#define RECORD(...) {__VA_ARGS__}
// clang-format on

/* Wrapping 64-bit arithmetic. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static void draw_int(uint64_t *state, void *x)
{
    *(int64_t *)x = (int64_t)random_bits(state);
}
static void draw_odd(uint64_t *state, void *x)
{
    *(int64_t *)x = (int64_t)(random_bits(state) | 1);
}
static void draw_bool(uint64_t *state, void *x)
{
    *(uint8_t *)x = test_below(state, 50) != 0;
}

/* Reals of both signs and very different sizes: any other order of additions shows in the last bits. */
static void draw_real(uint64_t *state, void *x)
{
    const double size = ldexp(1.0, (int)test_below(state, 40) - 20);
    *(double *)x = (random_unit(state) - 0.5) * size;
}

static void draw_int32(uint64_t *state, void *x)
{
    *(int32_t *)x = (int32_t)(uint32_t)random_bits(state);
}
static void draw_odd32(uint64_t *state, void *x)
{
    *(int32_t *)x = (int32_t)(uint32_t)(random_bits(state) | 1);
}
static void draw_float(uint64_t *state, void *x)
{
    double real;
    draw_real(state, &real);
    *(float *)x = (float)real;
}
/* Around 1, so that products of many neither vanish nor overflow. */
static void draw_factor(uint64_t *state, void *x)
{
    const double factor = 0.75 + 0.5 * random_unit(state);
    *(float *)x = (float)(test_below(state, 2) ? factor : 1.0 / factor);
}
static void draw_complex(uint64_t *state, void *x)
{
    draw_real(state, x);
    draw_real(state, (double *)x + 1);
}
static void draw_unit_complex(uint64_t *state, void *x)
{
    const double angle = 6.0 * random_unit(state);
    ((double *)x)[0] = cos(angle);
    ((double *)x)[1] = sin(angle);
}

/* Zeros of both signs, some negative numbers, now and then a NaN of either sign. */
static void draw_at_most_zero(uint64_t *state, void *x)
{
    const int64_t kind = test_below(state, 4000);
    *(double *)x = kind == 0 ? NAN : kind == 1 ? -NAN : kind < 1000 ? -random_unit(state) : kind < 1020 ? 0.0 : -0.0;
}
static void draw_at_least_zero(uint64_t *state, void *x)
{
    draw_at_most_zero(state, x);
    *(double *)x = -*(double *)x;
}
static void draw_float_at_most_zero(uint64_t *state, void *x)
{
    double real;
    draw_at_most_zero(state, &real);
    *(float *)x = (float)real;
}
static void draw_float_at_least_zero(uint64_t *state, void *x)
{
    draw_float_at_most_zero(state, x);
    *(float *)x = -*(float *)x;
}

/* ---- ready-made operators ---- */

// clang-format off
#define SCALAR_COMBINE(name, type, expression)                                     \
    static void name##_records(const void *left, const void *right, void *y)       \
    {                                                                              \
        const type a = *(const type *)left, b = *(const type *)right;              \
        *(type *)y = (type)(expression);                                           \
    }
// clang-format on

SCALAR_COMBINE(plus_int, int64_t, add(a, b))
SCALAR_COMBINE(times_int, int64_t, multiply(a, b))
SCALAR_COMBINE(max_int, int64_t, a > b ? a : b)
SCALAR_COMBINE(min_int, int64_t, a < b ? a : b)
SCALAR_COMBINE(plus_real, double, a + b)
SCALAR_COMBINE(max_real, double, isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b)
SCALAR_COMBINE(min_real, double, isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b)
SCALAR_COMBINE(and_bool, uint8_t, a &&b)
SCALAR_COMBINE(plus_int32, int32_t, (uint32_t)a + (uint32_t)b)
SCALAR_COMBINE(times_int32, int32_t, (uint32_t)a *(uint32_t)b)
SCALAR_COMBINE(max_int32, int32_t, a > b ? a : b)
SCALAR_COMBINE(min_int32, int32_t, a < b ? a : b)
SCALAR_COMBINE(plus_float, float, a + b)
SCALAR_COMBINE(times_float, float, a *b)
SCALAR_COMBINE(max_float, float, isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b)
SCALAR_COMBINE(min_float, float, isnan(a) || isnan(b) ? NAN : a < b || (a == b && signbit(a)) ? a : b)

/* A complex number is two reals. */
static void plus_complex_records(const void *left, const void *right, void *y)
{
    const double *a = left, *b = right, sum[2] = {a[0] + b[0], a[1] + b[1]};
    memcpy(y, sum, sizeof sum);
}
static void times_complex_records(const void *left, const void *right, void *y)
{
    const double *a = left, *b = right, re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    memcpy(y, (double[2]){re, im}, 2 * sizeof re);
}

/* ---- scalars of our own ---- */

BMF_FOLD_KERNEL_NO_IDENTITY(first, int64_t, a, b, ((void)b, a), BMF_EXACT)
SCALAR_COMBINE(first, int64_t, ((void)b, a))

BMF_FOLD_KERNEL_NO_IDENTITY(last, double, a, b, ((void)a, b), BMF_EXACT)
SCALAR_COMBINE(last, double, ((void)a, b))

BMF_FOLD_KERNEL_FLAGS(mixed, int64_t, a, b, multiply(add(multiply(a, 31), b ^ (b >> 7)), 0x2545f4914f6cdd1d), 0, 0)
SCALAR_COMBINE(mixed, int64_t, multiply(add(multiply(a, 31), b ^ (b >> 7)), 0x2545f4914f6cdd1d))

/* Commutes, and is as little associative as `mixed`: shows any other shape of a block that goes by columns. */
BMF_FOLD_KERNEL_FLAGS(stirred, int64_t, a, b, multiply(add(a, b) ^ (add(a, b) >> 7), 0x2545f4914f6cdd1d), 0,
                      BMF_COMMUTATIVE)
SCALAR_COMBINE(stirred, int64_t, multiply(add(a, b) ^ (add(a, b) >> 7), 0x2545f4914f6cdd1d))

/* ---- 2 x 2 matrices: exact modulo 2^64, and real ---- */

typedef struct int_matrix {
    int64_t e[4];
} int_matrix;

static inline int_matrix int_product(int_matrix a, int_matrix b)
{
    return (int_matrix){{add(multiply(a.e[0], b.e[0]), multiply(a.e[1], b.e[2])),
                         add(multiply(a.e[0], b.e[1]), multiply(a.e[1], b.e[3])),
                         add(multiply(a.e[2], b.e[0]), multiply(a.e[3], b.e[2])),
                         add(multiply(a.e[2], b.e[1]), multiply(a.e[3], b.e[3]))}};
}
BMF_FOLD_KERNEL_FLAGS(matrix_product, int_matrix, a, b, int_product(a, b), RECORD(RECORD(1, 0, 0, 1)), BMF_EXACT)

static void matrix_product_records(const void *left, const void *right, void *y)
{
    const int64_t *a = left, *b = right;
    uint64_t product[4] = {0};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                product[2 * i + j] += (uint64_t)a[2 * i + k] * (uint64_t)b[2 * k + j];
    memcpy(y, product, sizeof product);
}
static void draw_matrix(uint64_t *state, void *x)
{
    for (int k = 0; k < 4; k++)
        ((int64_t *)x)[k] = (int64_t)random_bits(state);
}

typedef struct real_matrix {
    double e[4];
} real_matrix;

static inline real_matrix real_product(real_matrix a, real_matrix b)
{
    return (real_matrix){{a.e[0] * b.e[0] + a.e[1] * b.e[2], a.e[0] * b.e[1] + a.e[1] * b.e[3],
                          a.e[2] * b.e[0] + a.e[3] * b.e[2], a.e[2] * b.e[1] + a.e[3] * b.e[3]}};
}
BMF_FOLD_KERNEL(rotation_product, real_matrix, a, b, real_product(a, b), {{1.0, 0.0, 0.0, 1.0}})

static void rotation_product_records(const void *left, const void *right, void *y)
{
    const double *a = left, *b = right;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            ((double *)y)[2 * i + j] = a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
}
/* Rotations, so that products of many neither vanish nor overflow. */
static void draw_rotation(uint64_t *state, void *x)
{
    const double angle = 6.0 * random_unit(state);
    const double e[4] = {cos(angle), -sin(angle), sin(angle), cos(angle)};
    memcpy(x, e, sizeof e);
}

/* ---- affine maps x -> scale x + shift modulo 2^64; a op b means first a, then b ---- */

typedef struct affine {
    int64_t scale, shift;
} affine;

static inline affine affine_then(affine a, affine b)
{
    return (affine){multiply(b.scale, a.scale), add(multiply(b.scale, a.shift), b.shift)};
}
BMF_FOLD_KERNEL_FLAGS(composition, affine, a, b, affine_then(a, b), RECORD(1, 0), BMF_EXACT)

static void composition_records(const void *left, const void *right, void *y)
{
    const uint64_t *a = left, *b = right;
    const uint64_t result[2] = {b[0] * a[0], b[0] * a[1] + b[1]};
    memcpy(y, result, sizeof result);
}
static void draw_affine(uint64_t *state, void *x)
{
    ((int64_t *)x)[0] = (int64_t)(random_bits(state) | 1);
    ((int64_t *)x)[1] = (int64_t)random_bits(state);
}

/* ---- texts: the length and the two ends of a concatenation. Associative, because the ends of a whole depend only on
 * the ends of its parts: a part shorter than END is known completely. ---- */

enum { END = 24 };
typedef struct text {
    int64_t length;
    char head[END], tail[END]; /* the first and last min(length, END) characters, the rest zero */
} text;

static inline int64_t known(const text *t)
{
    return t->length < END ? t->length : END;
}
static inline text text_join(text a, text b)
{
    text joined = {a.length + b.length, {0}, {0}};
    memcpy(joined.head, a.head, (size_t)known(&a));
    const int64_t room = END - known(&a), taken = known(&b) < room ? known(&b) : room;
    memcpy(joined.head + known(&a), b.head, (size_t)taken);
    const int64_t free_places = END - known(&b), kept = known(&a) < free_places ? known(&a) : free_places;
    memcpy(joined.tail, a.tail + known(&a) - kept, (size_t)kept);
    memcpy(joined.tail + kept, b.tail, (size_t)known(&b));
    return joined;
}
BMF_FOLD_KERNEL_FLAGS(concatenation, text, a, b, text_join(a, b), RECORD(0, RECORD(0), RECORD(0)), BMF_EXACT)

/* Written the long way: both ends in full, then cut. */
static void concatenation_records(const void *left, const void *right, void *y)
{
    const text *a = left, *b = right;
    char heads[2 * END] = {0}, tails[2 * END] = {0};
    const size_t a_known = (size_t)known(a), b_known = (size_t)known(b);
    memcpy(heads, a->head, a_known);
    memcpy(heads + a_known, b->head, b_known);
    memcpy(tails, a->tail, a_known);
    memcpy(tails + a_known, b->tail, b_known);
    text *joined = y;
    memset(joined, 0, sizeof *joined);
    joined->length = a->length + b->length;
    const size_t kept = (size_t)known(joined);
    memcpy(joined->head, heads, kept);
    memcpy(joined->tail, tails + a_known + b_known - kept, kept);
}
static void draw_text(uint64_t *state, void *x)
{
    text *t = x;
    memset(t, 0, sizeof *t);
    t->length = test_below(state, 4);
    for (int64_t k = 0; k < t->length; k++)
        t->head[k] = t->tail[k] = (char)('a' + test_below(state, 26));
}

/* ---- the largest value and the first position it stands at ---- */

typedef struct place {
    double value;
    int64_t position;
} place;

BMF_FOLD_KERNEL_FLAGS(max_place, place, a, b,
                      (a.value > b.value || (a.value == b.value && a.position < b.position) ? a : b),
                      RECORD(-INFINITY, INT64_MAX), BMF_EXACT | BMF_COMMUTATIVE)

static void max_place_records(const void *left, const void *right, void *y)
{
    const place *a = left, *b = right;
    const place *winner = b->value > a->value ? b : a;
    if (a->value == b->value)
        winner = a->position < b->position ? a : b;
    *(place *)y = *winner;
}
/* Few different values, so that there are ties. */
static void draw_place(uint64_t *state, void *x)
{
    place *p = x;
    p->value = (double)test_below(state, 10);
    p->position = test_below(state, 1 << 20);
}

/* ---- tuples by block functions ---- */

/* Maximum segment sum: {total, best prefix, best suffix, best segment}, the empty segment counting 0. */
static int segment_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        int64_t a[4], b[4];
        for (int k = 0; k < 4; k++) {
            a[k] = BMF_AT(const int64_t, in[k], i);
            b[k] = BMF_AT(const int64_t, in[4 + k], i);
        }
        const int64_t across = a[2] + b[1], longer_prefix = a[0] + b[1], longer_suffix = b[0] + a[2];
        const int64_t best = a[3] > b[3] ? a[3] : b[3];
        BMF_AT(int64_t, out[0], i) = a[0] + b[0];
        BMF_AT(int64_t, out[1], i) = a[1] > longer_prefix ? a[1] : longer_prefix;
        BMF_AT(int64_t, out[2], i) = b[2] > longer_suffix ? b[2] : longer_suffix;
        BMF_AT(int64_t, out[3], i) = best > across ? best : across;
    }
    return 0;
}
static const bmf_type *const four_ints[4] = {&bmf_type_int, &bmf_type_int, &bmf_type_int, &bmf_type_int};
static const bmf_type segment_type = {BMF_TUPLE, 0, 0, 4, four_ints};
static const int64_t segment_identity[4] = {0};
static const bmf_operator segment_sum = {.name = "segment_sum",
                                         .type = &segment_type,
                                         .combine = segment_block,
                                         .identity = segment_identity,
                                         .flags = BMF_EXACT};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
static void segment_records(const void *left, const void *right, void *y)
{
    const int64_t *a = left, *b = right;
    const int64_t result[4] = {a[0] + b[0], larger(a[1], a[0] + b[1]), larger(b[2], b[0] + a[2]),
                               larger(larger(a[3], b[3]), a[2] + b[1])};
    memcpy(y, result, sizeof result);
}
static void draw_segment(uint64_t *state, void *x)
{
    const int64_t value = test_below(state, 2001) - 1000;
    const int64_t best = value > 0 ? value : 0;
    const int64_t element[4] = {value, best, best, best};
    memcpy(x, element, sizeof element);
}

/* Moments {count, mean, sum of squared differences from the mean}: a tuple of int and reals that is not exact. */
static int moments_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t m = BMF_AT(const int64_t, in[0], i), n = BMF_AT(const int64_t, in[3], i);
        const double a = BMF_AT(const double, in[1], i), b = BMF_AT(const double, in[4], i);
        const double total = (double)(m + n), difference = b - a;
        const double between = difference * difference * (double)m * (double)n / total;
        const double squares = BMF_AT(const double, in[2], i) + BMF_AT(const double, in[5], i) + between;
        BMF_AT(int64_t, out[0], i) = m + n;
        BMF_AT(double, out[1], i) = a + difference * (double)n / total;
        BMF_AT(double, out[2], i) = squares;
    }
    return 0;
}
typedef struct moments {
    int64_t count;
    double mean, squares;
} moments;
static const bmf_type *const int_and_two_reals[3] = {&bmf_type_int, &bmf_type_real, &bmf_type_real};
static const bmf_type moments_type = {BMF_TUPLE, 0, 0, 3, int_and_two_reals};
static const moments moments_identity = {0, 0.0, 0.0};
static const bmf_operator moments_merge = {
    .name = "moments_merge", .type = &moments_type, .combine = moments_block, .identity = &moments_identity};

static void moments_records(const void *left, const void *right, void *y)
{
    const moments *a = left, *b = right;
    const double total = (double)(a->count + b->count), difference = b->mean - a->mean;
    const double between = difference * difference * (double)a->count * (double)b->count / total;
    *(moments *)y = (moments){a->count + b->count, a->mean + difference * (double)b->count / total,
                              a->squares + b->squares + between};
}
static void draw_moments(uint64_t *state, void *x)
{
    moments *m = x;
    m->count = 1 + test_below(state, 3);
    m->mean = random_unit(state) * 100.0;
    m->squares = random_unit(state);
}

/* A pair {bool, int} whose record has padding: any, and the number of trues seen. */
static int votes_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const bool either = BMF_AT(const uint8_t, in[0], i) || BMF_AT(const uint8_t, in[2], i);
        const int64_t sum = BMF_AT(const int64_t, in[1], i) + BMF_AT(const int64_t, in[3], i);
        BMF_AT(uint8_t, out[0], i) = either;
        BMF_AT(int64_t, out[1], i) = sum;
    }
    return 0;
}
typedef struct votes {
    uint8_t any;
    int64_t count;
} votes;
static const bmf_type *const bool_and_int[2] = {&bmf_type_bool, &bmf_type_int};
static const bmf_type votes_type = {BMF_TUPLE, 0, 0, 2, bool_and_int};
static const votes no_votes = {0, 0};
static const bmf_operator votes_merge = {.name = "votes_merge",
                                         .type = &votes_type,
                                         .combine = votes_block,
                                         .identity = &no_votes,
                                         .flags = BMF_EXACT | BMF_COMMUTATIVE,
                                         .may_fail = true};

static void votes_records(const void *left, const void *right, void *y)
{
    const votes *a = left, *b = right;
    votes *sum = y;
    sum->any = a->any | b->any;
    sum->count = a->count + b->count;
}
static void draw_votes(uint64_t *state, void *x)
{
    votes *v = x;
    memset(v, 0, sizeof *v);
    v->any = test_below(state, 100) == 0;
    v->count = v->any;
}

/* A triple {int32, float, complex} of a count, a maximum and a sum, not exact: leaves of 4, 4 and 16 bytes. */
static int survey_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int32_t total = BMF_AT(const int32_t, in[0], i) + BMF_AT(const int32_t, in[3], i);
        const float a = BMF_AT(const float, in[1], i), b = BMF_AT(const float, in[4], i);
        const double _Complex sum = BMF_AT(const double _Complex, in[2], i) + BMF_AT(const double _Complex, in[5], i);
        BMF_AT(int32_t, out[0], i) = total;
        BMF_AT(float, out[1], i) = a > b ? a : b;
        BMF_AT(double _Complex, out[2], i) = sum;
    }
    return 0;
}
typedef struct survey {
    int32_t count;
    float largest;
    double sum[2];
} survey;
static const bmf_type *const survey_components[3] = {&bmf_type_int32, &bmf_type_float, &bmf_type_complex};
static const bmf_type survey_type = {BMF_TUPLE, 0, 0, 3, survey_components};
static const survey no_survey = {0, -INFINITY, {0.0, 0.0}};
static const bmf_operator survey_merge = {.name = "survey_merge",
                                          .type = &survey_type,
                                          .combine = survey_block,
                                          .identity = &no_survey,
                                          .flags = BMF_COMMUTATIVE};

static void survey_records(const void *left, const void *right, void *y)
{
    const survey *a = left, *b = right;
    *(survey *)y = (survey){a->count + b->count,
                            b->largest > a->largest ? b->largest : a->largest,
                            {a->sum[0] + b->sum[0], a->sum[1] + b->sum[1]}};
}
static void draw_survey(uint64_t *state, void *x)
{
    survey *s = x;
    s->count = (int32_t)test_below(state, 5);
    s->largest = (float)random_unit(state);
    draw_complex(state, s->sum);
}

/* ---- an operator that fails ---- */

static int refusing_block(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t a = BMF_AT(const int64_t, in[0], i), b = BMF_AT(const int64_t, in[1], i);
        if (a == 13 || b == 13)
            return 77;
        BMF_AT(int64_t, out[0], i) = a + b;
    }
    return 0;
}
static const int64_t zero = 0;
const bmf_operator test_refuses_13 = {.name = "refuses_13",
                                      .type = &bmf_type_int,
                                      .combine = refusing_block,
                                      .identity = &zero,
                                      .flags = BMF_EXACT | BMF_COMMUTATIVE,
                                      .may_fail = true};

/* ---- the table ---- */

static const test_operator table[TEST_OPERATORS] = {
    {&bmf_plus_real, plus_real_records, draw_real, sizeof(double)},
    {&mixed, mixed_records, draw_int, sizeof(int64_t)},
    {&bmf_plus_int, plus_int_records, draw_int, sizeof(int64_t)},
    {&matrix_product, matrix_product_records, draw_matrix, sizeof(int_matrix)},
    {&segment_sum, segment_records, draw_segment, 4 * sizeof(int64_t)},
    {&moments_merge, moments_records, draw_moments, sizeof(moments)},
    {&concatenation, concatenation_records, draw_text, sizeof(text)},
    {&first, first_records, draw_int, sizeof(int64_t)},
    {&last, last_records, draw_real, sizeof(double)},
    {&rotation_product, rotation_product_records, draw_rotation, sizeof(real_matrix)},
    {&votes_merge, votes_records, draw_votes, sizeof(votes)},
    {&composition, composition_records, draw_affine, sizeof(affine)},
    {&max_place, max_place_records, draw_place, sizeof(place)},
    {&bmf_times_int, times_int_records, draw_odd, sizeof(int64_t)},
    {&bmf_max_int, max_int_records, draw_int, sizeof(int64_t)},
    {&bmf_min_int, min_int_records, draw_int, sizeof(int64_t)},
    {&bmf_max_real, max_real_records, draw_at_most_zero, sizeof(double)},
    {&bmf_min_real, min_real_records, draw_at_least_zero, sizeof(double)},
    {&bmf_and, and_bool_records, draw_bool, sizeof(uint8_t)},
    {&bmf_plus_int32, plus_int32_records, draw_int32, sizeof(int32_t)},
    {&bmf_times_int32, times_int32_records, draw_odd32, sizeof(int32_t)},
    {&bmf_max_int32, max_int32_records, draw_int32, sizeof(int32_t)},
    {&bmf_min_int32, min_int32_records, draw_int32, sizeof(int32_t)},
    {&bmf_plus_float, plus_float_records, draw_float, sizeof(float)},
    {&bmf_times_float, times_float_records, draw_factor, sizeof(float)},
    {&bmf_max_float, max_float_records, draw_float_at_most_zero, sizeof(float)},
    {&bmf_min_float, min_float_records, draw_float_at_least_zero, sizeof(float)},
    {&bmf_plus_complex, plus_complex_records, draw_complex, sizeof(double _Complex)},
    {&bmf_times_complex, times_complex_records, draw_unit_complex, sizeof(double _Complex)},
    {&survey_merge, survey_records, draw_survey, sizeof(survey)},
    {&stirred, stirred_records, draw_int, sizeof(int64_t)},
};

const test_operator *test_operator_number(int k)
{
    return &table[k];
}

void *test_draw(const test_operator *test, int64_t n, uint64_t *state)
{
    char *x = calloc((size_t)n + 1, test->size);
    for (int64_t i = 0; i < n; i++)
        test->draw(state, x + (size_t)i * test->size);
    return x;
}

bool test_goes_by_columns(const test_operator *test)
{
    const bool scalar = test->op->type->kind != BMF_STRUCT && test->op->type->kind != BMF_TUPLE;
    return scalar && (test->op->flags & BMF_COMMUTATIVE) && !(test->op->flags & BMF_EXACT);
}

void test_expected_fold(const test_operator *test, int64_t n, const void *x, void *y)
{
    if (test->op->flags & BMF_EXACT)
        reference_fold(test->combine, n, x, test->size, y);
    else if (test_goes_by_columns(test))
        reference_column_fold(test->combine, n, x, test->size, y);
    else
        reference_tree_fold(test->combine, n, x, test->size, y);
}

void test_expected_scan(const test_operator *test, int64_t n, const void *x, bmf_scan_kind kind, void *y)
{
    const void *identity = kind == BMF_EXCLUSIVE ? test->op->identity : NULL;
    if (test->op->flags & BMF_EXACT)
        reference_scan(test->combine, n, x, test->size, identity, y);
    else
        reference_tree_scan(test->combine, n, x, test->size, identity, y);
}
