/* Words that come to a node and are meant for another. Method: the processor reads them as they come, in the background
 * of its transfers, and waits for the rest before it leaves the phase or uses the operator again. So a stream is never
 * held up by those who do not want it, and nobody leaves a phase before all words of the stream have passed. Cost: a
 * read a word, most of them while the processor would wait. Source: document 004, 4.1 (output discarding); there the
 * router discards, so that nodes on the way do not learn that the words have passed. */
#include <stdlib.h>
#include <string.h>

#include "predict/cop/run_private.h"

void discards_add(bmf_cop_node *n, const bmf_cop_discard *discard)
{
    n->discard[n->discards++] = *discard;
}

static bmf_interface_use use_of(const bmf_cop_discard *d)
{
    return (bmf_interface_use){
        .reg = d->reg, .reads = true, .stream = d->channel, .words = d->words, .begin = d->begin};
}

int discards_list(const bmf_cop_node *n, bmf_interface_use *use)
{
    for (int64_t k = 0; k < n->discards; k++)
        use[k] = use_of(&n->discard[k]);
    return (int)n->discards;
}

void discards_note(bmf_cop_node *n, const bmf_interface_use *use)
{
    int64_t left = 0;
    for (int64_t k = 0; k < n->discards; k++) {
        bmf_cop_discard d = n->discard[k];
        d.begin += use[k].done;
        d.words -= use[k].done;
        if (d.words > 0)
            n->discard[left++] = d;
        else
            changes_note_end(n, d.op);
    }
    n->discards = left;
}

/* Those of the operator become what the transfer is about; the others stay in the background. */
void discards_finish(bmf_cop_node *n, int64_t op)
{
    bmf_cop_discard wanted[BMF_SCHEDULED_REGISTERS];
    bmf_interface_use use[BMF_SCHEDULED_REGISTERS];
    int64_t left = 0;
    int count = 0;
    for (int64_t k = 0; k < n->discards; k++)
        if (op < 0 || n->discard[k].op == op)
            wanted[count++] = n->discard[k];
        else
            n->discard[left++] = n->discard[k];
    n->discards = left;
    for (int k = 0; k < count; k++)
        use[k] = use_of(&wanted[k]);
    if (count > 0)
        moves_transfer(n, BMF_COP_AS_READY, count, use);
    for (int k = 0; k < count; k++)
        changes_note_end(n, wanted[k].op);
}
