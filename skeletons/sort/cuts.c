/* Where records are cut into a bucket for each processor; see crossing.h.
 *
 * Method: every part gives its records at regular ranks as samples; the samples of all, sorted, say where to cut. Equal
 * keys are told apart by the numbers of their elements, so that a value that occurs often is cut, too, unless it is to
 * stay together.
 * Cost: with S samples a part a bucket is off its share by P / S of it at most; P S records are gathered.
 * Source: H. Shi, J. Schaeffer, "Parallel sorting by regular sampling", JPDC 14, 1992. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/sort/crossing.h"
#include "skeletons/sort/order.h"
#include "skeletons/sort/radix.h"

enum { SAMPLES_OF_PART = 256, FEWEST_SAMPLES_OF_PART = 16, MOST_SAMPLES = 1 << 22 };

static int64_t part_length(const bmf_partition *partition, int64_t part)
{
    return partition->start[part + 1] - partition->start[part];
}

/* Of sample i of a part. */
static int64_t rank_of(int64_t distance, int64_t i)
{
    return distance / 2 + i * distance;
}

static int64_t samples_of(const bmf_partition *partition, int64_t distance, int64_t part)
{
    const int64_t length = part_length(partition, part), first = distance / 2;
    return length > first ? (length - first - 1) / distance + 1 : 0;
}

static int64_t choose_distance(const bmf_partition *partition)
{
    const int64_t parts = partition->parts, length = partition->start[parts];
    int64_t samples = MOST_SAMPLES / parts;
    samples = samples < SAMPLES_OF_PART ? samples : SAMPLES_OF_PART;
    samples = samples > FEWEST_SAMPLES_OF_PART ? samples : FEWEST_SAMPLES_OF_PART;
    const int64_t distance = length / (parts * samples);
    return distance > 0 ? distance : 1;
}

/* The samples of all parts on every rank, part by part; size: by part, of its samples. */
static int gather_samples(const bmf_crossing *c, const bmf_sampling *sampling, int64_t distance, const int64_t *size,
                          int64_t *all)
{
    const bmf_partition *partition = c->partition;
    int64_t own = 0, at = 0;
    for (int64_t k = 0; k < partition->local_parts; k++)
        own += size[partition->local_first + k];
    uint64_t *word = allocate(own * (int64_t)sizeof *word);
    for (int64_t k = 0; k < partition->local_parts; k++)
        for (int64_t i = 0; i < samples_of(partition, distance, partition->local_first + k); i++) {
            uint64_t record[2];
            sampling->sample(sampling->state, k, rank_of(distance, i), record);
            word[at++] = record[0];
            if (!sampling->in_place)
                word[at++] = record[1];
        }
    const int status = partition_allgather_sized(c->records->ctx, partition, size, (int64_t *)word, all);
    free(word);
    return status;
}

/* Keys of samples become records: their elements stand where their ranks say. */
static void number_samples(const bmf_partition *partition, int64_t distance, const uint64_t *key, uint64_t *record)
{
    for (int64_t part = 0; part < partition->parts; part++)
        for (int64_t i = 0; i < samples_of(partition, distance, part); i++) {
            *record++ = *key++;
            *record++ = (uint64_t)(partition->start[part] + rank_of(distance, i));
        }
}

/* The buckets' first records: those of about the ranks at which an even split cuts. */
static void place_cuts(bmf_crossing *c, int64_t samples, int64_t distance, const uint64_t *sorted)
{
    const int64_t parts = c->partition->parts, length = c->partition->start[parts];
    for (int64_t b = 1; b < parts && samples > 0; b++) { /* no samples: no elements */
        const int64_t rank = length / parts * b + (b < length % parts ? b : length % parts);
        const int64_t sample = rank / distance < samples ? rank / distance : samples - 1;
        memcpy(c->cut + 2 * b, sorted + 2 * sample, 16);
        if (c->together) {
            c->cut[2 * b] = order_floor(c->type, sorted[2 * sample]);
            c->cut[2 * b + 1] = 0;
        }
    }
}

int crossing_cut(bmf_crossing *c, const bmf_sampling *sampling)
{
    const bmf_partition *partition = c->partition;
    const int64_t distance = choose_distance(partition), words = sampling->in_place ? 1 : 2;
    int64_t samples = 0, *size = allocate(partition->parts * (int64_t)sizeof *size);
    for (int64_t k = 0; k < partition->parts; k++) {
        const int64_t count = samples_of(partition, distance, k);
        size[k] = words * count;
        samples += count;
    }
    c->cut = allocate_clear(partition->parts, 16);
    uint64_t *room[2] = {allocate(samples * 16), allocate(samples * 16)};
    const int status = gather_samples(c, sampling, distance, size, (int64_t *)room[words % 2]);
    if (status == BMF_OK && sampling->in_place)
        number_samples(partition, distance, room[1], room[0]);
    if (status == BMF_OK)
        place_cuts(c, samples, distance, room[records_merge_sort(room[0], room[1], samples)]);
    free(room[0]);
    free(room[1]);
    free(size);
    return status;
}

int64_t crossing_bucket(const bmf_crossing *c, uint64_t key, int64_t element)
{
    int64_t low = 0, high = c->partition->parts;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(c, key, element, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}
