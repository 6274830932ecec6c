/* Lists of names with commas, of --only. */
#ifndef BENCH_NAMES_H
#define BENCH_NAMES_H

#include <stdbool.h>

/* True if name is one of the names in the list. */
bool is_listed(const char *list, const char *name);

/* Takes the list into a const char * if it knows all of its names. 0, or what usage_error returned. */
int read_names(const char *list, bool (*is_known)(const char *name), void *field);

#endif
