/* Lines of code. A remark in C is one with its asterisks at the beginning of lines, as this project writes them. */
#include <stdio.h>
#include <string.h>

#include "bench/cowichan/cowichan.h"

static bool is_code(const char *line)
{
    line += strspn(line, " \t");
    return line[0] != '\n' && line[0] != '\0' && line[0] != '*' && strncmp(line, "/*", 2) != 0 &&
           !(line[0] == '#' && line[1] == ' ') && !(line[0] == '#' && line[1] == '\n');
}

int count_lines(const char *path, const char *end)
{
    char line[1024];
    int count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && !(end && strncmp(line, end, strlen(end)) == 0))
        count += is_code(line);
    if (file)
        fclose(file);
    return count;
}
