/* OTF2 archives, for Vampir, Scalasca, otf2-print and others.
 *
 * Method: the path is a new folder with the anchor traces.otf2. Every rank of a run is a location group, every track of
 * a lane a location; regions are the labels, with the structural id as an attribute of every enter record. Matched
 * messages are MPI send and receive records on the lane's first location, in one communicator per run; what overlaps
 * partly is on further locations. Lanes are written one after the other, so few files are open.
 * Cost: linear. Needs libotf2.
 * Source: OTF2 3.0 user manual.
 */
#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"

enum { ID_ATTRIBUTE = 0, CHUNK_EVENTS = 1 << 20, CHUNK_DEFINITIONS = 4 << 20 };

typedef struct writer {
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    OTF2_GlobalDefWriter *definitions;
    const bmf_view *view;
    int views;
    OTF2_ErrorCode failure;
    OTF2_StringRef strings;
    uint64_t *written[2];     /* by view and location of the view: records */
    uint64_t *first_track[2]; /* by view and lane: number of its first location in the view; one more at the end */
    OTF2_RegionRef first_region[2];
} writer;

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return 0;
}

/* libotf2 would print its own messages. */
static OTF2_ErrorCode stay_silent(void *user, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

/* Keeps the first failure. */
static void keep(writer *w, OTF2_ErrorCode code)
{
    if (w->failure == OTF2_SUCCESS)
        w->failure = code;
}

static OTF2_LocationRef location_of(const writer *w, int v, int32_t lane, int track)
{
    uint64_t before = v ? w->first_track[0][w->view[0].run->lanes] : 0;
    return before + w->first_track[v][lane] + (uint64_t)track;
}

/* ---- events ---- */

static void write_message(writer *w, OTF2_EvtWriter *to, int v, const bmf_event *event, int64_t time)
{
    if (event->kind == BMF_EVENT_SEND)
        keep(w, OTF2_EvtWriter_MpiSend(to, NULL, (uint64_t)time, (uint32_t)event->peer, (OTF2_CommRef)v, event->round,
                                       (uint64_t)event->amount));
    else
        keep(w, OTF2_EvtWriter_MpiRecv(to, NULL, (uint64_t)time, (uint32_t)event->peer, (OTF2_CommRef)v, event->round,
                                       (uint64_t)event->amount));
}

static void write_mark(writer *w, OTF2_EvtWriter **to, int v, const bmf_mark *mark, uint64_t *written)
{
    const bmf_view *view = &w->view[v];
    int64_t k = mark_event(mark);
    const bmf_event *event = &view->run->event[k];
    int track = view->track[k];
    bool leaves = mark_leaves(mark), matched = view->partner[k] >= 0;
    OTF2_RegionRef region = w->first_region[v] + (OTF2_RegionRef)view_label(view, event);
    if (!leaves) {
        keep(w, OTF2_AttributeList_AddUint64(w->attributes, ID_ATTRIBUTE, view_id(view, event)));
        keep(w, OTF2_EvtWriter_Enter(to[track], w->attributes, (uint64_t)mark->time, region));
    }
    if (matched && leaves == (event->kind == BMF_EVENT_RECEIVE)) {
        write_message(w, to[0], v, event, mark->time);
        written[0]++;
    }
    if (leaves)
        keep(w, OTF2_EvtWriter_Leave(to[track], NULL, (uint64_t)mark->time, region));
    written[track]++;
}

static void write_lane(writer *w, int v, int32_t lane, const bmf_mark *mark)
{
    OTF2_EvtWriter *to[BMF_MAX_TRACKS];
    int tracks = w->view[v].tracks[lane];
    for (int t = 0; t < tracks; t++) {
        to[t] = OTF2_Archive_GetEvtWriter(w->archive, location_of(w, v, lane, t));
        if (!to[t]) {
            keep(w, OTF2_ERROR_FILE_INTERACTION);
            return;
        }
    }
    int64_t begin = 2 * w->view[v].lane_start[lane], end = 2 * w->view[v].lane_start[lane + 1];
    for (int64_t k = begin; k < end && w->failure == OTF2_SUCCESS; k++)
        write_mark(w, to, v, &mark[k], &w->written[v][w->first_track[v][lane]]);
    for (int t = 0; t < tracks; t++)
        keep(w, OTF2_Archive_CloseEvtWriter(w->archive, to[t]));
}

/* Readers look for a file of definitions per location, even an empty one. */
static void write_local_definitions(writer *w)
{
    keep(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (int v = 0; v < w->views; v++) {
        uint64_t tracks = w->first_track[v][w->view[v].run->lanes];
        for (uint64_t t = 0; t < tracks && w->failure == OTF2_SUCCESS; t++) {
            OTF2_DefWriter *empty = OTF2_Archive_GetDefWriter(w->archive, location_of(w, v, 0, 0) + t);
            if (empty)
                keep(w, OTF2_Archive_CloseDefWriter(w->archive, empty));
        }
    }
    keep(w, OTF2_Archive_CloseDefFiles(w->archive));
}

/* ---- definitions ---- */

static OTF2_StringRef define_string(writer *w, const char *text)
{
    keep(w, OTF2_GlobalDefWriter_WriteString(w->definitions, w->strings, text));
    return w->strings++;
}

static void define_regions(writer *w, int v, OTF2_StringRef empty)
{
    const bmf_view *view = &w->view[v];
    for (int64_t k = 0; k < view->labels; k++) {
        OTF2_StringRef name = define_string(w, view->label[k].text);
        keep(w, OTF2_GlobalDefWriter_WriteRegion(w->definitions, w->first_region[v] + (OTF2_RegionRef)k, name, name,
                                                 empty, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                                 OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
}

static void define_locations(writer *w, int v, OTF2_SystemTreeNodeRef machine, OTF2_LocationGroupRef first_group)
{
    const bmf_view *view = &w->view[v];
    char text[64];
    for (int32_t rank = 0; rank < view->run->ranks; rank++) {
        snprintf(text, sizeof text, "%s rank %d", view->title, rank);
        keep(w, OTF2_GlobalDefWriter_WriteLocationGroup(w->definitions, first_group + (uint32_t)rank,
                                                        define_string(w, text), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        machine, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (int32_t lane = 0; lane < view->run->lanes; lane++) {
        for (int t = 0; t < view->tracks[lane]; t++) {
            snprintf(text, sizeof text, t ? "%s processor %d overlap %d" : "%s processor %d", view->title, lane, t);
            keep(w, OTF2_GlobalDefWriter_WriteLocation(w->definitions, location_of(w, v, lane, t),
                                                       define_string(w, text), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                       w->written[v][w->first_track[v][lane] + (uint64_t)t],
                                                       first_group + (uint32_t)view->run->lane_rank[lane]));
        }
    }
}

/* Group 0: the first locations of all lanes; group and communicator per run: its lanes' places in group 0. */
static void define_communicators(writer *w, OTF2_StringRef empty)
{
    uint32_t lanes = 0, first = 0;
    for (int v = 0; v < w->views; v++)
        lanes += (uint32_t)w->view[v].run->lanes;
    uint64_t *member = allocate(lanes * (int64_t)sizeof *member);
    for (int v = 0; v < w->views; v++)
        for (int32_t lane = 0; lane < w->view[v].run->lanes; lane++)
            member[first++] = location_of(w, v, lane, 0);
    keep(w, OTF2_GlobalDefWriter_WriteGroup(w->definitions, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, lanes, member));
    for (uint32_t k = 0; k < lanes; k++)
        member[k] = k;
    first = 0;
    for (int v = 0; v < w->views; v++) {
        uint32_t size = (uint32_t)w->view[v].run->lanes, group = (uint32_t)v + 1;
        keep(w, OTF2_GlobalDefWriter_WriteGroup(w->definitions, group, empty, OTF2_GROUP_TYPE_COMM_GROUP,
                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size, member + first));
        keep(w, OTF2_GlobalDefWriter_WriteComm(w->definitions, (OTF2_CommRef)v, define_string(w, w->view[v].title),
                                               group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        first += size;
    }
    free(member);
}

static void write_definitions(writer *w)
{
    int64_t end = 0;
    for (int v = 0; v < w->views; v++)
        end = w->view[v].end > end ? w->view[v].end : end;
    w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (!w->definitions) {
        keep(w, OTF2_ERROR_FILE_INTERACTION);
        return;
    }
    keep(w, OTF2_GlobalDefWriter_WriteClockProperties(w->definitions, 1000000000, 0, (uint64_t)end + 1,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    OTF2_StringRef empty = define_string(w, ""), id = define_string(w, "structural id"),
                   kind = define_string(w, "machine");
    keep(w, OTF2_GlobalDefWriter_WriteAttribute(w->definitions, ID_ATTRIBUTE, id, empty, OTF2_TYPE_UINT64));
    OTF2_LocationGroupRef group = 0;
    for (int v = 0; v < w->views; v++) {
        OTF2_SystemTreeNodeRef machine = (OTF2_SystemTreeNodeRef)v;
        keep(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->definitions, machine, define_string(w, w->view[v].caption),
                                                         kind, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        define_regions(w, v, empty);
        define_locations(w, v, machine, group);
        group += (OTF2_LocationGroupRef)w->view[v].run->ranks;
    }
    define_communicators(w, empty);
    keep(w, OTF2_Archive_CloseGlobalDefWriter(w->archive, w->definitions));
}

/* ---- the archive ---- */

/* Numbers the locations once the tracks are known. */
static void number_locations(writer *w)
{
    for (int v = 0; v < w->views; v++) {
        const bmf_view *view = &w->view[v];
        int32_t lanes = view->run->lanes;
        w->first_track[v] = allocate(((int64_t)lanes + 1) * (int64_t)sizeof(uint64_t));
        w->first_track[v][0] = 0;
        for (int32_t lane = 0; lane < lanes; lane++)
            w->first_track[v][lane + 1] = w->first_track[v][lane] + view->tracks[lane];
        w->written[v] = allocate_clear((int64_t)w->first_track[v][lanes], (int64_t)sizeof(uint64_t));
    }
    w->first_region[1] = (OTF2_RegionRef)w->view[0].labels;
}

static void write_events(writer *w, bmf_mark *const mark[2])
{
    w->attributes = OTF2_AttributeList_New();
    if (!w->attributes) {
        keep(w, OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    keep(w, OTF2_Archive_OpenEvtFiles(w->archive));
    for (int v = 0; v < w->views; v++)
        for (int32_t lane = 0; lane < w->view[v].run->lanes && w->failure == OTF2_SUCCESS; lane++)
            write_lane(w, v, lane, mark[v]);
    keep(w, OTF2_Archive_CloseEvtFiles(w->archive));
    OTF2_AttributeList_Delete(w->attributes);
}

static void write_archive(writer *w, bmf_mark *const mark[2], const char *folder)
{
    static OTF2_FlushCallbacks flush = {before_flush, after_flush};
    OTF2_Error_RegisterCallback(stay_silent, NULL);
    w->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS, CHUNK_DEFINITIONS,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!w->archive) {
        keep(w, OTF2_ERROR_FILE_INTERACTION);
        return;
    }
    keep(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
    keep(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    keep(w, OTF2_Archive_SetCreator(w->archive, "bmf"));
    write_events(w, mark);
    write_local_definitions(w);
    write_definitions(w);
    keep(w, OTF2_Archive_Close(w->archive));
}

static int write_folder(bmf_context *ctx, writer *w, bmf_mark *const mark[2], const char *path)
{
    bmf_output_file archive;
    int failure = output_directory_open(&archive, path);
    if (failure == EEXIST)
        return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write archive '%s': it exists already", path);
    if (!failure) {
        write_archive(w, mark, archive.written);
        const bool written = w->failure == OTF2_SUCCESS;
        failure = output_file_close(&archive, written ? 0 : ECANCELED);
        if (!written)
            return bmf_fail(ctx, BMF_ERROR_FILE, "cannot write archive '%s': %s", path,
                            OTF2_Error_GetDescription(w->failure));
    }
    return failure ? bmf_fail(ctx, BMF_ERROR_FILE, "cannot write archive '%s': %s", path, strerror(failure)) : BMF_OK;
}

int convert_otf2(bmf_context *ctx, const bmf_trace *trace, const char *path)
{
    bmf_view view[2];
    bmf_mark *mark[2] = {NULL, NULL};
    views_create(trace, BMF_STYLE_PLAIN, view);
    writer w = {.view = view, .views = trace->runs};
    for (int v = 0; v < trace->runs; v++) {
        mark[v] = allocate((2 * view[v].run->events + 1) * (int64_t)sizeof *mark[v]);
        view_marks(&view[v], v, mark[v]);
    }
    number_locations(&w);
    int status = write_folder(ctx, &w, mark, path);
    for (int v = 0; v < trace->runs; v++) {
        free(w.first_track[v]);
        free(w.written[v]);
        free(mark[v]);
    }
    views_free(view, trace->runs);
    return status;
}
