/* Files of messages: one a line, see pattern.h. Method: line by line; then a stable sort by cycles, because routers
 * want messages in the order in which they are made. Cost: O(n log n). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/pattern_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

static const char BLANKS[] = " \t\r\n";

const char *mesh_read_node(const bmf_mesh *mesh, const char *text, int64_t *node)
{
    int64_t at[BMF_MESH_DIMENSIONS] = {0};
    int count = 0;
    for (;;) {
        char *end;
        if (*text < '0' || *text > '9')
            return NULL;
        errno = 0;
        at[count++] = strtoll(text, &end, 10);
        if (errno != 0)
            return NULL;
        text = end;
        if (*text != ':' || count == BMF_MESH_DIMENSIONS)
            break;
        text++;
    }
    if (count == 1) {
        *node = at[0];
        return at[0] < mesh->nodes ? text : NULL;
    }
    for (int k = 0; k < BMF_MESH_DIMENSIONS; k++)
        if (at[k] >= mesh->size[k])
            return NULL;
    *node = mesh_node(mesh, at);
    return text;
}

typedef struct place {
    const char *path;
    int64_t line;
    const bmf_mesh *mesh;
} place;

static int bad_line(const place *at, const char *what, const char *word)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%" PRId64 ": %s%s%s%s", at->path, at->line, what, word ? ": '" : "",
                    word ? word : "", word ? "'" : "");
}

static int compare_nodes(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* "3,4:0,7" into to, sorted; at most one for every node. */
static int read_destinations(const place *at, const char *word, int64_t from, int64_t *to, int64_t *count)
{
    *count = 0;
    for (const char *text = word;; text++) {
        int64_t node;
        text = mesh_read_node(at->mesh, text, &node);
        if (!text || (*text != ',' && *text != '\0'))
            return bad_line(at, "destinations outside the mesh, or none", word);
        if (node == from)
            return bad_line(at, "a node sends to itself", word);
        if (*count == at->mesh->nodes)
            return bad_line(at, "a destination twice", word);
        to[(*count)++] = node;
        if (*text == '\0')
            break;
    }
    qsort(to, (size_t)*count, sizeof *to, compare_nodes);
    for (int64_t k = 1; k < *count; k++)
        if (to[k] == to[k - 1])
            return bad_line(at, "a destination twice", word);
    return BMF_OK;
}

static bool read_count(const char *word, int64_t min, int64_t *value)
{
    char *end;
    if (!word || *word < '0' || *word > '9')
        return false;
    errno = 0;
    *value = strtoll(word, &end, 10);
    return errno == 0 && *end == '\0' && *value >= min && *value <= INT64_C(1) << 40;
}

static int read_extra(const place *at, const char *word, bmf_mesh_message *message)
{
    if (strncmp(word, "at=", 3) == 0)
        return read_count(word + 3, 0, &message->cycle) ? BMF_OK : bad_line(at, "a cycle is wanted", word);
    if (strncmp(word, "bandwidth=", 10) != 0)
        return bad_line(at, "neither at=CYCLE nor bandwidth=B", word);
    char *end;
    message->bandwidth = strtod(word + 10, &end);
    if (end == word + 10 || *end != '\0' || !(message->bandwidth > 0 && message->bandwidth <= 1))
        return bad_line(at, "a bandwidth above 0 and at most 1 is wanted", word);
    return BMF_OK;
}

static int read_message(const place *at, char *line, int64_t *to, bmf_mesh_traffic *traffic)
{
    line[strcspn(line, "#")] = '\0';
    char *rest;
    const char *from = strtok_r(line, BLANKS, &rest);
    if (!from)
        return BMF_OK;
    bmf_mesh_message message = {.to = to};
    const char *end = mesh_read_node(at->mesh, from, &message.from);
    if (!end || *end != '\0')
        return bad_line(at, "a sender outside the mesh, or none", from);
    const char *destinations = strtok_r(NULL, BLANKS, &rest);
    if (!destinations)
        return bad_line(at, "FROM TO WORDS are wanted", NULL);
    BMF_TRY(read_destinations(at, destinations, message.from, to, &message.destinations));
    const char *words = strtok_r(NULL, BLANKS, &rest);
    if (!read_count(words, 1, &message.words))
        return bad_line(at, "1 to 2^40 words are wanted", words);
    for (const char *word; (word = strtok_r(NULL, BLANKS, &rest));)
        BMF_TRY(read_extra(at, word, &message));
    mesh_traffic_add(traffic, message.from, message.destinations, to, message.words, message.cycle, message.bandwidth);
    return BMF_OK;
}

/* Merge sort, because it has to be stable. */
static void sort_by_cycle(bmf_mesh_message *message, bmf_mesh_message *work, int64_t count)
{
    if (count < 2)
        return;
    const int64_t half = count / 2;
    sort_by_cycle(message, work, half);
    sort_by_cycle(message + half, work, count - half);
    memcpy(work, message, (size_t)half * sizeof *work);
    for (int64_t left = 0, right = half, out = 0; left < half; out++)
        message[out] = right < count && message[right].cycle < work[left].cycle ? message[right++] : work[left++];
}

int mesh_traffic_read(const char *path, const bmf_mesh *mesh, bmf_mesh_traffic *traffic)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    place at = {path, 0, mesh};
    char *line = NULL;
    size_t capacity = 0;
    int64_t *to = allocate(mesh->nodes * (int64_t)sizeof *to);
    int status = BMF_OK;
    while (status == BMF_OK && getline(&line, &capacity, file) >= 0) {
        at.line++;
        status = read_message(&at, line, to, traffic);
    }
    if (status == BMF_OK && ferror(file))
        status = bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    free(to);
    free(line);
    fclose(file);
    BMF_TRY(status);
    bmf_mesh_message *work = allocate(traffic->messages * (int64_t)sizeof *work);
    sort_by_cycle(traffic->message, work, traffic->messages);
    free(work);
    return BMF_OK;
}
