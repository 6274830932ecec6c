/* Parts of the report's writer. Private to predict/report/. */
#ifndef BMF_REPORT_PRIVATE_H
#define BMF_REPORT_PRIVATE_H

#include <zlib.h>

#include "runtime/convert/output.h"
#include "runtime/convert/view.h"
#include "predict/report/report.h"

/* ---- report_pack.c: numbers, compressed, as text ---- */

enum { BMF_PACK_SIZE = 1 << 16 };

/* Whole numbers in as many bytes as they need, 7 bits each with the lowest first, deflated (RFC 1951, in the frame of
 * RFC 1950) and written in base64 (RFC 4648). */
typedef struct bmf_pack {
    bmf_output *out;
    z_stream stream;
    size_t used; /* of plain */
    size_t rest; /* of packed: bytes that did not make a group of three yet */
    uint8_t plain[BMF_PACK_SIZE];
    uint8_t packed[BMF_PACK_SIZE];
} bmf_pack;

/* BMF_OK or BMF_ERROR_MEMORY. */
int pack_begin(bmf_pack *pack, bmf_output *out);
void pack_flush(bmf_pack *pack);
void pack_end(bmf_pack *pack);

static inline void pack_unsigned(bmf_pack *pack, uint64_t value)
{
    if (pack->used > BMF_PACK_SIZE - 10)
        pack_flush(pack);
    for (; value >= 128; value >>= 7)
        pack->plain[pack->used++] = (uint8_t)(value | 128);
    pack->plain[pack->used++] = (uint8_t)value;
}

/* Small numbers of either sign stay small: 0, -1, 1, -2, 2 become 0, 1, 2, 3, 4. */
static inline uint64_t fold_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline void pack_signed(bmf_pack *pack, int64_t value)
{
    pack_unsigned(pack, fold_sign(value));
}

/* ---- report_columns.c: events and processors ---- */

/* At most so many numbers of intervals by processor are in a file: the intervals that were entered first. */
enum { BMF_REPORT_EACH = 400000 };

/* How many intervals tell their processors apart in the file. */
int64_t report_detailed(const bmf_intervals *intervals);
/* Everything about run `number` that there is much of, in the order that page_data.js reads. */
int report_put_columns(bmf_output *out, const bmf_report_contents *report, const bmf_view *view, int number);

/* ---- report_facts.c: everything else, as JSON ---- */

/* A text as a JSON string that cannot end the element it stands in. */
void report_put_text(bmf_output *out, const char *text);
/* The same without quotes. */
void report_put_piece(bmf_output *out, const char *text);
void report_put_facts(bmf_output *out, const bmf_report_contents *report, const bmf_view view[2]);

/* ---- report_routes.c: topologies, and the routes of the pairs that send, as JSON ---- */

/* ,"topologies":[..] */
void report_put_topologies(bmf_output *out, const bmf_report_contents *report);

/* ---- report_sources.c: the texts that places are in ---- */

/* ,"sources":{"FILE":"TEXT",..}: those that can be read. */
void report_put_sources(bmf_output *out, const bmf_report_contents *report);

/* ---- the page, made from page*.{css,html,js} by cmake/BmfEmbed.cmake ---- */

extern const char report_style[], report_body[], report_script[];

#endif
