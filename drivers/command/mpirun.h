/* The MPI that bmf is built with, in words: its name and version, what starts its ranks (as it was called where bmf was
 * built; otherwise as Debian calls it) and binds each to as many cores as it has threads, the option by which srun
 * starts them, and whether there is a recorder. */
#ifndef BMF_COMMAND_MPIRUN_H
#define BMF_COMMAND_MPIRUN_H

#include <mpi.h>

#include "bmf/version.h"

#ifdef OPEN_MPI
#define BMF_MPI_NAME "Open MPI"
#define BMF_MPI_VERSION                                                                                                \
    BMF_VERSION_TEXT(OMPI_MAJOR_VERSION)                                                                               \
    "." BMF_VERSION_TEXT(OMPI_MINOR_VERSION) "." BMF_VERSION_TEXT(OMPI_RELEASE_VERSION)
#define BMF_BIND_THREADS "--map-by slot:PE=THREADS --bind-to core"
#define BMF_SRUN_OPTION  "--mpi=pmix"
#define BMF_HAS_RECORDER 0
#else
#define BMF_MPI_NAME     "MPICH"
#define BMF_MPI_VERSION  MPICH_VERSION
#define BMF_BIND_THREADS "-bind-to core:THREADS"
#define BMF_SRUN_OPTION  "--mpi=pmi2"
#define BMF_HAS_RECORDER 1
#endif
#ifndef BMF_MPIRUN_NAME
#ifdef OPEN_MPI
#define BMF_MPIRUN_NAME "mpirun.openmpi"
#else
#define BMF_MPIRUN_NAME "mpirun.mpich"
#endif
#endif
#define BMF_NO_RECORDER "only programs of MPICH are recorded, and this bmf is built with " BMF_MPI_NAME

#endif
