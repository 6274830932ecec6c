/* Pieces of records, and kernels on them; see records.h. */
#include "skeletons/sort/records.h"

#include "runtime/base/allocate.h"

enum {
    SHARE = 8192, /* records of a worker, at least */
    EVEN = 8      /* a share is a multiple: records of whole lines of memory */
};

int64_t records_share(const bmf_records *records)
{
    const int64_t count = records->start[records->segments], workers = work_shares(records->ctx);
    const int64_t share = ((count + workers - 1) / workers + EVEN - 1) / EVEN * EVEN;
    return share > SHARE ? share : SHARE;
}

void records_cut(const bmf_records *records, bmf_piece **piece, int64_t *pieces)
{
    const int64_t share = records_share(records), workers = work_shares(records->ctx);
    bmf_piece *all = allocate((records->segments + workers) * (int64_t)sizeof *all);
    *pieces = 0;
    for (int64_t k = 0; k < records->segments; k++)
        for (int64_t begin = records->start[k], end; begin < records->start[k + 1]; begin = end) {
            const int64_t worker = begin / share, cut = (worker + 1) * share;
            end = cut < records->start[k + 1] ? cut : records->start[k + 1];
            all[(*pieces)++] = (bmf_piece){k, records->processor[k], begin, end, (int)worker};
        }
    *piece = all;
}

int records_compute(bmf_records *records, const bmf_records_kernel *kernel, const bmf_piece *piece, int64_t pieces,
                    void *state)
{
    const int status = backend_compute(records->ctx, &(bmf_work){.kernel = kernel->name,
                                                                 .round = records->round++,
                                                                 .piece = piece,
                                                                 .pieces = pieces,
                                                                 .dynamic = kernel->dynamic,
                                                                 .each = kernel->each,
                                                                 .run = kernel->run,
                                                                 .state = state});
    if (records->between)
        records->between(records->between_state);
    return status;
}
