/* What reading and writing RAW files share. */
#ifndef BMF_SAMPLES_PRIVATE_H
#define BMF_SAMPLES_PRIVATE_H

#include <stddef.h>

#include "predict/sheet/samples.h"

/* One header line: its keyword, and the text or whole number or real it fills. */
typedef struct bmf_header_line {
    const char *keyword;
    size_t offset; /* in bmf_samples_header */
    enum { BMF_HEADER_TEXT, BMF_HEADER_COUNT, BMF_HEADER_REAL } kind;
    bool may_differ; /* when a measurement is resumed */
} bmf_header_line;
enum { BMF_HEADER_LINES = 10 };
extern const bmf_header_line header_lines[BMF_HEADER_LINES];

/* NULL, or what is wrong with a sample or skip in words. */
const char *sample_mistake(const bmf_sample *sample);
const char *skip_mistake(const char *operation, const char *reason);
const char *header_mistake(const bmf_samples_header *header);

/* As samples_read; whole receives the length of the file up to the end of its last whole line. */
int samples_read_until(const char *path, bool partial, bmf_samples **samples, long *whole);

#endif
