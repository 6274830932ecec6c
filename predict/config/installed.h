/* Files that bmf installs for use by name: machines, models, sheets.
 *
 * A name that is a file is that file. A bare name, without a slash, is looked for among those of its kind: of NAME
 * and NAME.EXTENSION the first file in the directory that the kind's environment variable names, then in the one
 * that lies beside the running program's (so that an installation may be moved, and a build tree works), then in
 * those beside libbmf's and beside that of the first bmf in PATH (so that users' programs find them), then in the
 * one it was built for. Nothing here is collective; messages go to the process-wide slot. */
#ifndef BMF_CONFIG_INSTALLED_H
#define BMF_CONFIG_INSTALLED_H

#include <stdint.h>

typedef struct bmf_installed {
    const char *what;        /* "machine", for messages */
    const char *folder;      /* below share/bmf: "machines" */
    const char *extension;   /* ".machine" */
    const char *environment; /* "BMF_MACHINES" */
} bmf_installed;

/* The path of the file that a name stands for. BMF_ERROR_FILE. The caller frees *path. */
int installed_find(const bmf_installed *kind, const char *name, char **path);
/* The bare names of a kind, in order; returns how many. The caller frees each and *name. */
int64_t installed_names(const bmf_installed *kind, char ***name);

#endif
