/* Better machines; see what_if.h. Method: a word becomes changes of all keys of the machine's file that it means, found
 * in its groups, lists of groups included. Cost: the file is read once more. */
#include "predict/choose/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

enum { PATH = 160, MAX_KEYS = 64 };

typedef struct changes {
    char *text[MAX_KEYS];
    int count;
} changes;

typedef enum quantity { QUANTITY_NONE, QUANTITY_LATENCY, QUANTITY_PER_BYTE, QUANTITY_BANDWIDTH } quantity;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static quantity quantity_of(const char *key)
{
    return ends_with(key, "_us_per_byte") ? QUANTITY_PER_BYTE
           : ends_with(key, "_us")        ? QUANTITY_LATENCY
           : ends_with(key, "_mb_per_s")  ? QUANTITY_BANDWIDTH
                                          : QUANTITY_NONE;
}

static void add(changes *all, const char *path, const char *sign, double factor)
{
    char text[2 * PATH];
    snprintf(text, sizeof text, "%s%s%.17g", path, sign, factor);
    if (all->count < MAX_KEYS)
        all->text[all->count++] = text_copy(text);
}

/* All keys of a quantity in a group and what is in it. factor: of latency, or of bandwidth. */
static void add_keys(changes *all, const config_setting_t *group, const char *path, bool latency, double factor)
{
    for (int k = 0; k < config_setting_length(group); k++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)k);
        const char *name = config_setting_name(member);
        char below[PATH];
        if (name)
            snprintf(below, sizeof below, "%s.%s", path, name);
        else
            snprintf(below, sizeof below, "%s.[%d]", path, k);
        if (config_setting_is_group(member) || config_setting_is_list(member)) {
            add_keys(all, member, below, latency, factor);
            continue;
        }
        const quantity of = name ? quantity_of(name) : QUANTITY_NONE;
        if (latency ? of == QUANTITY_LATENCY : of == QUANTITY_BANDWIDTH)
            add(all, below, "*", factor);
        else if (!latency && of == QUANTITY_PER_BYTE)
            add(all, below, "/", factor);
    }
}

static int expand_network(const bmf_machine *machine, const char *change, const char *word, double factor, changes *all)
{
    const config_setting_t *group = config_setting_get_member(config_root_setting(&machine->config), "network");
    add_keys(all, group, "network", strcmp(word, "network.latency") == 0, factor);
    return all->count > 0
               ? BMF_OK
               : bmf_fail(NULL, BMF_ERROR_USAGE, "'%.60s': the network of %.80s (%s) states no %s in its file", change,
                          machine->name, machine->network_type->name, word + strlen("network."));
}

static int expand_ranks(const bmf_machine *machine, const char *change, double value, changes *all)
{
    const config_setting_t *network = config_setting_get_member(config_root_setting(&machine->config), "network");
    if (machine->node.processors == 0)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "'%.60s': the file of %.80s says nothing of nodes", change,
                        machine->name);
    const double threads = (double)machine->threads;
    if (!(value >= 1.0 && value * threads <= (double)machine->node.processors && value == floor(value))) {
        char ranks[64] = "";
        if (machine->threads > 1)
            snprintf(ranks, sizeof ranks, ", room for %lld ranks of %lld threads",
                     (long long)node_ranks(&machine->node), (long long)machine->threads);
        return bmf_fail(NULL, BMF_ERROR_USAGE, "'%.60s': a node of %.80s has 1 to %lld processors%s", change,
                        machine->name, (long long)machine->node.processors, ranks);
    }
    add(all, "node.processors", "=", value * threads);
    if (config_setting_get_member(network, "processors_per_node"))
        add(all, "network.processors_per_node", "=", value * threads);
    return BMF_OK;
}

static int expand(const bmf_machine *machine, const char *change, changes *all)
{
    static const char *const words[] = {"network.latency", "network.bandwidth", "compute", "memory", "ranks-per-node"};
    const char *sign = strpbrk(change, "=*/");
    const size_t length = sign ? (size_t)(sign - change) : 0;
    char *end;
    const double value = sign ? strtod(sign + 1, &end) : NAN, inverse = 1.0 / value;
    int word = 0;
    while (word < 5 && (strlen(words[word]) != length || strncmp(words[word], change, length) != 0))
        word++;
    if (word == 5) {
        all->text[all->count++] = text_copy(change);
        return BMF_OK;
    }
    if (end == sign + 1 || *end || !isfinite(value) || !(value > 0.0) || (*sign == '=') != (word == 4))
        return bmf_fail(NULL, BMF_ERROR_USAGE,
                        "'%.60s': a change is one like network.latency/2, network.bandwidth*2, compute*2, memory*2 or "
                        "ranks-per-node=32",
                        change);
    const double factor = *sign == '/' ? inverse : value;
    if (word < 2)
        return expand_network(machine, change, words[word], factor, all);
    if (word == 4)
        return expand_ranks(machine, change, value, all);
    if (word == 3 && machine->node.memory_bandwidth == 0.0)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "'%.60s': the file of %.80s does not say its node's memory_gb_per_s",
                        change, machine->name);
    add(all, word == 2 ? "compute.power" : "node.memory_gb_per_s", "*", factor);
    return BMF_OK;
}

int what_if_machine(const char *name, const bmf_machine *machine, const char *change, bmf_machine **changed)
{
    changes all = {.count = 0};
    bmf_machine_change list[MAX_KEYS];
    *changed = NULL;
    char threads[32];
    int status = expand(machine, change, &all);
    if (status == BMF_OK && machine->threads > 1 && all.count < MAX_KEYS) {
        snprintf(threads, sizeof threads, "threads=%lld", (long long)machine->threads);
        all.text[all.count++] = text_copy(threads);
    }
    for (int k = 0; k < all.count; k++)
        list[k].text = all.text[k];
    if (status == BMF_OK)
        status = machine_read_changed(name, list, all.count, changed);
    for (int k = 0; k < all.count; k++)
        free(all.text[k]);
    return status;
}
