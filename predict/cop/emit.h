/* Headers for programs in C: the functions of all operators of a program (docs/cop.md).
 *
 * All of them call a record of services (run.h). For the simulated mesh whoever loads the program sets it; for MPI the
 * header brings services of its own (emitted_mpi.h), and the program is compiled by mpicc and started by mpirun, with a
 * rank for every node. Deterministic. Not collective; needs no MPI. */
#ifndef BMF_COP_EMIT_H
#define BMF_COP_EMIT_H

#include <stdio.h>

#include "predict/cop/program.h"

typedef enum bmf_cop_target { BMF_COP_FOR_MESH, BMF_COP_FOR_MPI } bmf_cop_target;

void cop_emit(const bmf_cop_program *program, bmf_cop_target target, FILE *stream);
/* For MPI: `cop_operators`, a table of all operators, their instances and operands. */
void cop_emit_tables(const bmf_cop_program *program, FILE *stream);
/* BMF_ERROR_FILE with the place of an operator that MPI cannot carry out. */
int cop_check_mpi(const bmf_cop_program *program);

#endif
