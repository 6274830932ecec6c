/* Messages on their way.
 *
 * Method: a message's state is found by its number in blocks of neighbouring messages; a block is made when the first
 * of them is sent (or waited for) and given back when the last was received. Messages of a round have neighbouring
 * numbers, so little more is kept than what is under way, and it never moves, as networks need it.
 * Cost: two loads a message; 112 bytes.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulate_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

static void reserve_blocks(bmf_simulator *s, int64_t wanted)
{
    int64_t known = s->blocks;
    ARRAY_RESERVE(s->block, s->blocks, wanted);
    for (; known < s->blocks; known++)
        s->block[known] = (flight_block){0};
}

static void fill_block(bmf_simulator *s, flight_block *block)
{
    block->flight = s->spare;
    if (s->spare)
        s->spare = s->spare->transit.state;
    else
        block->flight = allocate(FLIGHT_BLOCK * (int64_t)sizeof(flight));
    for (int k = 0; k < FLIGHT_BLOCK; k++) {
        block->flight[k].transit.posted = INFINITY;
        block->flight[k].known = 0;
    }
}

flight *flight_of(bmf_simulator *s, int64_t message)
{
    const int64_t number = message / FLIGHT_BLOCK;
    if (number >= s->blocks)
        reserve_blocks(s, number + 1);
    flight_block *block = &s->block[number];
    if (!block->flight)
        fill_block(s, block);
    return &block->flight[message % FLIGHT_BLOCK];
}

static void give_back(bmf_simulator *s, flight_block *block)
{
    block->flight->transit.state = s->spare;
    s->spare = block->flight;
    block->flight = NULL;
}

void flight_received(bmf_simulator *s, int64_t message)
{
    flight_block *block = &s->block[message / FLIGHT_BLOCK];
    if (++block->received == FLIGHT_BLOCK)
        give_back(s, block);
}

void flight_keep(bmf_simulator *s, int64_t message)
{
    s->block[message / FLIGHT_BLOCK].received--;
}

void flights_clear(bmf_simulator *s)
{
    for (int64_t b = 0; b < s->blocks; b++) {
        free(s->block[b].flight);
        s->block[b] = (flight_block){0};
    }
    for (flight *block = s->spare; block;) {
        flight *next = block->transit.state;
        free(block);
        block = next;
    }
    s->spare = NULL;
}
