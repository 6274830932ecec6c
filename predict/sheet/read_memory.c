/* Reading what sheets say of the machine's memory, and of the work of kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/config/config_file.h"
#include "predict/config/config_values.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

enum { MAX_CURVES = 1000, MECHANISM_NUMBERS = 8 };

/* ---- values ---- */

/* A list or array of at most `room` finite numbers, each at least `min`. */
static int read_numbers(const char *path, const config_setting_t *setting, double min, int room, double *value,
                        int *count)
{
    if (!config_setting_is_aggregate(setting) || config_setting_is_group(setting) ||
        config_setting_length(setting) > room)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' holds at most %d numbers", config_name(setting), room);
    *count = config_setting_length(setting);
    for (int k = 0; k < *count; k++) {
        BMF_TRY(config_number(path, config_setting_get_elem(setting, (unsigned)k), -INFINITY, INFINITY, &value[k]));
        if (!(value[k] >= min))
            return config_fail(path, setting, BMF_ERROR_FILE, "a number of '%s' is below %g", config_name(setting),
                               min);
    }
    return BMF_OK;
}

static int read_named(const char *path, const config_setting_t *group, const char *name, double min, int room,
                      double *value, int *count)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    return setting ? read_numbers(path, setting, min, room, value, count) : config_fail_missing(path, group, name);
}

static int read_exactly(const char *path, const config_setting_t *group, const char *name, double min, int wanted,
                        double *value)
{
    int count;
    BMF_TRY(read_named(path, group, name, min, wanted, value, &count));
    return count == wanted ? BMF_OK
                           : config_fail(path, group, BMF_ERROR_FILE, "'%s' must hold %d numbers", name, wanted);
}

static int read_number(const char *path, const config_setting_t *group, const char *name, double min, double *value)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    if (!setting)
        return config_fail_missing(path, group, name);
    BMF_TRY(config_number(path, setting, -INFINITY, INFINITY, value));
    return *value >= min ? BMF_OK : config_fail(path, setting, BMF_ERROR_FILE, "'%s' is below %g", name, min);
}

static int check_group(const char *path, const config_setting_t *group, const char *const *known)
{
    if (!config_setting_is_group(group))
        return config_fail(path, group, BMF_ERROR_FILE, "'%s' must be a group { .. }", config_name(group));
    const config_setting_t *strange = config_unknown(group, known);
    return strange ? config_fail(path, strange, BMF_ERROR_FILE, "unknown name '%s'", config_setting_name(strange))
                   : BMF_OK;
}

/* ---- memory ---- */

static int read_places(const char *path, const config_setting_t *group, double unit, bmf_memory_curve *curve)
{
    double level[BMF_MEMORY_STEPS + 1], range[2];
    int levels, widths;
    BMF_TRY(read_exactly(path, group, "bytes", 1.0, 2, range));
    if (range[0] > range[1])
        return config_fail(path, group, BMF_ERROR_FILE, "the range 'bytes' runs backwards");
    curve->low = range[0];
    curve->high = range[1];
    BMF_TRY(read_named(path, group, "levels", 0.0, BMF_MEMORY_STEPS + 1, level, &levels));
    BMF_TRY(read_named(path, group, "steps", 1.0, BMF_MEMORY_STEPS, curve->step, &curve->steps));
    BMF_TRY(read_named(path, group, "widths", 0.001, BMF_MEMORY_STEPS, curve->width, &widths));
    if (levels != curve->steps + 1 || widths != curve->steps)
        return config_fail(path, group, BMF_ERROR_FILE,
                           "%d steps need %d levels and %d widths: a step is between two levels", curve->steps,
                           curve->steps + 1, curve->steps);
    curve->level = level[0] * unit;
    for (int k = 0; k < curve->steps; k++) {
        curve->rise[k] = (level[k + 1] - level[k]) * unit;
        if (curve->rise[k] < 0.0 || (k > 0 && curve->step[k] < curve->step[k - 1]))
            return config_fail(path, group, BMF_ERROR_FILE, "levels and steps must not fall");
    }
    return BMF_OK;
}

static int read_curve(const char *path, const config_setting_t *group, double unit, bmf_memory_curve *curve)
{
    static const char *const known[] = {"access", "p", "bytes", "levels", "steps", "widths", "error", NULL};
    const char *word;
    int64_t p;
    BMF_TRY(check_group(path, group, known));
    config_setting_t *access = config_setting_get_member(group, "access"),
                     *cores = config_setting_get_member(group, "p");
    if (!access || !cores)
        return config_fail_missing(path, group, access ? "p" : "access");
    BMF_TRY(config_text(path, access, BMF_SHEET_TEXT, &word));
    if (!memory_access_find(word, &curve->access))
        return config_fail(path, access, BMF_ERROR_FILE, "unknown access '%s'", word);
    BMF_TRY(config_integer(path, cores, 1, INT32_MAX, &p));
    curve->p = (int32_t)p;
    BMF_TRY(read_places(path, group, unit, curve));
    return read_number(path, group, "error", 0.0, &curve->error);
}

static int by_access(const void *a, const void *b)
{
    const bmf_memory_curve *x = a, *y = b;
    if (x->access != y->access)
        return x->access < y->access ? -1 : 1;
    return (x->p > y->p) - (x->p < y->p);
}

int sheet_read_memory(const char *path, const config_setting_t *list, double unit, bmf_memory *memory)
{
    if (!config_setting_is_list(list) || config_setting_length(list) > MAX_CURVES)
        return config_fail(path, list, BMF_ERROR_FILE, "'memory' must be a list ( .. ) of at most %d curves",
                           MAX_CURVES);
    memory->curves = config_setting_length(list);
    memory->curve = allocate_clear(memory->curves, (int64_t)sizeof *memory->curve);
    for (int k = 0; k < memory->curves; k++)
        BMF_TRY(read_curve(path, config_setting_get_elem(list, (unsigned)k), unit, &memory->curve[k]));
    qsort(memory->curve, (size_t)memory->curves, sizeof *memory->curve, by_access);
    for (int64_t k = 1; k < memory->curves; k++)
        if (by_access(&memory->curve[k - 1], &memory->curve[k]) == 0)
            return config_fail(path, list, BMF_ERROR_FILE, "there are two curves of '%s' for p = %d",
                               memory_access_word(memory->curve[k].access), (int)memory->curve[k].p);
    return BMF_OK;
}

/* ---- the work of kernels ---- */

/* weight, overlap, share, start, operation, list, first, fault; the times in the sheet's unit. Sheets of before faults
 * were told apart have no fault. */
static int read_form(const char *path, const config_setting_t *setting, double unit, bmf_mechanism_form *form)
{
    double value[MECHANISM_NUMBERS];
    int count;
    BMF_TRY(read_numbers(path, setting, 0.0, MECHANISM_NUMBERS, value, &count));
    if (count < MECHANISM_NUMBERS - 1 || value[0] > 1.0 || value[1] < 1.0 || value[1] > 100.0)
        return config_fail(path, setting, BMF_ERROR_FILE,
                           "a form is (weight, overlap from 1 to 100, share, start, operation, list, first, fault)");
    *form = (bmf_mechanism_form){.weight = value[0],
                                 .overlap = value[1],
                                 .share = value[2],
                                 .start = value[3] * unit,
                                 .operation = value[4] * unit,
                                 .list = value[5] * unit,
                                 .first = value[6],
                                 .fault = count < MECHANISM_NUMBERS ? value[6] : value[7]};
    return BMF_OK;
}

static int read_forms(const char *path, const config_setting_t *group, double unit, bmf_mechanism *made)
{
    const config_setting_t *list = config_setting_get_member(group, "forms");
    double sum = 0.0;
    if (!list)
        return config_fail_missing(path, group, "forms");
    made->forms = config_setting_is_list(list) ? config_setting_length(list) : 0;
    if (made->forms < 1 || made->forms > BMF_MECHANISM_FORMS)
        return config_fail(path, list, BMF_ERROR_FILE, "'forms' must be a list ( .. ) of 1 to %d forms",
                           BMF_MECHANISM_FORMS);
    for (int k = 0; k < made->forms; k++) {
        BMF_TRY(read_form(path, config_setting_get_elem(list, (unsigned)k), unit, &made->form[k]));
        sum += made->form[k].weight;
    }
    if (fabs(sum - 1.0) > 1e-6)
        return config_fail(path, list, BMF_ERROR_FILE, "the weights of the forms add up to %g, not to 1", sum);
    return BMF_OK;
}

static int read_code(const char *path, const config_setting_t *group, uint64_t *code)
{
    const config_setting_t *setting = config_setting_get_member(group, "code");
    const char *text;
    char *end;
    if (!setting)
        return BMF_OK;
    BMF_TRY(config_text(path, setting, BMF_SHEET_TEXT, &text));
    *code = strtoull(text, &end, 16);
    return *end == '\0' && end - text == 16
               ? BMF_OK
               : config_fail(path, setting, BMF_ERROR_FILE, "'code' is 16 hexadecimal digits, not '%s'", text);
}

int sheet_read_mechanism(const char *path, const config_setting_t *group, double unit, bmf_mechanism *made)
{
    static const char *const known[] = {"code", "p", "threads", "bytes", "noise", "freedom", "misfit", "forms", NULL};
    double p[2], bytes[2], threads;
    BMF_TRY(check_group(path, group, known));
    BMF_TRY(read_code(path, group, &made->code));
    BMF_TRY(read_exactly(path, group, "p", 1.0, 2, p));
    BMF_TRY(read_number(path, group, "threads", 1.0, &threads));
    BMF_TRY(read_exactly(path, group, "bytes", 0.0, 2, bytes));
    if (p[0] > p[1] || p[1] > INT32_MAX || threads > INT32_MAX || bytes[0] > bytes[1])
        return config_fail(path, group, BMF_ERROR_FILE, "'p', 'threads' or 'bytes' is out of range");
    made->p_low = (int32_t)p[0];
    made->p_high = (int32_t)p[1];
    made->threads = (int32_t)threads;
    made->low = bytes[0];
    made->high = bytes[1];
    BMF_TRY(read_number(path, group, "noise", 0.0, &made->noise));
    BMF_TRY(read_number(path, group, "freedom", 0.5, &made->freedom));
    BMF_TRY(read_number(path, group, "misfit", 0.0, &made->misfit));
    return read_forms(path, group, unit, made);
}
