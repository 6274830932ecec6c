/* Shares of threads; see the header. */
#include "predict/model/thread_shares.h"

#include <math.h>

bool thread_shares_same(const bmf_thread_shares *a, const bmf_thread_shares *b)
{
    for (int k = 0; k < BMF_SHARES; k++)
        if (a->share[k] != b->share[k])
            return false;
    return a->largest == b->largest && a->seconds == b->seconds && a->bound == b->bound && a->pieces == b->pieces &&
           a->dynamic == b->dynamic;
}

void thread_shares_add(bmf_thread_shares *shares, int64_t begin, int64_t end, int64_t elements, double weight)
{
    shares->pieces++;
    if (end <= begin)
        return;
    shares->largest = fmaxf(shares->largest, (float)(end - begin) / (float)elements);
    const double scale = (double)BMF_SHARES / (double)elements, from = (double)begin * scale, to = (double)end * scale;
    for (int k = (int)from; k < BMF_SHARES && k < to; k++)
        shares->share[k] += (float)(weight * (fmin(k + 1, to) - fmax(k, from)) / (to - from));
}

void thread_shares_finish(bmf_thread_shares *shares)
{
    float sum = 0;
    for (int k = 0; k < BMF_SHARES; k++)
        sum += shares->share[k];
    for (int k = 0; k < BMF_SHARES; k++)
        shares->share[k] = sum > 0 ? shares->share[k] / sum : 1.0F / BMF_SHARES;
}

void thread_shares_see(bmf_shares_seen *seen, const bmf_thread_shares *shares)
{
    for (int k = 0; k < BMF_SHARES; k++) {
        seen->sum[k] += shares->share[k];
        seen->squares[k] += shares->share[k] * shares->share[k];
    }
    seen->runs++;
}

void thread_shares_settle(const bmf_shares_seen *seen, bmf_thread_shares *shares)
{
    static const double even = 1.0 / BMF_SHARES;
    const double runs = seen->runs;
    double apart = 0.0, noise = 0.0;
    if (seen->runs < 2 || shares->pieces <= 1)
        return;
    for (int k = 0; k < BMF_SHARES; k++) {
        const double mean = (double)seen->sum[k] / runs;
        apart += (mean - even) * (mean - even);
        noise += fmax((double)seen->squares[k] / runs - mean * mean, 0.0) / (runs - 1.0);
    }
    const double kept = apart > noise ? 1.0 - noise / apart : 0.0;
    for (int k = 0; k < BMF_SHARES; k++)
        shares->share[k] = (float)(even + kept * ((double)seen->sum[k] / runs - even));
}

/* What lies before a place, in sixteenths. */
static double before(const bmf_thread_shares *shares, double place)
{
    double sum = 0.0;
    for (int k = 0; k < BMF_SHARES && k < place; k++)
        sum += (double)shares->share[k] * fmin(place - k, 1.0);
    return sum;
}

/* The most of the time that elements of that share have, of those that follow each other from the first on. */
static double most_of(const bmf_thread_shares *shares, double width)
{
    static const double rounding = 1e-6, narrow = 1.0 / (4 * BMF_SHARES);
    double most = 0.0, last = 0.0;
    for (int k = 0; k < BMF_SHARES && width < narrow; k++)
        most = fmax(most, (double)shares->share[k] * width * BMF_SHARES);
    for (int k = 1; width >= narrow && (k - 1) * width < 1.0 - rounding; k++) {
        const double until = before(shares, fmin(k * width, 1.0) * BMF_SHARES);
        most = fmax(most, until - last);
        last = until;
    }
    return most;
}

double thread_shares_slowest(const bmf_thread_shares *shares, int64_t threads)
{
    if (threads <= 1 || shares->pieces <= 1)
        return 1.0;
    const double even = 1.0 / (double)threads, piece = most_of(shares, (double)shares->largest);
    return fmax(shares->dynamic ? even : most_of(shares, even), piece);
}
