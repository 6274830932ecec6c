/* What the files share that run programs by messages: on dynamic routers, and by online routing on scheduled ones. */
#ifndef BMF_COP_MESSAGE_PRIVATE_H
#define BMF_COP_MESSAGE_PRIVATE_H

#include "predict/cop/nodes.h"
#include "predict/cop/operands.h"
#include "predict/cop/run.h"

enum { BMF_COP_ANYBODY = -2 };

/* A message by what it is for: the `sequence`-th of an operator's part between two nodes. */
typedef struct bmf_cop_letter {
    int64_t op, part, from, to, sequence;
    int64_t words; /* without headers */
    int64_t taken; /* by the receiver, headers included */
    int address;
    uint32_t *data;
    struct bmf_cop_letter *next; /* at the receiver, or among free ones */
    int64_t number;
} bmf_cop_letter;

/* What came to an address and has not been taken, in order. */
typedef struct bmf_cop_queue {
    int64_t first, count;
    struct bmf_cop_arrival {
        int64_t letter, time;
    } * arrival; /* a ring of the size of a channel's buffer */
} bmf_cop_queue;

/* What a node does with its interface: reads a message, writes one, or both, as words come and go. */
typedef struct bmf_cop_exchange {
    bool reads, writes, passes_on; /* passes_on: writes what it reads */
    int64_t op, part, from, to;    /* from may be BMF_COP_ANYBODY */
    int64_t words;                 /* of the message that is written */
    const void *out;
    bmf_cop_letter *letter; /* that is read; NULL: it has not come */
    int64_t written;        /* words, headers included */
    bool begun;             /* the written message has been handed to the router */
} bmf_cop_exchange;

/* Of an operator on all nodes. */
typedef struct bmf_cop_posted {
    const bmf_cop_operator *op;
    const bmf_cop_implementation *implementation;
    bmf_cop_loads loads;
    int64_t *instance, *number; /* by node of the mesh; -1: not in it */
    struct bmf_cop_collection {
        int64_t unread, writer;
    } * collection; /* by instance of a collect: messages under way, and whose they are */
} bmf_cop_posted;

typedef struct bmf_cop_correspondent {
    struct bmf_cop_mail *mail;
    int64_t node;
    bmf_coroutine *coroutine;
    bmf_cop_services services;
    bool ended, waits;
    int64_t wake;
    double fraction;
    bmf_cop_exchange exchange;
    bool read_last;
    int64_t *loads, *calls; /* by operator */
    bool *is_loaded;
    int32_t **operand;          /* by operator, as cop_loads_check gives them */
    int32_t **sent, **received; /* by operator and part: messages to and from every node; NULL: none yet */
    void **kept;                /* by operator: the last message to itself */
    bmf_cop_queue *queue;       /* by address */
    bmf_cop_letter *first;      /* that have begun to come */
    char *work;
    int64_t space;
    int64_t time[BMF_TIMES];
    int exit_code;
} bmf_cop_correspondent;

typedef struct bmf_cop_mail {
    /* How messages are carried: gives way until the message has been read, and the other one written. */
    void (*carry)(bmf_cop_correspondent *n, const bmf_cop_exchange *exchange, void *in);
    /* Ends the simulation; does not return to the node's program. */
    void (*fail)(bmf_cop_correspondent *n, int64_t op, const char *text);
    void *carrier; /* of `carry` and `fail` */
    const bmf_cop_plan *plan;
    bmf_dynamic_settings settings;
    int64_t nodes, operators;
    bmf_cop_posted *posted;
    bmf_cop_correspondent *node;
    uint8_t *address; /* as cop_colour_addresses gives them */
    bmf_wormhole_mesh *routers;
    bmf_cop_letter **letter; /* by number */
    int64_t letters, capacity;
    bmf_cop_letter *free;
    bmf_cop_body *body;
    void *body_state;
    const bmf_cop_log *log; /* NULL: none */
    int64_t length;         /* until the last node ended */
    int status;
} bmf_cop_mail;

/* correspondents.c: operators and nodes, whoever carries the messages. */
void mail_post(bmf_cop_mail *mail, const bmf_cop_use *use);
void mail_make_node(bmf_cop_mail *mail, int64_t node);
void mail_free_nodes(bmf_cop_mail *mail);
/* How many messages of the operator's part went from one node to another, or came. */
int32_t *mail_count(const bmf_cop_mail *mail, int32_t **counts, int64_t op, int64_t part, int64_t other);
/* Does not return to the node's program. */
void mail_fail(bmf_cop_correspondent *n, int64_t op, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* message_moves.c */
void letters_write(bmf_cop_correspondent *n, int64_t op, const void *message);
void letters_read(bmf_cop_correspondent *n, int64_t op, void *message);
void letters_call(bmf_cop_correspondent *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine);

#endif
