/* Checking values: libconfig parses, this says what is wrong where. Numbers must be finite: libconfig reads 1e999 as
 * infinite. Cost: nothing worth mentioning.
 */
#include "predict/config/config_values.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/text.h"
#include "bmf/status.h"

enum { TEXT = 512 };

/* ---- messages ---- */

int config_fail(const char *path, const config_setting_t *at, int status, const char *format, ...)
{
    char text[TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const unsigned line = at ? config_setting_source_line(at) : 0;
    if (line == 0) /* the whole file */
        return bmf_fail(NULL, status, "%s: %s", path, text);
    return bmf_fail(NULL, status, "%s:%u: %s", path, line, text);
}

int config_fail_parse(const char *path, const config_t *config)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: %s", path, config_error_line(config), config_error_text(config));
}

int config_fail_missing(const char *path, const config_setting_t *group, const char *key)
{
    return config_fail(path, group, BMF_ERROR_FILE, "'%s' is missing", key);
}

const char *config_name(const config_setting_t *setting)
{
    const char *name = config_setting_name(setting);
    return name ? name : "this value";
}

/* " above 0", " of at least 0", " from 1 to 64", .. */
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

/* ---- values ---- */

bool config_is_integer(const config_setting_t *setting)
{
    const int type = config_setting_type(setting);
    return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

int config_number(const char *path, const config_setting_t *setting, double min, double max, double *value)
{
    const bool is_real = config_setting_type(setting) == CONFIG_TYPE_FLOAT;
    const char *name = config_name(setting);
    char range[TEXT];
    describe_range(min, max, range);
    if (!is_real && !config_is_integer(setting))
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be a number%s", name, range);
    const double read = is_real ? config_setting_get_float(setting) : (double)config_setting_get_int64(setting);
    if (!isfinite(read))
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be finite", name);
    if (read < min || read > max)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be a number%s, not %.15g", name, range, read);
    *value = read;
    return BMF_OK;
}

int config_integer(const char *path, const config_setting_t *setting, int64_t min, int64_t max, int64_t *value)
{
    const int64_t read = config_is_integer(setting) ? config_setting_get_int64(setting) : 0;
    const char *name = config_name(setting);
    if (config_is_integer(setting) && read >= min && read <= max) {
        *value = read;
        return BMF_OK;
    }
    if (max == INT64_MAX)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be a whole number of at least %lld", name,
                           (long long)min);
    return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be a whole number from %lld to %lld", name,
                       (long long)min, (long long)max);
}

int config_flag(const char *path, const config_setting_t *setting, bool *flag)
{
    if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be true or false", config_name(setting));
    *flag = config_setting_get_bool(setting);
    return BMF_OK;
}

int config_text(const char *path, const config_setting_t *setting, size_t size, const char **text)
{
    *text = config_setting_get_string(setting);
    if (!*text)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be a text in quotes", config_name(setting));
    if (strlen(*text) >= size)
        return config_fail(path, setting, BMF_ERROR_FILE, "'%s' has more than %zu bytes", config_name(setting),
                           size - 1);
    for (const char *c = *text; *c; c++)
        if (control_character(c) || *c == '\n' || *c == '\t')
            return config_fail(path, setting, BMF_ERROR_FILE, "'%s' must be one line", config_name(setting));
    return BMF_OK;
}

const config_setting_t *config_unknown(const config_setting_t *group, const char *const *known)
{
    for (int k = 0; k < config_setting_length(group); k++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)k);
        int at = 0;
        while (known[at] && strcmp(known[at], config_setting_name(member)) != 0)
            at++;
        if (!known[at])
            return member;
    }
    return NULL;
}
