/* Permutations predicted from their schedules, against the same permutation run on the data: by the model backend (same
 * seconds, messages and bytes), and for real (same messages and bytes). Sets of processors and of clusters against
 * counts by the definition. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "predict/network/record_rounds.h"
#include "predict/model/model.h"
#include "predict/model/permute_predict.h"
#include "runtime/backend/backend.h"
#include "runtime/context/group.h"

enum { ELEMENT = 8, MACHINES = 3 };

/* Rounds of an edn that share no processor may be added up in another order. */
static const double ROUNDING = 1e-14;

/* Computing costs nothing: it would be measured differently each time. */
static const char *const machine_text[MACHINES] = {
    "compute = { zero = true; };\n"
    "name = \"hockney\"; network = { type = \"hockney\"; latency_us = 2.0; bandwidth_mb_per_s = 1000.0; };\n",
    "compute = { zero = true; };\n"
    "name = \"loggp\"; network = { type = \"loggp\"; latency_us = 3.0; overhead_us = 0.7; gap_us = 1.1; "
    "gap_us_per_byte = 0.0009; };\n",
    "compute = { zero = true; };\n"
    "name = \"edn\"; network = { type = \"edn\"; ports = 64; inputs = 16; buckets = 16; capacity = 2; "
    "processors_per_port = 8;\n"
    "  map = \"matrix\"; iteration_us = 5.0; word_bytes = 8; send_us = 3.0; receive_us = 2.0; };\n"};

/* alone: of the first rank, NULL on others. */
typedef struct contexts {
    bmf_context *all, *alone;
} contexts;

typedef struct outcome {
    int status;
    int64_t messages, bytes;
    double seconds;
} outcome;

/* A model has one rank, and adding up over ranks would be time on its clocks. */
static void count_moved(bmf_context *ctx, bmf_statistics *total)
{
    if (model_of_context(ctx))
        *total = ctx->statistics;
    else
        bmf_total_statistics(ctx, total);
}

/* Permutes words and says what was moved; checks the result against the definition. */
static void execute(bmf_context *ctx, const bmf_permutation *p, bmf_permute_method method, bool *staged, outcome *out)
{
    const int64_t bytes = ELEMENT, first = bmf_permute_local_first(ctx, p->bits);
    const int64_t count = bmf_permute_local_count(ctx, p->bits);
    int64_t *source = aligned_alloc(64, (size_t)(count * bytes + 64) / 64 * 64);
    int64_t *target = aligned_alloc(64, (size_t)(count * bytes + 64) / 64 * 64);
    bmf_statistics before, after;
    bmf_permute_plan *plan;
    for (int64_t k = 0; k < count; k++)
        source[k] = (int64_t)bmf_permutation_apply(p, (uint64_t)(first + k));
    out->status = bmf_permute_plan_create(ctx, p, 1, &bytes, method, &plan);
    if (out->status == BMF_OK) {
        *staged = *staged || plan->stages;
        if (model_of_context(ctx))
            model_restart(ctx);
        count_moved(ctx, &before);
        out->status = bmf_permute_execute(ctx, plan, &(const void *){source}, &(void *){target});
        count_moved(ctx, &after);
        out->messages = after.messages - before.messages;
        out->bytes = after.bytes - before.bytes;
        bmf_permute_plan_free(plan);
    }
    for (int64_t k = 0; k < count && out->status == BMF_OK; k++)
        if (!CHECK(target[k] == first + k, "element %" PRId64 " of the result is wrong", first + k))
            break;
    free(source);
    free(target);
}

static void run_model(bmf_context *ctx, const bmf_machine *machine, int64_t processors, const bmf_permutation *p,
                      bmf_permute_method method, outcome *out)
{
    bool staged = false;
    bmf_network *network;
    bmf_prediction prediction;
    out->status = model_open(ctx, machine, processors, 0);
    if (out->status == BMF_OK)
        execute(ctx, p, method, &staged, out);
    if (out->status == BMF_OK)
        out->status = machine_network(machine, processors, &network);
    if (out->status != BMF_OK)
        return;
    out->status = simulate_interval(model_actions(model_of_context(ctx)), network, 0, &prediction);
    out->seconds = prediction.median;
    network->type->destroy(network);
}

static void run_prediction(bmf_context *ctx, const bmf_machine *machine, int64_t processors, const bmf_permutation *p,
                           bmf_predicted_method method, outcome *out)
{
    bmf_permute_prediction prediction;
    bmf_set_processors(ctx, processors);
    out->status = permute_predict(ctx, machine, p, ELEMENT, method, &prediction);
    CHECK(out->status == BMF_OK && prediction.timed, "%s: %s", machine->name, bmf_error_text(ctx));
    *out = (outcome){out->status, prediction.messages, prediction.bytes, prediction.seconds};
}

static void compare(const char *what, const bmf_permutation *p, int64_t processors, bmf_permute_method method,
                    const outcome *a, const outcome *b)
{
    CHECK(a->status == b->status && a->messages == b->messages && a->bytes == b->bytes,
          "%s, %d bits, P = %" PRId64 ", %s: %" PRId64 " messages and %" PRId64 " bytes, predicted %" PRId64
          " and %" PRId64,
          what, p->bits, processors, bmf_permute_method_name(method), a->messages, a->bytes, b->messages, b->bytes);
}

/* Contexts of the model are for one run; so they are only made where that is quick. */
static void try_model(bmf_context *ctx, const bmf_machine *machine, int64_t processors, const bmf_permutation *p,
                      bmf_permute_method method, const outcome *predicted)
{
    outcome model = {0};
    bmf_context *own;
    group_open(ctx, 1, &own);
    run_model(own, machine, processors, p, method, &model);
    bmf_close(own);
    compare(machine->name, p, processors, method, &model, predicted);
    CHECK(fabs(model.seconds - predicted->seconds) <= ROUNDING * model.seconds,
          "%s, %d bits, P = %" PRId64 ", %s: %.17g s, predicted %.17g", machine->name, p->bits, processors,
          bmf_permute_method_name(method), model.seconds, predicted->seconds);
}

static void try_method(const contexts *c, bmf_machine *const *machine, int64_t processors, const bmf_permutation *p,
                       bmf_permute_method method, bool *staged)
{
    outcome real, predicted;
    bmf_set_processors(c->all, processors);
    execute(c->all, p, method, staged, &real);
    for (int m = 0; m < MACHINES && c->alone; m++) {
        run_prediction(c->alone, machine[m], processors, p, (bmf_predicted_method)method, &predicted);
        compare("real", p, processors, method, &real, &predicted);
        if (c->all->ranks == 1)
            try_model(c->all, machine[m], processors, p, method, &predicted);
    }
}

static void try_permutation(const contexts *c, bmf_machine *const *machine, int64_t processors,
                            const bmf_permutation *p, bool *staged)
{
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        try_method(c, machine, processors, p, (bmf_permute_method)method, staged);
}

/* ---- sets ---- */

/* Rounds one after the other: those of an edn in lockstep, iterations counted by the router, messages by the
 * definition. */
static void try_sets(bmf_context *alone, const bmf_machine *machine, const bmf_permutation *p, int processor_bits,
                     bmf_predicted_method method)
{
    const int64_t processors = INT64_C(1) << processor_bits, m = p->bits - processor_bits;
    const bool clusters = method == BMF_PREDICT_CLUSTERS;
    bmf_message message[512];
    bmf_record_rounds rounds;
    bmf_network *network;
    outcome predicted;
    int64_t moves = 0;
    double seconds = 0;
    run_prediction(alone, machine, processors, p, method, &predicted);
    CHECK(machine_network(machine, processors, &network) == BMF_OK, "%s", bmf_error_text(NULL));
    const bmf_edn_place *place = edn_place_of_network(network);
    bmf_edn *edn = edn_create(&place->shape);
    CHECK(record_rounds_make(p, processor_bits, clusters ? BMF_RECORDS_CLUSTERS : BMF_RECORDS_SETS, place, &rounds) ==
              BMF_OK,
          "%s", bmf_error_text(NULL));
    for (int64_t k = 0; k < rounds.rounds; k++) {
        int64_t sent = 0;
        record_round(&rounds, k, ELEMENT, message);
        edn_clear(edn);
        for (int64_t i = 0; i < rounds.records; i++)
            if (message[i].from != message[i].to) {
                edn_route(edn, edn_port_of(place, (uint64_t)message[i].from),
                          edn_port_of(place, (uint64_t)message[i].to));
                sent++;
            }
        if (sent > 0)
            seconds += 3e-6 + (double)edn_iterations(edn) * 5e-6 + 2e-6;
    }
    for (uint64_t x = 0; x < UINT64_C(1) << p->bits; x++)
        moves += x >> m != bmf_permutation_apply(p, x) >> m;
    CHECK(predicted.messages == moves && predicted.bytes == ELEMENT * moves, "%" PRId64 " moves, predicted %" PRId64,
          moves, predicted.messages);
    CHECK(fabs(predicted.seconds - seconds) <= 1e-9 * seconds, "%s: %.9g s, predicted %.9g",
          predicted_method_name(method), seconds, predicted.seconds);
    edn_free(edn);
    network->type->destroy(network);
}

static void refuse_sets(bmf_context *alone, bmf_machine *const *machine, const bmf_permutation *p)
{
    bmf_permute_prediction prediction;
    bmf_set_processors(alone, 3);
    CHECK(permute_predict(alone, machine[2], p, ELEMENT, BMF_PREDICT_SETS, &prediction) == BMF_ERROR_ARGUMENT &&
              strstr(bmf_error_text(alone), "power of two"),
          "%s", bmf_error_text(alone));
    bmf_set_processors(alone, 4);
    CHECK(permute_predict(alone, machine[0], p, ELEMENT, BMF_PREDICT_CLUSTERS, &prediction) == BMF_ERROR_ARGUMENT &&
              strstr(bmf_error_text(alone), "edn"),
          "%s", bmf_error_text(alone));
    CHECK(permute_predict(alone, machine[2], p, ELEMENT, BMF_PREDICT_CLUSTERS, &prediction) == BMF_ERROR_ARGUMENT &&
              strstr(bmf_error_text(alone), "all 512 processors"),
          "%s", bmf_error_text(alone));
}

static bmf_permutation random_permutation(int bits, uint64_t *seed)
{
    bmf_permutation p = {.bits = bits};
    bmf_bit_matrix_random(bits, seed, &p.matrix);
    p.complement = random_bits(seed) & low_bits(bits);
    return p;
}

int main(int argc, char **argv)
{
    static const int64_t processors[] = {1, 2, 3, 4, 5, 8, 80};
    contexts c;
    bmf_machine *machine[MACHINES];
    bmf_permutation p;
    bool staged = false;
    uint64_t seed = 11;
    BMF_CHECK(bmf_open(&argc, &argv, &c.all));
    for (int m = 0; m < MACHINES; m++)
        BMF_CHECK(machine_parse(machine_text[m], "test.machine", &machine[m]));
    group_open(c.all, 1, &c.alone);
    for (size_t k = 0; k < sizeof processors / sizeof *processors; k++)
        for (int kind = 0; kind < 4; kind++) {
            p = random_permutation(6, &seed);
            if (kind == 0)
                bmf_permutation_identity(6, &p);
            if (kind == 1)
                bmf_permutation_bit_reversal(6, &p);
            if (kind == 2)
                bmf_permutation_rotation(6, 2, &p);
            try_permutation(&c, machine, processors[k], &p, &staged);
        }
    bmf_permutation_rotation(18, 9, &p); /* large enough for packing by stages */
    try_method(&c, machine, 8, &p, BMF_PERMUTE_ROUNDS, &staged);
    CHECK(staged, "no plan had stages");
    for (int times = 0; c.alone && times < 5; times++) {
        p = random_permutation(11, &seed);
        if (times == 0)
            bmf_permutation_rotation(11, 9, &p);
        try_sets(c.alone, machine[2], &p, 9, BMF_PREDICT_SETS);
        try_sets(c.alone, machine[2], &p, 9, BMF_PREDICT_CLUSTERS);
        try_sets(c.alone, machine[2], &p, 5, BMF_PREDICT_SETS);
    }
    if (c.alone)
        refuse_sets(c.alone, machine, &p);
    bmf_close(c.alone);
    for (int m = 0; m < MACHINES; m++)
        machine_free(machine[m]);
    const int failed = bmf_close(c.all);
    return test_finish() || failed;
}
