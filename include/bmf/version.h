/** @file
 * The version of bmf: of the headers a program was compiled with, and of the library it runs with. */
#ifndef BMF_VERSION_H
#define BMF_VERSION_H

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BMF_VERSION_MAJOR 0 /**< changes when programs must be changed */
#define BMF_VERSION_MINOR 1 /**< changes when functions are added (before 1.0: when programs must be changed) */
#define BMF_VERSION_PATCH 0 /**< changes when errors are corrected */

/** A number as a text. */
#define BMF_VERSION_TEXT(number) BMF_VERSION_TEXT_(number)
/** Part of BMF_VERSION_TEXT. */
#define BMF_VERSION_TEXT_(number) #number
/** The version as a text, "0.1.0". */
#define BMF_VERSION                                                                                                    \
    BMF_VERSION_TEXT(BMF_VERSION_MAJOR) "." BMF_VERSION_TEXT(BMF_VERSION_MINOR) "." BMF_VERSION_TEXT(BMF_VERSION_PATCH)

/** True, also for the preprocessor, if these headers are at least of that version. */
#define BMF_VERSION_AT_LEAST(major, minor, patch)                                                                      \
    (BMF_VERSION_MAJOR != (major)   ? BMF_VERSION_MAJOR > (major)                                                      \
     : BMF_VERSION_MINOR != (minor) ? BMF_VERSION_MINOR > (minor)                                                      \
                                    : BMF_VERSION_PATCH >= (patch))

/** The version of the library, as BMF_VERSION. Static storage. Not collective. */
BMF_API const char *bmf_version(void);

#ifdef __cplusplus
}
#endif
#endif
