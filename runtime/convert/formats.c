/* The table of formats. A new format is a new file, a declaration in convert.h and a line here. */
#include <string.h>

#include "runtime/convert/convert.h"

const bmf_format formats[] = {
    {"picl", "trf", false, convert_picl, "PICL, new record format, for ParaGraph"},
    {"chrome", "json", true, convert_chrome, "Chrome trace events, for chrome://tracing and Perfetto"},
    {"perfetto", "pftrace", true, convert_perfetto, "Perfetto protobuf, for big traces"},
    {"paje", "paje", true, convert_paje, "Paje, for PajeNG and ViTE"},
    {"prv", "prv", false, convert_prv, "Paraver, with its .pcf and .row"},
    {"otf2", "", false, convert_otf2, "an OTF2 archive, for Vampir, Scalasca, otf2-print"},
    {"csv", "csv", true, convert_csv, "comma separated values, for spreadsheets and scripts"},
    {"svg", "svg", true, convert_svg, "a picture: one line per processor, with messages"},
    {NULL, NULL, false, NULL, NULL},
};

const bmf_format *format_find(const char *name)
{
    for (const bmf_format *format = formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}
