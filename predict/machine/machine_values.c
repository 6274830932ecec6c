/* Values of machine files: what a key stands for if it is left out, words, and paths relative to the file.
 *
 * Keys that are not known are mistakes, so that a misspelt one is not passed over; the message lists near ones
 * (Levenshtein's distance). Cost: nothing worth mentioning.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine/machine.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"
#include "runtime/base/allocate.h"

enum { TEXT = 512, NEAR = 3 };

/* ---- keys ---- */

/* The nearest of the known keys, or all of them when none is near: near are keys that share half of the letters. */
static void list_near(const char *key, const char *const *known, char text[TEXT])
{
    const int64_t half = (int64_t)strlen(key) / 2;
    near_names near = {.max = NEAR, .limit = half < 2 ? 2 : half};
    char names[TEXT];
    int used = 0;
    for (int k = 0; known[k]; k++)
        near_names_offer(&near, known[k], name_distance(key, known[k]));
    if (near.count > 0)
        snprintf(text, TEXT, "; near: %.500s", near_names_text(&near, names, sizeof names));
    for (int k = 0; near.count == 0 && known[k] && used < TEXT - 1; k++)
        used += snprintf(text + used, (size_t)(TEXT - used), "%s%s", k ? ", " : "; known: ", known[k]);
}

int machine_keys(const bmf_machine *machine, const config_setting_t *group, const char *const *known)
{
    const config_setting_t *strange = config_unknown(group, known);
    char near[TEXT];
    if (!strange)
        return BMF_OK;
    list_near(config_setting_name(strange), known, near);
    return machine_fail(machine, strange, BMF_ERROR_FILE, "unknown key '%.80s'%.400s", config_setting_name(strange),
                        near);
}

/* ---- values ---- */

int machine_number(const bmf_machine *machine, const config_setting_t *group, const char *key, double min, double max,
                   double otherwise, double *value)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    if (setting)
        return config_number(machine->path, setting, min, max, value);
    *value = otherwise;
    return isnan(otherwise) ? config_fail_missing(machine->path, group, key) : BMF_OK;
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
    if (setting)
        return config_integer(machine->path, setting, min, max, value);
    *value = otherwise;
    return otherwise == INT64_MIN ? config_fail_missing(machine->path, group, key) : BMF_OK;
}

int machine_flag(const bmf_machine *machine, const config_setting_t *group, const char *key, bool otherwise, bool *flag)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    *flag = otherwise;
    return setting ? config_flag(machine->path, setting, flag) : BMF_OK;
}

int machine_text_value(const bmf_machine *machine, const config_setting_t *group, const char *key, const char **text)
{
    const config_setting_t *setting = config_setting_get_member(group, key);
    *text = NULL;
    return setting ? config_text(machine->path, setting, SIZE_MAX, text) : BMF_OK;
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

int machine_messages(const bmf_machine *machine, const config_setting_t *group, const char *key, bmf_sheet **sheet)
{
    bmf_sheet **kept = machine->of_messages;
    *sheet = NULL;
    if (!*kept)
        BMF_TRY(machine_sheet(machine, group, key, kept));
    if (*kept)
        *sheet = sheet_share(*kept);
    return BMF_OK;
}
