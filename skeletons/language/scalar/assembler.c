/* Instructions as bytes; see assembler.h.
 *
 * Method: one function for each kind of encoding. Displacements always take four bytes, so that those that are scaled
 * (EVEX's of one byte) need not be known. Cost: O(1) an instruction. */
#include "skeletons/language/scalar/assembler.h"

#include <string.h>

#include "runtime/base/allocate.h"

void assemble_bytes(bmf_assembler *a, int count, const uint8_t *bytes)
{
    if (a->bytes + count > a->capacity) {
        const int capacity = 2 * a->capacity + 256;
        a->code = reallocate(a->code, a->capacity, capacity);
        a->capacity = capacity;
    }
    memcpy(a->code + a->bytes, bytes, (size_t)count);
    a->bytes += count;
}

static void put(bmf_assembler *a, unsigned byte)
{
    assemble_bytes(a, 1, &(uint8_t){(uint8_t)byte});
}

static void put_word(bmf_assembler *a, int word)
{
    uint8_t bytes[4];
    memcpy(bytes, &word, sizeof bytes);
    assemble_bytes(a, 4, bytes);
}

/* Bit `bit` of a register's number, inverted, as prefixes have it. */
static unsigned inverted(int number, int bit)
{
    return (unsigned)(~number >> bit) & 1U;
}

/* ModRM with an operand in memory; reg: the low bits of the other one. */
static void put_address(bmf_assembler *a, int reg, const bmf_assembler_operand *m)
{
    const unsigned field = ((unsigned)reg & 7U) << 3, base = (unsigned)m->base & 7U;
    if (m->index == NO_REGISTER && base != REGISTER_SP) {
        put(a, 0x80U | field | base);
    } else {
        const unsigned index = m->index == NO_REGISTER ? REGISTER_SP : (unsigned)m->index & 7U;
        put(a, 0x84U | field);
        put(a, (unsigned)m->scale << 6 | index << 3 | base);
    }
    put_word(a, m->displacement);
}

/* ---- vectors ---- */

typedef struct encoding {
    uint8_t map, prefix, wide, length, opcode;
} encoding;

static const encoding encodings[] = {
#define ENCODING(name, map, prefix, wide, length, opcode) {map, prefix, wide, length, opcode},
    BMF_VECTOR_INSTRUCTIONS(ENCODING)};

void assemble_vector(bmf_assembler *a, bmf_vector_instruction instruction, int to, int left,
                     bmf_assembler_operand right, int mask, bool zero, int immediate)
{
    const encoding *e = &encodings[instruction];
    const bool memory = right.memory;
    const int index = memory ? (right.index == NO_REGISTER ? 0 : right.index) : right.vector >> 1;
    const int base = memory ? right.base : right.vector;
    put(a, 0x62);
    put(a, inverted(to, 3) << 7 | inverted(index, 3) << 6 | inverted(base, 3) << 5 | inverted(to, 4) << 4 | e->map);
    put(a, (unsigned)e->wide << 7 | ((unsigned)~left & 15U) << 3 | 4U | e->prefix);
    put(a, (unsigned)zero << 7 | (unsigned)e->length << 5 | (unsigned)(memory && right.broadcast) << 4 |
               inverted(left, 4) << 3 | (unsigned)mask);
    put(a, e->opcode);
    if (memory)
        put_address(a, to, &right);
    else
        put(a, 0xc0U | ((unsigned)to & 7U) << 3 | ((unsigned)right.vector & 7U));
    if (immediate != NO_IMMEDIATE)
        put(a, (unsigned)immediate);
}

/* ---- vectors of four words ---- */

static const encoding encodings_4[] = {BMF_VECTOR_4_INSTRUCTIONS(ENCODING)
#undef ENCODING
};

/* VEX's three bytes; the operand that is a register or has its address in two. */
static void put_vex(bmf_assembler *a, const encoding *e, int to, int left, const bmf_assembler_operand *right)
{
    const int index = right->memory && right->index != NO_REGISTER ? right->index : 0;
    const int base = right->memory ? right->base : right->vector;
    put(a, 0xc4);
    put(a, inverted(to, 3) << 7 | inverted(index, 3) << 6 | inverted(base, 3) << 5 | e->map);
    put(a, (unsigned)e->wide << 7 | ((unsigned)~left & 15U) << 3 | (unsigned)e->length << 2 | e->prefix);
    put(a, e->opcode);
    if (right->memory)
        put_address(a, to, right);
    else
        put(a, 0xc0U | ((unsigned)to & 7U) << 3 | ((unsigned)right->vector & 7U));
}

void assemble_vector_4(bmf_assembler *a, bmf_vector_4_instruction instruction, int to, int left,
                       bmf_assembler_operand right, int immediate)
{
    put_vex(a, &encodings_4[instruction], to, left, &right);
    if (immediate != NO_IMMEDIATE)
        put(a, (unsigned)immediate);
}

/* ---- masks ---- */

/* Prefix: 0 none, 1 66. */
static void put_mask_prefix(bmf_assembler *a, int base, unsigned length, int left, unsigned prefix)
{
    put(a, 0xc4);
    put(a, 0xc0U | inverted(base, 3) << 5 | 1U);
    put(a, ((unsigned)~left & 15U) << 3 | length << 2 | prefix);
}

static void put_registers(bmf_assembler *a, unsigned opcode, int to, int from)
{
    put(a, opcode);
    put(a, 0xc0U | ((unsigned)to & 7U) << 3 | ((unsigned)from & 7U));
}

void assemble_mask(bmf_assembler *a, int operation, int to, int left, int right)
{
    put_mask_prefix(a, 0, 1, left, 0);
    put_registers(a, (unsigned)operation, to, right);
}

void assemble_mask_not(bmf_assembler *a, int to, int from)
{
    put_mask_prefix(a, 0, 0, 0, 0);
    put_registers(a, 0x44, to, from);
}

static void put_mask_move(bmf_assembler *a, unsigned opcode, unsigned prefix, int mask, int base, int displacement)
{
    const bmf_assembler_operand memory = assembler_memory(base, displacement);
    put_mask_prefix(a, base, 0, 0, prefix);
    put(a, opcode);
    put_address(a, mask, &memory);
}

void assemble_mask_load(bmf_assembler *a, int to, int base, int displacement)
{
    put_mask_move(a, 0x90, 0, to, base, displacement);
}

void assemble_mask_store(bmf_assembler *a, int from, int base, int displacement)
{
    put_mask_move(a, 0x91, 0, from, base, displacement);
}

void assemble_mask_store_byte(bmf_assembler *a, int from, int base, int displacement)
{
    put_mask_move(a, 0x91, 1, from, base, displacement);
}

void assemble_mask_from_general(bmf_assembler *a, int to, int from)
{
    put_mask_prefix(a, from, 0, 0, 0);
    put_registers(a, 0x92, to, from);
}

/* The general register is in ModRM's reg, whose fourth bit is prefix bit R. */
void assemble_mask_to_general(bmf_assembler *a, int to, int from)
{
    put(a, 0xc4);
    put(a, inverted(to, 3) << 7 | 0x61U);
    put(a, 0x78);
    put_registers(a, 0x93, to, from);
}

/* ---- general registers ---- */

static void put_wide(bmf_assembler *a, int reg, int base)
{
    put(a, 0x48U | (unsigned)(reg > 7) << 2 | (unsigned)(base > 7));
}

void assemble_general(bmf_assembler *a, int operation, int to, int from)
{
    put_wide(a, to, from);
    put_registers(a, (unsigned)operation, to, from);
}

/* Operation `extension` of opcode 83: an immediate byte. */
static void put_short_constant(bmf_assembler *a, int extension, int to, int constant)
{
    put_wide(a, 0, to);
    put_registers(a, 0x83, extension, to);
    put(a, (unsigned)constant & 255U);
}

void assemble_add_constant(bmf_assembler *a, int to, int constant)
{
    put_short_constant(a, 0, to, constant);
}

void assemble_and_constant(bmf_assembler *a, int to, int constant)
{
    put_short_constant(a, 4, to, constant);
}

void assemble_move_constant(bmf_assembler *a, int to, int constant)
{
    put_wide(a, 0, to);
    put_registers(a, 0xc7, 0, to);
    put_word(a, constant);
}

void assemble_shift_right(bmf_assembler *a, int to, int bits)
{
    put_wide(a, 0, to);
    put_registers(a, 0xc1, 5, to);
    put(a, (unsigned)bits);
}

void assemble_shift_left(bmf_assembler *a, int to, int bits)
{
    put_wide(a, 0, to);
    put_registers(a, 0xc1, 4, to);
    put(a, (unsigned)bits);
}

/* SHRX and SHLX; the number of bits is in vvvv. */
static void put_shift_by(bmf_assembler *a, unsigned prefix, int to, int from, int bits)
{
    const encoding e = {.map = 2, .prefix = (uint8_t)prefix, .wide = 1, .opcode = 0xf7};
    const bmf_assembler_operand right = assembler_vector(from);
    put_vex(a, &e, to, bits, &right);
}

void assemble_shift_right_by(bmf_assembler *a, int to, int from, int bits)
{
    put_shift_by(a, 3, to, from, bits);
}

void assemble_shift_left_by(bmf_assembler *a, int to, int from, int bits)
{
    put_shift_by(a, 1, to, from, bits);
}

/* A comparison and CMOVNB: to stays where it is below from. */
void assemble_min(bmf_assembler *a, int to, int from)
{
    assemble_general(a, GENERAL_COMPARE, to, from);
    put_wide(a, to, from);
    put(a, 0x0f);
    put_registers(a, 0x43, to, from);
}

static void put_access(bmf_assembler *a, int reg, int base, int displacement)
{
    const bmf_assembler_operand memory = assembler_memory(base, displacement);
    put_address(a, reg, &memory);
}

void assemble_load(bmf_assembler *a, int to, int base, int displacement)
{
    put_wide(a, to, base);
    put(a, 0x8b);
    put_access(a, to, base, displacement);
}

void assemble_load_byte(bmf_assembler *a, int to, int base, int displacement)
{
    put_wide(a, to, base);
    put(a, 0x0f);
    put(a, 0xb6);
    put_access(a, to, base, displacement);
}

/* With a REX prefix registers 4 to 7 are those that other instructions mean. */
void assemble_store_byte(bmf_assembler *a, int from, int base, int displacement)
{
    put_wide(a, from, base);
    put(a, 0x88);
    put_access(a, from, base, displacement);
}

void assemble_or_byte(bmf_assembler *a, int from, int base, int displacement)
{
    put_wide(a, from, base);
    put(a, 0x08);
    put_access(a, from, base, displacement);
}

/* REX without W: halves. */
static void put_half(bmf_assembler *a, unsigned opcode, int reg, const bmf_assembler_operand *memory)
{
    const int index = memory->index == NO_REGISTER ? 0 : memory->index;
    put(a, 0x40U | (unsigned)(reg > 7) << 2 | (unsigned)(index > 7) << 1 | (unsigned)(memory->base > 7));
    put(a, opcode);
    put_address(a, reg, memory);
}

void assemble_load_half(bmf_assembler *a, int to, bmf_assembler_operand from)
{
    put_half(a, 0x8b, to, &from);
}

void assemble_store_half(bmf_assembler *a, int from, bmf_assembler_operand to)
{
    put_half(a, 0x89, from, &to);
}

void assemble_negate(bmf_assembler *a, int to)
{
    put_wide(a, 0, to);
    put_registers(a, 0xf7, 3, to);
}

/* BZHI: VEX.LZ.0F38.W1 F5; the number of bits is in vvvv. */
void assemble_low_bits(bmf_assembler *a, int to, int from, int bits)
{
    put(a, 0xc4);
    put(a, inverted(to, 3) << 7 | 0x40U | inverted(from, 3) << 5 | 2U);
    put(a, 0x80U | ((unsigned)~bits & 15U) << 3);
    put_registers(a, 0xf5, to, from);
}

void assemble_push(bmf_assembler *a, int from)
{
    if (from > 7)
        put(a, 0x41);
    put(a, 0x50U | ((unsigned)from & 7U));
}

void assemble_pop(bmf_assembler *a, int to)
{
    if (to > 7)
        put(a, 0x41);
    put(a, 0x58U | ((unsigned)to & 7U));
}

/* ---- jumps ---- */

static void set_distance(bmf_assembler *a, int mark, int target)
{
    const int distance = target - mark;
    memcpy(a->code + mark - 4, &distance, sizeof distance);
}

int assemble_jump_forward(bmf_assembler *a, int condition)
{
    put(a, 0x0f);
    put(a, (unsigned)condition);
    put_word(a, 0);
    return a->bytes;
}

void assemble_here(bmf_assembler *a, int mark)
{
    set_distance(a, mark, a->bytes);
}

void assemble_jump_back(bmf_assembler *a, int condition, int target)
{
    set_distance(a, assemble_jump_forward(a, condition), target);
}
