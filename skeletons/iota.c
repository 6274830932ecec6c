/* iota and tabulate: lists of numbers and of functions of numbers. Document 000, 2.7.2.
 *
 * Method: every processor makes its own part; no messages, n w bytes written once. */
#include <stdlib.h>

#include "bmf/skeletons.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/source.h"

typedef struct tabulate_state {
    const bmf_kernel *kernel;
    const bmf_sink *sink;
} tabulate_state;

BMF_VECTORISE static void number_from(int64_t first, int64_t count, int64_t *number)
{
    for (int64_t k = 0; k < count; k++)
        number[k] = first + k;
}

static int tabulate_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const tabulate_state *s = state;
    int64_t number[BMF_BLOCK];
    const bmf_slice in = {number, (int64_t)sizeof *number};
    (void)index;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        count = sink_count(s->sink, i, piece->end);
        number_from(i, count, number);
        int code = sink_run(s->sink, worker, s->kernel, &in, i, count);
        if (code != 0)
            return code;
    }
    return 0;
}

static int fill(bmf_context *ctx, const bmf_kernel *kernel, bmf_list *made)
{
    bmf_piece *piece;
    int64_t pieces;
    bmf_sink sink;
    pieces_create(ctx, made->partition, BMF_BLOCK, &piece, &pieces);
    sink_open_kernel(&sink, made, BMF_SINK_NEW, 0, kernel, true);
    tabulate_state state = {kernel, &sink};
    int status =
        backend_compute(ctx, &(bmf_work){.kernel = kernel->name,
                                         .piece = piece,
                                         .pieces = pieces,
                                         .run = tabulate_piece,
                                         .state = &state,
                                         .each = {.operations = 1, .written = type_element_bytes(made->type)}});
    sink_close(&sink);
    free(piece);
    return agree_if(ctx, kernel->may_fail, status);
}

const bmf_skeleton_type skeleton_tabulate = {.id = 23, .name = "tabulate", .communication = BMF_COMMUNICATION_OTHER};

int bmf_tabulate(bmf_context *ctx, int64_t n, const bmf_kernel *kernel, bmf_list **out)
{
    bmf_partition *partition;
    bmf_list *made = NULL;
    char text[128];
    if (n < 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s: a list cannot have %lld elements", kernel->name, (long long)n);
    if (kernel->inputs != 1 || !bmf_type_equal(kernel->input[0], &bmf_type_int) || !bmf_type_is_fixed(kernel->output))
        return bmf_fail(ctx, BMF_ERROR_TYPE, "tabulate takes a kernel from int to elements without lists; %s takes %s",
                        kernel->name, bmf_type_print(kernel->input[0], text, sizeof text));
    BMF_TRY(bmf_partition_even(ctx, n, &partition));
    skeleton_begin(ctx, &skeleton_tabulate, "tabulate %s", kernel->name);
    int status = bmf_list_create(ctx, kernel->output, partition, &made);
    if (status == BMF_OK)
        status = fill(ctx, kernel, made);
    skeleton_end(ctx, partition, status);
    bmf_partition_release(partition);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}

BMF_MAP_KERNEL(iota, int64_t, i, int64_t, i)
BMF_MAP_KERNEL(iota_real, int64_t, i, double, (double)i)

int bmf_iota(bmf_context *ctx, int64_t n, bmf_list **out)
{
    return bmf_tabulate(ctx, n, &iota, out);
}

int bmf_iota_real(bmf_context *ctx, int64_t n, bmf_list **out)
{
    return bmf_tabulate(ctx, n, &iota_real, out);
}
