/* All operations, and the names by which users choose them. */
#include <stdlib.h>
#include <string.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"

int measure_operations(const measure_operation *operation[MEASURE_MAX_OPERATIONS])
{
    static const measure_table *const tables[] = {
        &measure_pair_table,    &measure_gaps_table,    &measure_congested_table, &measure_collective_table,
        &measure_barrier_table, &measure_openmp_table,  &measure_kernel_table,    &measure_skeleton_table,
        &measure_moving_table,  &measure_permute_table, &measure_file_table,      &measure_memory_table};
    int count = 0;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (int k = 0; k < tables[t]->count && count < MEASURE_MAX_OPERATIONS; k++)
            operation[count++] = &tables[t]->operation[k];
    return count;
}

static bool is_word(const char *list, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(list, name, length) == 0;
}

/* Steps through the words of a list with commas: false at its end. */
static bool next_word(const char **at, const char **word, size_t *length)
{
    if (!*at)
        return false;
    *word = *at;
    *length = strcspn(*at, ",");
    *at = (*at)[*length] == ',' ? *at + *length + 1 : NULL;
    return true;
}

static bool is_operation(const char *word, size_t length)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    for (int k = 0; k < count; k++)
        if (is_word(word, length, operation[k]->name))
            return true;
    return false;
}

static bool is_family(const char *word, size_t length)
{
    for (int family = 0; family < BMF_FAMILIES; family++)
        if (is_word(word, length, family_name((bmf_family)family)))
            return true;
    return false;
}

/* "barrier" is both: then it means the operation. */
bool measure_is_listed(const char *list, const measure_operation *operation)
{
    const char *word;
    if (!list)
        return true;
    for (size_t length; next_word(&list, &word, &length);)
        if (is_word(word, length, operation->name) ||
            (is_word(word, length, family_name(operation->family)) && !is_operation(word, length)))
            return true;
    return false;
}

/* ---- near names ---- */

enum { LONGEST = 64 };

static int operation_distance(const char *word, int length, const char *name)
{
    char text[LONGEST + 1];
    snprintf(text, sizeof text, "%.*s", length, word);
    return length > 1 && strstr(name, text) ? 0 : name_distance(text, name);
}

static void list_near(const char *word, int length, char *text, size_t size)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    near_names near = {.max = NEAR_NAMES_MAX, .limit = length};
    for (int k = 0; k < count; k++)
        near_names_offer(&near, operation[k]->name, operation_distance(word, length, operation[k]->name));
    near_names_text(&near, text, size);
}

int measure_check_list(bmf_context *ctx, const char *list)
{
    const char *word;
    char near[256];
    for (size_t length; next_word(&list, &word, &length);) {
        const int shown = length < LONGEST ? (int)length : LONGEST;
        if (is_operation(word, length) || is_family(word, length))
            continue;
        list_near(word, shown, near, sizeof near);
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "unknown operation '%.*s'%s%s; --list shows all", shown, word,
                        near[0] ? "; near: " : "", near);
    }
    return BMF_OK;
}

void measure_list(FILE *stream)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int count = measure_operations(operation);
    for (int family = 0; family < BMF_FAMILIES; family++) {
        fprintf(stream, "%s%s\n", family ? "\n" : "", family_name((bmf_family)family));
        for (int k = 0; k < count; k++)
            if ((int)operation[k]->family == family)
                fprintf(stream, "  %-20s %s\n", operation[k]->name, operation[k]->meaning);
    }
}
