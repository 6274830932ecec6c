/* bmf permute --machine: what the permutation would take on another machine. */
#ifndef BMF_DRIVERS_PERMUTE_PREDICT_H
#define BMF_DRIVERS_PERMUTE_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "bmf/permutation.h"

typedef struct bmf_permute_forecast {
    const char *machine;
    int64_t processors; /* 0: the machine's */
    int64_t element_bytes;
    const char *method;       /* NULL or "auto": all that can be used */
    const char *trace, *html; /* NULL: not wanted; the predicted run of the method, or of the fastest one */
    bool json;
} bmf_permute_forecast;

/* Predicts and prints. Of one process. A bmf status with its message in ctx. */
int permute_forecast_print(bmf_context *ctx, const bmf_permute_forecast *forecast, const bmf_permutation *p);

#endif
