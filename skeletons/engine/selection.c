/* Where a filter puts what it keeps; see selection.h.
 *
 * Cost: every element read once; those kept written to and read from a cache, and written once to memory. */
#include "skeletons/engine/selection.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/copy_nontemporal.h"
#include "skeletons/engine/compress.h"

static int64_t round_up_to_line(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static int64_t element_bytes(int leaves, const int64_t *leaf_size)
{
    int64_t bytes = 0;
    for (int k = 0; k < leaves; k++)
        bytes += leaf_size[k];
    return bytes;
}

/* Room for what is kept of a piece, from `room` on; returns the end. */
static char *place_leaves(const bmf_selection *s, bmf_selected_piece *piece, char *room)
{
    for (int k = 0; k < s->leaves; k++) {
        piece->leaf[k] = room;
        room += round_up_to_line(s->grain * s->leaf_size[k] + BMF_COMPRESS_SLACK);
    }
    return room;
}

void selection_open(bmf_selection *selection, int leaves, const int64_t *leaf_size, const bmf_slice *out, int64_t count,
                    int workers)
{
    const int64_t bytes = element_bytes(leaves, leaf_size);
    *selection =
        (bmf_selection){.leaves = leaves, .workers = workers, .streaming = count * bytes >= BMF_STREAMED_BYTES};
    for (int k = 0; k < leaves; k++) {
        selection->leaf_size[k] = leaf_size[k];
        selection->out[k] = out[k];
    }
    /* two rooms, beside what is read */
    selection->grain = chain_grain(BMF_BLOCK, 2 * bytes);
    selection->worker = allocate(workers * (int64_t)sizeof *selection->worker);
    for (int w = 0; w < workers; w++) {
        bmf_selection_worker *worker = &selection->worker[w];
        *worker = (bmf_selection_worker){.current = &worker->piece[0], .waiting = &worker->piece[1]};
        worker->room = working_buffer(2 * (selection->grain * bytes + leaves * (BMF_COMPRESS_SLACK + 64)));
        place_leaves(selection, worker->waiting, place_leaves(selection, worker->current, worker->room->data));
    }
}

void selection_close(bmf_selection *selection)
{
    for (int w = 0; w < selection->workers; w++)
        buffer_release(selection->worker[w].room);
    free(selection->worker);
}

/* ---- writing ---- */

static void write_elements(const bmf_selection *s, bmf_selected_piece *piece, int64_t end)
{
    for (int k = 0; k < s->leaves; k++) {
        const int64_t size = s->leaf_size[k], bytes = (end - piece->written) * size;
        const char *from = piece->leaf[k] + piece->written * size;
        char *to = (char *)s->out[k].data + (piece->place + piece->written) * size;
        if (s->streaming)
            copy_nontemporal(to, from, bytes);
        else
            memcpy(to, from, (size_t)bytes);
    }
    piece->written = end;
}

static void write_rest(const bmf_selection *s, bmf_selected_piece *piece)
{
    if (piece->written < piece->kept)
        write_elements(s, piece, piece->kept);
}

/* As large a part of it as a block is of a piece. Cuts at multiples of 64 elements of the result, and so at its lines.
 */
static void write_some(const bmf_selection *s, bmf_selected_piece *piece)
{
    const int64_t share = piece->kept / (s->grain / BMF_BLOCK) + 64;
    const int64_t end = (piece->place + piece->written + share) / 64 * 64 - piece->place;
    if (end < piece->kept)
        write_elements(s, piece, end);
    else
        write_rest(s, piece);
}

/* ---- keeping ---- */

int64_t selection_keep(bmf_selection *selection, int worker, int64_t count, const uint64_t *word, const bmf_slice *x)
{
    bmf_selection_worker *w = &selection->worker[worker];
    bmf_selected_piece *piece = w->current;
    int64_t kept = 0;
    write_some(selection, w->waiting);
    for (int k = 0; k < selection->leaves; k++) {
        const int64_t size = selection->leaf_size[k];
        char *to = piece->leaf[k] + piece->kept * size;
        kept = (compress(count, word, &x[k], size, to) - to) / size;
    }
    piece->kept += kept;
    return kept;
}

typedef struct place_step {
    bmf_selection *selection;
    bmf_selected_piece *piece;
} place_step;

static int take_place(bmf_chain *chain, void *state)
{
    place_step *step = state;
    (void)chain;
    step->piece->place = step->selection->kept;
    step->selection->kept += step->piece->kept;
    return 0;
}

void selection_end_piece(bmf_selection *selection, int worker, int64_t index, int code)
{
    bmf_selection_worker *w = &selection->worker[worker];
    bmf_selected_piece *piece = w->current;
    write_rest(selection, w->waiting);
    if (!chain_hand_on(&selection->chain, index, take_place, &(place_step){selection, piece}, &code))
        piece->kept = 0;
    w->current = w->waiting;
    w->waiting = piece;
    piece->written = 0;
    w->current->kept = w->current->written = 0;
}

int64_t selection_finish(bmf_selection *selection)
{
    for (int w = 0; w < selection->workers; w++)
        write_rest(selection, selection->worker[w].waiting);
    return selection->kept;
}
