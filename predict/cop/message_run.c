/* Programs on meshes of dynamic routers. Method: every node is a coroutine that runs until it reads or writes a
 * message; then its processor makes an access to its router a cycle, and the routers are simulated word by word
 * (predict/mesh/dynamic.h). A processor that waits, whatever for, takes the words of other messages into its memory, so
 * that nothing blocks the network for ever. Cycles in which nothing happens are skipped. Cost: that of the simulation,
 * and a look at every node that waits in every cycle. Source: document 004, 7.2 and 8.1. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "predict/cop/message_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/progress.h"

enum { WRONG = 200, LISTED = 4 /* nodes that wait for ever */ };

static void fail_node(bmf_cop_correspondent *n, int64_t op, const char *text)
{
    bmf_cop_mail *mail = n->mail;
    if (mail->status == BMF_OK)
        mail->status = bmf_fail(NULL, BMF_ERROR_KERNEL, "node %" PRId64 ", operator '%s', cycle %" PRId64 ": %s",
                                n->node, op >= 0 ? mail->posted[op].op->label : "-", dynamic_time(mail->routers), text);
    for (;;)
        coroutine_yield(n->coroutine);
}

/* ---- messages ---- */

static bmf_cop_letter *make_letter(bmf_cop_mail *mail)
{
    bmf_cop_letter *letter = mail->free;
    if (letter) {
        mail->free = letter->next;
    } else {
        letter = allocate_clear(1, sizeof *letter);
        letter->number = mail->letters;
        *ARRAY_APPEND(mail->letter, mail->letters, mail->capacity) = letter;
    }
    letter->taken = 0;
    letter->next = NULL;
    return letter;
}

static void free_letter(bmf_cop_mail *mail, bmf_cop_letter *letter)
{
    free(letter->data);
    letter->data = NULL;
    letter->next = mail->free;
    mail->free = letter;
}

static void hand_over(bmf_cop_correspondent *n)
{
    bmf_cop_mail *mail = n->mail;
    bmf_cop_exchange *e = &n->exchange;
    bmf_cop_letter *letter = make_letter(mail);
    const size_t size = (size_t)e->words * 4;
    letter->op = e->op;
    letter->part = e->part;
    letter->from = n->node;
    letter->to = e->to;
    letter->sequence = (*mail_count(mail, n->sent, e->op, e->part, e->to))++;
    letter->words = e->words;
    letter->address = mail->address[(e->op * BMF_COP_PARTS + e->part) * mail->nodes + e->to];
    letter->data = allocate((int64_t)size);
    memcpy(letter->data, e->passes_on ? e->letter->data : e->out, size);
    dynamic_send(mail->routers, letter->number, n->node, e->to, e->words, letter->address);
    e->begun = true;
}

/* The message that the exchange reads, if it has begun to come. */
static bmf_cop_letter *find_letter(const bmf_cop_correspondent *n)
{
    const bmf_cop_exchange *e = &n->exchange;
    for (bmf_cop_letter *letter = n->first; letter; letter = letter->next)
        if (letter->op == e->op && letter->part == e->part &&
            (e->from == BMF_COP_ANYBODY ||
             (letter->from == e->from &&
              letter->sequence == *mail_count(n->mail, n->received, e->op, e->part, e->from))))
            return letter;
    return NULL;
}

static void word_came(void *state, int64_t node, int address, int64_t message, int64_t place, int64_t time)
{
    bmf_cop_mail *mail = state;
    bmf_cop_correspondent *n = &mail->node[node];
    bmf_cop_queue *q = &n->queue[address];
    q->arrival[(q->first + q->count++) % mail->settings.buffer] = (struct bmf_cop_arrival){message, time};
    if (place > 0)
        return;
    bmf_cop_letter **end = &n->first;
    while (*end)
        end = &(*end)->next;
    *end = mail->letter[message];
    (*end)->next = NULL;
}

/* ---- an access ---- */

static int64_t length_of(const bmf_cop_mail *mail, int64_t words)
{
    return words + mail->settings.header;
}

static bool has_word(const bmf_cop_correspondent *n, int address)
{
    const bmf_cop_queue *q = &n->queue[address];
    return q->count > 0 && q->arrival[q->first].time <= dynamic_time(n->mail->routers);
}

static void take_word(bmf_cop_correspondent *n, int address)
{
    bmf_cop_mail *mail = n->mail;
    bmf_cop_queue *q = &n->queue[address];
    mail->letter[q->arrival[q->first].letter]->taken++;
    q->first = (q->first + 1) % mail->settings.buffer;
    q->count--;
    dynamic_take(mail->routers, n->node, address);
}

static bool has_read(const bmf_cop_correspondent *n)
{
    const bmf_cop_exchange *e = &n->exchange;
    return !e->reads || (e->letter && e->letter->taken == length_of(n->mail, e->letter->words));
}

static bool has_written(const bmf_cop_correspondent *n)
{
    const bmf_cop_exchange *e = &n->exchange;
    return !e->writes || e->written == length_of(n->mail, e->words);
}

static bool try_read(bmf_cop_correspondent *n)
{
    bmf_cop_exchange *e = &n->exchange;
    if (e->reads && !e->letter)
        e->letter = find_letter(n);
    if (has_read(n) || !e->letter)
        return false;
    const int address = e->letter->address;
    if (!has_word(n, address)) /* a message before it may be at the same address: its words are taken as well */
        return false;
    take_word(n, address);
    return true;
}

static bool try_write(bmf_cop_correspondent *n)
{
    bmf_cop_exchange *e = &n->exchange;
    if (has_written(n) || (e->passes_on && (!e->letter || e->written >= e->letter->taken)))
        return false;
    if (!e->begun)
        hand_over(n);
    if (!dynamic_write(n->mail->routers, n->node))
        return false;
    e->written++;
    return true;
}

static bool try_others(bmf_cop_correspondent *n)
{
    for (int address = 1; address <= n->mail->settings.addresses; address++)
        if (has_word(n, address)) {
            take_word(n, address);
            return true;
        }
    return false;
}

/* One access in this cycle; two, one of each kind, where processors do not share them. Whether there was any. */
static bool access_router(bmf_cop_correspondent *n)
{
    const bool shared = n->mail->settings.shared;
    bool wrote = false, read = false;
    if (n->read_last || !shared)
        wrote = try_write(n);
    if (!wrote || !shared)
        read = try_read(n);
    if (!read && !wrote)
        wrote = try_write(n);
    if (!read && !wrote && try_others(n))
        read = true;
    n->read_last = read;
    n->time[wrote ? BMF_TIME_WRITE : read || !has_read(n) ? BMF_TIME_READ : BMF_TIME_WRITE]++;
    return wrote || read;
}

static void end_reading(bmf_cop_correspondent *n, void *in)
{
    bmf_cop_exchange *e = &n->exchange;
    if (!e->reads)
        return;
    bmf_cop_letter *letter = e->letter, **at = &n->first;
    if (in)
        memcpy(in, letter->data, (size_t)letter->words * 4);
    ++*mail_count(n->mail, n->received, letter->op, letter->part, letter->from);
    while (*at != letter)
        at = &(*at)->next;
    *at = letter->next;
    free_letter(n->mail, letter);
}

static void tell(const bmf_cop_correspondent *n, const bmf_cop_event *event)
{
    if (n->mail->log && event->end > event->begin)
        n->mail->log->event(n->mail->log->state, event);
}

/* What is written and read at the same time is told one after the other, with the cycles of each. */
static void tell_exchange(const bmf_cop_correspondent *n, int64_t begin, int64_t writing)
{
    const bmf_cop_exchange *e = &n->exchange;
    bmf_cop_event event = {.kind = BMF_COP_DID_WRITE, .node = n->node, .op = n->mail->posted[e->op].op, .begin = begin};
    event.end = e->reads ? begin + writing : dynamic_time(n->mail->routers);
    event.bytes = event.op->words * 4;
    event.peer = e->to;
    if (e->writes) {
        event.number = *mail_count(n->mail, n->sent, e->op, e->part, e->to) - 1;
        tell(n, &event);
        event.begin = event.end;
    }
    if (e->reads) {
        event.kind = BMF_COP_DID_READ;
        event.end = dynamic_time(n->mail->routers);
        event.peer = e->letter->from;
        event.number = e->letter->sequence;
        tell(n, &event);
    }
}

static void exchange_messages(bmf_cop_correspondent *n, const bmf_cop_exchange *exchange, void *in)
{
    const int64_t begin = dynamic_time(n->mail->routers), written = n->time[BMF_TIME_WRITE];
    n->exchange = *exchange;
    n->exchange.letter = exchange->reads ? find_letter(n) : NULL;
    if (!has_read(n) || !has_written(n)) {
        n->waits = true;
        coroutine_yield(n->coroutine);
    }
    if (n->mail->log)
        tell_exchange(n, begin, n->time[BMF_TIME_WRITE] - written);
    end_reading(n, in);
}

/* ---- services ---- */

static int64_t check_use(bmf_cop_correspondent *n, int op)
{
    if (n->mail->posted[op].instance[n->node] < 0)
        mail_fail(n, op, "the node is in none of its subsets");
    if (!n->is_loaded[op])
        mail_fail(n, op, "it has not been loaded");
    return op;
}

static void load(void *state, int op, int count, const int32_t *operand)
{
    bmf_cop_correspondent *n = state;
    bmf_cop_posted *p = &n->mail->posted[op];
    char text[WRONG];
    if (p->instance[n->node] < 0)
        mail_fail(n, op, "the node is in none of its subsets");
    const char *wrong = cop_loads_check(&p->loads, p->instance[n->node], n->loads[op]++, count, operand, n->operand[op],
                                        text, sizeof text);
    if (wrong)
        mail_fail(n, op, "%s", wrong);
    n->is_loaded[op] = true;
}

static void tell_call(const bmf_cop_correspondent *n, int op, int64_t begin)
{
    const bmf_cop_event event = {.kind = BMF_COP_DID_CALL,
                                 .node = n->node,
                                 .begin = begin,
                                 .end = dynamic_time(n->mail->routers),
                                 .op = n->mail->posted[op].op};
    if (n->mail->log)
        n->mail->log->event(n->mail->log->state, &event);
}

static int64_t now_of(const bmf_cop_correspondent *n)
{
    return dynamic_time(n->mail->routers);
}

static void write_message(void *state, int op, const void *message)
{
    bmf_cop_correspondent *n = state;
    const int64_t begin = now_of(n);
    letters_write(n, check_use(n, op), message);
    tell_call(n, op, begin);
}

static void read_message(void *state, int op, void *message)
{
    bmf_cop_correspondent *n = state;
    const int64_t begin = now_of(n);
    letters_read(n, check_use(n, op), message);
    tell_call(n, op, begin);
}

static void call(void *state, int op, const void *in, void *out, bmf_cop_combine *combine)
{
    bmf_cop_correspondent *n = state;
    const int64_t begin = now_of(n);
    letters_call(n, check_use(n, op), in, out, combine);
    tell_call(n, op, begin);
}

static void delay(void *state, double cycles)
{
    bmf_cop_correspondent *n = state;
    if (!(cycles >= 0 && cycles < 1e15))
        mail_fail(n, -1, "a delay of %g cycles", cycles);
    n->fraction += cycles;
    const int64_t whole = (int64_t)floor(n->fraction);
    n->fraction -= (double)whole;
    if (whole == 0)
        return;
    n->wake = dynamic_time(n->mail->routers) + whole;
    n->time[BMF_TIME_CPU] += whole;
    const bmf_cop_event event = {
        .kind = BMF_COP_DID_TIME, .time = BMF_TIME_CPU, .node = n->node, .begin = n->wake - whole, .end = n->wake};
    tell(n, &event);
    coroutine_yield(n->coroutine);
}

static int64_t cycle(void *state)
{
    return dynamic_time(((const bmf_cop_correspondent *)state)->mail->routers);
}

static void nothing(void *state)
{
    (void)state;
}

/* ---- time ---- */

/* Programs run until they wait for their routers, or for a time. */
static void resume_nodes(bmf_cop_mail *mail)
{
    const int64_t now = dynamic_time(mail->routers);
    for (int64_t k = 0; k < mail->nodes && mail->status == BMF_OK; k++) {
        bmf_cop_correspondent *n = &mail->node[k];
        while (!n->ended && !n->waits && n->wake <= now && mail->status == BMF_OK) {
            n->ended = !coroutine_resume(n->coroutine);
            if (n->ended && now > mail->length)
                mail->length = now;
        }
    }
}

/* Whether any processor made an access. */
static bool access_routers(bmf_cop_mail *mail)
{
    const int64_t now = dynamic_time(mail->routers);
    bool moved = false;
    for (int64_t k = 0; k < mail->nodes; k++) {
        bmf_cop_correspondent *n = &mail->node[k];
        if (!n->waits)
            continue;
        moved |= access_router(n);
        if (has_read(n) && has_written(n)) {
            n->waits = false;
            n->wake = now + 1;
        }
    }
    return moved;
}

static int fail_for_ever(const bmf_cop_mail *mail)
{
    char text[400] = "";
    int listed = 0;
    for (int64_t k = 0; k < mail->nodes; k++) {
        const bmf_cop_correspondent *n = &mail->node[k];
        const size_t used = strlen(text);
        if (n->waits && listed++ < LISTED)
            snprintf(text + used, sizeof text - used, "%s node %" PRId64 " %s operator '%s'", used > 0 ? "," : "", k,
                     has_read(n) ? "writes to" : "reads", mail->posted[n->exchange.op].op->label);
    }
    return bmf_fail(NULL, BMF_ERROR_KERNEL, "cycle %" PRId64 ": every node waits for ever:%s%s",
                    dynamic_time(mail->routers), text, listed > LISTED ? ", .." : "");
}

/* The next cycle in which a processor or a router has something to do; INT64_MAX: none. */
static int64_t next_time(const bmf_cop_mail *mail, bool moved)
{
    int64_t next = moved ? dynamic_time(mail->routers) : dynamic_next(mail->routers);
    for (int64_t k = 0; k < mail->nodes; k++) {
        const bmf_cop_correspondent *n = &mail->node[k];
        if (!n->ended && !n->waits && n->wake < next)
            next = n->wake;
        for (int address = 1; n->waits && address <= mail->settings.addresses; address++) {
            const bmf_cop_queue *q = &n->queue[address];
            if (q->count > 0 && q->arrival[q->first].time < next)
                next = q->arrival[q->first].time;
        }
    }
    return next;
}

static bool all_ended(const bmf_cop_mail *mail)
{
    for (int64_t k = 0; k < mail->nodes; k++)
        if (!mail->node[k].ended)
            return false;
    return true;
}

/* Nodes that wait do so through the cycles that are skipped. */
static void skip_to(bmf_cop_mail *mail, int64_t time)
{
    const int64_t cycles = time - dynamic_time(mail->routers);
    for (int64_t k = 0; k < mail->nodes && cycles > 0; k++) {
        bmf_cop_correspondent *n = &mail->node[k];
        if (n->waits)
            n->time[has_read(n) ? BMF_TIME_WRITE : BMF_TIME_READ] += cycles;
    }
    if (cycles > 0)
        dynamic_skip(mail->routers, time);
}

static void show_progress(const bmf_cop_mail *mail, bmf_progress *progress)
{
    int64_t through = 0;
    for (int64_t k = 0; k < mail->nodes; k++)
        through += mail->node[k].ended;
    progress_note(progress, "cycle %" PRId64 ", %" PRId64 " of %" PRId64 " nodes through", dynamic_time(mail->routers),
                  through, mail->nodes);
}

static int carry_out(bmf_cop_mail *mail, bmf_progress *progress)
{
    resume_nodes(mail);
    while (mail->status == BMF_OK && !all_ended(mail)) {
        if (progress_due(progress))
            show_progress(mail, progress);
        const bool moved = access_routers(mail);
        dynamic_step(mail->routers);
        const int64_t next = next_time(mail, moved);
        if (next == INT64_MAX)
            return fail_for_ever(mail);
        skip_to(mail, next);
        resume_nodes(mail);
    }
    if (mail->status == BMF_OK && dynamic_disordered(mail->routers) > 0)
        return bmf_fail(NULL, BMF_ERROR_INTERNAL, "%" PRId64 " words came out of order",
                        dynamic_disordered(mail->routers));
    return mail->status;
}

static int simulate(bmf_cop_mail *mail)
{
    bmf_progress progress;
    progress_begin(&progress, "simulating");
    const int status = carry_out(mail, &progress);
    progress_end(&progress);
    return status;
}

/* ---- making ---- */

static void run_body(void *state)
{
    bmf_cop_correspondent *n = state;
    n->exit_code = n->mail->body(n->mail->body_state, &n->services);
}

static void make_node(bmf_cop_mail *mail, int64_t k)
{
    bmf_cop_correspondent *n = &mail->node[k];
    mail_make_node(mail, k);
    n->services = (bmf_cop_services){n,     (int)k, (int)mail->nodes, nothing,      nothing, delay,
                                     cycle, load,   write_message,    read_message, call};
    n->queue = allocate_clear(mail->settings.addresses + 1, sizeof *n->queue);
    for (int a = 1; a <= mail->settings.addresses; a++)
        n->queue[a].arrival = allocate_array(mail->settings.buffer, (int64_t)sizeof *n->queue[a].arrival);
    n->coroutine = coroutine_create(run_body, n);
}

static void free_node(const bmf_cop_mail *mail, bmf_cop_correspondent *n)
{
    coroutine_free(n->coroutine);
    for (int a = 1; a <= mail->settings.addresses; a++)
        free(n->queue[a].arrival);
    free(n->queue);
}

static void free_mail(bmf_cop_mail *mail)
{
    for (int64_t k = 0; k < mail->nodes; k++)
        free_node(mail, &mail->node[k]);
    mail_free_nodes(mail);
    for (int64_t k = 0; k < mail->letters; k++) {
        free(mail->letter[k]->data);
        free(mail->letter[k]);
    }
    free(mail->letter);
    free(mail->address);
    dynamic_free(mail->routers);
}

int cop_run_messages(const bmf_cop_plan *plan, const bmf_dynamic_settings *settings, bmf_cop_body *body, void *state,
                     const bmf_cop_log *log, bmf_cop_times *times)
{
    const bmf_mesh *mesh = &plan->settings.hardware.mesh;
    bmf_cop_mail mail = {.carry = exchange_messages,
                         .fail = fail_node,
                         .plan = plan,
                         .settings = *settings,
                         .nodes = mesh->nodes,
                         .body = body,
                         .body_state = state,
                         .log = log};
    bmf_cop_phase **phase;
    int most = 0;
    BMF_TRY(dynamic_create(mesh, settings, NULL, NULL, &mail, &mail.routers));
    dynamic_attend(mail.routers, word_came);
    mail.operators = plan->program->operators;
    mail.posted = allocate_clear(mail.operators, sizeof *mail.posted);
    const int64_t phases = cop_list_phases(plan, &phase);
    for (int64_t p = 0; p < phases; p++)
        for (int64_t u = 0; u < phase[p]->uses; u++)
            if (!phase[p]->use[u].continues)
                mail_post(&mail, &phase[p]->use[u]);
    free(phase);
    mail.node = allocate_clear(mail.nodes, sizeof *mail.node);
    for (int64_t k = 0; k < mail.nodes; k++)
        make_node(&mail, k);
    mail.address = cop_colour_addresses(plan, &most);
    int status = most <= settings->addresses
                     ? simulate(&mail)
                     : bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a node needs %d addresses for messages; there are %d", most,
                                settings->addresses);
    if (status == BMF_OK) {
        *times = (bmf_cop_times){.cycles = mail.length, .nodes = mail.nodes};
        times->time = allocate_array(mail.nodes, (int64_t)sizeof *times->time);
        for (int64_t k = 0; k < mail.nodes; k++) {
            memcpy(times->time[k], mail.node[k].time, sizeof *times->time);
            if (times->exit_code == 0)
                times->exit_code = mail.node[k].exit_code;
        }
    }
    free_mail(&mail);
    return status;
}
