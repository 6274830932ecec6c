/* Native code for runs of scalar instructions: where runs are, and what has been made of them; see native.h.
 *
 * Cost: cutting is linear in the code. A function is made once for each combination of uniform inputs, in some
 * microseconds; after MAX_CODES combinations the instructions run one by one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/executable.h"
#include "skeletons/language/scalar/native_private.h"

enum { MAX_CODES = 8, MAX_RUN = 512 };

/* ---- the processor ---- */

#if defined(__x86_64__) && defined(__GNUC__)
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}
#else
static bool has_avx512(void)
{
    return false;
}

static bool has_avx2(void)
{
    return false;
}
#endif

static const native_target *instructions;

static void look(void)
{
    const char *wanted = getenv("BMF_JIT");
    if (wanted && strcmp(wanted, "0") == 0)
        return;
    if (has_avx512() && !(wanted && strcmp(wanted, "avx2") == 0))
        instructions = &native_avx512;
    else if (has_avx2())
        instructions = &native_avx2;
}

const native_target *native_instructions(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return instructions;
}

bool native_available(void)
{
    return native_instructions();
}

static bool can_be_native(bmf_scalar_opcode opcode)
{
    switch (opcode) {
    case BMF_SCALAR_MODULO_REAL:
    case BMF_SCALAR_EXPONENTIAL:
    case BMF_SCALAR_LOGARITHM:
    case BMF_SCALAR_SINE:
    case BMF_SCALAR_COSINE:
    case BMF_SCALAR_TANGENT:
    case BMF_SCALAR_POWER:
    case BMF_SCALAR_ANGLE:
    case BMF_SCALAR_FLOOR:
    case BMF_SCALAR_CEILING:
    case BMF_SCALAR_ROUND:
    case BMF_SCALAR_RANDOM:
    case BMF_SCALAR_SHIFT_LEFT:
    case BMF_SCALAR_SHIFT_RIGHT:
    case BMF_SCALAR_CHOICE:
    case BMF_SCALAR_LOOP:
        return false;
    default:
        return opcode < BMF_SCALAR_OPCODE_COUNT;
    }
}

/* ---- runs ---- */

/* Which run an instruction is in, and so which run makes a value, or -1. */
typedef struct cutting {
    bmf_scalar *s;
    int *run_of; /* of every instruction */
    int capacity;
} cutting;

static int run_of_value(const cutting *c, int v)
{
    const bmf_scalar_value *value = &c->s->value[v];
    return value->origin == BMF_SCALAR_RESULT ? c->run_of[value->number] : -1;
}

/* The values that come into the run with an instruction, those known left out; false: there are too many. */
static bool add_inputs(const cutting *c, bmf_native_run *run, int number, const bmf_scalar_instruction *i)
{
    const int operand[] = {i->operand[0], i->operand[1], i->operand[2], i->guard};
    for (int k = 0; k < 4; k++) {
        const int v = operand[k];
        bool known = v < 0 || c->s->value[v].origin == BMF_SCALAR_CONSTANT || run_of_value(c, v) == number;
        for (int j = 0; !known && j < run->inputs; j++)
            known = run->input[j] == v;
        if (known)
            continue;
        if (run->inputs == BMF_NATIVE_INPUTS)
            return false;
        run->input[run->inputs++] = v;
    }
    return true;
}

/* The run at code[from..end) of a region, as long as can be; returns where it ends. */
static int cut_run(cutting *c, int region, int from, int end)
{
    bmf_scalar *s = c->s;
    const int number = s->runs;
    bmf_native_run run = {.region = region, .from = from, .alive = region > 0};
    int k = from;
    for (; k < end && k - from < MAX_RUN; k++) {
        const bmf_scalar_instruction *i = &s->instruction[s->region[region].code[k]];
        const int before = run.inputs;
        if (!can_be_native(i->opcode))
            break;
        if (!add_inputs(c, &run, number, i)) {
            run.inputs = before;
            break;
        }
        run.fails |= scalar_operations[i->opcode].fails;
        c->run_of[s->region[region].code[k]] = number;
    }
    run.to = k;
    run.alive &= run.fails;
    if (k > from)
        *(bmf_native_run *)BMF_SCALAR_APPEND(s->run, s->runs, c->capacity) = run;
    return k > from ? k : from + 1;
}

static const bmf_scalar_loop *loop_of(const bmf_scalar *s, int region)
{
    const int owner = s->region[region].owner;
    return s->region[region].loop && owner >= 0 ? &s->loop[s->instruction[owner].part] : NULL;
}

static void cut_region(cutting *c, int region)
{
    bmf_scalar_region *r = &c->s->region[region];
    const bmf_scalar_loop *loop = loop_of(c->s, region);
    r->first_run = c->s->runs;
    for (int k = 0; k < r->codes;)
        k = cut_run(c, region, k, loop && k < loop->test ? loop->test : r->codes);
    r->end_run = c->s->runs;
}

/* ---- outputs ---- */

/* A use of the value by run `user`, or by something that is no run (-1). */
static void use(const cutting *c, int v, int user, bool *outside)
{
    if (v >= 0 && run_of_value(c, v) >= 0 && run_of_value(c, v) != user)
        outside[v] = true;
}

static void use_parts(const cutting *c, bool *outside)
{
    const bmf_scalar *s = c->s;
    for (int k = 0; k < s->outputs; k++)
        use(c, s->output[k], -1, outside);
    for (int v = 0; v < s->values; v++)
        if (s->value[v].origin == BMF_SCALAR_CAPTURE && s->value[v].needed)
            use(c, s->value[v].number, -1, outside);
    for (int k = 0; k < s->choices; k++) {
        use(c, s->choice[k].mask, -1, outside);
        for (int r = 0; r < s->choice[k].results; r++)
            for (int b = 0; b < 2; b++)
                use(c, s->choice[k].value[b][r], -1, outside);
    }
    for (int k = 0; k < s->loops; k++) {
        use(c, s->loop[k].predicate, -1, outside);
        for (int j = 0; j < s->loop[k].states; j++) {
            use(c, s->loop[k].initial[j], -1, outside);
            use(c, s->loop[k].next[j], -1, outside);
        }
    }
}

static void find_outputs(const cutting *c)
{
    bmf_scalar *s = c->s;
    bool *outside = allocate_clear(s->values, (int64_t)sizeof *outside);
    use_parts(c, outside);
    for (int k = 0; k < s->instructions; k++) {
        const bmf_scalar_instruction *i = &s->instruction[k];
        for (int o = 0; i->needed && o < 3; o++)
            use(c, i->operand[o], c->run_of[k], outside);
        if (i->needed)
            use(c, i->guard, c->run_of[k], outside);
    }
    for (int n = 0; n < s->runs; n++) {
        bmf_native_run *run = &s->run[n];
        int capacity = 0;
        for (int k = run->from; k < run->to; k++) {
            const int v = s->instruction[s->region[run->region].code[k]].value;
            if (outside[v])
                *(int *)BMF_SCALAR_APPEND(run->output, run->outputs, capacity) = v;
        }
    }
    free(outside);
}

void native_cut(bmf_scalar *scalar)
{
    cutting c = {.s = scalar, .run_of = allocate((scalar->instructions + 1) * (int64_t)sizeof(int))};
    if (native_available()) {
        memset(c.run_of, -1, (size_t)scalar->instructions * sizeof *c.run_of);
        for (int r = 0; r < scalar->regions; r++)
            cut_region(&c, r);
        find_outputs(&c);
    }
    free(c.run_of);
}

/* ---- code ---- */

static bmf_native_code *find(bmf_native_run *run, bmf_native_mode mode, uint64_t uniform, int *codes)
{
    bmf_native_code *code = atomic_load_explicit(&run->code, memory_order_acquire);
    for (*codes = 0; code && (code->uniform != uniform || code->mode != mode); ++*codes)
        code = code->next;
    return code;
}

/* What is streamed, counted or made bits differs from element to element. */
static bool all_vary(const bmf_native_run *run, const bmf_native_code *code)
{
    for (int k = 0; k < run->outputs; k++)
        if (code->output_uniform[k])
            return false;
    return true;
}

static bmf_native_code *make(const bmf_scalar *scalar, bmf_native_run *run, bmf_native_mode mode, uint64_t uniform)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    int codes;
    pthread_mutex_lock(&making);
    bmf_native_code *code = find(run, mode, uniform, &codes);
    if (!code && codes < MAX_CODES) {
        code = native_generate(scalar, run, mode, uniform);
        code->next = atomic_load_explicit(&run->code, memory_order_relaxed);
        atomic_store_explicit(&run->code, code, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    return code;
}

const bmf_native_code *native_code_for(const bmf_scalar *scalar, bmf_native_run *run, bmf_native_mode mode,
                                       uint64_t uniform, int64_t count, bool may_make)
{
    int codes;
    if (count < native_instructions()->min_count)
        return NULL;
    bmf_native_code *code = find(run, mode, uniform, &codes);
    if (!code && may_make && codes < MAX_CODES)
        code = make(scalar, run, mode, uniform);
    if (!code || !code->function || (mode != BMF_NATIVE_VALUES && !all_vary(run, code)))
        return NULL;
    return code;
}

void native_free(bmf_scalar *scalar)
{
    for (int n = 0; n < scalar->runs; n++) {
        bmf_native_code *code = atomic_load(&scalar->run[n].code);
        for (bmf_native_code *next; code; code = next) {
            void *memory;
            memcpy(&memory, &code->function, sizeof memory);
            next = code->next;
            executable_free(memory, code->bytes);
            free(code->constants);
            free(code->output_uniform);
            free(code);
        }
        free(scalar->run[n].output);
    }
    free(scalar->run);
}
