/* Folds and scans of short segments for one operator. Included by segments.c once for each, with SEGMENT (the
 * operator's name), TYPE, OP, IDENTITY (which changes no bit) and NODE_FUNCTIONS (those of whole nodes, or NULLs)
 * defined, and FOLD if there is a better fold; undefines them. */

#ifndef FOLD
#define FOLD SEGMENT_NAME(fold)
static const TYPE SEGMENT_NAME(identities)[STEP] = {IDENTITY, IDENTITY, IDENTITY, IDENTITY,
                                                    IDENTITY, IDENTITY, IDENTITY, IDENTITY};
BMF_INLINE TYPE SEGMENT_NAME(4)(const TYPE *x, uint64_t *bad)
{
    return OP(OP(x[0], x[1], bad), OP(x[2], x[3], bad), bad);
}
BMF_INLINE TYPE SEGMENT_NAME(8)(const TYPE *x, uint64_t *bad)
{
    return OP(SEGMENT_NAME(4)(x, bad), SEGMENT_NAME(4)(x + 4, bad), bad);
}
BMF_INLINE TYPE SEGMENT_NAME(16)(const TYPE *x, uint64_t *bad)
{
    return OP(SEGMENT_NAME(8)(x, bad), SEGMENT_NAME(8)(x + 8, bad), bad);
}
BMF_INLINE TYPE SEGMENT_NAME(32)(const TYPE *x, uint64_t *bad)
{
    return OP(SEGMENT_NAME(16)(x, bad), SEGMENT_NAME(16)(x + 16, bad), bad);
}
/* The complete nodes of 64, merged like the carries of a counter. */
static TYPE SEGMENT_NAME(nodes)(const TYPE *x, uint64_t nodes, uint64_t *bad)
{
    TYPE node[NODE_LEVELS], total = IDENTITY;
    int depth = 0;
    for (uint64_t i = 0; i < nodes; i++, x += NODE) {
        TYPE value = OP(SEGMENT_NAME(32)(x, bad), SEGMENT_NAME(32)(x + 32, bad), bad);
        for (uint64_t carry = i; carry & 1; carry >>= 1)
            value = OP(node[--depth], value, bad);
        node[depth++] = value;
    }
    for (int k = 0; k < depth; k++)
        total = OP(total, node[k], bad);
    return total;
}
static bool SEGMENT_NAME(fold)(const void *from, const int64_t *offset, int64_t segments, void *to)
{
    const TYPE *x = from, *none = SEGMENT_NAME(identities);
    TYPE *out = to;
    uint64_t bad = 0;
    for (int64_t s = 0; s < segments; s++) {
        uint64_t n = (uint64_t)(offset[s + 1] - offset[s]);
        read_ahead(x, n * sizeof(TYPE));
        TYPE total = IDENTITY;
        if (n >= NODE) {
            total = SEGMENT_NAME(nodes)(x, n / NODE, &bad);
            x += n / NODE * NODE;
        }
        if (n & 32) {
            total = OP(total, SEGMENT_NAME(32)(x, &bad), &bad);
            x += 32;
        }
        if (n & 16) {
            total = OP(total, SEGMENT_NAME(16)(x, &bad), &bad);
            x += 16;
        }
        const TYPE *eight = choose(n >> 3 & 1, x, none);
        x += n & 8;
        const TYPE *four = choose(n >> 2 & 1, x, none);
        x += n & 4;
        const TYPE *two = choose(n >> 1 & 1, x, none);
        x += n & 2;
        const TYPE *one = choose(n & 1, x, none);
        x += n & 1;
        total = OP(total, SEGMENT_NAME(8)(eight, &bad), &bad);
        total = OP(total, SEGMENT_NAME(4)(four, &bad), &bad);
        total = OP(total, OP(two[0], two[1], &bad), &bad);
        out[s] = OP(total, one[0], &bad);
    }
    return bad == 0;
}
#endif

/* The last elements of a segment, fewer than 8: before is the fold of all others. */
BMF_INLINE void SEGMENT_NAME(rest)(const TYPE *x, uint64_t n, TYPE before, TYPE *y, uint64_t *bad)
{
    if (n & 4) {
        TYPE x0 = x[0], x2 = x[2], first = OP(x0, x[1], bad), four = OP(first, OP(x2, x[3], bad), bad);
        y[0] = OP(before, x0, bad);
        y[1] = OP(before, first, bad);
        y[2] = OP(y[1], x2, bad);
        y[3] = before = OP(before, four, bad);
        x += 4;
        y += 4;
    }
    if (n & 2) {
        TYPE x0 = x[0];
        TYPE pair = OP(x0, x[1], bad);
        y[0] = OP(before, x0, bad);
        y[1] = before = OP(before, pair, bad);
        x += 2;
        y += 2;
    }
    if (n & 1)
        y[0] = OP(before, x[0], bad);
}
static bool SEGMENT_NAME(scan)(const void *from, const int64_t *offset, int64_t segments, void *to)
{
    const TYPE *x = from;
    TYPE *y = to;
    uint64_t bad = 0;
    for (int64_t s = 0; s < segments; s++) {
        uint64_t n = (uint64_t)(offset[s + 1] - offset[s]), steps = n / STEP;
        TYPE node[STEP_LEVELS], prefix[STEP_LEVELS + 1] = {IDENTITY}, before = IDENTITY;
        int depth = 0;
        for (uint64_t i = 0; i < steps; i++, x += STEP, y += STEP) {
            TYPE x0 = x[0], x2 = x[2], x4 = x[4], x6 = x[6];
            TYPE a = OP(x0, x[1], &bad), b = OP(x2, x[3], &bad), c = OP(x4, x[5], &bad), d = OP(x6, x[7], &bad),
                 four = OP(a, b, &bad), value = OP(four, OP(c, d, &bad), &bad);
            TYPE y1 = OP(before, a, &bad), y3 = OP(before, four, &bad), y5 = OP(y3, c, &bad);
            y[0] = OP(before, x0, &bad);
            y[1] = y1;
            y[2] = OP(y1, x2, &bad);
            y[3] = y3;
            y[4] = OP(y3, x4, &bad);
            y[5] = y5;
            y[6] = OP(y5, x6, &bad);
            for (uint64_t carry = i; carry & 1; carry >>= 1)
                value = OP(node[--depth], value, &bad);
            node[depth] = value;
            before = OP(prefix[depth], value, &bad);
            prefix[++depth] = before;
            y[7] = before;
        }
        SEGMENT_NAME(rest)(x, n % STEP, before, y, &bad);
        x += n % STEP;
        y += n % STEP;
    }
    return bad == 0;
}
static const bmf_segment_functions SEGMENT_NAME(segments) = {FOLD, SEGMENT_NAME(scan), NODE_FUNCTIONS};

#undef SEGMENT
#undef TYPE
#undef OP
#undef IDENTITY
#undef FOLD
#undef NODE_FUNCTIONS
