#include <stdint.h>

/* What a node's program calls; whoever runs the program sets it before. Operators by number; a message is the :m words
 * of 32 bits of the operator. */
typedef struct cop_services {
    void *state;
    int node, nodes;
    void (*init)(void *state);
    void (*fini)(void *state);
    void (*delay)(void *state, double cycles);
    int64_t (*cycle)(void *state);
    void (*load)(void *state, int op, int count, const int32_t *operand);
    void (*write)(void *state, int op, const void *message);
    void (*read)(void *state, int op, void *message);
    void (*call)(void *state, int op, const void *in, void *out,
                 void (*combine)(const void *a, const void *b, void *out));
} cop_services;
