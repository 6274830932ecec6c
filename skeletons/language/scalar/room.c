/* Rooms of compiled scalar expressions: their registers, and what choices, loops and native code need.
 *
 * Method: a room that is closed stays with its scalar for whoever opens one next, so that a loop over few elements does
 * not make all of it anew in every round. Closed last is opened first: its registers are in the caches still.
 * Cost: opening one that is there takes a lock and the number of values; all scalars of the process together keep at
 * most 16 MiB. */
#include "skeletons/language/scalar/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/native.h"

enum { MOST_KEPT = 16 << 20 };

/* Of the lists of all scalars. */
static pthread_mutex_t rooms_lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t kept;

/* ---- making ---- */

static void *take(bmf_scalar_room *room, int64_t bytes)
{
    room->bytes += bytes;
    return allocate(bytes);
}

/* Registers begin at different distances from multiples of 4096, which the processor tells apart late. */
static int64_t register_bytes(const bmf_scalar *s, int64_t size)
{
    return s->block * size + 128;
}

static void place_values(bmf_scalar_room *room)
{
    const bmf_scalar *s = room->scalar;
    const int64_t word = register_bytes(s, 8), byte = register_bytes(s, 1);
    char *bytes = room->memory + (s->words + s->inputs) * word, *inputs = room->memory + s->words * word;
    for (int v = 0; v < s->values; v++) {
        const bmf_scalar_value *value = &s->value[v];
        char *home = NULL;
        if (value->origin == BMF_SCALAR_INPUT)
            home = inputs + v * word;
        else if (value->home >= 0)
            home = value->kind == BMF_BOOL ? bytes + value->home * byte : room->memory + value->home * word;
        room->home[v] = home;
        room->place[v] = (place){home, false};
        if (value->origin == BMF_SCALAR_CONSTANT)
            room->place[v] = (place){(char *)&value->bits, true};
    }
}

static void make_native_room(bmf_scalar_room *room)
{
    const bmf_scalar *s = room->scalar;
    int pointers = 0;
    if (s->runs == 0)
        return;
    for (int n = 0; n < s->runs; n++) {
        const int here = s->run[n].inputs + 1 + s->run[n].outputs;
        pointers = here > pointers ? here : pointers;
    }
    room->pointer = take(room, pointers * (int64_t)sizeof *room->pointer);
    room->alive = take(room, s->block);
    memset(room->alive, 1, (size_t)s->block);
}

static bmf_scalar_room *make_room(const bmf_scalar *s)
{
    bmf_scalar_room *room = allocate_clear(1, (int64_t)sizeof *room);
    room->scalar = s;
    room->bytes = (int64_t)sizeof *room;
    room->place = take(room, s->values * (int64_t)sizeof *room->place);
    room->home = take(room, s->values * (int64_t)sizeof *room->home);
    room->memory = take(room, (s->words + s->inputs) * register_bytes(s, 8) + s->bytes * register_bytes(s, 1));
    room->region = allocate_clear(s->regions, (int64_t)sizeof *room->region);
    for (int r = 1; r < s->regions; r++) {
        if (s->region[r].owner < 0)
            continue;
        room->region[r].index = take(room, s->block * (int64_t)sizeof(int32_t));
        room->region[r].moved = take(room, s->block * (int64_t)sizeof(int32_t));
        room->region[r].alive = take(room, s->block);
    }
    make_native_room(room);
    return room;
}

static void free_room(bmf_scalar_room *room)
{
    for (int r = 0; r < room->scalar->regions; r++) {
        free(room->region[r].index);
        free(room->region[r].moved);
        free(room->region[r].alive);
    }
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        free(room->result[k]);
    free(room->beside);
    free(room->pointer);
    free(room->alive);
    free(room->region);
    free(room->memory);
    free(room->home);
    free(room->place);
    free(room);
}

/* ---- opening and closing ---- */

/* Results that have no place are few and seldom: they do not count. */
static int64_t bytes_of(const bmf_scalar_room *room)
{
    return room->bytes + room->beside_bytes;
}

static bmf_scalar_room *take_kept(const bmf_scalar *scalar)
{
    pthread_mutex_lock(&rooms_lock);
    bmf_scalar_room *room = scalar->rooms->first;
    if (room) {
        scalar->rooms->first = room->next;
        kept -= bytes_of(room);
    }
    pthread_mutex_unlock(&rooms_lock);
    return room;
}

static bool keep(bmf_scalar_room *room)
{
    pthread_mutex_lock(&rooms_lock);
    const bool fits = kept + bytes_of(room) <= MOST_KEPT;
    if (fits) {
        bmf_scalar_rooms *rooms = room->scalar->rooms;
        room->next = rooms->first;
        rooms->first = room;
        kept += bytes_of(room);
    }
    pthread_mutex_unlock(&rooms_lock);
    return fits;
}

bmf_scalar_room *scalar_room_open(const bmf_scalar *scalar)
{
    bmf_scalar_room *room = take_kept(scalar);
    if (!room)
        room = make_room(scalar);
    room->mistakes = 0;
    room->rounds = 0;
    place_values(room);
    return room;
}

void scalar_room_close(bmf_scalar_room *room)
{
    if (room && !keep(room))
        free_room(room);
}

void scalar_rooms_free(bmf_scalar_rooms *rooms)
{
    for (bmf_scalar_room *room = rooms->first, *next; room; room = next) {
        next = room->next;
        pthread_mutex_lock(&rooms_lock);
        kept -= bytes_of(room);
        pthread_mutex_unlock(&rooms_lock);
        free_room(room);
    }
    free(rooms);
}

/* ---- what is in one ---- */

int64_t scalar_room_rounds(const bmf_scalar_room *room)
{
    return room->rounds;
}

char *scalar_room_beside(bmf_scalar_room *room, int64_t bytes)
{
    if (bytes > room->beside_bytes) {
        free(room->beside);
        room->beside = allocate(bytes);
        room->beside_bytes = bytes;
    }
    return room->beside;
}
