/* Pages of words, charts and tables that run no script and load nothing.
 *
 * All put into an output that the caller opens and closes; errors are kept by it. Texts may have any characters. */
#ifndef BMF_STATIC_PAGE_H
#define BMF_STATIC_PAGE_H

#include "predict/report/curves.h"

/* The head, and the begin of the body. style: rules of this page, or "". */
void static_page_begin(bmf_output *out, const char *title, const char *heading, const char *subtitle,
                       const char *style);
void static_page_end(bmf_output *out);

/* A section with this heading, which static_page_end_section ends. */
void static_page_section(bmf_output *out, const char *heading);
void static_page_end_section(bmf_output *out);

/* Every line of the text as an item of a list. */
void static_page_lines(bmf_output *out, const char *text);
/* A chart on white paper. */
void static_page_chart(bmf_output *out, const bmf_chart *chart);
/* Charts and the like side by side, until static_page_end_pair. */
void static_page_pair(bmf_output *out);
void static_page_end_pair(bmf_output *out);

/* A table of figures with these heads, NULL at the end; rows are put between. */
void static_page_table(bmf_output *out, const char *const *head);
void static_page_end_table(bmf_output *out);
void static_page_cell(bmf_output *out, const char *text);

#endif
