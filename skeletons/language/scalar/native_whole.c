/* Scalar expressions that are native code as a whole, over any number of elements: no blocks, no registers in memory.
 *
 * Method: the one function reads the caller's columns and writes the results, past the caches or into them, as bits, or
 * counts them. What cannot be done so is left to the caller: columns of odd strides, choices and loops, results that
 * are inputs or constants, failures. Cost: one call. */
#include "skeletons/language/scalar/native.h"

#include <string.h>

/* The run that makes all results, without failures; NULL: there is none. */
static bmf_native_run *whole_run(const bmf_scalar *s)
{
    if (s->runs != 1 || s->region[0].codes == 0 || s->run->region != 0 || s->run->fails ||
        s->run->to - s->run->from < s->region[0].codes || s->run->outputs > s->outputs)
        return NULL;
    for (int k = 0; k < s->outputs; k++)
        if (s->value[s->output[k]].origin != BMF_SCALAR_RESULT)
            return NULL;
    return s->run;
}

/* The function for these columns, whose addresses go to `pointer`; or NULL. */
static const bmf_native_code *code_for(const bmf_scalar *s, bmf_native_mode mode, int64_t count, const bmf_slice *in,
                                       void **pointer)
{
    bmf_native_run *run = whole_run(s);
    uint64_t uniform = 0;
    if (!run || count <= 0)
        return NULL;
    for (int k = 0; k < run->inputs; k++) { /* of region 0: inputs of the expression */
        const int leaf = run->input[k];
        if (in[leaf].stride != 0 && in[leaf].stride != scalar_size(s->input_kind[leaf]))
            return NULL;
        uniform |= (uint64_t)(in[leaf].stride == 0) << k;
        pointer[k] = in[leaf].data;
    }
    return native_code_for(s, run, mode, uniform, count, true);
}

static bool all_bools(const bmf_scalar *s)
{
    for (int k = 0; k < s->outputs; k++)
        if (s->output_kind[k] != BMF_BOOL)
            return false;
    return true;
}

/* Where the values that the run makes are wanted, in multiples of `alignment` bytes; false: one of them twice. */
static bool place_outputs(const bmf_scalar *s, const bmf_slice *out, uintptr_t alignment, void **pointer)
{
    if (s->run->outputs != s->outputs)
        return false;
    for (int k = 0; k < s->outputs; k++)
        for (int j = 0; j < s->outputs; j++)
            if (s->run->output[k] == s->output[j]) {
                pointer[k] = out[j].data;
                if ((uintptr_t)out[j].data % alignment != 0 || out[j].stride != scalar_size(s->output_kind[j]))
                    return false;
            }
    return true;
}

bool scalar_write(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    void *pointer[BMF_NATIVE_INPUTS + BMF_MAX_LEAVES];
    const bmf_native_code *code = code_for(scalar, BMF_NATIVE_STREAMED, count, in, pointer);
    if (!code || !place_outputs(scalar, out, 64, pointer + scalar->run->inputs))
        return false;
    code->function(pointer, count, code->constants);
    return true;
}

bool scalar_compute(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    void *pointer[BMF_NATIVE_INPUTS + BMF_MAX_LEAVES];
    const bmf_native_code *code = code_for(scalar, BMF_NATIVE_VALUES, count, in, pointer);
    if (!code || scalar->run->alive || !place_outputs(scalar, out, 1, pointer + scalar->run->inputs))
        return false;
    for (int k = 0; k < scalar->run->outputs; k++)
        if (code->output_uniform[k])
            return false;
    code->function(pointer, count, code->constants);
    return true;
}

bool scalar_marks(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, uint64_t *word)
{
    void *pointer[BMF_NATIVE_INPUTS + 1];
    const bmf_native_code *code =
        scalar->outputs == 1 && all_bools(scalar) ? code_for(scalar, BMF_NATIVE_BITS, count, in, pointer) : NULL;
    if (!code)
        return false;
    word[(count - 1) / 64] = 0;
    pointer[scalar->run->inputs] = word;
    code->function(pointer, count, code->constants);
    return true;
}

bool scalar_count(const bmf_scalar *scalar, int64_t count, const bmf_slice *in, int64_t *held)
{
    int64_t sum[BMF_MAX_LEAVES][8];
    void *pointer[BMF_NATIVE_INPUTS + 1];
    const bmf_native_code *code = scalar->outputs <= BMF_NATIVE_COUNTS_MAX && all_bools(scalar)
                                      ? code_for(scalar, BMF_NATIVE_COUNTS, count, in, pointer)
                                      : NULL;
    if (!code)
        return false;
    pointer[scalar->run->inputs] = sum;
    code->function(pointer, count, code->constants);
    for (int k = 0; k < scalar->outputs; k++) {
        held[k] = 0;
        for (int lane = 0; lane < 8; lane++)
            held[k] += sum[k][lane];
    }
    return true;
}
