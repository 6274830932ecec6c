/* What receivers spend on messages themselves; see receive_costs.h.
 *
 * Method: a sorted table, since programs send few sizes, and most networks' overheads are linear in the size.
 * Cost: a search a message, and a shift for a new size. */
#include "runtime/trace/receive_costs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/search.h"

static const char fact[] = "receive overhead";

void receive_costs_add(bmf_receive_costs *costs, int64_t bytes, int64_t nanoseconds)
{
    const int at = (int)SEARCH_FIRST(k, 0, costs->count, costs->bytes[k] >= bytes);
    if (at < costs->count && costs->bytes[at] == bytes) {
        if (nanoseconds < costs->nanoseconds[at])
            costs->nanoseconds[at] = nanoseconds;
        return;
    }
    if (costs->count == BMF_RECEIVE_SIZES)
        return;
    const size_t behind = (size_t)(costs->count - at) * sizeof(int64_t);
    memmove(&costs->bytes[at + 1], &costs->bytes[at], behind);
    memmove(&costs->nanoseconds[at + 1], &costs->nanoseconds[at], behind);
    costs->bytes[at] = bytes;
    costs->nanoseconds[at] = nanoseconds;
    costs->count++;
}

int64_t receive_costs_of(const bmf_receive_costs *costs, int64_t bytes)
{
    if (costs->count == 0)
        return 0;
    const int at = (int)SEARCH_FIRST(k, 0, costs->count, costs->bytes[k] >= bytes);
    if (at == costs->count)
        return costs->nanoseconds[at - 1];
    if (at == 0 || costs->bytes[at] == bytes)
        return costs->nanoseconds[at];
    const double share = (double)(bytes - costs->bytes[at - 1]) / (double)(costs->bytes[at] - costs->bytes[at - 1]);
    const double low = (double)costs->nanoseconds[at - 1], high = (double)costs->nanoseconds[at];
    return (int64_t)(low + share * (high - low) + 0.5);
}

void receive_costs_write(const bmf_receive_costs *costs, bmf_trace_run *run)
{
    char text[BMF_RECEIVE_SIZES * 48];
    size_t used = 0;
    for (int k = 0; k < costs->count; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64 ":%" PRId64, k > 0 ? " " : "",
                                 costs->bytes[k], costs->nanoseconds[k]);
    if (costs->count > 0)
        run_add_fact(run, fact, text);
}

/* "BYTES:NS", and a space if more follows. False if it is something else, or out of order. */
static bool take_pair(const char **at, bmf_receive_costs *costs)
{
    long long bytes, nanoseconds;
    int size = 0;
    if (sscanf(*at, "%19lld:%19lld%n", &bytes, &nanoseconds, &size) != 2 || bytes < 0 || nanoseconds < 0 ||
        bytes > BMF_TRACE_MAX_NUMBER || nanoseconds > BMF_TRACE_MAX_NUMBER || costs->count == BMF_RECEIVE_SIZES ||
        (costs->count > 0 && costs->bytes[costs->count - 1] >= bytes))
        return false;
    costs->bytes[costs->count] = bytes;
    costs->nanoseconds[costs->count++] = nanoseconds;
    *at += size;
    return **at == ' ' || **at == '\0';
}

void receive_costs_read(const bmf_trace_run *run, bmf_receive_costs *costs)
{
    const char *at = run_fact(run, fact);
    *costs = (bmf_receive_costs){0};
    while (at && *at) {
        if (!take_pair(&at, costs)) {
            *costs = (bmf_receive_costs){0};
            return;
        }
        at += *at == ' ';
    }
}
