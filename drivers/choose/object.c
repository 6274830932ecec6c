/* bmf choose --json: everything. */
#include <math.h>
#include <stdlib.h>

#include "drivers/choose/choose.h"
#include "drivers/command/json.h"

static json_t *parts_object(const bmf_offer *o)
{
    static const char *const key[] = {"computing", "memory_bandwidth", "one_processor",
                                      "imbalance", "latency",          "network_bandwidth"};
    json_t *parts = json_object();
    for (int k = 0; k < BMF_LIMITS; k++)
        json_object_set_new(parts, key[k], json_finite(o->part[k]));
    return parts;
}

static json_t *offer_object(const choose_study *study, int64_t number)
{
    static const char *const refusals[] = {"", "too many processors", "memory", "threads"};
    const bmf_offer *o = &study->offer[number];
    const bmf_wish *wish = &study->options->wish;
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:b, s:b, s:b}",
        "machine", study->machine[o->machine]->name, "processors", (json_int_t)o->processors, "ranks",
        (json_int_t)o->ranks, "threads", (json_int_t)o->threads, "nodes", (json_int_t)o->nodes, "seconds",
        json_finite(o->seconds), "lo", json_finite(o->low), "hi", json_finite(o->high), "best", json_finite(o->best),
        "seconds_95", json_finite(o->seconds_high), "node_hours", json_finite(o->node_hours), "cost",
        json_finite(o->cost), "cost_95", json_finite(o->cost_high), "speed_up", json_finite(o->speed_up), "efficiency",
        json_finite(o->efficiency), "node_bytes", json_finite(o->memory), "limit", limit_name(o->limit), "parts",
        parts_object(o), "pareto", o->pareto, "fits", o->refusal == BMF_OFFERED, "in_domain", o->in_domain);
    char *command = choose_command_line(study, o);
    if (command[0] && o->refusal == BMF_OFFERED)
        json_object_set_new(object, "command", json_text(command));
    free(command);
    if (!isinf(wish->deadline) && o->refusal == BMF_OFFERED)
        json_object_set_new(object, "chance", json_finite(offer_chance(o, wish->deadline)));
    if (o->refusal != BMF_OFFERED)
        json_object_set_new(object, "refused", json_string(refusals[o->refusal]));
    return object;
}

static json_t *chosen_object(const choose_study *study, int64_t number)
{
    return number < 0 ? json_null() : offer_object(study, number);
}

static json_t *changes_array(const choose_study *study)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < study->changes; k++) {
        const choose_change *c = &study->change[k];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "change", json_text(c->text), "seconds",
                                              json_finite(c->seconds), "ratio", json_finite(c->ratio), "cost",
                                              json_finite(c->cost), "why", c->why ? json_text(c->why) : json_null()));
    }
    return list;
}

static json_t *scaling_array(const choose_study *study)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < study->scales; k++) {
        const choose_scale *s = &study->scale[k];
        if (!choose_is_plain(study, &study->offer[k / study->options->sizes.count]))
            continue;
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:o, s:o}", "machine", study->machine[s->machine]->name,
                                              "processors", (json_int_t)s->processors, "size", s->size, "seconds",
                                              json_finite(s->seconds), "node_bytes", json_finite(s->memory)));
    }
    return list;
}

static json_t *isoefficiency_array(const choose_study *study)
{
    json_t *list = json_array();
    for (int64_t k = 0; k < study->offers && study->scales > 0; k++) {
        const bmf_offer *o = &study->offer[k];
        if (!choose_is_plain(study, o))
            continue;
        const double size = choose_isoefficient(study, o->machine, o->processors, study->options->efficiency);
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:o, s:o, s:o}", "machine", study->machine[o->machine]->name, "processors",
                            (json_int_t)o->processors, "size", json_finite(size), "weak_seconds",
                            json_finite(choose_weak(study, o->machine, o->processors)), "largest_that_fits",
                            json_finite(choose_largest_fitting(study, o->machine, o->processors))));
    }
    return list;
}

static json_t *exponents_object(const choose_study *study)
{
    json_t *object = json_object();
    for (int64_t m = 0; m < study->machines && study->scales > 0; m++)
        json_object_set_new(object, study->machine[m]->name, json_finite(choose_exponent(study, m)));
    return object;
}

json_t *choose_object(const choose_study *study)
{
    const choose_options *o = study->options;
    json_t *offers = json_array(), *remarks = json_array();
    for (int64_t k = 0; k < study->offers; k++)
        if (study->offer[k].refusal != BMF_REFUSED_THREADS)
            json_array_append_new(offers, offer_object(study, k));
    for (int64_t k = 0; k < study->remarks; k++)
        json_array_append_new(remarks, json_text(study->remark[k]));
    json_t *object = json_pack(
        "{s:o, s:I, s:o, s:o, s:f, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "program", json_text(study->program),
        "runs", (json_int_t)o->runs, "deadline", json_finite(o->wish.deadline), "budget", json_finite(o->wish.budget),
        "confidence", o->wish.chance, "currency", choose_currency(study), "chosen", chosen_object(study, study->chosen),
        "cheapest", chosen_object(study, study->choice.cheapest), "fastest",
        chosen_object(study, isinf(o->wish.budget) ? study->choice.least_time : study->choice.fastest), "knee",
        chosen_object(study, study->choice.knee), "offers", offers, "what_if", changes_array(study), "remarks",
        remarks);
    if (o->predict.processors.count > 1)
        json_object_set_new(object, "regions", choose_parts_array(study));
    if (o->scaled) {
        json_object_set_new(object, "parameter", json_string(o->scaled));
        json_object_set_new(object, "scaling", scaling_array(study));
        json_object_set_new(object, "target_efficiency", json_real(o->efficiency));
        json_object_set_new(object, "isoefficiency", isoefficiency_array(study));
        json_object_set_new(object, "exponents", exponents_object(study));
    }
    return object;
}
