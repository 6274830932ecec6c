/* The calls of a rank in their order, with what tells them apart and the computing before each.
 *
 * Method: one walk over a lane's events. Phases begin and end as tokens of their own; kernels add up to the work before
 * the next call; requests are counted by age among those that are open, which does not depend on how many there were
 * before. Tests that found nothing are left out, as in replays. Cost: linear, but for open requests.
 */
#include <inttypes.h>
#include <string.h>

#include "predict/fit/fit_private.h"
#include "predict/replay/fail.h"

typedef struct lane_walk {
    const bmf_trace_run *run;
    const char *path;
    bool with_tags;
    bmf_symbols *symbols;
    bmf_sequence *sequence;
    uint32_t *open; /* requests, the oldest first */
    int64_t opened, open_capacity;
    double work;
    uint32_t node, instance; /* of the phase that is open; node 0: none */
    const char *region;
} lane_walk;

static int32_t symbol_of(bmf_symbols *list, const bmf_symbol *wanted)
{
    for (int32_t k = 0; k < list->count; k++) {
        const bmf_symbol *s = &list->symbol[k];
        if (s->kind == wanted->kind && s->flags == wanted->flags && s->group == wanted->group &&
            s->tag == wanted->tag && strcmp(s->name, wanted->name) == 0 && strcmp(s->region, wanted->region) == 0)
            return k;
    }
    *ARRAY_APPEND(list->symbol, list->count, list->capacity) = *wanted;
    return list->count - 1;
}

static bmf_token *add_token(lane_walk *w, const bmf_symbol *symbol)
{
    bmf_token *made = ARRAY_APPEND(w->sequence->token, w->sequence->tokens, w->sequence->capacity);
    *made = (bmf_token){.symbol = symbol_of(w->symbols, symbol), .work = w->work};
    made->value[VALUE_PEER] = -1;
    w->work = 0.0;
    return made;
}

static int refuse(const lane_walk *w, int64_t k, const char *why)
{
    const bmf_event *event = &w->run->event[k];
    return fail_line(BMF_ERROR_ARGUMENT, "%s: event %" PRId64 ": rank %d calls %s in phase '%s', %s", w->path, k,
                     event->lane, w->run->name[event->name], w->region, why);
}

static void enter_region(lane_walk *w, const bmf_event *event)
{
    w->node = event->node;
    w->instance = event->instance;
    w->region = event->node ? w->run->name[w->run->node[event->node].name] : "";
    add_token(w, &(bmf_symbol){.kind = TOKEN_REGION, .name = "", .region = w->region, .tag = -1});
}

/* Which of the open requests has this number; it is closed. -1: none. */
static int64_t close_request(lane_walk *w, uint32_t round)
{
    for (int64_t k = 0; k < w->opened; k++)
        if (w->open[k] == round) {
            memmove(w->open + k, w->open + k + 1, (size_t)(w->opened - k - 1) * sizeof *w->open);
            w->opened--;
            return k;
        }
    return -1;
}

static bool is_together(const bmf_trace_run *run, int64_t k)
{
    const bmf_event *event = &run->event[k], *before = event - 1;
    return k > 0 && event->begin == event->end && before->lane == event->lane && before->name == event->name &&
           before->end == event->begin && before->kind > BMF_EVENT_KERNEL;
}

static bmf_token_kind kind_of(const bmf_event *event, uint32_t flags)
{
    switch ((bmf_event_kind)event->kind) {
    case BMF_EVENT_SEND:
        return TOKEN_SEND;
    case BMF_EVENT_RECEIVE:
        return TOKEN_RECEIVE;
    case BMF_EVENT_COLLECTIVE:
        return TOKEN_COLLECTIVE;
    default:
        return flags & BMF_DETAIL_POST ? TOKEN_POST : TOKEN_WAIT;
    }
}

static const char *reason_against(const bmf_trace_run *run, int64_t k)
{
    const uint32_t flags = detail_flags(&run->detail[k]);
    const bmf_trace_group *group = &run->group[detail_group(&run->detail[k])];
    if (flags & BMF_DETAIL_OPAQUE)
        return "whose meaning is not recorded";
    if (flags & BMF_DETAIL_CANCELLED)
        return "which was cancelled";
    if (flags & BMF_DETAIL_WILD_SOURCE)
        return "and receives from any source: whom from depends on times, not on a rule";
    if (flags & BMF_DETAIL_CHOICE)
        return "whose outcome depends on times, not on a rule";
    if (run->event[k].kind == BMF_EVENT_FILE)
        return "and there is no rule for files";
    if (group->members != run->lanes)
        return "in a communicator of some of the ranks, for which there is no rule";
    return NULL;
}

static int add_call(lane_walk *w, int64_t k)
{
    const bmf_event *event = &w->run->event[k];
    const bmf_trace_detail *detail = &w->run->detail[k];
    const uint32_t flags = detail_flags(detail);
    const char *reason = reason_against(w->run, k);
    if (reason)
        return refuse(w, k, reason);
    bmf_symbol symbol = {.kind = kind_of(event, flags),
                         .name = w->run->name[event->name],
                         .region = w->region,
                         .group = detail_group(detail),
                         .tag = w->with_tags ? detail->tag : -1};
    const bool starts = symbol.kind == TOKEN_POST || (flags & BMF_DETAIL_NONBLOCKING && event->round > 0);
    int64_t request = -1;
    if (starts)
        *ARRAY_APPEND(w->open, w->opened, w->open_capacity) = event->round;
    else if (event->round > 0)
        request = close_request(w, event->round);
    symbol.flags = (starts ? TOKEN_STARTS : 0) | (request >= 0 ? TOKEN_REQUEST : 0) |
                   (is_together(w->run, k) ? TOKEN_TOGETHER : 0) | (flags & BMF_DETAIL_WILD_TAG ? TOKEN_ANY_TAG : 0) |
                   (event->peer >= 0 ? TOKEN_PEER : 0);
    bmf_token *made = add_token(w, &symbol);
    made->value[VALUE_BYTES] = symbol.kind == TOKEN_WAIT || symbol.kind == TOKEN_POST ? 0 : event->amount;
    made->value[VALUE_PEER] = event->peer;
    made->value[VALUE_TAG] = detail->tag;
    made->value[VALUE_REQUEST] = request;
    return BMF_OK;
}

static int add_event(lane_walk *w, int64_t k)
{
    const bmf_event *event = &w->run->event[k];
    const bmf_trace_detail *detail = &w->run->detail[k];
    if (event->kind == BMF_EVENT_REGION && event->node == 0)
        return BMF_OK; /* the whole program */
    if (event->kind == BMF_EVENT_REGION || event->node != w->node || event->instance != w->instance)
        if (event->kind == BMF_EVENT_REGION || event->node == 0)
            enter_region(w, event);
    if (event->kind <= BMF_EVENT_SKELETON)
        return BMF_OK;
    if (event->kind != BMF_EVENT_KERNEL)
        return detail_flags(detail) & BMF_DETAIL_UNSUCCESSFUL ? BMF_OK : add_call(w, k);
    w->work += 1e-9 * (double)(detail->number >= 0 ? detail->number : event->end - event->begin);
    if (event->amount > 0)
        add_token(w, &(bmf_symbol){.kind = TOKEN_STEPS, .name = "steps", .region = w->region, .tag = -1})
            ->value[VALUE_BYTES] = event->amount;
    return BMF_OK;
}

static int walk_lane(lane_walk *w, int64_t begin, int64_t end)
{
    int status = BMF_OK;
    w->region = "";
    for (int64_t k = begin; k < end && status == BMF_OK; k++)
        status = add_event(w, k);
    add_token(w, &(bmf_symbol){.kind = TOKEN_END, .name = "", .region = w->region, .tag = -1});
    free(w->open);
    return status;
}

int sequences_add(const bmf_recording *recording, int64_t number, bool with_tags, bmf_symbols *symbols,
                  bmf_sequence **sequence, int64_t *sequences, int64_t *capacity)
{
    const bmf_trace_run *run = recording->run;
    int64_t begin = 0;
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t end = begin;
        while (end < run->events && run->event[end].lane == lane)
            end++;
        bmf_sequence *made = ARRAY_APPEND(*sequence, *sequences, *capacity);
        *made = (bmf_sequence){.recording = number, .rank = lane, .role = -1};
        lane_walk w = {
            .run = run, .path = recording->path, .with_tags = with_tags, .symbols = symbols, .sequence = made};
        BMF_TRY(walk_lane(&w, begin, end));
        begin = end;
    }
    return BMF_OK;
}

/* ---- tags ---- */

enum { FEW_TAGS = 64 };

static int count_tags(const bmf_trace_run *run, int32_t tag[FEW_TAGS])
{
    int tags = 0;
    for (int64_t k = 0; k < run->events; k++) {
        int at = 0;
        while (at < tags && tag[at] != run->detail[k].tag)
            at++;
        if (at == FEW_TAGS)
            return FEW_TAGS + 1;
        if (at == tags)
            tag[tags++] = run->detail[k].tag;
    }
    return tags;
}

bool tags_are_few(const bmf_recording *recording, int64_t recordings)
{
    int32_t tag[FEW_TAGS];
    int known = 0;
    for (int64_t k = 0; k < recordings; k++) {
        const int tags = count_tags(recording[k].run, tag);
        if (tags > FEW_TAGS || (tags > 1 && known > 1 && tags != known))
            return false;
        known = tags > 1 ? tags : known;
    }
    return true;
}
