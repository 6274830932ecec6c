/* Peaks of memory. Cost: one pass over what is recorded. */
#include "predict/report/peaks.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"

int32_t held_peaks(const bmf_trace_run *run, bmf_held_peak *peak)
{
    int32_t most = 0;
    for (int32_t lane = 0; lane < run->lanes; lane++)
        peak[lane] = (bmf_held_peak){.lane = lane};
    for (int64_t k = 0; k < run->helds; k++) {
        const bmf_trace_held *held = &run->held[k];
        if (held->bytes > peak[held->lane].bytes)
            peak[held->lane] = (bmf_held_peak){held->bytes, held->time, held->lane};
    }
    for (int32_t lane = 1; lane < run->lanes; lane++)
        most = peak[lane].bytes > peak[most].bytes ? lane : most;
    return run->helds > 0 ? most : -1;
}

bool held_peak(const bmf_trace_run *run, bmf_held_peak *peak)
{
    bmf_held_peak *each = allocate_array(run->lanes, (int64_t)sizeof *each);
    const int32_t most = held_peaks(run, each);
    *peak = each[most < 0 ? 0 : most];
    free(each);
    return most >= 0;
}
