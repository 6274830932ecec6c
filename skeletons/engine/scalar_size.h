/* Loops over elements whose size is known when they run: for the sizes of scalars each copy becomes a single move. */
#ifndef BMF_SCALAR_SIZE_H
#define BMF_SCALAR_SIZE_H

/* Runs LOOP(size), a macro, with the size as a constant if it is that of a scalar. */
#define WITH_SCALAR_SIZE(size, LOOP)                                                                                   \
    do {                                                                                                               \
        if ((size) == 8)                                                                                               \
            LOOP(8);                                                                                                   \
        else if ((size) == 1)                                                                                          \
            LOOP(1);                                                                                                   \
        else if ((size) == 4)                                                                                          \
            LOOP(4);                                                                                                   \
        else if ((size) == 16)                                                                                         \
            LOOP(16);                                                                                                  \
        else                                                                                                           \
            LOOP(size);                                                                                                \
    } while (0)

#endif
