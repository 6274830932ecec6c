/* What the ranks of an MPI program and `bmf predict --mpi` say to each other while the program runs on virtual clocks.
 *
 * Every rank is connected to the predicting process by a local socket, whose path is in the environment variable
 * BMF_PREDICT. It sends actions, which are what it does, in its order; calls that may block are said before they are
 * made. Actions that ask end in an answer, for which the rank waits: they need times that only the simulation knows.
 * A rank may keep actions to itself until they are many, or it waits for long, or the predicting process wants them
 * (bmf_virtual_page, in a file beside the socket). */
#ifndef BMF_VIRTUAL_CLOCK_H
#define BMF_VIRTUAL_CLOCK_H

#include <stdint.h>

#define VIRTUAL_SOCKET "BMF_PREDICT"
/* The page's file is named as the socket, with this ending. */
#define VIRTUAL_PAGE ".page"
/* What computing takes: measured, steps or zero. */
#define VIRTUAL_COMPUTING "BMF_PREDICT_COMPUTE"

typedef enum bmf_virtual_kind {
    VIRTUAL_HELLO,      /* peer: the rank; amount: all ranks */
    VIRTUAL_GROUP,      /* group: its id; amount: members, which follow as int32 by rank in the group */
    VIRTUAL_COMPUTE,    /* amount: nanoseconds; number: steps */
    VIRTUAL_FILE,       /* amount: nanoseconds */
    VIRTUAL_SEND,       /* to peer with tag; amount: bytes; round: of the request */
    VIRTUAL_POST,       /* of a receive from peer (-1: any) with tag (-1: any); round: of the request */
    VIRTUAL_RECEIVE,    /* the same, and it is waited for */
    VIRTUAL_FINISH,     /* amount: how many requests are waited for; their rounds follow as uint32 */
    VIRTUAL_COLLECTIVE, /* number of the group; amount: bytes; peer: root or -1; round: of the request */
    VIRTUAL_OPAQUE,     /* name: of a call whose meaning is not known; the prediction ends */
    VIRTUAL_END,
    VIRTUAL_ASK_CLOCK,  /* tag: 1, if it was asked for the last time and nothing happened since */
    VIRTUAL_ASK_DONE,   /* whether what is before it has been done */
    VIRTUAL_ASK_PROBE,  /* peer, tag; of a matched probe the round of the receive to come */
    VIRTUAL_ASK_FINISH, /* which of the requests that follow as for VIRTUAL_FINISH are finished */
} bmf_virtual_kind;

enum {
    VIRTUAL_NONBLOCKING = 1, /* send, collective: it has a request */
    VIRTUAL_HELD = 2,        /* post, receive: the rank wants to be told what it is for */
    VIRTUAL_WAITS = 4,       /* ask: until there is one; else at once */
    VIRTUAL_ALL = 8,         /* ask: all of them or none */
    VIRTUAL_ONE = 16,        /* ask: the first of them */
    VIRTUAL_MATCHED = 32,    /* probe: takes the message */
    VIRTUAL_NO_TIME = 64,    /* collective: its members wait for each other, and no longer */
};

/* Of requests that have no part in the simulation, such as a receive from MPI_PROC_NULL. */
#define VIRTUAL_NO_ROUND UINT32_MAX

enum { VIRTUAL_NAME = 24 };

typedef struct bmf_virtual_page {
    int32_t wanted; /* a question cannot be answered before ranks have said more */
} bmf_virtual_page;

typedef struct bmf_virtual_action {
    uint32_t kind, flags, round;
    int32_t peer, tag;
    uint32_t zero;
    uint64_t group;
    int64_t amount, number;
    char name[VIRTUAL_NAME]; /* of the call */
} bmf_virtual_action;
_Static_assert(sizeof(bmf_virtual_action) == 72, "an action");

/* An answer: this, and `count` of bmf_virtual_choice behind it. */
typedef struct bmf_virtual_answer {
    double clock;
    int32_t found; /* probe: whether there is a message */
    int32_t source, tag;
    int32_t finished; /* how many of the asked requests are finished: the last choices, in the order of arrival */
    int64_t bytes;    /* of the message that was found */
    int64_t count;
} bmf_virtual_answer;

/* What a held receive is for, in the order in which it was settled; or, of the last ones, which request is finished. */
typedef struct bmf_virtual_choice {
    uint32_t round;
    int32_t source, tag;
} bmf_virtual_choice;

#endif
