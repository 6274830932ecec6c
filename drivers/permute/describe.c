/* bmf permute --describe: the class of a permutation, the ranks of its submatrices, its 1-permutable sets, and how the
 * router of a machine takes them.
 *
 * Method: permute/one_permutable.h for the sets; the first round of each method of predict/network/record_rounds.h
 * through the switch, whose rounds all have the same count. Addresses are written as the document writes them, the
 * least significant bit first. Cost: O(D) for D devices. Source: document 003, chapters 2, 3.3, 4.1 and 5.1. */
#include "drivers/permute/describe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bmf/context.h"
#include "bmf/permute.h"
#include "drivers/command/json.h"
#include "permute/gf2.h"
#include "predict/machine/machine.h"
#include "predict/network/record_rounds.h"
#include "runtime/base/allocate.h"

enum { SHOWN = 64 /* records of a set */ };

typedef struct routing {
    bool fits;
    int64_t rounds, count, serialisation;
} routing;

typedef struct description {
    const bmf_permutation *p;
    const char *machine_name;
    bool has_router;
    bmf_one_permutable set;
    int rank_alpha, rank_beta, rank_gamma;
    routing routing[BMF_RECORD_METHODS];
} description;

/* ---- computing ---- */

/* The rank of the rows and columns of A that the words select. */
static int rank_of(const bmf_bit_matrix *a, uint64_t rows, uint64_t columns)
{
    uint64_t word[BMF_MAX_BITS];
    int count = 0;
    for (; columns; columns &= columns - 1)
        word[count++] = a->column[__builtin_ctzll(columns)] & rows;
    return words_rank(word, count);
}

static void describe_sets(description *d, int device_bits, bool disks)
{
    const bmf_permutation *p = d->p;
    const int first = disks ? 0 : p->bits - device_bits;
    const uint64_t devices = low_bits(device_bits) << first, others = low_bits(p->bits) & ~devices;
    one_permutable_make(p, first, device_bits, &d->set);
    d->rank_alpha = rank_of(&p->matrix, devices, others);
    d->rank_beta = rank_of(&p->matrix, devices, devices);
    d->rank_gamma = rank_of(&p->matrix, others, devices);
}

static void route_first_round(const bmf_edn_place *place, const bmf_record_rounds *rounds, routing *r)
{
    bmf_message *message = allocate_array(rounds->records, (int64_t)sizeof *message);
    bmf_edn *edn = edn_create_stages(&place->shape, place->stage, place->stages);
    record_round(rounds, 0, 1, message);
    for (int64_t k = 0; k < rounds->records; k++)
        edn_route(edn, edn_port_of(place, (uint64_t)message[k].from), edn_port_of(place, (uint64_t)message[k].to));
    *r = (routing){true, rounds->rounds, edn_iterations(edn), edn_serialisation(edn)};
    edn_free(edn);
    free(message);
}

static void describe_routing(description *d, const bmf_network *network, int device_bits)
{
    const bmf_edn_place *place = edn_place_of_network(network);
    bmf_record_rounds rounds;
    d->has_router = place;
    for (int k = 0; place && k < BMF_RECORD_METHODS; k++)
        if (record_rounds_make(d->p, device_bits, (bmf_record_method)k, place, &rounds) == BMF_OK) {
            route_first_round(place, &rounds, &d->routing[k]);
            record_rounds_free(&rounds);
        }
}

/* ---- text ---- */

static void print_bits(const char *before, uint64_t word, int bits)
{
    fputs(before, stdout);
    for (int k = 0; k < bits; k++)
        putchar('0' + (int)(word >> k & 1));
}

static void print_columns(const char *name, uint64_t columns)
{
    printf("%s = {", name);
    for (const char *comma = ""; columns; columns &= columns - 1, comma = ", ")
        printf("%s%d", comma, __builtin_ctzll(columns));
    putchar('}');
}

static void print_set(const description *d)
{
    const bmf_one_permutable *set = &d->set;
    const int64_t devices = INT64_C(1) << set->device_bits, shown = devices < SHOWN ? devices : SHOWN;
    print_columns("S", set->s);
    print_columns(", T", set->t);
    print_columns(", U", set->u);
    print_columns(", V", set->v);
    fputs("\nQ^-1, by rows:", stdout);
    for (int i = 0; i < set->device_bits; i++) {
        putchar(' ');
        for (int j = 0; j < set->device_bits; j++)
            putchar('0' + bmf_bit_matrix_at(&set->q_inverse, i, j));
    }
    printf("\n%20s %20s  source, target: least significant bit first\n", "record i", "R(i)");
    for (uint64_t i = 0; i < (uint64_t)shown; i++) {
        const uint64_t x = one_permutable_source(set, i, 0);
        printf("%20" PRIu64 " %20" PRIu64, i, one_permutable_r(set, i));
        print_bits("  ", x, set->bits);
        print_bits(" ", bmf_permutation_apply(d->p, x), set->bits);
        putchar('\n');
    }
    if (shown < devices)
        printf("and %" PRId64 " more\n", devices - shown);
}

static void print_routing(const description *d)
{
    printf("%-10s %14s %14s %14s  %s\n", "method", "rounds", "router count", "serialisation", "EDN-passable");
    for (int k = 0; k < BMF_RECORD_METHODS; k++) {
        const routing *r = &d->routing[k];
        if (r->fits)
            printf("%-10s %14" PRId64 " %14" PRId64 " %14" PRId64 "  %s\n", record_method_name((bmf_record_method)k),
                   r->rounds, r->count, r->serialisation, r->count == 1 ? "yes" : "no");
    }
}

static void print_text(const description *d)
{
    const bmf_one_permutable *set = &d->set;
    const int64_t devices = INT64_C(1) << set->device_bits, sets = INT64_C(1) << (set->bits - set->device_bits);
    printf("2^%d records, %s, on %" PRId64 " devices numbered by address bits %d to %d\n", set->bits,
           bmf_permutation_class_name(bmf_permutation_classify(d->p)), devices, set->first,
           set->first + set->device_bits - 1);
    printf("rank of the device rows: %d by device columns, %d by the others; of the other rows by device columns: %d\n",
           d->rank_beta, d->rank_alpha, d->rank_gamma);
    printf("%" PRId64 " 1-permutable sets of %" PRId64 " records; any k of them are a k-permutable set\n", sets,
           devices);
    printf("schedule: set j is set 0 with j added to the address bits that are not the devices'\n");
    printf("space of a set: %" PRId64 " addresses, %" PRId64 " bytes\n", devices, devices * 8);
    print_set(d);
    if (d->has_router) {
        printf("on %s, the same for every round:\n", d->machine_name);
        print_routing(d);
    }
}

/* ---- JSON ---- */

static json_t *json_columns(uint64_t columns)
{
    json_t *made = json_array();
    for (; columns; columns &= columns - 1)
        json_array_append_new(made, json_integer(__builtin_ctzll(columns)));
    return made;
}

static json_t *json_methods(const description *d)
{
    json_t *made = json_array();
    for (int k = 0; k < BMF_RECORD_METHODS; k++) {
        const routing *r = &d->routing[k];
        if (r->fits)
            json_array_append_new(
                made, json_pack("{s:s, s:I, s:I, s:I, s:b}", "method", record_method_name((bmf_record_method)k),
                                "rounds", (json_int_t)r->rounds, "router_count", (json_int_t)r->count,
                                "port_serialisation", (json_int_t)r->serialisation, "passable", r->count == 1));
    }
    return made;
}

static void print_json(const description *d)
{
    const bmf_one_permutable *set = &d->set;
    json_t *source = json_array(), *target = json_array(), *order = json_array();
    for (uint64_t i = 0; i < UINT64_C(1) << set->device_bits; i++) {
        const uint64_t x = one_permutable_source(set, i, 0);
        json_array_append_new(source, json_integer((json_int_t)x));
        json_array_append_new(target, json_integer((json_int_t)bmf_permutation_apply(d->p, x)));
        json_array_append_new(order, json_integer((json_int_t)one_permutable_r(set, i)));
    }
    json_t *made =
        json_pack("{s:i, s:s, s:I, s:i, s:i, s:i, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bits", set->bits,
                  "class", bmf_permutation_class_name(bmf_permutation_classify(d->p)), "devices",
                  (json_int_t)1 << set->device_bits, "first_device_bit", set->first, "rank_alpha", d->rank_alpha,
                  "rank_beta", d->rank_beta, "rank_gamma", d->rank_gamma, "sets",
                  (json_int_t)1 << (set->bits - set->device_bits), "S", json_columns(set->s), "T", json_columns(set->t),
                  "U", json_columns(set->u), "V", json_columns(set->v), "R", order, "source", source, "target", target);
    if (d->has_router) {
        json_object_set_new(made, "machine", json_text(d->machine_name));
        json_object_set_new(made, "methods", json_methods(d));
    }
    json_print(made, BMF_JSON_LINE);
}

/* ---- both ---- */

static int print(bmf_context *ctx, const bmf_permute_description *wanted, int64_t processors, description *d,
                 const bmf_machine *machine)
{
    const int bits = bmf_permute_processor_bits(d->p, processors);
    bmf_network *network = NULL;
    if (bits < 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "--describe needs a power of two of devices, at most one for every element, not %" PRId64,
                        processors);
    const int status = machine ? machine_network(machine, processors, &network) : BMF_OK;
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    describe_sets(d, bits, wanted->disks);
    if (network && !wanted->disks)
        describe_routing(d, network, bits);
    if (network)
        network->type->destroy(network);
    if (wanted->json)
        print_json(d);
    else
        print_text(d);
    return BMF_OK;
}

int permute_describe(bmf_context *ctx, const bmf_permute_description *wanted, const bmf_permutation *p)
{
    bmf_machine *machine = NULL;
    description d = {.p = p};
    if (bmf_ranks(ctx) > 1)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "--describe takes one process, not %d ranks", bmf_ranks(ctx));
    int status = wanted->machine ? machine_read(wanted->machine, &machine) : BMF_OK;
    if (status != BMF_OK)
        return bmf_fail(ctx, status, "%s", bmf_error_text(NULL));
    const int64_t of_machine = machine ? machine->processors : 0;
    const int64_t processors = wanted->processors ? wanted->processors : of_machine ? of_machine : bmf_processors(ctx);
    d.machine_name = machine ? machine->name : "";
    status = print(ctx, wanted, processors, &d, machine);
    if (machine)
        machine_free(machine);
    return status;
}
