/* Calls that a plan says several times in the same order, as the turns of a loop do, said once. */
#ifndef BMF_DRIVER_TURNS_H
#define BMF_DRIVER_TURNS_H

#include <stdio.h>

/* Prints the text that skeletons wrote to a plan's stream: neighbouring calls, or runs of calls, that are the same word
 * by word stand once, behind "100 times:" and further in; also inside of each other. */
void print_turns(const char *text, FILE *stream);

#endif
