/* Turns of loops in a plan; see turns.h.
 *
 * Method: the text is cut into calls; runs of calls that repeat become one, all of the shortest first, until none does,
 * so that loops inside of loops are found before those around them.
 * Cost: O(calls times the longest run looked for), for every length at which something repeats. */
#include "drivers/turns.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { LONGEST_TURN = 200 };

typedef struct calls {
    char **text;
    int64_t count, capacity;
} calls;

/* A line that says more about the call before: further in, or the head of a schedule, "tree: 2 rounds, ..". */
static bool goes_on(const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    int rounds = 0;
    return line[0] == ' ' || (colon && sscanf(colon, ": %d round", &rounds) == 1 && rounds >= 0);
}

static char *copy_of(const char *text, size_t size)
{
    char *copy = allocate((int64_t)size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void cut(const char *text, calls *made)
{
    const char *begin = text;
    for (const char *at = text; *at;) {
        const char *end = strchr(at, '\n');
        const char *next = end ? end + 1 : at + strlen(at);
        if (at > begin && !goes_on(at, (size_t)(next - at))) {
            *ARRAY_APPEND(made->text, made->count, made->capacity) = copy_of(begin, (size_t)(at - begin));
            begin = at;
        }
        at = next;
    }
    if (*begin)
        *ARRAY_APPEND(made->text, made->count, made->capacity) = copy_of(begin, strlen(begin));
}

static bool is_same(char *const *a, char *const *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (strcmp(a[k], b[k]) != 0)
            return false;
    return true;
}

/* How often the run of calls from `first` on stands there, one behind the other. */
static int64_t count_times(const calls *all, int64_t first, int64_t run)
{
    int64_t times = 1;
    while (first + (times + 1) * run <= all->count && is_same(all->text + first, all->text + first + times * run, run))
        times++;
    return times;
}

static void print_further_in(const char *text, FILE *stream)
{
    for (const char *at = text; *at;) {
        const char *end = strchr(at, '\n');
        const size_t size = end ? (size_t)(end - at) + 1 : strlen(at);
        fprintf(stream, "    %.*s", (int)size, at);
        at += size;
    }
}

static char *join(char *const *text, int64_t run, int64_t times)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&made, &size);
    if (!stream)
        return allocate_clear(1, 1);
    fprintf(stream, "%" PRId64 " times:\n", times);
    for (int64_t k = 0; k < run; k++)
        print_further_in(text[k], stream);
    fclose(stream);
    return made;
}

/* Runs of this length that repeat; false: there are none. */
static bool join_turns(calls *all, int64_t run)
{
    int64_t kept = 0;
    bool found = false;
    for (int64_t at = 0, next; at < all->count; at = next) {
        const int64_t times = count_times(all, at, run);
        char *text = times > 1 ? join(all->text + at, run, times) : all->text[at];
        next = times > 1 ? at + run * times : at + 1;
        for (int64_t k = at; k < next && times > 1; k++)
            free(all->text[k]);
        all->text[kept++] = text;
        found = found || times > 1;
    }
    all->count = kept;
    return found;
}

void print_turns(const char *text, FILE *stream)
{
    calls all = {0};
    cut(text, &all);
    for (int64_t run = 1; run <= LONGEST_TURN && 2 * run <= all.count; run++)
        if (join_turns(&all, run))
            run = 0;
    for (int64_t k = 0; k < all.count; k++) {
        fputs(all.text[k], stream);
        free(all.text[k]);
    }
    free(all.text);
}
