/* Traffic through dynamic routers.
 *
 * Method: every message is handed over in its cycle; a message to many destinations is as many messages, one after the
 * other. The run ends when all have arrived. Cost: that of the simulation (dynamic.c).
 * What document 004 (7.2, 8.1 and 8.2) says of its routers stands in the defaults: a header word, buffers of 8 words, 5
 * virtual channels if adaptive, 15 addresses for messages that come in, an access of a processor to its router a cycle.
 * It is silent about the rest: the defaults are the fastest that can be, one cycle from router to router. */
#include "runtime/base/progress.h"
#include "predict/mesh/dynamic_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "bmf/status.h"

typedef enum value_name {
    MISROUTES,
    CHANNELS = BMF_DYNAMIC_COMMON,
    BUFFER,
    ATOMIC,
    SPEEDUP,
    SHARED,
    HEADER,
    ADDRESSES,
    INJECT_CHANNELS,
    ROUTE,
    ALLOCATE,
    LINK,
    CREDIT,
    INJECT,
    INJECT_CREDIT,
    EJECT_CREDIT
} value_name;

enum { ADAPTIVE_CHANNELS = 5 };

const bmf_mesh_parameter dynamic_parameters[] = {
    [MISROUTES] = {"misroutes", 0, 1000, 0, true, "links away from its destination that a message may take"},
    [CHANNELS] = {"channels", 0, BMF_DYNAMIC_CHANNELS, 0, true,
                  "virtual channels of a link; 0: 5 if adaptive, otherwise 1, on a torus 2"},
    [BUFFER] = {"buffer", 1, BMF_DYNAMIC_BUFFER, 8, true, "words of a channel's buffer"},
    [ATOMIC] = {"atomic", 0, 1, 0, true, "1: a channel is taken when its buffer is empty (always so if adaptive)"},
    [SPEEDUP] = {"speedup", 1, BMF_DYNAMIC_CHANNELS, 1, true, "words an input port sends a cycle"},
    [SHARED] = {"shared", 0, 1, 1, true, "1: a processor sends or receives a word a cycle; 0: both"},
    [HEADER] = {"header", 0, BMF_DYNAMIC_HEADER, 1, true, "header words of a message"},
    [ADDRESSES] = {"addresses", 1, BMF_DYNAMIC_ADDRESSES, BMF_DYNAMIC_ADDRESSES, true,
                   "messages that reach a processor at the same time"},
    [INJECT_CHANNELS] = {"inject_channels", 1, BMF_DYNAMIC_CHANNELS, 1, true,
                         "virtual channels from a processor to its router"},
    [ROUTE] = {"route", 0, BMF_DYNAMIC_DELAY, 0, true, "cycles a header needs before it asks for a channel"},
    [ALLOCATE] = {"allocate", 0, BMF_DYNAMIC_DELAY, 0, true, "cycles from a channel to asking for the switch"},
    [LINK] = {"link", 1, BMF_DYNAMIC_DELAY, 1, true, "cycles from winning the switch to the next router"},
    [CREDIT] = {"credit", 1, BMF_DYNAMIC_DELAY, 1, true, "cycles until a router knows of a free place behind a link"},
    [INJECT] = {"inject", 1, BMF_DYNAMIC_DELAY, 1, true, "cycles from a processor to its router"},
    [INJECT_CREDIT] = {"inject_credit", 1, BMF_DYNAMIC_DELAY, 1, true,
                       "cycles until a processor knows of a free place in its router"},
    [EJECT_CREDIT] = {"eject_credit", 1, BMF_DYNAMIC_DELAY, 1, true,
                      "cycles until a router knows that its processor took a word"},
    {0}};

void dynamic_settings_of(bmf_dynamic_routing routing, const bmf_mesh *mesh, const double *value,
                         bmf_dynamic_settings *settings)
{
    const bool adaptive = routing == BMF_DYNAMIC_ADAPTIVE;
    int v[sizeof dynamic_parameters / sizeof *dynamic_parameters] = {0};
    for (int k = adaptive ? 0 : BMF_DYNAMIC_COMMON; dynamic_parameters[k].name; k++)
        v[k] = (int)*value++;
    *settings = (bmf_dynamic_settings){.routing = routing,
                                       .channels = v[CHANNELS],
                                       .buffer = v[BUFFER],
                                       .inject_channels = v[INJECT_CHANNELS],
                                       .addresses = v[ADDRESSES],
                                       .header = v[HEADER],
                                       .route = v[ROUTE],
                                       .allocate = v[ALLOCATE],
                                       .link = v[LINK],
                                       .inject = v[INJECT],
                                       .credit = v[CREDIT],
                                       .inject_credit = v[INJECT_CREDIT],
                                       .eject_credit = v[EJECT_CREDIT],
                                       .speedup = v[SPEEDUP],
                                       .atomic = adaptive || v[ATOMIC] > 0,
                                       .shared = v[SHARED] > 0,
                                       .misroutes = v[MISROUTES]};
    if (settings->channels == 0)
        settings->channels = adaptive ? ADAPTIVE_CHANNELS : mesh->torus ? 2 : 1;
}

typedef struct tally {
    bmf_mesh_result *result;
    const bmf_mesh_traffic *traffic;
    int64_t in_time; /* words read while messages were made */
} tally;

static void note_arrival(void *state, const bmf_dynamic_report *report, int64_t time)
{
    tally *t = state;
    bmf_mesh_result *r = t->result;
    r->cycles = time;
    r->words += report->words;
    r->deliveries++;
    r->latency_total += (double)(time - t->traffic->message[report->message].cycle);
    r->hops_total += (double)report->hops;
    t->in_time += time <= t->traffic->cycles ? report->words : 0;
}

static int check_traffic(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic)
{
    for (int64_t k = 0; k < traffic->messages; k++) {
        const bmf_mesh_message *m = &traffic->message[k];
        if (m->from < 0 || m->from >= mesh->nodes)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "message %" PRId64 ": node %" PRId64 " is outside the mesh", k,
                            m->from);
        for (int64_t i = 0; i < m->destinations; i++)
            if (m->to[i] < 0 || m->to[i] >= mesh->nodes)
                return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "message %" PRId64 ": node %" PRId64 " is outside the mesh",
                                k, m->to[i]);
        if (m->words < 1 || m->words > BMF_DYNAMIC_MAX_WORDS)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "message %" PRId64 " has %" PRId64 " words, not 1 to %" PRId64, k,
                            m->words, BMF_DYNAMIC_MAX_WORDS);
    }
    return BMF_OK;
}

static int carry(bmf_wormhole_mesh *d, const bmf_mesh_traffic *traffic)
{
    int64_t sent = 0;
    bmf_progress progress;
    progress_begin(&progress, "carrying messages");
    while (sent < traffic->messages || dynamic_pending(d) > 0) {
        if (progress_due(&progress))
            progress_tell(&progress, (double)(sent - dynamic_pending(d)) / (double)traffic->messages);
        int64_t next = dynamic_next(d);
        if (sent < traffic->messages && traffic->message[sent].cycle < next)
            next = traffic->message[sent].cycle;
        if (next == INT64_MAX) {
            progress_end(&progress);
            return bmf_fail(NULL, BMF_ERROR_INTERNAL, "%" PRId64 " messages block each other for ever",
                            dynamic_pending(d));
        }
        dynamic_skip(d, next);
        for (; sent < traffic->messages && traffic->message[sent].cycle == next; sent++)
            for (int64_t k = 0; k < traffic->message[sent].destinations; k++)
                dynamic_send(d, sent, traffic->message[sent].from, traffic->message[sent].to[k],
                             traffic->message[sent].words, 0);
        dynamic_step(d);
    }
    progress_end(&progress);
    if (dynamic_disordered(d) > 0)
        return bmf_fail(NULL, BMF_ERROR_INTERNAL, "%" PRId64 " words came out of order", dynamic_disordered(d));
    return BMF_OK;
}

int dynamic_run(bmf_dynamic_routing routing, const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value,
                bmf_mesh_result *result)
{
    bmf_dynamic_settings settings;
    bmf_wormhole_mesh *d;
    *result = (bmf_mesh_result){0};
    tally t = {.result = result, .traffic = traffic};
    BMF_TRY(check_traffic(mesh, traffic));
    dynamic_settings_of(routing, mesh, value, &settings);
    BMF_TRY(dynamic_create(mesh, &settings, note_arrival, NULL, &t, &d));
    const int status = carry(d, traffic);
    result->flit_hops = dynamic_flit_hops(d);
    dynamic_free(d);
    BMF_TRY(status);
    result->node_cycles = mesh->nodes * result->cycles;
    const int64_t cycles = traffic->cycles ? traffic->cycles : result->cycles;
    if (cycles > 0)
        result->accepted = (double)(traffic->cycles ? t.in_time : result->words) / (double)cycles / (double)mesh->nodes;
    snprintf(result->note, sizeof result->note, "%d virtual channel%s of %d words", settings.channels,
             settings.channels == 1 ? "" : "s", settings.buffer);
    return BMF_OK;
}
