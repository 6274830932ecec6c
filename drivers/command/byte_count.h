/* Numbers of bytes on the command line: 4096, 64K, 512M, 1G, 2T. */
#ifndef BMF_DRIVERS_BYTE_COUNT_H
#define BMF_DRIVERS_BYTE_COUNT_H

/* For BMF_OTHER: field is an int64_t, which becomes at least 1. 0, or what usage_error returned. */
int byte_count_read(const char *text, void *field);

#endif
