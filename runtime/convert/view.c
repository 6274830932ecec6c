/* Views of runs: labels, ids of nodes, lanes. Cost: linear in events, nodes and texts. */
#include "runtime/convert/view.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/memory.h"

/* Bytes of the valid UTF-8 character at text, or 0. */
static size_t character_size(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead, first_low, first_high;
    } form[] = {{0xe0, 0xc0, 0x80, 0xbf}, {0xf0, 0xe0, 0x80, 0xbf}, {0xf8, 0xf0, 0x80, 0xbf}};
    if (*text < 0x80)
        return *text >= 0x20 && *text != 0x7f;
    for (size_t k = 0; k < 3; k++) {
        if ((*text & form[k].mask) != form[k].lead)
            continue;
        for (size_t at = 1; at <= k + 1; at++)
            if ((text[at] & 0xc0) != 0x80)
                return 0;
        bool overlong = *text < 0xc2 || (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
        bool outside = (*text == 0xed && text[1] > 0x9f) || *text > 0xf4 || (*text == 0xf4 && text[1] > 0x8f);
        /* U+0080 .. U+009F are control characters too. */
        bool control = *text == 0xc2 && text[1] < 0xa0;
        return overlong || outside || control ? 0 : k + 2;
    }
    return 0;
}

static char *put_ascii(char *to, char c, bmf_style style)
{
    bool quote = c == '"';
    if (style == BMF_STYLE_JSON && (quote || c == '\\'))
        *to++ = '\\';
    else if (style == BMF_STYLE_CSV && quote)
        *to++ = '"';
    else if (style == BMF_STYLE_PAJE && quote)
        c = '\'';
    *to++ = c;
    return to;
}

char *style_text(const char *text, bmf_style style)
{
    const unsigned char *from = (const unsigned char *)text, *limit = from + BMF_LABEL_BYTES;
    char *styled = allocate_clear(2 * (int64_t)strnlen(text, BMF_LABEL_BYTES) + 1 + BMF_SHORT_LABEL, 1), *to = styled;
    while (*from) {
        size_t size = character_size(from);
        if (from + (size ? size : 1) > limit)
            break;
        if (size <= 1)
            to = put_ascii(to, size ? (char)*from : '?', style);
        else
            to = put_bytes(to, (const char *)from, size);
        from += size ? size : 1;
    }
    *to = '\0';
    return styled;
}

static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93U;
    return h ^ (h >> 32);
}

static void hash_nodes(bmf_view *view)
{
    const bmf_trace_run *run = view->run;
    view->node_hash = allocate(run->nodes * (int64_t)sizeof *view->node_hash);
    for (uint32_t k = 0; k < run->nodes; k++) {
        uint64_t h = k ? view->node_hash[run->node[k].parent] : 0;
        for (const char *text = run->name[run->node[k].name]; *text; text++)
            h = (h ^ (unsigned char)*text) * 0x100000001b3U;
        view->node_hash[k] = mix(h + run->node[k].kind + 1);
    }
}

static void make_labels(bmf_view *view, bmf_style style)
{
    const bmf_trace_run *run = view->run;
    view->labels = (int64_t)run->names + BMF_EVENT_KINDS;
    view->label = allocate_clear(view->labels, (int64_t)sizeof *view->label);
    for (int64_t k = 0; k < view->labels; k++) {
        bool named = k < run->names;
        const char *text = named ? run->name[k] : bmf_event_kind_name((bmf_event_kind)(k - run->names));
        view->label[k].text = style_text(text, style);
        view->label[k].size = strlen(view->label[k].text);
    }
}

static void make_caption(bmf_view *view, bmf_style style)
{
    char text[3 * BMF_LABEL_BYTES];
    snprintf(text, sizeof text, "%s: %s on %s", view->title, view->run->program, view->run->machine);
    view->caption = style_text(text, style);
}

static void find_lanes(bmf_view *view)
{
    const bmf_trace_run *run = view->run;
    view->lane_start = allocate_clear((int64_t)run->lanes + 1, (int64_t)sizeof *view->lane_start);
    view->tracks = allocate(run->lanes);
    view->memory = working_buffer((run->events + 1) * (int64_t)(sizeof *view->partner + sizeof *view->track));
    view->partner = view->memory->data;
    view->track = (uint8_t *)(view->partner + run->events + 1);
    memset(view->track, 0, (size_t)run->events);
    memset(view->tracks, 1, (size_t)run->lanes);
    for (int64_t k = 0; k < run->events; k++) {
        view->lane_start[run->event[k].lane + 1]++;
        view->messages += is_message(&run->event[k]);
        if (run->event[k].end > view->end)
            view->end = run->event[k].end;
    }
    for (int32_t lane = 0; lane < run->lanes; lane++)
        view->lane_start[lane + 1] += view->lane_start[lane];
}

void views_create(const bmf_trace *trace, bmf_style style, bmf_view view[2])
{
    bool differ = trace->runs == 1 || trace->run[0]->predicted != trace->run[1]->predicted;
    for (int k = 0; k < trace->runs; k++) {
        const bmf_trace_run *run = trace->run[k];
        view[k] = (bmf_view){.run = run, .number = differ ? run->predicted : k};
        view[k].title = run->predicted ? "predicted" : "measured";
        find_lanes(&view[k]);
        hash_nodes(&view[k]);
        make_labels(&view[k], style);
        make_caption(&view[k], style);
        view_match(&view[k]);
    }
}

void views_free(bmf_view view[2], int views)
{
    for (int k = 0; k < views; k++) {
        for (int64_t at = 0; at < view[k].labels; at++)
            free(view[k].label[at].text);
        free(view[k].label);
        free(view[k].caption);
        free(view[k].lane_start);
        buffer_release(view[k].memory);
        free(view[k].tracks);
        free(view[k].node_hash);
        free(view[k].idle_until);
        free(view[k].first_busy);
        view[k] = (bmf_view){0};
    }
}
