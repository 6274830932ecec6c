/* bmf plan: what a program becomes: laws, kernels, schedules, messages.
 *
 * Schedules depend on the data, so the program is run, in this process or on the ranks mpirun gives; only what it would
 * print is left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "drivers/command/json.h"
#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "drivers/plan_names.h"
#include "drivers/program_options.h"
#include "drivers/turns.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/notation/format.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/scalar/scalar.h"

/* The program's definitions, as they are typed and as laws leave them. */
typedef struct both_names {
    plan_names typed, rewritten;
} both_names;

/* " at prog.bmf:2:15": where an expression was written; nothing for what was made. */
static void print_place(const bmf_program *program, const bmf_expression *expression)
{
    const bmf_span span = expression->span;
    int64_t line, column;
    if (span.text < 0)
        return;
    text_place(&program->texts.text[span.text], span.begin, &line, &column);
    printf(" at %s:%" PRId64 ":%" PRId64, program->texts.text[span.text].name, line, column);
}

static void report_law(void *state, bmf_law law, const bmf_expression *before, const bmf_expression *after)
{
    both_names *names = state;
    char *old = expression_print(plan_named_inside(&names->typed, before), -1);
    char *new = expression_print(plan_named_inside(&names->rewritten, after), -1);
    printf("  %s", law_name(law));
    print_place(names->typed.program, before);
    printf(": %s\n      %s\n   -> %s\n", law_statement(law), old, new);
    free(old);
    free(new);
}

/* With the names of the user's definitions, as they are typed and, if `rewriting` is not NULL, rewritten. */
static void print_expression(bmf_context *ctx, const char *title, bmf_program *program, bmf_expression *expression,
                             const bmf_rewriting *rewriting)
{
    plan_names names;
    plan_names_open(&names, ctx, program, rewriting);
    char *text = expression_print(plan_named(&names, expression), 4), in[512], out[512];
    printf("%s, %s -> %s:\n%s\n", title, bmf_type_print(expression->in, in, sizeof in),
           bmf_type_print(expression->out, out, sizeof out), text);
    plan_names_print(&names, stdout);
    putchar('\n');
    plan_names_close(&names);
    free(text);
}

/* A program in the notation as it is written, without its data. */
static void print_source(const bmf_program *program)
{
    const bmf_text *text = &program->texts.text[program->parsed->span.text];
    notation_token token = notation_next(text, 0);
    while (token.kind != NOTATION_TOKEN_END && !notation_is(text, token, "default"))
        token = notation_next(text, token.end);
    bmf_texts shown = {0};
    texts_add(&shown, text->name, text->bytes, token.begin);
    char *formatted = notation_format(&shown.text[0]);
    printf("%s\n", formatted);
    free(formatted);
    texts_free(&shown);
}

/* ---- kernels ---- */

static void print_kernel(plan_names *names, bmf_expression *expression, int *number)
{
    char *text = expression_print(plan_named(names, expression), -1);
    char *code = scalar_print(scalar_of_expression(expression));
    printf("  %d", ++*number);
    print_place(names->program, expression);
    printf(": %s\n%s", text, code);
    free(text);
    free(code);
}

/* The scalar expressions of streams and scalar nodes; the same node is printed once. */
static void print_kernels(plan_names *names, bmf_expression *expression, int *number)
{
    if (expression->scalar)
        return;
    if (expression->kind == BMF_EXPRESSION_SCALAR) {
        print_kernel(names, expression->child[0], number);
        return;
    }
    for (int k = 0; k < expression->children; k++) {
        bmf_expression *child = expression->child[k];
        if (!child)
            continue;
        if (expression->kind == BMF_EXPRESSION_STREAM && k < 2 && child->kind != BMF_EXPRESSION_ID)
            print_kernel(names, child, number);
        else
            print_kernels(names, child, number);
    }
}

/* ---- the plan ---- */

typedef struct planned {
    char *before, *after;
    bmf_statistics sent;
    int64_t applied;
} planned;

/* Applies the laws; prints the program and them if `text`. */
static void apply_laws(bmf_context *ctx, bool text, bmf_program *program, planned *plan)
{
    bmf_rewriting rewriting = {.laws = ~0u, .reassociate = !bmf_is_reproducible(ctx)};
    both_names names;
    if (text) {
        if (program->texts.text[program->parsed->span.text].words)
            print_source(program);
        print_expression(ctx, "program", program, program->checked, NULL);
        puts("laws:");
        plan_names_open(&names.typed, ctx, program, NULL);
        plan_names_open(&names.rewritten, ctx, program, &rewriting);
        rewriting.report = report_law;
        rewriting.state = &names;
    }
    program_rewrite(program, &rewriting);
    if (text) {
        plan_names_close(&names.typed);
        plan_names_close(&names.rewritten);
    }
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        plan->applied += program->rewriting.applied[law];
}

static void print_rewritten(bmf_context *ctx, bmf_program *program, const planned *plan)
{
    int kernels = 0;
    plan_names names;
    puts(plan->applied == 0 ? "  none applies\n" : "");
    print_expression(ctx, "what runs", program, program->expression, &program->rewriting);
    puts("kernels:");
    plan_names_open(&names, ctx, program, &program->rewriting);
    print_kernels(&names, program->expression, &kernels);
    plan_names_close(&names);
    puts(kernels == 0 ? "  none\n" : "");
    printf("messages on %" PRId64 " processor%s:\n", bmf_processors(ctx), bmf_processors(ctx) == 1 ? "" : "s");
    fflush(stdout);
}

/* What skeletons say of their schedules while the program runs; print: to standard output, turns of loops once. */
static int run_planned(bmf_context *ctx, bool print, bmf_program *program, bmf_value *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = print ? open_memstream(&text, &size) : NULL;
    if (print)
        bmf_set_plan_stream(ctx, stream ? stream : stdout);
    const int status = program_run(ctx, program, result);
    bmf_set_plan_stream(ctx, NULL);
    if (stream) {
        fclose(stream);
        print_turns(text, stdout);
    }
    free(text);
    return status;
}

static int make_plan(bmf_context *ctx, const bmf_driver_options *o, const char *path, bmf_program *program,
                     planned *plan)
{
    const bool text = bmf_is_root(ctx) && !o->json;
    bmf_value result = {0};
    BMF_TRY(load_program(ctx, o, path, program));
    plan->before = expression_print(program->checked, -1);
    apply_laws(ctx, text, program, plan);
    plan->after = expression_print(program->expression, -1);
    if (text)
        print_rewritten(ctx, program, plan);
    BMF_TRY(run_planned(ctx, text, program, &result));
    value_free(&result);
    plan->sent = program->sent;
    return BMF_OK;
}

static int print_json(bmf_context *ctx, const bmf_program *program, const planned *plan)
{
    json_t *laws = json_object();
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        if (program->rewriting.applied[law] > 0)
            json_object_set_new(laws, law_name((bmf_law)law), json_integer(program->rewriting.applied[law]));
    return json_print(json_pack("{s:s, s:s, s:o, s:I, s:I, s:I}", "before", plan->before, "after", plan->after, "laws",
                                laws, "processors", (json_int_t)bmf_processors(ctx), "messages",
                                (json_int_t)plan->sent.messages, "bytes", (json_int_t)plan->sent.bytes),
                      BMF_JSON_LINE);
}

static int print_totals(const planned *plan)
{
    printf("in all %" PRId64 " messages, %" PRId64 " bytes\n", plan->sent.messages, plan->sent.bytes);
    return finish_output();
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_driver_options *o = values;
    bmf_program program = {0};
    planned made = {0};
    int code = report_status(ctx, make_plan(ctx, o, operands->text[0], &program, &made));
    if (code == 0 && bmf_is_root(ctx))
        code = o->json ? print_json(ctx, &program, &made) : print_totals(&made);
    free(made.before);
    free(made.after);
    program_free(&program);
    return code;
}

static const bmf_option options[] = {
    BMF_OPTION("procs", "P", BMF_WHOLE(bmf_driver_options, processors, 1, BMF_MAX_PROCESSORS),
               "processors of the machine; default: as many as the program splits over"),
    BMF_LIBRARY_OPTION,
    BMF_ARGUMENT_OPTION,
    BMF_FREE_OPTION,
    BMF_OPTION("trace", "FILE", BMF_CONTEXT, "record a trace of the run (see `bmf trace`, `bmf convert`)"),
    BMF_OPTION("json", NULL, BMF_FLAG(bmf_driver_options, json),
               "print one JSON object: before and after (the program as text), laws (how often each was applied), "
               "processors, messages, bytes"),
    BMF_OPTION_END};

const bmf_driver plan_command = {
    .name = "plan",
    .summary = "say what a program becomes: laws, kernels, schedules, messages",
    .synopsis = "bmf plan PROG.bmf [OPTION]..\n" BMF_MPIRUN_NAME " -n R bmf plan PROG.bmf [OPTION]..",
    .about =
        "Prints the plan of a program: the program as written and after the laws that were applied, its kernels, the "
        "schedule of every operation that sends messages, those of equal turns of a loop once, and their totals. Runs "
        "the "
        "program to know their sizes.",
    .example = "echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Num 4)\n"
               "      [1, 2, 3, 4, 5, 6, 7, 8]' > sum.bmf && bmf plan sum.bmf\n"
               "bmf plan examples/17-histogram.bmf --procs 4",
    .see = "bmf-check, bmf-run",
    .options = options,
    BMF_PROGRAM_OPERAND,
    .parallel = true,
    .size = sizeof(bmf_driver_options),
    .run = run};
