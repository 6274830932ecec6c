/* Values of machine files: libconfig parses, this checks what they are and says where a mistake is.
 *
 * Keys that are not known are mistakes, so that a misspelt one is not passed over; the message lists near ones
 * (Levenshtein's distance). Numbers must be finite: libconfig reads 1e999 as infinite. Cost: nothing worth mentioning.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine/machine.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/allocate.h"

enum { TEXT = 512, NEAR = 3 };

int machine_fail(const bmf_machine *machine, const config_setting_t *at, int status, const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unsigned line = at ? config_setting_source_line(at) : 0;
    if (line == 0) /* the whole file */
        return bmf_fail(NULL, status, "%s: %s", machine->path, text);
    return bmf_fail(NULL, status, "%s:%u: %s", machine->path, line, text);
}

/* ---- keys ---- */

/* How far a key may be from a word that is listed as near: half of its letters. */
static int patience(const char *key)
{
    int half = (int)strlen(key) / 2;
    return half < 2 ? 2 : half;
}

/* The nearest of the known keys, or all of them when none is near. */
static void list_near(const char *key, const char *const *known, char text[TEXT])
{
    int used = 0, shown = 0;
    text[0] = 0;
    for (int d = 0; d <= patience(key) && shown < NEAR; d++)
        for (int k = 0; known[k] && shown < NEAR; k++)
            if (name_distance(key, known[k]) == d)
                used += snprintf(text + used, (size_t)(TEXT - used), "%s%s", shown++ ? ", " : "; near: ", known[k]);
    for (int k = 0; shown == 0 && known[k] && used < TEXT - 1; k++)
        used += snprintf(text + used, (size_t)(TEXT - used), "%s%s", k ? ", " : "; known: ", known[k]);
}

int machine_keys(const bmf_machine *machine, const config_setting_t *group, const char *const *known)
{
    for (int k = 0; k < config_setting_length(group); k++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)k);
        const char *name = config_setting_name(member);
        char near[TEXT];
        int at = 0;
        while (known[at] && strcmp(known[at], name) != 0)
            at++;
        if (known[at])
            continue;
        list_near(name, known, near);
        return machine_fail(machine, member, BMF_ERROR_FILE, "unknown key '%.80s'%.400s", name, near);
    }
    return BMF_OK;
}

/* ---- values ---- */

static bool is_whole(const config_setting_t *setting)
{
    int type = config_setting_type(setting);
    return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

static int missing(const bmf_machine *machine, const config_setting_t *group, const char *key)
{
    return machine_fail(machine, group, BMF_ERROR_FILE, "'%s' is missing", key);
}

/* "above 0", "at least 0", "from 1 to 64", .. */
static void describe_range(double min, double max, char text[TEXT])
{
    if (isfinite(max) && min == DBL_MIN)
        snprintf(text, TEXT, " above 0 and at most %.15g", max);
    else if (isfinite(max))
        snprintf(text, TEXT, " from %.15g to %.15g", min, max);
    else if (min == DBL_MIN)
        snprintf(text, TEXT, " above 0");
    else if (isfinite(min))
        snprintf(text, TEXT, " of at least %.15g", min);
    else
        text[0] = 0;
}

int machine_number(const bmf_machine *machine, const config_setting_t *group, const char *key, double min, double max,
                   double otherwise, double *value)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    char range[TEXT];
    if (!setting) {
        *value = otherwise;
        return isnan(otherwise) ? missing(machine, group, key) : BMF_OK;
    }
    describe_range(min, max, range);
    bool is_real = config_setting_type(setting) == CONFIG_TYPE_FLOAT;
    if (!is_real && !is_whole(setting))
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a number%s", key, range);
    double read = is_real ? config_setting_get_float(setting) : (double)config_setting_get_int64(setting);
    if (!isfinite(read))
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be finite", key);
    if (read < min || read > max)
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a number%s, not %.15g", key, range, read);
    *value = read;
    return BMF_OK;
}

int machine_microseconds(const bmf_machine *machine, const config_setting_t *group, const char *key, double otherwise,
                         double *seconds)
{
    if (config_setting_get_member(group, key) || isnan(otherwise)) {
        BMF_TRY(machine_number(machine, group, key, 0.0, INFINITY, NAN, seconds));
        *seconds *= 1e-6;
    } else {
        *seconds = otherwise;
    }
    return BMF_OK;
}

int machine_integer(const bmf_machine *machine, const config_setting_t *group, const char *key, int64_t min,
                    int64_t max, int64_t otherwise, int64_t *value)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    if (!setting) {
        *value = otherwise;
        return otherwise == INT64_MIN ? missing(machine, group, key) : BMF_OK;
    }
    int64_t read = is_whole(setting) ? config_setting_get_int64(setting) : 0;
    if (is_whole(setting) && read >= min && read <= max) {
        *value = read;
        return BMF_OK;
    }
    if (max == INT64_MAX)
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a whole number of at least %lld", key,
                            (long long)min);
    return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a whole number from %lld to %lld", key,
                        (long long)min, (long long)max);
}

int machine_flag(const bmf_machine *machine, const config_setting_t *group, const char *key, bool otherwise, bool *flag)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    *flag = otherwise;
    if (!setting)
        return BMF_OK;
    if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be true or false", key);
    *flag = config_setting_get_bool(setting);
    return BMF_OK;
}

int machine_text_value(const bmf_machine *machine, const config_setting_t *group, const char *key, const char **text)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    *text = NULL;
    if (!setting)
        return BMF_OK;
    const char *read = config_setting_get_string(setting);
    if (!read)
        return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a text in quotes", key);
    for (const char *c = read; *c; c++)
        if ((unsigned char)*c < ' ')
            return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be one line", key);
    *text = read;
    return BMF_OK;
}

int machine_word(const bmf_machine *machine, const config_setting_t *group, const char *key, const char *const *known,
                 int otherwise, int *index)
{
    const char *text;
    char list[TEXT] = "";
    BMF_TRY(machine_text_value(machine, group, key, &text));
    *index = otherwise;
    if (!text)
        return BMF_OK;
    for (int k = 0; known[k]; k++)
        if (strcmp(text, known[k]) == 0) {
            *index = k;
            return BMF_OK;
        }
    for (int k = 0, used = 0; known[k] && used < TEXT - 1; k++)
        used += snprintf(list + used, (size_t)(TEXT - used), "%s%s",
                         k == 0         ? ""
                         : known[k + 1] ? ", "
                                        : " or ",
                         known[k]);
    return machine_fail(machine, config_setting_get_member(group, key), BMF_ERROR_FILE, "'%s' is %.350s, not '%.80s'",
                        key, list, text);
}

int machine_path_value(const bmf_machine *machine, const config_setting_t *group, const char *key, char **path)
{
    const char *text;
    *path = NULL;
    BMF_TRY(machine_text_value(machine, group, key, &text));
    if (!text)
        return BMF_OK;
    if (!text[0])
        return machine_fail(machine, config_setting_get_member(group, key), BMF_ERROR_FILE, "'%s' must name a file",
                            key);
    bool absolute = text[0] == '/';
    size_t size = strlen(machine->directory) + strlen(text) + 2;
    *path = allocate((int64_t)size);
    snprintf(*path, size, "%s%s%s", absolute ? "" : machine->directory, absolute ? "" : "/", text);
    return BMF_OK;
}

int machine_sheet(const bmf_machine *machine, const config_setting_t *group, const char *key, bmf_sheet **sheet)
{
    char *path, reason[TEXT];
    *sheet = NULL;
    BMF_TRY(machine_path_value(machine, group, key, &path));
    if (!path)
        return BMF_OK;
    int status = sheet_read(path, sheet);
    free(path);
    if (status == BMF_OK)
        return BMF_OK;
    snprintf(reason, sizeof reason, "%s", bmf_error_text(NULL));
    return machine_fail(machine, config_setting_get_member(group, key), status, "%s", reason);
}
