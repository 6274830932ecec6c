/* Numbers for people. */
#include "predict/report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char *text_seconds(double seconds, char text[BMF_NUMBER_TEXT])
{
    static const struct {
        double factor;
        const char *name;
    } unit[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}, {1, "s"}};
    int of = 0;
    if (!isfinite(seconds))
        return strcpy(text, "-");
    while (of < 3 && fabs(seconds) * unit[of].factor >= 999.95)
        of++;
    double value = seconds * unit[of].factor, size = fabs(value);
    int decimals = of == 0 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    snprintf(text, BMF_NUMBER_TEXT, "%.*f %s", decimals, value, unit[of].name);
    return text;
}

char *text_nanos(int64_t nanos, char text[BMF_NUMBER_TEXT])
{
    return text_seconds((double)nanos * 1e-9, text);
}

char *text_percent(double share, char text[BMF_NUMBER_TEXT])
{
    if (isnan(share))
        return strcpy(text, "-");
    if (share > 9.9995)
        return strcpy(text, ">999 %");
    snprintf(text, BMF_NUMBER_TEXT, "%.1f %%", 100 * share);
    return text;
}

char *text_ratio(double ratio, char text[BMF_NUMBER_TEXT])
{
    if (!isfinite(ratio))
        return strcpy(text, "-");
    snprintf(text, BMF_NUMBER_TEXT, ratio < 1000 ? "%.3f" : "%.3g", ratio);
    return text;
}
