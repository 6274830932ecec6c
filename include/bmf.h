/** @file
 * bmf: data-parallel programs of Bird-Meertens skeletons over MPI and OpenMP.
 * Include this. Start with examples/01-sum-of-squares.c and docs/c-programs.md. */
#ifndef BMF_H
#define BMF_H

#include <bmf/bit_matrix.h>
#include <bmf/context.h>
#include <bmf/kernel.h>
#include <bmf/list.h>
#include <bmf/files.h>
#include <bmf/npy.h>
#include <bmf/operators.h>
#include <bmf/partition.h>
#include <bmf/permutation.h>
#include <bmf/permute.h>
#include <bmf/random.h>
#include <bmf/skeletons.h>
#include <bmf/slice.h>
#include <bmf/status.h>
#include <bmf/stencil.h>
#include <bmf/trace.h>
#include <bmf/type.h>
#include <bmf/version.h>

#include <bmf/places.h> /* last: macros of the functions above */

#endif
