/* Parameter files of the Predictor of DVM programs: the machine that document 002 predicts for.
 *
 *     // System type = network | transputer
 *     type = network;
 *     start time = 75;              // microseconds
 *     send byte time = 0.2;         // microseconds a byte
 *     power = 1.00;                 // speed of the processor here / speed of one of the machine's; left out: 1
 *     topology = {2, 2};            // of the processors; left out: any number of them
 *
 * Source: document 002, 2.4. Statements come in any order, each at most once; keys and words may be in capitals; what
 * follows // on a line is a remark. Every mistake is one line with file and line number. Cost: one pass over the file.
 */
#ifndef BMF_PREDICTOR_FILE_H
#define BMF_PREDICTOR_FILE_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_PREDICTOR_DIMENSIONS = 4 };

typedef struct bmf_predictor_file {
    bool transputer;              /* otherwise workstations on a network */
    double start_us, us_per_byte; /* a message of m bytes takes start_us + m us_per_byte */
    double power;                 /* of the host, relative to the machine's processors: above 0 */
    int dimensions;               /* of the topology; 0: not said */
    int64_t size[BMF_PREDICTOR_DIMENSIONS];
} bmf_predictor_file;

/* BMF_ERROR_FILE; messages go to the process-wide slot. */
int predictor_file_read(const char *path, bmf_predictor_file *file);
/* The processors of its topology, 0: any number. */
int64_t predictor_file_processors(const bmf_predictor_file *file);

#endif
