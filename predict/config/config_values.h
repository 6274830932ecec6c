/* Values of libconfig texts (machine files, sheets): what they must be, and one line with file and line number when
 * they are not. Messages go to the process-wide slot (ctx NULL); the status of a wrong value is BMF_ERROR_FILE. `path`
 * is that of the text, for messages. Nothing here is collective.
 */
#ifndef BMF_CONFIG_VALUES_H
#define BMF_CONFIG_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libconfig.h>

/* "FILE:LINE: TEXT", or "FILE: TEXT" if `at` is NULL or the whole file; returns status. */
int config_fail(const char *path, const config_setting_t *at, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for what libconfig could not parse. */
int config_fail_parse(const char *path, const config_t *config);
int config_fail_missing(const char *path, const config_setting_t *group, const char *key);

/* The name of a setting; "this value" for elements of arrays and lists, which have none. */
const char *config_name(const config_setting_t *setting);

/* A whole number, of 32 bits or of 64. */
bool config_is_integer(const config_setting_t *setting);
/* A finite number, an int or a float, in [min, max]; min DBL_MIN: above 0; -INFINITY, INFINITY: any. */
int config_number(const char *path, const config_setting_t *setting, double min, double max, double *value);
int config_integer(const char *path, const config_setting_t *setting, int64_t min, int64_t max, int64_t *value);
int config_flag(const char *path, const config_setting_t *setting, bool *flag);
/* One line of less than `size` bytes; it lives as long as the setting. */
int config_text(const char *path, const config_setting_t *setting, size_t size, const char **text);
/* The first member of the group whose name is not among `known` (NULL at the end), or NULL. */
const config_setting_t *config_unknown(const config_setting_t *group, const char *const *known);

#endif
