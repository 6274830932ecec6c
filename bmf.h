/* bmf: data-parallel programs of Bird-Meertens skeletons over MPI and OpenMP.
 * Include this. Start with examples/01-sum-of-squares.c and docs/c-programs.md. */
#ifndef BMF_H
#define BMF_H

#include "runtime/context.h"
#include "runtime/kernel.h"
#include "runtime/list.h"
#include "runtime/npy.h"
#include "runtime/status.h"
#include "skeletons/operators.h"
#include "skeletons/skeletons.h"

#endif
