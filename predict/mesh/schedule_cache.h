/* Plans of phases by content: the same hardware and the same messages (senders, receivers, ratios of sizes) get the
 * plan that was made before, in this process or in another.
 *
 * Files are NUMBER.schedule in the directory, text: what the plan is for, its routes, a sum of all that. A file that is
 * damaged, or that another version wrote, is made again. Several processes may share a directory.
 */
#ifndef BMF_MESH_SCHEDULE_CACHE_H
#define BMF_MESH_SCHEDULE_CACHE_H

#include "predict/mesh/phase.h"

typedef struct bmf_schedule_cache bmf_schedule_cache;

/* directory NULL: only in memory. It is made when the first file is written. */
bmf_schedule_cache *schedule_cache_create(const char *directory);
void schedule_cache_free(bmf_schedule_cache *cache);
/* Where schedules are kept by default: $XDG_CACHE_HOME/bmf/schedules, or below ~/.cache. The caller frees;
 * NULL: there is no such place. */
char *schedule_cache_directory(void);

/* As mesh_plan_make, for messages with one destination each; bandwidths follow the words. The plan belongs to the
 * cache. Files that cannot be written are no error. */
int schedule_cache_plan(bmf_schedule_cache *cache, const bmf_scheduled_hardware *hardware, int64_t messages,
                        const bmf_mesh_message *message, const bmf_mesh_plan **plan);
typedef struct bmf_schedule_cache_counts {
    int64_t asked, remembered, read, made; /* asked is the sum of the others */
} bmf_schedule_cache_counts;
bmf_schedule_cache_counts schedule_cache_count(const bmf_schedule_cache *cache);

#endif
