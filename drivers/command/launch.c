/* Starting other programs: method and use in the header. */
#define _GNU_SOURCE
#include "drivers/command/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

enum { MAX_OUTPUT = 1 << 24, NUMBER = 40 };

/* ---- words ---- */

typedef struct words {
    char **word;
    int64_t count, capacity;
} words;

static void replace(char **text, const char *mark, const char *value)
{
    for (char *at; (at = strstr(*text, mark)) != NULL;) {
        char *made = NULL;
        if (asprintf(&made, "%.*s%s%s", (int)(at - *text), *text, value, at + strlen(mark)) < 0)
            out_of_memory((int64_t)strlen(*text), "for a command");
        free(*text);
        *text = made;
    }
}

static void add_word(words *w, const char *text, int64_t p, double n)
{
    char number[NUMBER], *made = text_copy(text);
    snprintf(number, sizeof number, "%lld", (long long)p);
    replace(&made, "{p}", number);
    snprintf(number, sizeof number, "%.15g", n);
    replace(&made, "{n}", number);
    *ARRAY_APPEND(w->word, w->count, w->capacity) = made;
}

char **launch_words(const char *launch, char *const *program, int64_t p, double n)
{
    words w = {0};
    char *copy = text_copy(launch), *rest = copy;
    for (char *word; (word = strtok_r(rest, " \t", &rest)) != NULL;)
        add_word(&w, word, p, n);
    free(copy);
    for (int k = 0; program[k]; k++)
        add_word(&w, program[k], p, n);
    *ARRAY_APPEND(w.word, w.count, w.capacity) = NULL;
    return w.word;
}

char **launch_copied(char *const *word)
{
    words w = {0};
    for (int k = 0; word[k]; k++)
        *ARRAY_APPEND(w.word, w.count, w.capacity) = text_copy(word[k]);
    *ARRAY_APPEND(w.word, w.count, w.capacity) = NULL;
    return w.word;
}

char **launch_replaced(char *const *word, const char *mark, const char *value)
{
    words w = {0};
    for (int k = 0; word[k]; k++) {
        char *made = text_copy(word[k]);
        replace(&made, mark, value);
        *ARRAY_APPEND(w.word, w.count, w.capacity) = made;
    }
    *ARRAY_APPEND(w.word, w.count, w.capacity) = NULL;
    return w.word;
}

void launch_words_free(char **word)
{
    for (int k = 0; word[k]; k++)
        free(word[k]);
    free(word);
}

/* ---- running ---- */

static void become(char *const *word, int to, int failed)
{
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    execvp(word[0], word);
    const int reason = errno;
    _exit(write(failed, &reason, sizeof reason) > 0 ? 127 : 126);
}

/* All that comes, as text to be freed; what is beyond MAX_OUTPUT is read and forgotten. */
static char *read_all(int from)
{
    char *text = NULL, block[4096];
    int64_t used = 0, room = 0;
    ssize_t got;
    while ((got = read(from, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0 || used + got > MAX_OUTPUT)
            continue;
        ARRAY_RESERVE(text, room, used + got + 1);
        memcpy(text + used, block, (size_t)got);
        used += got;
    }
    ARRAY_RESERVE(text, room, used + 1);
    text[used] = 0;
    return text;
}

char *launch_run(char *const *word, int *outcome, int *failure)
{
    int output[2], failed[2];
    *failure = *outcome = 0;
    fflush(NULL);
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
        *failure = errno;
        return text_copy("");
    }
    const pid_t child = fork();
    if (child == 0)
        become(word, output[1], failed[1]);
    if (child < 0)
        *failure = errno;
    close(output[1]);
    close(failed[1]);
    char *text = read_all(output[0]);
    if (child > 0 && read(failed[0], failure, sizeof *failure) <= 0)
        *failure = 0;
    while (child > 0 && waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    close(output[0]);
    close(failed[0]);
    return text;
}

void launch_reason(char *const *word, char *text, int outcome, int failure, char reason[BMF_LAUNCH_REASON])
{
    const char *last = "";
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        last = line[strspn(line, " \t\r")] ? line : last;
    if (failure)
        snprintf(reason, BMF_LAUNCH_REASON, "cannot run '%.80s': %s", word[0], strerror(failure));
    else if (WIFSIGNALED(outcome))
        snprintf(reason, BMF_LAUNCH_REASON, "ended by signal %d: %.400s", WTERMSIG(outcome), last);
    else
        snprintf(reason, BMF_LAUNCH_REASON, "ended with exit code %d: %.400s", WEXITSTATUS(outcome), last);
    text_make_printable(reason);
}

bool launch_succeeded(int outcome, int failure)
{
    return failure == 0 && WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}
