/* life: Conway's game on an n x n board whose edges meet.
 *
 * Rows are dealt in blocks. In every step a rank sends its first row up and its last row down, and receives its
 * neighbours'; ranks without rows take no part. Sends are buffered, so that rows of any length may be under way in both
 * directions. */
#include "bmf_mark.h"
#include "formulas.h"
#include "programs.h"

#include <stdlib.h>
#include <string.h>

enum { UPWARDS, DOWNWARDS };

/* A rank's rows with the row above and the row below, and who has those. */
struct part {
    int rows, columns, above, below;
    bool alone;
    int32_t *cells, *next;
};

static int32_t *row(const struct part *part, int i)
{
    return part->cells + (int64_t)(i + 1) * part->columns;
}

static void swap_borders(const struct part *part)
{
    const int n = part->columns, last = part->rows - 1;
    if (part->alone) {
        memcpy(row(part, -1), row(part, last), (size_t)n * sizeof(int32_t));
        memcpy(row(part, last + 1), row(part, 0), (size_t)n * sizeof(int32_t));
        return;
    }
    MPI_Bsend(row(part, 0), n, MPI_INT32_T, part->above, UPWARDS, MPI_COMM_WORLD);
    MPI_Bsend(row(part, last), n, MPI_INT32_T, part->below, DOWNWARDS, MPI_COMM_WORLD);
    MPI_Recv(row(part, last + 1), n, MPI_INT32_T, part->below, UPWARDS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(row(part, -1), n, MPI_INT32_T, part->above, DOWNWARDS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static struct part part_of(const struct run *run, const struct matrix *board)
{
    const int active = board->rows < run->ranks ? board->rows : run->ranks;
    struct part part = {.rows = board->count, .columns = board->columns, .alone = active == 1};
    part.above = (run->rank + active - 1) % active;
    part.below = (run->rank + 1) % active;
    part.cells = memory((int64_t)(part.rows + 2) * part.columns, sizeof(int32_t));
    part.next = memory((int64_t)(part.rows + 2) * part.columns, sizeof(int32_t));
    memcpy(row(&part, 0), board->ints, (size_t)part.rows * (size_t)part.columns * sizeof(int32_t));
    return part;
}

static void steps(const struct run *run, struct part *part, int64_t count)
{
    const int n = part->columns;
    for (int64_t step = 0; step < count; step++) {
        phase("swap");
        swap_borders(part);
        phase("compute");
#pragma omp parallel for num_threads((int)run->threads)
        for (int i = 0; i < part->rows; i++)
            life_row(row(part, i - 1), row(part, i), row(part, i + 1), part->next + (int64_t)(i + 1) * n, n);
        bmf_compute(2.0 * part->rows * n);
        int32_t *const swapped = part->cells;
        part->cells = part->next;
        part->next = swapped;
    }
}

void life(const struct run *run, struct matrix *board, int64_t count)
{
    if (board->count > 0) {
        struct part part = part_of(run, board);
        int size = 2 * (board->columns * (int)sizeof(int32_t) + MPI_BSEND_OVERHEAD);
        void *buffer = memory(size, 1);
        MPI_Buffer_attach(buffer, size);
        steps(run, &part, count);
        MPI_Buffer_detach(&buffer, &size);
        memcpy(board->ints, row(&part, 0), (size_t)part.rows * (size_t)part.columns * sizeof(int32_t));
        free(buffer);
        free(part.cells);
        free(part.next);
    }
    phase("barrier");
    MPI_Barrier(MPI_COMM_WORLD);
}

#ifndef COWICHAN_CHAIN
static void *reference(int32_t *board, int64_t n, int64_t count)
{
    for (; count > 0; count--) {
        int32_t *const next = memory(n * n, sizeof *next);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                int alive = 0;
                for (int64_t di = -1; di <= 1; di++)
                    for (int64_t dj = -1; dj <= 1; dj++)
                        if (di != 0 || dj != 0)
                            alive += board[(i + di + n) % n * n + (j + dj + n) % n];
                next[i * n + j] = alive == 3 || (alive == 2 && board[i * n + j] != 0);
            }
        free(board);
        board = next;
    }
    return board;
}

static struct matrix first_board(const struct run *run)
{
    struct matrix board = run->in ? matrix_read(run, run->in, INTS, 0) : random_matrix(run, run->n);
    const int64_t cells = (int64_t)board.count * board.columns;
    for (int64_t i = 0; i < cells; i++)
        board.ints[i] = run->in ? board.ints[i] != 0 : board.ints[i] >= RANDOM_VALUES / 2;
    return board;
}

int main(int argc, char **argv)
{
    int64_t count = 20;
    const struct option options[] = {{"iters", OPTION_INT, &count, "steps (20)"}, {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run =
        run_open(argc, argv, "life", "Plays Conway's game of life on n x n cells whose edges meet.", options);
    if (count < 0)
        fail(&run, 2, "--iters %lld: from 0", (long long)count);
    struct matrix board = first_board(&run);
    run.n = board.rows;
    int32_t *const start = run.check ? matrix_gather(&run, &board) : NULL;
    run_begin(&run);
    life(&run, &board, count);
    run_end(&run);
    output(&run, &board);
    if (run.check)
        check_equal(&run, "the board", &board, start ? reference(start, run.n, count) : NULL, 0);
    const uint64_t checksum = matrix_checksum(&board);
    matrix_free(&board);
    return run_close(&run, checksum);
}
#endif
