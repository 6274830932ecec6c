/* The version that the library was compiled with. */
#include "bmf/version.h"

const char *bmf_version(void)
{
    return BMF_VERSION;
}
