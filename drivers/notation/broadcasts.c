/* Finding broadcasts: B_Op (B_Distl) of distributed lists. */
#include "drivers/notation/broadcasts.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/array.h"

/* Those that have been noted: a definition that is used twice has them twice. */
typedef struct noted {
    void (*note)(void *state, const bmf_expression *distl, const char *message);
    void *state;
    bmf_span *span;
    int count, capacity;
} noted;

static void note_broadcast(noted *all, const bmf_expression *distl)
{
    char words[512], message[800];
    for (int k = 0; k < all->count; k++)
        if (all->span[k].text == distl->span.text && all->span[k].begin == distl->span.begin)
            return;
    *ARRAY_APPEND(all->span, all->count, all->capacity) = distl->span;
    snprintf(message, sizeof message, "%.200s is sent to all processors: %s",
             distl->name ? distl->name : "the item of P_Distl",
             bmf_type_print(distl->in->component[0], words, sizeof words));
    all->note(all->state, distl, message);
}

static void find(noted *all, const bmf_expression *expression)
{
    if (!expression->communicates)
        return;
    if (expression->kind == BMF_EXPRESSION_OP && expression->operation == BMF_OPERATION_DISTL)
        note_broadcast(all, expression);
    for (int k = 0; k < expression->children; k++)
        if (expression->child[k])
            find(all, expression->child[k]);
}

void broadcasts_each(const bmf_expression *checked,
                     void (*note)(void *state, const bmf_expression *distl, const char *message), void *state)
{
    noted all = {.note = note, .state = state};
    find(&all, checked);
    free(all.span);
}
