/* chain: all programs one after the other, each fed by the one before: a random matrix (or the Mandelbrot set) is
 * shuffled, thresholded (or percolated), the mask lives, chooses points; these are normalised, a ring is laid around
 * them, the distances of its points make a linear system, which is solved twice; what remains is the larger
 * residual. */
#include "programs.h"

#include <math.h>
#include <string.h>

struct choices {
    const char *first, *mask;
    bool copy, pivot;
};

static struct matrix first_matrix(const struct run *run, const struct choices *choices)
{
    const struct view view = {-2, -1.25, 2.5, 2.5, 150};
    return strcmp(choices->first, "mandel") == 0 ? mandel(run, &view) : randmat(run);
}

/* The points that the mask of the shuffled matrix leaves. */
static struct matrix choose_points(const struct run *run, const struct choices *choices)
{
    struct matrix start = first_matrix(run, choices), cells = half(run, &start);
    struct matrix mask = strcmp(choices->mask, "invperc") == 0 ? invperc(run, &cells, 0.3) : thresh(run, &cells, 0.3);
    life(run, &mask, 2);
    struct matrix points = winnow(run, &cells, &mask, 2);
    matrix_free(&start);
    matrix_free(&cells);
    matrix_free(&mask);
    return points;
}

/* The largest element of a x - b. */
static double residual(const struct run *run, const struct matrix *a, const struct matrix *x, const struct matrix *b)
{
    struct matrix found = product(run, a, x);
    const double largest = vecdiff(run, &found, b);
    matrix_free(&found);
    return largest;
}

/* Solves the system in both ways. */
static double solve(const struct run *run, const struct choices *choices, const struct matrix *ring)
{
    struct matrix b, a = outer(run, ring, choices->copy, &b);
    if (choices->copy) { /* the solvers want rows dealt evenly */
        matrix_free(&a);
        matrix_free(&b);
        a = outer(run, ring, false, &b);
    }
    struct matrix eliminated = gauss(run, &a, &b, choices->pivot), relaxed = sor(run, &a, &b, 1.1, 1e-10, 1000);
    const double largest = fmax(residual(run, &a, &eliminated, &b), residual(run, &a, &relaxed, &b));
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&eliminated);
    matrix_free(&relaxed);
    return largest;
}

int main(int argc, char **argv)
{
    struct choices choices = {.first = "randmat", .mask = "thresh"};
    const struct option options[] = {
        {"first", OPTION_TEXT, &choices.first, "randmat or mandel (randmat)"},
        {"masked-by", OPTION_TEXT, &choices.mask, "thresh or invperc (thresh)"},
        {"copy", OPTION_FLAG, &choices.copy, "outer by both of its methods"},
        {"pivot", OPTION_FLAG, &choices.pivot, "gauss with pivots"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    struct run run = run_open(argc, argv, "chain", "Runs all the programs, each fed by the one before.", options);
    run_begin(&run);
    struct matrix points = choose_points(&run, &choices);
    norm(&run, &points, 1);
    struct matrix ring = elastic(&run, &points, 5);
    const double largest = solve(&run, &choices, &ring);
    run_end(&run);
    output(&run, &ring);
    if (run.check && !(largest < 1e-8))
        fail(&run, 1, "check: a solution leaves %g", largest);
    const uint64_t checksum = matrix_checksum(&points);
    matrix_free(&points);
    matrix_free(&ring);
    return run_close(&run, checksum);
}
