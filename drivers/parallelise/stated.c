/* Operators that are said to be associative, and whether they are.
 *
 * Method: `# associative` behind a definition, in its first line, says so. The operator is applied to random triples of
 * its argument's type both ways round; reals may differ by rounding. Cost: two runs of a small program. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "drivers/parallelise/parallelise.h"
#include "runtime/base/text.h"
#include "skeletons/language/front/data.h"

enum { TRIPLES = 400, LONGEST = 4, SEED = 20, LINE = 4096 };

/* ---- which ---- */

/* "$Name = .. # .. associative", "let name(..) = .. # .. associative": NULL or the name, allocated. */
static char *name_in(const char *line)
{
    const char *comment = strchr(line, '#'), *at = line + strspn(line, " \t");
    const bool notation = strncmp(at, "let ", 4) == 0;
    if (notation)
        at += 4 + strspn(at + 4, " ");
    if ((*at != '$' && !notation) || !comment || !strcasestr(comment, "associative") ||
        strcasestr(comment, "not associative"))
        return NULL;
    size_t length = *at == '$';
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    char *name = text_copy(at);
    name[length] = '\0';
    return name;
}

static int read_names(const char *path, stated_names *names)
{
    char line[LINE];
    FILE *file = fopen(path, "r");
    if (!file)
        return BMF_OK; /* reading the program says it */
    while (fgets(line, sizeof line, file)) {
        char *name = name_in(line);
        if (!name)
            continue;
        if (names->count == BMF_MAX_STATED) {
            free(name);
            fclose(file);
            return bmf_fail(NULL, BMF_ERROR_USAGE, "%s: more than %d definitions are said to be associative", path,
                            BMF_MAX_STATED);
        }
        names->name[names->count++] = name;
    }
    fclose(file);
    return BMF_OK;
}

int stated_read(const parallelise_options *options, stated_names *names)
{
    const bmf_predict_options *o = &options->predict;
    *names = (stated_names){0};
    int status = BMF_OK;
    for (int k = 0; k < o->program.library.count && status == BMF_OK; k++) {
        char *path = library_path(o->program.library.text[k]);
        status = read_names(path, names);
        free(path);
    }
    BMF_TRY(status);
    return read_names(o->path, names);
}

void stated_free(stated_names *names)
{
    for (int k = 0; k < names->count; k++)
        free(names->name[k]);
}

/* ---- random arguments ---- */

static void put_random(FILE *to, const bmf_type *type, unsigned *seed)
{
    switch (type->kind) {
    case BMF_INT:
        fprintf(to, "%d", rand_r(seed) % 19 - 9);
        break;
    case BMF_REAL:
        fprintf(to, "%d.%03d", rand_r(seed) % 9 - 4, rand_r(seed) % 1000);
        break;
    case BMF_BOOL:
        fputs(rand_r(seed) % 2 ? "true" : "false", to);
        break;
    case BMF_TUPLE:
        for (int k = 0; k < type->components; k++) {
            fputs(k == 0 ? "{" : ", ", to);
            put_random(to, type->component[k], seed);
        }
        fputs("}", to);
        break;
    default: { /* lists of one length: operators combine them element by element, more often than not */
        fputs("[", to);
        for (int k = 0; k < LONGEST; k++) {
            fputs(k == 0 ? "" : ", ", to);
            put_random(to, type->component[0], seed);
        }
        fputs("]", to);
    }
    }
}

/* ---- comparing ---- */

/* The end of the element that begins here. */
static const char *element_end(const char *at)
{
    int depth = 0;
    for (; *at && (depth > 0 || (*at != ',' && *at != ']')); at++)
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
    return at;
}

static bool near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b) + 1.0);
}

/* Texts of two values, in which numbers may differ by rounding. */
static bool same_values(const char *a, const char *a_end, const char *b, const char *b_end)
{
    while (a < a_end && b < b_end) {
        char *after_a, *after_b;
        const double x = strtod(a, &after_a), y = strtod(b, &after_b);
        if ((after_a == a) != (after_b == b) || (after_a == a && *a != *b) || (after_a != a && !near(x, y)))
            return false;
        a = after_a == a ? a + 1 : after_a;
        b = after_b == b ? b + 1 : after_b;
    }
    return a == a_end && b == b_end;
}

/* The first triple whose values differ, or -1. */
static int first_difference(const char *left, const char *right, const char *data, char **triple)
{
    const char *a = left + 1, *b = right + 1, *d = data + 1;
    for (int k = 0; k < TRIPLES; k++) {
        const char *a_end = element_end(a), *b_end = element_end(b), *d_end = element_end(d);
        if (!same_values(a, a_end, b, b_end)) {
            if (asprintf(triple, "%.*s: %.*s and %.*s", (int)(d_end - d), d, (int)(a_end - a), a, (int)(b_end - b), b) <
                0)
                *triple = text_copy("?");
            return k;
        }
        a = a_end + (*a_end == ',') + strspn(a_end + (*a_end == ','), " ");
        b = b_end + (*b_end == ',') + strspn(b_end + (*b_end == ','), " ");
        d = d_end + (*d_end == ',') + strspn(d_end + (*d_end == ','), " ");
    }
    return -1;
}

static int run_both(const char *source, const char *data, char *printed[2])
{
    static const char *const way[2] = {
        "B_Map ((%s) . B_Alltup [(%s) . B_Alltup [B_Addr (B_Num 1) (B_Num 3), B_Addr (B_Num 2) (B_Num 3)], "
        "B_Addr (B_Num 3) (B_Num 3)])\n%s\n",
        "B_Map ((%s) . B_Alltup [B_Addr (B_Num 1) (B_Num 3), (%s) . B_Alltup [B_Addr (B_Num 2) (B_Num 3), "
        "B_Addr (B_Num 3) (B_Num 3)]])\n%s\n"};
    int status = BMF_OK;
    for (int k = 0; k < 2 && status == BMF_OK; k++) {
        char *text = NULL;
        if (asprintf(&text, way[k], source, source, data) < 0)
            return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for a test of an operator");
        status = parallelise_run_text(text, &printed[k]);
        free(text);
    }
    return status;
}

int stated_test(const parallelise_options *options, const char *name, const char *source, const bmf_type *argument)
{
    char *data = NULL, *printed[2] = {NULL, NULL}, *triple = NULL;
    unsigned seed = SEED;
    size_t size;
    FILE *to = open_memstream(&data, &size);
    if (!to)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for a test of an operator");
    for (int k = 0; k < TRIPLES; k++) {
        fputs(k == 0 ? "[{" : ", {", to);
        for (int part = 0; part < 3; part++) {
            fputs(part == 0 ? "" : ", ", to);
            put_random(to, argument, &seed);
        }
        fputs("}", to);
    }
    fputs("]", to);
    fclose(to);
    int status = run_both(source, data, printed);
    if (status != BMF_OK)
        status = bmf_fail(NULL, BMF_ERROR_USAGE, "%s: %s is said to be associative and fails on random arguments: %s",
                          options->predict.path, name, bmf_error_text(NULL));
    else if (first_difference(printed[0], printed[1], data, &triple) >= 0)
        status =
            bmf_fail(NULL, BMF_ERROR_USAGE, "%s: %s is said to be associative and is not: the two ways to combine %s",
                     options->predict.path, name, triple);
    free(triple);
    free(printed[0]);
    free(printed[1]);
    free(data);
    return status;
}
