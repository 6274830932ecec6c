/* bmf: data-parallel programs of Bird-Meertens skeletons over MPI and OpenMP.
 * Include this. Start with examples/01-sum-of-squares.c and docs/c-programs.md. */
#ifndef BMF_H
#define BMF_H

#include "runtime/context/context.h"
#include "runtime/data/kernel.h"
#include "runtime/data/list.h"
#include "runtime/npy/npy.h"
#include "runtime/context/status.h"
#include "skeletons/operators.h"
#include "skeletons/skeletons.h"

#endif
