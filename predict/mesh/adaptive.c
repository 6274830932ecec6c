/* Adaptive routing by dimension reversals, the dynamic algorithm of Dally and Aoki.
 *
 * Method: all channels of a link but the last (on a torus: the last two) are adaptive. A header takes an adaptive
 * channel of a link that brings it nearer to its destination, of the link with the most free ones (then of the
 * dimension in which it has farther to go, then of the lower port). It counts its dimension reversals, links of a lower
 * dimension than the one before, and channels are labelled with the count of who took them last. If no such channel is
 * free, it may wait only for one with a label above its own count: whoever waits, waits for a message with a higher
 * count, so that nobody waits in a circle. If there is none, it takes a link away from its destination (but not back)
 * if it has misroutes left; otherwise it falls back to the last channels, in dimension order (ecube.c), and stays in
 * these. Channels are given to a new message only when the next buffer is empty: a message behind another one in a
 * buffer would wait for it, whatever their counts.
 * Cost: O(ports) a header and cycle in which something in its router has changed.
 * Source: Dally and Aoki, IEEE Trans. Parallel and Distributed Systems 4(4), 1993; document 004, 8.2. */
#include "predict/mesh/dynamic_private.h"
#include "predict/mesh/dynamic_run.h"
#include "predict/mesh/routers.h"

/* Links of port's dimension that are left to go by port; 0: it leads away. */
static int64_t nearer_by(const bmf_wormhole_mesh *d, int64_t node, int64_t to, int port)
{
    const int k = port / 2;
    int64_t ahead = (int64_t)d->at[to][k] - d->at[node][k];
    ahead = port % 2 ? ahead : -ahead;
    if (d->mesh.torus) {
        ahead = ahead < 0 ? ahead + d->mesh.size[k] : ahead;
        return 2 * ahead <= d->mesh.size[k] ? ahead : 0;
    }
    return ahead > 0 ? ahead : 0;
}

static uint64_t adaptive_of(const bmf_wormhole_mesh *d, int port)
{
    return d->adaptive_mask << (port * d->channels);
}

/* Some adaptive channel of the port belongs to a message with more reversals. */
static bool may_wait(const bmf_wormhole_mesh *d, int64_t node, int port, const message *m)
{
    for (uint64_t left = adaptive_of(d, port) & ~d->node[node].free; left; left &= left - 1)
        if (d->output[node * d->outputs + lowest(left)].label > m->reversals)
            return true;
    return false;
}

/* Free adaptive channels of the best port among those that lead nearer, or among those that do not. */
static uint64_t best_port(const bmf_wormhole_mesh *d, int64_t node, int64_t to, bool nearer, int except)
{
    const uint64_t free = d->node[node].free;
    uint64_t best = 0;
    int64_t best_count = 0, best_left = 0;
    for (int port = 0; port < d->ports - 1; port++) {
        const int64_t left = nearer_by(d, node, to, port), count = __builtin_popcountll(adaptive_of(d, port) & free);
        if ((left > 0) != nearer || port == except)
            continue;
        if (count > best_count || (count == best_count && count > 0 && left > best_left)) {
            best = adaptive_of(d, port) & free;
            best_count = count;
            best_left = left;
        }
    }
    return best;
}

uint64_t adaptive_candidates(const bmf_wormhole_mesh *d, int64_t node, int input, message *m)
{
    if (m->fallback)
        return ecube_candidates(d, node, m->to);
    uint64_t candidates = best_port(d, node, m->to, true, -1);
    if (candidates)
        return candidates;
    for (int port = 0; port < d->ports - 1; port++)
        if (nearer_by(d, node, m->to, port) > 0 && may_wait(d, node, port, m))
            return 0;
    if (m->misroutes < d->settings.misroutes)
        candidates = best_port(d, node, m->to, false, d->input_port[input]);
    if (candidates)
        return candidates;
    m->fallback = true;
    return ecube_candidates(d, node, m->to);
}

void adaptive_take(const bmf_wormhole_mesh *d, int64_t node, int input, int output, message *m)
{
    const int from = d->input_port[input], to = d->output_port[output];
    if (from < d->ports - 1 && to / 2 < from / 2 && m->reversals < UINT16_MAX)
        m->reversals++;
    if (!m->fallback && nearer_by(d, node, m->to, to) == 0)
        m->misroutes++;
}

static int run(const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value, bmf_mesh_result *result)
{
    return dynamic_run(BMF_DYNAMIC_ADAPTIVE, mesh, traffic, value, result);
}

const bmf_mesh_router mesh_router_adaptive = {
    .name = "adaptive",
    .summary = "wormholes that avoid busy links, by dimension reversals (Dally and Aoki)",
    .gigahertz = 1,
    .parameter = dynamic_parameters,
    .run = run,
};
