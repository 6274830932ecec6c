/* What the nodes of a program print: node 0's as it is, before the lines of the others their number: "[5] text". */
#ifndef BMF_COP_NODE_OUTPUT_H
#define BMF_COP_NODE_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

/* A stream for a node onto `console`: every line whole. The caller closes it, which ends a last line that
 * the program has not ended. NULL: errno says why. */
FILE *node_output_open(FILE *console, int64_t node);

#endif
