/* Files that appear whole or not at all.
 *
 * What is written goes to a file of its own beside the target, under a name that nobody else uses:
 * TARGET.XXXXXXXX.part, made anew (never through a link, never over a file that is there). When everything has been
 * written it is synced to the disk and renamed to the target, which so changes in one step; after a failure it is
 * removed. Therefore:
 *   - two writers of one target leave the whole file of one of them;
 *   - a full disk, a failure or a kill leaves the target as it was (a kill by SIGKILL may leave a .part file);
 *   - a link is resolved first and stays a link, the file it leads to is replaced;
 *   - a file that is replaced keeps its mode and, where the system allows it, its owner.
 * Devices, pipes, sockets and what stands in /dev or /proc cannot be replaced; they are written to as they are.
 *
 * Several files that belong together are written first and then renamed one after the other; if that fails, those
 * renamed before get their old contents back.
 *
 * Not collective; errors are errno values, 0 is success. A file that ranks write together is opened and committed by
 * one of them, the others open `written` themselves. */
#ifndef BMF_OUTPUT_FILE_H
#define BMF_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct bmf_output_file {
    int file;      /* what to write to, from its beginning; -1: none */
    FILE *stream;  /* of the same file, once asked for */
    char *target;  /* with links resolved */
    char *written; /* the path of what is written; `target` itself if it is written in place */
    bool is_directory;
    bool is_kept;  /* what was written stays where it is after a failure */
    bool unsynced; /* may be set by those who can do without the file after a power failure */
} bmf_output_file;

/* Takes a path as the user gave it. On failure nothing is left to close or free. */
int output_file_open(bmf_output_file *output, const char *path);
/* A directory in place of a file: `written` is a new one that the caller fills, nothing may stand at `path` yet
 * (EEXIST). `file` stays -1. */
int output_directory_open(bmf_output_file *output, const char *path);
/* Whether the output is a file that will appear as a whole, and not a device or a pipe. */
bool output_file_is_regular(const bmf_output_file *output);
/* The same, but devices and pipes are refused with ESPIPE and not opened: for formats that are not written from front
 * to back. */
int output_file_open_regular(bmf_output_file *output, const char *path);
/* A file that several runs of a program write in turn: it is at `written`, on the file system of `path`, made if it is
 * not there, and stays there after a failure. Open for reading too. EXDEV: on another file system. */
int output_file_open_kept(bmf_output_file *output, const char *path, const char *written);
/* For writing with stdio; belongs to the output. Its errors are found when the output is closed. */
FILE *output_file_stream(bmf_output_file *output);
/* failure: what went wrong in writing, or 0. Closes; with no failure syncs and renames, otherwise removes. Frees.
 * Returns the first failure. Harmless on outputs that are not open. */
int output_file_close(bmf_output_file *output, int failure);
/* The same for files that belong together: all appear or none. */
int output_files_close(bmf_output_file *output, int outputs, int failure);

/* Makes a directory that only this user can look into, in $TMPDIR or else in /tmp: /tmp/NAME-XXXXXX. Returns its
 * path, to be freed, or NULL with errno. */
char *temporary_directory_create(const char *name);
/* Removes it with everything in it and frees the path; NULL is fine. */
void temporary_directory_remove(char *path);

/* Removes what open outputs have written so far: for the handlers of signals that end the process.
 * Async-signal-safe. */
void output_files_remove(void);

#endif
