/* What a run took, as text and JSON: the line of document 004's Table 8.3. */
#include <inttypes.h>

#include "drivers/command/json.h"
#include "drivers/cop/results.h"

static double mean_of(const bmf_cop_times *times, int kind)
{
    double total = 0;
    for (int64_t n = 0; n < times->nodes; n++)
        total += (double)times->time[n][kind];
    return total / (double)times->nodes;
}

static int64_t total_of(const bmf_cop_times *times, int64_t node)
{
    int64_t total = 0;
    for (int k = 0; k < BMF_TIMES; k++)
        total += times->time[node][k];
    return total;
}

static int64_t slowest_of(const bmf_cop_times *times)
{
    int64_t slowest = 0;
    for (int64_t n = 1; n < times->nodes; n++)
        if (total_of(times, n) > total_of(times, slowest))
            slowest = n;
    return slowest;
}

static void print_node(const bmf_cop_times *times, int64_t node)
{
    printf("node %" PRId64, node);
    for (int k = 0; k < BMF_TIMES; k++)
        printf(" %s %" PRId64, mesh_time_name[k], times->time[node][k]);
    printf("\n");
}

static int print_json(const bmf_cop_times *times, double gigahertz)
{
    json_t *mean = json_object(), *nodes = json_array();
    for (int k = 0; k < BMF_TIMES; k++)
        json_object_set_new(mean, mesh_time_name[k], json_real(mean_of(times, k)));
    for (int64_t n = 0; n < times->nodes; n++) {
        json_t *node = json_object();
        for (int k = 0; k < BMF_TIMES; k++)
            json_object_set_new(node, mesh_time_name[k], json_integer(times->time[n][k]));
        json_array_append_new(nodes, node);
    }
    return json_print(json_pack("{s:I, s:f, s:o, s:o, s:i}", "cycles", (json_int_t)times->cycles, "nanoseconds",
                                (double)times->cycles / gigahertz, "mean", mean, "nodes", nodes, "exit_code",
                                times->exit_code),
                      BMF_JSON_INDENT);
}

int cop_print_times(const bmf_cop_times *times, const bmf_cop_result_options *o)
{
    if (o->json)
        return print_json(times, o->gigahertz);
    const int64_t slowest = slowest_of(times);
    int64_t fewest = total_of(times, 0);
    for (int64_t n = 0; n < times->nodes && o->nodes; n++)
        print_node(times, n);
    for (int64_t n = 1; n < times->nodes; n++)
        fewest = total_of(times, n) < fewest ? total_of(times, n) : fewest;
    printf("nodes %" PRId64 "  cycles %" PRId64 "  ", times->nodes, times->cycles);
    for (int k = 0; k < BMF_TIMES; k++)
        printf("%s%s %.0f", k > 0 ? " " : "", mesh_time_name[k],
               o->worst ? (double)times->time[slowest][k] : mean_of(times, k));
    printf("\nnanoseconds %.1f  largest difference between nodes %" PRId64 " cycles\n",
           (double)times->cycles / o->gigahertz, total_of(times, slowest) - fewest);
    return finish_output();
}
