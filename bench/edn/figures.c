/* The DECmpp's figures beside the model.
 *
 * Model: a permutation takes setup + rounds (round + iteration * router count). Rows need no setup. The router counts
 * come from predict/network/edn.h; those of all rounds are equal, because their targets differ by a constant that only
 * renames ports (ctest/unit/edn.c). Three constants are fitted by weighted least squares: setup and the cost of a round
 * from the column identity, sets; what an iteration costs from the column transposition, rows. Everything else checks
 * them. Source: document 003, figures 5.1 to 5.6. */
#include "bench/edn/figures.h"

#include <math.h>
#include <stdlib.h>

#include "predict/statistics/least_squares.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"

static const edn_column published_columns[] = {
    {.permutation = "identity",
     .method = BMF_RECORDS_CLUSTERS,
     .published = {0.011, 0.016, 0.025, 0.043, 0.08, 0.155, 0.308, 0.619, 1.251, 2.53, 5.128}},
    {.permutation = "identity",
     .method = BMF_RECORDS_SETS,
     .published = {0.007, 0.038, 0.069, 0.012, 0.017, 0.028, 0.049, 0.092, 0.178, 0.352, 0.702},
     .doubtful = {[1] = true, [2] = true},
     .fitted = true},
    {.permutation = "identity",
     .method = BMF_RECORDS_ROWS,
     .published = {0.001, 0.022, 0.063, 0.005, 0.011, 0.021, 0.043, 0.065, 0.121, 0.295, 0.654},
     .doubtful = {[1] = true, [2] = true}},
    {.permutation = "transposition",
     .method = BMF_RECORDS_CLUSTERS,
     .published = {0.011, 0.017, 0.027, 0.043, 0.080, 0.169, 0.336, 0.620, 1.251, 2.532, 5.130}},
    {.permutation = "transposition",
     .method = BMF_RECORDS_SETS,
     .published = {0.008, 0.011, 0.013, 0.013, 0.023, 0.044, 0.108, 0.194, 0.301, 0.680, 1.136}},
    {.permutation = "transposition",
     .method = BMF_RECORDS_ROWS,
     .published = {0.001, 0.005, 0.010, 0.029, 0.075, 0.125, 0.457, 1.779, 7.022, 27.936, 55.876},
     .fitted = true},
};
enum { COLUMNS = EDN_PERMUTATIONS * EDN_METHODS, IDENTITY_SETS = 1, TRANSPOSITION_ROWS = 5 };
_Static_assert(sizeof published_columns / sizeof *published_columns == COLUMNS, "a column for each");

static const edn_frequencies published_frequencies[EDN_MACHINES] = {{128, {88.1, 11.9, 0.0}, {0}},
                                                                    {256, {82.7, 17.0, 0.3}, {0}}};

static const double serialisation_means[EDN_SIZES] = {16.0, 18.0, 19.3, 19.7, 20.1, 20.1, 21.6, 22.4, 24.6, 29.5, 34.1};

/* ---- router counts ---- */

typedef struct router {
    const bmf_edn_place *place;
    bmf_edn *edn;
    bmf_message *message;
    int64_t routed;
} router;

/* Routes the first round of a permutation of the machine's processors; returns how many rounds there are. */
static int64_t route_round(router *r, const bmf_permutation *p, bmf_record_method method)
{
    bmf_record_rounds rounds;
    edn_clear(r->edn);
    if (record_rounds_make(p, EDN_PROCESSOR_BITS, method, r->place, &rounds) != BMF_OK)
        return 0;
    record_round(&rounds, 0, r->place->word_bytes, r->message);
    for (int64_t k = 0; k < rounds.records; k++)
        edn_route(r->edn, edn_port_of(r->place, (uint64_t)r->message[k].from),
                  edn_port_of(r->place, (uint64_t)r->message[k].to));
    r->routed += rounds.records;
    return rounds.rounds;
}

static void count_column(router *r, edn_column *column)
{
    for (int m = 0; m < EDN_SIZES; m++) {
        bmf_permutation p;
        /* 2^m rows of 2^11: the first record of every processor goes to the first processors */
        bmf_permutation_rotation(EDN_PROCESSOR_BITS + m, column->permutation[0] == 't' ? EDN_PROCESSOR_BITS : 0, &p);
        column->rounds[m] = route_round(r, &p, column->method);
        column->count[m] = edn_iterations(r->edn);
    }
}

/* Sets of clusters of random permutations of as many records as there are clusters: affine maps of ports. */
static void count_frequencies(int64_t matrices, const bmf_edn_shape *shape, edn_frequencies *f, int64_t *routed)
{
    const bmf_edn_shape own = {f->ports, shape->inputs, shape->buckets, shape->capacity};
    bmf_edn *edn = edn_create(&own);
    uint64_t seed = 1;
    for (int64_t n = 0; n < matrices; n++) {
        bmf_bit_matrix a;
        bmf_bit_matrix_random(__builtin_ctzll((uint64_t)f->ports), &seed, &a);
        edn_clear(edn);
        for (int64_t k = 0; k < f->ports; k++)
            edn_route(edn, k, (int64_t)bmf_bit_matrix_apply(&a, (uint64_t)k));
        for (int k = 0; k < EDN_COUNTS; k++)
            f->counted[k] += edn_iterations(edn) == 1 << k ? 100.0 / (double)matrices : 0.0;
    }
    *routed += matrices * f->ports;
    edn_free(edn);
}

/* ---- constants ---- */

/* Times are published to the millisecond; beside that their errors are taken to be proportional to them. */
static const double ROUNDING = 1e-3, SPREAD = 0.05;

static int usable(const edn_column *column, double x[EDN_SIZES], double y[EDN_SIZES], double weight[EDN_SIZES])
{
    int n = 0;
    for (int m = 0; m < EDN_SIZES; m++)
        if (!column->doubtful[m]) {
            y[n] = column->published[m];
            weight[n] = 1.0 / (SPREAD * SPREAD * y[n] * y[n] + ROUNDING * ROUNDING / 12.0);
            x[n++] = m;
        }
    return n;
}

/* What `columns` columns of a design cost each, by weighted least squares. */
static void solve(int rows, int columns, const double *design, const double *weight, const double *value,
                  double *solution)
{
    double covariance[4];
    bmf_least_squares s = {.rows = rows,
                           .columns = columns,
                           .design = design,
                           .weight = weight,
                           .value = value,
                           .solution = solution,
                           .covariance = covariance};
    if (!least_squares_solve(&s))
        solution[0] = solution[columns - 1] = NAN;
}

/* 16: iterations of a round in the first column, at every size. */
static void fit(edn_figures *f)
{
    const edn_column *sets = &f->column[IDENTITY_SETS], *rows = &f->column[TRANSPOSITION_ROWS];
    double x[EDN_SIZES], y[EDN_SIZES], w[EDN_SIZES], design[2 * EDN_SIZES], setup_and_each[2];
    int n = usable(sets, x, y, w);
    for (int k = 0; k < n; k++) {
        design[2 * k] = 1.0;
        design[2 * k + 1] = (double)sets->rounds[(int)x[k]];
    }
    solve(n, 2, design, w, y, setup_and_each);
    f->setup = setup_and_each[0];
    const double each = setup_and_each[1];
    n = usable(rows, x, y, w);
    for (int k = 0; k < n; k++) {
        const int m = (int)x[k];
        y[k] -= (double)rows->rounds[m] * each;
        x[k] = (double)(rows->rounds[m] * (rows->count[m] - sets->count[m]));
    }
    solve(n, 1, x, w, y, &f->iteration);
    f->round = each - (double)sets->count[0] * f->iteration;
}

static double seconds_of(const edn_figures *f, bmf_record_method method, int64_t rounds, int64_t count)
{
    const double setup = method == BMF_RECORDS_ROWS ? 0.0 : f->setup;
    return setup + (double)rounds * (f->round + f->iteration * (double)count);
}

/* ---- random permutations ---- */

/* One more random matrix; by method the seconds of its permutation. */
static void time_random(router *r, const edn_figures *f, edn_random *e, const bmf_permutation *p, int64_t matrices)
{
    for (int method = 0; method < EDN_METHODS; method++) {
        const int64_t rounds = route_round(r, p, (bmf_record_method)method);
        const double seconds = seconds_of(f, (bmf_record_method)method, rounds, edn_iterations(r->edn));
        e->seconds[method] += seconds / (double)matrices;
        if (e->scattered < EDN_SCATTER)
            e->scatter[method][e->scattered] = seconds;
        if (method != BMF_RECORDS_ROWS)
            continue;
        const int64_t ports = edn_serialisation(r->edn);
        e->mean += (double)ports / (double)matrices;
        e->min = ports < e->min ? ports : e->min;
        e->max = ports > e->max ? ports : e->max;
    }
    e->scattered += e->scattered < EDN_SCATTER;
}

static void average(router *r, int64_t matrices, edn_figures *f)
{
    uint64_t seed = 2;
    for (int m = 0; m < EDN_SIZES; m++) {
        edn_random *e = &f->random[m];
        *e = (edn_random){.published_min = 16,
                          .published_max = INT64_C(16) << m,
                          .min = INT64_MAX,
                          .published_mean = serialisation_means[m]};
        for (int64_t n = 0; n < matrices; n++) {
            bmf_permutation p = {.bits = EDN_PROCESSOR_BITS + m};
            bmf_bit_matrix_random(p.bits, &seed, &p.matrix);
            time_random(r, f, e, &p, matrices);
        }
    }
    f->crossing = 0;
    for (int m = EDN_SIZES - 1; m >= 0; m--) {
        const double *seconds = f->random[m].seconds;
        if (seconds[BMF_RECORDS_SETS] >= seconds[BMF_RECORDS_ROWS])
            break;
        f->crossing = INT64_C(1) << m;
    }
}

void edn_figures_make(const bmf_edn_place *place, int64_t matrices, int64_t frequencies, edn_figures *figures)
{
    const int64_t begin = monotonic_ns();
    router r = {.place = place, .edn = edn_create_stages(&place->shape, place->stage, place->stages)};
    r.message = allocate((INT64_C(1) << EDN_PROCESSOR_BITS) * (int64_t)sizeof *r.message);
    *figures = (edn_figures){0};
    for (int k = 0; k < COLUMNS; k++) {
        figures->column[k] = published_columns[k];
        count_column(&r, &figures->column[k]);
    }
    fit(figures);
    for (int k = 0; k < COLUMNS; k++) {
        edn_column *c = &figures->column[k];
        for (int m = 0; m < EDN_SIZES; m++)
            c->predicted[m] = seconds_of(figures, c->method, c->rounds[m], c->count[m]);
    }
    average(&r, matrices, figures);
    for (int k = 0; k < EDN_MACHINES; k++) {
        figures->frequencies[k] = published_frequencies[k];
        count_frequencies(frequencies, &place->shape, &figures->frequencies[k], &r.routed);
    }
    figures->routed = r.routed;
    figures->seconds = (double)(monotonic_ns() - begin) * 1e-9;
    free(r.message);
    edn_free(r.edn);
}
