/* Probabilities and quantiles of the normal, Student's t and the chi-square distribution.
 *
 * Sources: M. Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), for the normal quantile; NIST's Digital
 * Library of Mathematical Functions, 8.7, 8.9 and 8.17, for incomplete gamma and beta functions; Abramowitz and
 * Stegun, "Handbook of Mathematical Functions", 26.7.5, for t with many degrees of freedom. Relative errors are below
 * 1e-9, those of the normal distribution below 1e-13.
 */
#ifndef BMF_STATISTICS_DISTRIBUTION_H
#define BMF_STATISTICS_DISTRIBUTION_H

/* P(X <= x) of the standard normal distribution; constant time. */
double normal_probability(double x);
/* The x with P(X <= x) = p, 0 < p < 1 (infinite at 0 and 1); constant time. */
double normal_quantile(double p);
/* The same of Student's t; freedom > 0, not necessarily whole. Cost: a few continued fractions. */
double student_quantile(double p, double freedom);
/* P(X > x) of the chi-square distribution, x >= 0, freedom > 0. Cost: a series or a continued fraction. */
double chi_square_above(double x, double freedom);
/* The x with P(X <= x) = p, 0 <= p < 1. Cost: bisection, some sixty of these. */
double chi_square_quantile(double p, double freedom);

#endif
