/* Probabilities and quantiles; sources in the header. */
#define _GNU_SOURCE
#include "predict/statistics/distribution.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* A continued fraction or series ends by its precision long before; this ends one of bad arguments. */
enum { MAX_STEPS = 100000 };
static const double tiny = 1e-300;

/* ---- the normal distribution ---- */

double normal_probability(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

enum { DEGREE = 7 };

/* numerator(x) / denominator(x), coefficients from the constant up. */
static double ratio_at(const double numerator[DEGREE + 1], const double denominator[DEGREE + 1], double x)
{
    double above = numerator[DEGREE], below = denominator[DEGREE];
    for (size_t k = DEGREE; k-- > 0;) {
        above = above * x + numerator[k];
        below = below * x + denominator[k];
    }
    return above / below;
}

/* Three rational approximations: in the middle of the distribution, in its tails, and far out. */
double normal_quantile(double p)
{
    static const double middle[2][DEGREE + 1] = {
        {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
         4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
        {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
         3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
    static const double tail[2][DEGREE + 1] = {
        {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
        {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
         1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
    static const double far[2][DEGREE + 1] = {
        {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
         2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
        {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
         7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
    const double off = p - 0.5;
    if (fabs(off) <= 0.425)
        return off * ratio_at(middle[0], middle[1], 0.180625 - off * off);
    const double outside = off < 0.0 ? p : 1.0 - p;
    if (!(outside > 0.0))
        return outside == 0.0 ? copysign(INFINITY, off) : NAN;
    const double root = sqrt(-log(outside));
    return copysign(root <= 5.0 ? ratio_at(tail[0], tail[1], root - 1.6) : ratio_at(far[0], far[1], root - 5.0), off);
}

/* ---- Student's t ---- */

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* Lentz's method for the next level of a continued fraction above / (below + ..). */
typedef struct fraction {
    double value, above, below;
} fraction;

static void fraction_level(fraction *f, double numerator, double denominator)
{
    f->below = denominator + numerator * f->below;
    f->below = 1.0 / (fabs(f->below) < tiny ? tiny : f->below);
    f->above = denominator + numerator / f->above;
    f->above = fabs(f->above) < tiny ? tiny : f->above;
    f->value *= f->above * f->below;
}

/* The fraction of the incomplete beta function, where it converges fast: x <= (a + 1) / (a + b + 2). DLMF 8.17.22. */
static double beta_fraction(double a, double b, double x)
{
    fraction f = {1.0, 1.0, 0.0};
    double before;
    int m = 0;
    do {
        before = f.value;
        if (m > 0)
            fraction_level(&f, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), 1.0);
        fraction_level(&f, -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), 1.0);
        m++;
    } while (fabs(f.value - before) > DBL_EPSILON * fabs(f.value) && m < MAX_STEPS);
    return f.value;
}

/* P(T > t), t > 0: half of the regularised incomplete beta function of (freedom / 2, 1 / 2) at freedom / (freedom +
 * t^2), whose factor before the fraction is t times the density at t. */
static double student_above(double t, double freedom, double density)
{
    const double a = 0.5 * freedom, b = 0.5, square = t * t, x = freedom / (freedom + square);
    if (x <= (a + 1.0) / (a + b + 2.0))
        return 0.5 * t * density / (a * beta_fraction(a, b, x));
    return 0.5 - 0.5 * t * density / (b * beta_fraction(b, a, square / (freedom + square)));
}

/* Abramowitz and Stegun 26.7.5; z is the normal quantile. */
static double student_expansion(double z, double n)
{
    const double s = z * z;
    const double g1 = (s + 1.0) / 4.0, g2 = ((5.0 * s + 16.0) * s + 3.0) / 96.0;
    const double g3 = (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0;
    const double g4 = ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0;
    return z * (1.0 + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n);
}

/* Newton's method. P(T > t) is convex, so from below no step goes too far; the normal quantile is below, and the
 * expansion near enough where there are some degrees of freedom. */
double student_quantile(double p, double freedom)
{
    static const double some = 3.0, many = 1000.0, not_far = 4.0;
    if (p < 0.5)
        return -student_quantile(1.0 - p, freedom);
    const double above = 1.0 - p, z = normal_quantile(p);
    if (!(freedom > 0.0))
        return NAN;
    if (isnan(z) || isinf(freedom) || isinf(z) || z == 0.0)
        return z;
    double t = freedom > some && z < not_far ? student_expansion(z, freedom) : z, step;
    if (freedom > many && z < not_far)
        return t;
    const double front = exp(log_gamma(0.5 * (freedom + 1.0)) - log_gamma(0.5 * freedom)) / sqrt(freedom * M_PI);
    int k = 0;
    do {
        const double density = front * exp(-0.5 * (freedom + 1.0) * log1p(t * t / freedom));
        step = (student_above(t, freedom, density) - above) / density;
        t += step;
    } while (fabs(step) > 1e-14 * t && ++k < MAX_STEPS);
    return t;
}

/* ---- chi-square ---- */

double chi_square_above(double x, double freedom)
{
    const double a = 0.5 * freedom, y = 0.5 * x;
    if (!(x > 0.0))
        return x <= 0.0 ? 1.0 : NAN;
    const double front = exp(a * log(y) - y - log_gamma(a));
    if (y < a + 1.0) { /* DLMF 8.7.1: 1 - front * the sum of y^k / (a (a + 1) .. (a + k)) */
        double term = 1.0 / a, sum = term;
        for (int k = 1; term > DBL_EPSILON * sum && k < MAX_STEPS; k++) {
            term *= y / (a + k);
            sum += term;
        }
        return 1.0 - front * sum;
    }
    fraction f = {y + 1.0 - a, y + 1.0 - a, 0.0}; /* DLMF 8.9.2 */
    double before;
    int k = 0;
    do {
        before = f.value;
        k++;
        fraction_level(&f, k * (a - k), y + 2 * k + 1.0 - a);
    } while (fabs(f.value - before) > DBL_EPSILON * fabs(f.value) && k < MAX_STEPS);
    return front / f.value;
}

double chi_square_quantile(double p, double freedom)
{
    double low = 0.0, high = fmax(freedom, 1.0);
    if (!(p >= 0.0 && p < 1.0 && freedom > 0.0))
        return NAN;
    while (chi_square_above(high, freedom) > 1.0 - p)
        high *= 2.0;
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high))
            return middle;
        if (chi_square_above(middle, freedom) > 1.0 - p)
            low = middle;
        else
            high = middle;
    }
}
