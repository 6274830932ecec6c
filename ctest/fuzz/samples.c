/* Fuzz target of RAW files of measurements: read as whole and as interrupted ones; whole ones are fitted. */
#include "ctest/fuzz/fuzz.h"
#include "predict/sheet/sheet.h"
#include "predict/sheet/samples.h"
#include "bmf/status.h"

static void fit(bmf_samples *samples)
{
    bmf_sheet *sheet;
    int status = sheet_fit(samples, &sheet);
    if (status != BMF_OK)
        demand_line(status);
    else
        sheet_free(sheet);
    samples_free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = file_of(bytes, size);
    for (int partial = 0; partial < 2; partial++) {
        bmf_samples *samples;
        int status = samples_read(path, partial, &samples);
        if (status != BMF_OK)
            demand_line(status);
        else
            fit(samples);
    }
    return 0;
}
