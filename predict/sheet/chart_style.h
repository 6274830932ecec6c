/* Colours of charts that are SVG: on light and on dark screens; on paper light. Internal.
 *
 * Any two of the curves differ by 10 and more (CIEDE2000) for people with every common colour vision
 * (ctest/cli/colours.bats). */
#ifndef BMF_SHEET_CHART_STYLE_H
#define BMF_SHEET_CHART_STYLE_H

#include "runtime/convert/output.h"

enum { CHART_COLOURS = 7 };

/* A <style> element for an <svg class='curves'>: classes sheet (the background), grid, frame, dot (of a measured point,
 * which has an edge) and curve-0, curve-1, .., whose colour is CSS's currentColor. */
void chart_put_style(bmf_output *out);

#endif
