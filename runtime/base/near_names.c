/* Near names: sorted by insertion. Cost: O(max) for a name. */
#include "runtime/base/near_names.h"

#include <stdio.h>

void near_names_offer(near_names *near, const char *name, int64_t distance)
{
    if (distance > near->limit || (near->count == near->max && distance >= near->distance[near->count - 1]))
        return;
    int at = near->count < near->max ? near->count++ : near->count - 1;
    for (; at > 0 && near->distance[at - 1] > distance; at--) {
        near->name[at] = near->name[at - 1];
        near->distance[at] = near->distance[at - 1];
    }
    near->name[at] = name;
    near->distance[at] = distance;
}

char *near_names_text(const near_names *near, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < near->count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "", near->name[k]);
    return text;
}
