/* The beginning and the end of MPI, and MPI_Pcontrol. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "predict/record/virtual.h"

/* A program of Open MPI passes other things as communicators: nothing can go on from here. */
__attribute__((constructor)) static void refuse_other_libraries(void)
{
    static const char text[] = "bmf: the program uses Open MPI; bmf record knows MPICH; recorded nothing\n";
    if (!dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
        return;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

RECORD_EXPORT int MPI_Init(int *argc, char ***argv)
{
    const int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        record_open();
    return result;
}

RECORD_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        record_open();
    return result;
}

RECORD_EXPORT int MPI_Finalize(void)
{
    record_close();
    return PMPI_Finalize();
}

RECORD_EXPORT int MPI_Abort(MPI_Comm comm, int code)
{
    const bmf_call c = ENTER(ABORT);
    record_leave(&c, rec.last);
    record_abandon(PART_ABORTED);
    return PMPI_Abort(comm, code);
}

/* The rank's own clock, unless it is virtual. */
RECORD_EXPORT double MPI_Wtime(void)
{
    return rec.virtual && rec.on && !rec.inside ? virtual_clock() : PMPI_Wtime();
}

/* 0: off, 1: on; 2: what there is is written, which it always is. */
RECORD_EXPORT int MPI_Pcontrol(const int level, ...)
{
    if (level == 0 || level == 1)
        record_switch(level == 1);
    return MPI_SUCCESS;
}
