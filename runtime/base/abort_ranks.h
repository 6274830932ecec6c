/* Ending all ranks because one of them cannot go on. */
#ifndef BMF_ABORT_RANKS_H
#define BMF_ABORT_RANKS_H

/* Ends all ranks of MPI_COMM_WORLD with the exit code; without MPI, this process. What was printed before gets out:
 * MPICH's mpirun drops what it has not read when the ranks are ended, so this waits a fifth of a second first. */
_Noreturn void abort_ranks(int code);
/* Before a rank prints why it cannot go on: gives ranks before it the time to end all, so that what they have in
 * common is said once. At most 5 seconds. */
void wait_for_lower_ranks(void);
/* Before a rank ends that leaves it to the first one to say why, when no MPI is left to meet by: time for that. */
void wait_for_first_rank(void);

#endif
