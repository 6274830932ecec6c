/* A function of native code in the making; private to native_*.c. */
#ifndef BMF_LANGUAGE_SCALAR_NATIVE_PRIVATE_H
#define BMF_LANGUAGE_SCALAR_NATIVE_PRIVATE_H

#include "skeletons/language/scalar/assembler.h"
#include "skeletons/language/scalar/native.h"

enum { VECTORS_MAX = 32, MASKS = 8 };
/* Masks of AVX-512: 0 cannot be used as one, 7 says which elements there are in the last, incomplete vector. */
enum { FIRST_MASK = 1, TAIL_MASK = 7 };
enum { FREE = -1, TAKEN = -2 }; /* what a register holds, if not a value */
enum { SLOT = 64 };             /* bytes of a value on the stack */

/* Where a value is. */
typedef struct native_place {
    bool truth;    /* a bool */
    bool mask;     /* in a mask register */
    bool uniform;  /* also constants */
    bool pinned;   /* has its register for all of the loop */
    int constant;  /* its number among the constants, or -1 */
    int reg, slot; /* or -1 */
    int pointer;   /* of an input, or -1 */
    int output;    /* pointer of an output, or -1 */
    int uses;      /* by instructions that run for every vector */
    int last;      /* the last instruction of the run that uses it, or -1 */
} native_place;

/* What the likely way through the run does with an instruction (native_likely.c), if not the number of the operand that
 * a choice takes. */
enum { NATIVE_COMPUTED = -1, NATIVE_LEFT_OUT = -2 };

typedef struct native_generator native_generator;

/* What there is to know about a set of instructions: AVX-512, whose bools are masks, or AVX2, whose bools are vectors
 * with all bits of a word or none. */
typedef struct native_target {
    int lanes;      /* elements of a vector */
    int vectors;    /* registers */
    int spare;      /* of them, what an instruction takes besides those of its operands */
    int most[2];    /* that an instruction takes at a time, operands and all: one that cannot fail, one that can */
    int sums;       /* counts that are kept in registers */
    bool masks;     /* has mask registers */
    bool broadcast; /* operands in memory may be one word for all elements; otherwise constants are kept as vectors */
    bool operands;  /* operands in memory may be words of inputs */
    int min_count;  /* of the elements that a function is called with */
    const uint64_t *table; /* what stands before the constants, or NULL */
    int table_words;
    /* constants that are to be the first */
    void (*begin)(native_generator *g);
    /* load what p is into p->reg: a constant; an input, the elements at the counter or one value for all; from the
     * stack, where store_slot put it */
    void (*load_constant)(native_generator *g, const native_place *p);
    void (*load_input)(native_generator *g, const native_place *p);
    void (*load_slot)(native_generator *g, const native_place *p);
    void (*store_slot)(native_generator *g, const native_place *p);
    void (*clear)(native_generator *g, int reg);
    void (*select)(native_generator *g, const bmf_scalar_instruction *i);
    /* jumps to g->unlikely, unless all elements of the vector in a register are finite; NULL: there is no likely way */
    void (*look)(native_generator *g, int reg);
    /* writes a result that is in a register, if it is one */
    void (*deliver)(native_generator *g, int v);
    /* around native_emit_part; then sums, if any; the function's result */
    void (*loops)(native_generator *g);
    void (*store_sums)(native_generator *g);
    void (*result)(native_generator *g);
} native_target;

extern const native_target native_avx512, native_avx2;
/* What this processor has; NULL: none of them, or switched off. */
const native_target *native_instructions(void);

struct native_generator {
    const native_target *target;
    bmf_assembler a;
    const bmf_scalar *s;
    const bmf_native_run *run;
    const int *code; /* of the run */
    int codes;
    bmf_native_mode mode;
    native_place *place;                  /* of every value, and of `alive` behind them */
    int vector[VECTORS_MAX], mask[MASKS]; /* the value a register holds, FREE or TAKEN */
    uint32_t locked[2];                   /* registers that the instruction in the making uses: vectors, masks */
    int at;                               /* instruction */
    bool uniform_part;                    /* before the loop: one value for all */
    int *likely;       /* of every instruction what the likely way does with it; NULL: there is none */
    bool likely_part;  /* the likely way is in the making */
    int unlikely;      /* and where the other one begins */
    bool tail;         /* the last, incomplete vector */
    int tail_register; /* AVX2: a vector that says which elements there are in it */
    int half;          /* AVX2: 1 for the upper four bits of a byte, where there are bits */
    int slots;
    uint64_t *constants;
    int constant_count, constant_capacity;
    int nan;                 /* a vector of NaN, for extremes of reals */
    int failed;              /* the vector whose signs say what failed */
    int sum[BMF_MAX_LEAVES]; /* vectors of counts; AVX2: -1 - slot if on the stack */
};

static inline const bmf_scalar_instruction *native_instruction(const native_generator *g, int k)
{
    return &g->s->instruction[g->code[k]];
}

/* The number of the value that says which elements are alive. */
static inline int native_alive(const native_generator *g)
{
    return g->s->values;
}

/* ---- registers: native_registers.c ---- */

/* The register of a value, loaded if need be. */
int native_use(native_generator *g, int v);
/* The same, or where it is in memory: one word for all elements, or those of an input that is used no more. */
bmf_assembler_operand native_right(native_generator *g, int v);
bmf_assembler_operand native_constant(native_generator *g, uint64_t bits);
/* Where a constant is behind the register of constants, in bytes. */
int native_constant_at(const native_generator *g, int number);
/* A register for the instruction's result; for this instruction only. */
int native_define(native_generator *g, int v);
int native_vector(native_generator *g);
int native_mask(native_generator *g);
/* Gives such a register back at once. */
void native_release(native_generator *g, int reg);
/* A vector register that stays with the caller. */
int native_reserve(native_generator *g);
/* The register of a value, which is used no more, becomes that of another one. */
void native_rename(native_generator *g, int from, int to);
/* Ends an instruction: what is used no more gives its registers back. */
void native_end_instruction(native_generator *g);
/* Forgets all registers but the pinned ones, and what the loop put on the stack. */
void native_forget(native_generator *g);
/* Puts a value on the stack, where it stays. */
void native_keep(native_generator *g, int v);
/* Number of a constant, new or known. */
int native_constant_number(native_generator *g, uint64_t bits);
/* The address of an array: its pointer in a register. */
int native_pointer(native_generator *g, int pointer);
void native_load_pointers(native_generator *g, int pointers);

/* ---- the function: native_function.c ---- */

/* The instructions on uniform values, or the others. */
void native_emit_part(native_generator *g, bool uniform);
/* A turn of the loop: a vector of elements, and the counter goes on. */
void native_emit_vector(native_generator *g);
/* The AND that follows the instruction in the making, a comparison of which it is the only use; or NULL. */
const bmf_scalar_instruction *native_joined(const native_generator *g);

/* ---- the likely way: native_likely.c ---- */

/* Finds g->likely, once it is known where values are. */
void native_find_likely(native_generator *g);
/* Before the likely way, whose loop begins here: a loop of all of the code, for some elements. Returns the jump to take
 * where no whole vector is left. */
int native_emit_unlikely(native_generator *g);

/* ---- instructions: native_avx512_select.c, native_avx2_select.c ---- */

void native_avx512_select(native_generator *g, const bmf_scalar_instruction *i);
void native_avx2_select(native_generator *g, const bmf_scalar_instruction *i);

#endif
