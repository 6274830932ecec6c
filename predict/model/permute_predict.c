/* Permutations from their schedules.
 *
 * Method: the plan's rounds, begun and ended as permute/exchange/ does, with what packing and unpacking cost on the
 * machine; or document 003's rounds of single records. Kernels that would be run and timed here are timed once, on at
 * most 64 MiB. Cost: that of the schedule and of permute_clocks.h. Source: document 003, chapters 4 and 5. */
#include "predict/model/permute_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/permute.h"
#include "permute/exchange/stages.h"
#include "permute/traffic.h"
#include "predict/network/record_rounds.h"
#include "skeletons/skeleton_types.h"
#include "predict/model/permute_clocks.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"

enum { MEASURED_BYTES = 64 << 20, MEASURED_TIMES = 3 };
/* Messages that are followed: of a run that is recorded; of a round, and of a run that is timed as it comes. */
static const int64_t MAX_RECORDED = 1 << 22, MAX_AT_ONCE = 1 << 22, MAX_TIMED = 1 << 28;
/* Without closed forms a plan looks at every pair of processors. */
static const int64_t MAX_SCATTERED = 4096;
enum { MAX_ADDRESS_BITS = 62, MAX_QUICKLY_COLOURED = 16 };

typedef struct forecast {
    bmf_context *ctx;
    const bmf_machine *machine;
    const bmf_permutation *permutation;
    int64_t element_bytes;
    bmf_network *network;
    permute_clocks *clocks;
    bmf_model_costs *costs;
    int64_t alike;       /* processors for each of the two that stand for all; 1: none does */
    double measured;     /* seconds an element, NAN: not yet */
    bmf_trace_run **run; /* NULL: not wanted */
    const char *method;
} forecast;

static bmf_record_method records_of(bmf_predicted_method method)
{
    static const bmf_record_method of[BMF_PREDICT_METHODS] = {[BMF_PREDICT_SETS] = BMF_RECORDS_SETS,
                                                              [BMF_PREDICT_CLUSTERS] = BMF_RECORDS_CLUSTERS,
                                                              [BMF_PREDICT_ROWS] = BMF_RECORDS_ROWS,
                                                              [BMF_PREDICT_TWO_PASS] = BMF_RECORDS_TWO_PASS,
                                                              [BMF_PREDICT_COLOURED] = BMF_RECORDS_COLOURED};
    return of[method];
}

const char *predicted_method_name(bmf_predicted_method method)
{
    return method < BMF_PREDICT_SETS ? bmf_permute_method_name((bmf_permute_method)method)
                                     : record_method_name(records_of(method));
}

bool predicted_method_find(const char *name, bmf_predicted_method *method)
{
    for (int k = 0; k < BMF_PREDICT_METHODS; k++)
        if (strcmp(name, predicted_method_name((bmf_predicted_method)k)) == 0) {
            *method = (bmf_predicted_method)k;
            return true;
        }
    return false;
}

bool predicted_method_fits(bmf_predicted_method method, const bmf_machine *machine, const bmf_permutation *p,
                           int64_t processors)
{
    bmf_network *network;
    bmf_record_rounds rounds;
    const int bits = bmf_permute_processor_bits(p, processors);
    if (method < BMF_PREDICT_SETS)
        return true;
    if (bits < 0 || p->bits > MAX_ADDRESS_BITS || method == BMF_PREDICT_SETS)
        return bits >= 0;
    if (method == BMF_PREDICT_COLOURED && p->bits > MAX_QUICKLY_COLOURED)
        return false;
    if (machine_network(machine, processors, &network) != BMF_OK)
        return false;
    const bmf_edn_place *place = edn_place_of_network(network);
    const bool fits = place && record_rounds_make(p, bits, records_of(method), place, &rounds) == BMF_OK;
    if (fits)
        record_rounds_free(&rounds);
    network->type->destroy(network);
    return fits;
}

/* ---- what packing costs ---- */

/* Seconds an element of a local permutation takes here with one thread: the address bits of as many elements as fit
 * reversed, which every cache line takes part in. */
static int measure(forecast *f)
{
    const int64_t bytes = f->element_bytes;
    int bits = f->permutation->bits;
    while (bits > 0 && bytes << bits > MEASURED_BYTES)
        bits--;
    bmf_permutation reversal;
    bmf_permutation_bit_reversal(bits, &reversal);
    char *source = allocate_clear(bytes << bits, 1), *target = allocate(bytes << bits);
    double fastest = INFINITY;
    int status = bmf_local_permute(target, source, bytes, &reversal, 1);
    for (int k = 0; k < MEASURED_TIMES && status == BMF_OK; k++) {
        const int64_t begin = monotonic_ns();
        status = bmf_local_permute(target, source, bytes, &reversal, 1);
        fastest = fmin(fastest, (double)(monotonic_ns() - begin) * 1e-9);
    }
    free(source);
    free(target);
    f->measured = fastest / (double)(INT64_C(1) << bits);
    return status == BMF_OK ? BMF_OK : bmf_fail(f->ctx, status, "permute: out of memory");
}

static int compute(forecast *f, bool packing, uint32_t round, int64_t elements)
{
    const char *kernel = packing ? "permute pack" : "permute unpack";
    bmf_model_cost cost;
    if (f->machine->compute == BMF_COMPUTE_MEASURED && isnan(f->measured))
        BMF_TRY(measure(f));
    BMF_TRY(model_costs_find(
        f->costs, f->ctx,
        &(bmf_model_call){.kernel = kernel, .elements = elements, .measured = f->measured * (double)elements}, &cost));
    permute_clocks_compute(f->clocks, kernel, round, elements, &cost);
    return BMF_OK;
}

/* ---- plans ---- */

/* A round in which all send, or all keep what they have. */
static void begin_folded_round(forecast *f, const bmf_permute_plan *plan, int64_t k)
{
    bmf_round round;
    bmf_message pair[2];
    int64_t sent = 0;
    permute_plan_round(plan, k, 0, 1, &round);
    for (int64_t m = 0; m < round.count; m++)
        if (round.message[m].from == 0 && round.message[m].to != 0) {
            pair[0] = pair[1] = round.message[m];
            pair[0].to = pair[1].from = 1;
            pair[1].to = 0;
            sent = 2;
        }
    permute_clocks_begin(f->clocks, k, pair, sent);
    free(round.message);
}

static void begin_round(forecast *f, const bmf_permute_plan *plan, int64_t k)
{
    bmf_round round;
    if (f->alike > 1) {
        begin_folded_round(f, plan, k);
        return;
    }
    permute_plan_round(plan, k, 0, plan->processors, &round);
    permute_clocks_begin(f->clocks, k, round.message, round.count);
    free(round.message);
}

/* permute/exchange/exchange.c: a window of rounds is under way. */
static void exchange_rounds(forecast *f, const bmf_permute_plan *plan)
{
    const int64_t window = permute_plan_window(plan);
    for (int64_t k = 0; k < plan->rounds; k++) {
        if (k >= window)
            permute_clocks_end(f->clocks);
        begin_round(f, plan, k);
    }
    for (int64_t k = plan->rounds > window ? plan->rounds - window : 0; k < plan->rounds; k++)
        permute_clocks_end(f->clocks);
}

/* Some processors keep everything they have, and copy it. */
static bool stays(const bmf_permute_plan *plan)
{
    return plan->traffic->rank == 0 && plan->traffic->keepers > 0;
}

/* permute/exchange/traffic.c */
static int follow_traffic(forecast *f, const bmf_permute_plan *plan)
{
    const bool naive = plan->method == BMF_PERMUTE_NAIVE;
    const bool packs = plan->traffic->packs && !naive, unpacks = naive || !plan->traffic->direct;
    const int64_t elements = INT64_C(1) << plan->traffic->place_bits;
    if (packs || (stays(plan) && !naive))
        BMF_TRY(compute(f, true, 0, elements));
    if (plan->processors == 1 && !naive)
        return BMF_OK;
    exchange_rounds(f, plan);
    return unpacks ? compute(f, false, 1, elements) : BMF_OK;
}

/* A stage is packed or unpacked, if it needs that. */
static int pass_stage(forecast *f, const bmf_permute_plan *plan, bool packing, int64_t stage)
{
    const bmf_traffic *traffic = plan->traffic;
    if (!(packing ? traffic->packs : !traffic->direct))
        return BMF_OK;
    return compute(f, packing, (uint32_t)(2 * stage + !packing),
                   INT64_C(1) << (traffic->place_bits - traffic->rank + plan->stages->bits));
}

static int end_stage(forecast *f, const bmf_permute_plan *plan, int64_t stage)
{
    for (int64_t k = 0; k < INT64_C(1) << plan->stages->bits; k++)
        permute_clocks_end(f->clocks);
    return pass_stage(f, plan, false, stage);
}

/* permute/exchange/run_stages.c: while a window of stages is on its way the next one is packed and the oldest unpacked.
 */
static int follow_stages(forecast *f, const bmf_permute_plan *plan)
{
    const int64_t rounds = INT64_C(1) << plan->stages->bits, count = plan->rounds / rounds;
    const int64_t window = permute_plan_window(plan);
    for (int64_t stage = 0; stage < count; stage++) {
        if (stage >= window)
            BMF_TRY(end_stage(f, plan, stage - window));
        BMF_TRY(pass_stage(f, plan, true, stage));
        for (int64_t k = stage * rounds; k < (stage + 1) * rounds; k++)
            begin_round(f, plan, k);
    }
    for (int64_t stage = count > window ? count - window : 0; stage < count; stage++)
        BMF_TRY(end_stage(f, plan, stage));
    return BMF_OK;
}

/* permute/exchange/run_boxes.c; every processor is taken to have as many elements as the one with most. */
static int follow_boxes(forecast *f, const bmf_permute_plan *plan)
{
    const int64_t elements = bmf_split_start(INT64_C(1) << plan->permutation.bits, plan->processors, 1);
    if (plan->method == BMF_PERMUTE_NAIVE) {
        exchange_rounds(f, plan);
        return BMF_OK;
    }
    BMF_TRY(compute(f, true, 0, elements));
    exchange_rounds(f, plan);
    return compute(f, false, 1, elements);
}

/* ---- rounds of records ---- */

static void follow_records(forecast *f, const bmf_record_rounds *rounds)
{
    bmf_message *message = allocate(rounds->records * (int64_t)sizeof *message);
    for (int64_t k = 0; k < rounds->rounds; k++) {
        record_round(rounds, k, f->element_bytes, message);
        permute_clocks_begin(f->clocks, k, message, rounds->records);
        permute_clocks_end(f->clocks);
    }
    free(message);
}

static int make_records(const forecast *f, bmf_predicted_method method, bmf_record_rounds *rounds)
{
    const int bits = bmf_permute_processor_bits(f->permutation, f->network->processors);
    const bmf_edn_place *place = edn_place_of_network(f->network);
    if (bits < 0)
        return bmf_fail(f->ctx, BMF_ERROR_ARGUMENT,
                        "'%s' needs a power of two of processors, at most one for every element",
                        predicted_method_name(method));
    if (method != BMF_PREDICT_SETS && !place)
        return bmf_fail(f->ctx, BMF_ERROR_ARGUMENT, "'%s' needs a machine whose network is of type edn",
                        predicted_method_name(method));
    const int status = record_rounds_make(f->permutation, bits, records_of(method), place, rounds);
    return status == BMF_OK ? status : bmf_fail(f->ctx, status, "%s", bmf_error_text(NULL));
}

/* ---- all together ---- */

/* at_once: messages of a round, those that stay with them. */
static bool can_be_followed(const forecast *f, int64_t messages, int64_t at_once)
{
    const bool timed = f->network->type->collective;
    return at_once <= MAX_AT_ONCE && messages <= (timed ? MAX_TIMED : MAX_RECORDED);
}

static int follow(forecast *f, const bmf_permute_plan *plan, const bmf_record_rounds *records)
{
    if (records) {
        const bmf_edn_place *place = edn_place_of_network(f->network);
        const bool routes_own = place && place->routes_own;
        if (routes_own)
            permute_clocks_route_own(f->clocks);
        follow_records(f, records);
        return stays(plan) && !routes_own ? compute(f, true, 0, INT64_C(1) << plan->traffic->place_bits) : BMF_OK;
    }
    return plan->stages ? follow_stages(f, plan) : plan->traffic ? follow_traffic(f, plan) : follow_boxes(f, plan);
}

static void note_remark(const forecast *f, char remark[BMF_PREDICTION_REMARK])
{
    const bmf_network_type *type = f->network->type;
    const char *text = model_costs_remark(f->costs, 0);
    if (!text && type->remark)
        text = type->remark(f->network, 0);
    snprintf(remark, BMF_PREDICTION_REMARK, "%s", text ? text : "");
}

/* Making the first set; the others follow from it by exclusive or. */
static double setup_of(const forecast *f, const bmf_record_rounds *records)
{
    const bmf_edn_place *place = edn_place_of_network(f->network);
    const bool needs_set = records && records->method != BMF_RECORDS_ROWS && records->method != BMF_RECORDS_COLOURED;
    return needs_set && place ? place->setup : 0.0;
}

/* What takes the machine time before the first round. */
static void set_up(const forecast *f, const bmf_record_rounds *records)
{
    const double setup = setup_of(f, records);
    if (setup > 0.0)
        permute_clocks_compute(f->clocks, "first set", 0, 0, &(bmf_model_cost){.seconds = setup});
}

static int finish(const forecast *f, bmf_permute_prediction *prediction)
{
    bmf_prediction times;
    int status = permute_clocks_finish(f->clocks, &times);
    if (status == BMF_OK && f->run)
        status = permute_clocks_take_run(f->clocks, f->run);
    if (status != BMF_OK)
        return bmf_fail(f->ctx, status, "%s", bmf_error_text(NULL));
    prediction->timed = true;
    prediction->seconds = times.median;
    prediction->low = times.low;
    prediction->high = times.high;
    note_remark(f, prediction->remark);
    return BMF_OK;
}

/* All rounds on the clocks. In two passes a record is sent twice, and may be by chance where it should be: messages are
 * what is counted. */
static int follow_all(forecast *f, const bmf_permute_plan *plan, const bmf_record_rounds *records,
                      bmf_permute_prediction *prediction)
{
    int64_t messages, bytes;
    if (f->run) {
        char call[64];
        snprintf(call, sizeof call, "permute %s", f->method);
        permute_clocks_record(f->clocks, call, skeleton_permute.id);
    }
    set_up(f, records);
    BMF_TRY(follow(f, plan, records));
    permute_clocks_totals(f->clocks, &messages, &bytes);
    messages *= f->alike;
    bytes *= f->alike;
    if (records && records_pass_twice(records->method)) {
        prediction->messages = messages;
        prediction->bytes = bytes;
    }
    if (messages != prediction->messages || bytes != prediction->bytes)
        return bmf_fail(f->ctx, BMF_ERROR_INTERNAL, "permute: %lld messages instead of %lld", (long long)messages,
                        (long long)prediction->messages);
    return finish(f, prediction);
}

/* Whether in every round all processors send one message of the same size and take one, or all keep what they have, on
 * a network that treats all alike. Then all are always equally far, and two that exchange with each other in every
 * round are, too. What differs by chance from one processor to the next would be lost. */
static bool all_are_alike(const forecast *f, const bmf_permute_plan *plan)
{
    const bmf_network_type *type = f->network->type;
    const bmf_traffic *traffic = plan->traffic;
    bool fixed = true;
    if (f->run || plan->method != BMF_PERMUTE_ROUNDS || !traffic || plan->processors <= 2 || !type->simple ||
        type->port_sharing || f->machine->compute == BMF_COMPUTE_SHEET)
        return false;
    for (int j = 0; j < traffic->processor_bits && fixed; j++)
        fixed = traffic->round.column[j] == UINT64_C(1) << j;
    return fixed || traffic->keepers == 0;
}

/* Two processors for all of them, if they are alike. */
static int fold(forecast *f, const bmf_permute_plan *plan)
{
    bmf_network *pair;
    if (!all_are_alike(f, plan))
        return BMF_OK;
    const int status = machine_network(f->machine, 2, &pair);
    if (status != BMF_OK)
        return bmf_fail(f->ctx, status, "%s", bmf_error_text(NULL));
    f->network->type->destroy(f->network);
    f->network = pair;
    f->alike = plan->processors / 2;
    return BMF_OK;
}

static int predict(forecast *f, const bmf_permute_plan *plan, const bmf_record_rounds *records,
                   bmf_permute_prediction *prediction)
{
    const int64_t blocks = INT64_C(1) << (plan->rank < 0 ? 0 : plan->rank);
    const bool at_once = plan->method == BMF_PERMUTE_ALLTOALLV && !records;
    *prediction = (bmf_permute_prediction){.class_ = plan->class_,
                                           .rank = plan->rank,
                                           .rounds = records ? records->rounds : plan->rounds,
                                           .messages = plan->messages,
                                           .bytes = plan->bytes,
                                           .seconds = NAN,
                                           .low = NAN,
                                           .high = NAN};
    if (records)
        prediction->messages =
            records_pass_twice(records->method) ? records->rounds * records->records : plan->bytes / f->element_bytes;
    if (f->run && prediction->messages > MAX_RECORDED)
        return bmf_fail(f->ctx, BMF_ERROR_ARGUMENT, "a trace of %lld messages is too long; at most %lld are recorded",
                        (long long)prediction->messages, (long long)MAX_RECORDED);
    if (!records)
        BMF_TRY(fold(f, plan));
    if (!can_be_followed(f, prediction->messages / f->alike, at_once ? plan->processors * blocks : plan->processors))
        return BMF_OK;
    f->clocks = permute_clocks_create(f->machine, f->network);
    f->costs = model_costs_create(f->machine, plan->processors);
    const int status = follow_all(f, plan, records, prediction);
    permute_clocks_free(f->clocks);
    model_costs_free(f->costs);
    return status;
}

static int check_sizes(bmf_context *ctx, const bmf_permutation *p)
{
    const int64_t processors = bmf_processors(ctx);
    if (p->bits > MAX_ADDRESS_BITS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "2^%d elements are too many", p->bits);
    if (bmf_permute_processor_bits(p, processors) < 0 && processors > MAX_SCATTERED)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "%lld processors are no power of two of at most %lld; then at most %lld can be predicted",
                        (long long)processors, 1LL << p->bits, (long long)MAX_SCATTERED);
    return BMF_OK;
}

int permute_predict(bmf_context *ctx, const bmf_machine *machine, const bmf_permutation *p, int64_t element_bytes,
                    bmf_predicted_method method, bmf_permute_prediction *prediction)
{
    return permute_predict_run(ctx, machine, p, element_bytes, method, prediction, NULL);
}

int permute_predict_run(bmf_context *ctx, const bmf_machine *machine, const bmf_permutation *p, int64_t element_bytes,
                        bmf_predicted_method method, bmf_permute_prediction *prediction, bmf_trace_run **run)
{
    const bool recorded = method >= BMF_PREDICT_SETS;
    forecast f = {.ctx = ctx,
                  .machine = machine,
                  .permutation = p,
                  .element_bytes = element_bytes,
                  .alike = 1,
                  .measured = NAN,
                  .run = run,
                  .method = predicted_method_name(method)};
    bmf_record_rounds records = {.coloured = NULL};
    bmf_permute_plan *plan = NULL;
    BMF_TRY(check_sizes(ctx, p));
    int status = machine_network(machine, bmf_processors(ctx), &f.network);
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    if (recorded)
        status = make_records(&f, method, &records);
    if (status == BMF_OK)
        status = bmf_permute_plan_create(ctx, p, 1, &element_bytes,
                                         recorded ? BMF_PERMUTE_ROUNDS : (bmf_permute_method)method, &plan);
    if (status == BMF_OK)
        status = predict(&f, plan, recorded ? &records : NULL, prediction);
    record_rounds_free(&records);
    bmf_permute_plan_free(plan);
    f.network->type->destroy(f.network);
    return status;
}
