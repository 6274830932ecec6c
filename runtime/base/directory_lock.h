/* A directory that one process at a time works in.
 *
 * Method: flock on the directory itself, so that the lock ends with the process that holds it, whatever ends it. File
 * systems without such locks do without. */
#ifndef BMF_DIRECTORY_LOCK_H
#define BMF_DIRECTORY_LOCK_H

#include <sys/types.h>

/* Makes the directory if it is not there, and takes it: *lock is to be given to directory_unlock, also after failures.
 * Returns 0 or an errno value; EBUSY: another process has it. A link to a directory is refused. */
int directory_lock(const char *path, mode_t mode, int *lock);
/* -1 is fine. Whoever removes the directory does so before. */
void directory_unlock(int lock);

#endif
