/* bmf parallelise: the parallel program from the serial one, by the laws and their predicted cost.
 *
 * Method: best-first search over the places where lists can be split. The cheapest program that was not looked at yet
 * is taken and split at one place more; what that makes is predicted. It ends when a round of these has made nothing
 * faster, or enough has been looked at. The laws (skeletons/language/laws/parallelise.h) carry each split as far as
 * they allow. Cost: a prediction for each program that was looked at. */
#define _GNU_SOURCE
#include "drivers/parallelise/parallelise.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "predict/model/measurements.h"
#include "predict/sheet/text.h"
#include "runtime/base/allocate.h"
#include "runtime/base/launcher.h"
#include "runtime/base/progress.h"
#include "runtime/convert/output.h"
#include "skeletons/language/front/data.h"

enum { MAX_CANDIDATES = 48, MAX_WAVES_WITHOUT_GAIN = 2, SHOWN = 10, TEXT = 48 };

typedef struct search {
    const parallelise_options *options;
    stated_names stated;
    candidate all[MAX_CANDIDATES];
    int count;
    bool tested[BMF_MAX_STATED];
} search;

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

/* ---- candidates ---- */

/* The data behind the program's expression, or nothing if it comes from a file. */
static void put_data(FILE *to, const bmf_program *program, const bmf_driver_options *options)
{
    fputc('\n', to);
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

static int split_program(search *s, bmf_context *ctx, candidate *made)
{
    const parallelise_options *o = s->options;
    const int64_t processors = o->predict.processors.number[0];
    bmf_program program = {0};
    size_t size;
    int status = load_program(ctx, &o->predict.program, o->predict.path, &program);
    bmf_splitting *splitting = &made->splitting;
    *splitting = (bmf_splitting){.processors = processors,
                                 .chosen = made->chosen,
                                 .reassociate = o->predict.reassociate,
                                 .stated = s->stated.count};
    for (int k = 0; k < s->stated.count; k++)
        splitting->operation[k].name = s->stated.name[k];
    splitting->library = &program.library;
    if (status == BMF_OK) {
        bmf_expression *expression = parallelise(program.arena, program.checked, splitting);
        if (!expression)
            status = bmf_fail(ctx, BMF_ERROR_USAGE, "%s is parallel already: it has a P_Split", o->predict.path);
        FILE *to = expression ? open_memstream(&made->text, &size) : NULL;
        char *printed = to ? expression_print(expression, 0) : NULL;
        if (to) {
            put_expression(to, printed, processors);
            put_data(to, &program, &o->predict.program);
            fclose(to);
        }
        free(printed);
    }
    if (status == BMF_OK && test_operators(s, splitting) != BMF_OK)
        status = bmf_fail(ctx, BMF_ERROR_USAGE, "%s", bmf_error_text(NULL));
    program_free(&program);
    return status;
}

static int make_text(search *s, candidate *made)
{
    bmf_context *ctx;
    BMF_TRY(open_context(s->options->predict.path, 1, &ctx));
    return close_context(ctx, split_program(s, ctx, made));
}

static int predict_candidate(const search *s, candidate *c)
{
    bmf_predict_options o = s->options->predict;
    bmf_predicted predicted;
    o.program.text = c->text;
    o.program.library.count = 0;
    const int status = predict_program(&o, o.processors.number[0], false, &predicted);
    c->seconds = predicted.seconds;
    c->low = predicted.low;
    c->high = predicted.high;
    c->messages = predicted.messages;
    predicted_free(&predicted);
    return status;
}

/* Adds the program that is split at these places, unless it is there already, or fails for want of elements. */
static int add_candidate(search *s, uint64_t chosen)
{
    if (s->count == MAX_CANDIDATES)
        return BMF_OK;
    candidate *made = &s->all[s->count];
    *made = (candidate){.chosen = chosen};
    int status = make_text(s, made);
    for (int k = 0; k < s->count && status == BMF_OK; k++)
        if (strcmp(s->all[k].text, made->text) == 0) {
            free(made->text);
            return BMF_OK;
        }
    if (status != BMF_OK) {
        free(made->text);
        return status;
    }
    status = predict_candidate(s, made);
    if (status == BMF_OK) {
        s->count++;
        return BMF_OK;
    }
    free(made->text);
    return made->splitting.needs_elements ? BMF_OK : status; /* a processor may have had no element */
}

static candidate *cheapest_open(search *s)
{
    candidate *best = NULL;
    for (int k = 0; k < s->count; k++)
        if (!s->all[k].expanded && (!best || s->all[k].seconds < best->seconds))
            best = &s->all[k];
    return best;
}

static double least_seconds(const search *s)
{
    double least = INFINITY;
    for (int k = 0; k < s->count; k++)
        least = fmin(least, s->all[k].seconds);
    return least;
}

/* The search ends when either is reached. */
static double share_done(const search *s, int without_gain)
{
    return fmax((double)s->count / MAX_CANDIDATES, (double)without_gain / MAX_WAVES_WITHOUT_GAIN);
}

static int search_on(search *s, bmf_progress *progress)
{
    int without_gain = 0;
    BMF_TRY(stated_read(s->options, &s->stated));
    BMF_TRY(add_candidate(s, 0));
    while (without_gain < MAX_WAVES_WITHOUT_GAIN && s->count < MAX_CANDIDATES) {
        const double before = least_seconds(s);
        candidate *from = cheapest_open(s);
        if (!from)
            break;
        from->expanded = true;
        const uint64_t chosen = from->chosen;
        for (int point = from->splitting.points - 1; point >= 0; point--)
            if (!(chosen >> point & 1)) {
                BMF_TRY(add_candidate(s, chosen | UINT64_C(1) << point));
                progress_tell(progress, share_done(s, without_gain));
            }
        without_gain = least_seconds(s) < before ? 0 : without_gain + 1;
    }
    return BMF_OK;
}

static int search_all(search *s)
{
    bmf_progress progress;
    progress_begin(&progress, "predicting programs");
    const int status = search_on(s, &progress);
    progress_end(&progress);
    return status;
}

/* ---- what is said ---- */

static int by_seconds(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return x->chosen < y->chosen ? -1 : x->chosen > y->chosen;
}

/* "split-reduce identity, map promotion (2)" */
static char *laws_text(const candidate *c)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    const char *before = "";
    for (int law = 0; to && law < BMF_SPLITTING_LAWS; law++) {
        if (c->splitting.applied[law] == 0)
            continue;
        fprintf(to, "%s%s", before, splitting_law_name((bmf_splitting_law)law));
        if (c->splitting.applied[law] > 1)
            fprintf(to, " (%" PRId64 ")", c->splitting.applied[law]);
        before = ", ";
    }
    if (to && !before[0])
        fputs("none: the serial program", to);
    if (to)
        fclose(to);
    return text;
}

static void put_conditions(FILE *to, const candidate *c, const char *before)
{
    if (c->splitting.needs_elements)
        fprintf(to, "%severy processor needs an element: the list has at least as many as there are processors\n",
                before);
    if (c->splitting.needs_some)
        fprintf(to, "%sthe list must not be empty: where the serial program fails, this one may not\n", before);
    if (c->splitting.may_overflow)
        fprintf(to, "%sints are combined in another order: that matters only where one of the orders overflows\n",
                before);
}

static void print_all(const search *s)
{
    const candidate *best = &s->all[0], *serial = NULL;
    char time[TEXT], other[TEXT], low[TEXT], high[TEXT];
    for (int k = 0; k < s->count; k++)
        if (s->all[k].chosen == 0)
            serial = &s->all[k];
    char *laws = laws_text(best);
    printf("serial: %s; on %" PRId64 " processors of %s: %s (95 %%: %s to %s), %.3g times as fast\n",
           time_text(serial->seconds, time, sizeof time), s->options->predict.processors.number[0],
           s->options->predict.machine->name, time_text(best->seconds, other, sizeof other),
           time_text(best->low, low, sizeof low), time_text(best->high, high, sizeof high),
           serial->seconds / best->seconds);
    printf("laws: %s\n", laws);
    free(laws);
    put_conditions(stdout, best, "condition: ");
    if (serial->splitting.points == 0)
        puts("there is no list that could be split");
    for (int k = 0; k < s->count; k++)
        if (s->all[k].splitting.refused) {
            printf("a reduction stays serial: %s\n", s->all[k].splitting.refused);
            break;
        }
    printf("\n%5s %12s %12s  %s\n", "", "predicted", "messages", "laws");
    for (int k = 0; k < s->count && k < SHOWN; k++) {
        char *text = laws_text(&s->all[k]);
        printf("%5d %12s %12" PRId64 "  %s\n", k + 1, time_text(s->all[k].seconds, time, sizeof time),
               s->all[k].messages, text);
        free(text);
    }
    if (s->count > 1)
        printf("\nthe next best takes %.3g times as long: %s\n", s->all[1].seconds / best->seconds,
               s->all[1].messages > best->messages   ? "it sends more messages"
               : s->all[1].messages < best->messages ? "it computes more on one processor"
                                                     : "it sends as many messages");
}

static json_t *search_object(const search *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->count; k++) {
        const candidate *c = &s->all[k];
        char *laws = laws_text(c);
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:o}", "laws", json_text(laws), "seconds",
                                        json_finite(c->seconds), "lo", json_finite(c->low), "hi", json_finite(c->high),
                                        "messages", (json_int_t)c->messages, "serial", c->chosen == 0, "needs_elements",
                                        c->splitting.needs_elements, "program", json_string(c->text)));
        free(laws);
    }
    return json_pack("{s:o, s:s, s:I, s:o}", "program", json_text(s->options->predict.path), "machine",
                     s->options->predict.machine->name, "processors",
                     (json_int_t)s->options->predict.processors.number[0], "candidates", list);
}

static int write_program(const search *s)
{
    const candidate *best = &s->all[0];
    bmf_output out;
    char *laws = laws_text(best), *conditions = NULL;
    size_t size;
    FILE *to = open_memstream(&conditions, &size);
    if (to) {
        put_conditions(to, best, "# condition: ");
        fclose(to);
    }
    int status = output_open(NULL, &out, s->options->out);
    if (status == BMF_OK) {
        output_print(&out,
                     "# The parallel form of %.200s, made by bmf parallelise for %.100s.\n# laws: %.1000s\n%.2000s\n",
                     s->options->predict.path, s->options->predict.machine->name, laws ? laws : "",
                     conditions ? conditions : "");
        output_text(&out, best->text);
        output_text(&out, "\n");
    }
    free(laws);
    free(conditions);
    return output_close(NULL, &out, status);
}

/* ---- running ---- */

static int run_search(parallelise_options *o)
{
    search *s = allocate_clear(1, (int64_t)sizeof *s);
    s->options = o;
    int status = machine_read(o->predict.machine_path, &o->predict.machine), code = 0;
    if (status == BMF_OK)
        status = search_all(s);
    if (status == BMF_OK)
        qsort(s->all, (size_t)s->count, sizeof *s->all, by_seconds);
    if (status == BMF_OK && o->out)
        status = write_program(s);
    if (status == BMF_OK && o->json)
        code = json_print(search_object(s), BMF_JSON_LINE);
    else if (status == BMF_OK)
        print_all(s);
    for (int k = 0; k < s->count; k++)
        free(s->all[k].text);
    stated_free(&s->stated);
    free(s);
    return status == BMF_OK && code == 0 ? finish_output() : code ? code : report_status(NULL, status);
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    parallelise_options *o = values;
    int provided, code = 0;
    (void)ctx;
    o->predict.path = operands->text[0];
    if (o->predict.processors.count != 1)
        code = usage_error("--procs takes one number of processors; bmf choose compares several");
    if (code == 0) {
        launcher_leave();
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
        code = run_search(o);
        MPI_Finalize();
    }
    machine_free(o->predict.machine);
    free(o->predict.processors.number);
    return code;
}

static const parallelise_options defaults = {.predict = {.bound = -1}};

static const bmf_option options[] = {
    BMF_OPTION("machine", "M", BMF_TEXT(parallelise_options, predict.machine_path),
               "a machine file, or the name of an example machine (see `bmf machine list`)",
               .missing = "for which machine? give --machine M"),
    BMF_OPTION("procs", "P", BMF_OTHER(parallelise_options, predict.processors, processors_read),
               "for how many processors; the program runs on any number",
               .missing = "for how many processors? give --procs P"),
    BMF_OPTION("output", "FILE", BMF_TEXT(parallelise_options, out), "write the parallel program", .letter = 'o'),
    BMF_OPTION("library", "FILE", BMF_LIST(parallelise_options, predict.program.library), "as for `bmf run`"),
    BMF_OPTION("arg", "FILE", BMF_LIST(parallelise_options, predict.program.argument), "as for `bmf run`"),
    BMF_OPTION("free", NULL, BMF_FLAG(parallelise_options, predict.reassociate),
               "allow sums and products of reals in another order"),
    BMF_OPTION("samples", "N", BMF_WHOLE(parallelise_options, predict.samples, 1, INT32_MAX), "as for `bmf predict`"),
    BMF_OPTION("repeats", "N", BMF_WHOLE(parallelise_options, predict.repeats, 1, BMF_MEASURED_MAX - 1),
               "as for `bmf predict`"),
    BMF_OPTION("json", NULL, BMF_FLAG(parallelise_options, json),
               "print one JSON object: program, machine, processors, and candidates, the best first, a list of {laws, "
               "seconds, lo, hi, messages, serial, needs_elements, program}"),
    BMF_OPTION_END};

const bmf_driver parallelise_command = {
    .name = "parallelise",
    .summary = "make a parallel program of a serial one",
    .synopsis = "bmf parallelise PROG.bmf --machine M --procs P [-o FILE] [OPTION]..",
    .about =
        "Makes a program with P_ skeletons of one without, by the laws of the formalism: lists are split over the "
        "processors, and maps, filters, reductions and tuples of them follow. Of all that the laws allow, the program "
        "that is predicted to be fastest on the machine is taken; the best ten are listed. The value stays the same, "
        "to the bit: operators are combined in another order only if they are known to be associative, or if a "
        "comment `# associative` behind their definition says so, which is tested on random arguments.",
    .example = "bmf parallelise serial.bmf --machine hpc-milan-hdr --procs 64 --arg x.npy -o parallel.bmf",
    .see = "bmf-choose, bmf-plan, bmf-predict, bmf-run",
    .options = options,
    BMF_ONE_OPERAND("which program? give a .bmf file", "more than one program"),
    .defaults = &defaults,
    .size = sizeof(parallelise_options),
    .run = run};
