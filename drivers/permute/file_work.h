/* The files that a permutation of a file writes: the result, and what stands between two passes. */
#ifndef BMF_PERMUTE_FILE_WORK_H
#define BMF_PERMUTE_FILE_WORK_H

#include "bmf/context.h"
#include "permute/external/journal.h"
#include "runtime/backend/shared_path.h"
#include "runtime/base/output_file.h"

/* Both files are in `directory` under names of their own, or, if that is NULL, beside the output under private names;
 * those disappear when the run fails. */
typedef struct bmf_work_files {
    bmf_context *ctx;
    const char *out, *directory;
    int64_t bytes; /* of either file */
    bool has_between;
    bmf_output_file output[2];     /* on rank 0: the result, and the other one */
    char path[2][BMF_SHARED_PATH]; /* of both, on every rank */
    int file[2];                   /* open on every rank; -1: closed */
    int lock;
} bmf_work_files;

/* Makes and reserves the files, or opens those of an earlier run. Collective. */
int work_files_open(bmf_work_files *files);
/* This rank's state in the directory. Not collective. */
int work_files_read_journal(const bmf_work_files *files, bmf_external_journal *journal);
int work_files_write_journal(const bmf_work_files *files, const bmf_external_journal *journal);
/* Gives the result its name and removes everything else. Collective. */
int work_files_commit(bmf_work_files *files);
/* After a failure, too. Not collective. */
void work_files_close(bmf_work_files *files);

#endif
