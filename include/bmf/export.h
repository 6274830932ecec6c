/** @file
 * BMF_API marks what the libraries export; everything else in them is hidden. */
#ifndef BMF_EXPORT_H
#define BMF_EXPORT_H

#if defined(__GNUC__)
#define BMF_API __attribute__((visibility("default")))
#else
#define BMF_API
#endif

#endif
