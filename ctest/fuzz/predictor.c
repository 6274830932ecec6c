/* Fuzz target of the Predictor's parameter files; what can be read holds what its head promises. */
#include "ctest/fuzz/fuzz.h"
#include "predict/machine/predictor_file.h"
#include "bmf/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_predictor_file file;
    const int status = predictor_file_read(file_of(bytes, size), &file);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    demand(file.start_us >= 0.0 && file.us_per_byte >= 0.0 && file.power > 0.0, "times and power are in their bounds");
    demand((file.dimensions > 0) == (predictor_file_processors(&file) > 0), "a topology has processors");
    return 0;
}
