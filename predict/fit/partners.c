/* Peers and roots as functions of the rank: rank +- c, with or without wrapping, with c a constant, a power of the
 * turn, half of the processes or the columns of a grid; the rank with one bit turned; ranks in order; the owner of row
 * k of rows that are dealt in blocks; and what else the forms of integers give.
 *
 * Method: a list of rules, each with a parameter that runs over a few values; the first that is right at all
 * observations is taken. The list begins with what programs do most. Cost: rules * parameters, most of which the first
 * observations refuse.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/fit/fit_private.h"

static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

/* The rank with the bit of value c turned. */
static double turned(double r, double c)
{
    return r + c * (1.0 - 2.0 * modulo(floor(r / c), 2.0));
}

/* Columns of a grid of p processes as MPI_Dims_create makes it of a power of two. */
static double columns(double p)
{
    return exp2(floor(log(p) / log(2.0) / 2.0 + 1e-9));
}

/* Of n rows in blocks, the first n mod p with one more. */
static double owner(double n, double p, double k)
{
    const double least = floor(n / p), more = n - p * least;
    if (k < more * (least + 1.0))
        return floor(k / (least + 1.0));
    return least > 0.0 ? more + floor((k - more * (least + 1.0)) / least) : -1.0;
}

static double first_row(double n, double p, double r)
{
    const double least = floor(n / p), more = n - p * least;
    return r * least + fmin(r, more);
}

typedef struct rule {
    const char *text; /* $ is the parameter */
    double (*value)(const bmf_observation *at, double c);
    const double *parameter; /* ends with NAN */
    bool powers_of_two;      /* p has to be one everywhere */
    bool has_size;
} rule;

#define RULE(name, expression)                                                                                         \
    static double name(const bmf_observation *at, double c)                                                            \
    {                                                                                                                  \
        const double d = at->d, p = at->p, r = at->r, k = at->k[0], j = at->k[1];                                      \
        (void)d, (void)p, (void)r, (void)k, (void)j, (void)c;                                                          \
        return expression;                                                                                             \
    }
RULE(constant, c)
RULE(from_the_end, p - c)
RULE(above_in_ring, modulo(r + c, p))
RULE(below_in_ring, modulo(r - c, p))
RULE(above, r + c)
RULE(below, r - c)
RULE(bit, turned(r, c))
RULE(opposite, modulo(r + floor(p / 2.0), p))
RULE(mirror, p - 1.0 - r)
RULE(bit_of_turn, turned(r, exp2(k)))
RULE(high_bit_of_turn, turned(r, p / exp2(k + 1.0)))
RULE(above_by_power, modulo(r + exp2(k), p))
RULE(below_by_power, modulo(r - exp2(k), p))
RULE(above_by_turn, modulo(r + k + c, p))
RULE(below_by_turn, modulo(r - k - c, p))
RULE(in_order, k + c)
RULE(others, k < r ? k : k + 1.0)
RULE(other_turn, modulo(k, p))
RULE(right_on_torus, floor(r / columns(p)) * columns(p) + modulo(r + 1.0, columns(p)))
RULE(left_on_torus, floor(r / columns(p)) * columns(p) + modulo(r - 1.0, columns(p)))
RULE(down_on_torus, modulo(r + columns(p), p))
RULE(up_on_torus, modulo(r - columns(p), p))
RULE(down_on_grid, r + columns(p))
RULE(up_on_grid, r - columns(p))
RULE(owner_of_row, owner(floor(c *d), p, k))
RULE(owner_by_outer_turn, owner(floor(c *d), p, j))
RULE(owner_of_row_behind, owner(floor(c *d), p, k + first_row(floor(c * d), p, r + 1.0)))
RULE(itself, r)

static const double none[] = {0, NAN}, one[] = {1, NAN}, more[] = {2, 3, 4, 5, 6, 7, 8, NAN},
                    roots[] = {0, 1, 2, 3, 4, 5, 6, 7, NAN}, bits[] = {1, 2, 4, 8, 16, 32, 64, NAN},
                    zero_or_one[] = {0, 1, 2, NAN}, lengths[] = {1, 2.5, 0.5, 2, 3, 1.5, 4, NAN};

#define COLUMNS "2^floor(log(p)/log(2)/2+1e-9)"
static const rule rules[] = {
    {"$", constant, roots, false, false},
    {"r", itself, none, false, false},
    {"mod(r+$,p)", above_in_ring, one, false, false},
    {"mod(r-$,p)", below_in_ring, one, false, false},
    {"r+$", above, one, false, false},
    {"r-$", below, one, false, false},
    {"p-$", from_the_end, one, false, false},
    {"turned(r,$)", bit, bits, false, false},
    {"turned(r,2^k)", bit_of_turn, none, false, false},
    {"turned(r,p/2^(k+1))", high_bit_of_turn, none, true, false},
    {"mod(r+2^k,p)", above_by_power, none, false, false},
    {"mod(r-2^k,p)", below_by_power, none, false, false},
    {"mod(r+k+$,p)", above_by_turn, zero_or_one, false, false},
    {"mod(r-k-$,p)", below_by_turn, zero_or_one, false, false},
    {"k+$", in_order, zero_or_one, false, false},
    {"(k < r ? k : k+1)", others, none, false, false},
    {"mod(k,p)", other_turn, none, false, false},
    {"mod(r+floor(p/2),p)", opposite, none, false, false},
    {"p-1-r", mirror, none, false, false},
    {"floor(r/" COLUMNS ")*" COLUMNS "+mod(r+1," COLUMNS ")", right_on_torus, none, true, false},
    {"floor(r/" COLUMNS ")*" COLUMNS "+mod(r-1," COLUMNS ")", left_on_torus, none, true, false},
    {"mod(r+" COLUMNS ",p)", down_on_torus, none, true, false},
    {"mod(r-" COLUMNS ",p)", up_on_torus, none, true, false},
    {"r+" COLUMNS, down_on_grid, none, true, false},
    {"r-" COLUMNS, up_on_grid, none, true, false},
    {"mod(r+$,p)", above_in_ring, more, false, false},
    {"mod(r-$,p)", below_in_ring, more, false, false},
    {"r+$", above, more, false, false},
    {"r-$", below, more, false, false},
    {"p-$", from_the_end, more, false, false},
    {"owner(floor($*d),p,k)", owner_of_row, lengths, false, true},
    {"owner(floor($*d),p,j)", owner_by_outer_turn, lengths, false, true},
    {"owner(floor($*d),p,k+firstrow(floor($*d),p,r+1))", owner_of_row_behind, lengths, false, true},
};

static bool agrees(const rule *of, double c, const bmf_observations *with)
{
    for (int64_t k = 0; k < with->count; k++)
        if (of->value(&with->point[k], c) != with->point[k].value)
            return false;
    return true;
}

static bool is_power_of_two(double p)
{
    return exp2(floor(log(p) / log(2.0) + 1e-9)) == p;
}

static bool applies(const rule *of, const bmf_observations *to)
{
    int sizes, processes;
    observations_vary(to, &sizes, &processes);
    for (int64_t k = 0; k < to->count && of->powers_of_two; k++)
        if (!is_power_of_two(to->point[k].p))
            return false;
    return !of->has_size || sizes >= 3;
}

static void write_rule(const rule *of, double c, bmf_rule_text *to)
{
    size_t used = 0;
    for (const char *at = of->text; *at && used + 32 < sizeof to->text; at++)
        if (*at == '$')
            used += (size_t)snprintf(to->text + used, sizeof to->text - used, "%.17g", c);
        else
            to->text[used++] = *at;
    to->text[used] = '\0';
    to->exact = true;
}

static bool is_constant(const bmf_observations *of)
{
    for (int64_t k = 1; k < of->count; k++)
        if (of->point[k].value != of->point[0].value)
            return false;
    return true;
}

bool fit_partners(const bmf_observations *of, bmf_rule_text *to, const char **why)
{
    int sizes, processes;
    observations_vary(of, &sizes, &processes);
    *why = "three numbers of processes are needed to tell partners apart";
    if (processes < 3 && !is_constant(of))
        return false;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        if (!applies(&rules[k], of))
            continue;
        for (const double *c = rules[k].parameter; !isnan(*c); c++)
            if (agrees(&rules[k], *c, of)) {
                write_rule(&rules[k], *c, to);
                return true;
            }
    }
    return fit_integers(of, to, why);
}
