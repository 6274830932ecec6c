/* Cormen's 1-permutable sets, document 003, 4.1 to 4.3.
 *
 * Method: S are d columns of A, independent in the device rows; Q is their square matrix. T are the device columns
 * outside S, U those in S, V the rest. Then x_S = Q^-1 A_T i_T + R(i) + c, x_T = i_T, x_V = 0. The document leaves the
 * order of S inside x_S open when the device bits are not the lowest; x reaches every device only if U's columns come
 * first, as R puts U's bits first. With the lowest bits that is the increasing order. Cost: n d word operations once, d
 * for every address. */
#include "permute/gf2.h"
#include "permute/one_permutable.h"

uint64_t device_basis_columns(const bmf_bit_matrix *a, int first, int device_bits)
{
    uint64_t column[BMF_MAX_BITS], basis = 0;
    for (int j = 0; j < a->bits; j++)
        column[j] = a->column[j] >> first & low_bits(device_bits);
    for (int j = 0; j < a->bits; j++) {
        if (column[j] == 0)
            continue;
        int row = __builtin_ctzll(column[j]);
        for (int k = j + 1; k < a->bits; k++)
            if (column[k] >> row & 1)
                column[k] ^= column[j];
        basis |= UINT64_C(1) << j;
    }
    return basis;
}

void one_permutable_make(const bmf_permutation *p, int first, int device_bits, bmf_one_permutable *set)
{
    uint64_t devices = low_bits(device_bits) << first;
    *set = (bmf_one_permutable){.bits = p->bits, .first = first, .device_bits = device_bits};
    set->complement = p->complement >> first & low_bits(device_bits);
    set->s = device_basis_columns(&p->matrix, first, device_bits);
    set->t = devices & ~set->s;
    set->u = devices & set->s;
    set->v = low_bits(p->bits) & ~(set->s | set->t);
    set->q.bits = device_bits;
    int n = 0;
    for (uint64_t open = set->u; open; open &= open - 1)
        set->s_column[n++] = __builtin_ctzll(open);
    for (uint64_t open = set->s & ~set->u; open; open &= open - 1)
        set->s_column[n++] = __builtin_ctzll(open);
    for (int k = 0; k < n; k++)
        set->q.column[k] = p->matrix.column[set->s_column[k]] >> first & low_bits(device_bits);
    bmf_bit_matrix_inverse(&set->q, &set->q_inverse);
    int k = 0;
    for (uint64_t open = set->t; open; open &= open - 1) {
        uint64_t column = p->matrix.column[__builtin_ctzll(open)] >> first & low_bits(device_bits);
        set->t_column[k++] = bmf_bit_matrix_apply(&set->q_inverse, column);
    }
}

/* The bits of `word` at the places that `places` names, moved together. */
static uint64_t gather_bits(uint64_t word, uint64_t places)
{
    uint64_t gathered = 0;
    for (int k = 0; places; places &= places - 1, k++)
        gathered |= (word >> __builtin_ctzll(places) & 1) << k;
    return gathered;
}

uint64_t one_permutable_r(const bmf_one_permutable *set, uint64_t i)
{
    uint64_t address = i << set->first;
    return gather_bits(address, set->u) | gather_bits(address, set->t) << __builtin_popcountll(set->u);
}

uint64_t one_permutable_source(const bmf_one_permutable *set, uint64_t i, uint64_t j)
{
    uint64_t address = i << set->first, x = address & set->t;
    uint64_t x_s =
        columns_apply(set->t_column, gather_bits(address, set->t)) ^ one_permutable_r(set, i) ^ set->complement;
    for (uint64_t open = x_s; open; open &= open - 1)
        x |= UINT64_C(1) << set->s_column[__builtin_ctzll(open)];
    uint64_t below = j & low_bits(set->first), above = j >> set->first;
    return x ^ (below | above << (set->first + set->device_bits));
}
