/* Equations of a program's phases: how long they take on p processes, with d rows (or elements) and computing steps of
 * c.
 *
 * A file of equations (docs/models.md) holds functions, parameters and phases, one a line; a phase is a function of p,
 * d and c, and the total is their sum. What messages cost, t<op>(p,d), comes from a data sheet, with its errors, or
 * from another file of equations. Times are microseconds everywhere here, as in the files.
 *
 * Nothing is collective and nothing needs MPI. Messages go to the process-wide slot, with file, line and column.
 * Source: document 001, chapter 4 (equations on top of a data sheet, made before the program exists).
 */
#ifndef BMF_EQUATIONS_H
#define BMF_EQUATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "predict/sheet/sheet.h"

typedef struct bmf_equations bmf_equations;

typedef struct bmf_equation_settings {
    const char *sheet; /* for t<op>: a data sheet, or a file of equations, by path or installed name; NULL: none */
    int sets;
    const char *const *set; /* "NAME=VALUE" of parameters */
    bool as_printed;        /* collectives of one process take what their equations say, not nothing */
    bool whole_rows;        /* rows(d,p) is ceil(d/p), not d/p */
    bool rules_only;        /* phases are left out, and with them what messages cost */
} bmf_equation_settings;

/* Reads a file by path or installed name, with what it includes, checks all of it, and makes it ready to be evaluated.
 * BMF_ERROR_FILE; BMF_ERROR_USAGE for a set parameter that is not there. The caller frees. */
int equations_read(const char *name, const bmf_equation_settings *settings, bmf_equations **equations);
/* The same from text; path: for messages, and its directory for included files. */
int equations_parse(const char *text, int64_t size, const char *path, const bmf_equation_settings *settings,
                    bmf_equations **equations);
void equations_free(bmf_equations *equations);
/* The bare names of the installed files, in order; returns how many. The caller frees each and *name. */
int64_t equations_installed(char ***name);

/* The path of the file, and what t<op> come from: a title or path, or "" for what the file includes. */
const char *equations_path(const bmf_equations *equations);
const char *equations_machine(const bmf_equations *equations);
/* Whether times have errors: t<op> come from a data sheet. */
bool equations_have_errors(const bmf_equations *equations);
/* The phases, in the order of the file. A file without phases but with a function ttotal has that one. */
int equations_phases(const bmf_equations *equations);
const char *equations_phase(const bmf_equations *equations, int phase);

/* Times at n points: time[k * n + i] is that of phase k at point i, and k = equations_phases() the total's. p and d are
 * at least 1, c is at least 0. BMF_ERROR_ARGUMENT, naming place and point: a division by zero, a time that is negative
 * or not finite. Cost: about a nanosecond for each operation and point. */
int equations_times(const bmf_equations *equations, int64_t n, const double *p, const double *d, const double *c,
                    double *time);

/* A time with its 95 % interval: [time, time] where errors are not known. */
typedef struct bmf_equation_time {
    double time, low, high;
    double coefficient_variance, noise_variance; /* as in bmf_estimate, squares of microseconds */
    bool has_errors;
    bool inside;                  /* of the sheet's domain */
    char outside[BMF_SHEET_TEXT]; /* "" or what is outside */
} bmf_equation_time;

/* All phases and the total at one point, into equations_phases() + 1 members. An operation of the sheet that is used a
 * thousand times errs once: errors of coefficients add up, noise adds up in squares. Statuses of equations_times.
 * Method: the gradient in the sheet's operations, from the end to the beginning (reverse accumulation). */
int equations_estimate(const bmf_equations *equations, double p, double d, double c, bmf_equation_time *estimate);

/* ---- checks ---- */

typedef struct bmf_equation_remark {
    bool is_unit;   /* a mistake in units; otherwise something worth knowing */
    char text[512]; /* file:line:column: what */
} bmf_equation_remark;

/* What is odd about equations that can be read: times that are multiplied with times or added to other things, phases
 * that no p changes, functions and parameters of the file that no phase uses. Returns how many; the caller frees. */
int64_t equations_check(const bmf_equations *equations, bmf_equation_remark **remark);
/* Names, parameters with their values, phases, operations and where they come from, for people. */
void equations_describe(const bmf_equations *equations, FILE *stream);

#endif
