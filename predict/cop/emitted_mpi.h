/* Operators by MPI. A node is a rank, so there must be as many ranks as the mesh has nodes. Streams are persistent
 * requests between two ranks, made when a pair is first used; broadcasts, reductions, prefixes and barriers are MPI's
 * collectives on a communicator for each operator and instance; MPI reassociates what combines, in the order of the
 * nodes. Calls block until the message may be changed or is there. While nothing arrives, ranks that share cores sleep
 * between tests. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef enum cop_kind {
    COP_STREAM,
    COP_BROADCAST,
    COP_COLLECT,
    COP_SPREAD,
    COP_GATHER,
    COP_REDUCE,
    COP_ALLREDUCE,
    COP_PREFIX,
    COP_BARRIER,
    COP_CSHIFT,
    COP_EOSHIFT,
    COP_PERMUTE
} cop_kind;

typedef struct cop_instance_operand {
    int runtime, distributed, value;
    int count;         /* of a constant permutation; of the values that are possible at run time, 0: any */
    const int *values; /* likewise */
} cop_instance_operand;

typedef struct cop_instance {
    int nodes;
    const int *node; /* of the mesh, by number in the instance */
    cop_instance_operand operand[2];
} cop_instance;

typedef struct cop_operator {
    const char *label;
    cop_kind kind;
    int words, instances; /* 32 bits each */
    const cop_instance *instance;
} cop_operator;

/* Connections with one other node. */
typedef struct cop_link {
    MPI_Request send, receive;
    const void *sent; /* the messages that the requests are for */
    void *received;
} cop_link;

typedef void cop_combine(const void *a, const void *b, void *out);

/* An operator on this node. */
typedef struct cop_state {
    const cop_operator *op;
    const cop_instance *at; /* 0: the node is in none of its instances */
    int own;                /* number in the instance */
    int loaded, calls, operand[2];
    int32_t *target; /* of a permutation that is known at run time */
    cop_link *link;  /* by number in the instance */
    char *kept;      /* the last message to itself */
    MPI_Comm members;
    MPI_Datatype message;
    MPI_Op combining;
    cop_combine *combine;
} cop_state;

typedef struct cop_ranks {
    int operators, started, naps;
    cop_state *state;
    double begin;
    MPI_Comm all;
    cop_services services;
} cop_ranks;

enum { COP_ANY = -2, COP_TESTS = 20, COP_NAP = 20000 /* nanoseconds */ };

static void cop_fail(const cop_ranks *r, const cop_state *s, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "node %d, operator '%s': ", r->services.node, s->op->label);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void *cop_allocate(size_t count, size_t size)
{
    void *made = calloc(count > 0 ? count : 1, size);
    if (!made) {
        fputs("cop: out of memory\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return made;
}

static void cop_wait(const cop_ranks *r, MPI_Request *request)
{
    const struct timespec nap = {0, COP_NAP};
    int done = 0;
    if (!r->naps) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        return;
    }
    for (int tests = 0; !done; tests++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests > COP_TESTS)
            thrd_sleep(&nap, 0);
    }
}

/* ---- connections ---- */

static cop_link *cop_link_to(cop_state *s, int peer)
{
    if (!s->link) {
        s->link = (cop_link *)cop_allocate((size_t)s->at->nodes, sizeof *s->link);
        for (int k = 0; k < s->at->nodes; k++)
            s->link[k].send = s->link[k].receive = MPI_REQUEST_NULL;
    }
    return &s->link[peer];
}

static int cop_tag(const cop_ranks *r, const cop_state *s)
{
    return (int)(s - r->state);
}

static MPI_Request *cop_start_send(const cop_ranks *r, cop_state *s, int to, const void *message)
{
    cop_link *link = cop_link_to(s, to);
    if (link->send == MPI_REQUEST_NULL || link->sent != message) {
        if (link->send != MPI_REQUEST_NULL)
            MPI_Request_free(&link->send);
        MPI_Send_init(message, s->op->words, MPI_INT32_T, s->at->node[to], cop_tag(r, s), r->all, &link->send);
        link->sent = message;
    }
    MPI_Start(&link->send);
    return &link->send;
}

static MPI_Request *cop_start_receive(const cop_ranks *r, cop_state *s, int from, void *message)
{
    cop_link *link = cop_link_to(s, from);
    if (link->receive == MPI_REQUEST_NULL || link->received != message) {
        if (link->receive != MPI_REQUEST_NULL)
            MPI_Request_free(&link->receive);
        MPI_Recv_init(message, s->op->words, MPI_INT32_T, s->at->node[from], cop_tag(r, s), r->all, &link->receive);
        link->received = message;
    }
    MPI_Start(&link->receive);
    return &link->receive;
}

static void cop_keep(cop_state *s, const void *message)
{
    const size_t size = (size_t)s->op->words * 4;
    if (!s->kept)
        s->kept = (char *)cop_allocate(size, 1);
    memcpy(s->kept, message, size);
}

static void cop_send(const cop_ranks *r, cop_state *s, int to, const void *message)
{
    if (to == s->own)
        cop_keep(s, message);
    else
        cop_wait(r, cop_start_send(r, s, to, message));
}

static void cop_receive(const cop_ranks *r, cop_state *s, int from, void *message)
{
    MPI_Request request;
    if (from == COP_ANY) {
        MPI_Irecv(message, s->op->words, MPI_INT32_T, MPI_ANY_SOURCE, cop_tag(r, s), r->all, &request);
        cop_wait(r, &request);
    } else if (from != s->own) {
        cop_wait(r, cop_start_receive(r, s, from, message));
    } else if (s->kept) {
        memcpy(message, s->kept, (size_t)s->op->words * 4);
    } else {
        cop_fail(r, s, "it is read before it has been written, by its source");
    }
}

/* ---- operators ---- */

static cop_state *cop_use(cop_ranks *r, int op)
{
    cop_state *s = &r->state[op];
    if (!s->at)
        cop_fail(r, s, "the node is in none of its subsets");
    if (!s->loaded)
        cop_fail(r, s, "it has not been loaded");
    return s;
}

static int cop_given(const cop_state *s, int which)
{
    return s->at->operand[which].runtime ? s->operand[which] : s->at->operand[which].value;
}

static void cop_check_operand(const cop_ranks *r, const cop_state *s, int number, int value)
{
    const cop_instance_operand *operand = &s->at->operand[number];
    int possible = operand->count == 0;
    if (s->op->kind == COP_CSHIFT || s->op->kind == COP_EOSHIFT)
        return;
    if (value < 0 || value >= s->at->nodes)
        cop_fail(r, s, "operand %d is %d, outside the subset of %d nodes", number + 1, value, s->at->nodes);
    for (int k = 0; k < operand->count; k++)
        possible |= operand->values[k] == value;
    if (!possible)
        cop_fail(r, s, "operand %d is %d, which is not among its :values", number + 1, value);
}

static void cop_load_permutation(const cop_ranks *r, cop_state *s, int count, const int32_t *target)
{
    if (count != s->at->nodes)
        cop_fail(r, s, "a permutation of %d nodes for a subset of %d", count, s->at->nodes);
    if (!s->target)
        s->target = (int32_t *)cop_allocate((size_t)count, sizeof *s->target);
    memcpy(s->target, target, (size_t)count * sizeof *target);
    for (int k = 0; k < count; k++)
        cop_check_operand(r, s, 0, target[k]);
}

static void cop_service_load(void *state, int op, int count, const int32_t *operand)
{
    cop_ranks *r = (cop_ranks *)state;
    cop_state *s = &r->state[op];
    if (!s->at)
        cop_fail(r, s, "the node is in none of its subsets");
    s->loaded = 1;
    if (s->op->kind == COP_PERMUTE && s->at->operand[0].runtime) {
        cop_load_permutation(r, s, count, operand);
        return;
    }
    for (int k = 0, next = 0; k < 2; k++)
        if (s->at->operand[k].runtime) {
            s->operand[k] = next < count ? operand[next] : 0;
            next++;
            cop_check_operand(r, s, k, s->operand[k]);
        }
}

/* The n-th other node of the instance. */
static int cop_next_other(cop_state *s)
{
    const int k = s->calls++ % (s->at->nodes - 1);
    return k + (k >= s->own);
}

static void cop_collective_broadcast(const cop_ranks *r, cop_state *s, void *message)
{
    MPI_Request request;
    MPI_Ibcast(message, 1, s->message, cop_given(s, 0), s->members, &request);
    cop_wait(r, &request);
}

static void cop_service_write(void *state, int op, const void *message)
{
    cop_ranks *r = (cop_ranks *)state;
    cop_state *s = cop_use(r, op);
    const int first = cop_given(s, 0), inward = s->op->kind == COP_GATHER || s->op->kind == COP_COLLECT;
    if (!inward && first != s->own)
        cop_fail(r, s, "it is written by a node that is not its source, which is node %d", s->at->node[first]);
    if (s->op->kind == COP_STREAM)
        cop_send(r, s, cop_given(s, 1), message);
    else if (s->op->kind == COP_SPREAD)
        cop_send(r, s, cop_next_other(s), message);
    else if (inward)
        cop_send(r, s, first, message);
    else if (s->members != MPI_COMM_NULL)
        cop_collective_broadcast(r, s, (void *)(uintptr_t)message);
    else
        for (int k = 0; k < s->at->nodes; k++)
            if (k != s->own)
                cop_send(r, s, k, message);
}

static void cop_service_read(void *state, int op, void *message)
{
    cop_ranks *r = (cop_ranks *)state;
    cop_state *s = cop_use(r, op);
    const int first = cop_given(s, 0), distributed = s->at->operand[0].distributed;
    if (s->op->kind == COP_STREAM && cop_given(s, 1) != s->own && !s->at->operand[1].distributed)
        cop_fail(r, s, "it is read by a node that is not its destination");
    if ((s->op->kind == COP_BROADCAST || s->op->kind == COP_SPREAD) && first == s->own && !distributed)
        cop_fail(r, s, "it is read by its source");
    if ((s->op->kind == COP_GATHER || s->op->kind == COP_COLLECT) && first != s->own)
        cop_fail(r, s, "it is read by a node that is not its destination");
    if (s->op->kind == COP_GATHER)
        cop_receive(r, s, cop_next_other(s), message);
    else if (s->op->kind == COP_COLLECT || distributed)
        cop_receive(r, s, COP_ANY, message);
    else if (s->op->kind == COP_BROADCAST)
        cop_collective_broadcast(r, s, message);
    else
        cop_receive(r, s, first, message);
}

/* MPI calls it with the datatype of the operator's message, which knows the operator. */
static int cop_attribute = MPI_KEYVAL_INVALID;

static void cop_combine_messages(void *in, void *inout, int *length, MPI_Datatype *type)
{
    cop_state *s = 0;
    int found = 0;
    MPI_Type_get_attr(*type, cop_attribute, &s, &found);
    for (int k = 0; found && s->combine && k < *length; k++) {
        char *to = (char *)inout + (size_t)k * (size_t)s->op->words * 4;
        s->combine((char *)in + (size_t)k * (size_t)s->op->words * 4, to, to);
    }
}

static void cop_call_collective(const cop_ranks *r, cop_state *s, const void *in, void *out)
{
    const void *from = in == out ? MPI_IN_PLACE : in;
    MPI_Request request;
    if (s->op->kind == COP_BARRIER)
        MPI_Ibarrier(s->members, &request);
    else if (s->op->kind == COP_ALLREDUCE)
        MPI_Iallreduce(from, out, 1, s->message, s->combining, s->members, &request);
    else if (s->op->kind == COP_PREFIX)
        MPI_Iscan(from, out, 1, s->message, s->combining, s->members, &request);
    else
        MPI_Ireduce(cop_given(s, 0) == s->own ? from : in, out, 1, s->message, s->combining, cop_given(s, 0),
                    s->members, &request);
    cop_wait(r, &request);
}

static int cop_wrap(int number, int nodes)
{
    return (number % nodes + nodes) % nodes;
}

static void cop_call_permutation(const cop_ranks *r, cop_state *s, const void *in, void *out)
{
    const int nodes = s->at->nodes, by = cop_given(s, 0), runtime = s->at->operand[0].runtime;
    const size_t size = (size_t)s->op->words * 4;
    int to = s->own + by, from = s->own - by;
    if (s->op->kind == COP_PERMUTE) {
        to = runtime ? s->target[s->own] : s->at->operand[0].values[s->own];
        from = -1;
        for (int k = 0; k < nodes; k++)
            from = (runtime ? s->target[k] : s->at->operand[0].values[k]) == s->own ? k : from;
    } else if (s->op->kind == COP_CSHIFT) {
        to = cop_wrap(to, nodes);
        from = cop_wrap(from, nodes);
    }
    if (to == s->own) {
        memmove(out, in, size);
        return;
    }
    MPI_Request *sent = 0;
    if (to >= 0 && to < nodes) {
        if (in == out)
            cop_keep(s, in);
        sent = cop_start_send(r, s, to, in == out ? s->kept : in);
    }
    if (from >= 0 && from < nodes)
        cop_wait(r, cop_start_receive(r, s, from, out));
    if (sent)
        cop_wait(r, sent);
}

static void cop_service_call(void *state, int op, const void *in, void *out, cop_combine *combine)
{
    cop_ranks *r = (cop_ranks *)state;
    cop_state *s = cop_use(r, op);
    s->combine = combine;
    if (s->op->kind == COP_CSHIFT || s->op->kind == COP_EOSHIFT || s->op->kind == COP_PERMUTE)
        cop_call_permutation(r, s, in, out);
    else
        cop_call_collective(r, s, in, out);
}

/* Computing takes the time that it takes. */
static void cop_service_delay(void *state, double cycles)
{
    (void)state, (void)cycles;
}

/* Nanoseconds. */
static int64_t cop_service_cycle(void *state)
{
    const cop_ranks *r = (const cop_ranks *)state;
    return (int64_t)((MPI_Wtime() - r->begin) * 1e9);
}

/* ---- beginning and end ---- */

static int cop_is_collective(const cop_operator *op)
{
    return (op->kind >= COP_REDUCE && op->kind <= COP_BARRIER) ||
           (op->kind == COP_BROADCAST && !op->instance[0].operand[0].distributed);
}

static void cop_make_collective(cop_ranks *r, cop_state *s)
{
    MPI_Group all, members;
    MPI_Comm_group(r->all, &all);
    MPI_Group_incl(all, s->at->nodes, s->at->node, &members);
    MPI_Comm_create_group(r->all, members, cop_tag(r, s), &s->members);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    MPI_Type_contiguous(s->op->words, MPI_INT32_T, &s->message);
    MPI_Type_commit(&s->message);
    MPI_Type_set_attr(s->message, cop_attribute, s);
    MPI_Op_create(cop_combine_messages, 0, &s->combining);
}

static void cop_wait_for_all(const cop_ranks *r)
{
    MPI_Request request;
    MPI_Ibarrier(r->all, &request);
    cop_wait(r, &request);
}

static void cop_service_init(void *state)
{
    cop_ranks *r = (cop_ranks *)state;
    r->begin = MPI_Wtime();
    for (int op = 0; op < r->operators; op++)
        if (r->state[op].at && cop_is_collective(r->state[op].op))
            cop_make_collective(r, &r->state[op]);
    cop_wait_for_all(r);
}

static void cop_free_state(cop_state *s)
{
    for (int k = 0; s->link && k < s->at->nodes; k++) {
        if (s->link[k].send != MPI_REQUEST_NULL)
            MPI_Request_free(&s->link[k].send);
        if (s->link[k].receive != MPI_REQUEST_NULL)
            MPI_Request_free(&s->link[k].receive);
    }
    if (s->members != MPI_COMM_NULL) {
        MPI_Comm_free(&s->members);
        MPI_Type_free(&s->message);
        MPI_Op_free(&s->combining);
    }
    free(s->link);
    free(s->kept);
    free(s->target);
}

static void cop_service_fini(void *state)
{
    cop_ranks *r = (cop_ranks *)state;
    cop_wait_for_all(r);
    for (int op = 0; op < r->operators; op++)
        cop_free_state(&r->state[op]);
    free(r->state);
    r->state = 0;
    MPI_Type_free_keyval(&cop_attribute);
    MPI_Comm_free(&r->all);
    if (r->started)
        MPI_Finalize();
}

/* Whether a host has more ranks than cores. */
static int cop_shares_cores(void)
{
    MPI_Comm host;
    int ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &ranks);
    MPI_Comm_free(&host);
    return ranks > sysconf(_SC_NPROCESSORS_ONLN);
}

/* Collective over MPI_COMM_WORLD. Starts MPI if nobody has; then cop_fini ends it. */
static void cop_start(cop_ranks *r, int nodes, int operators, const cop_operator *op)
{
    int running, size;
    MPI_Initialized(&running);
    if (!running)
        MPI_Init(0, 0);
    memset(r, 0, sizeof *r);
    r->started = !running;
    MPI_Comm_rank(MPI_COMM_WORLD, &r->services.node);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != nodes) {
        if (r->services.node == 0)
            fprintf(stderr, "the program was compiled for %d nodes; there are %d ranks\n", nodes, size);
        MPI_Finalize();
        exit(2);
    }
    r->naps = cop_shares_cores();
    MPI_Comm_dup(MPI_COMM_WORLD, &r->all);
    r->operators = operators;
    r->state = (cop_state *)cop_allocate((size_t)operators, sizeof *r->state);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &cop_attribute, 0);
    for (int k = 0; k < operators; k++) {
        cop_state *s = &r->state[k];
        s->op = &op[k];
        s->members = MPI_COMM_NULL;
        for (int i = 0; i < op[k].instances; i++)
            for (int n = 0; n < op[k].instance[i].nodes; n++)
                if (op[k].instance[i].node[n] == r->services.node) {
                    s->at = &op[k].instance[i];
                    s->own = n;
                }
    }
    const int node = r->services.node;
    r->services = (cop_services){r,
                                 node,
                                 nodes,
                                 cop_service_init,
                                 cop_service_fini,
                                 cop_service_delay,
                                 cop_service_cycle,
                                 cop_service_load,
                                 cop_service_write,
                                 cop_service_read,
                                 cop_service_call};
}
