/* Ranks and threads of `bmf choose`: which numbers of threads are looked at, and how an offer is called and started. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "drivers/command/launch.h"
#include "drivers/command/mpirun.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { USUAL_THREADS = 16, CHANGE = 32 };

int choose_read_threads(const char *text, void *field)
{
    static const bmf_number_rule rule = {.min = 1, .max = BMF_MAX_MACHINE_THREADS, .whole = true};
    bmf_number_list *list = field;
    return number_list_read(text, &rule, list) && list->count <= CHOOSE_TEAMS
               ? 0
               : usage_error("--threads '%.100s' is no list of at most %d numbers from 1 to %d, like 1,2,4 or 1..16",
                             text, CHOOSE_TEAMS, BMF_MAX_MACHINE_THREADS);
}

/* ---- numbers of threads ---- */

/* One of those that make sense on the machine, where nobody says which. */
static bool is_usual(const choose_study *study, const bmf_machine *machine, int64_t threads)
{
    if (machine_states_threads(machine))
        return threads == machine->threads;
    if (machine->kernels)
        return machine_has_learnt(machine, threads);
    const bool is_power = (threads & (threads - 1)) == 0;
    return threads == 1 || (is_power && threads <= USUAL_THREADS && threads <= machine->node.processors &&
                            !choose_is_alone(study->options));
}

static void add_team(choose_study *study, int64_t threads)
{
    for (int64_t t = 0; t < study->teams; t++)
        if (study->team[t] == threads)
            return;
    if (study->teams < CHOOSE_TEAMS)
        study->team[study->teams++] = threads;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Those that are asked for, or all that are usual on some machine. */
static void find_teams(choose_study *study)
{
    const bmf_number_list *given = &study->options->threads;
    for (int64_t k = 0; k < given->count; k++)
        add_team(study, (int64_t)given->number[k]);
    for (int64_t m = 0; given->count == 0 && m < study->machines; m++)
        for (int64_t threads = 1; threads <= BMF_MAX_MACHINE_THREADS; threads++)
            if (is_usual(study, study->machine[m], threads))
                add_team(study, threads);
    qsort(study->team, (size_t)study->teams, sizeof *study->team, ascending);
}

/* NULL where the machine has no such ranks. */
static int open_threaded(const choose_study *study, int64_t m, int64_t threads, bmf_machine **made)
{
    bmf_machine *machine = study->machine[m];
    char text[CHANGE];
    *made = NULL;
    if (study->options->threads.count == 0 && !is_usual(study, machine, threads))
        return BMF_OK;
    if (threads == machine->threads)
        *made = machine;
    if (*made || (threads > 1 && threads > machine->node.processors))
        return BMF_OK;
    snprintf(text, sizeof text, "threads=%" PRId64, threads);
    return machine_read_changed(study->options->machines.word[m], &(bmf_machine_change){text}, 1, made);
}

int choose_open_teams(choose_study *study)
{
    int status = BMF_OK;
    find_teams(study);
    study->threaded = allocate_clear(study->machines * study->teams, (int64_t)sizeof(bmf_machine *));
    for (int64_t k = 0; k < study->machines * study->teams && status == BMF_OK; k++)
        status = open_threaded(study, k / study->teams, study->team[k % study->teams], &study->threaded[k]);
    return status;
}

void choose_close_teams(choose_study *study)
{
    for (int64_t k = 0; study->threaded && k < study->machines * study->teams; k++)
        if (study->threaded[k] != study->machine[k / study->teams])
            machine_free(study->threaded[k]);
    free(study->threaded);
}

/* ---- offers ---- */

static int64_t team_of(const choose_study *study, int64_t threads)
{
    int64_t t = 0;
    while (study->team[t] != threads)
        t++;
    return t;
}

bmf_machine *choose_machine(const choose_study *study, const bmf_offer *offer)
{
    return study->threaded[offer->machine * study->teams + team_of(study, offer->threads)];
}

static int64_t plain_team(const choose_study *study, int64_t machine)
{
    for (int64_t t = 0; t < study->teams; t++)
        if (study->threaded[machine * study->teams + t])
            return t;
    return 0;
}

bool choose_is_plain(const choose_study *study, const bmf_offer *offer)
{
    return offer->threads == study->team[plain_team(study, offer->machine)];
}

bmf_offer *choose_plain(const choose_study *study, int64_t machine, int64_t number)
{
    return choose_offer(study, machine, number, plain_team(study, machine));
}

const bmf_offer *choose_best(const choose_study *study, int64_t machine, int64_t number)
{
    const bmf_offer *best = NULL;
    for (int64_t t = 0; t < study->teams; t++) {
        const bmf_offer *o = choose_offer(study, machine, number, t);
        const bool better =
            best && (o->refusal != best->refusal ? o->refusal == BMF_OFFERED : o->seconds < best->seconds);
        if (offer_exists(o) && (!best || better))
            best = o;
    }
    return best;
}

void choose_put_unoffered(FILE *to, const choose_study *study)
{
    bool some = false;
    for (int64_t k = 0; k < study->offers; k++)
        some = some || study->offer[k].refusal != BMF_REFUSED_THREADS;
    fputs(some ? "no machine has so many processors: give fewer to --procs\n"
               : "no machine has ranks of so many threads on such numbers of processors: a rank's threads share a "
                 "node, and their number divides that of the processors; give others to --threads or --procs\n",
          to);
}

/* ---- words ---- */

bool choose_has_threads(const choose_study *study)
{
    return study->teams > 1 || study->team[0] > 1;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

const char *choose_ranks_text(const choose_study *study, const bmf_offer *offer, char *text, size_t size)
{
    const char *name = study->machine[offer->machine]->name;
    if (choose_has_threads(study))
        snprintf(text, size, "%" PRId64 " rank%s of %" PRId64 " thread%s on %.80s", offer->ranks, plural(offer->ranks),
                 offer->threads, plural(offer->threads), name);
    else
        snprintf(text, size, "%" PRId64 " processor%s of %.80s", offer->processors, plural(offer->processors), name);
    return text;
}

/* As a shell reads it. */
static void put_word(FILE *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    const bool needs_quotes = !*word || word[strspn(word, plain)];
    fputs(needs_quotes ? " '" : " ", to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    if (needs_quotes)
        fputc('\'', to);
}

/* "-n 8 -ppn 4 -bind-to core:2", in the words of the MPI that bmf is built with. */
static void put_placing(FILE *to, const bmf_offer *offer, const bmf_node *node)
{
    fprintf(to, " -n %" PRId64, offer->ranks);
#ifdef OPEN_MPI
    if (offer->nodes > 1)
        fprintf(to, " --map-by ppr:%" PRId64 ":node:PE=%" PRId64 " --bind-to core", node_ranks(node), offer->threads);
    else
        fprintf(to, " --map-by slot:PE=%" PRId64 " --bind-to core", offer->threads);
#else
    if (offer->nodes > 1)
        fprintf(to, " -ppn %" PRId64, node_ranks(node));
    fputs(" -bind-to core", to);
    if (offer->threads > 1)
        fprintf(to, ":%" PRId64, offer->threads);
#endif
}

static void put_language(FILE *to, const choose_study *study, const bmf_offer *offer)
{
    const bmf_predict_options *o = &study->options->predict;
    fputs(" bmf run", to);
    put_word(to, o->path);
    for (int k = 0; k < o->program.library.count; k++) {
        fputs(" --library", to);
        put_word(to, o->program.library.text[k]);
    }
    for (int k = 0; k < o->program.argument.count; k++) {
        fputs(" --arg", to);
        put_word(to, o->program.argument.text[k]);
    }
    if (choose_machine(study, offer)->chooses && choose_machine(study, offer)->costs_path) {
        fputs(" --machine", to);
        put_word(to, study->options->machines.word[offer->machine]);
    }
    if (o->reassociate)
        fputs(" --free", to);
}

static void put_command_line(FILE *to, const choose_study *study, const bmf_offer *offer)
{
    const bmf_predict_options *o = &study->options->predict;
    if (offer->threads > 1)
        fprintf(to, "OMP_NUM_THREADS=%" PRId64 " ", offer->threads);
    if (o->mpi && o->launch) {
        char number[24], *launch[] = {(char *)o->launch, NULL};
        snprintf(number, sizeof number, "%" PRId64, offer->ranks);
        char **made = launch_replaced(launch, "{p}", number);
        fputs(made[0], to);
        launch_words_free(made);
    } else {
        fputs(BMF_MPIRUN_NAME, to);
        put_placing(to, offer, &choose_machine(study, offer)->node);
    }
    if (o->path)
        put_language(to, study, offer);
    if (o->command) {
        char **command = choose_words(o);
        for (int k = 0; command[k]; k++)
            put_word(to, command[k]);
        launch_words_free(command);
    }
    if (o->schedule) {
        fputs(" --bmf-schedule", to);
        put_word(to, o->schedule);
    }
}

char *choose_command_line(const choose_study *study, const bmf_offer *offer)
{
    const bmf_predict_options *o = &study->options->predict;
    const bool known = o->elements == 0 && (o->command || !is_model(o->path)) && offer_exists(offer);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return text_copy("");
    if (known)
        put_command_line(to, study, offer);
    fclose(to);
    return text;
}
