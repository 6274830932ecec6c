/* The burst of a port, from the times of single messages and of messages that follow each other.
 *
 * Messages one by one do not show the rate of a link that passes some work at once after a pause, as the token buckets
 * of clouds and of switches do; messages that follow each other do. */
#ifndef BMF_BURST_H
#define BMF_BURST_H

#include <stdint.h>

/* Seconds of work that a port passes at once: single[k] is what a message of the k-th size takes when all ports are
 * idle, following[k] what each of many takes that follow each other. 0: single messages grow as those do, or faster. */
double burst_of(int64_t count, const double *single, const double *following);

#endif
