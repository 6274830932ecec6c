/* bmf-bench edn: the DECmpp's router as document 003 measured it, and as the model predicts it.
 *
 * Method and source: bench/edn/figures.c. Nothing is measured here but the router's own speed. Cost: seconds. */
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/edn/figures.h"
#include "predict/machine/machine.h"

enum { DEFAULT_MATRICES = 1000, DEFAULT_FREQUENCIES = 20000, MAX_MATRICES = 1000000 };

typedef struct options {
    int64_t matrices, frequencies;
    const char *machine, *html;
    bool json;
} options;

/* ---- the tables ---- */

enum { COLUMNS = EDN_PERMUTATIONS * EDN_METHODS };

static void print_times(const edn_figures *f)
{
    printf("seconds of a permutation (figures 5.3 and 5.4): published, predicted, predicted / published\n");
    printf("* fitted to this column; ? out of order as published\n\n");
    for (int first = 0; first < COLUMNS; first += EDN_METHODS) {
        printf("%-14s", f->column[first].permutation);
        for (int k = first; k < first + EDN_METHODS; k++)
            printf("%14s%-11s", record_method_name(f->column[k].method), f->column[k].fitted ? "*" : "");
        printf("\n");
        for (int m = 0; m < EDN_SIZES; m++) {
            printf("%6d records", 1 << m);
            for (int k = first; k < first + EDN_METHODS; k++) {
                const edn_column *c = &f->column[k];
                printf("  %8.3f%s%8.3f %5.2f", c->published[m], c->doubtful[m] ? "?" : " ", c->predicted[m],
                       c->predicted[m] / c->published[m]);
            }
            printf("\n");
        }
        printf("\n");
    }
}

static void print_random(const edn_figures *f)
{
    printf("random permutations: port serialisation of a row (figure 5.2), mean seconds (figure 5.6)\n");
    printf("%12s %28s %28s", "records", "published: least, most, mean", "predicted: least, most, mean");
    for (int method = 0; method < EDN_METHODS; method++)
        printf(" %10s", record_method_name((bmf_record_method)method));
    putchar('\n');
    for (int m = 0; m < EDN_SIZES; m++) {
        const edn_random *r = &f->random[m];
        printf("%12d %10lld %8lld %8.1f %10lld %8lld %8.1f", 1 << m, (long long)r->published_min,
               (long long)r->published_max, r->published_mean, (long long)r->min, (long long)r->max, r->mean);
        for (int method = 0; method < EDN_METHODS; method++)
            printf(" %10.4f", r->seconds[method]);
        putchar('\n');
    }
    if (f->crossing)
        printf("sets are faster than rows from %lld records on; published: from 128 on\n\n", (long long)f->crossing);
    else
        printf("rows are faster at every size; published: sets from 128 records on\n\n");
}

static void print_text(const edn_figures *f, int64_t matrices)
{
    printf("router counts of sets of clusters of %lld random permutations (figure 5.1), per cent\n",
           (long long)matrices);
    for (int k = 0; k < EDN_MACHINES; k++)
        for (int n = 0; n < EDN_COUNTS; n++)
            printf("%6lld ports, count %d: published %5.1f, predicted %6.2f\n", (long long)f->frequencies[k].ports,
                   1 << n, f->frequencies[k].published[n], f->frequencies[k].counted[n]);
    printf("\n");
    print_random(f);
    print_times(f);
    printf("fitted: iteration %.2f us, round %.1f us, setup %.0f us\n", f->iteration * 1e6, f->round * 1e6,
           f->setup * 1e6);
    printf("routed %lld messages in %.2f s\n", (long long)f->routed, f->seconds);
}

/* ---- JSON ---- */

static json_t *json_of_column(const edn_column *c)
{
    json_t *sizes = json_array();
    for (int m = 0; m < EDN_SIZES; m++)
        json_array_append_new(sizes, json_pack("{s:i, s:I, s:I, s:f, s:f, s:f, s:b}", "records", 1 << m, "rounds",
                                               (json_int_t)c->rounds[m], "count", (json_int_t)c->count[m], "published",
                                               c->published[m], "predicted", c->predicted[m], "ratio",
                                               c->predicted[m] / c->published[m], "doubtful", c->doubtful[m]));
    return json_pack("{s:s, s:s, s:b, s:o}", "permutation", c->permutation, "method", record_method_name(c->method),
                     "fitted", c->fitted, "sizes", sizes);
}

/* Figure 5.5: by method the seconds of the same matrices. */
static json_t *json_of_scatter(const edn_random *r)
{
    json_t *made = json_object();
    for (int method = 0; method < EDN_METHODS; method++) {
        json_t *list = json_array();
        for (int64_t n = 0; n < r->scattered; n++)
            json_array_append_new(list, json_real(r->scatter[method][n]));
        json_object_set_new(made, record_method_name((bmf_record_method)method), list);
    }
    return made;
}

static json_t *json_of_random(const edn_random *r, int64_t records)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:o}", "records", (json_int_t)records,
                     "published_least", (json_int_t)r->published_min, "published_most", (json_int_t)r->published_max,
                     "published_mean", r->published_mean, "least", (json_int_t)r->min, "most", (json_int_t)r->max,
                     "mean", r->mean, "rows_seconds", r->seconds[BMF_RECORDS_ROWS], "sets_seconds",
                     r->seconds[BMF_RECORDS_SETS], "clusters_seconds", r->seconds[BMF_RECORDS_CLUSTERS], "scatter",
                     json_of_scatter(r));
}

static void print_json(const edn_figures *f, const char *machine)
{
    json_t *columns = json_array(), *random = json_array(), *counts = json_array();
    for (int k = 0; k < COLUMNS; k++)
        json_array_append_new(columns, json_of_column(&f->column[k]));
    for (int m = 0; m < EDN_SIZES; m++)
        json_array_append_new(random, json_of_random(&f->random[m], INT64_C(1) << m));
    for (int k = 0; k < EDN_MACHINES; k++)
        for (int n = 0; n < EDN_COUNTS; n++)
            json_array_append_new(counts,
                                  json_pack("{s:I, s:i, s:f, s:f}", "ports", (json_int_t)f->frequencies[k].ports,
                                            "count", 1 << n, "published", f->frequencies[k].published[n], "predicted",
                                            f->frequencies[k].counted[n]));
    json_print(json_pack("{s:s, s:f, s:f, s:f, s:o, s:o, s:o, s:I, s:i, s:I, s:f}", "machine", machine, "iteration_us",
                         f->iteration * 1e6, "round_us", f->round * 1e6, "setup_us", f->setup * 1e6, "router_counts",
                         counts, "random", random, "columns", columns, "crossing", (json_int_t)f->crossing,
                         "published_crossing", 128, "routed", (json_int_t)f->routed, "seconds", f->seconds),
               BMF_JSON_LINE);
}

/* ---- all of it ---- */

static int check_machine(const bmf_machine *machine, const bmf_edn_place *place)
{
    if (!place)
        return machine_fail(machine, NULL, BMF_ERROR_ARGUMENT, "the network is no edn");
    if (place->shape.ports * place->processors_per_port != 1 << EDN_PROCESSOR_BITS || place->processors_per_port != 16)
        return machine_fail(machine, NULL, BMF_ERROR_ARGUMENT,
                            "the document's machine has 128 ports for 2048 processors");
    return BMF_OK;
}

static int print(const options *o)
{
    bmf_machine *machine;
    bmf_network *network = NULL;
    int status = machine_read(o->machine, &machine);
    if (status != BMF_OK)
        return status;
    status = machine_network(machine, 1 << EDN_PROCESSOR_BITS, &network);
    if (status == BMF_OK)
        status = check_machine(machine, edn_place_of_network(network));
    if (status == BMF_OK) {
        edn_figures figures;
        edn_figures_make(edn_place_of_network(network), o->matrices, o->frequencies, &figures);
        if (o->json)
            print_json(&figures, machine->name);
        else
            print_text(&figures, o->frequencies);
        if (o->html)
            status = edn_page_write(&figures, machine->name, o->html);
    }
    if (network)
        network->type->destroy(network);
    machine_free(machine);
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    (void)operands;
    return bmf_is_root(ctx) ? report_status(NULL, print(values)) : 0;
}

/* ---- options ---- */

static const bmf_option table[] = {
    BMF_OPTION("machine", "M", BMF_TEXT(options, machine), "a machine of 2048 processors whose network is an edn"),
    BMF_OPTION("matrices", "N", BMF_WHOLE(options, matrices, 1, MAX_MATRICES), "random permutations for every average"),
    BMF_OPTION("counts", "N", BMF_WHOLE(options, frequencies, 1, MAX_MATRICES),
               "random permutations for the router counts"),
    BMF_OPTION("html", "F", BMF_TEXT(options, html), "also write a page with figures 5.3 to 5.6 as curves"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the tables"),
    BMF_OPTION_END};

static const options defaults = {
    .matrices = DEFAULT_MATRICES, .frequencies = DEFAULT_FREQUENCIES, .machine = "decmpp-2048"};

const bmf_driver bench_edn = {
    .name = "edn",
    .summary = "the DECmpp's router as document 003 measured it beside the model of it",
    .synopsis = "bmf-bench edn [OPTION]..",
    .about =
        "Prints what document 003 published of a DECmpp with an expanded delta network (figures 5.1 to 5.6), what the "
        "model predicts, and their ratio. Three constants are fitted to two columns of the tables; the others check "
        "them.",
    .example = "bmf-bench edn --machine examples/machines/decmpp-2048.machine",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};
