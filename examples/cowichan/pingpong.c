/* pingpong: neighbours (0 and 1, 2 and 3, ..) send a message there and back, many times; an odd last rank waits. */
#include "common.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    int64_t iterations = 1000;
    const struct option options[] = {{"iters", OPTION_INT, &iterations, "times there and back (1000)"},
                                     {NULL, OPTION_FLAG, NULL, NULL}};
    struct run run = run_open(argc, argv, "pingpong", "Sends n ints to a neighbour and back.", options);
    if (iterations < 0)
        fail(&run, 2, "--iters %lld: from 0", (long long)iterations);
    const int n = (int)run.n, other = run.rank ^ 1;
    struct matrix ball = matrix_make(&run, run.ranks, n, INTS); /* a row for each */
    run_begin(&run);
    phase("pingpong");
    for (int64_t k = 0; k < iterations && other < run.ranks; k++) {
        if (run.rank < other) {
            ball.ints[0]++;
            MPI_Send(ball.ints, n, MPI_INT32_T, other, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(ball.ints, n, MPI_INT32_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (run.rank > other) {
            ball.ints[n - 1]++;
            MPI_Send(ball.ints, n, MPI_INT32_T, other, 0, MPI_COMM_WORLD);
        }
    }
    run_end(&run);
    output(&run, &ball);
    const int64_t expected = other < run.ranks ? iterations : 0;
    if (run.check) {
        struct matrix counted = matrix_make(&run, run.ranks, n, INTS);
        counted.ints[0] += (int32_t)expected;
        counted.ints[n - 1] += (int32_t)expected;
        if (run.rank < other && n > 1 && expected > 0) /* has it back: both have counted */
            counted.ints[n - 1] = (int32_t)expected;
        check_equal(&run, "the message", &ball, matrix_gather(&run, &counted), 0);
        matrix_free(&counted);
    }
    const uint64_t checksum = matrix_checksum(&ball);
    matrix_free(&ball);
    return run_close(&run, checksum);
}
