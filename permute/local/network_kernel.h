/* The kernel of permute/local/network.h for one width of vectors and lanes. Included by permute/local/avx512.c and
 * permute/local/avx2.c, once per kind of lane, after they define
 *
 *   KERNEL(name)                       the name of a function of this kind
 *   KERNEL_TARGET                      the attribute that allows the instructions
 *   KERNEL_VECTOR, KERNEL_SELECTION              types of a register and of a lane selection
 *   LOAD(p), STORE(p, v)
 *   PREFETCH(p)                        of what will be loaded, if sources are read from memory
 *   SELECTION(bytes, lane_bits)        from a row of bmf_network.selection
 *   SELECT(a, b, s)                    the lanes s selects of two registers
 *   ADD_LANE(v, lane, element_bits)    lane l of the result is lane l + `lane` (exclusive or) of v
 *
 * Registers are exchanged in groups of up to four stages, which fit the register file; two groups serve up to six. */

/* Sanitizers rewrite loops so that the compiler cannot unroll them, and says so; clang does, and takes minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define KERNEL_UNROLL(pragma)
#else
#define KERNEL_UNROLL(pragma) _Pragma(#pragma)
#endif
#define KERNEL_INLINE KERNEL_TARGET __attribute__((always_inline)) static inline

typedef struct KERNEL(micro) {
    const bmf_network *network;
    const char *source; /* of the micro tile: positions of its registers are added by exclusive or */
    char *target;
    uint64_t from, ahead; /* positions: to load, to prefetch */
    uint32_t to;
    unsigned lane;                             /* to add after the last stage */
    uint64_t source_vector[1 << NETWORK_RANK]; /* copies, since stores may alias */
    uint32_t target_vector[1 << NETWORK_RANK];
} KERNEL(micro);

KERNEL_INLINE void KERNEL(load)(const KERNEL(micro) * m, int r, bool adds, KERNEL_VECTOR *v)
{
    PREFETCH(m->source + (m->from ^ m->ahead ^ m->source_vector[r]));
    *v = LOAD(m->source + (m->from ^ m->source_vector[r]));
    if (adds)
        *v = ADD_LANE(*v, m->network->before_lane[r], m->network->element_bits);
}

KERNEL_INLINE void KERNEL(store)(const KERNEL(micro) * m, int r, bool adds, const KERNEL_VECTOR *v)
{
    KERNEL_VECTOR result = *v;
    if (adds)
        result = ADD_LANE(result, m->network->after_lane[r] ^ m->lane, m->network->element_bits);
    STORE(m->target + (m->to ^ m->target_vector[r]), result);
}

/* Stages first .. first + stages - 1 on the 2^stages registers base + t 2^first. Registers come from memory in the
 * first group and go there in the last; in between they are in `between`. */
KERNEL_INLINE void KERNEL(group)(const KERNEL(micro) * m, KERNEL_SELECTION s[][2], int first, int stages, int rank,
                                 int base, bool adds, KERNEL_VECTOR *between)
{
    KERNEL_VECTOR v[16];
    KERNEL_UNROLL(GCC unroll 16)
    for (int t = 0; t < 1 << stages; t++)
        if (first == 0)
            KERNEL(load)(m, base + t, adds, &v[t]);
        else
            v[t] = between[base + (t << first)];
    KERNEL_UNROLL(GCC unroll 4)
    for (int k = 0; k < stages; k++) {
        KERNEL_UNROLL(GCC unroll 16)
        for (int t = 0; t < 1 << stages; t++)
            if ((t >> k & 1) == 0) {
                const KERNEL_VECTOR low = v[t], high = v[t + (1 << k)];
                v[t] = SELECT(low, high, s[first + k][0]);
                v[t + (1 << k)] = SELECT(low, high, s[first + k][1]);
            }
    }
    if (rank == 0 && m->network->exchanges)
        v[0] = SELECT(v[0], v[0], s[0][0]);
    KERNEL_UNROLL(GCC unroll 16)
    for (int t = 0; t < 1 << stages; t++)
        if (first + stages == rank)
            KERNEL(store)(m, base + (t << first), adds, &v[t]);
        else
            between[base + (t << first)] = v[t];
}

KERNEL_INLINE void KERNEL(micro_tile)(const KERNEL(micro) * m, KERNEL_SELECTION s[][2], int rank, bool adds)
{
    KERNEL_VECTOR between[1 << NETWORK_RANK];
    if (rank <= 4) {
        KERNEL(group)(m, s, 0, rank, rank, 0, adds, between);
        return;
    }
    for (int base = 0; base < 1 << rank; base += 8)
        KERNEL(group)(m, s, 0, 3, rank, base, adds, between);
    for (int base = 0; base < 8; base++)
        KERNEL(group)(m, s, 3, rank - 3, rank, base, adds, between);
}

KERNEL_INLINE void KERNEL(step)(KERNEL(micro) * m, int step)
{
    m->from ^= m->network->source_step[step];
    m->to ^= m->network->target_step[step];
    m->lane ^= m->network->lane_step[step];
}

KERNEL_INLINE void KERNEL(tile)(const bmf_network *network, const bmf_tile *tile, int rank)
{
    KERNEL_SELECTION s[NETWORK_RANK][2];
    for (int k = 0; k < (rank > 0 ? rank : 1); k++)
        for (int q = 0; q < 2; q++)
            s[k][q] = SELECTION(network->selection[k][q], network->lane_bits);
    const uint64_t lanes = low_bits(network->lane_bits);
    const uint64_t begin = tile->turn << network->turn_steps, end = (tile->turn + 1) << network->turn_steps;
    KERNEL(micro)
    m = {.network = network,
         .source = tile->source,
         .target = tile->target,
         .from = tile->from,
         .ahead = tile->ahead,
         .to = (uint32_t)(tile->complement & ~lanes) << network->element_bits,
         .lane = (unsigned)(tile->complement & lanes)};
    for (uint64_t open = begin ^ begin >> 1; open; open &= open - 1)
        KERNEL(step)(&m, __builtin_ctzll(open));
    for (int r = 0; r < 1 << rank; r++) {
        m.source_vector[r] = network->source_vector[r];
        m.target_vector[r] = network->target_vector[r];
    }
    const bool adds = network->before || network->after || (tile->complement & lanes) != 0;
    for (uint64_t q = begin; q < end; q++) {
        if (adds)
            KERNEL(micro_tile)(&m, s, rank, true);
        else
            KERNEL(micro_tile)(&m, s, rank, false);
        KERNEL(step)(&m, tiling_step(q));
    }
}

/* A bmf_network_kernel. */
KERNEL_TARGET static void KERNEL(permute)(const bmf_network *network, const bmf_tile *tile)
{
    switch (network->rank) {
    case 0:
        KERNEL(tile)(network, tile, 0);
        break;
    case 1:
        KERNEL(tile)(network, tile, 1);
        break;
    case 2:
        KERNEL(tile)(network, tile, 2);
        break;
    case 3:
        KERNEL(tile)(network, tile, 3);
        break;
    case 4:
        KERNEL(tile)(network, tile, 4);
        break;
    case 5:
        KERNEL(tile)(network, tile, 5);
        break;
    default:
        KERNEL(tile)(network, tile, NETWORK_RANK);
    }
}
#undef KERNEL_INLINE
#undef KERNEL_UNROLL
