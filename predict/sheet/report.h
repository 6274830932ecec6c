/* Sheets for people: text, HTML, TeX, and pictures of one operation. Private to predict/ and the sheet commands.
 *
 * All put into an output that the caller opens and closes.
 */
#ifndef BMF_SHEET_REPORT_H
#define BMF_SHEET_REPORT_H

#include "runtime/convert/output.h"
#include "predict/sheet/sheet.h"

/* The front page: what was measured, and one table of equations per family. pages: then a page per operation. */
void sheet_put_text(bmf_output *out, const bmf_sheet *sheet, bool pages);
/* The page of one operation: entries of sheet_find. */
void sheet_put_page(bmf_output *out, const bmf_sheet_entry *entry, int64_t count);
/* One self-contained document. */
void sheet_put_html(bmf_output *out, const bmf_sheet *sheet);
/* One LaTeX document (article, longtable). */
void sheet_put_tex(bmf_output *out, const bmf_sheet *sheet);
/* An <svg> element: time over d with a curve per p, and over p with a curve per d, where these vary; measured points
 * with their minimum and maximum, the 95 % interval of one observation as a band. */
void sheet_put_svg(bmf_output *out, const bmf_sheet_entry *entry, int64_t count);

/* Calls show for every operation of the sheet in order: its first entry and how many it has. */
void sheet_each(const bmf_sheet *sheet, void (*show)(bmf_output *, const bmf_sheet_entry *, int64_t), bmf_output *out);
/* What users must know to read a sheet: paragraphs, the last is NULL. Static storage. */
extern const char *const sheet_notes[];
/* The heading of a family's table. Static storage. */
const char *family_heading(bmf_family family);
/* The head of the sheet as name and value, into text; false behind the last and "" for what is not known. */
bool sheet_fact(const bmf_sheet *sheet, int k, const char **name, char *text, size_t size);

#endif
