/* A program of the search: its text by the laws, and its predicted time.
 *
 * Cost of a text: linear in the program, which was loaded once; of a time: a prediction, a rough one a run of the
 * program in which each loop goes round a few times. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "drivers/parallelise/parallelise.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/argument_names.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/type_parse.h"

enum { ROUGH_RUNS = 2, ROUGH_SAMPLES = 4, MOST_ACTIONS = 400000, MOST_ACTIONS_EACH = 100 };
static const double MEASURING = 0.3, HURRIED = 0.05; /* seconds of a program */

/* ---- texts of the language ---- */

static int open_context(const char *name, int64_t processors, bmf_context **ctx)
{
    bmf_options o = bmf_options_init();
    o.processors = processors;
    o.program = name;
    return bmf_open_with(MPI_COMM_WORLD, &o, ctx);
}

/* Closes it; a message goes to the process-wide slot. */
static int close_context(bmf_context *ctx, int status)
{
    if (status != BMF_OK)
        bmf_fail(NULL, status, "%s", bmf_error_text(ctx));
    bmf_close(ctx);
    return status;
}

int parallelise_run_text(const char *text, char **printed)
{
    bmf_context *ctx;
    bmf_program program = {0};
    bmf_column column = {0};
    size_t size;
    *printed = NULL;
    BMF_TRY(open_context("test", 1, &ctx));
    int status = program_load(ctx, &(bmf_program_options){.path = "test", .text = text}, &program);
    if (status == BMF_OK) {
        program_rewrite(&program, &(bmf_rewriting){.laws = ~0u});
        status = program_value(ctx, &program, &column);
    }
    FILE *to = status == BMF_OK ? open_memstream(printed, &size) : NULL;
    if (to) {
        data_print(&column, 0, to);
        fclose(to);
    }
    column_free(&column);
    program_free(&program);
    return close_context(ctx, status);
}

/* ---- the serial program ---- */

/* Arguments that were given by name, in the order of main's parameters: programs of the core have no names. */
static int order_arguments(search *s)
{
    const bmf_predict_options *o = &s->options->predict;
    const bmf_strings *given = &o->program.argument;
    s->argument.count = given->count;
    return arguments_order(s->ctx, o->path, NULL, given->count, given->text, s->argument.text);
}

int search_load(search *s)
{
    const bmf_predict_options *o = &s->options->predict;
    s->times = kernel_times_create();
    BMF_TRY(stated_read(s->options, &s->stated));
    BMF_TRY(open_context(o->path, 1, &s->ctx));
    int status = load_program(s->ctx, &o->program, o->path, &s->serial);
    if (status == BMF_OK)
        status = order_arguments(s);
    return status == BMF_OK ? BMF_OK : bmf_fail(NULL, status, "%s", bmf_error_text(s->ctx));
}

void search_free(search *s)
{
    for (int k = 0; k < s->count; k++)
        free(s->candidate[k].text);
    free(s->candidate);
    stated_free(&s->stated);
    kernel_times_free(s->times);
    loop_rounds_free(&s->loops);
    program_free(&s->serial);
    if (s->ctx)
        bmf_close(s->ctx);
}

/* ---- candidates ---- */

/* The data behind the program's expression, or nothing if it comes from a file. */
static void put_data(FILE *to, const bmf_program *program, const bmf_driver_options *options)
{
    fputc('\n', to);
    if (program->declares) {
        char *type = type_print(program->argument_type);
        fprintf(to, ": %s\n", type);
        free(type);
    }
    if (options->argument.count > 0)
        return;
    data_print(&program->argument->column, 0, to);
}

/* P_Split (B_Num P) (B_Num 0) as P_Split (B_Procs): the program is for any number of processors. */
static void put_expression(FILE *to, const char *text, int64_t processors)
{
    char split[80];
    snprintf(split, sizeof split, "P_Split (B_Num %" PRId64 ") (B_Num 0)", processors);
    for (const char *found; (found = strstr(text, split)); text = found + strlen(split))
        fprintf(to, "%.*sP_Split (B_Procs)", (int)(found - text), text);
    fputs(text, to);
}

/* Every operator that was used because somebody says that it is associative is tested, once. */
static int test_operators(search *s, const bmf_splitting *splitting)
{
    for (int k = 0; k < splitting->stated; k++) {
        const bmf_stated_operator *of = &splitting->operation[k];
        if (!of->operation || s->tested[k] || !of->operation->in || of->operation->in->kind != BMF_TUPLE)
            continue;
        char *source = expression_print(of->operation, -1);
        const int status = stated_test(s->options, of->name, source, of->operation->in->component[0]);
        free(source);
        BMF_TRY(status);
        s->tested[k] = true;
    }
    return BMF_OK;
}

int candidate_make(search *s, candidate *made)
{
    const parallelise_options *o = s->options;
    const int64_t processors = o->predict.processors.number[0];
    bmf_splitting *splitting = &made->splitting;
    size_t size;
    *splitting = (bmf_splitting){.processors = processors,
                                 .grid = made->grid,
                                 .chosen = made->chosen,
                                 .reassociate = o->predict.reassociate,
                                 .library = &s->serial.library,
                                 .stated = s->stated.count};
    for (int k = 0; k < s->stated.count; k++)
        splitting->operation[k].name = s->stated.name[k];
    bmf_expression *expression = parallelise(s->serial.arena, s->serial.checked, splitting);
    if (!expression)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "%s is parallel already: it has a P_Split", o->predict.path);
    FILE *to = open_memstream(&made->text, &size);
    if (!to)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for a program's text");
    char *printed = expression_print(expression, 0);
    put_expression(to, printed, processors);
    put_data(to, &s->serial, &o->predict.program);
    fclose(to);
    free(printed);
    return test_operators(s, splitting);
}

/* ---- its time ---- */

static int64_t at_most(int64_t asked, int64_t most)
{
    return asked == 0 || asked > most ? most : asked;
}

static bmf_predict_options options_for(const search *s, const candidate *c)
{
    bmf_predict_options o = s->options->predict;
    o.program.text = c->text;
    o.program.argument = s->argument;
    o.program.library.count = 0;
    o.measuring = MEASURING;
    return o;
}

static void take_predicted(candidate *c, bmf_predicted *predicted, bool rough)
{
    c->rough = rough;
    c->given_up = predicted->given_up;
    c->seconds = predicted->seconds;
    c->low = predicted->low;
    c->high = predicted->high;
    c->measured_error = isfinite(predicted->measured_error) ? predicted->measured_error : 0.0;
    c->prediction = predicted->prediction;
    c->messages = predicted->messages;
    c->bytes = predicted->bytes;
}

static int predict_roughly(const search *s, candidate *c, double most, bmf_loop_rounds *loops)
{
    bmf_predict_options o = options_for(s, c);
    bmf_predicted predicted;
    o.repeats = at_most(o.repeats, ROUGH_RUNS);
    o.hurried = HURRIED;
    o.times = s->times;
    o.samples = at_most(o.samples, ROUGH_SAMPLES);
    o.loops = loops;
    if (isfinite(most)) {
        o.give_up_seconds = most;
        o.give_up_actions = MOST_ACTIONS + MOST_ACTIONS_EACH * o.processors.number[0];
    }
    const int status = predict_program(&o, o.processors.number[0], false, &predicted);
    take_predicted(c, &predicted, true);
    predicted_free(&predicted);
    return status;
}

int candidate_predict_serial(search *s, candidate *c)
{
    const int status = predict_roughly(s, c, INFINITY, &s->loops);
    s->loops.cut = true;
    return status;
}

/* What comes behind a loop that was cut short may fail on its state. */
int candidate_predict(search *s, candidate *c, double most)
{
    const int status = predict_roughly(s, c, most, &s->loops);
    return status == BMF_OK || s->loops.loops == 0 ? status : predict_roughly(s, c, most, NULL);
}

void candidates_make_sure(search *s, int count, candidate *const *c, int *status)
{
    bmf_predict_options *o = allocate(count * (int64_t)sizeof *o);
    bmf_predicted *predicted = allocate(count * (int64_t)sizeof *predicted);
    for (int k = 0; k < count; k++) {
        o[k] = options_for(s, c[k]);
        o[k].measuring *= count; /* the others' runs are between its own */
    }
    predict_programs_in_turns(o, count, s->options->predict.processors.number[0], predicted, status);
    for (int k = 0; k < count; k++) {
        take_predicted(c[k], &predicted[k], false);
        predicted_free(&predicted[k]);
    }
    free(predicted);
    free(o);
}
