/* What equations know from the start: functions, and the times t<op> of MPI's operations.
 *
 * alltoallv and alltoallvi stand for alltoall and so on, with the largest count of any process as d: the document's
 * models use them so, and few sheets have them.
 * Source: document 001, 4.2 and 4.3. */
#include <stdio.h>
#include <string.h>

#include "predict/equations/equations_private.h"
#include "runtime/base/array.h"

static const bmf_predefined predefined[] = {
    {"log", BMF_OP_LOG, 1, 1},         {"exp", BMF_OP_EXP, 1, 1},     {"sqrt", BMF_OP_SQRT, 1, 1},
    {"ceil", BMF_OP_CEIL, 1, 1},       {"floor", BMF_OP_FLOOR, 1, 1}, {"min", BMF_OP_MIN, 2, INT32_MAX},
    {"max", BMF_OP_MAX, 2, INT32_MAX}, {"rows", BMF_OP_ROWS, 2, 2},
};

/* stand_in: what is taken for an operation that is not there, or NULL. */
typedef struct operation_name {
    const char *name;
    bool collective;
    const char *stand_in;
} operation_name;

static const operation_name operation_names[] = {
    {"tallgather", true, NULL},
    {"tallgatherv", true, "tallgather"},
    {"tallreduce", true, NULL},
    {"tallsend", true, NULL},
    {"talltoall", true, NULL},
    {"talltoallv", true, "talltoall"},
    {"talltoallvi", true, "talltoall"},
    {"talltoallw", true, "talltoall"},
    {"tbarrier", true, NULL},
    {"tbcast", true, NULL},
    {"texscan", true, "tscan"},
    {"tgather", true, NULL},
    {"tgatherv", true, "tgather"},
    {"treduce", true, NULL},
    {"treduce_scatter", true, NULL},
    {"tscan", true, NULL},
    {"tscatter", true, "tgather"},
    {"tscatterv", true, "tscatter"},
    {"tcomm_split", false, NULL},
    {"tirecv1", false, NULL},
    {"tirecv2", false, NULL},
    {"tisend1", false, NULL},
    {"tisend2", false, NULL},
    {"tpingpong", false, NULL},
    {"trecv", false, NULL},
    {"trecvmin", false, NULL},
    {"trsend", false, "tsend"},
    {"tsend", false, NULL},
    {"tsendrecv", false, NULL},
    {"tssend", false, "tsend"},
};

const bmf_predefined *predefined_at(int k)
{
    return k < (int)(sizeof predefined / sizeof predefined[0]) ? &predefined[k] : NULL;
}

const bmf_predefined *predefined_find(const char *name)
{
    for (int k = 0; predefined_at(k); k++)
        if (strcmp(predefined[k].name, name) == 0)
            return &predefined[k];
    return NULL;
}

static const operation_name *find_operation(const char *name)
{
    for (size_t k = 0; k < sizeof operation_names / sizeof operation_names[0]; k++)
        if (strcmp(operation_names[k].name, name) == 0)
            return &operation_names[k];
    return NULL;
}

bool is_collective_time(const char *name)
{
    const operation_name *found = find_operation(name);
    return found && found->collective;
}

bool is_operation_time(const char *name)
{
    return find_operation(name);
}

const char *stand_in_time(const char *name)
{
    const operation_name *found = find_operation(name);
    return found ? found->stand_in : NULL;
}

/* Which of p and d t<op> takes, by what the operation is: tsend(d), tbarrier(p), tbcast(p,d). */
static void find_arguments(bmf_sheet_operation *operation)
{
    const bmf_family family = operation->entry->family;
    operation->takes_p = family != BMF_FAMILY_PAIR && family != BMF_FAMILY_LOCAL;
    operation->takes_d = family != BMF_FAMILY_BARRIER;
}

/* A sheet that was measured only with --cached has the operation under that name. */
static const bmf_sheet_entry *find_entries(const bmf_sheet *sheet, const char *operation, int64_t *entries)
{
    char cached[BMF_SHEET_NAME];
    const bmf_sheet_entry *found = sheet_find(sheet, operation, entries);
    snprintf(cached, sizeof cached, "%s:cached", operation);
    return found ? found : sheet_find(sheet, cached, entries);
}

int32_t equation_sheet_operation(bmf_equations *equations, const char *name)
{
    bmf_sheet_operation made = {0};
    if (!equations->sheet || name[0] != 't')
        return -1;
    made.entry = find_entries(equations->sheet, name + 1, &made.entries);
    if (!made.entry)
        return -1;
    for (int32_t k = 0; k < equations->operations; k++)
        if (equations->operation[k].entry == made.entry)
            return k;
    made.name = made.entry->operation;
    find_arguments(&made);
    *ARRAY_APPEND(equations->operation, equations->operations, equations->operation_capacity) = made;
    return equations->operations - 1;
}
