/* bmf plan: what a program becomes: laws, kernels, schedules, messages.
 *
 * Schedules depend on the data, so the program is run, in this process or on
 * the ranks mpirun gives; only what it would print is left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "drivers/commands.h"
#include "drivers/program_options.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/scalar/scalar.h"

static void print_help(void)
{
    puts("usage: bmf plan PROG.bmf [OPTION]..\n"
         "\n"
         "Prints the plan of a program: the program as written and after the laws "
         "that were applied, its kernels, the\n"
         "schedule of every operation that sends messages, and their totals. Runs "
         "the program to know their sizes.\n"
         "\n"
         "  --procs P     processors of the machine; default: as many as the "
         "program splits over\n"
         "  --library F   a file of definitions; may be given several times\n"
         "  --arg F       the argument: a .npy file or data as text; default: the "
         "data at the end of the program\n"
         "  --free        allow laws that associate sums of reals anew\n"
         "  --json        print {\"before\", \"after\", \"laws\", \"processors\", "
         "\"messages\", \"bytes\"}\n"
         "  --help        this text\n"
         "\n"
         "Example: echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op "
         "(B_Plus))) . P_Split (B_Num 4)\n"
         "               [1, 2, 3, 4, 5, 6, 7, 8]' > sum.bmf && bmf plan sum.bmf");
}

static void report_law(void *state, bmf_law law, const bmf_expression *before, const bmf_expression *after)
{
    FILE *stream = state;
    char *old = expression_print(before, -1), *new = expression_print(after, -1);
    fprintf(stream, "  %s: %s\n      %s\n   -> %s\n", law_name(law), law_statement(law), old, new);
    free(old), free(new);
}

static void print_expression(const char *title, const bmf_expression *expression)
{
    char *text = expression_print(expression, 4), in[512], out[512];
    printf("%s, %s -> %s:\n%s\n\n", title, bmf_type_print(expression->in, in, sizeof in),
           bmf_type_print(expression->out, out, sizeof out), text);
    free(text);
}

/* ---- kernels ---- */

static void print_kernel(bmf_expression *expression, int *number)
{
    char *text = expression_print(expression, -1), *code = scalar_print(scalar_of_expression(expression));
    printf("  %d: %s\n%s", ++*number, text, code);
    free(text), free(code);
}

/* The scalar expressions of streams and scalar nodes; the same node is printed
 * once. */
static void print_kernels(bmf_expression *expression, int *number)
{
    if (expression->scalar != NULL)
        return;
    if (expression->kind == BMF_EXPRESSION_SCALAR) {
        print_kernel(expression->child[0], number);
        return;
    }
    for (int k = 0; k < expression->children; k++) {
        bmf_expression *child = expression->child[k];
        if (child == NULL)
            continue;
        if (expression->kind == BMF_EXPRESSION_STREAM && k < 2 && child->kind != BMF_EXPRESSION_ID)
            print_kernel(child, number);
        else
            print_kernels(child, number);
    }
}

/* ---- the plan ---- */

typedef struct planned {
    char *before, *after;
    bmf_statistics sent;
    int64_t applied;
} planned;

static int make_plan(bmf_context *ctx, const bmf_driver_options *o, bmf_program *program, planned *plan)
{
    bool text = bmf_is_root(ctx) && !o->json;
    BMF_TRY(bmf_load_program(ctx, o, program));
    plan->before = expression_print(program->checked, -1);
    if (text) {
        print_expression("program", program->checked);
        puts("laws:");
    }
    bmf_rewriting rewriting = {.laws = ~0u, .free_association = !bmf_is_reproducible(ctx)};
    if (text) {
        rewriting.report = report_law;
        rewriting.state = stdout;
    }
    program_rewrite(program, &rewriting);
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        plan->applied += program->rewriting.applied[law];
    plan->after = expression_print(program->expression, -1);
    if (text) {
        int kernels = 0;
        puts(plan->applied == 0 ? "  none applies\n" : "");
        print_expression("what runs", program->expression);
        puts("kernels:");
        print_kernels(program->expression, &kernels);
        puts(kernels == 0 ? "  none\n" : "");
        printf("messages on %" PRId64 " processor%s:\n", bmf_processors(ctx), bmf_processors(ctx) == 1 ? "" : "s");
        fflush(stdout);
        bmf_set_plan_stream(ctx, stdout);
    }
    bmf_value result = {0};
    BMF_TRY(program_run(ctx, program, &result));
    bmf_set_plan_stream(ctx, NULL);
    value_free(&result);
    return bmf_total_statistics(ctx, &plan->sent);
}

static void print_totals(bmf_context *ctx, const bmf_program *program, const planned *plan, bool json)
{
    if (!json) {
        printf("in all %" PRId64 " messages, %" PRId64 " bytes\n", plan->sent.messages, plan->sent.bytes);
        return;
    }
    printf("{\"before\": \"%s\", \"after\": \"%s\", \"laws\": {", plan->before, plan->after);
    const char *comma = "";
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        if (program->rewriting.applied[law] > 0) {
            printf("%s\"%s\": %" PRId64, comma, law_name((bmf_law)law), program->rewriting.applied[law]);
            comma = ", ";
        }
    printf("}, \"processors\": %" PRId64 ", \"messages\": %" PRId64 ", \"bytes\": %" PRId64 "}\n", bmf_processors(ctx),
           plan->sent.messages, plan->sent.bytes);
}

static int plan(bmf_context *ctx, const bmf_driver_options *o)
{
    bmf_program program = {0};
    planned made = {0};
    int code = bmf_report_program(ctx, make_plan(ctx, o, &program, &made));
    if (code == 0 && bmf_is_root(ctx)) {
        print_totals(ctx, &program, &made, o->json);
        code = bmf_finish_output();
    }
    free(made.before), free(made.after);
    program_free(&program);
    return code;
}

int bmf_command_plan(int argc, char **argv)
{
    bmf_driver_options o;
    bmf_context *ctx;
    if (bmf_open_program(&argc, &argv, &ctx) != BMF_OK)
        return bmf_report(BMF_ERROR_USAGE);
    int code = bmf_read_program_options("plan", argc, argv, &o);
    if (code == 0 && o.help && bmf_is_root(ctx))
        print_help();
    else if (code == 0 && !o.help)
        code = plan(ctx, &o);
    int closed = bmf_close(ctx);
    return code != 0 ? code : closed;
}
