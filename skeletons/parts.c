/* What every processor does by itself on its part of a list: any function, shown in traces and predictions as a kernel.
 *
 * Method: one piece a part, handed to threads as they get free. Cost: the function's. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "bmf/skeletons.h"

typedef struct part_state {
    bmf_part_function *run;
    void *state;
} part_state;

static int run_part(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const part_state *s = state;
    (void)index, (void)worker;
    return s->run(s->state, piece->part, piece->begin, piece->end);
}

const bmf_skeleton_type skeleton_each_part = {.id = 28, .name = "each_part", .communication = BMF_COMMUNICATION_OTHER};

int bmf_each_part(bmf_context *ctx, const bmf_partition *partition, const char *name, bmf_part_function *run,
                  void *state)
{
    part_state inner = {run, state};
    bmf_piece *piece = allocate(partition->local_parts * (int64_t)sizeof *piece);
    for (int64_t i = 0; i < partition->local_parts; i++) {
        int64_t part = partition->local_first + i;
        piece[i] = (bmf_piece){.part = part,
                               .processor = bmf_partition_processor(partition, part),
                               .begin = partition->start[part],
                               .end = partition->start[part + 1]};
    }
    skeleton_begin(ctx, &skeleton_each_part, "each_part %s", name);
    int status = backend_compute(ctx, &(bmf_work){.kernel = name,
                                                  .piece = piece,
                                                  .pieces = partition->local_parts,
                                                  .dynamic = true,
                                                  .run = run_part,
                                                  .state = &inner});
    status = skeleton_end(ctx, partition, bmf_agree(ctx, status));
    free(piece);
    return status;
}
