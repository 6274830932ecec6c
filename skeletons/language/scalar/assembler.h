/* Instructions of x86-64 with AVX-512 (F, DQ, BW, VL) and BMI2 as bytes; private to the files of scalar/.
 *
 * Vectors are zmm registers: 8 words of 8 bytes. Masks are k registers: a bit for each of the 8. The assembler knows
 * how instructions are encoded, not what registers are for. Names of registers are their numbers in the encoding.
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.1, 2.3 and 2.7. */
#ifndef BMF_LANGUAGE_SCALAR_ASSEMBLER_H
#define BMF_LANGUAGE_SCALAR_ASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bmf_assembler {
    uint8_t *code;
    int bytes, capacity;
} bmf_assembler;

enum {
    REGISTER_AX,
    REGISTER_CX,
    REGISTER_DX,
    REGISTER_BX,
    REGISTER_SP,
    REGISTER_BP,
    REGISTER_SI,
    REGISTER_DI,
    REGISTER_8,
    REGISTER_11 = 11,
    REGISTER_15 = 15
};
enum { NO_REGISTER = -1, NO_IMMEDIATE = -1 };

/* The right operand of a vector instruction: a register, or memory at base + index * 2^scale + displacement. */
typedef struct bmf_assembler_operand {
    bool memory;
    int vector;      /* the register */
    int base, index; /* registers; index: or NO_REGISTER */
    int scale;
    int displacement;
    bool broadcast; /* one word for all elements */
} bmf_assembler_operand;

static inline bmf_assembler_operand assembler_vector(int vector)
{
    return (bmf_assembler_operand){.vector = vector};
}

static inline bmf_assembler_operand assembler_memory(int base, int displacement)
{
    return (bmf_assembler_operand){.memory = true, .base = base, .index = NO_REGISTER, .displacement = displacement};
}

static inline bmf_assembler_operand assembler_broadcast(int base, int displacement)
{
    bmf_assembler_operand operand = assembler_memory(base, displacement);
    operand.broadcast = true;
    return operand;
}

static inline bmf_assembler_operand assembler_indexed(int base, int index, int scale)
{
    return (bmf_assembler_operand){.memory = true, .base = base, .index = index, .scale = scale};
}

/* Vector instructions; an X macro: name, map of opcodes, prefix (0: none, 1: 66, 2: F3, 3: F2), W, length (2: zmm,
 * 0: xmm), opcode. */
/* clang-format off */
#define BMF_VECTOR_INSTRUCTIONS(X)                                                                                  \
    X(ADD_REALS, 1, 1, 1, 2, 0x58) X(MULTIPLY_REALS, 1, 1, 1, 2, 0x59) X(SUBTRACT_REALS, 1, 1, 1, 2, 0x5c)          \
    X(DIVIDE_REALS, 1, 1, 1, 2, 0x5e) X(ROOT_REALS, 1, 1, 1, 2, 0x51) X(RANGE_REALS, 3, 1, 1, 2, 0x50)              \
    X(COMPARE_REALS, 1, 1, 1, 2, 0xc2) X(BLEND_WORDS, 2, 1, 1, 2, 0x65)                                             \
    X(ADD_WORDS, 1, 1, 1, 2, 0xd4) X(SUBTRACT_WORDS, 1, 1, 1, 2, 0xfb) X(MULTIPLY_WORDS, 2, 1, 1, 2, 0x40)          \
    X(MAX_WORDS, 2, 1, 1, 2, 0x3d) X(MIN_WORDS, 2, 1, 1, 2, 0x39) X(ABSOLUTE_WORDS, 2, 1, 1, 2, 0x1f)               \
    X(COMPARE_WORDS, 3, 1, 1, 2, 0x1f) X(AND_WORDS, 1, 1, 1, 2, 0xdb) X(OR_WORDS, 1, 1, 1, 2, 0xeb)                 \
    X(XOR_WORDS, 1, 1, 1, 2, 0xef) X(TERNARY_LOGIC, 3, 1, 1, 2, 0x25) X(TEST_WORDS, 2, 1, 1, 2, 0x27)               \
    X(INTS_TO_REALS, 1, 2, 1, 2, 0xe6) X(REALS_TO_INTS, 1, 1, 1, 2, 0x7a)                                           \
    X(STREAM_WORDS, 1, 1, 1, 2, 0x2b)                                                                               \
    X(LOAD_WORDS, 1, 1, 1, 2, 0x10) X(STORE_WORDS, 1, 1, 1, 2, 0x11) X(COPY_WORDS, 1, 1, 1, 2, 0x28)                \
    X(BROADCAST_WORD, 2, 1, 1, 2, 0x19) X(WIDEN_BYTES, 2, 1, 0, 2, 0x32) X(STORE_EIGHT_BYTES, 1, 1, 1, 0, 0xd6)     \
    X(LOAD_BYTES, 1, 3, 0, 0, 0x6f) X(STORE_BYTES, 1, 3, 0, 0, 0x7f)                                                \
    X(MASK_TO_WORDS, 2, 2, 1, 2, 0x38) X(SIGNS_TO_MASK, 2, 2, 1, 2, 0x39) X(SHIFT_WORDS, 1, 1, 1, 2, 0x73)
/* clang-format on */

typedef enum bmf_vector_instruction {
#define BMF_VECTOR_ENUM(name, ...) VECTOR_##name,
    BMF_VECTOR_INSTRUCTIONS(BMF_VECTOR_ENUM)
#undef BMF_VECTOR_ENUM
} bmf_vector_instruction;

/* Predicates of COMPARE_REALS; the quiet ones. */
enum {
    COMPARE_EQUAL = 0,
    COMPARE_UNORDERED = 3,
    COMPARE_LESS = 17,
    COMPARE_AT_MOST = 18,
    COMPARE_NOT_LESS = 21,
    COMPARE_NOT_AT_LEAST = 25,
    COMPARE_AT_LEAST = 29
};
/* Of COMPARE_WORDS. */
enum { COMPARE_WORDS_EQUAL = 0, COMPARE_WORDS_LESS = 1, COMPARE_WORDS_AT_MOST = 2 };
/* Of RANGE_REALS: the sign is that of the result; of zeros -0.0 is the smaller. */
enum { RANGE_MIN = 4, RANGE_MAX = 5 };

/* to = left op right where the mask (0: none) is set; elsewhere 0 if `zero`, and what is there otherwise. Instructions
 * with one operand have left = 0. `to` of comparisons and tests is a mask; stores have it for what is stored. */
void assemble_vector(bmf_assembler *a, bmf_vector_instruction instruction, int to, int left,
                     bmf_assembler_operand right, int mask, bool zero, int immediate);

/* Masks. */
enum { MASK_AND = 0x41, MASK_AND_NOT = 0x42, MASK_OR = 0x45, MASK_XNOR = 0x46 };
void assemble_mask(bmf_assembler *a, int operation, int to, int left, int right);
void assemble_mask_not(bmf_assembler *a, int to, int from);
/* 16 bits, or 8 of them. */
void assemble_mask_load(bmf_assembler *a, int to, int base, int displacement);
void assemble_mask_store(bmf_assembler *a, int from, int base, int displacement);
void assemble_mask_store_byte(bmf_assembler *a, int from, int base, int displacement);
void assemble_mask_from_general(bmf_assembler *a, int to, int from);
void assemble_mask_to_general(bmf_assembler *a, int to, int from);

/* General registers: to = to op from. */
enum { GENERAL_ADD = 0x03, GENERAL_SUBTRACT = 0x2b, GENERAL_XOR = 0x33, GENERAL_COMPARE = 0x3b, GENERAL_MOVE = 0x8b };
void assemble_general(bmf_assembler *a, int operation, int to, int from);
/* Bytes: 1 to 15. */
void assemble_add_constant(bmf_assembler *a, int to, int constant);
void assemble_and_constant(bmf_assembler *a, int to, int constant);
void assemble_move_constant(bmf_assembler *a, int to, int constant);
void assemble_shift_right(bmf_assembler *a, int to, int bits);
void assemble_load(bmf_assembler *a, int to, int base, int displacement);
void assemble_load_byte(bmf_assembler *a, int to, int base, int displacement);
void assemble_store_byte(bmf_assembler *a, int from, int base, int displacement);
void assemble_negate(bmf_assembler *a, int to);
/* to = the lowest `bits` bits of from. */
void assemble_low_bits(bmf_assembler *a, int to, int from, int bits);
void assemble_push(bmf_assembler *a, int from);
void assemble_pop(bmf_assembler *a, int to);
void assemble_bytes(bmf_assembler *a, int count, const uint8_t *bytes);

/* Jumps: forward ones return a mark, which assemble_here makes them go to; backward ones go to an offset. */
enum { JUMP_BELOW = 0x82, JUMP_NOT_BELOW = 0x83 };
int assemble_jump_forward(bmf_assembler *a, int condition);
void assemble_here(bmf_assembler *a, int mark);
void assemble_jump_back(bmf_assembler *a, int condition, int target);

#endif
