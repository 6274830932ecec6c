/* bmf model check and list: what is in files of equations, and what is odd about them. */
#include <stdlib.h>

#include "drivers/model/model.h"

static int run_check(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_model_options *o = values;
    const bmf_equation_settings settings = {.sheet = o->sheet,
                                            .sets = o->set.count,
                                            .set = o->set.text,
                                            .as_printed = o->as_printed,
                                            .whole_rows = o->whole_rows};
    bmf_equations *equations;
    bmf_equation_remark *remark;
    int mistakes = 0;
    const int status = equations_read(operands->text[0], &settings, &equations);
    if (status != BMF_OK)
        return report_status(ctx, status);
    printf("%s\n", equations_path(equations));
    equations_describe(equations, stdout);
    const int64_t remarks = equations_check(equations, &remark);
    for (int64_t k = 0; k < remarks; k++) {
        printf("%s\n", remark[k].text);
        mistakes += remark[k].is_unit;
    }
    if (mistakes == 0)
        puts("units: right");
    free(remark);
    equations_free(equations);
    return finish_output() ? 1 : mistakes > 0;
}

static int run_list(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    char **name;
    (void)ctx, (void)values, (void)operands;
    const int64_t count = equations_installed(&name);
    for (int64_t k = 0; k < count; k++) {
        puts(name[k]);
        free(name[k]);
    }
    free(name);
    return finish_output();
}

static const bmf_option table[] = {BMF_MODEL_MACHINE_OPTIONS, BMF_OPTION_END};

const bmf_driver model_check_command = {
    .name = "check",
    .summary = "names and units of a file of equations",
    .synopsis = "bmf model check F [--sheet S] [--set NAME=X]..",
    .about =
        "Reads the equations of F with what they include: every name must be known and be called with the right "
        "number of arguments. Prints phases, parameters and functions, then what is odd: times that are multiplied "
        "with times, phases that no p changes, definitions that no phase uses.",
    .example = "bmf model check examples/models/life.model",
    .exit_code = "1 also if units are wrong, 2 also for a mistake in the file.",
    .options = table,
    BMF_ONE_OPERAND("no file of equations", "more than one file of equations"),
    .size = sizeof(bmf_model_options),
    .run = run_check};

const bmf_driver model_list_command = {
    .name = "list",
    .summary = "the installed files of equations",
    .synopsis = "bmf model list",
    .about = "Prints the names of the installed files of equations: machines, and programs of document 001. Those in a "
             "directory of your own come first when the environment variable BMF_MODELS names it.",
    .example = "bmf model list",
    .max_operands = 0,
    .size = 1,
    .run = run_list};
