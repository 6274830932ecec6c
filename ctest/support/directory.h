/* A temporary directory that all ranks of a test share. */
#ifndef BMF_TEST_DIRECTORY_H
#define BMF_TEST_DIRECTORY_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctest/support/testing.h"
#include "runtime/base/output_file.h"

enum { TEST_DIRECTORY = 256 };

/* Rank 0 makes it, every rank learns its path. Collective over MPI_COMM_WORLD. Whoever makes it removes it. */
static void test_directory(const char *name, char path[TEST_DIRECTORY])
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    path[0] = '\0';
    if (rank == 0) {
        char *made = temporary_directory_create(name);
        if (CHECK(made, "no temporary directory"))
            snprintf(path, TEST_DIRECTORY, "%s", made);
        free(made);
    }
    MPI_Bcast(path, TEST_DIRECTORY, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
