/* What all moving skeletons share: sizes, rounds, and groups of parts.
 *
 * Method: the generators number the items of a group; a split's or gather's items are parts of the finer partition,
 * and with the parts' starts the messages are renamed to elements. Nested splits have a group for every part that is
 * split; they share the rounds. Cost: O(groups log parts + own messages). Source: document 000, 5.3. */
#include "skeletons/engine/move.h"

#include <inttypes.h>
#include <stdlib.h>

#include "skeletons/engine/pairing.h"

int64_t type_element_bytes(const bmf_type *type)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(type, leaf);
    int64_t bytes = 0;
    if (leaves < 0)
        return BMF_BYTES_UNKNOWN;
    for (int k = 0; k < leaves; k++)
        bytes += leaf[k]->size;
    return bytes;
}

double element_guess(const bmf_type *type)
{
    double bytes = (double)type->size;
    for (int k = 0; k < type->components; k++)
        bytes += element_guess(type->component[k]);
    return type->kind == BMF_LIST ? bytes + (double)sizeof(int64_t) : bytes;
}

int move_elements(bmf_context *ctx, int sources, const bmf_move_source *source, bmf_partition *target,
                  const bmf_schedule *schedule, bmf_list **out)
{
    if (bmf_type_is_fixed(source[0].list->type))
        return move_fixed(ctx, sources, source, target, schedule, out);
    return move_nested(ctx, sources, source, target, schedule, out);
}

void relabel_partition(const bmf_list *xs, bmf_partition *target, bmf_list **out)
{
    bmf_column column;
    share_column(&xs->column, &column);
    list_adopt(xs->context, target, &column, out);
}

enum { MAX_ROUNDS = 64 };

/* Renames the messages added since `done` was counted from parts of a group to elements. */
static void name_elements(const bmf_groups *groups, int64_t first_part, const bmf_schedule *schedule,
                          int64_t done[MAX_ROUNDS])
{
    const int64_t *start = groups->partition->start + first_part;
    for (int r = 0; r < schedule->rounds; r++) {
        for (; done[r] < schedule->round[r].count; done[r]++) {
            bmf_message *message = &schedule->round[r].message[done[r]];
            int64_t first = start[message->first], end = start[message->first + message->count];
            message->first = first;
            message->count = end - first;
            if (groups->element_bytes != BMF_BYTES_UNKNOWN)
                message->bytes = message->count * groups->element_bytes;
        }
    }
}

void groups_generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, const void *state)
{
    const bmf_groups *groups = state;
    const bmf_partition *partition = groups->partition;
    const bmf_level *level = &partition->level[partition->levels - 1];
    int64_t done[MAX_ROUNDS] = {0};
    for (int64_t first = 0; first < partition->parts; first += level->count) {
        bmf_group group = {bmf_partition_processor(partition, first), level->log2_stride, level->count};
        algorithm->generate(schedule, 0, &(bmf_schedule_request){.group = &group});
        name_elements(groups, first, schedule, done);
    }
}
