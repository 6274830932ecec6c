/* bmf parallelise: the parallel program from the serial one, by the laws and their predicted cost.
 *
 * The laws are in skeletons/language/laws/parallelise.h, the search for the places to split in search.c. */
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

enum { SHOWN = 10, TEXT = 48 };

/* ---- what is said ---- */

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
        if (law == BMF_SPLITTING_GRID)
            fprintf(to, " of %" PRId64 " x %" PRId64, c->grid.rows, c->grid.columns);
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
    if (c->splitting.applied[BMF_SPLITTING_GRID] > 0)
        fprintf(to, "%sthe grid has %" PRId64 " x %" PRId64 " processors; fewer are too few\n", before, c->grid.rows,
                c->grid.columns);
    if (c->splitting.needs_elements)
        fprintf(to, "%severy processor needs an element: the list has at least as many as there are processors\n",
                before);
    if (c->splitting.needs_some)
        fprintf(to, "%sthe list must not be empty: where the serial program fails, this one may not\n", before);
    if (c->splitting.may_overflow)
        fprintf(to, "%sints are combined in another order: that matters only where one of the orders overflows\n",
                before);
}

/* Before a time. */
static const char *mark(const candidate *c)
{
    return c->given_up ? ">" : c->rough ? "~" : "";
}

static void print_all(const search *s)
{
    const candidate *best = &s->candidate[0], *serial = NULL;
    char time[TEXT], other[TEXT], low[TEXT], high[TEXT];
    for (int k = 0; k < s->count; k++)
        if (s->candidate[k].chosen == 0)
            serial = &s->candidate[k];
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
        if (s->candidate[k].splitting.refused) {
            printf("a reduction stays serial: %s\n", s->candidate[k].splitting.refused);
            break;
        }
    printf("\n%5s %12s %12s  %s\n", "", "predicted", "messages", "laws");
    for (int k = 0; k < s->count && k < SHOWN; k++) {
        char *text = laws_text(&s->candidate[k]);
        printf("%5d %1s%11s %12" PRId64 "  %s\n", k + 1, mark(&s->candidate[k]),
               time_text(s->candidate[k].seconds, time, sizeof time), s->candidate[k].messages, text);
        free(text);
    }
    int64_t given_up = 0;
    for (int k = 0; k < s->count; k++)
        given_up += s->candidate[k].given_up;
    if (given_up > 0)
        printf("\n> given up there, %" PRId64
               " of %d programs: they take twice as long as the fastest that was known, or"
               " have too many messages to go on\n",
               given_up, s->count);
    if (s->count > 1 && !s->candidate[1].given_up)
        printf("\nthe next best takes %.3g times as long: %s\n", s->candidate[1].seconds / best->seconds,
               s->candidate[1].messages > best->messages   ? "it sends more messages"
               : s->candidate[1].messages < best->messages ? "it computes more on one processor"
                                                           : "it sends as many messages");
}

static json_t *search_object(const search *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->count; k++) {
        const candidate *c = &s->candidate[k];
        char *laws = laws_text(c);
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o, s:b, s:b, s:I, s:b, s:b, s:o}", "laws", json_text(laws),
                                        "seconds", json_finite(c->seconds), "lo", json_finite(c->low), "hi",
                                        json_finite(c->high), "rough", c->rough, "given_up", c->given_up, "messages",
                                        (json_int_t)c->messages, "serial", c->chosen == 0, "needs_elements",
                                        c->splitting.needs_elements, "program", json_string(c->text)));
        free(laws);
    }
    return json_pack("{s:o, s:s, s:I, s:o}", "program", json_text(s->options->predict.path), "machine",
                     s->options->predict.machine->name, "processors",
                     (json_int_t)s->options->predict.processors.number[0], "candidates", list);
}

static int write_program(const search *s)
{
    const candidate *best = &s->candidate[0];
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
    search s = {.options = o};
    int status = machine_read(o->predict.machine_path, &o->predict.machine), code = 0;
    if (status == BMF_OK)
        status = search_load(&s);
    if (status == BMF_OK)
        status = search_all(&s);
    if (status == BMF_OK && o->out)
        status = write_program(&s);
    if (status == BMF_OK && o->json)
        code = json_print(search_object(&s), BMF_JSON_LINE);
    else if (status == BMF_OK)
        print_all(&s);
    search_free(&s);
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
               "seconds, lo, hi, rough, given_up, messages, serial, needs_elements, program}"),
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
