/* Changes of machine files before they are understood. Private to predict/machine. */
#ifndef BMF_MACHINE_CHANGE_H
#define BMF_MACHINE_CHANGE_H

#include "predict/machine/machine.h"

/* Carries out one change on the text's values. BMF_ERROR_USAGE. */
int machine_change(config_t *config, const char *path, const char *text);

#endif
