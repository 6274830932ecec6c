/** @file
 * Opening a context on a communicator of the program's own. Apart from bmf.h because it includes mpi.h, which most
 * programs of bmf do not need: include it beside bmf.h. */
#ifndef BMF_MPI_H
#define BMF_MPI_H

/** @cond
 * Nothing here needs the C++ bindings that MPI 3 took out, which Open MPI 4 still has, with warnings. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
/** @endcond */
#include <mpi.h>

#include <bmf/context.h>
#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opens a context on the ranks of a communicator, for instance in a program that is a PETSc or p4est program
 * otherwise.
 *
 * Any number of contexts may be open at once, on the same, disjoint or overlapping communicators: each has its own
 * options, lists, trace and message, and lists of one never go to a function together with those of another.
 * Functions that are collective over a context are called by the ranks of its communicator; a rank that is in two
 * contexts calls them in an order that cannot deadlock, as it would for MPI's collectives on two communicators. One
 * thread of a process calls bmf.
 *
 * Collective over comm, with the same options on every rank. comm is duplicated: it stays the caller's, may be freed at
 * once, and messages of bmf never match its receives. A communicator of one group; MPI_COMM_SELF is one.
 *
 * MPI: initialised already (MPI_THREAD_FUNNELED or more), and then finalised by the program after the last bmf_close;
 * or not yet, with MPI_COMM_WORLD or MPI_COMM_SELF, and then bmf initialises it, and finalises it when no context is
 * left.
 *
 * options: see bmf_options; NULL for none. Strings are copied.
 * Moves: a duplicate of the communicator and an allgather of less than 1 KiB a rank.
 * Errors: BMF_ERROR_ARGUMENT: MPI_COMM_NULL, an intercommunicator, a member out of its range, options that this version
 * does not know; BMF_ERROR_USAGE: a bad variable or --bmf-* option, or MPI is finalised. *ctx is then NULL on every
 * rank, and bmf_error_text(NULL) says why. */
BMF_API int bmf_open_with(MPI_Comm comm, const bmf_options *options, bmf_context **ctx);

#ifdef __cplusplus
}
#endif
#endif
