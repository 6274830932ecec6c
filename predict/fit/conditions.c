/* Which ranks have a role: a product of comparisons of p, d and r that is true for all its members and for nobody
 * else in the recordings.
 *
 * Method: all comparisons of a list that are true for every member; then the last ones are left out as long as nobody
 * else comes in, so that the simplest remain. Cost: comparisons * sequences, squared.
 */
#include <math.h>
#include <stdio.h>

#include "predict/fit/fit_private.h"

typedef struct comparison {
    const char *text;
    bool (*is_true)(double d, double p, double r);
} comparison;

static double parity(double r)
{
    return r - 2.0 * floor(r / 2.0);
}

static double columns(double p)
{
    return exp2(floor(log(p) / log(2.0) / 2.0 + 1e-9));
}

static double column(double p, double r)
{
    return r - columns(p) * floor(r / columns(p));
}

#define COMPARISON(name, expression)                                                                                   \
    static bool name(double d, double p, double r)                                                                     \
    {                                                                                                                  \
        (void)d, (void)p, (void)r;                                                                                     \
        return expression;                                                                                             \
    }
COMPARISON(alone, p == 1.0)
COMPARISON(together, p > 1.0)
COMPARISON(two, p == 2.0)
COMPARISON(many, p > 2.0)
COMPARISON(first, r == 0.0)
COMPARISON(not_first, r > 0.0)
COMPARISON(last, r == p - 1.0)
COMPARISON(not_last, r < p - 1.0)
COMPARISON(second, r == 1.0)
COMPARISON(behind_second, r > 1.0)
COMPARISON(even, parity(r) == 0.0)
COMPARISON(odd, parity(r) == 1.0)
COMPARISON(paired, r < 2.0 * floor(p / 2.0))
COMPARISON(unpaired, r >= 2.0 * floor(p / 2.0))
COMPARISON(has_rows, r < d)
COMPARISON(no_rows, r >= d)
COMPARISON(lower_half, r < p / 2.0)
COMPARISON(upper_half, r >= p / 2.0)
COMPARISON(top_row, r < columns(p))
COMPARISON(not_top_row, r >= columns(p))
COMPARISON(bottom_row, r >= p - columns(p))
COMPARISON(not_bottom_row, r < p - columns(p))
COMPARISON(left_column, column(p, r) == 0.0)
COMPARISON(not_left_column, column(p, r) > 0.0)
COMPARISON(right_column, column(p, r) == columns(p) - 1.0)
COMPARISON(not_right_column, column(p, r) < columns(p) - 1.0)

#define COLUMNS "2^floor(log(p)/log(2)/2+1e-9)"
static const comparison comparisons[] = {
    {"p == 1", alone},
    {"p > 1", together},
    {"r == 0", first},
    {"r > 0", not_first},
    {"r == p-1", last},
    {"r < p-1", not_last},
    {"mod(r,2) == 0", even},
    {"mod(r,2) == 1", odd},
    {"r < 2*floor(p/2)", paired},
    {"r >= 2*floor(p/2)", unpaired},
    {"r < d", has_rows},
    {"r >= d", no_rows},
    {"p == 2", two},
    {"p > 2", many},
    {"r == 1", second},
    {"r > 1", behind_second},
    {"r < p/2", lower_half},
    {"r >= p/2", upper_half},
    {"r < " COLUMNS, top_row},
    {"r >= " COLUMNS, not_top_row},
    {"r >= p-" COLUMNS, bottom_row},
    {"r < p-" COLUMNS, not_bottom_row},
    {"mod(r," COLUMNS ") == 0", left_column},
    {"mod(r," COLUMNS ") > 0", not_left_column},
    {"mod(r," COLUMNS ") == " COLUMNS "-1", right_column},
    {"mod(r," COLUMNS ") < " COLUMNS "-1", not_right_column},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static bool holds(const bmf_fitted_program *program, const bmf_sequence *of, int number)
{
    const bmf_recording *in = &program->recording[of->recording];
    return comparisons[number].is_true(in->d, in->run->lanes, of->rank);
}

/* Whether the chosen comparisons leave everybody else out. */
static bool tells_apart(const bmf_fitted_program *program, int32_t role, const bool *chosen)
{
    for (int64_t k = 0; k < program->sequences; k++) {
        bool all = program->sequence[k].role != role;
        for (int c = 0; c < COMPARISONS && all; c++)
            all = !chosen[c] || holds(program, &program->sequence[k], c);
        if (all)
            return false;
    }
    return true;
}

bool conditions_find(bmf_fitted_program *program, int32_t role)
{
    bool chosen[COMPARISONS];
    bmf_role *of = &program->role[role];
    for (int c = 0; c < COMPARISONS; c++) {
        chosen[c] = true;
        for (int64_t k = 0; k < program->sequences && chosen[c]; k++)
            chosen[c] = program->sequence[k].role != role || holds(program, &program->sequence[k], c);
    }
    if (!tells_apart(program, role, chosen))
        return false;
    for (int c = COMPARISONS - 1; c >= 0; c--) {
        const bool before = chosen[c];
        chosen[c] = false;
        if (before && !tells_apart(program, role, chosen))
            chosen[c] = true;
    }
    size_t used = 0;
    of->condition[0] = '\0';
    for (int c = 0; c < COMPARISONS; c++)
        if (chosen[c] && used < sizeof of->condition)
            used += (size_t)snprintf(of->condition + used, sizeof of->condition - used, "%s(%s)", used ? "*" : "",
                                     comparisons[c].text);
    if (used == 0)
        snprintf(of->condition, sizeof of->condition, "1");
    return used < sizeof of->condition;
}
