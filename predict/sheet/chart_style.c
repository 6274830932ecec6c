#include "predict/sheet/chart_style.h"

/* Okabe and Ito's, and a grey. */
static const char *const light_colours[CHART_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#56b4e9", "#e69f00", "#333333"};
static const char *const dark_colours[CHART_COLOURS] = {"#3e9bd9", "#d3705c", "#007c7f", "#fd99b7",
                                                        "#9fd4f5", "#ffd02d", "#e2ffc0"};

static void put_colours(bmf_output *out, const char *ink, const char *sheet, const char *grid, const char *frame,
                        const char *const colours[CHART_COLOURS])
{
    output_print(out,
                 ".curves{fill:%s}.curves .sheet{fill:%s}.curves .grid{stroke:%s;stroke-width:1}"
                 ".curves .frame{fill:none;stroke:%s}.curves .dot{stroke:%s}",
                 ink, sheet, grid, frame, sheet);
    for (int k = 0; k < CHART_COLOURS; k++)
        output_print(out, ".curves .curve-%d{color:%s}", k, colours[k]);
}

void chart_put_style(bmf_output *out)
{
    output_text(out, "<style>");
    put_colours(out, "#222222", "#ffffff", "#dddddd", "#888888", light_colours);
    output_text(out, "\n@media screen and (prefers-color-scheme:dark){");
    put_colours(out, "#e8ecf1", "#161b22", "#343d49", "#77818d", dark_colours);
    output_text(out, "}</style>\n");
}
