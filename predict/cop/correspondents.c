/* Operators and nodes of programs that are run by messages, whoever carries these. Cost: linear in nodes and operators,
 * and a count for every pair of nodes that exchange messages of an operator. */
#include <stdarg.h>
#include <stdlib.h>

#include "predict/cop/message_private.h"
#include "runtime/base/allocate.h"

void mail_post(bmf_cop_mail *mail, const bmf_cop_use *use)
{
    bmf_cop_posted *p = &mail->posted[use->op->number];
    p->op = use->op;
    p->implementation = mail->plan->candidates[use->op->number].candidate[use->candidate].implementation;
    cop_loads_create(&p->loads, use->op);
    p->collection = allocate_clear(use->op->instances, (int64_t)sizeof *p->collection);
    p->instance = allocate_array(mail->nodes, (int64_t)sizeof *p->instance);
    p->number = allocate_array(mail->nodes, (int64_t)sizeof *p->number);
    for (int64_t k = 0; k < mail->nodes; k++)
        p->instance[k] = p->number[k] = -1;
    for (int64_t i = 0; i < use->op->instances; i++)
        for (int64_t k = 0; k < use->op->instance[i].nodes; k++) {
            p->instance[use->op->instance[i].node[k]] = i;
            p->number[use->op->instance[i].node[k]] = k;
        }
}

void mail_make_node(bmf_cop_mail *mail, int64_t k)
{
    bmf_cop_correspondent *n = &mail->node[k];
    *n = (bmf_cop_correspondent){.mail = mail, .node = k};
    n->loads = allocate_clear(mail->operators, sizeof *n->loads);
    n->calls = allocate_clear(mail->operators, sizeof *n->calls);
    n->is_loaded = allocate_clear(mail->operators, sizeof *n->is_loaded);
    n->operand = allocate_clear(mail->operators, (int64_t)sizeof *n->operand);
    n->sent = allocate_clear(mail->operators * BMF_COP_PARTS, (int64_t)sizeof *n->sent);
    n->received = allocate_clear(mail->operators * BMF_COP_PARTS, (int64_t)sizeof *n->received);
    n->kept = allocate_clear(mail->operators, (int64_t)sizeof *n->kept);
    for (int64_t op = 0; op < mail->operators; op++)
        if (mail->posted[op].op)
            n->operand[op] = allocate_clear(mail->posted[op].loads.size, sizeof **n->operand);
}

static void free_node(const bmf_cop_mail *mail, bmf_cop_correspondent *n)
{
    for (int64_t op = 0; op < mail->operators && n->operand; op++) {
        free(n->operand[op]);
        free(n->kept[op]);
    }
    for (int64_t k = 0; k < mail->operators * BMF_COP_PARTS && n->sent; k++) {
        free(n->sent[k]);
        free(n->received[k]);
    }
    free(n->loads);
    free(n->calls);
    free(n->is_loaded);
    free(n->operand);
    free(n->sent);
    free(n->received);
    free(n->kept);
    free(n->work);
}

void mail_free_nodes(bmf_cop_mail *mail)
{
    for (int64_t k = 0; mail->node && k < mail->nodes; k++)
        free_node(mail, &mail->node[k]);
    for (int64_t op = 0; mail->posted && op < mail->operators; op++) {
        bmf_cop_posted *p = &mail->posted[op];
        if (!p->op)
            continue;
        cop_loads_free(&p->loads);
        free(p->collection);
        free(p->instance);
        free(p->number);
    }
    free(mail->posted);
    free(mail->node);
}

int32_t *mail_count(const bmf_cop_mail *mail, int32_t **counts, int64_t op, int64_t part, int64_t other)
{
    int32_t **row = &counts[op * BMF_COP_PARTS + part];
    if (!*row)
        *row = allocate_clear(mail->nodes, sizeof **row);
    return &(*row)[other];
}

void mail_fail(bmf_cop_correspondent *n, int64_t op, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    n->mail->fail(n, op, text);
}
