/* A language server: messages in, messages out. */
#ifndef BMF_LANGUAGE_SERVER_SERVER_H
#define BMF_LANGUAGE_SERVER_SERVER_H

#include <stdio.h>

#include "drivers/command/command.h"

/* Serves until the notification exit or the end of the input. Returns the exit code: 0 if shutdown was asked for
 * before, otherwise 1. libraries: what programs may use. */
int server_run(FILE *in, FILE *out, const bmf_strings *libraries);

#endif
