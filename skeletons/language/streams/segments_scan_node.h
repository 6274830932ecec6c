/* The scan of a whole node of 512 elements in vectors, for one operator. Included by segments.c once for each, with
 * SEGMENT (the operator's name), TYPE, VECTOR and LOOSE (eight of it, aligned and not), OP, PAIRWISE (OP of eight
 * pairs) and IDENTITY defined; undefines them.
 *
 * Method: a whole node is scanned in eight blocks of eight rows of eight. Transposed, a block has its rows side by
 * side, so that all rows are scanned at once; only the folds before the rows are found one after the other. */

BMF_INLINE void SEGMENT_NAME(turn)(VECTOR v[8])
{
    VECTOR a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4)
        for (int j = k; j < k + 2; j++) {
            b[j] = __builtin_shufflevector(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[j + 2] = __builtin_shufflevector(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; k++) {
        v[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
/* The folds before each of eight rows, whose own are w, behind p[0]; returns that of all rows. */
BMF_INLINE TYPE SEGMENT_NAME(rows)(const TYPE w[8], TYPE p[8], uint64_t *failed)
{
    TYPE s01 = OP(w[0], w[1], failed), s23 = OP(w[2], w[3], failed), s45 = OP(w[4], w[5], failed);
    TYPE half = OP(s01, s23, failed), rest = OP(s45, OP(w[6], w[7], failed), failed);
    p[1] = OP(p[0], w[0], failed);
    p[2] = OP(p[0], s01, failed);
    p[3] = OP(p[2], w[2], failed);
    p[4] = OP(p[0], half, failed);
    p[5] = OP(p[4], w[4], failed);
    p[6] = OP(p[4], s45, failed);
    p[7] = OP(p[6], w[6], failed);
    return OP(half, rest, failed);
}
BMF_VECTORISE static bool SEGMENT_NAME(scan_node)(const void *x, const void *before, void *out, void *value)
{
    const LOOSE *from = x;
    LOOSE *to = out;
    TYPE node[4], prefix[5], p[9], w[8];
    eight_ints bad = {0};
    uint64_t failed = 0;
    int depth = 0;
    prefix[0] = before ? *(const TYPE *)before : (TYPE)IDENTITY;
    for (int k = 0; k < 8; k++, from += 8, to += 8) {
        VECTOR t[8], a, b, c, d, ab, cd, sums, fold, next;
        for (int j = 0; j < 8; j++)
            t[j] = from[j];
        SEGMENT_NAME(turn)(t);
        PAIRWISE(&t[0], &t[1], &bad, &a);
        PAIRWISE(&t[2], &t[3], &bad, &b);
        PAIRWISE(&t[4], &t[5], &bad, &c);
        PAIRWISE(&t[6], &t[7], &bad, &d);
        PAIRWISE(&a, &b, &bad, &ab);
        PAIRWISE(&c, &d, &bad, &cd);
        PAIRWISE(&ab, &cd, &bad, &sums);
        memcpy(w, &sums, sizeof w);
        p[0] = prefix[depth];
        TYPE all = SEGMENT_NAME(rows)(w, p, &failed);
        for (int carry = k; carry & 1; carry >>= 1)
            all = OP(node[--depth], all, &failed);
        node[depth] = all;
        p[8] = OP(prefix[depth], all, &failed);
        prefix[++depth] = p[8];
        memcpy(&fold, p, sizeof fold);
        memcpy(&next, p + 1, sizeof next);
        PAIRWISE(&fold, &t[0], &bad, &t[0]);
        PAIRWISE(&fold, &a, &bad, &t[1]);
        PAIRWISE(&t[1], &t[2], &bad, &t[2]);
        PAIRWISE(&fold, &ab, &bad, &t[3]);
        PAIRWISE(&t[3], &t[4], &bad, &t[4]);
        PAIRWISE(&t[3], &c, &bad, &t[5]);
        PAIRWISE(&t[5], &t[6], &bad, &t[6]);
        t[7] = next;
        SEGMENT_NAME(turn)(t);
        for (int j = 0; j < 8; j++)
            to[j] = t[j];
    }
    *(TYPE *)value = node[0];
    for (int k = 0; k < 8; k++)
        failed |= (uint64_t)bad[k] >> 63;
    return failed == 0;
}

#undef SEGMENT
#undef TYPE
#undef VECTOR
#undef LOOSE
#undef OP
#undef PAIRWISE
#undef IDENTITY
