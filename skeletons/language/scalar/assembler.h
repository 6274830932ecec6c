/* Instructions of x86-64 with AVX-512 (F, DQ, BW, VL), AVX2 and BMI2 as bytes; private to the files of scalar/.
 *
 * Vectors are zmm registers, 8 words of 8 bytes; of AVX2 ymm registers, 4 words. Masks are k registers: a bit for each
 * of the 8. The assembler knows how instructions are encoded, not what registers are for. Names of registers are their
 * numbers in the encoding.
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

static inline bmf_assembler_operand assembler_table(int base, int index, int scale, int displacement)
{
    bmf_assembler_operand operand = assembler_indexed(base, index, scale);
    operand.displacement = displacement;
    return operand;
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

/* Predicates of COMPARE_REALS of both; the quiet ones. */
enum {
    COMPARE_EQUAL = 0,
    COMPARE_UNORDERED = 3,
    COMPARE_LESS = 17,
    COMPARE_AT_MOST = 18,
    COMPARE_NOT_LESS = 21,
    COMPARE_NOT_AT_MOST = 22,
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

/* Vector instructions of AVX2; an X macro: name, map of opcodes, prefix, W, length (1: ymm, 0: xmm), opcode. Those
 * named SHIFT have their operation in place of `to` (an enum below) and their result in place of `left`. */
/* clang-format off */
#define BMF_VECTOR_4_INSTRUCTIONS(X)                                                                                \
    X(ADD_REALS, 1, 1, 0, 1, 0x58) X(MULTIPLY_REALS, 1, 1, 0, 1, 0x59) X(SUBTRACT_REALS, 1, 1, 0, 1, 0x5c)          \
    X(DIVIDE_REALS, 1, 1, 0, 1, 0x5e) X(ROOT_REALS, 1, 1, 0, 1, 0x51) X(MAX_REALS, 1, 1, 0, 1, 0x5f)                \
    X(MIN_REALS, 1, 1, 0, 1, 0x5d) X(COMPARE_REALS, 1, 1, 0, 1, 0xc2) X(BLEND_WORDS, 3, 1, 0, 1, 0x4b)              \
    X(BLEND_SHORTS, 3, 1, 0, 1, 0x0e) X(ADD_WORDS, 1, 1, 0, 1, 0xd4) X(SUBTRACT_WORDS, 1, 1, 0, 1, 0xfb)            \
    X(MULTIPLY_LOW_HALVES, 1, 1, 0, 1, 0xf4) X(MULTIPLY_HALVES, 2, 1, 0, 1, 0x40) X(ADD_HALVES, 1, 1, 0, 1, 0xfe)   \
    X(SHUFFLE_HALVES, 1, 1, 0, 1, 0x70) X(SHIFT_WORDS, 1, 1, 0, 1, 0x73) X(SHIFT_HALVES, 1, 1, 0, 1, 0x72)          \
    X(EQUAL_WORDS, 2, 1, 0, 1, 0x29) X(GREATER_WORDS, 2, 1, 0, 1, 0x37) X(AND_WORDS, 1, 1, 0, 1, 0xdb)              \
    X(OR_WORDS, 1, 1, 0, 1, 0xeb) X(XOR_WORDS, 1, 1, 0, 1, 0xef) X(LOAD_WORDS, 1, 1, 0, 1, 0x10)                    \
    X(STORE_WORDS, 1, 1, 0, 1, 0x11) X(STREAM_WORDS, 1, 1, 0, 1, 0x2b) X(COPY_WORDS, 1, 1, 0, 1, 0x28)              \
    X(LOAD_SOME_WORDS, 2, 1, 0, 1, 0x2d) X(STORE_SOME_WORDS, 2, 1, 0, 1, 0x2f) X(BROADCAST_WORD, 2, 1, 0, 1, 0x19)  \
    X(WIDEN_BYTES, 2, 1, 0, 1, 0x32) X(STORE_ONE_WORD, 1, 1, 0, 0, 0xd6) X(SIGNS_TO_GENERAL, 1, 1, 0, 1, 0x50)      \
    X(FROM_GENERAL, 1, 1, 1, 0, 0x6e) X(REAL_TO_GENERAL, 1, 3, 1, 0, 0x2c) X(INSERT_GENERAL, 3, 1, 1, 0, 0x22)      \
    X(SECOND_REAL, 1, 1, 0, 0, 0x15) X(UPPER_HALF, 3, 1, 0, 1, 0x39) X(JOIN_HALVES, 3, 1, 0, 1, 0x38)
/* clang-format on */

typedef enum bmf_vector_4_instruction {
#define BMF_VECTOR_4_ENUM(name, ...) VECTOR_4_##name,
    BMF_VECTOR_4_INSTRUCTIONS(BMF_VECTOR_4_ENUM)
#undef BMF_VECTOR_4_ENUM
} bmf_vector_4_instruction;

/* Operations of SHIFT_WORDS and SHIFT_HALVES. */
enum { SHIFT_RIGHT = 2, SHIFT_RIGHT_WITH_SIGN = 4, SHIFT_LEFT = 6 };

/* to = left op right. Instructions with one operand have left = 0. BLEND_WORDS: left, and right where the sign of the
 * vector `immediate` >> 4 is set. */
void assemble_vector_4(bmf_assembler *a, bmf_vector_4_instruction instruction, int to, int left,
                       bmf_assembler_operand right, int immediate);

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
void assemble_shift_left(bmf_assembler *a, int to, int bits);
/* to = from shifted by as many bits as the lowest six of `bits` say. */
void assemble_shift_right_by(bmf_assembler *a, int to, int from, int bits);
void assemble_shift_left_by(bmf_assembler *a, int to, int from, int bits);
void assemble_load(bmf_assembler *a, int to, int base, int displacement);
void assemble_load_byte(bmf_assembler *a, int to, int base, int displacement);
void assemble_store_byte(bmf_assembler *a, int from, int base, int displacement);
/* The byte in memory | the lowest byte of from. */
void assemble_or_byte(bmf_assembler *a, int from, int base, int displacement);
/* Half a word, 4 bytes; the upper ones of `to` become 0. */
void assemble_load_half(bmf_assembler *a, int to, bmf_assembler_operand from);
void assemble_store_half(bmf_assembler *a, int from, bmf_assembler_operand to);
/* to = the unsigned smaller of to and from; changes no register but to. */
void assemble_min(bmf_assembler *a, int to, int from);
void assemble_negate(bmf_assembler *a, int to);
/* to = the lowest `bits` bits of from. */
void assemble_low_bits(bmf_assembler *a, int to, int from, int bits);
void assemble_push(bmf_assembler *a, int from);
void assemble_pop(bmf_assembler *a, int to);
void assemble_bytes(bmf_assembler *a, int count, const uint8_t *bytes);

/* Jumps: forward ones return a mark, which assemble_here makes them go to; backward ones go to an offset. */
enum { JUMP_BELOW = 0x82, JUMP_NOT_BELOW = 0x83, JUMP_NOT_ZERO = 0x85 };
int assemble_jump_forward(bmf_assembler *a, int condition);
void assemble_here(bmf_assembler *a, int mark);
void assemble_jump_back(bmf_assembler *a, int condition, int target);

#endif
