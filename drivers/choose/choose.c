/* bmf choose: which machine, and how many of its processors. */
#include "drivers/choose/choose.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/commands.h"
#include "predict/replay/recorded.h"
#include "runtime/base/allocate.h"
#include "runtime/base/launcher.h"
#include "runtime/base/text.h"

/* ---- options ---- */

static int read_machines(const char *text, void *field)
{
    bmf_word_list *words = field;
    if (!word_list_read(text, words))
        return usage_error("--machine '%.100s' is no list of 1 to %d machines, like here.machine,fast-cluster", text,
                           CHOOSE_MACHINES);
    const char *twice = word_list_twice(words);
    return twice ? usage_error("--machine '%.100s': %.80s stands there twice", text, twice) : 0;
}

static int read_changes(const char *text, void *field)
{
    return word_list_read(text, field)
               ? 0
               : usage_error("--what-if '%.100s' is no list of changes, like network.latency/2,compute*2", text);
}

/* A number, a unit behind it: seconds. */
static bool read_time(const char *text, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}, {"", 1.0}};
    char *end;
    if (!(text[0] >= '0' && text[0] <= '9') && text[0] != '.')
        return false;
    *seconds = strtod(text, &end);
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
        if (strcmp(end, units[k].unit) == 0) {
            *seconds *= units[k].seconds;
            return *seconds > 0.0 && isfinite(*seconds);
        }
    return false;
}

static int read_deadline(const char *text, void *field)
{
    return read_time(text, field)
               ? 0
               : usage_error("--deadline '%.100s' is no time above 0, like 90s, 10min, 2h or 1d", text);
}

static int read_budget(const char *text, void *field)
{
    double *budget = field;
    char *end;
    *budget = strtod(text, &end);
    const bool right = end != text && *end == '\0' && ((text[0] >= '0' && text[0] <= '9') || text[0] == '.') &&
                       isfinite(*budget) && *budget > 0.0;
    return right ? 0
                 : usage_error("--budget '%.100s' is no amount above 0; it is in the currency of the machines' prices",
                               text);
}

static int read_sizes(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1.0, .max = 1e15};
    choose_options *o = (void *)((char *)field - offsetof(choose_options, scaled));
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals - text > 60 || !number_list_read(equals + 1, &rule, &o->sizes))
        return usage_error("--scale '%.100s' is not NAME=LIST of sizes, like n=1000..1000000", text);
    free(o->scaled);
    o->scaled = text_copy(text);
    o->scaled[equals - text] = '\0';
    return 0;
}

/* What only one kind of programs has. */
static int check_kind(const choose_options *o, bool model)
{
    const bmf_predict_options *p = &o->predict;
    const bool other = p->program.argument.count || p->program.library.count || p->reassociate;
    if (p->command && other)
        return usage_error("--arg, --library and --free are for programs of the language; give a program behind -- its "
                           "own arguments");
    if (model && (other || p->repeats || p->schedule))
        return usage_error("--arg, --library, --free, --repeats and --bmf-schedule are not for files of equations");
    if (!p->mpi && (p->launch || p->compute != 0 || p->step > 0))
        return usage_error("--launch, --compute and --step are for --mpi");
    if (o->threads.count && (model || p->mpi))
        return usage_error("--threads is for programs of bmf: what others do with threads is their own");
    if (p->mpi && (!p->command || p->repeats || p->schedule))
        return usage_error(p->command ? "--repeats and --bmf-schedule are not for --mpi"
                                      : "--mpi is for a program behind --");
    if ((p->compute == BMF_REPLAY_STEPS) != (p->step > 0))
        return usage_error("--compute steps goes with --step SECONDS");
    return 0;
}

/* Sizes of a program of the language. */
static int check_rows(const choose_options *o)
{
    for (int64_t k = 0; k < o->sizes.count; k++)
        if (o->sizes.number[k] != floor(o->sizes.number[k]))
            return usage_error("--scale %.60s: %.15g is no whole number; sizes of a program of the language are rows "
                               "of its argument",
                               o->scaled, o->sizes.number[k]);
    return elements_check(&o->predict, "--scale");
}

static int check_options(choose_options *o, const bmf_operands *operands)
{
    bmf_predict_options *p = &o->predict;
    if (operands->count == 0)
        return usage_error("which program? give a .bmf file, a file of equations, or a program behind --");
    if (operands->behind_hyphens)
        p->command = operands->text;
    else if (operands->count > 1)
        return usage_error("more than one program: '%s'; one in C or of MPI stands behind --", operands->text[1]);
    else
        p->path = operands->text[0];
    const bool model = !p->command && is_model(p->path);
    BMF_TRY(check_kind(o, model));
    if (!model && !p->command && p->set.count > 0)
        return usage_error("--set is for files of equations, F.model, and for programs behind --; give a program of "
                           "the language another --arg, or --elements N of it");
    if (p->elements > 0)
        BMF_TRY(elements_check(p, "--elements"));
    else if (p->growing && !o->scaled)
        return usage_error("--growing goes with --elements or --scale");
    if (!model && !p->command && o->scaled)
        BMF_TRY(check_rows(o));
    if (p->command)
        BMF_TRY(choose_check_names(o));
    if (!(o->wish.chance > 0.5 && o->wish.chance < 1.0))
        return usage_error("--confidence is between 0.5 and 1");
    return 0;
}

/* ---- machines ---- */

static int read_all_machines(choose_study *study)
{
    const bmf_word_list *names = &study->options->machines;
    const char *currency = NULL;
    for (; study->machines < names->count; study->machines++) {
        BMF_TRY(machine_read(names->word[study->machines], &study->machine[study->machines]));
        const bmf_machine *machine = study->machine[study->machines];
        if (isnan(machine->node.price))
            continue;
        if (currency && strcmp(currency, machine->node.currency) != 0) {
            study->machines++;
            return bmf_fail(NULL, BMF_ERROR_USAGE, "%s: its prices are in %s, those of others in %s", machine->path,
                            machine->node.currency, currency);
        }
        currency = machine->node.currency;
    }
    if (!currency && !isinf(study->options->wish.budget))
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "--budget is for machines whose files say a price: node = { price_per_hour = ..; }");
    return BMF_OK;
}

/* ---- running ---- */

/* What is recommended: what was asked for first. */
static int64_t recommended(const choose_study *study)
{
    const bmf_wish *wish = &study->options->wish;
    return !isinf(wish->deadline) ? study->choice.cheapest
           : !isinf(wish->budget) ? study->choice.fastest
                                  : study->choice.knee;
}

static int study_all(choose_study *study)
{
    BMF_TRY(read_all_machines(study));
    BMF_TRY(choose_open_teams(study));
    BMF_TRY(choose_predict(study));
    choose_decide(study->offer, study->offers, study->machine, &study->options->wish, &study->choice);
    study->chosen = recommended(study);
    BMF_TRY(choose_predict_changes(study));
    return choose_predict_sizes(study);
}

static void free_study(choose_study *study)
{
    choose_close_teams(study);
    for (int64_t m = 0; m < study->machines; m++) {
        machine_free(study->machine[m]);
        regions_free(&study->region[m]);
    }
    for (int64_t k = 0; k < study->remarks; k++)
        free(study->remark[k]);
    for (int64_t k = 0; k < study->changes; k++)
        free(study->change[k].why);
    free(study->remark);
    free(study->offer);
    free(study->scale);
}

/* 0; 1: no offer meets the wishes, which standard output says. */
static int tell(const choose_study *study)
{
    const int code = study->options->json ? json_print(choose_object(study), BMF_JSON_LINE) : 0;
    if (!study->options->json)
        choose_print(study);
    if (code)
        return code;
    const int written = finish_output();
    return written ? written : study->chosen < 0;
}

static int choose(const choose_options *o)
{
    choose_study *study = allocate_clear(1, (int64_t)sizeof *study);
    study->options = o;
    study->program = predicted_program(&o->predict);
    study->chosen = -1;
    int status = study_all(study);
    if (status == BMF_OK && o->html)
        status = choose_write_page(study, o->html);
    const int code = status == BMF_OK ? tell(study) : report_status(NULL, status);
    free_study(study);
    free(study);
    return code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    static const char usual[] = "network.latency/2,network.bandwidth*2,compute*2,memory*2";
    choose_options *o = values;
    int provided;
    (void)ctx;
    o->usual_changes = o->changes.count == 0;
    int code = check_options(o, operands);
    if (code == 0) {
        if (o->usual_changes)
            word_list_read(usual, &o->changes);
        launcher_leave();
        if (!o->predict.command) /* programs that are started have MPI for themselves */
            MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
        code = choose(o);
        if (!o->predict.command)
            MPI_Finalize();
    }
    free(o->machines.text);
    free(o->changes.text);
    free(o->scaled);
    free(o->sizes.number);
    free(o->threads.number);
    free(o->predict.processors.number);
    return code;
}

static const choose_options defaults = {.predict = {.bound = -1},
                                        .wish = {.deadline = INFINITY, .budget = INFINITY, .chance = 0.95},
                                        .runs = 1,
                                        .efficiency = 0.8};

static const bmf_option options[] = {
    BMF_OPTION("machine", "M,..", BMF_OTHER(choose_options, machines, read_machines),
               "machine files, or names of example machines (see `bmf machine list`), with commas between them",
               .missing = "which machines are there? give --machine M,.."),
    BMF_OPTION("procs", "LIST", BMF_OTHER(choose_options, predict.processors, processors_read),
               "numbers of the machine's processors: 1,2,4 or 1..4096 (1, 2, 4, .. 4096)",
               .missing = "on how many processors? give --procs LIST"),
    BMF_OPTION("threads", "LIST", BMF_OTHER(choose_options, threads, choose_read_threads),
               "threads of a rank, which takes as many processors of a node: 1,2,4 or 1..16; default: 1, 2, 4, .. as "
               "many as a node has, 16 at most; of a machine that was calibrated those that it was with; of programs "
               "in C 1"),
    BMF_OPTION("deadline", "TIME", BMF_OTHER(choose_options, wish.deadline, read_deadline),
               "when it has to be done: 90s, 10min, 2h, 1d"),
    BMF_OPTION("budget", "AMOUNT", BMF_OTHER(choose_options, wish.budget, read_budget),
               "what it may cost, in the currency of the machines' prices"),
    BMF_OPTION("confidence", "C", BMF_REAL(choose_options, wish.chance, 1.0),
               "chance with which deadline and budget are to be kept, from 0.5 to 1; default: 0.95"),
    BMF_OPTION("runs", "N", BMF_WHOLE(choose_options, runs, 1, INT32_MAX), "so many runs, one after the other"),
    BMF_OPTION("what-if", "LIST", BMF_OTHER(choose_options, changes, read_changes),
               "better machines to compare the chosen one with: network.latency/2, network.bandwidth*2, compute*2, "
               "memory*2, ranks-per-node=32, or any value of its file, as network.gap_us/2; default: the first four"),
    BMF_OPTION("scale", "NAME=LIST", BMF_OTHER(choose_options, scaled, read_sizes),
               "sizes from which follow how the work must grow with the processors, and the time when it does: of a "
               "file of equations, of {NAME} in the arguments of a program, of the rows of --arg of a program of the "
               "language, which are repeated"),
    BMF_OPTION("efficiency", "E", BMF_REAL(choose_options, efficiency, 1.0),
               "that sizes of --scale are to keep; default: 0.8"),
    BMF_OPTION("set", "NAME=X", BMF_LIST(choose_options, predict.set),
               "the size, or a parameter, of a file of equations, or what stands for {NAME} in the arguments of a "
               "program; may be given several times"),
    BMF_OPTION("mpi", NULL, BMF_FLAG(choose_options, predict.mpi), "as for `bmf predict`"),
    BMF_OPTION("launch", "COMMAND", BMF_TEXT(choose_options, predict.launch), "as for `bmf predict`"),
    BMF_OPTION("compute", "C", BMF_CHOICE(choose_options, predict.compute, predict_compute_name),
               "what computing of --mpi takes; default measured:"),
    BMF_OPTION("step", "SECONDS", BMF_REAL(choose_options, predict.step, 1e9), "seconds of a step"),
    BMF_OPTION("library", "FILE", BMF_LIST(choose_options, predict.program.library), "as for `bmf run`"),
    BMF_OPTION("arg", "FILE", BMF_LIST(choose_options, predict.program.argument), "as for `bmf run`"),
    BMF_OPTION("elements", "N", BMF_OTHER(choose_options, predict.elements, elements_read), "as for `bmf predict`"),
    BMF_OPTION("growing", "LIST", BMF_OTHER(choose_options, predict.growing, elements_read_grown),
               "as for `bmf predict`; also with --scale"),
    BMF_OPTION("free", NULL, BMF_FLAG(choose_options, predict.reassociate), "as for `bmf run`"),
    BMF_OPTION("bmf-schedule", "LIST", BMF_TEXT(choose_options, predict.schedule), "as for `bmf predict`"),
    BMF_OPTION("samples", "N", BMF_WHOLE(choose_options, predict.samples, 1, INT32_MAX),
               "random samples for an interval; default: as many as are cheap, 20 to 100"),
    BMF_OPTION("repeats", "N", BMF_WHOLE(choose_options, predict.repeats, 1, BMF_MEASURED_MAX - 1),
               "runs of the program whose kernels are timed here; as for `bmf predict`"),
    BMF_OPTION("html", "FILE", BMF_TEXT(choose_options, html), "write a page with answers, curves and tables"),
    BMF_OPTION("json", NULL, BMF_FLAG(choose_options, json),
               "print one JSON object: program, runs, deadline, budget, confidence, currency, chosen, cheapest, "
               "fastest, knee, offers, a list of {machine, processors, ranks, threads, nodes, command, seconds, lo, "
               "hi, best, seconds_95, "
               "node_hours, cost, cost_95, speed_up, efficiency, node_bytes, limit, parts, pareto, fits, in_domain}, "
               "what_if, remarks; with --scale scaling and isoefficiency"),
    BMF_OPTION_END};

const bmf_driver choose_command = {
    .name = "choose",
    .summary = "say which machine to take, and how many of its processors",
    .synopsis = "bmf choose PROG.bmf --machine M,.. --procs LIST [--deadline TIME] [--budget AMOUNT] [OPTION]..\n"
                "bmf choose F.model --set SIZE=X --machine M,.. --procs LIST [OPTION]..\n"
                "bmf choose [--mpi] --machine M,.. --procs LIST [OPTION].. -- ./PROGRAM ARGUMENT..",
    .about =
        "Predicts a program of the language, in C or of MPI, or a file of equations of one, for all machines and "
        "numbers of processors, and answers "
        "what to take: the cheapest that meets the deadline, with confidence and not on average; the fastest within "
        "the budget; the best value. Says what limits each of them, why more processors no longer help, and which part "
        "of the machine, made better, would buy most. Costs follow from the machine files' nodes and their prices. "
        "What does not fit into the memory of the nodes is not offered. Where kernels are timed on this host, a "
        "program of the language is really run a few times, for what its first calls cost.",
    .example = "bmf choose prog.bmf --arg big.npy --machine here.machine,hpc-milan-hdr --procs 1..1024 --deadline "
               "10min --budget 200 --html choose.html\n"
               "bmf choose jacobi.model --set n=4000 --scale n=1000..64000 --machine hpc-milan-hdr --procs 1..4096\n"
               "bmf choose --mpi --machine cloud-25g,laboratory-10g --procs 2..16 --set n=400 -- ./life --n {n}",
    .exit_code = "1 also if nothing meets the deadline or the budget",
    .see = "bmf-predict, bmf-machine, bmf-model",
    .options = options,
    .max_operands = BMF_ANY_NUMBER,
    .defaults = &defaults,
    .size = sizeof(choose_options),
    .run = run};
