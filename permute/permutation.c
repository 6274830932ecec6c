/* BMMC permutations: composition, inverse, classes, and the named ones of document 003, 2.4 and 2.5. */
#include "bmf/permutation.h"
#include "permute/gf2.h"

bmf_permutation_class bmf_permutation_classify(const bmf_permutation *p)
{
    if (bmf_bit_matrix_is_identity(&p->matrix))
        return p->complement == 0 ? BMF_CLASS_IDENTITY : BMF_CLASS_COMPLEMENT;
    return bmf_bit_matrix_is_permutation(&p->matrix) ? BMF_CLASS_BPC : BMF_CLASS_BMMC;
}

const char *bmf_permutation_class_name(bmf_permutation_class class_)
{
    static const char *const name[] = {"identity", "complement", "BPC", "BMMC"};
    return name[class_];
}

void bmf_permutation_compose(const bmf_permutation *second, const bmf_permutation *first, bmf_permutation *composition)
{
    uint64_t complement = bmf_permutation_apply(second, first->complement);
    bmf_bit_matrix_product(&second->matrix, &first->matrix, &composition->matrix);
    composition->bits = composition->matrix.bits;
    composition->complement = complement;
}

void bmf_permutation_inverse(const bmf_permutation *p, bmf_permutation *inverse)
{
    uint64_t complement = p->complement;
    bmf_bit_matrix_inverse(&p->matrix, &inverse->matrix);
    inverse->bits = inverse->matrix.bits;
    inverse->complement = bmf_bit_matrix_apply(&inverse->matrix, complement);
}

bool bmf_permutation_equal(const bmf_permutation *a, const bmf_permutation *b)
{
    return a->complement == b->complement && bmf_bit_matrix_equal(&a->matrix, &b->matrix);
}

void bmf_permutation_identity(int bits, bmf_permutation *p)
{
    p->bits = bits;
    p->complement = 0;
    bmf_bit_matrix_identity(bits, &p->matrix);
}

static void start(int bits, bmf_permutation *p)
{
    *p = (bmf_permutation){.bits = bits, .matrix.bits = bits};
}

void bmf_permutation_bit_reversal(int bits, bmf_permutation *p)
{
    start(bits, p);
    for (int j = 0; j < bits; j++)
        p->matrix.column[j] = UINT64_C(1) << (bits - 1 - j);
}

void bmf_permutation_rotation(int bits, int by, bmf_permutation *p)
{
    start(bits, p);
    for (int j = 0; j < bits; j++)
        p->matrix.column[j] = UINT64_C(1) << (j + by) % bits;
}

void bmf_permutation_gray(int bits, bmf_permutation *p)
{
    start(bits, p);
    for (int j = 0; j < bits; j++)
        p->matrix.column[j] = UINT64_C(1) << j | (j > 0 ? UINT64_C(1) << (j - 1) : 0);
}

void bmf_permutation_inverse_gray(int bits, bmf_permutation *p)
{
    start(bits, p);
    for (int j = 0; j < bits; j++)
        p->matrix.column[j] = low_bits(j + 1);
}

void bmf_permutation_reblocking(int bits, int a, int b, int c, bmf_permutation *p)
{
    start(bits, p);
    for (int j = 0; j < bits; j++) {
        int to = j < a || j >= a + b + c ? j : j < a + b ? j + c : j - b;
        p->matrix.column[j] = UINT64_C(1) << to;
    }
}

void bmf_permutation_print_matrix(const bmf_permutation *p, FILE *stream)
{
    for (int i = 0; i < p->bits; i++) {
        for (int j = 0; j < p->bits; j++)
            putc('0' + bmf_bit_matrix_at(&p->matrix, i, j), stream);
        putc('\n', stream);
    }
}
