/* What computing costs on a modelled machine: measured here, from a kernel sheet, by operations, or nothing.
 *
 * Method: virtual times of operations are added up. A sheet is asked for every processor's elements. Neighbours mostly
 * have the same number, so the last two answers are kept. The errors of an equation's coefficients are the same error
 * each time it is used, so an estimate's relative standard error is told apart into that part and the noise of the
 * call; equations are numbered from 1 in the order of the sheet. Where the sheet knows what the kernel does
 * (predict/sheet/mechanism.h), that answers if it fits the times that were learnt as well as the equation does;
 * otherwise the equation does within the sizes that were learnt, and beyond them its time at the nearest of these grows
 * as what the kernel does says: over the edge of a cache, too. Cost: a search by name when kernel, elements or work
 * change.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels.h"
#include "predict/machine/operation_costs.h"
#include "predict/model/model_private.h"
#include "predict/sheet/run_effects.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { KEPT = 4, EQUATIONS = 255, NAMED = 400 };

typedef struct answer {
    char kernel[BMF_SHEET_NAME];
    int64_t elements;
    bmf_kernel_work work;
    bmf_model_cost cost;
} answer;

struct bmf_model_costs {
    const bmf_machine *machine;
    int64_t sharing; /* ranks that share a node's memory */
    double beside;   /* ranks that compute beside each other, as the sheet counts them */
    answer kept[KEPT];
    int next; /* which answer is given up next */
    char **remark;
    int64_t remarks;
};

static void add_remark(bmf_model_costs *costs, const char *text)
{
    costs->remark = reallocate_array(costs->remark, costs->remarks, costs->remarks + 1, (int64_t)sizeof *costs->remark);
    costs->remark[costs->remarks++] = text_copy(text);
}

/* How many of the ranks that were traced stand for those of a node; where one has threads of which nothing was traced,
 * each of them is as one of these. Without a word on nodes and sharing, one. */
static double ranks_beside(const bmf_machine *machine, int64_t sharing)
{
    const int64_t traced = machine->kernels->header.ranks > 0 ? machine->kernels->header.ranks : 1;
    const int64_t threads = machine->threads > machine->kernels_threads ? machine->threads : 1;
    if (machine->sharing > 0)
        return (double)(machine->sharing * threads);
    if (machine->node.processors == 0)
        return 1.0;
    return (double)(sharing * threads < traced ? sharing * threads : traced);
}

/* A sheet knows how processors slow each other as far as they were traced beside each other. */
bmf_model_costs *model_costs_create(const bmf_machine *machine, int64_t processors)
{
    bmf_model_costs *costs = allocate_clear(1, (int64_t)sizeof *costs);
    const int32_t ranks = machine->compute == BMF_COMPUTE_SHEET ? machine->kernels->header.ranks : 0;
    costs->machine = machine;
    costs->sharing = node_ranks(&machine->node) < processors ? node_ranks(&machine->node) : processors;
    if (machine->compute == BMF_COMPUTE_SHEET)
        costs->beside = ranks_beside(machine, costs->sharing);
    if (ranks > 0 && processors > ranks) {
        char text[BMF_SHEET_TEXT];
        snprintf(text, sizeof text,
                 "%" PRId64 " processors are beyond the %d on which kernels were traced: how they share memory is "
                 "extrapolated",
                 processors, (int)ranks);
        add_remark(costs, text);
    }
    return costs;
}

void model_costs_spread(const bmf_machine *machine, bmf_actions *actions)
{
    actions->relative_error = machine_compute_error(machine);
    if (machine->compute != BMF_COMPUTE_SHEET)
        return;
    const bmf_sheet *sheet = machine->kernels;
    actions->spread.common = spread_deviation(&sheet->spread);
    for (int64_t k = 0; k < sheet->entries; k++) {
        float *run = &actions->spread.equation[1 + k % EQUATIONS];
        *run = fmaxf(*run, (float)run_effects_widened(sheet->entry[k].run_noise, sheet->spread.freedom));
    }
}

void model_costs_free(bmf_model_costs *costs)
{
    if (!costs)
        return;
    for (int64_t k = 0; k < costs->remarks; k++)
        free(costs->remark[k]);
    free(costs->remark);
    free(costs);
}

const char *model_costs_remark(const bmf_model_costs *costs, int64_t index)
{
    return index >= 0 && index < costs->remarks ? costs->remark[index] : NULL;
}

static void remark_once(bmf_model_costs *costs, const char *text)
{
    for (int64_t k = 0; k < costs->remarks; k++)
        if (strcmp(costs->remark[k], text) == 0)
            return;
    add_remark(costs, text);
}

/* ---- the sheet ---- */

/* "a, b, c, .." */
static void list_operations(const bmf_sheet *sheet, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t k = 0; k < sheet->entries; k++) {
        const char *name = sheet->entry[k].operation;
        if (k > 0 && strcmp(name, sheet->entry[k - 1].operation) == 0)
            continue;
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, ", ..");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

static int missing(const bmf_model_costs *costs, bmf_context *ctx, const char *kernel)
{
    char known[NAMED];
    list_operations(costs->machine->kernels, known, sizeof known);
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s: its sheet has no kernel '%s' (there are: %s)", costs->machine->path,
                    kernel, known);
}

/* Once a kernel, and the first time only. */
static void remark(bmf_model_costs *costs, const char *kernel, int64_t elements, const char *outside)
{
    char text[BMF_SHEET_TEXT + 100];
    int length = snprintf(text, sizeof text, "kernel %s: ", kernel);
    for (int64_t k = 0; k < costs->remarks; k++)
        if (strncmp(costs->remark[k], text, (size_t)length) == 0)
            return;
    snprintf(text + length, sizeof text - (size_t)length, "%" PRId64 " elements: %s", elements, outside);
    add_remark(costs, text);
}

/* Where a line that was fitted elsewhere has come below 0: in proportion to the nearest size that was measured, which
 * may be wrong by as much as itself. */
static void ask_nearest(const bmf_sheet_entry *entry, double p, double d, bmf_estimate *estimate)
{
    const double nearest = fmin(fmax(d, (double)entry->d_low), (double)entry->d_high);
    bmf_estimate there;
    if (entry->form.size == BMF_SIZE_NONE || nearest <= 0.0)
        return;
    entry_evaluate(entry, p, nearest, &there);
    estimate->mean = fmax(there.mean, 0.0) * d / nearest;
    estimate->coefficient_variance = estimate->mean * estimate->mean;
}

/* ---- what the kernel does ---- */

/* The sizes of an operation that were learnt. */
static void find_sizes(const bmf_sheet_entry *entry, int64_t count, double *low, double *high)
{
    *low = (double)entry->d_low;
    *high = (double)entry->d_high;
    for (int64_t k = 1; k < count; k++) {
        *low = fmin(*low, (double)entry[k].d_low);
        *high = fmax(*high, (double)entry[k].d_high);
    }
}

static double worst_misfit(const bmf_sheet_entry *entry, int64_t count)
{
    double worst = 0.0;
    for (int64_t k = 0; k < count; k++)
        worst = fmax(worst, entry_misfit(&entry[k]));
    return worst;
}

/* The same work for another number of elements. */
static bmf_kernel_work scaled(const bmf_kernel_work *work, double factor)
{
    const int64_t *from = &work->operations;
    bmf_kernel_work made = *work;
    int64_t *to = &made.operations;
    for (size_t k = 0; k < (sizeof made - sizeof made.code) / sizeof *to; k++)
        to[k] = llround(factor * (double)from[k]);
    return made;
}

static void put_cost(const bmf_machine *machine, const bmf_mechanism_estimate *estimate, int64_t equation,
                     bmf_model_cost *cost)
{
    const double mean = estimate->mean;
    *cost = (bmf_model_cost){.seconds = mean / machine->power,
                             .shared = mean > 0.0 ? sqrt(estimate->form_variance) / mean : 0.0,
                             .own = mean > 0.0 ? sqrt(estimate->noise_variance) / mean : 0.0,
                             .equation = (int)equation};
}

/* Ranks that share a memory: as many as were traced where they were always as many. */
static double sharing_of(const bmf_model_costs *costs, const bmf_mechanism *mechanism)
{
    return mechanism->p_low == mechanism->p_high ? (double)mechanism->p_low : costs->beside;
}

/* False: the equation is to answer. */
static bool ask_mechanism(const bmf_model_costs *costs, const bmf_sheet_entry *entry, int64_t count, int64_t elements,
                          const bmf_kernel_work *work, bmf_model_cost *cost)
{
    const bmf_machine *machine = costs->machine;
    const bmf_mechanism *mechanism = entry->mechanism;
    const int64_t equation = 1 + (entry - machine->kernels->entry) % EQUATIONS;
    bmf_mechanism_estimate estimate;
    double low, high;
    if (!mechanism || !work || !kernel_work_is_known(work) || elements == 0)
        return false;
    const double p = sharing_of(costs, mechanism), d = (double)elements;
    if (mechanism->misfit <= worst_misfit(entry, count)) {
        mechanism_evaluate(mechanism, &machine->kernels->memory, p, work, NULL, &estimate);
        put_cost(machine, &estimate, equation, cost);
        return true;
    }
    find_sizes(entry, count, &low, &high);
    const double nearest = fmin(fmax(d, low), high);
    bmf_estimate there;
    if (d == nearest || nearest <= 0.0 ||
        sheet_evaluate(machine->kernels, entry->operation, costs->beside, nearest, &there) != BMF_OK ||
        !(there.mean > 0.0))
        return false;
    const bmf_kernel_work known = scaled(work, nearest / d);
    mechanism_evaluate(mechanism, &machine->kernels->memory, p, work, &known, &estimate);
    const double ratio = estimate.mean;
    estimate.mean = ratio * there.mean;
    estimate.form_variance =
        estimate.form_variance * there.mean * there.mean + there.coefficient_variance * ratio * ratio;
    estimate.noise_variance = there.noise_variance * ratio * ratio;
    put_cost(machine, &estimate, equation, cost);
    return true;
}

/* A kernel that is not in the sheet takes what its operations and bytes take in others. */
static bool ask_others(bmf_model_costs *costs, const char *kernel, const bmf_kernel_work *work, bmf_model_cost *cost)
{
    const bmf_sheet *sheet = costs->machine->kernels;
    const bmf_mechanism **other = allocate_array(sheet->entries, (int64_t)sizeof *other);
    bmf_mechanism_estimate estimate;
    bmf_mechanism guess;
    char text[BMF_SHEET_TEXT];
    int64_t others = 0;
    for (int64_t k = 0; k < sheet->entries; k++)
        if (sheet->entry[k].mechanism)
            other[others++] = sheet->entry[k].mechanism;
    const bool known = work && kernel_work_is_known(work) && mechanism_guess(others, other, &guess);
    free(other);
    if (!known)
        return false;
    mechanism_evaluate(&guess, &sheet->memory, sharing_of(costs, &guess), work, NULL, &estimate);
    /* what is wrong with the guess is wrong each time */
    estimate.form_variance += estimate.noise_variance;
    estimate.noise_variance = 0.0;
    put_cost(costs->machine, &estimate, EQUATIONS, cost);
    snprintf(text, sizeof text, "it was never traced: its time follows from its operations and bytes");
    remark(costs, kernel, work->operations, text);
    return true;
}

/* The operation of this name, or, where lines have moved, of that code. */
static const bmf_sheet_entry *find_kernel(const bmf_model_costs *costs, const char *kernel, const bmf_kernel_work *work,
                                          int64_t *count)
{
    const bmf_sheet *sheet = costs->machine->kernels;
    const bmf_sheet_entry *named = sheet_find(sheet, kernel, count);
    const uint64_t code = work ? work->code : 0;
    if (code == 0 || (named && (!named->mechanism || named->mechanism->code == 0 || named->mechanism->code == code)))
        return named;
    for (int64_t k = 0; k < sheet->entries; k++)
        if (sheet->entry[k].mechanism && sheet->entry[k].mechanism->code == code)
            return sheet_find(sheet, sheet->entry[k].operation, count);
    return NULL;
}

static int ask_sheet(bmf_model_costs *costs, bmf_context *ctx, const char *kernel, int64_t elements,
                     const bmf_kernel_work *work, bmf_model_cost *cost)
{
    const bmf_machine *machine = costs->machine;
    bmf_estimate estimate;
    int64_t count;
    const bmf_sheet_entry *found = find_kernel(costs, kernel, work, &count);
    if (!found)
        return ask_others(costs, kernel, work, cost) ? BMF_OK : missing(costs, ctx, kernel);
    if (strcmp(found->operation, kernel) != 0)
        kernel = found->operation;
    if (ask_mechanism(costs, found, count, elements, work, cost)) {
        bmf_estimate domain;
        if (sheet_evaluate(machine->kernels, kernel, costs->beside, (double)elements, &domain) == BMF_OK &&
            !domain.inside)
            remark(costs, kernel, elements, domain.outside);
        return BMF_OK;
    }
    int status = sheet_evaluate(machine->kernels, kernel, costs->beside, (double)elements, &estimate);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    if (!estimate.inside)
        remark(costs, kernel, elements, estimate.outside);
    if (estimate.mean <= 0.0)
        ask_nearest(estimate.entry, costs->beside, (double)elements, &estimate);
    double mean = fmax(estimate.mean, 0.0);
    int64_t equation = 1 + (estimate.entry - machine->kernels->entry) % EQUATIONS;
    *cost = (bmf_model_cost){.seconds = mean / machine->power,
                             .shared = mean > 0.0 ? sqrt(estimate.coefficient_variance) / mean : 0.0,
                             .own = mean > 0.0 ? sqrt(estimate.noise_variance) / mean : 0.0,
                             .equation = estimate.has_errors ? (int)equation : 0};
    return BMF_OK;
}

static int from_sheet(bmf_model_costs *costs, bmf_context *ctx, const char *kernel, int64_t elements,
                      const bmf_kernel_work *work, bmf_model_cost *cost)
{
    static const bmf_kernel_work unknown;
    const bmf_kernel_work *asked = work ? work : &unknown;
    for (int k = 0; k < KEPT; k++)
        if (costs->kept[k].elements == elements && strcmp(costs->kept[k].kernel, kernel) == 0 &&
            memcmp(&costs->kept[k].work, asked, sizeof *asked) == 0) {
            *cost = costs->kept[k].cost;
            return BMF_OK;
        }
    BMF_TRY(ask_sheet(costs, ctx, kernel, elements, work, cost));
    if (strlen(kernel) < BMF_SHEET_NAME) {
        answer *kept = &costs->kept[costs->next];
        costs->next = (costs->next + 1) % KEPT;
        snprintf(kept->kernel, sizeof kept->kernel, "%s", kernel);
        kept->elements = elements;
        kept->work = *asked;
        kept->cost = *cost;
    }
    return BMF_OK;
}

bool model_costs_know_overhead(const bmf_model_costs *costs, const char *call, const char *what, char *operation)
{
    int64_t count;
    return costs->machine->compute == BMF_COMPUTE_SHEET &&
           sheet_find(costs->machine->kernels, kernel_operation(call, what, operation), &count);
}

/* ---- threads ---- */

/* Adds what a team takes, of which no more is known than its order of magnitude. */
static void add_team(const bmf_machine *machine, bmf_model_cost *cost)
{
    const double team = node_fork_join(&machine->node), before = cost->seconds;
    cost->seconds += team;
    if (cost->seconds > 0.0 && machine->compute != BMF_COMPUTE_OPERATIONS) {
        cost->shared *= before / cost->seconds;
        cost->own = hypot(cost->own * before, team) / cost->seconds;
    }
}

/* The slowest thread of a team as a rank of one thread, with its share of the elements. */
static int from_sheet_of_others(bmf_model_costs *costs, bmf_context *ctx, const bmf_model_call *call,
                                bmf_model_cost *cost)
{
    static const double unsure = 0.1; /* of what follows for threads that were not traced, relative */
    const bmf_machine *machine = costs->machine;
    const double traced = (double)machine->kernels_threads;
    const double share = fmin(thread_shares_slowest(call->shares, machine->threads) * traced, traced);
    char text[BMF_SHEET_TEXT];
    if (traced > 1.0) { /* of a team of another size in proportion */
        BMF_TRY(from_sheet(costs, ctx, call->kernel, call->elements, call->work, cost));
        cost->seconds *= share;
    } else {
        const bmf_kernel_work work = call->work ? scaled(call->work, share) : (bmf_kernel_work){0};
        BMF_TRY(from_sheet(costs, ctx, call->kernel, llround(ceil((double)call->elements * share)),
                           call->work ? &work : NULL, cost));
    }
    snprintf(text, sizeof text,
             "times of kernels on ranks of %" PRId64 " threads follow from those on ranks of %" PRId64,
             machine->threads, machine->kernels_threads);
    remark_once(costs, text);
    cost->shared = hypot(cost->shared, unsure);
    if (share < 1.0 && machine->threads > 1)
        add_team(machine, cost);
    return BMF_OK;
}

static int find(bmf_model_costs *costs, bmf_context *ctx, const bmf_model_call *call, bmf_model_cost *cost)
{
    const bmf_machine *machine = costs->machine;
    const double share = call->shares ? thread_shares_slowest(call->shares, machine->threads) : 1.0;
    *cost = (bmf_model_cost){0};
    switch (machine->compute) {
    case BMF_COMPUTE_OPERATIONS:
        cost->seconds = operation_costs_of(machine->operations, call->operations ? call->operations : "") *
                        (double)call->elements * share / machine->power;
        break;
    case BMF_COMPUTE_SHEET:
        return call->shares && machine->threads != machine->kernels_threads
                   ? from_sheet_of_others(costs, ctx, call, cost)
                   : from_sheet(costs, ctx, call->kernel, call->elements, call->work, cost);
    case BMF_COMPUTE_MEASURED:
        cost->seconds = call->measured * share / machine->power;
        break;
    default:
        return BMF_OK;
    }
    if (share < 1.0)
        add_team(machine, cost);
    return BMF_OK;
}

void model_costs_share(const bmf_model_costs *costs, bmf_actions *actions)
{
    const bmf_machine *machine = costs->machine;
    for (int64_t k = 0; actions->shares && k < actions->stored_count; k++) {
        const bmf_thread_shares *shares = &actions->shares[k];
        const double share = thread_shares_slowest(shares, machine->threads);
        double *seconds = &actions->stored[k].seconds;
        if (shares->pieces > 0 && share < 1.0)
            *seconds = *seconds * share + node_fork_join(&machine->node);
        if (shares->pieces > 0)
            *seconds = fmax(*seconds, (double)shares->bound);
    }
    actions_forget_list(actions);
}

double model_costs_bound(const bmf_model_costs *costs, const bmf_kernel_work *work)
{
    return node_memory_seconds(&costs->machine->node, costs->sharing, kernel_work_moved(work),
                               kernel_work_footprint(work));
}

/* No faster than the memory that the ranks of a node share. */
int model_costs_find(bmf_model_costs *costs, bmf_context *ctx, const bmf_model_call *call, bmf_model_cost *cost)
{
    const bmf_machine *machine = costs->machine;
    BMF_TRY(find(costs, ctx, call, cost));
    if (call->work && (machine->compute == BMF_COMPUTE_MEASURED || machine->compute == BMF_COMPUTE_SHEET))
        cost->seconds = fmax(cost->seconds, model_costs_bound(costs, call->work));
    return BMF_OK;
}
