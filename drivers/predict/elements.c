/* bmf predict --elements: a program on arguments that are much larger than those that are there.
 *
 * Method: the rows of the arguments that grow are repeated to four sizes, so many on each processor that they lie on a
 * line with the size that is asked for, and what the program does on each of them is recorded. Where the same is done
 * on all four, and counts and bytes are constant, on a line, or of pairs of elements, they follow for any size
 * (growth.h), and what is computed costs what the machine says for it. Others depend on the data: the interval holds
 * what the sizes show. Where something else is done it is said where. Algorithms are chosen by the sizes that hold for
 * all elements (runtime/context/sizes.h): a first turn of recordings shows how those sizes grow, and a second one
 * chooses by what follows from that. Where they stay as they are the first turn is all.
 * Cost: four recordings of small sizes, or eight; four are kept. Source: own; scaling counts of small runs is that of
 * Carrington, Laurenzano, Tiwari, "Inferring large-scale computation behavior via trace extrapolation", IPDPSW
 * (2013). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/mpi.h"
#include "drivers/commands.h"
#include "drivers/predict/growth.h"
#include "drivers/predict/predict.h"
#include "predict/model/model.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/context/failure.h"
#include "runtime/context/sizes.h"
#include "runtime/files/npy_part.h"
#include "skeletons/language/argument.h"

enum { SIZES = BMF_GROWTH_SIZES, LEAST_EACH = 16, MEASURED_ELEMENTS = 1 << 20, MOST_REMARKS = 8 };

/* What was recorded of one size. */
typedef struct recorded_size {
    bmf_actions *actions;
    int64_t held; /* bytes of all processors */
    bmf_sizes sizes;
} recorded_size;

typedef struct extrapolation {
    const bmf_predict_options *options;
    char (*path)[4200]; /* of the rows that are repeated, of every argument that grows */
    int64_t rows;       /* that are asked for */
    bmf_growth growth;  /* of the elements of a processor, at least */
    recorded_size size[SIZES];
    bmf_size_range *grown; /* the sizes by which ways are chosen, of all elements; NULL: in the first turn */
    int64_t choices;
    int now;
    bmf_predicted *predicted; /* what is known of the run in hand */
    bmf_take_extended *take;
    void *state;
    bool timed; /* what is taken are times of the machine, not recordings for others */
    bool exact;
    uint64_t said[MOST_REMARKS]; /* kernels of which something was said */
    int remarks;
} extrapolation;

int elements_read(const char *text, void *field)
{
    static const double most = 0x1p53;
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || !(number >= 1.0 && number <= most) || number != floor(number))
        return usage_error("--elements '%s' is no whole number from 1 to 2^53, like 1000000 or 1e12", text);
    *(int64_t *)field = (int64_t)number;
    return 0;
}

int elements_read_grown(const char *text, void *field)
{
    const char *at = text;
    uint64_t grown = 0;
    do {
        char *end;
        const long number = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || number < 1 || number > BMF_MAX_STRINGS)
            return usage_error("--growing '%.100s' are no numbers of arguments from 1 on, like 1,3", text);
        grown |= UINT64_C(1) << (number - 1);
        at = *end ? end + 1 : NULL;
    } while (at);
    *(uint64_t *)field = grown;
    return 0;
}

/* Whether the argument has as many rows as are asked for; the others stay as they are. */
static bool grows(const bmf_predict_options *o, int argument)
{
    return o->growing == 0 ? argument == 0 : o->growing >> argument & 1;
}

int elements_check(const bmf_predict_options *o, const char *option)
{
    const int arguments = o->program.argument.count;
    if (!o->path || is_model(o->path))
        return usage_error("%s is for programs of the language", option);
    if (arguments == 0)
        return usage_error("%s takes an --arg FILE, whose rows stand for all of them", option);
    if (arguments < BMF_MAX_STRINGS && o->growing >> arguments)
        return usage_error("--growing: the program has %d argument%s", arguments, arguments == 1 ? "" : "s");
    if (o->trace || o->html || o->ranks > 0 || o->compared.count > 0)
        return usage_error("--elements does not go with --trace, --html, --ranks and --compare");
    return 0;
}

/* ---- recording a size ---- */

/* The log is this one's from now on. */
static void keep(bmf_context *ctx, const bmf_predicted *predicted, recorded_size *size)
{
    size->held = predicted->held;
    size->actions = model_take_actions(ctx);
}

/* ---- whether the same is done ---- */

/* "filter at program.bmf:3:5", of an action; the text lives until the next call. */
static const char *describe(const bmf_actions *actions, const bmf_action *action)
{
    static char text[512];
    const bmf_trace_run *names = actions->names;
    uint32_t scope = action->scope;
    while (scope != 0 && actions->scope[scope].place == 0)
        scope = actions->scope[scope].parent;
    const char *place = names->name[actions->scope[scope].place],
               *kernel = action->kind == BMF_ACTION_COMPUTE ? names->name[action->name] : "messages";
    snprintf(text, sizeof text, "%.200s%s%.200s", kernel, place[0] ? " at " : "", place);
    return text;
}

/* But for how much. */
static bool same_action(const bmf_actions *a, const bmf_action *x, const bmf_actions *b, const bmf_action *y)
{
    if (x->kind != y->kind || x->processor != y->processor || a->scope[x->scope].node != b->scope[y->scope].node ||
        x->name != y->name || x->round != y->round || x->message != y->message)
        return false;
    if (x->kind != BMF_ACTION_SEND && x->kind != BMF_ACTION_RECEIVE)
        return true;
    const bmf_scheduled_message *sent = &a->message[x->message], *other = &b->message[y->message];
    return sent->from == other->from && sent->to == other->to;
}

/* The first stored action that is not the same, or how many there are. */
static int64_t find_difference(const bmf_actions *a, const bmf_actions *b)
{
    int64_t k = 0;
    while (k < a->stored_count && k < b->stored_count && same_action(a, &a->stored[k], b, &b->stored[k]))
        k++;
    return k;
}

static bool are_same(const bmf_actions *a, const bmf_actions *b)
{
    return actions_same_shape(a, b) && find_difference(a, b) == a->stored_count;
}

/* Logs of which families say different things may do the same all the same. */
static int check_same(bmf_context *ctx, extrapolation *e)
{
    const bmf_actions *last = e->size[SIZES - 1].actions;
    bool same = true;
    for (int k = 0; k < SIZES - 1 && same; k++)
        same = are_same(e->size[k].actions, last);
    if (same)
        return BMF_OK;
    for (int k = 0; k < SIZES; k++)
        actions_spread_out(e->size[k].actions);
    for (int k = 0; k < SIZES - 1; k++) {
        const bmf_actions *other = e->size[k].actions;
        const int64_t at = find_difference(other, last);
        if (at == last->count && at == other->count && other->messages == last->messages)
            continue;
        const int64_t known = at < last->count ? at : last->count - 1;
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "%s: what is done there differs with the data, or not in proportion to the elements, so that "
                        "it cannot be said without data of that size",
                        known < 0 ? "the program" : describe(last, &last->stored[known]));
    }
    return BMF_OK;
}

/* ---- to the size that is asked for ---- */

static void say_once(extrapolation *e, const bmf_actions *actions, const bmf_action *action, bmf_predicted *predicted)
{
    char text[800];
    const uint64_t what = hash_add(hash_add(HASH_START, action->name), actions->scope[action->scope].node);
    bool said = e->remarks == MOST_REMARKS;
    for (int k = 0; k < e->remarks && !said; k++)
        said = e->said[k] == what;
    if (said)
        return;
    e->said[e->remarks++] = what;
    snprintf(text, sizeof text,
             "%s: how it grows depends on the data, or is not constant, in proportion to the elements, or to pairs of "
             "them; the interval holds what small sizes show",
             describe(actions, action));
    predicted_remark(predicted, text);
}

/* What is computed, on stored action k of the largest size: its count and seconds, least or most. */
static void extend_action(extrapolation *e, bool measured, int64_t k, bool most, bmf_action *action, bool *exact)
{
    int64_t amount[SIZES];
    double taken[SIZES];
    for (int n = 0; n < SIZES; n++) {
        amount[n] = e->size[n].actions->stored[k].amount;
        taken[n] = e->size[n].actions->stored[k].seconds;
    }
    const bmf_growth_range count = growth_of_counts(&e->growth, amount);
    const double wanted = most ? count.high : count.low;
    if (measured || !count.follows) {
        action->seconds *= action->amount > 0 ? wanted / (double)action->amount : 1.0;
        *exact = *exact && count.follows;
    } else {
        const bmf_growth_range seconds = growth_of_seconds(&e->growth, taken);
        action->seconds = most ? seconds.high : seconds.low;
        *exact = *exact && seconds.follows;
    }
    action->amount = (int64_t)fmin(wanted, 0x1p62);
}

/* What the kernel of stored action k of the largest size moves, as its seconds. */
static void extend_bytes(const extrapolation *e, int64_t k, bool most, bmf_action_bytes *bytes)
{
    double moved[SIZES], footprint[SIZES];
    for (int n = 0; n < SIZES; n++) {
        moved[n] = (double)e->size[n].actions->bytes[k].moved;
        footprint[n] = (double)e->size[n].actions->bytes[k].footprint;
    }
    const bmf_growth_range all = growth_of_seconds(&e->growth, moved), held = growth_of_seconds(&e->growth, footprint);
    bytes->moved = (float)(most ? all.high : all.low);
    bytes->footprint = (float)(most ? held.high : held.low);
}

/* How threads share it: pieces of as many elements, so that there are more of them. What is one piece of few elements
 * would be several. */
static void extend_shares(double growth, bmf_thread_shares *shares)
{
    if (shares->pieces == 0 || !(growth >= 2.0))
        return;
    shares->largest /= (float)growth;
    shares->pieces = (int32_t)fmin(growth * shares->pieces, INT32_MAX);
}

/* The messages for the size that is asked for. */
static bmf_scheduled_message *extend_messages(extrapolation *e, const bmf_actions *recorded, bool most)
{
    bmf_scheduled_message *made = allocate_array(recorded->messages, (int64_t)sizeof *made);
    for (int64_t m = 0; m < recorded->messages; m++) {
        int64_t bytes[SIZES];
        for (int n = 0; n < SIZES; n++)
            bytes[n] = e->size[n].actions->message[m].bytes;
        const bmf_growth_range size = growth_of_counts(&e->growth, bytes);
        made[m] = recorded->message[m];
        made[m].bytes = (int64_t)fmin(most ? size.high : size.low, 0x1p62);
        e->exact = e->exact && size.follows;
    }
    return made;
}

/* The actions for the size that is asked for; free_extended. Shares with `recorded` what is the same. */
static void extend(extrapolation *e, const bmf_actions *recorded, bool measured, bool most, bmf_actions *made)
{
    actions_share(recorded, made);
    made->message = extend_messages(e, recorded, most);
    for (int64_t k = 0; k < made->stored_count; k++) {
        bmf_action *action = &made->stored[k];
        bool exact = true;
        if (action->kind == BMF_ACTION_COMPUTE || action->kind == BMF_ACTION_OVERHEAD)
            extend_action(e, measured, k, most, action, &exact);
        if (!exact)
            say_once(e, recorded, &recorded->stored[k], e->predicted);
        e->exact = e->exact && exact;
        if (made->shares && recorded->stored[k].amount > 0)
            extend_shares((double)action->amount / (double)recorded->stored[k].amount, &made->shares[k]);
        if (made->bytes)
            extend_bytes(e, k, most, &made->bytes[k]);
    }
}

static void free_extended(bmf_actions *made)
{
    free(made->message);
    actions_unshare(made);
}

static int extrapolate(extrapolation *e, bmf_context *ctx)
{
    const bmf_actions *recorded = e->size[SIZES - 1].actions;
    const bool measured = model_is_measured(model_of_context(ctx));
    bmf_actions least, most = {0};
    BMF_TRY(check_same(ctx, e));
    e->exact = true;
    extend(e, recorded, measured, false, &least);
    const bool exact = e->exact;
    if (!exact)
        extend(e, recorded, measured, true, &most);
    if (e->timed) {
        model_share(model_of_context(ctx), &least);
        if (!exact)
            model_share(model_of_context(ctx), &most);
    }
    int64_t held[SIZES];
    for (int n = 0; n < SIZES; n++)
        held[n] = e->size[n].held;
    e->predicted->held = (int64_t)fmin(growth_of_counts(&e->growth, held).high, 0x1p62);
    const int status = e->take(ctx, &least, exact ? &least : &most, e->predicted, e->state);
    free_extended(&least);
    if (!exact)
        free_extended(&most);
    return status;
}

/* ---- ways that are chosen by sizes ---- */

static int refuse_sizes(bmf_context *ctx)
{
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                    "the program: sizes by which ways are chosen differ with the data, so it cannot be predicted "
                    "without data of that size");
}

/* What choice k was made by, at all sizes. */
static bmf_growth_range growth_of_choice(const extrapolation *e, int64_t k)
{
    int64_t seen[SIZES];
    for (int n = 0; n < SIZES; n++)
        seen[n] = e->size[n].sizes.seen[k];
    return growth_of_counts(&e->growth, seen);
}

static bmf_size_range to_size(bmf_growth_range range)
{
    return (bmf_size_range){(int64_t)fmin(range.low, 0x1p62), (int64_t)fmin(ceil(range.high), 0x1p62)};
}

static bool same_choices(const extrapolation *e, int64_t choices)
{
    for (int n = 0; n < SIZES; n++)
        if (e->size[n].sizes.count != choices)
            return false;
    return true;
}

/* Whether the first recordings chose by the same sizes, so that no second turn is needed. */
static bool sizes_stay(const extrapolation *e, int recordings)
{
    const bmf_sizes *first = &e->size[0].sizes;
    for (int n = 1; n < recordings; n++) {
        const bmf_sizes *other = &e->size[n].sizes;
        if (other->count != first->count ||
            (first->count > 0 && memcmp(other->seen, first->seen, (size_t)first->count * sizeof *first->seen) != 0))
            return false;
    }
    return true;
}

/* After the first turn. */
static void learn_choices(extrapolation *e)
{
    e->choices = e->size[0].sizes.count;
    e->grown = allocate_array(e->choices, (int64_t)sizeof *e->grown);
    for (int64_t k = 0; k < e->choices; k++)
        e->grown[k] = to_size(growth_of_choice(e, k));
    for (int n = 0; n < SIZES; n++) {
        e->size[n].sizes.grown = e->grown;
        e->size[n].sizes.known = e->choices;
        actions_free(e->size[n].actions);
        e->size[n].actions = NULL;
    }
}

/* After the second turn: other ways may have led to other sizes. */
static int check_choices(const extrapolation *e, bmf_context *ctx)
{
    char text[160];
    if (!same_choices(e, e->choices))
        return refuse_sizes(ctx);
    for (int64_t k = 0; k < e->choices; k++) {
        const bmf_size_range now = to_size(growth_of_choice(e, k)), before = e->grown[k];
        if (now.low != before.low || now.high != before.high)
            return refuse_sizes(ctx);
    }
    for (int n = 0; n < SIZES; n++)
        if (e->size[n].sizes.unsure) {
            snprintf(text, sizeof text, "%s: which algorithm is chosen depends on the data; here for the largest size",
                     e->size[n].sizes.unsure);
            predicted_remark(e->predicted, text);
            break;
        }
    return BMF_OK;
}

static int take_size(bmf_context *ctx, const bmf_predicted *predicted, void *state)
{
    extrapolation *e = state;
    keep(ctx, predicted, &e->size[e->now]);
    if (e->now < SIZES - 1)
        return BMF_OK;
    if (e->grown) {
        BMF_TRY(check_choices(e, ctx));
        return extrapolate(e, ctx);
    }
    if (!same_choices(e, e->size[0].sizes.count)) {
        BMF_TRY(check_same(ctx, e));
        return refuse_sizes(ctx);
    }
    return sizes_stay(e, SIZES) ? extrapolate(e, ctx) : BMF_OK;
}

/* No more elements than are recorded anyway. */
static int take_whole(bmf_context *ctx, const bmf_predicted *predicted, void *state)
{
    const extrapolation *e = state;
    const bmf_actions *actions = model_actions(model_of_context(ctx));
    return e->take(ctx, actions, actions, predicted, e->state);
}

/* ---- timing ---- */

static double bytes_of(const bmf_actions *actions)
{
    double bytes = 0.0;
    for (int64_t m = 0; m < actions->messages; m++)
        bytes += (double)actions->message[m].bytes;
    return bytes;
}

static int simulate_size(bmf_context *ctx, const extrapolation *e, const bmf_actions *actions,
                         bmf_prediction *prediction)
{
    const int status =
        simulate_interval(actions, model_network(model_of_context(ctx)), e->options->samples, prediction);
    return status == BMF_OK ? BMF_OK : bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
}

/* The times of what the sizes show. */
static int take_times(bmf_context *ctx, const bmf_actions *least, const bmf_actions *most,
                      const bmf_predicted *recorded, void *state)
{
    const extrapolation *e = state;
    bmf_predicted *predicted = e->predicted;
    const double fewest = bytes_of(least), largest = bytes_of(most);
    bmf_prediction low, high;
    char text[200];
    (void)recorded;
    BMF_TRY(simulate_size(ctx, e, least, &low));
    high = low;
    if (most != least)
        BMF_TRY(simulate_size(ctx, e, most, &high));
    if (largest > fewest) {
        snprintf(text, sizeof text,
                 "messages: %.0f to %.0f bytes; how they grow depends on the data, or follows none of the known forms",
                 fewest, largest);
        predicted_remark(predicted, text);
    }
    predicted->prediction = high;
    predicted->seconds = sqrt(low.median * high.median);
    predicted->best = sqrt(low.seconds * high.seconds);
    predicted->files = sqrt(low.loading * high.loading);
    predicted->low = fmin(low.low, high.low);
    predicted->high = fmax(low.high, high.high);
    predicted->messages = least->messages;
    predicted->bytes = (int64_t)((fewest + largest) / 2.0);
    predicted->rank_messages = predicted->rank_bytes = -1;
    return BMF_OK;
}

/* ---- all ---- */

/* The program on so many rows. */
static int predict_rows(extrapolation *e, const char *folder, int64_t processors, int64_t rows, bool whole,
                        bmf_predicted *predicted)
{
    bmf_predict_options o = *e->options;
    const int arguments = o.program.argument.count;
    char(*path)[4200] = allocate_array(arguments, (int64_t)sizeof *path);
    int status = BMF_OK;
    for (int k = 0; k < arguments && status == BMF_OK; k++) {
        if (!grows(&o, k))
            continue;
        snprintf(path[k], sizeof path[k], "%.4000s/rows%d.npy", folder, k);
        status = npy_repeat_rows(e->path[k], rows, path[k]);
        o.program.argument.text[k] = path[k];
    }
    o.sizes = whole ? NULL : &e->size[e->now].sizes;
    if (e->now < SIZES - 1 || (!whole && !e->grown && !sizes_stay(e, SIZES - 1)))
        o.repeats = 1;
    if (status == BMF_OK)
        status = whole && e->timed
                     ? predict_program(&o, processors, false, predicted)
                     : predict_program_recorded(&o, processors, whole ? take_whole : take_size, e, predicted);
    free(path);
    return status;
}

/* One turn: all sizes. */
static int record_sizes(extrapolation *e, const char *folder, int64_t processors, bmf_predicted *predicted)
{
    int status = BMF_OK;
    for (e->now = 0; e->now < SIZES && status == BMF_OK; e->now++) {
        predicted_free(predicted);
        status = predict_rows(e, folder, processors, e->rows % processors + processors * e->growth.each[e->now], false,
                              predicted);
    }
    return status;
}

static int predict_sizes(extrapolation *e, const char *folder, int64_t processors, bmf_predicted *predicted)
{
    const bool measured = e->options->machine->compute == BMF_COMPUTE_MEASURED;
    int64_t each = measured ? MEASURED_ELEMENTS / processors : 0;
    each = each < LEAST_EACH ? LEAST_EACH : each - each % 2;
    for (int k = 0; k < SIZES; k++)
        e->growth.each[k] = each + k * each / 2;
    if (e->growth.wanted <= e->growth.each[SIZES - 1]) {
        e->now = SIZES - 1;
        return predict_rows(e, folder, processors, e->rows, true, predicted);
    }
    *predicted = (bmf_predicted){0};
    int status = record_sizes(e, folder, processors, predicted);
    if (status == BMF_OK && !sizes_stay(e, SIZES)) {
        learn_choices(e);
        status = record_sizes(e, folder, processors, predicted);
    }
    for (int k = 0; k < SIZES; k++) {
        actions_free(e->size[k].actions);
        sizes_free(&e->size[k].sizes);
    }
    free(e->grown);
    return status;
}

/* Argument `number` as npy_repeat_rows takes it: itself, or what is made of it in the folder. */
static int find_rows(const char *name, int number, const char *folder, char path[4200])
{
    bmf_argument argument = {0};
    bmf_context *ctx;
    bmf_options o = bmf_options_init();
    int64_t rows;
    if (!argument_named(name, &argument))
        return bmf_fail(NULL, BMF_ERROR_USAGE, "--arg %s: a number of rows needs a data file, such as FILE.npy", name);
    int status = argument_find(NULL, &argument);
    rows = argument.file.shape[0];
    snprintf(path, 4200, "%.4000s", argument.file.path);
    if (status == BMF_OK && !npy_repeats(&argument.file)) {
        snprintf(path, 4200, "%.4000s/argument%d.npy", folder, number);
        o.processors = 1;
        status = bmf_open_with(MPI_COMM_WORLD, &o, &ctx);
        if (status == BMF_OK) {
            status = data_file_convert(ctx, name, path, &rows);
            if (status != BMF_OK)
                bmf_fail(NULL, status, "%s", bmf_error_text(ctx));
            bmf_close(ctx);
        }
    }
    argument_free(&argument);
    if (status == BMF_OK && rows < 1)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "%s: a number of rows needs a row that can be repeated", name);
    return status;
}

static int predict_extended(extrapolation *e, int64_t processors)
{
    const bmf_strings *argument = &e->options->program.argument;
    char *folder = temporary_directory_create("bmf-elements");
    if (!folder)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot make a temporary directory");
    int status = BMF_OK;
    e->path = allocate_array(argument->count, (int64_t)sizeof *e->path);
    e->rows = e->options->elements;
    e->growth.wanted = e->rows / processors;
    for (int k = 0; k < argument->count && status == BMF_OK; k++)
        if (grows(e->options, k))
            status = find_rows(argument->text[k], k, folder, e->path[k]);
    if (status == BMF_OK)
        status = predict_sizes(e, folder, processors, e->predicted);
    temporary_directory_remove(folder);
    free(e->path);
    return status;
}

int predict_elements(const bmf_predict_options *options, int64_t processors, bmf_predicted *predicted)
{
    extrapolation e = {.options = options, .predicted = predicted, .take = take_times, .timed = true};
    e.state = &e;
    return predict_extended(&e, processors);
}

int predict_elements_recorded(const bmf_predict_options *options, int64_t processors, bmf_take_extended *take,
                              void *state, bmf_predicted *predicted)
{
    extrapolation e = {.options = options, .predicted = predicted, .take = take, .state = state};
    return predict_extended(&e, processors);
}
