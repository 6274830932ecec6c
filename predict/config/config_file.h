/* Reading libconfig texts (machine files, sheets) with whole numbers of 64 bits.
 *
 * libconfig cuts a whole number that has no L behind it to 32 bits without a word. So every whole number of a text gets
 * its L before libconfig sees it, and one that does not fit 64 bits is an error with its line. Files that the text
 * includes go to libconfig as they are; there a number that needs an L must have it.
 *
 * Errors are one line in the process-wide slot, status BMF_ERROR_FILE. Nothing here is collective. */
#ifndef BMF_CONFIG_FILE_H
#define BMF_CONFIG_FILE_H

#include <libconfig.h>

/* All of a file as text, to be freed. kind: what it should be, "machine file", for messages. At most 256 MiB. */
int config_load(const char *path, const char *kind, char **text);
/* Parses a text into an initialised config. path: for messages, and its directory is where included files are. */
int config_parse(config_t *config, const char *path, const char *text);

#endif
