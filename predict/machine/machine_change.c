/* Values of a machine file that are to be others: "network.latency_us=0.5", "network.latency_us*2", "compute.power/3".
 *
 * Method: the change is made in libconfig's tree, so that what reads and checks the file sees it as if it had stood
 * there. A name that is not there may be set if its group is; whether it is known is checked with all others.
 */
#include "predict/machine/machine_change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"

enum { NAME = 128 };

static int fail(const char *path, const char *text, const char *what)
{
    return bmf_fail(NULL, BMF_ERROR_USAGE, "%s: '%.100s': %s", path, text, what);
}

static bool read_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

static double number_of(const config_setting_t *setting)
{
    const int type = config_setting_type(setting);
    return type == CONFIG_TYPE_FLOAT   ? config_setting_get_float(setting)
           : type == CONFIG_TYPE_INT   ? (double)config_setting_get_int(setting)
           : type == CONFIG_TYPE_INT64 ? (double)config_setting_get_int64(setting)
                                       : NAN;
}

/* The group that a name is in, and what it is called there; NULL: there is no such group. */
static config_setting_t *find_group(config_t *config, char *name, const char **key)
{
    char *dot = strrchr(name, '.');
    *key = dot ? dot + 1 : name;
    if (!dot)
        return config_root_setting(config);
    *dot = '\0';
    config_setting_t *group = config_lookup(config, name);
    if (!group && strcmp(name, "compute") == 0)
        group = config_setting_add(config_root_setting(config), name, CONFIG_TYPE_GROUP);
    *dot = '.';
    return group && config_setting_is_group(group) ? group : NULL;
}

/* Whole numbers stay whole if they can: counts are. */
static bool put_number(config_setting_t *group, const char *key, double value)
{
    const double limit = 9e15;
    const bool whole = value == floor(value) && fabs(value) < limit;
    config_setting_remove(group, key);
    config_setting_t *made = config_setting_add(group, key, whole ? CONFIG_TYPE_INT64 : CONFIG_TYPE_FLOAT);
    return made && (whole ? config_setting_set_int64(made, (long long)value) : config_setting_set_float(made, value));
}

static bool put_word(config_setting_t *group, const char *key, const char *word)
{
    const bool flag = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
    config_setting_remove(group, key);
    config_setting_t *made = config_setting_add(group, key, flag ? CONFIG_TYPE_BOOL : CONFIG_TYPE_STRING);
    return made && (flag ? config_setting_set_bool(made, word[0] == 't') : config_setting_set_string(made, word));
}

int machine_change(config_t *config, const char *path, const char *text)
{
    const char *sign = strpbrk(text, "=*/"), *key;
    char name[NAME];
    double value;
    if (!sign || sign == text || sign - text >= NAME || !sign[1])
        return fail(path, text, "a change is NAME=VALUE, NAME*FACTOR or NAME/FACTOR, like network.latency_us=0.5");
    memcpy(name, text, (size_t)(sign - text));
    name[sign - text] = '\0';
    config_setting_t *group = find_group(config, name, &key);
    if (!group || !key[0])
        return fail(path, text, "the machine has no such group");
    const bool is_number = read_number(sign + 1, &value);
    if (*sign == '=')
        return (is_number ? put_number(group, key, value) : put_word(group, key, sign + 1))
                   ? BMF_OK
                   : fail(path, text, "this cannot be set");
    if (!is_number || !(value > 0.0))
        return fail(path, text, "a factor is a number above 0");
    const config_setting_t *there = config_setting_get_member(group, key);
    const double old = there ? number_of(there) : strcmp(name, "compute.power") == 0 ? 1.0 : NAN;
    if (isnan(old))
        return fail(path, text, there ? "this is no number" : "the machine does not say it");
    put_number(group, key, *sign == '*' ? old * value : old / value);
    return BMF_OK;
}
