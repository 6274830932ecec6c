/* Who started this process, as its environment says: mpirun of MPICH, mpirun of Open MPI, or srun. Works without MPI.
 *
 * Sources: Hydra's and Slurm's PMI (PMI_RANK, PMI_SIZE), mpirun(1) of Open MPI (OMPI_COMM_WORLD_RANK and _SIZE),
 * srun(1) (SLURM_PROCID, SLURM_STEP_NUM_TASKS).
 */
#ifndef BMF_LAUNCHER_H
#define BMF_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

/* The rank that the launcher gave; 0 if none did. */
int launcher_rank(void);

/* True if several processes were started together, but this one is alone in the MPI_COMM_WORLD of `ranks` ranks: the
 * launcher is not that of the MPI library. text says so, and how to start them. BMF_INDEPENDENT=1 in the environment
 * says that they are meant to be alone. */
bool launcher_is_foreign(int ranks, char *text, size_t bytes);

/* Makes this process, and those that it starts, one that no launcher started. */
void launcher_leave(void);

#endif
