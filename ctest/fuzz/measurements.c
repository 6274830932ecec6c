/* Fuzz target of the file that BMF_MEASUREMENTS names: times of kernels of several runs. */
#include <math.h>

#include "ctest/fuzz/fuzz.h"
#include "predict/model/measurements.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_measurements all = {0};
    if (measurements_read(&all, file_of(bytes, size))) {
        demand(all.runs < BMF_MEASURED_MAX, "few runs");
        demand(all.kernels >= 0 && (uint64_t)(all.runs * all.kernels) <= size / sizeof(double), "times of the file");
        for (int64_t k = 0; k < all.runs * all.kernels; k++)
            demand(all.seconds[k] >= 0.0 && isfinite(all.seconds[k]), "a time");
        if (all.runs > 0)
            demand(measurements_error(&all) >= 0.0, "an error");
    }
    measurements_free(&all);
    return 0;
}
