/* What computing costs on a modelled machine: measured here, from a kernel sheet, by operations, or nothing.
 *
 * Method: virtual times of operations are added up. A sheet is asked for every processor's elements. Neighbours mostly
 * have the same number, so the last two answers are kept. The errors of an equation's coefficients are the same error
 * each time it is used, so an estimate's relative standard error is told apart into that part and the noise of the
 * call; equations are numbered from 1 in the order of the sheet. Cost: a search by name when kernel or elements change.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/kernels/kernels.h"
#include "predict/machine/operation_costs.h"
#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { KEPT = 4, EQUATIONS = 255, NAMED = 400 };

typedef struct answer {
    char kernel[BMF_SHEET_NAME];
    int64_t elements;
    bmf_model_cost cost;
} answer;

struct bmf_model_costs {
    const bmf_machine *machine;
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

/* A sheet knows how processors slow each other as far as they were traced beside each other. */
bmf_model_costs *model_costs_create(const bmf_machine *machine, int64_t processors)
{
    bmf_model_costs *costs = allocate_clear(1, (int64_t)sizeof *costs);
    const int32_t ranks = machine->compute == BMF_COMPUTE_SHEET ? machine->kernels->header.ranks : 0;
    costs->machine = machine;
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

static int ask_sheet(bmf_model_costs *costs, bmf_context *ctx, const char *kernel, int64_t elements,
                     bmf_model_cost *cost)
{
    const bmf_machine *machine = costs->machine;
    bmf_estimate estimate;
    int64_t count;
    if (!sheet_find(machine->kernels, kernel, &count))
        return missing(costs, ctx, kernel);
    int status = sheet_evaluate(machine->kernels, kernel, (double)machine->sharing, (double)elements, &estimate);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    if (!estimate.inside)
        remark(costs, kernel, elements, estimate.outside);
    if (estimate.mean <= 0.0)
        ask_nearest(estimate.entry, (double)machine->sharing, (double)elements, &estimate);
    double mean = fmax(estimate.mean, 0.0);
    int64_t equation = 1 + (estimate.entry - machine->kernels->entry) % EQUATIONS;
    *cost = (bmf_model_cost){.seconds = mean / machine->power,
                             .shared = mean > 0.0 ? sqrt(estimate.coefficient_variance) / mean : 0.0,
                             .own = mean > 0.0 ? sqrt(estimate.noise_variance) / mean : 0.0,
                             .equation = estimate.has_errors ? (int)equation : 0};
    return BMF_OK;
}

static int from_sheet(bmf_model_costs *costs, bmf_context *ctx, const char *kernel, int64_t elements,
                      bmf_model_cost *cost)
{
    for (int k = 0; k < KEPT; k++)
        if (costs->kept[k].elements == elements && strcmp(costs->kept[k].kernel, kernel) == 0) {
            *cost = costs->kept[k].cost;
            return BMF_OK;
        }
    BMF_TRY(ask_sheet(costs, ctx, kernel, elements, cost));
    if (strlen(kernel) < BMF_SHEET_NAME) {
        answer *kept = &costs->kept[costs->next];
        costs->next = (costs->next + 1) % KEPT;
        snprintf(kept->kernel, sizeof kept->kernel, "%s", kernel);
        kept->elements = elements;
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

int model_costs_find(bmf_model_costs *costs, bmf_context *ctx, const char *kernel, const char *operations,
                     int64_t elements, double measured, bmf_model_cost *cost)
{
    *cost = (bmf_model_cost){0};
    switch (costs->machine->compute) {
    case BMF_COMPUTE_OPERATIONS:
        cost->seconds =
            operation_costs_of(costs->machine->operations, operations) * (double)elements / costs->machine->power;
        return BMF_OK;
    case BMF_COMPUTE_SHEET:
        return from_sheet(costs, ctx, kernel, elements, cost);
    case BMF_COMPUTE_MEASURED:
        cost->seconds = measured / costs->machine->power;
        return BMF_OK;
    default:
        return BMF_OK;
    }
}
