/* Online routing over scheduled routers (online.h). Method: a handler for every node that looks, turn by turn, at the
 * registers of its links: a word that has come goes into its message's buffer, a buffer's next word into the register
 * of the link that it leaves by. Programs hand messages over and wait for them as on dynamic routers
 * (message_moves.c). Cost: a look at 12 registers a cycle in which a node's handler has something to do. Source:
 * document 004, 4.2 and 8.3; what interrupts take is not in it. */
#include "predict/cop/online.h"

#include <stdlib.h>
#include <string.h>

#include "predict/cop/implement_private.h"
#include "predict/cop/message_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { NO_REGISTER = -1, HEADER = 1 /* word */ };

/* A message on a node: what has come of it, and what has gone on. */
typedef struct buffer {
    bmf_cop_letter *letter;
    int64_t received, written; /* words, the header included */
    struct buffer *next;       /* in the queue of the same link */
} buffer;

/* Messages that are on a link, in order, and its words so far. */
typedef struct link {
    bmf_cop_letter **letter;
    int64_t first, count, capacity;
    int64_t written, read;
} link;

typedef struct station {
    buffer *in[BMF_MESH_PORTS];      /* that is being filled from a link */
    buffer *out[BMF_MESH_PORTS];     /* the first that leaves by a link */
    bmf_cop_letter *arrived;         /* complete, in order */
    int64_t busy_until;              /* cycle */
    int turn;                        /* ports, in then out */
    int64_t unsent;                  /* messages of the node's program */
    const bmf_cop_exchange *awaited; /* whose message the program waits for; NULL: it waits for its own to leave */
} station;

typedef int registers[2 * BMF_MESH_PORTS]; /* in, then out */

struct bmf_cop_online {
    bmf_cop_run *run;
    bmf_cop_mail mail;
    bmf_interrupt_handler handler;
    int64_t interrupt, word, first_stream;
    registers *reg; /* by phase and node */
    bool *is_used;  /* by phase */
    link *link;     /* by node and port that it leaves by */
    station *node;
};

static link *link_of(const bmf_cop_online *o, int64_t node, int port)
{
    return &o->link[node * BMF_MESH_PORTS + port];
}

static const bmf_mesh *mesh_of(const bmf_cop_online *o)
{
    return &o->run->plan->settings.hardware.mesh;
}

/* Along x, then y, then z; -1: it is there. */
static int port_towards(const bmf_mesh *mesh, int64_t node, int64_t to)
{
    for (int d = 0; d < BMF_MESH_DIMENSIONS; d++) {
        const int64_t at = mesh_coordinate(mesh, node, d), wanted = mesh_coordinate(mesh, to, d);
        if (at != wanted)
            return 2 * d + (wanted > at);
    }
    return -1;
}

static int64_t length_of(const buffer *b)
{
    return b->letter->words + HEADER;
}

static void enqueue(station *s, int port, buffer *b)
{
    buffer **end = &s->out[port];
    while (*end)
        end = &(*end)->next;
    *end = b;
}

static void deliver(station *s, bmf_cop_letter *letter)
{
    bmf_cop_letter **end = &s->arrived;
    while (*end)
        end = &(*end)->next;
    letter->next = NULL;
    *end = letter;
}

/* ---- the handler ---- */

/* The registers of the phase that the node is in; NULL: it has none. */
static const int *registers_of(const bmf_cop_online *o, int64_t node)
{
    const int64_t phase = o->run->node[node].phase;
    return phase >= 0 && o->is_used[phase] ? o->reg[phase * o->run->nodes + node] : NULL;
}

/* What it can do, from its turn on: a port from which a word has come, or PORTS + one to which one can go; -1:
 * nothing. */
static int find_work(const bmf_cop_online *o, int64_t node, uint32_t inbound, uint32_t outbound)
{
    const station *s = &o->node[node];
    const int *reg = registers_of(o, node);
    for (int k = 0; reg && k < 2 * BMF_MESH_PORTS; k++) {
        const int at = (s->turn + k) % (2 * BMF_MESH_PORTS), port = at % BMF_MESH_PORTS;
        if (reg[at] == NO_REGISTER)
            continue;
        const buffer *out = s->out[port];
        if (at < BMF_MESH_PORTS ? inbound >> reg[at] & 1
                                : out && out->written < out->received && !(outbound >> reg[at] & 1))
            return at;
    }
    return -1;
}

static bool wants(void *state, int64_t node, uint32_t inbound, uint32_t outbound)
{
    const bmf_cop_online *o = state;
    return scheduled_simulation_cycle(o->run->simulation) < o->node[node].busy_until ||
           find_work(o, node, inbound, outbound) >= 0;
}

/* The message whose header has come: it will be passed on, or stays. */
static void begin_message(const bmf_cop_online *o, int64_t node, int port)
{
    station *s = &o->node[node];
    const bmf_mesh *mesh = mesh_of(o);
    const link *from = link_of(o, mesh_neighbour(mesh, node, port), mesh_opposite(port));
    buffer *b = allocate_clear(1, sizeof *b);
    b->letter = from->letter[from->first];
    s->in[port] = b;
    const int next = port_towards(mesh, node, b->letter->to);
    if (next >= 0)
        enqueue(s, next, b);
}

static void read_word(const bmf_cop_online *o, int64_t node, int port, bmf_handler_access *access)
{
    station *s = &o->node[node];
    const bmf_mesh *mesh = mesh_of(o);
    const int64_t neighbour = mesh_neighbour(mesh, node, port);
    link *from = link_of(o, neighbour, mesh_opposite(port));
    buffer *b = s->in[port];
    *access = (bmf_handler_access){.reads = true,
                                   .stream = o->first_stream + neighbour * BMF_MESH_PORTS + mesh_opposite(port),
                                   .place = from->read++};
    if (++b->received < length_of(b))
        return;
    from->first++;
    if (from->first == from->count)
        from->first = from->count = 0;
    s->in[port] = NULL;
    if (b->letter->to != node)
        return;
    deliver(s, b->letter);
    free(b);
}

static void write_word(const bmf_cop_online *o, int64_t node, int port, bmf_handler_access *access)
{
    station *s = &o->node[node];
    link *to = link_of(o, node, port);
    buffer *b = s->out[port];
    if (b->written == 0)
        *ARRAY_APPEND(to->letter, to->count, to->capacity) = b->letter;
    *access = (bmf_handler_access){.stream = o->first_stream + node * BMF_MESH_PORTS + port, .place = to->written++};
    if (++b->written < length_of(b))
        return;
    s->unsent -= b->letter->from == node;
    s->out[port] = b->next;
    free(b);
}

static bool take(void *state, int64_t node, uint32_t inbound, uint32_t outbound, bmf_handler_access *access)
{
    const bmf_cop_online *o = state;
    const int64_t now = scheduled_simulation_cycle(o->run->simulation);
    station *s = &o->node[node];
    access->reg = NO_REGISTER;
    if (now < s->busy_until)
        return true;
    const int at = find_work(o, node, inbound, outbound), port = at % BMF_MESH_PORTS;
    if (at < 0)
        return false;
    s->turn = at;
    if (at < BMF_MESH_PORTS && !s->in[port]) {
        begin_message(o, node, port);
        s->busy_until = now + o->interrupt;
        return true;
    }
    if (at < BMF_MESH_PORTS)
        read_word(o, node, port, access);
    else
        write_word(o, node, port, access);
    access->reg = registers_of(o, node)[at];
    s->busy_until = now + o->word;
    s->turn = at + 1;
    return true;
}

/* ---- programs ---- */

static bmf_cop_letter **find_letter(const bmf_cop_online *o, int64_t node, const bmf_cop_exchange *e)
{
    bmf_cop_letter **at = &o->node[node].arrived;
    while (*at &&
           !((*at)->op == e->op && (*at)->part == e->part && (e->from == BMF_COP_ANYBODY || (*at)->from == e->from)))
        at = &(*at)->next;
    return at;
}

static bool goes_on(void *state, int64_t node)
{
    const bmf_cop_online *o = state;
    const station *s = &o->node[node];
    return s->awaited ? !*find_letter(o, node, s->awaited) : s->unsent > 0;
}

/* Gives way until a message of the program has left, or the one that is awaited has come. */
static void wait_for(bmf_cop_node *n, const bmf_cop_exchange *awaited)
{
    station *s = &n->run->online->node[n->node];
    s->awaited = awaited;
    if (goes_on(n->run->online, n->node)) {
        bmf_processor_script *script = &n->run->script[n->node];
        bmf_interface_use use[BMF_SCHEDULED_REGISTERS];
        const int64_t first = script->uses;
        script_handled(script, awaited ? BMF_TIME_READ : BMF_TIME_WRITE, discards_list(n, use), use);
        for (int64_t k = first; k < script->uses; k++)
            script->use[k].begin = use[k - first].begin;
        run_steps(n);
        discards_note(n, script->use + first); /* the memory of a script that was cleared stays */
    }
    s->awaited = NULL;
}

static void tell(const bmf_cop_node *n, const bmf_cop_letter *letter, bmf_cop_event_kind kind, int64_t begin)
{
    const bmf_cop_event event = {.kind = kind,
                                 .node = n->node,
                                 .begin = begin,
                                 .end = scheduled_simulation_cycle(n->run->simulation),
                                 .op = n->run->running[letter->op].op,
                                 .peer = kind == BMF_COP_DID_WRITE ? letter->to : letter->from,
                                 .number = letter->sequence,
                                 .bytes = letter->words * (int64_t)sizeof(uint32_t)};
    if (n->run->log && event.end > event.begin)
        n->run->log->event(n->run->log->state, &event);
}

static void send(bmf_cop_node *n, bmf_cop_correspondent *c, const bmf_cop_exchange *e, const void *message)
{
    bmf_cop_online *o = n->run->online;
    bmf_cop_letter *letter = allocate_clear(1, sizeof *letter);
    const int64_t size = e->words * (int64_t)sizeof(uint32_t), begin = scheduled_simulation_cycle(n->run->simulation);
    *letter = (bmf_cop_letter){.op = e->op, .part = e->part, .from = n->node, .to = e->to, .words = e->words};
    letter->sequence = (*mail_count(&o->mail, c->sent, e->op, e->part, e->to))++;
    letter->data = allocate(size);
    memcpy(letter->data, message, (size_t)size);
    letter->number = o->mail.letters;
    *ARRAY_APPEND(o->mail.letter, o->mail.letters, o->mail.capacity) = letter;
    buffer *b = allocate_clear(1, sizeof *b);
    *b = (buffer){.letter = letter, .received = letter->words + HEADER};
    enqueue(&o->node[n->node], port_towards(mesh_of(o), n->node, e->to), b);
    const bmf_cop_letter sent = *letter; /* its reader may be through before the writer goes on */
    o->node[n->node].unsent++;
    wait_for(n, NULL);
    tell(n, &sent, BMF_COP_DID_WRITE, begin);
}

/* Letters are numbered, and the last one takes the place of one that has been read. */
static void free_letter(bmf_cop_mail *mail, bmf_cop_letter *letter)
{
    mail->letter[letter->number] = mail->letter[--mail->letters];
    mail->letter[letter->number]->number = letter->number;
    free(letter->data);
    free(letter);
}

static void carry(bmf_cop_correspondent *c, const bmf_cop_exchange *e, void *in)
{
    bmf_cop_online *o = c->mail->carrier;
    bmf_cop_node *n = &o->run->node[c->node];
    if (e->writes && !e->passes_on)
        send(n, c, e, e->out);
    if (!e->reads)
        return;
    const int64_t begin = scheduled_simulation_cycle(o->run->simulation);
    wait_for(n, e);
    bmf_cop_letter **at = find_letter(o, n->node, e), *letter = *at;
    *at = letter->next;
    ++*mail_count(c->mail, c->received, e->op, e->part, letter->from);
    tell(n, letter, BMF_COP_DID_READ, begin);
    if (in)
        memcpy(in, letter->data, (size_t)letter->words * sizeof(uint32_t));
    if (e->passes_on)
        send(n, c, e, letter->data);
    free_letter(c->mail, letter);
}

static void fail(bmf_cop_correspondent *c, int64_t op, const char *text)
{
    const bmf_cop_online *o = c->mail->carrier;
    run_fail(&o->run->node[c->node], op, "%s", text);
}

bool online_carries(const bmf_cop_running *r)
{
    return r->candidate->implementation->by_messages;
}

static bmf_cop_correspondent *correspondent(const bmf_cop_node *n)
{
    return &n->run->online->mail.node[n->node];
}

void online_load(bmf_cop_node *n, int64_t op)
{
    memcpy(correspondent(n)->operand[op], n->operand[op],
           (size_t)n->run->running[op].loads.size * sizeof *n->operand[op]);
}

void online_write(bmf_cop_node *n, int64_t op, const void *message)
{
    letters_write(correspondent(n), op, message);
}

void online_read(bmf_cop_node *n, int64_t op, void *message)
{
    letters_read(correspondent(n), op, message);
}

void online_call(bmf_cop_node *n, int64_t op, const void *in, void *out, bmf_cop_combine *combine)
{
    letters_call(correspondent(n), op, in, out, combine);
}

/* ---- making ---- */

int64_t online_streams(const bmf_cop_run *run)
{
    return run->online ? run->nodes * BMF_MESH_PORTS : 0;
}

const bmf_interrupt_handler *online_handler(const bmf_cop_online *online)
{
    return &online->handler;
}

static int port_to(const bmf_mesh *mesh, int64_t node, int64_t neighbour)
{
    int port = 0;
    while (mesh_neighbour(mesh, node, port) != neighbour)
        port++;
    return port;
}

/* The registers of a phase's streams between neighbours. */
static void find_registers(bmf_cop_online *o, const bmf_cop_running *network)
{
    const bmf_mesh *mesh = mesh_of(o);
    const bmf_stream_routes *routes = o->run->phase[network->phase]->routes;
    registers *reg = &o->reg[network->phase * o->run->nodes];
    o->is_used[network->phase] = true;
    for (int64_t k = 0; k < network->candidate->streams.count; k++) {
        const bmf_cop_stream *stream = &network->candidate->streams.stream[k];
        const bmf_stream_route *route = &routes->route[network->first_stream + k];
        const int64_t from = stream->from, to = stream->to[0];
        reg[from][BMF_MESH_PORTS + port_to(mesh, from, to)] = route->reg;
        reg[to][port_to(mesh, to, from)] = moves_register_at(route, to);
    }
}

static bool is_wanted(const bmf_cop_run *run)
{
    bool found = false;
    for (int64_t op = 0; op < run->operators; op++)
        found |= online_carries(&run->running[op]);
    return found;
}

bmf_cop_online *online_create(bmf_cop_run *run, const bmf_simulation_settings *settings)
{
    if (!is_wanted(run))
        return NULL;
    bmf_cop_online *o = allocate_clear(1, sizeof *o);
    o->run = run;
    o->interrupt = settings->interrupt_cycles > 0 ? settings->interrupt_cycles : ONLINE_INTERRUPT;
    o->word = settings->word_cycles > 0 ? settings->word_cycles : ONLINE_WORD;
    o->first_stream = run->channels;
    o->reg = allocate_array(run->phases * run->nodes, (int64_t)sizeof *o->reg);
    memset(o->reg, NO_REGISTER, (size_t)(run->phases * run->nodes) * sizeof *o->reg);
    o->is_used = allocate_clear(run->phases, sizeof *o->is_used);
    o->link = allocate_clear(run->nodes * BMF_MESH_PORTS, sizeof *o->link);
    o->node = allocate_clear(run->nodes, sizeof *o->node);
    o->handler = (bmf_interrupt_handler){.take = take, .wants = wants, .goes_on = goes_on, .state = o};
    o->mail = (bmf_cop_mail){.carry = carry,
                             .fail = fail,
                             .carrier = o,
                             .plan = run->plan,
                             .nodes = run->nodes,
                             .operators = run->operators};
    o->mail.posted = allocate_clear(run->operators, sizeof *o->mail.posted);
    o->mail.node = allocate_clear(run->nodes, sizeof *o->mail.node);
    for (int64_t op = 0; op < run->operators; op++) {
        const bmf_cop_running *r = &run->running[op];
        if (online_carries(r))
            mail_post(&o->mail, &(bmf_cop_use){.op = r->op, .candidate = r->chosen});
        else if (r->candidate->implementation == &cop_online_network)
            find_registers(o, r);
    }
    for (int64_t k = 0; k < run->nodes; k++)
        mail_make_node(&o->mail, k);
    return o;
}

static void free_station(station *s)
{
    for (int port = 0; port < BMF_MESH_PORTS; port++) {
        for (buffer *b = s->out[port], *next; b; b = next) {
            next = b->next;
            for (int from = 0; from < BMF_MESH_PORTS; from++)
                if (s->in[from] == b)
                    s->in[from] = NULL;
            free(b);
        }
    }
    for (int port = 0; port < BMF_MESH_PORTS; port++)
        free(s->in[port]);
}

void online_free(bmf_cop_online *o)
{
    if (!o)
        return;
    for (int64_t k = 0; k < o->run->nodes; k++)
        free_station(&o->node[k]);
    for (int64_t k = 0; k < o->run->nodes * BMF_MESH_PORTS; k++)
        free(o->link[k].letter);
    for (int64_t k = 0; k < o->mail.letters; k++) {
        free(o->mail.letter[k]->data);
        free(o->mail.letter[k]);
    }
    free(o->mail.letter);
    mail_free_nodes(&o->mail);
    free(o->reg);
    free(o->is_used);
    free(o->link);
    free(o->node);
    free(o);
}
