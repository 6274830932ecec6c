; /*
; The product of two matrices of n x n doubles on p x p nodes (document 004, 8.4). Node (x, y) has the tile in row y and
; column x of A, B and C. In step k of p, in row y the node in column (y + k) mod p broadcasts its tile of A; all
; multiply it with their tile of B; the tiles of B move up by one row. bmf cop run matmul.c --size 6x6
(define n 60)
(define tile (* 2 (/ n *xsize*) (/ n *xsize*)))
(loop 'mul *xsize*
  (subset rows (broadcast 'b (runtime) :m tile :type float64*))
  (subset cols (cshift 'c -1 :m tile :type float64*)))
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <matmul.cop.h>

enum { N = 60 };

static double a_of(int row, int column)
{
    return (row * 7 + column * 3) % 11 - 5;
}

static double b_of(int row, int column)
{
    return (row * 5 + column * 13) % 17 - 8;
}

/* A multiply-add takes five cycles. */
static void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    cop_delay(5.0 * n * n * n);
}

/* Differences from the product as anybody would compute it; whole numbers, so there are none. */
static int check(int n, int first_row, int first_column, const double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a_of(first_row + i, k) * b_of(k, first_column + j);
            if (sum < c[i * n + j] || sum > c[i * n + j])
                return 1;
        }
    return 0;
}

int main(void)
{
    int p = 1;
    while (p * p < cop_nodes())
        p++;
    const int n = N / p, x = cop_node() % p, y = cop_node() / p;
    const size_t size = (size_t)(n * n) * sizeof(double);
    double *a = malloc(size), *b = malloc(size), *c = calloc(1, size), *tile = malloc(size);
    if (!a || !b || !c || !tile)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = a_of(y * n + i, x * n + j);
            b[i * n + j] = b_of(y * n + i, x * n + j);
        }
    cop_init();
    for (int k = 0; k < p; k++) {
        const int source = (y + k) % p;
        b_load(source);
        if (source == x) {
            b_write(a);
            memcpy(tile, a, size);
        } else {
            b_read(tile);
        }
        multiply(n, tile, b, c);
        c_load();
        c_func(b, b);
    }
    cop_fini();
    const int wrong = check(n, y * n, x * n, c);
    if (wrong)
        printf("node %d has a wrong product\n", cop_node());
    free(a);
    free(b);
    free(c);
    free(tile);
    return wrong;
}
