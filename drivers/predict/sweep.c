/* bmf predict --mpi --sweep: the same prediction for several values of one of the program's arguments. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/command/launch.h"
#include "drivers/predict/predict.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { MARK = 64, NUMBER = 40 };

/* ---- the option ---- */

int sweep_read_values(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 0, .max = 1e15};
    bmf_predict_options *o = (void *)((char *)field - offsetof(bmf_predict_options, swept));
    const char *equals = strchr(text, '=');
    if (o->swept)
        return usage_error("--sweep is for one name: it stands there twice");
    if (!equals || equals == text || equals - text > MARK - 3 || strcspn(text, "{} ") < (size_t)(equals - text))
        return usage_error("--sweep '%.100s' is not NAME=LIST, like n=20,40,80", text);
    if (!number_list_read(equals + 1, &rule, &o->sweep))
        return usage_error("--sweep '%.100s': '%.80s' is no list of numbers, like 20,40,80 or 20..160", text,
                           equals + 1);
    o->swept = text_copy(text);
    o->swept[equals - text] = '\0';
    return 0;
}

static const char *mark_of(const bmf_predict_options *o, char mark[MARK])
{
    snprintf(mark, MARK, "{%s}", o->swept);
    return mark;
}

int sweep_check(const bmf_predict_options *o)
{
    char mark[MARK];
    mark_of(o, mark);
    if (strcmp(o->swept, "p") == 0)
        return usage_error("{p} is the number of processors: give them to --procs");
    if (o->trace || o->html)
        return usage_error("--sweep makes a table; --trace and --html are for one value");
    for (int k = 1; o->command[k]; k++)
        if (strstr(o->command[k], mark))
            return 0;
    return usage_error("%s stands nowhere in the program's arguments: every value would be the same run", mark);
}

/* ---- the values ---- */

/* Prints the table of one value, or adds its object to the list. */
static int predict_value(const bmf_predict_options *o, double value, json_t *points)
{
    char mark[MARK], number[NUMBER];
    bmf_predict_options of_value = *o;
    snprintf(number, sizeof number, "%.15g", value);
    of_value.command = launch_replaced(o->command, mark_of(o, mark), number);
    bmf_predicted *run = allocate_clear(o->processors.count, (int64_t)sizeof *run);
    const int status = predict_all(&of_value, run);
    if (status == BMF_OK && points) {
        json_t *object = predicted_object(&of_value, run);
        json_object_del(object, "program");
        json_object_del(object, "machine");
        json_object_set_new(object, "value", json_real(value));
        json_array_append_new(points, object);
    } else if (status == BMF_OK) {
        printf("%s%s = %s: ", value == o->sweep.number[0] ? "" : "\n", o->swept, number);
        predicted_print(&of_value, run);
    }
    for (int64_t k = 0; k < o->processors.count; k++)
        predicted_free(&run[k]);
    free(run);
    launch_words_free(of_value.command);
    return status;
}

int sweep_predict(const bmf_predict_options *o)
{
    const char *slash = strrchr(o->command[0], '/');
    json_t *points = o->json ? json_array() : NULL;
    int status = BMF_OK;
    for (int64_t k = 0; k < o->sweep.count && status == BMF_OK; k++)
        status = predict_value(o, o->sweep.number[k], points);
    if (status == BMF_OK && points)
        json_print(json_pack("{s:s, s:s, s:s, s:O}", "program", slash ? slash + 1 : o->command[0], "machine",
                             o->machine->name, "parameter", o->swept, "points", points),
                   BMF_JSON_LINE);
    json_decref(points);
    return status;
}
