/* What traces of version 1 left to their readers: the skeleton of a call, from the first word of its text, "scan" of
 * "scan plus" or "P_Scan". The words that were written then; the list does not grow. */
#include <ctype.h>
#include <string.h>

#include "runtime/trace/format.h"

static const struct {
    const char *word; /* lower case, without P_ or B_ */
    uint32_t skeleton;
} words[] = {
    {"split", 1},       {"gather", 2},       {"reduce", 3},     {"map_reduce", 4}, {"zip_map_reduce", 5},
    {"reduce_each", 6}, {"scan", 7},         {"map_scan", 8},   {"scan_each", 9},  {"distl", 10},
    {"project", 11},    {"index", 12},       {"to_array", 13},  {"lengths", 14},   {"redistribute", 15},
    {"rebalance", 16},  {"concatenate", 17}, {"permute", 18},   {"detect", 19},    {"map", 20},
    {"zip", 21},        {"filter", 22},      {"tabulate", 23},  {"flatten", 24},   {"nest", 25},
    {"pair", 26},       {"component", 27},   {"each_part", 28}, {"place", 29},     {"spread", 30},
    {"stream", 31},     {"read", 32},        {"write", 33},
};

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

uint32_t trace_skeleton_1(const char *text)
{
    char word[32];
    first_word(text, word, sizeof word);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(word, words[k].word) == 0)
            return words[k].skeleton;
    return BMF_SKELETON_UNKNOWN;
}
