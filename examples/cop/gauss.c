; /*
; Gaussian elimination with pivots (document 004, 2.8 and 8.4): element (r, c) is on node (c mod p, r mod p), the
; right-hand side in column 0; its element goes along with a row in s2 and b3. The multipliers of a step go along rows
; in messages of a row each (b1), one behind the other. bmf cop run gauss.c --size 5x5
(define n 210)
(define own (/ n *xsize*))
(define chunk (* 2 own))
(loop 'elim n
  (subset cols (allreduce 'r0 'maxloc :m 3 :c 2))
  (subset rows (broadcast 'b1 (runtime) :m 3 :c own :pipelined t))
  (subset cols (stream 's2 (runtime) (runtime) :m (+ chunk 2) :type float64*)
               (broadcast 'b3 (runtime) :m (+ chunk 2) :type float64*)))
(loop 'subst n
  (subset rows (stream 's4 (runtime) 0 :m chunk :type float64*))
  (subset (list (car cols)) (broadcast 'b5 (runtime) :m 2 :type float64)))
*/
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gauss.cop.h>

enum { N = 210 };

/* A row's number and a value, as three words. */
static void pack(int32_t row, double value, int32_t words[3])
{
    words[0] = row;
    memcpy(words + 1, &value, sizeof value);
}

static double value_of(const int32_t words[3])
{
    double value;
    memcpy(&value, words + 1, sizeof value);
    return value;
}

/* The element of largest magnitude; no row (-1) is smaller than all others. */
void maxloc(const int32_t *a, const int32_t *b, int32_t *out)
{
    const int first = b[0] < 0 || (a[0] >= 0 && fabs(value_of(a)) >= fabs(value_of(b)));
    memmove(out, first ? a : b, 3 * sizeof *out);
}

/* Between -1 and 1, without order. */
static double element(int row, int column)
{
    uint32_t x = (uint32_t)row * 2654435761u + (uint32_t)column * 40503u + 12345u;
    for (int k = 0; k < 3; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return (double)x / 2147483648.0 - 1;
}

static double solution(int i)
{
    return i % 7 - 3;
}

typedef struct part {
    int p, x, y, own; /* nodes along an edge, this one's place, its rows and columns */
    double *a, *b;    /* rows one after the other; b on nodes of column 0 only */
    double *row, *moved, *factor;
} part;

static double *row_of(const part *m, int local)
{
    return m->a + local * m->own;
}

static void fill(part *m)
{
    for (int k = 0; k < m->own; k++) {
        const int r = m->y + k * m->p;
        for (int j = 0; j < m->own; j++)
            row_of(m, k)[j] = element(r, m->x + j * m->p);
        for (int c = 0; c < N; c++)
            m->b[k] += element(r, c) * solution(c);
    }
}

/* A row with the element of the right-hand side behind it. */
static void copy_out(const part *m, int local, double *to)
{
    memcpy(to, row_of(m, local), (size_t)m->own * sizeof *to);
    to[m->own] = m->b[local];
}

static void copy_in(part *m, int local, const double *from)
{
    memcpy(row_of(m, local), from, (size_t)m->own * sizeof *from);
    m->b[local] = from[m->own];
}

/* In the column of the pivot: its row and value, and the element in row i, which takes the place of the pivot's row. */
static void find_pivot(const part *m, int i, int32_t best[3], int32_t diagonal[3])
{
    pack(-1, 0, best);
    pack(-1, 0, diagonal);
    for (int k = 0; k < m->own; k++) {
        const int r = m->y + k * m->p;
        int32_t candidate[3];
        pack(r, row_of(m, k)[i / m->p], candidate);
        if (r >= i)
            maxloc(best, candidate, best);
        if (r == i)
            memcpy(diagonal, candidate, sizeof candidate);
    }
    r0_load();
    r0_func(best, best);
    r0_func(diagonal, diagonal);
}

/* Returns the pivot's row. */
static int spread_factors(part *m, int i, const int32_t best[3], const int32_t diagonal[3])
{
    int pivot = best[0];
    b1_load(i % m->p);
    for (int k = 0; k < m->own; k++) {
        const int r = m->y + k * m->p;
        int32_t words[3];
        if (m->x == i % m->p) {
            const double element = r == pivot ? value_of(diagonal) : row_of(m, k)[i / m->p];
            pack(pivot, element / value_of(best), words);
            b1_write(words);
        } else {
            b1_read(words);
        }
        pivot = words[0];
        m->factor[k] = value_of(words);
    }
    return pivot;
}

static void eliminate(part *m, int i)
{
    int32_t best[3], diagonal[3];
    find_pivot(m, i, best, diagonal);
    const int pivot = spread_factors(m, i, best, diagonal), from = i % m->p, to = pivot % m->p;
    s2_load(from, to);
    if (m->y == from) {
        copy_out(m, i / m->p, m->moved);
        s2_write(m->moved);
    }
    if (m->y == to) {
        copy_out(m, pivot / m->p, m->row);
        s2_read(m->moved);
        copy_in(m, pivot / m->p, m->moved);
    }
    b3_load(to);
    if (m->y == to)
        b3_write(m->row);
    else
        b3_read(m->row);
    if (m->y == from)
        copy_in(m, i / m->p, m->row);
    for (int k = 0; k < m->own; k++)
        if (m->y + k * m->p > i) {
            for (int j = 0; j < m->own; j++)
                row_of(m, k)[j] -= m->factor[k] * m->row[j];
            m->b[k] -= m->factor[k] * m->row[m->own];
        }
    cop_delay(3.071 * m->own * m->own + 2.068 * m->own);
}

/* x_i takes the place of b_i. */
static void substitute(part *m, int i)
{
    s4_load(i % m->p);
    if (m->x == i % m->p) {
        for (int k = 0; k < m->own; k++)
            m->moved[k] = row_of(m, k)[i / m->p];
        s4_write(m->moved);
    }
    if (m->x == 0) {
        double x;
        s4_read(m->moved);
        b5_load(i % m->p);
        if (m->y == i % m->p) {
            x = m->b[i / m->p] /= m->moved[i / m->p];
            b5_write(x);
        } else {
            x = b5_read();
        }
        for (int k = 0; k < m->own; k++)
            if (m->y + k * m->p < i)
                m->b[k] -= m->moved[k] * x;
    }
    cop_delay(m->own);
}

int main(void)
{
    part m = {.p = 1};
    while (m.p * m.p < cop_nodes())
        m.p++;
    m.x = cop_node() % m.p;
    m.y = cop_node() / m.p;
    m.own = N / m.p;
    m.a = calloc((size_t)(m.own * m.own), sizeof *m.a);
    m.b = calloc((size_t)m.own, sizeof *m.b);
    m.row = calloc((size_t)m.own + 1, sizeof *m.row);
    m.moved = calloc((size_t)m.own + 1, sizeof *m.moved);
    m.factor = calloc((size_t)m.own, sizeof *m.factor);
    if (!m.a || !m.b || !m.row || !m.moved || !m.factor)
        return 1;
    fill(&m);
    cop_init();
    for (int i = 0; i < N; i++)
        eliminate(&m, i);
    for (int i = N - 1; i >= 0; i--)
        substitute(&m, i);
    cop_fini();
    double error = 0;
    for (int k = 0; k < m.own && m.x == 0; k++)
        error = fmax(error, fabs(m.b[k] - solution(m.y + k * m.p)));
    const int wrong = !(error < 1e-7);
    if (wrong)
        printf("node %d has a wrong solution, by %g\n", cop_node(), error);
    free(m.a);
    free(m.b);
    free(m.row);
    free(m.moved);
    free(m.factor);
    return wrong;
}
