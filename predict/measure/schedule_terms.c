/* Terms of schedules, and their coefficients.
 *
 * Method: packed messages of a round between two ranks count as one message with the sum of their bytes
 * (runtime/cluster/exchange.c). A size is shared by the two of a row of sizes between which it lies, so that their
 * coefficients are a time on straight lines over bytes; two neighbours stand where messages change their way. Copies
 * are those of the rank with the most. Coefficients are found one after the other, each as the other ones let it be
 * best, which converges for a convex sum. Source: own; the last is cyclic coordinate descent for non-negative least
 * squares (Franc, Hlavac, Navara, CAIP 2005). */
#include "predict/measure/schedule_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/wire.h"
#include "runtime/base/allocate.h"

enum { SWEEPS = 4000 };

/* MPI libraries send messages up to about 8 KiB at once, and wait for receivers of longer ones. */
static const double size_row[BMF_TERM_SIZES] = {8,
                                                64,
                                                512,
                                                2048,
                                                4096,
                                                8192,
                                                8193,
                                                16384,
                                                32768,
                                                BMF_PACK_LIMIT,
                                                BMF_PACK_LIMIT + 1,
                                                1 << 17,
                                                BMF_DIRECT_LIMIT - 1,
                                                BMF_DIRECT_LIMIT,
                                                1 << 19,
                                                1 << 20,
                                                1 << 21,
                                                1 << 22,
                                                1 << 23,
                                                1 << 24,
                                                1 << 26};

static void add_size(double bytes, double *shares)
{
    const double largest = size_row[BMF_TERM_SIZES - 1];
    int k = 0;
    if (bytes >= largest) {
        shares[BMF_TERM_SIZES - 1] += bytes / largest;
        return;
    }
    bytes = fmax(bytes, size_row[0]);
    while (size_row[k + 1] <= bytes)
        k++;
    const double share = (bytes - size_row[k]) / (size_row[k + 1] - size_row[k]);
    shares[k] += 1.0 - share;
    shares[k + 1] += share;
}

/* What is added up of a schedule. */
typedef struct adding {
    int64_t ranks, count;
    double *packed;  /* bytes of this round, from rank to rank */
    double *inside;  /* BMF_TERM_SIZES of every rank */
    int64_t *copies; /* of every rank */
    double *term;
    bool crossed;
} adding;

static void add_message(adding *a, const bmf_message *m)
{
    const int64_t from = block_of(a->count, a->ranks, m->from), to = block_of(a->count, a->ranks, m->to);
    if (from == to) {
        add_size((double)m->bytes, &a->inside[from * BMF_TERM_SIZES]);
        a->copies[from]++;
        return;
    }
    a->crossed = true;
    if (wire_packs(m))
        a->packed[from * a->ranks + to] += (double)m->bytes;
    else
        add_size((double)m->bytes, &a->term[BMF_TERM_BETWEEN]);
}

static void add_round(adding *a, const bmf_round *round)
{
    a->crossed = false;
    for (int64_t k = 0; k < round->count; k++)
        add_message(a, &round->message[k]);
    for (int64_t pair = 0; pair < a->ranks * a->ranks && a->crossed; pair++) {
        if (a->packed[pair] > 0)
            add_size(a->packed[pair], &a->term[BMF_TERM_BETWEEN]);
        a->packed[pair] = 0;
    }
    a->term[BMF_TERM_ROUNDS] += 1.0;
    a->term[BMF_TERM_CROSSED] += a->crossed;
}

typedef struct size_of {
    int64_t count, bytes;
    bool shared; /* bytes are of all items */
} size_of;

static int64_t message_bytes(const void *state, int64_t first, int64_t count)
{
    const size_of *of = state;
    (void)first;
    return of->shared ? (int64_t)((double)of->bytes * (double)count / (double)of->count) : of->bytes;
}

static void add_schedule(adding *a, const bmf_algorithm *algorithm, const bmf_schedule_request *request)
{
    bmf_schedule *schedule = schedule_create(algorithm->name, 0, request->group->count);
    algorithm->generate(schedule, 0, request);
    for (int r = 0; r < schedule->rounds; r++)
        add_round(a, &schedule->round[r]);
    schedule_free(schedule);
}

void schedule_terms(const bmf_algorithm *algorithm, const bmf_cost_model *cost, int64_t ranks, int64_t count,
                    int64_t bytes, double term[BMF_TERMS])
{
    const bmf_group group = {0, 0, count};
    const bool lists = strcmp(algorithm->skeleton, "split") == 0 || strcmp(algorithm->skeleton, "gather") == 0;
    const size_of size = {count, bytes, lists};
    const bmf_schedule_request request = {.group = &group, .bytes = message_bytes, .state = &size, .cost = cost};
    adding a = {.ranks = ranks,
                .count = count,
                .packed = allocate_clear(ranks * ranks, (int64_t)sizeof(double)),
                .inside = allocate_clear(ranks * BMF_TERM_SIZES, (int64_t)sizeof(double)),
                .copies = allocate_clear(ranks, (int64_t)sizeof(int64_t)),
                .term = term};
    memset(term, 0, BMF_TERMS * sizeof *term);
    term[BMF_TERM_CONSTANT] = 1.0;
    term[BMF_TERM_EACH] = (double)count / (double)ranks;
    add_schedule(&a, algorithm, &request);
    if (algorithm->to_first) /* and the total to all */
        add_schedule(&a, &algorithm_distl_tree, &request);
    int64_t busiest = 0;
    for (int64_t r = 1; r < ranks; r++)
        busiest = a.copies[r] > a.copies[busiest] ? r : busiest;
    memcpy(&term[BMF_TERM_INSIDE], &a.inside[busiest * BMF_TERM_SIZES], BMF_TERM_SIZES * sizeof *term);
    free(a.packed);
    free(a.inside);
    free(a.copies);
}

double terms_sum(const double term[BMF_TERMS], const double coefficient[BMF_TERMS])
{
    double sum = 0.0;
    for (int k = 0; k < BMF_TERMS; k++)
        sum += term[k] * coefficient[k];
    return sum;
}

/* The normal equations of relative times, which are all to be 1. */
static void add_up(int64_t rows, double (*term)[BMF_TERMS], const double *seconds, double product[BMF_TERMS][BMF_TERMS],
                   double right[BMF_TERMS])
{
    for (int64_t r = 0; r < rows; r++)
        for (int i = 0; i < BMF_TERMS; i++) {
            const double x = term[r][i] / seconds[r];
            right[i] += x;
            for (int j = 0; j < BMF_TERMS && x != 0.0; j++)
                product[i][j] += x * term[r][j] / seconds[r];
        }
}

void terms_fit(int64_t rows, double (*term)[BMF_TERMS], const double *seconds, double coefficient[BMF_TERMS])
{
    static const double enough = 1e-7; /* relative changes of what the terms make */
    double product[BMF_TERMS][BMF_TERMS] = {{0}}, right[BMF_TERMS] = {0}, change = 1.0;
    memset(coefficient, 0, BMF_TERMS * sizeof *coefficient);
    add_up(rows, term, seconds, product, right);
    for (int sweep = 0; sweep < SWEEPS && change > enough; sweep++) {
        change = 0.0;
        for (int i = 0; i < BMF_TERMS; i++) {
            double rest = right[i];
            if (!(product[i][i] > 0.0))
                continue;
            for (int j = 0; j < BMF_TERMS; j++)
                rest -= product[i][j] * coefficient[j];
            const double next = fmax(coefficient[i] + rest / product[i][i], 0.0);
            change = fmax(change, fabs(next - coefficient[i]) * sqrt(product[i][i] / (double)rows));
            coefficient[i] = next;
        }
    }
}
