/* What stands at a path before it is written to. Method: lstat. */
#define _DEFAULT_SOURCE
#include "runtime/base/path.h"

#include <sys/stat.h>

bool is_special(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}
