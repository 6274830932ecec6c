/* Nodes of machine files: reading, and what they cost. Source of the billing rules: public price lists of clouds, which
 * bill by the second after a minimum, or by whole hours. */
#include "predict/machine/node.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "predict/machine/machine.h"

static int read_currency(bmf_machine *machine, const config_setting_t *group)
{
    const char *text;
    BMF_TRY(machine_text_value(machine, group, "currency", &text));
    text = text ? text : "USD";
    const size_t length = strlen(text);
    if (length < 1 || length >= BMF_CURRENCY_SIZE ||
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != length)
        return machine_fail(machine, config_setting_get_member(group, "currency"), BMF_ERROR_FILE,
                            "'currency' is a word of 1 to %d letters, like EUR", BMF_CURRENCY_SIZE - 1);
    memcpy(machine->node.currency, text, length + 1);
    return BMF_OK;
}

static int read_bill(bmf_machine *machine, const config_setting_t *group)
{
    static const double hour = 3600.0, minute = 60.0;
    bmf_node *node = &machine->node;
    const bool priced = config_setting_get_member(group, "price_per_hour");
    static const char *const of_price[] = {"minimum_minutes", "billing_minutes", "currency"};
    for (int k = 0; k < 3 && !priced; k++) {
        const config_setting_t *at = config_setting_get_member(group, of_price[k]);
        if (at)
            return machine_fail(machine, at, BMF_ERROR_FILE, "'%s' goes with 'price_per_hour'", of_price[k]);
    }
    node->price = NAN;
    if (priced)
        BMF_TRY(machine_number(machine, group, "price_per_hour", 0.0, 1e12, NAN, &node->price));
    BMF_TRY(machine_number(machine, group, "minimum_minutes", 0.0, 1e9, 0.0, &node->minimum));
    BMF_TRY(machine_number(machine, group, "billing_minutes", 0.0, 1e9, 0.0, &node->interval));
    node->price /= hour;
    node->minimum *= minute;
    node->interval *= minute;
    return read_currency(machine, group);
}

int node_read(bmf_machine *machine)
{
    static const char *const known[] = {
        "processors",     "count",    "memory_gb",       "memory_gb_per_s", "cache_mb", "fork_join_us",
        "price_per_hour", "currency", "minimum_minutes", "billing_minutes", NULL};
    static const double giga = 1e9, mega = 1e6, usual_fork_join = 1e-6;
    const config_setting_t *root = config_root_setting(&machine->config),
                           *group = config_setting_get_member(root, "node");
    bmf_node *node = &machine->node;
    *node = (bmf_node){.price = NAN, .currency = "USD", .threads = machine->threads, .fork_join = usual_fork_join};
    if (!group)
        return BMF_OK;
    if (!config_setting_is_group(group))
        return machine_fail(machine, group, BMF_ERROR_FILE, "'node' must be a group { processors = ..; }");
    BMF_TRY(machine_keys(machine, group, known));
    BMF_TRY(machine_integer(machine, group, "processors", 1, INT32_MAX, INT64_MIN, &node->processors));
    BMF_TRY(machine_integer(machine, group, "count", 1, INT32_MAX, 0, &node->count));
    BMF_TRY(machine_number(machine, group, "memory_gb", DBL_MIN, 1e9, 0.0, &node->memory));
    BMF_TRY(machine_number(machine, group, "memory_gb_per_s", DBL_MIN, 1e9, 0.0, &node->memory_bandwidth));
    BMF_TRY(machine_number(machine, group, "cache_mb", 0.0, 1e9, 0.0, &node->cache));
    BMF_TRY(machine_microseconds(machine, group, "fork_join_us", usual_fork_join, &node->fork_join));
    if (node->cache > 0.0 && node->memory_bandwidth == 0.0)
        return machine_fail(machine, config_setting_get_member(group, "cache_mb"), BMF_ERROR_FILE,
                            "'cache_mb' goes with 'memory_gb_per_s'");
    node->memory *= giga;
    node->memory_bandwidth *= giga;
    node->cache *= mega;
    return read_bill(machine, group);
}

int64_t node_ranks(const bmf_node *node)
{
    return node->processors > node->threads ? node->processors / node->threads : 1;
}

int64_t node_nodes(const bmf_node *node, int64_t ranks)
{
    const int64_t each = node_ranks(node);
    return (ranks + each - 1) / each;
}

double node_fork_join(const bmf_node *node)
{
    return node->fork_join * log2((double)node->threads);
}

double node_memory_seconds(const bmf_node *node, int64_t used, double moved, double footprint)
{
    const double sharing = (double)(used > 0 ? used : 1);
    if (node->memory_bandwidth <= 0.0 || footprint * sharing <= node->cache)
        return 0.0;
    return moved * sharing / node->memory_bandwidth;
}

double node_cost(const bmf_node *node, int64_t nodes, double seconds)
{
    double paid = fmax(seconds, node->minimum);
    if (node->interval > 0.0)
        paid = fmax(ceil(paid / node->interval * (1.0 - 1e-12)), 1.0) * node->interval;
    return paid * (double)nodes * node->price;
}
