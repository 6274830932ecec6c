/* Native code for runs of scalar instructions; private to the files of scalar/.
 *
 * A run is a stretch of a region's code whose instructions all can be native code. It becomes one function, a loop over
 * the elements of a block: values are in vector registers from where they are computed to their last use, only what is
 * used outside of the run is written. What a value is of: an array of the block's elements, or one value for all
 * (uniform). A function is made for one combination of uniform inputs, when that is met for the first time.
 *
 * The operations are those of instructions.c, each rounded as there, so results have the same bits. Where one fails,
 * or might fail (factors that are large), the function only says so; the instructions then run one by one and tell.
 * Without AVX-512 and AVX2, or if the system forbids it, or with BMF_JIT=0 in the environment, there are no runs;
 * with BMF_JIT=avx2 AVX-512 is not used. */
#ifndef BMF_LANGUAGE_SCALAR_NATIVE_H
#define BMF_LANGUAGE_SCALAR_NATIVE_H

#include "skeletons/language/scalar/code.h"

/* What becomes of the outputs: arrays or uniform values; arrays that begin with a line of 64 bytes and are written past
 * the caches, if they are of words; of one bool, bits in words of 64; of bools, sums (eight for each, to be added). */
typedef enum bmf_native_mode {
    BMF_NATIVE_VALUES,
    BMF_NATIVE_STREAMED,
    BMF_NATIVE_BITS,
    BMF_NATIVE_COUNTS
} bmf_native_mode;

/* pointer: of every input, of `alive` if the run looks at it, of every output. constants: of the native code. Returns
 * whether an element may have failed. */
typedef int bmf_native_function(void *const *pointer, int64_t count, const uint64_t *constants);

typedef struct bmf_native_code {
    bmf_native_mode mode;
    uint64_t uniform;              /* bit k: input k is */
    bmf_native_function *function; /* NULL: the system refused */
    int64_t bytes;
    uint64_t *constants;
    bool *output_uniform;
    struct bmf_native_code *next;
} bmf_native_code;

enum { BMF_NATIVE_INPUTS = 40, BMF_NATIVE_COUNTS_MAX = 16 };

struct bmf_native_run {
    int region, from, to; /* code [from, to) of the region */
    int inputs, input[BMF_NATIVE_INPUTS];
    int outputs, *output;
    bool fails; /* may fail */
    bool alive; /* elements that are not alive may not fail */
    _Atomic(bmf_native_code *) code;
};

/* Whether this processor can, and may. */
bool native_available(void);
/* Cuts the finished code into runs. */
void native_cut(bmf_scalar *scalar);
void native_free(bmf_scalar *scalar);
/* The code for these uniform inputs and so many elements; `make`: made if there is none yet. NULL: there is none. Any
 * thread may call it. */
const bmf_native_code *native_code_for(const bmf_scalar *scalar, bmf_native_run *run, bmf_native_mode mode,
                                       uint64_t uniform, int64_t count, bool make);
/* Makes the function's bytes; native_function.c. */
bmf_native_code *native_generate(const bmf_scalar *scalar, const bmf_native_run *run, bmf_native_mode mode,
                                 uint64_t uniform);

#endif
