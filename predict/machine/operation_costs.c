/* Virtual time of operations; see operation_costs.h.
 *
 * Method: the settings are searched one after the other for every word: a machine names a few.
 * Cost: words times names. */
#include "predict/machine/operation_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "skeletons/language/front/expression.h"

typedef struct named_cost {
    char *name;
    double seconds;
} named_cost;

struct bmf_operation_costs {
    int count;
    named_cost *named;
    double other;
};

static bool is_word(const char *name, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(name, word, size) == 0;
}

static bool is_operation(const char *name, size_t size)
{
    for (int k = 0; k < BMF_OPERATIONS; k++)
        if (is_word(name, size, operation_keyword((bmf_operation)k, false)))
            return true;
    return false;
}

/* Forms of the language, but not its operations. */
static bool is_form(const char *name, size_t size)
{
    return size > 2 && name[1] == '_' && (name[0] == 'B' || name[0] == 'P') && !is_operation(name, size);
}

int operation_costs_read(const bmf_machine *machine, const config_setting_t *group, bmf_operation_costs **costs)
{
    const config_setting_t *all = config_setting_get_member(group, "operations_us");
    *costs = NULL;
    if (!all)
        return BMF_OK;
    if (!config_setting_is_group(all))
        return machine_fail(machine, all, BMF_ERROR_FILE, "'operations_us' must be a group { B_Plus = 1.0; .. }");
    bmf_operation_costs *made = allocate_clear(1, (int64_t)sizeof *made);
    made->count = config_setting_length(all);
    made->named = allocate_clear(made->count, (int64_t)sizeof *made->named);
    int status = BMF_OK;
    for (int k = 0; status == BMF_OK && k < made->count; k++) {
        const char *name = config_setting_name(config_setting_get_elem(all, (unsigned)k));
        named_cost *named = &made->named[k];
        named->name = text_copy(name);
        status = machine_microseconds(machine, all, name, NAN, &named->seconds);
        if (strcmp(name, "other") == 0)
            made->other = named->seconds;
    }
    if (status == BMF_OK)
        *costs = made;
    else
        operation_costs_free(made);
    return status;
}

void operation_costs_free(bmf_operation_costs *costs)
{
    if (!costs)
        return;
    for (int k = 0; k < costs->count; k++)
        free(costs->named[k].name);
    free(costs->named);
    free(costs);
}

static double cost_of(const bmf_operation_costs *costs, const char *name, size_t size)
{
    for (int k = 0; k < costs->count; k++)
        if (is_word(name, size, costs->named[k].name))
            return costs->named[k].seconds;
    return is_form(name, size) ? 0.0 : costs->other;
}

double operation_costs_of(const bmf_operation_costs *costs, const char *words)
{
    double seconds = 0.0;
    for (const char *space; (space = strchr(words, ' ')); words = space + 1)
        seconds += cost_of(costs, words, (size_t)(space - words));
    return seconds;
}
