/* Schedules as data: making, growing, counting and printing them.
 *
 * Method: growing arrays of messages, one per round. Cost: constant amortised time per added message.
 * Source: own. */
#include "runtime/schedule/schedule.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/schedule/range.h"

bmf_schedule *schedule_create(const char *name, int64_t low, int64_t high)
{
    bmf_schedule *schedule = allocate_clear(1, (int64_t)sizeof *schedule);
    schedule->name = name;
    schedule->low = low;
    schedule->high = high;
    schedule->broadcast = -1;
    return schedule;
}

void schedule_free(bmf_schedule *schedule)
{
    if (!schedule)
        return;
    for (int r = 0; r < schedule->rounds; r++)
        free(schedule->round[r].message);
    free(schedule->round);
    free(schedule);
}

void schedule_extend(bmf_schedule *schedule, int rounds)
{
    ARRAY_RESERVE(schedule->round, schedule->capacity, rounds);
    for (; schedule->rounds < rounds; schedule->rounds++)
        schedule->round[schedule->rounds] = (bmf_round){NULL, 0, 0};
}

void schedule_add(bmf_schedule *schedule, int r, bmf_message message)
{
    bool from_here = message.from >= schedule->low && message.from < schedule->high;
    bool to_here = message.to >= schedule->low && message.to < schedule->high;
    schedule_extend(schedule, r + 1);
    if (!from_here && !to_here)
        return;
    bmf_round *round = &schedule->round[r];
    *ARRAY_APPEND(round->message, round->count, round->capacity) = message;
}

typedef struct totals {
    int64_t messages, bytes, largest;
    bool unknown;
} totals;

static totals round_totals(const bmf_round *round)
{
    totals sum = {0, 0, 0, false};
    for (int64_t i = 0; i < round->count; i++) {
        const bmf_message *message = &round->message[i];
        if (message->from == message->to)
            continue;
        sum.messages++;
        sum.unknown |= message->bytes == BMF_BYTES_UNKNOWN;
        sum.bytes += max64(message->bytes, 0);
        sum.largest = max64(sum.largest, message->bytes);
    }
    return sum;
}

static totals totals_of(const bmf_schedule *schedule, int begin, int end)
{
    totals sum = {0, 0, 0, false};
    for (int r = begin; r < end; r++) {
        totals round = round_totals(&schedule->round[r]);
        sum.messages += round.messages;
        sum.bytes += round.bytes;
        sum.largest = max64(sum.largest, round.largest);
        sum.unknown |= round.unknown;
    }
    return sum;
}

void schedule_count_totals(const bmf_schedule *schedule, int64_t *messages, int64_t *bytes)
{
    totals sum = totals_of(schedule, 0, schedule->rounds);
    *messages = sum.messages;
    *bytes = sum.bytes;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_totals(const totals *sum, FILE *stream)
{
    fprintf(stream, "%" PRId64 " message%s", sum->messages, plural(sum->messages));
    if (sum->unknown)
        fprintf(stream, ", sizes known when sent");
    else
        fprintf(stream, ", %" PRId64 " B", sum->bytes);
}

static void print_message(const bmf_message *message, FILE *stream)
{
    if (message->bytes == BMF_BYTES_UNKNOWN)
        fprintf(stream, " %" PRId64 " -> %" PRId64, message->from, message->to);
    else
        fprintf(stream, " %" PRId64 " -> %" PRId64 " (%" PRId64 " B)", message->from, message->to, message->bytes);
}

static void print_round(const bmf_round *round, int number, int examples, FILE *stream)
{
    totals sum = round_totals(round);
    fprintf(stream, "  round %d: ", number);
    print_totals(&sum, stream);
    if (sum.messages > 1 && !sum.unknown)
        fprintf(stream, ", largest %" PRId64 " B", sum.largest);
    int64_t shown = 0;
    for (int64_t i = 0; i < round->count && shown < examples; i++)
        if (round->message[i].from != round->message[i].to) {
            fputs(shown++ ? "," : ":", stream);
            print_message(&round->message[i], stream);
        }
    if (examples > 0 && shown < sum.messages)
        fputs(", ..", stream);
    fputc('\n', stream);
}

void schedule_print_rounds(const bmf_schedule *schedule, const char *name, int begin, int end, int examples,
                           FILE *stream)
{
    totals sum = totals_of(schedule, begin, end);
    fprintf(stream, "%s: %d round%s, ", name, end - begin, plural(end - begin));
    print_totals(&sum, stream);
    fputc('\n', stream);
    for (int r = begin; r < end; r++)
        print_round(&schedule->round[r], r - begin, examples, stream);
}

void schedule_print(const bmf_schedule *schedule, int examples, FILE *stream)
{
    schedule_print_rounds(schedule, schedule->name, 0, schedule->rounds, examples, stream);
}
