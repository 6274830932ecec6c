/* map and zip: out[i] = kernel(xs[i]) or kernel(xs[i], ys[i]). Document 000, 2.9.2, 2.9.5, 5.5 and 5.7.
 *
 * Method: every worker walks its contiguous piece in blocks. No messages; 2 n w bytes of memory (zip: 3 n w). */
#include <stdlib.h>

#include "bmf/skeletons.h"
#include "skeletons/engine/elementwise.h"

typedef struct map_state {
    const bmf_source *source;
    const bmf_sink *sink;
} map_state;

static int map_piece(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const map_state *s = state;
    const bmf_kernel *kernel = s->source->kernel;
    (void)index;
    for (int64_t i = piece->begin, count; i < piece->end; i += count) {
        bmf_slice in[2 * BMF_MAX_LEAVES];
        count = sink_count(s->sink, i, piece->end);
        source_inputs(s->source, i, in);
        int code = sink_run(s->sink, worker, kernel, in, i, count);
        if (code != 0)
            return code;
    }
    return 0;
}

/* Fills `out`, whose partition is that of the source. */
static int map_into(const bmf_source *source, bmf_list *out, bmf_sink_mode mode)
{
    bmf_context *ctx = out->context;
    bmf_piece *piece;
    int64_t pieces;
    bmf_sink sink;
    pieces_create(ctx, out->partition, BMF_BLOCK, &piece, &pieces);
    sink_open_kernel(&sink, out, mode, source->inputs, source->kernel, source_contiguous(source));
    map_state state = {source, &sink};
    int status = backend_compute(ctx, &(bmf_work){.kernel = source->kernel->name,
                                                  .piece = piece,
                                                  .pieces = pieces,
                                                  .run = map_piece,
                                                  .state = &state,
                                                  .each = source_work(source, true)});
    sink_close(&sink);
    free(piece);
    return agree_if(ctx, source->may_fail, status);
}

const bmf_skeleton_type skeleton_map = {
    .id = 20, .name = "map", .communication = BMF_COMMUNICATION_OTHER, .keyword = "P_Map"};
const bmf_skeleton_type skeleton_zip = {
    .id = 21, .name = "zip", .communication = BMF_COMMUNICATION_OTHER, .keyword = "P_Zip"};

int elementwise(const bmf_skeleton_type *skeleton, const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel,
                bmf_list **out)
{
    bmf_source source;
    bmf_list *made = NULL;
    bmf_context *ctx = xs->context;
    BMF_TRY(source_open(&source, skeleton->name, xs, ys, kernel));
    skeleton_begin(ctx, skeleton, "%s %s", skeleton->name, kernel->name);
    int status = bmf_list_create(ctx, source.type, xs->partition, &made);
    if (status == BMF_OK)
        status = map_into(&source, made, BMF_SINK_NEW);
    skeleton_end(ctx, xs->partition, status);
    source_close(&source);
    if (status == BMF_OK)
        *out = made;
    else
        bmf_list_free(made);
    return status;
}

/* A kernel that can fail half way must not have changed anything by then: a new list takes the old one's place. */
int elementwise_in_place(const bmf_skeleton_type *skeleton, bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel)
{
    bmf_source source;
    bmf_context *ctx = xs->context;
    if (!kernel->may_fail)
        bmf_list_make_writable(xs);
    BMF_TRY(source_open(&source, skeleton->name, xs, ys, kernel));
    int status = BMF_OK;
    if (source.type != xs->type) {
        char from[128], to[128];
        source_close(&source);
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s in place: kernel %s turns %s into %s", skeleton->name, kernel->name,
                        bmf_type_print(xs->type, from, sizeof from), bmf_type_print(source.type, to, sizeof to));
    }
    if (kernel->may_fail) {
        bmf_list *made = NULL;
        source_close(&source);
        BMF_TRY(elementwise(skeleton, xs, ys, kernel, &made));
        list_replace(xs, made);
        return BMF_OK;
    }
    skeleton_begin(ctx, skeleton, "%s %s", skeleton->name, kernel->name);
    /* A kernel of several leaves might write one before it reads another of the same element. */
    status = map_into(&source, xs, source.leaves > 1 ? BMF_SINK_STAGED : BMF_SINK_IN_PLACE);
    skeleton_end(ctx, xs->partition, status);
    source_close(&source);
    return status;
}

void list_replace(bmf_list *xs, bmf_list *made)
{
    bmf_list old = *xs;
    *xs = *made;
    *made = old;
    bmf_list_free(made);
}

int bmf_map(const bmf_list *xs, const bmf_kernel *kernel, bmf_list **out)
{
    return elementwise(&skeleton_map, xs, NULL, kernel, out);
}

int bmf_map_in_place(bmf_list *xs, const bmf_kernel *kernel)
{
    return elementwise_in_place(&skeleton_map, xs, NULL, kernel);
}

int bmf_zip(const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel, bmf_list **out)
{
    return elementwise(&skeleton_zip, xs, ys, kernel, out);
}

int bmf_zip_in_place(bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel)
{
    return elementwise_in_place(&skeleton_zip, xs, ys, kernel);
}
