/* Costs, efficiencies, the front of time and cost, and what to take; see choose.h.
 *
 * Method: the front by sorting by time and keeping what is cheaper than all before; the knee is the least product of
 * time and cost, which for one machine is the most efficiency for its time (D. Eager, J. Zahorjan, E. Lazowska,
 * "Speedup versus efficiency in parallel systems", IEEE Transactions on Computers 38, 1989). A deadline and a budget
 * are kept with a chance and not on average: by the quantile of the time.
 * Cost: n log n over the offers. */
#include "predict/choose/choose.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"

static const double hour = 3600.0, upper = 0.95;

const char *limit_name(bmf_limit limit)
{
    static const char *const name[] = {"computing", "memory bandwidth", "one processor's work",
                                       "imbalance", "latency",          "network bandwidth"};
    return limit < BMF_LIMITS ? name[limit] : "not known";
}

/* ---- chances ---- */

/* Of log(time): from the median to the bound on the side that is asked for. */
static double deviation(const bmf_offer *offer, bool above)
{
    static const double bound = 0.975;
    const double to = above ? offer->high : offer->low;
    if (!(offer->seconds > 0.0) || !(to > 0.0))
        return 0.0;
    return fabs(log(to / offer->seconds)) / gsl_cdf_ugaussian_Pinv(bound);
}

double offer_chance(const bmf_offer *offer, double seconds)
{
    if (!(offer->seconds > 0.0))
        return 1.0;
    const double spread = deviation(offer, seconds > offer->seconds);
    if (spread <= 0.0 || !(seconds > 0.0) || isinf(seconds))
        return seconds >= offer->seconds ? 1.0 : 0.0;
    return gsl_cdf_ugaussian_P(log(seconds / offer->seconds) / spread);
}

double offer_quantile(const bmf_offer *offer, double chance)
{
    return offer->seconds * exp(deviation(offer, chance > 0.5) * gsl_cdf_ugaussian_Pinv(chance));
}

/* ---- completing ---- */

static void find_limit(bmf_offer *offer)
{
    offer->limit = BMF_LIMITS;
    for (int k = 0; k < BMF_LIMITS; k++)
        if (!isnan(offer->part[k]) && (offer->limit == BMF_LIMITS || offer->part[k] > offer->part[offer->limit]))
            offer->limit = (bmf_limit)k;
}

int64_t offer_nodes(const bmf_offer *offer, const bmf_node *node)
{
    bmf_node of_threads = *node;
    of_threads.threads = offer->threads;
    return node_nodes(&of_threads, offer->ranks);
}

/* Fewer processors, or as many and fewer threads. */
static bool is_smaller(const bmf_offer *a, const bmf_offer *b)
{
    return a->processors != b->processors ? a->processors < b->processors : a->threads < b->threads;
}

/* The smallest offer of the same machine. */
static const bmf_offer *reference_of(const bmf_offer *offer, int64_t offers, int64_t machine)
{
    const bmf_offer *found = NULL;
    for (int64_t k = 0; k < offers; k++)
        if (offer[k].machine == machine && offer_exists(&offer[k]) && (!found || is_smaller(&offer[k], found)))
            found = &offer[k];
    return found;
}

typedef struct ranked {
    double seconds, cost;
    int64_t offer;
} ranked;

static int by_time(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->offer < y->offer ? -1 : x->offer > y->offer;
}

static bool any_price(const bmf_offer *offer, int64_t offers)
{
    for (int64_t k = 0; k < offers; k++)
        if (offer[k].refusal == BMF_OFFERED && !isnan(offer[k].cost))
            return true;
    return false;
}

double offer_cost(const bmf_offer *offer, bool has_prices)
{
    return has_prices ? offer->cost : offer->node_hours;
}

static void mark_front(bmf_offer *offer, int64_t offers)
{
    ranked *order = allocate_array(offers, (int64_t)sizeof *order);
    int64_t count = 0;
    const bool priced = any_price(offer, offers);
    double least = INFINITY;
    for (int64_t k = 0; k < offers; k++) {
        offer[k].pareto = false;
        const double cost = offer_cost(&offer[k], priced);
        if (offer[k].refusal == BMF_OFFERED && !isnan(cost))
            order[count++] = (ranked){offer[k].seconds, cost, k};
    }
    qsort(order, (size_t)count, sizeof *order, by_time);
    for (int64_t k = 0; k < count; k++)
        if (order[k].cost < least) {
            least = order[k].cost;
            offer[order[k].offer].pareto = true;
        }
    free(order);
}

void choose_complete(bmf_offer *offer, int64_t offers, bmf_machine *const *machine)
{
    for (int64_t k = 0; k < offers; k++) {
        bmf_offer *o = &offer[k];
        const bmf_node *node = &machine[o->machine]->node;
        o->nodes = offer_nodes(o, node);
        o->seconds_high = offer_quantile(o, upper);
        o->node_hours = o->seconds * (double)o->nodes / hour;
        o->cost = node_cost(node, o->nodes, o->seconds);
        o->cost_high = node_cost(node, o->nodes, o->seconds_high);
        find_limit(o);
        const bmf_offer *reference = reference_of(offer, offers, o->machine);
        o->speed_up = reference && o->seconds > 0.0 ? reference->seconds / o->seconds : NAN;
        o->efficiency = reference ? o->speed_up * (double)reference->processors / (double)o->processors : NAN;
    }
    mark_front(offer, offers);
}

/* ---- deciding ---- */

/* Takes the offer if its value is less than that of the one before; of equal ones the smaller one. */
static void take_less(const bmf_offer *offer, int64_t number, double value, int64_t *taken, double *least)
{
    if (isnan(value))
        return;
    if (*taken < 0 || value < *least ||
        (value == *least &&
         (offer[number].seconds < offer[*taken].seconds ||
          (offer[number].seconds == offer[*taken].seconds && is_smaller(&offer[number], &offer[*taken]))))) {
        *taken = number;
        *least = value;
    }
}

typedef struct search {
    double cheapest, fastest, knee, least_cost, least_time, unlikely, memory;
} search;

void choose_decide(const bmf_offer *offer, int64_t offers, bmf_machine *const *machine, const bmf_wish *wish,
                   bmf_decision *choice)
{
    search least = {0};
    *choice = (bmf_decision){-1, -1, -1, -1, -1, -1, -1, any_price(offer, offers)};
    for (int64_t k = 0; k < offers; k++) {
        const bmf_offer *o = &offer[k];
        const bmf_node *node = &machine[o->machine]->node;
        const double cost = offer_cost(o, choice->has_prices), chance = offer_chance(o, wish->deadline);
        if (o->refusal == BMF_REFUSED_MEMORY)
            take_less(offer, k, o->memory / node->memory, &choice->least_memory, &least.memory);
        if (o->refusal != BMF_OFFERED)
            continue;
        const double most = choice->has_prices ? node_cost(node, o->nodes, offer_quantile(o, wish->chance)) : NAN;
        const bool affordable = isinf(wish->budget) || most <= wish->budget;
        if (chance >= wish->chance && affordable)
            take_less(offer, k, cost, &choice->cheapest, &least.cheapest);
        if (affordable)
            take_less(offer, k, o->seconds, &choice->fastest, &least.fastest);
        take_less(offer, k, o->seconds * cost, &choice->knee, &least.knee);
        take_less(offer, k, isinf(wish->budget) ? cost : most, &choice->least_cost, &least.least_cost);
        take_less(offer, k, o->seconds, &choice->least_time, &least.least_time);
        take_less(offer, k, 1.0 - chance, &choice->most_likely, &least.unlikely);
    }
}
