/* Counts, bytes and tags as functions of the size d, of p, the rank r and the numbers k, j, i of the loops' turns.
 *
 * Method: sums of up to four terms, each a rational number times a function of the table or 1. Sums are tried in
 * order, those of fewer and simpler terms first; the coefficients follow from as many observations as there are terms
 * (Gaussian elimination over those that are independent), and all observations have to agree exactly. A term with d
 * needs three values of d, one with p three of p.
 * Cost: O(functions^2) sums, most of which the first few observations refuse.
 * Source: the forms are those of the issue on fitting; document 001, 3.2, has them for times.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/fit/fit_private.h"

enum { MAX_TERMS = 4, MAX_DENOMINATOR = 16, MIN_VALUES = 3, SPARE = 2, MANY_TERMS = 3 };
static const double tiny = 1e-9;

static double share(double d, double p, double r)
{
    return ceil((d - r) / p);
}

static double first_row(double m, double p, double r)
{
    const double least = floor(m / p), more = m - p * least;
    return r * least + (r < more ? r : more);
}

#define BASIS(name, expression)                                                                                        \
    static double name(const bmf_observation *at)                                                                      \
    {                                                                                                                  \
        const double d = at->d, p = at->p, r = at->r, k = at->k[0], j = at->k[1];                                      \
        (void)d, (void)p, (void)r, (void)k, (void)j;                                                                   \
        return expression;                                                                                             \
    }
BASIS(size, d)
BASIS(processes, p)
BASIS(rank, r)
BASIS(turn, k)
BASIS(outer_turn, j)
BASIS(logarithm, ceil(log(p) / log(2.0) - tiny))
/* Of m rows that are dealt in blocks: those of the rank, the most of any rank, and where the rank's begin. */
#define BASIS_OF_LENGTH(name, m)                                                                                       \
    BASIS(rows_##name, share(floor((m)*d), p, r))                                                                      \
    BASIS(size_rows_##name, d *share(floor((m)*d), p, r))                                                              \
    BASIS(most_rows_##name, ceil(floor((m)*d) / p))                                                                    \
    BASIS(size_most_rows_##name, d *ceil(floor((m)*d) / p))                                                            \
    BASIS(first_row_##name, first_row(floor((m)*d), p, r))
BASIS_OF_LENGTH(one, 1.0)
BASIS_OF_LENGTH(two_and_a_half, 2.5)
BASIS_OF_LENGTH(half, 0.5)
BASIS_OF_LENGTH(two, 2.0)
BASIS_OF_LENGTH(three, 3.0)
BASIS(rows_of_inside, share(d - 2.0, p, r))
BASIS(rows_of_next, share(d + 1.0, p, r))
BASIS(square, d *d)
BASIS(size_processes, d *p)
BASIS(size_logarithm, d *logarithm(at))
BASIS(processes_logarithm, p *logarithm(at))
BASIS(cube, d *d *d)
BASIS(square_rows, d *d *share(d, p, r))
BASIS(size_half_rows, d *ceil(ceil(d / p) / 2.0))
BASIS(size_half_own_rows, d *ceil(share(d, p, r) / 2.0))
BASIS(square_share, d *d / p)
BASIS(size_share, d / p)
BASIS(size_turn, d *k)
BASIS(processes_turn, p *k)
BASIS(rows_turn, k *share(d, p, r))
BASIS(rows_square, share(d, p, r) * share(d, p, r))
BASIS(processes_square, p *p)
BASIS(power_of_two, exp2(k))
BASIS(root, sqrt(p))
BASIS(size_root, d / sqrt(p))

#define BASES_OF_LENGTH(name, text)                                                                                    \
    {"ceil((" text "-r)/p)", rows_##name, BASIS_D | BASIS_P | BASIS_R},                                                \
        {"d*ceil((" text "-r)/p)", size_rows_##name, BASIS_D | BASIS_P | BASIS_R},                                     \
        {"ceil(" text "/p)", most_rows_##name, BASIS_D | BASIS_P},                                                     \
        {"d*ceil(" text "/p)", size_most_rows_##name, BASIS_D | BASIS_P},                                              \
    {                                                                                                                  \
        "firstrow(" text ",p,r)", first_row_##name, BASIS_D | BASIS_P | BASIS_R                                        \
    }

/* The simplest first: of two forms that explain all observations the earlier one is taken. */
const bmf_fit_basis fit_basis[] = {
    {"d", size, BASIS_D},
    {"p", processes, BASIS_P},
    BASES_OF_LENGTH(one, "d"),
    {"d*d", square, BASIS_D},
    {"ceil(log(p)/log(2)-1e-9)", logarithm, BASIS_P},
    BASES_OF_LENGTH(two_and_a_half, "floor(2.5*d)"),
    BASES_OF_LENGTH(half, "floor(0.5*d)"),
    BASES_OF_LENGTH(two, "2*d"),
    BASES_OF_LENGTH(three, "3*d"),
    {"ceil((d-2-r)/p)", rows_of_inside, BASIS_D | BASIS_P | BASIS_R},
    {"ceil((d+1-r)/p)", rows_of_next, BASIS_D | BASIS_P | BASIS_R},
    {"r", rank, BASIS_R},
    {"k", turn, BASIS_K},
    {"j", outer_turn, BASIS_K},
    {"d*p", size_processes, BASIS_D | BASIS_P},
    {"d*k", size_turn, BASIS_D | BASIS_K},
    {"p*k", processes_turn, BASIS_P | BASIS_K},
    {"2^k", power_of_two, BASIS_K},
    {"p*p", processes_square, BASIS_P},
    {"d*ceil(log(p)/log(2)-1e-9)", size_logarithm, BASIS_D | BASIS_P},
    {"p*ceil(log(p)/log(2)-1e-9)", processes_logarithm, BASIS_P},
    {"k*ceil((d-r)/p)", rows_turn, BASIS_D | BASIS_P | BASIS_R | BASIS_K},
    {"ceil((d-r)/p)^2", rows_square, BASIS_D | BASIS_P | BASIS_R},
    {"d^3", cube, BASIS_D},
    {"d*ceil(ceil(d/p)/2)", size_half_rows, BASIS_D | BASIS_P},
    {"d*ceil(ceil((d-r)/p)/2)", size_half_own_rows, BASIS_D | BASIS_P | BASIS_R},
    {"d*d*ceil((d-r)/p)", square_rows, BASIS_D | BASIS_P | BASIS_R},
    {"d*d/p", square_share, BASIS_D | BASIS_P},
    {"d/p", size_share, BASIS_D | BASIS_P},
    {"sqrt(p)", root, BASIS_P},
    {"d/sqrt(p)", size_root, BASIS_D | BASIS_P},
};
const int fit_bases = (int)(sizeof fit_basis / sizeof fit_basis[0]);

/* ---- what varies ---- */

static int count_values(const bmf_observations *of, bool sizes)
{
    double seen[MIN_VALUES];
    int values = 0;
    for (int64_t k = 0; k < of->count && values < MIN_VALUES; k++) {
        const double value = sizes ? of->point[k].d : of->point[k].p;
        bool known = false;
        for (int j = 0; j < values; j++)
            known = known || seen[j] == value;
        if (!known)
            seen[values++] = value;
    }
    return values;
}

void observations_vary(const bmf_observations *of, int *sizes, int *processes)
{
    *sizes = count_values(of, true);
    *processes = count_values(of, false);
}

/* The functions that these observations can tell: of what takes three values, and of ranks and turns. */
static unsigned allowed(const bmf_observations *of)
{
    int sizes, ranks;
    unsigned with = BASIS_R | BASIS_K;
    observations_vary(of, &sizes, &ranks);
    return with | (sizes >= MIN_VALUES ? BASIS_D : 0) | (ranks >= MIN_VALUES ? BASIS_P : 0);
}

/* ---- one sum ---- */

typedef struct sum {
    int terms, basis[MAX_TERMS]; /* -1: the constant */
    double coefficient[MAX_TERMS];
} sum;

static double term_at(const sum *s, int term, const bmf_observation *at)
{
    return s->basis[term] < 0 ? 1.0 : fit_basis[s->basis[term]].value(at);
}

/* The coefficients, from the first observations that are independent; false if there are too few. */
static bool solve(const bmf_observations *of, sum *s)
{
    double row[MAX_TERMS][MAX_TERMS + 1];
    int rows = 0;
    for (int64_t k = 0; k < of->count && rows < s->terms; k++) {
        double *made = row[rows], largest = 0.0;
        for (int t = 0; t < s->terms; t++) {
            made[t] = term_at(s, t, &of->point[k]);
            largest = fmax(largest, fabs(made[t]));
        }
        made[s->terms] = of->point[k].value;
        for (int above = 0; above < rows; above++) {
            const double factor = made[above] / row[above][above];
            for (int t = above; t <= s->terms; t++)
                made[t] -= factor * row[above][t];
        }
        rows += fabs(made[rows]) > 1e-7 * largest && largest > 0.0;
    }
    for (int t = rows - 1; t >= 0 && rows == s->terms; t--) {
        double rest = row[t][s->terms];
        for (int behind = t + 1; behind < s->terms; behind++)
            rest -= row[t][behind] * s->coefficient[behind];
        s->coefficient[t] = rest / row[t][t];
    }
    return rows == s->terms;
}

/* A rational number with a small denominator, or one of the constants that are none: programs have no others. */
static bool make_rational(double *coefficient)
{
    for (int denominator = 1; denominator <= MAX_DENOMINATOR; denominator++) {
        const double above = *coefficient * denominator, whole = round(above);
        if (fabs(above - whole) > 1e-7 * fmax(1.0, fabs(whole)))
            continue;
        *coefficient = whole / denominator;
        return whole != 0.0;
    }
    return false;
}

static bool agrees(const bmf_observations *of, const sum *s)
{
    for (int64_t k = 0; k < of->count; k++) {
        double value = 0.0;
        for (int t = 0; t < s->terms; t++)
            value += s->coefficient[t] * term_at(s, t, &of->point[k]);
        if (!(fabs(value - of->point[k].value) <= tiny * fmax(1.0, fabs(value))))
            return false;
    }
    return true;
}

static bool are_same(const sum *s, const bmf_observation *a, const bmf_observation *b)
{
    for (int t = 0; t < s->terms; t++)
        if (term_at(s, t, a) != term_at(s, t, b))
            return false;
    return true;
}

/* Whether more points are different than the sum has terms: any points lie on some sum of as many terms, and of sums of
 * three terms there are so many that one point more happens to lie on one. */
static bool is_tested(const bmf_observations *of, const sum *s)
{
    const bmf_observation *seen[MAX_TERMS + SPARE];
    const int wanted = s->terms + (s->terms < MANY_TERMS ? 1 : SPARE);
    int points = 0;
    for (int64_t k = 0; k < of->count && points < wanted; k++) {
        bool known = false;
        for (int j = 0; j < points && !known; j++)
            known = are_same(s, seen[j], &of->point[k]);
        if (!known)
            seen[points++] = &of->point[k];
    }
    return points == wanted;
}

static bool try_sum(const bmf_observations *of, sum *s)
{
    if (!solve(of, s))
        return false;
    for (int t = 0; t < s->terms; t++)
        if (!make_rational(&s->coefficient[t]))
            return false;
    return agrees(of, s) && is_tested(of, s);
}

/* "4*d - 1" */
static void write_sum(const sum *s, bmf_rule_text *rule)
{
    size_t used = 0;
    rule->text[0] = '\0';
    for (int t = 0; t < s->terms && used < sizeof rule->text; t++) {
        const double c = s->coefficient[t], size = fabs(c);
        const char *sign = t == 0 ? (c < 0.0 ? "-" : "") : c < 0.0 ? " - " : " + ";
        const char *text = s->basis[t] < 0 ? NULL : fit_basis[s->basis[t]].text;
        if (text && size == 1.0)
            used += (size_t)snprintf(rule->text + used, sizeof rule->text - used, "%s%s", sign, text);
        else
            used += (size_t)snprintf(rule->text + used, sizeof rule->text - used, "%s%.17g%s%s", sign, size,
                                     text ? "*" : "", text ? text : "");
    }
}

/* ---- all sums ---- */

static bool is_constant(const bmf_observations *of)
{
    for (int64_t k = 1; k < of->count; k++)
        if (of->point[k].value != of->point[0].value)
            return false;
    return true;
}

/* Sums whose terms before `term` are chosen; with a constant as their last term, or without. */
static bool try_sums(const bmf_observations *of, unsigned with, sum *s, int term, int first)
{
    const bool with_constant = s->basis[s->terms - 1] < 0;
    if (term == s->terms - (with_constant ? 1 : 0))
        return try_sum(of, s);
    for (int k = first; k < fit_bases && term < MAX_TERMS; k++) {
        if (fit_basis[k].with & ~with)
            continue;
        s->basis[term] = k;
        if (try_sums(of, with, s, term + 1, k + 1))
            return true;
    }
    return false;
}

static const char *missing(unsigned with)
{
    if (!(with & BASIS_D))
        return "three sizes are needed to tell how it grows";
    if (!(with & BASIS_P))
        return "three numbers of processes are needed to tell how it grows";
    return "no form is exact at all points";
}

bool fit_integers(const bmf_observations *of, bmf_rule_text *rule, const char **why)
{
    static const struct {
        int terms;
        bool constant;
    } shape[] = {{1, false}, {2, true}, {2, false}, {3, true}, {3, false}, {4, true}};
    const unsigned with = allowed(of);
    *why = missing(with);
    rule->exact = true;
    if (is_constant(of)) {
        snprintf(rule->text, sizeof rule->text, "%.17g", of->count > 0 ? of->point[0].value : 0.0);
        return true;
    }
    for (size_t k = 0; k < sizeof shape / sizeof shape[0]; k++) {
        sum s = {.terms = shape[k].terms};
        s.basis[s.terms - 1] = shape[k].constant ? -1 : 0;
        if (!try_sums(of, with, &s, 0, 0))
            continue;
        write_sum(&s, rule);
        return true;
    }
    return false;
}
