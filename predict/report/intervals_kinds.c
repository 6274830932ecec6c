/* The kinds of communication: by the first word of a skeleton call's text, "scan" of "scan plus" or "P_Scan". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "predict/report/intervals_private.h"

typedef struct row {
    const char *word; /* lower case, without P_ */
    bmf_communication kind;
} row;

static const row rows[] = {
    {"split", BMF_COMMUNICATION_SPLIT},
    {"gather", BMF_COMMUNICATION_GATHER},
    {"to_array", BMF_COMMUNICATION_GATHER},
    {"lengths", BMF_COMMUNICATION_GATHER},
    {"reduce", BMF_COMMUNICATION_REDUCE},
    {"map_reduce", BMF_COMMUNICATION_REDUCE},
    {"zip_map_reduce", BMF_COMMUNICATION_REDUCE},
    {"reduce_each", BMF_COMMUNICATION_REDUCE},
    {"scan", BMF_COMMUNICATION_SCAN},
    {"map_scan", BMF_COMMUNICATION_SCAN},
    {"scan_each", BMF_COMMUNICATION_SCAN},
    {"distl", BMF_COMMUNICATION_DISTL},
    {"project", BMF_COMMUNICATION_PROJECT},
    {"index", BMF_COMMUNICATION_PROJECT},
    {"addr", BMF_COMMUNICATION_PROJECT},
    {"permute", BMF_COMMUNICATION_PERMUTE},
    {"redistribute", BMF_COMMUNICATION_PERMUTE},
    {"rebalance", BMF_COMMUNICATION_PERMUTE},
    {"concatenate", BMF_COMMUNICATION_PERMUTE},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const char *communication_name(bmf_communication kind)
{
    static const char *const name[BMF_COMMUNICATIONS] = {"split", "gather",  "reduce",  "scan",
                                                         "distl", "project", "permute", "other"};
    return (unsigned)kind < BMF_COMMUNICATIONS ? name[kind] : "unknown";
}

/* The first word of a text in lower case, without the P_ or B_ of the language. */
static void first_word(const char *text, char *word, size_t size)
{
    size_t length = 0;
    if ((text[0] == 'P' || text[0] == 'B') && text[1] == '_')
        text += 2;
    for (; *text && *text != ' ' && length + 1 < size; text++)
        word[length++] = (char)tolower((unsigned char)*text);
    word[length] = '\0';
}

static bmf_communication kind_of(const char *text)
{
    char word[32];
    first_word(text, word, sizeof word);
    for (int k = 0; k < ROWS; k++)
        if (strcmp(word, rows[k].word) == 0)
            return rows[k].kind;
    return BMF_COMMUNICATION_OTHER;
}

bool is_reduction(const char *text)
{
    char word[32];
    first_word(text, word, sizeof word);
    return strcmp(word, "reduce") == 0 || strcmp(word, "map_reduce") == 0 || strcmp(word, "zip_map_reduce") == 0;
}

bmf_communication *communication_kinds(const bmf_run *run)
{
    bmf_communication *kind = malloc(run->nodes * sizeof *kind);
    if (!kind)
        return NULL;
    kind[0] = BMF_COMMUNICATION_OTHER;
    for (uint32_t k = 1; k < run->nodes; k++) {
        bool call = run->node[k].kind == BMF_EVENT_SKELETON;
        kind[k] = call ? kind_of(run->name[run->node[k].name]) : BMF_COMMUNICATION_OTHER;
        /* What a call is made of belongs to its kind. */
        if (call && kind[k] == BMF_COMMUNICATION_OTHER)
            kind[k] = kind[run->node[k].parent];
    }
    return kind;
}
