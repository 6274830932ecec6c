/* Paths that are written to. */
#ifndef BMF_PATH_H
#define BMF_PATH_H

#include <stdbool.h>

/* True for devices, pipes, sockets and links: a file that is made under another name and then gets this one would take
 * their place, /dev/null's for example. False for regular files, folders, and where nothing is. Not collective. */
bool is_special(const char *path);

#endif
