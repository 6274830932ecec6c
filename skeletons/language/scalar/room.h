/* What rooms of compiled scalar expressions are made of; private to the files of scalar/. */
#ifndef BMF_LANGUAGE_SCALAR_ROOM_H
#define BMF_LANGUAGE_SCALAR_ROOM_H

#include "skeletons/language/scalar/code.h"

typedef struct place {
    char *data;
    bool uniform;
} place;

/* What a choice or loop needs while it runs. */
typedef struct region_room {
    int32_t *index, *moved; /* of the elements there are in the code around; and those to be moved */
    uint8_t *alive;
} region_room;

struct bmf_scalar_room {
    const bmf_scalar *scalar;
    place *place;        /* of every value */
    char **home;         /* its register, or NULL */
    char *memory;        /* registers */
    region_room *region; /* of every region but the first */
    char *result
        [BMF_MAX_LEAVES]; /* BMF_BLOCK elements, when the caller has no place for them and they do not fit a register */
    bmf_failure failure;
    void **pointer; /* for native code: of inputs and outputs */
    uint8_t *alive; /* and of elements that all are */
    bool suspected; /* by native code, of a failure: this block runs instruction by instruction */
    int mistakes;   /* how often for nothing */
    int64_t rounds; /* of loops, over all elements */
    char *beside;   /* of the caller */
    int64_t beside_bytes;
    int64_t bytes; /* of all but these */
    bmf_scalar_room *next;
};

/* Rooms that nobody uses, of one scalar. */
struct bmf_scalar_rooms {
    bmf_scalar_room *first;
};
/* Frees them; the scalar's other rooms have been closed. */
void scalar_rooms_free(bmf_scalar_rooms *rooms);

#endif
