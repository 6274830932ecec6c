/* Machine files: what every machine has; networks read their own group.
 *
 * Method: the whole file is read before libconfig sees it, because its scanner ends the program when a read fails
 * (config_file.h). A network is made on trial, so that every mistake shows when the file is read and not in the
 * middle of a prediction.
 * Source: design of machine files in docs/machines.md; the parameters of document 002, 2.4 and document 001, 4 live on
 * in them.
 */
#include "predict/machine/machine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/config/config_file.h"
#include "predict/config/installed.h"
#include "predict/machine/machine_change.h"
#include "predict/machine/operation_costs.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"

static const double stated_error = 0.3; /* of costs whose error nobody knows */
static const bmf_installed installed = {"machine", "machines", ".machine", "BMF_MACHINES"};

int machine_find(const char *name, char **path)
{
    return installed_find(&installed, name, path);
}

int64_t machine_installed(char ***name)
{
    return installed_names(&installed, name);
}

static char *copy(const char *text, size_t length)
{
    char *to = allocate((int64_t)length + 1);
    memcpy(to, text, length);
    to[length] = 0;
    return to;
}

/* ---- what every machine has ---- */

static int need_group(const bmf_machine *machine, const config_setting_t *setting, const char *example)
{
    if (config_setting_is_group(setting))
        return BMF_OK;
    return machine_fail(machine, setting, BMF_ERROR_FILE, "'%s' must be a group %s", config_setting_name(setting),
                        example);
}

/* Without a name it is that of the file. */
static int read_name(bmf_machine *machine, const config_setting_t *root)
{
    const char *name, *note, *base = strrchr(machine->path, '/');
    BMF_TRY(machine_text_value(machine, root, "name", &name));
    BMF_TRY(machine_text_value(machine, root, "note", &note));
    base = base ? base + 1 : machine->path;
    const char *dot = strrchr(base, '.');
    machine->name = name ? copy(name, strlen(name)) : copy(base, dot > base ? (size_t)(dot - base) : strlen(base));
    machine->note = note ? copy(note, strlen(note)) : copy("", 0);
    return BMF_OK;
}

/* Times of the sheet's memory are divided by powers of their own, and everything by `power` in the end. */
static int read_memory_powers(bmf_machine *machine, const config_setting_t *group)
{
    static const char *const key[] = {"memory_power", "random_power"};
    bmf_memory *memory = machine->kernels ? &machine->kernels->memory : NULL;
    for (int k = 0; k < 2; k++) {
        const config_setting_t *at = config_setting_get_member(group, key[k]);
        if (at && (!memory || memory->curves == 0))
            return machine_fail(machine, at, BMF_ERROR_FILE, "'%s' goes with a sheet of kernels that has 'memory'",
                                key[k]);
    }
    BMF_TRY(machine_number(machine, group, key[0], DBL_MIN, INFINITY, machine->power, &machine->memory_power));
    BMF_TRY(machine_number(machine, group, key[1], DBL_MIN, INFINITY, machine->memory_power, &machine->random_power));
    for (int64_t k = 0; memory && k < memory->curves; k++) {
        bmf_memory_curve *curve = &memory->curve[k];
        const bool random = curve->access == BMF_MEMORY_RANDOM || curve->access == BMF_MEMORY_CHASE;
        const double factor = machine->power / (random ? machine->random_power : machine->memory_power);
        curve->level *= factor;
        for (int step = 0; step < curve->steps; step++)
            curve->rise[step] *= factor;
    }
    return BMF_OK;
}

/* The sheet of ranks with the machine's number of threads, in place of the one for ranks of one, if there is one. */
static int read_threaded(bmf_machine *machine, const config_setting_t *group)
{
    static const char *const known[] = {"threads", "sheet", NULL};
    const config_setting_t *list = config_setting_get_member(group, "threaded");
    if (!list)
        return BMF_OK;
    if (!config_setting_is_list(list) || !machine->kernels)
        return machine_fail(machine, list, BMF_ERROR_FILE,
                            "'threaded' goes with 'sheet' and is a list ({ threads = ..; sheet = ..; }, ..)");
    for (int k = 0; k < config_setting_length(list); k++) {
        const config_setting_t *member = config_setting_get_elem(list, (unsigned)k);
        bmf_sheet *sheet = NULL;
        int64_t threads;
        if (!config_setting_is_group(member))
            return machine_fail(machine, list, BMF_ERROR_FILE, "'threaded' has groups { threads = ..; sheet = ..; }");
        BMF_TRY(machine_keys(machine, member, known));
        BMF_TRY(machine_integer(machine, member, "threads", 1, BMF_MAX_MACHINE_THREADS, INT64_MIN, &threads));
        BMF_TRY(machine_sheet(machine, member, "sheet", &sheet));
        if (!sheet)
            return machine_fail(machine, member, BMF_ERROR_FILE, "'sheet' is missing");
        if (threads == machine->threads) {
            bmf_sheet *other = machine->kernels;
            machine->kernels = sheet;
            machine->kernels_threads = threads;
            sheet = other;
        }
        sheet_free(sheet);
    }
    return BMF_OK;
}

/* Without a word on threads the ranks have as many as those that the sheet was learnt from. */
static int read_sheets(bmf_machine *machine, const config_setting_t *group)
{
    BMF_TRY(machine_sheet(machine, group, "sheet", &machine->kernels));
    if (machine->kernels && machine->kernels->header.threads > 0)
        machine->kernels_threads = machine->kernels->header.threads;
    if (machine->threads == 0)
        machine->threads = machine->kernels_threads;
    return read_threaded(machine, group);
}

static int read_compute(bmf_machine *machine, const config_setting_t *root)
{
    static const char *const known[] = {"power",    "memory_power",  "random_power", "sharing", "sheet",
                                        "threaded", "operations_us", "zero",         NULL};
    const config_setting_t *group = config_setting_get_member(root, "compute");
    bool zero;
    machine->power = machine->memory_power = machine->random_power = 1.0;
    machine->sharing = 0;
    machine->kernels_threads = 1;
    if (!group)
        return BMF_OK;
    BMF_TRY(
        need_group(machine, group, "{ power = ..; }, { sheet = ..; }, { operations_us = {..}; } or { zero = true; }"));
    BMF_TRY(machine_keys(machine, group, known));
    BMF_TRY(machine_number(machine, group, "power", DBL_MIN, INFINITY, 1.0, &machine->power));
    machine->power_stated = config_setting_get_member(group, "power");
    BMF_TRY(machine_integer(machine, group, "sharing", 1, INT32_MAX, 0, &machine->sharing));
    BMF_TRY(machine_flag(machine, group, "zero", false, &zero));
    if (zero && config_setting_length(group) > 1)
        return machine_fail(machine, group, BMF_ERROR_FILE, "computing that costs nothing has no other settings");
    BMF_TRY(read_sheets(machine, group));
    BMF_TRY(read_memory_powers(machine, group));
    if (config_setting_get_member(group, "sharing") && !machine->kernels)
        return machine_fail(machine, config_setting_get_member(group, "sharing"), BMF_ERROR_FILE,
                            "'sharing' goes with a sheet; kernels that are run here have the memory for themselves");
    BMF_TRY(operation_costs_read(machine, group, &machine->operations));
    if (machine->operations && machine->kernels)
        return machine_fail(machine, group, BMF_ERROR_FILE,
                            "computing costs what 'sheet' or what 'operations_us' says");
    machine->compute = zero                  ? BMF_COMPUTE_ZERO
                       : machine->kernels    ? BMF_COMPUTE_SHEET
                       : machine->operations ? BMF_COMPUTE_OPERATIONS
                                             : BMF_COMPUTE_MEASURED;
    return BMF_OK;
}

/* ---- the network ---- */

enum { LISTED = 300, MAX_KEYS = 64 };

static int unknown_type(const bmf_machine *machine, const config_setting_t *at, const char *name)
{
    char list[LISTED] = "";
    for (int k = 0, used = 0; network_types[k] && used < LISTED - 1; k++)
        used += snprintf(list + used, (size_t)(LISTED - used), "%s%s", k ? ", " : "", network_types[k]->name);
    return machine_fail(machine, at, BMF_ERROR_FILE, "unknown type '%.80s'; known: %s", name, list);
}

/* The keys of the group are those of its type, and "type". */
static int check_network_keys(const bmf_machine *machine, const config_setting_t *group)
{
    const char *known[MAX_KEYS] = {"type"};
    const char *const *setting = machine->network_type->setting;
    for (int k = 0; setting[k] && k < MAX_KEYS - 2; k++)
        known[k + 1] = setting[k];
    return machine_keys(machine, group, known);
}

static int read_network(bmf_machine *machine, const config_setting_t *root)
{
    const config_setting_t *group = config_setting_get_member(root, "network");
    const char *name;
    if (!group)
        return machine_fail(machine, NULL, BMF_ERROR_FILE, "'network' is missing: network = { type = ..; }");
    BMF_TRY(need_group(machine, group, "{ type = ..; }"));
    BMF_TRY(machine_text_value(machine, group, "type", &name));
    if (!name)
        return machine_fail(machine, group, BMF_ERROR_FILE, "'type' is missing");
    for (int k = 0; network_types[k] && !machine->network_type; k++)
        if (strcmp(network_types[k]->name, name) == 0)
            machine->network_type = network_types[k];
    if (!machine->network_type)
        return unknown_type(machine, config_setting_get_member(group, "type"), name);
    return check_network_keys(machine, group);
}

bool machine_states_threads(const bmf_machine *machine)
{
    return config_setting_get_member(config_root_setting(&machine->config), "threads");
}

bool machine_has_learnt(const bmf_machine *machine, int64_t threads)
{
    const config_setting_t *compute = config_setting_get_member(config_root_setting(&machine->config), "compute"),
                           *list = compute ? config_setting_get_member(compute, "threaded") : NULL;
    for (int k = 0; list && k < config_setting_length(list); k++) {
        const config_setting_t *member = config_setting_get_elem(list, (unsigned)k);
        if (config_setting_get_int64(config_setting_get_member(member, "threads")) == threads)
            return true;
    }
    return machine->kernels && machine->kernels_threads == threads;
}

int64_t machine_ranks(const bmf_machine *machine)
{
    return machine->threads > 1 ? machine->processors / machine->threads : machine->processors;
}

/* A rank's threads are on one node. */
static int check_threads(const bmf_machine *machine, const config_setting_t *root)
{
    const config_setting_t *at = config_setting_get_member(root, "threads");
    const bmf_node *node = &machine->node;
    if (!at || machine->threads == 1)
        return BMF_OK;
    if (node->processors == 0)
        return machine_fail(machine, at, BMF_ERROR_FILE,
                            "ranks of %lld threads need nodes: node = { processors = ..; }",
                            (long long)machine->threads);
    if (machine->processors > 0 && machine->threads > machine->processors)
        return machine_fail(
            machine, at, BMF_ERROR_FILE, "the machine has %lld processor%s, too few for a rank of %lld threads",
            (long long)machine->processors, machine->processors == 1 ? "" : "s", (long long)machine->threads);
    if (machine->threads > node->processors)
        return machine_fail(machine, at, BMF_ERROR_FILE,
                            "a node has %lld processor%s, too few for ranks of %lld threads",
                            (long long)node->processors, node->processors == 1 ? "" : "s", (long long)machine->threads);
    return BMF_OK;
}

int machine_network(const bmf_machine *machine, int64_t processors, bmf_network **network)
{
    const config_setting_t *root = config_root_setting(&machine->config),
                           *group = config_setting_get_member(root, "network");
    if (processors < 1 || processors > INT32_MAX)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a machine has 1 to %d processors, not %lld", INT32_MAX,
                        (long long)processors);
    if (machine->processors > 0 && processors > machine_ranks(machine)) {
        const config_setting_t *at = config_setting_get_member(root, "processors");
        if (machine->threads > 1)
            return machine_fail(machine, at, BMF_ERROR_ARGUMENT,
                                "machine '%.80s' has %lld processors, too few for %lld ranks of %lld threads",
                                machine->name, (long long)machine->processors, (long long)processors,
                                (long long)machine->threads);
        return machine_fail(machine, at, BMF_ERROR_ARGUMENT, "machine '%.80s' has %lld processors, not %lld",
                            machine->name, (long long)machine->processors, (long long)processors);
    }
    BMF_TRY(machine->network_type->create(machine, group, processors, network));
    const bool measured = machine->network_type->has_errors && machine->network_type->has_errors(*network);
    (*network)->relative_error = measured ? 0.0 : machine->relative_error;
    return BMF_OK;
}

static void note_complete(void *simulator, bmf_transit *message)
{
    (void)message;
    *(bool *)simulator = true;
}

static void ignore(void *simulator, bmf_transit *message)
{
    (void)simulator, (void)message;
}

/* From the send until it has been taken. */
static double seconds_alone(bmf_network *network, int64_t bytes)
{
    const bmf_network_type *type = network->type;
    bmf_transit message = {.to = 1, .bytes = bytes, .posted = 0, .sender_free = NAN, .send_done = NAN, .arrived = NAN};
    bool complete = false;
    network->complete = note_complete;
    network->freed = ignore;
    network->simulator = &complete;
    type->start(network, 0);
    if (type->collective)
        type->send_round(network, &(bmf_transit *){&message}, 1);
    else
        type->send(network, &message);
    while (!complete && type->next && type->next(network) < INFINITY)
        type->advance(network);
    return complete ? message.arrived + message.receive_overhead : 0.0;
}

bmf_cost_model machine_message_costs(const bmf_machine *machine, int64_t processors)
{
    static const int64_t large = 1 << 20;
    bmf_cost_model cost = {0};
    bmf_network *network;
    if (processors < 2 || machine_network(machine, processors, &network) != BMF_OK)
        return cost;
    cost.latency = seconds_alone(network, 0);
    cost.per_byte = (seconds_alone(network, large) - cost.latency) / (double)large;
    network->type->destroy(network);
    return cost;
}

/* ---- errors ---- */

double machine_compute_error(const bmf_machine *machine)
{
    switch (machine->compute) {
    case BMF_COMPUTE_SHEET:
        if (machine->power != 1.0 || machine->memory_power != 1.0 || machine->random_power != 1.0)
            return machine->relative_error;
        for (int64_t k = 0; k < machine->kernels->entries; k++)
            if (machine->kernels->entry[k].has_errors)
                return 0.0;
        return machine->relative_error;
    case BMF_COMPUTE_OPERATIONS:
        return machine->relative_error;
    case BMF_COMPUTE_MEASURED:
        /* nodes of which one does not know how fast they are need not be like the host */
        return machine->power != 1.0 || (machine->node.processors > 0 && !machine->power_stated)
                   ? machine->relative_error
                   : 0.0;
    default:
        return 0.0;
    }
}

/* ---- all of it ---- */

static const double DEFAULT_PROBE = 1e-7;

static int read_costs(bmf_machine *machine, const config_setting_t *root)
{
    char message[BMF_MESSAGE_SIZE], *text;
    int64_t size;
    BMF_TRY(machine_path_value(machine, root, "schedules", &machine->costs_path));
    if (!machine->costs_path)
        return BMF_OK;
    const config_setting_t *at = config_setting_get_member(root, "schedules");
    const int status = costs_load(machine->costs_path, &text, &size);
    if (status != BMF_OK) {
        snprintf(message, sizeof message, "%s", bmf_error_text(NULL));
        return machine_fail(machine, at, status, "%s", message);
    }
    machine->costs = cost_table_read(machine->costs_path, text, size, message, sizeof message);
    free(text);
    return machine->costs ? BMF_OK : machine_fail(machine, at, BMF_ERROR_FILE, "%s", message);
}

static int read_root(bmf_machine *machine, const config_setting_t *root)
{
    static const char *const known[] = {"name",
                                        "note",
                                        "processors",
                                        "compute",
                                        "network",
                                        "agreement_us",
                                        "probe_us",
                                        "bulk_synchronous",
                                        "choose",
                                        "schedules",
                                        "relative_error",
                                        "file_bytes_per_second",
                                        "node",
                                        "threads",
                                        NULL};
    static const char *const choosing[] = {"default", "machine", NULL};
    int chooses;
    bmf_network *network;
    BMF_TRY(machine_keys(machine, root, known));
    BMF_TRY(read_name(machine, root));
    BMF_TRY(machine_integer(machine, root, "processors", 1, INT32_MAX, 0, &machine->processors));
    BMF_TRY(machine_integer(machine, root, "threads", 1, BMF_MAX_MACHINE_THREADS, 0, &machine->threads));
    BMF_TRY(read_compute(machine, root));
    machine->threads = machine->threads > 0 ? machine->threads : 1;
    machine->agreement = NAN;
    if (config_setting_get_member(root, "agreement_us"))
        BMF_TRY(machine_microseconds(machine, root, "agreement_us", NAN, &machine->agreement));
    BMF_TRY(machine_flag(machine, root, "bulk_synchronous", false, &machine->bulk_synchronous));
    BMF_TRY(machine_word(machine, root, "choose", choosing, 0, &chooses));
    machine->chooses = chooses == 1;
    BMF_TRY(read_costs(machine, root));
    BMF_TRY(machine_microseconds(machine, root, "probe_us", DEFAULT_PROBE, &machine->probe));
    BMF_TRY(
        machine_number(machine, root, "file_bytes_per_second", DBL_MIN, 1e15, 0.0, &machine->file_bytes_per_second));
    BMF_TRY(machine_number(machine, root, "relative_error", 0.0, 10.0, stated_error, &machine->relative_error));
    BMF_TRY(node_read(machine));
    BMF_TRY(check_threads(machine, root));
    BMF_TRY(read_network(machine, root));
    BMF_TRY(machine_network(machine, machine->processors > 0 ? machine_ranks(machine) : 2, &network));
    network->type->destroy(network);
    return BMF_OK;
}

static char *join_changes(const bmf_machine_change *change, int64_t changes)
{
    size_t length = 0;
    for (int64_t k = 0; k < changes; k++)
        length += strlen(change[k].text) + 1;
    char *list = changes > 0 ? allocate((int64_t)length) : NULL, *end = list;
    for (int64_t k = 0; k < changes; k++)
        end += sprintf(end, "%s%s", k > 0 ? "," : "", change[k].text);
    return list;
}

static int parse(const char *text, const char *path, const bmf_machine_change *change, int64_t changes,
                 bmf_machine **machine)
{
    const char *slash = strrchr(path, '/');
    bmf_machine *made = allocate_clear(1, sizeof *made);
    made->path = copy(path, strlen(path));
    made->directory = slash ? copy(path, slash > path ? (size_t)(slash - path) : 1) : copy(".", 1);
    config_init(&made->config);
    made->changes = join_changes(change, changes);
    int status = config_parse(&made->config, path, text);
    for (int64_t k = 0; k < changes && status == BMF_OK; k++)
        status = machine_change(&made->config, path, change[k].text);
    if (status == BMF_OK)
        status = read_root(made, config_root_setting(&made->config));
    if (status == BMF_OK)
        *machine = made;
    else
        machine_free(made);
    return status;
}

int machine_parse(const char *text, const char *path, bmf_machine **machine)
{
    return parse(text, path, NULL, 0, machine);
}

int machine_read(const char *name, bmf_machine **machine)
{
    return machine_read_changed(name, NULL, 0, machine);
}

int machine_read_changed(const char *name, const bmf_machine_change *change, int64_t changes, bmf_machine **machine)
{
    char *path, *text = NULL;
    BMF_TRY(machine_find(name, &path));
    int status = config_load(path, "machine file", &text);
    if (status == BMF_OK) {
        status = parse(text, path, change, changes, machine);
        free(text);
    }
    free(path);
    return status;
}

int machine_read_changed_list(const char *name, const char *list, bmf_machine **machine)
{
    enum { MAX_CHANGES = 128 };
    bmf_machine_change change[MAX_CHANGES];
    int64_t changes = 0;
    char *copied = copy(list ? list : "", list ? strlen(list) : 0), *rest = list ? copied : NULL, *one;
    int status = BMF_OK;
    while ((one = strsep(&rest, ",")) != NULL && status == BMF_OK) {
        if (changes == MAX_CHANGES)
            status = bmf_fail(NULL, BMF_ERROR_USAGE, "more than %d changes of a machine's file", MAX_CHANGES);
        else
            change[changes++].text = one;
    }
    if (status == BMF_OK)
        status = machine_read_changed(name, change, changes, machine);
    free(copied);
    return status;
}

void machine_free(bmf_machine *machine)
{
    if (!machine)
        return;
    config_destroy(&machine->config);
    sheet_free(machine->kernels);
    operation_costs_free(machine->operations);
    free(machine->path);
    free(machine->directory);
    free(machine->changes);
    free(machine->name);
    free(machine->note);
    free(machine->costs_path);
    cost_table_free(machine->costs);
    free(machine);
}
