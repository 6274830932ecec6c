/* invperc: invasion percolation: of the cells beside those that are filled, the one of smallest value is filled next.
 *
 * Every rank keeps a queue (a binary heap) of such cells in its rows. All find the smallest head together, by one
 * reduction a cell; who has it takes it out, and everybody enters its neighbours among his own rows. */
#include "bmf_mark.h"
#include "mains.h"
#include "programs.h"

#include <limits.h>
#include <stdlib.h>

/* Ordered by value, then by number: as MPI_MINLOC has it. */
struct cell {
    int value, number;
};

struct queue {
    struct cell *heap;
    int64_t count, room;
};

static const struct cell no_cell = {INT_MAX, INT_MAX};

static bool before(struct cell a, struct cell b)
{
    return a.value < b.value || (a.value == b.value && a.number < b.number);
}

static struct cell head(const struct queue *queue)
{
    return queue->count > 0 ? queue->heap[0] : no_cell;
}

static void push(struct queue *queue, struct cell cell)
{
    if (queue->count == queue->room) {
        queue->room = 2 * queue->room + 64;
        struct cell *const larger = memory(queue->room, sizeof *larger);
        for (int64_t i = 0; i < queue->count; i++)
            larger[i] = queue->heap[i];
        free(queue->heap);
        queue->heap = larger;
    }
    int64_t i = queue->count++;
    for (; i > 0 && before(cell, queue->heap[(i - 1) / 2]); i = (i - 1) / 2)
        queue->heap[i] = queue->heap[(i - 1) / 2];
    queue->heap[i] = cell;
}

static void pop(struct queue *queue)
{
    const struct cell last = queue->heap[--queue->count];
    int64_t i = 0;
    for (int64_t child; (child = 2 * i + 1) < queue->count; i = child) {
        if (child + 1 < queue->count && before(queue->heap[child + 1], queue->heap[child]))
            child++;
        if (!before(queue->heap[child], last))
            break;
        queue->heap[i] = queue->heap[child];
    }
    queue->heap[i] = last;
}

enum { FILLED = 1, QUEUED = 2 };

/* A rank's rows: what is known of each of their cells, and the queue. */
struct part {
    const struct matrix *in;
    char *state;
    struct queue queue;
};

static bool has(const struct part *part, int64_t i)
{
    return i >= part->in->first && i < part->in->first + part->in->count;
}

static void enter(struct part *part, int64_t i, int64_t j)
{
    if (!has(part, i) || j < 0 || j >= part->in->columns)
        return;
    const int64_t local = (i - part->in->first) * part->in->columns + j;
    if (part->state[local] != 0)
        return;
    part->state[local] = QUEUED;
    push(&part->queue, (struct cell){part->in->ints[local], (int)(i * part->in->columns + j)});
}

static void fill(struct part *part, int number)
{
    const int64_t n = part->in->columns, i = number / n, j = number % n;
    if (has(part, i)) {
        part->state[(i - part->in->first) * n + j] = FILLED;
        pop(&part->queue);
    }
    enter(part, i - 1, j);
    enter(part, i + 1, j);
    enter(part, i, j - 1);
    enter(part, i, j + 1);
    bmf_compute(4.0 * (double)part->queue.count);
}

static int64_t cells_to_fill(int64_t n, double fraction)
{
    const double wanted = fraction * (double)(n * n);
    return (int64_t)wanted + ((double)(int64_t)wanted < wanted);
}

struct matrix invperc(const struct run *run, const struct matrix *in, double fraction)
{
    struct part part = {.in = in, .state = memory((int64_t)in->count * in->columns, 1)};
    struct matrix out = matrix_make(run, in->rows, in->columns, INTS);
    enter(&part, in->rows / 2, in->columns / 2);
    for (int64_t left = cells_to_fill(in->rows, fraction); left > 0; left--) {
        const struct cell own = head(&part.queue);
        struct cell smallest;
        phase("head");
        MPI_Allreduce(&own, &smallest, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
        phase("enqueue");
        fill(&part, smallest.number);
    }
    for (int64_t i = 0; i < (int64_t)in->count * in->columns; i++)
        out.ints[i] = part.state[i] == FILLED;
    free(part.queue.heap);
    free(part.state);
    return out;
}

#ifndef COWICHAN_CHAIN
/* Looks at every cell for each that is filled. */
static void *reference(const int32_t *in, int64_t n, double fraction)
{
    int32_t *const out = memory(n * n, sizeof *out);
    int64_t left = cells_to_fill(n, fraction), next = n / 2 * n + n / 2;
    for (; left > 0; left--) {
        out[next] = 1;
        next = -1;
        for (int64_t k = 0; k < n * n; k++) {
            const int64_t i = k / n, j = k % n;
            const bool beside = (i > 0 && out[k - n]) || (i < n - 1 && out[k + n]) || (j > 0 && out[k - 1]) ||
                                (j < n - 1 && out[k + 1]);
            if (!out[k] && beside && (next < 0 || in[k] < in[next]))
                next = k;
        }
    }
    return out;
}

int main(int argc, char **argv)
{
    const struct mask_program program = {"invperc", "Fills a part of n x n cells by invasion percolation.",
                                         "of the cells, to be filled (0.1)", invperc, reference};
    return mask_main(argc, argv, &program);
}
#endif
