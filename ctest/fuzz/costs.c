/* Fuzz target of tables of costs: what is read has a time for every algorithm that it covers; what is refused leaves
 * one line. */
#include <math.h>

#include "bmf/status.h"
#include "ctest/fuzz/fuzz.h"
#include "runtime/schedule/cost_table.h"

static void ask(const bmf_cost_table *table, int64_t ranks, int64_t count, double bytes)
{
    for (int k = 0; k < BMF_ALGORITHMS; k++) {
        const double seconds =
            cost_table_seconds(table, algorithms[k]->skeleton, algorithms[k]->name, ranks, count, bytes);
        demand(isnan(seconds) || seconds >= 0, "seconds are no negative number");
        demand(isnan(seconds) || cost_table_ranks(table, ranks) > 0, "a time comes from ranks that are near");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char message[512] = "";
    bmf_cost_table *table = cost_table_read("fuzz.costs", (const char *)bytes, (int64_t)size, message, sizeof message);
    if (!table) {
        demand_line(bmf_fail(NULL, BMF_ERROR_FILE, "%s", message));
        return 0;
    }
    for (int64_t ranks = 1; ranks <= 64; ranks *= 4)
        for (int64_t count = 2; count <= 4096; count *= 8)
            ask(table, ranks, count, 1000.0 * (double)count);
    cost_table_free(table);
    return 0;
}
