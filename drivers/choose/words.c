/* What `bmf choose` says: the answers first, then the table that they follow from. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/choose/choose.h"
#include "predict/sheet/text.h"

enum { TEXT = 48 };

/* ---- numbers ---- */

const char *money_text(double amount, const char *currency, char *text, size_t size)
{
    if (isnan(amount))
        snprintf(text, size, "-");
    else if (amount >= 0.995)
        snprintf(text, size, "%.2f %s", amount, currency);
    else
        snprintf(text, size, "%.2g %s", amount, currency);
    return text;
}

const char *memory_text(double bytes, char *text, size_t size)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int k = 0;
    if (isnan(bytes))
        snprintf(text, size, "-");
    for (; k < 5 && bytes >= 999.5; k++)
        bytes /= 1e3;
    if (!isnan(bytes))
        snprintf(text, size, "%.3g %s", bytes, unit[k]);
    return text;
}

const char *choose_currency(const choose_study *study)
{
    for (int64_t m = 0; m < study->machines; m++)
        if (!isnan(study->machine[m]->node.price))
            return study->machine[m]->node.currency;
    return "";
}

/* Longer times in minutes, hours and days. */
const char *choose_time_text(double seconds, char *text, size_t size)
{
    static const double minute = 60.0, hour = 3600.0, day = 86400.0;
    if (seconds < 2.0 * minute || isnan(seconds))
        return time_text(seconds, text, size);
    if (seconds < 2.0 * hour)
        snprintf(text, size, "%.3g min", seconds / minute);
    else if (seconds < 2.0 * day)
        snprintf(text, size, "%.3g h", seconds / hour);
    else
        snprintf(text, size, "%.3g days", seconds / day);
    return text;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the answers ---- */

/* "64 ranks of 1 thread on NAME (1 node): 1.2 s (1.1 to 1.4 s), 0.02 USD" */
static void put_offer(FILE *to, const choose_study *study, int64_t number)
{
    const bmf_offer *o = &study->offer[number];
    const bmf_machine *machine = study->machine[o->machine];
    char time[TEXT], low[TEXT], high[TEXT], money[TEXT];
    char ranks[4 * TEXT];
    fputs(choose_ranks_text(study, o, ranks, sizeof ranks), to);
    if (machine->node.processors > 0)
        fprintf(to, " (%" PRId64 " node%s)", o->nodes, plural(o->nodes));
    fprintf(to, ": %s (95 %%: %s to %s)", choose_time_text(o->seconds, time, sizeof time),
            choose_time_text(o->low, low, sizeof low), choose_time_text(o->high, high, sizeof high));
    if (!isnan(o->cost))
        fprintf(to, ", %s", money_text(o->cost, machine->node.currency, money, sizeof money));
    else
        fprintf(to, ", %.3g node-hours", o->node_hours);
    fprintf(to, "\n");
}

static void put_cheapest(FILE *to, const choose_study *study)
{
    const bmf_wish *wish = &study->options->wish;
    const bmf_decision *choice = &study->choice;
    char deadline[TEXT];
    if (isinf(wish->deadline))
        return;
    choose_time_text(wish->deadline, deadline, sizeof deadline);
    if (choice->cheapest >= 0) {
        const double chance = offer_chance(&study->offer[choice->cheapest], wish->deadline);
        fprintf(to, "cheapest within %s with %.0f %% confidence%s: ", deadline, 100.0 * wish->chance,
                isinf(wish->budget) ? "" : " and the budget");
        put_offer(to, study, choice->cheapest);
        fprintf(to, "that keeps the deadline in %s%.4g of 100 runs\n", chance > 0.9999 ? "more than " : "",
                100.0 * fmin(chance, 0.9999));
    } else if (choice->most_likely >= 0) {
        const double chance = offer_chance(&study->offer[choice->most_likely], wish->deadline);
        fprintf(to, "nothing ends within %s with %.0f %% confidence%s; the best chance, %.3g of 100 runs, is that of ",
                deadline, 100.0 * wish->chance, isinf(wish->budget) ? "" : " and within the budget", 100.0 * chance);
        put_offer(to, study, choice->most_likely);
    }
}

static void put_fastest(FILE *to, const choose_study *study)
{
    const bmf_wish *wish = &study->options->wish;
    const bmf_decision *choice = &study->choice;
    char money[TEXT], least[TEXT];
    if (isinf(wish->budget)) {
        fprintf(to, "fastest: ");
        put_offer(to, study, choice->least_time);
        return;
    }
    money_text(wish->budget, choose_currency(study), money, sizeof money);
    if (choice->fastest >= 0) {
        fprintf(to, "fastest for at most %s with %.0f %% confidence: ", money, 100.0 * wish->chance);
        put_offer(to, study, choice->fastest);
    } else if (choice->least_cost >= 0) {
        const bmf_offer *o = &study->offer[choice->least_cost];
        const bmf_node *node = &study->machine[o->machine]->node;
        fprintf(to, "%s pay for nothing with %.0f %% confidence; the cheapest needs %s: ", money, 100.0 * wish->chance,
                money_text(node_cost(node, o->nodes, offer_quantile(o, wish->chance)), node->currency, least,
                           sizeof least));
        put_offer(to, study, choice->least_cost);
    }
}

static void put_limits(FILE *to, const choose_study *study)
{
    const bmf_offer *o = study->chosen >= 0 ? &study->offer[study->chosen] : NULL;
    if (!o || o->limit >= BMF_LIMITS || !(o->best > 0.0))
        return;
    fprintf(to, "most of its time is %s (%.0f %%)", limit_name(o->limit), 100.0 * o->part[o->limit] / o->best);
    bmf_limit second = BMF_LIMITS;
    for (int k = 0; k < BMF_LIMITS; k++)
        if (k != (int)o->limit && (second == BMF_LIMITS || o->part[k] > o->part[second]))
            second = (bmf_limit)k;
    if (second < BMF_LIMITS && o->part[second] > 0.05 * o->best)
        fprintf(to, ", then %s (%.0f %%)", limit_name(second), 100.0 * o->part[second] / o->best);
    fprintf(to, "\n");
}

static void put_changes(FILE *to, const choose_study *study)
{
    const choose_change *best = NULL;
    for (int64_t k = 0; k < study->changes; k++)
        if (!isnan(study->change[k].ratio) && (!best || study->change[k].ratio > best->ratio))
            best = &study->change[k];
    if (!best)
        return;
    if (best->ratio > 1.01)
        fprintf(to, "what would help most there: %s, %.3g times as fast\n", best->text, best->ratio);
    else
        fprintf(to, "none of the changes of the machine would make it more than one percent faster\n");
}

static void put_sizes(FILE *to, const choose_study *study)
{
    for (int64_t m = 0; m < study->machines && study->scales > 0; m++) {
        const double exponent = choose_exponent(study, m);
        if (isnan(exponent))
            fprintf(to, "%s: the sizes do not show how %s must grow with the processors for an efficiency of %.2g\n",
                    study->machine[m]->name, study->options->scaled, study->options->efficiency);
        else
            fprintf(to, "%s: for an efficiency of %.2g, %s must grow like the processors to the power of %.2f\n",
                    study->machine[m]->name, study->options->efficiency, study->options->scaled, exponent);
    }
}

/* No offer at all: what would fit. */
static void put_nothing(FILE *to, const choose_study *study)
{
    char needs[TEXT], has[TEXT], ranks[4 * TEXT];
    if (study->choice.least_memory < 0) {
        choose_put_unoffered(to, study);
        return;
    }
    const bmf_offer *o = &study->offer[study->choice.least_memory];
    const bmf_machine *machine = study->machine[o->machine];
    fprintf(
        to,
        "it fits on no machine that was asked for: %s would need nodes of %s, and they have %s; more nodes or fewer "
        "ranks on each would do\n",
        choose_ranks_text(study, o, ranks, sizeof ranks), memory_text(o->memory, needs, sizeof needs),
        memory_text(machine->node.memory, has, sizeof has));
}

static void put_answer(FILE *to, const choose_study *study)
{
    if (study->choice.least_time < 0) {
        put_nothing(to, study);
        return;
    }
    if (study->chosen >= 0) {
        char *command = choose_command_line(study, &study->offer[study->chosen]);
        fprintf(to, "to take: ");
        put_offer(to, study, study->chosen);
        if (command[0])
            fprintf(to, "run it: %s\n", command);
        free(command);
    }
    put_limits(to, study);
    put_changes(to, study);
    put_cheapest(to, study);
    put_fastest(to, study);
    if (study->choice.knee >= 0) {
        fprintf(to, "best value, the least time times cost: ");
        put_offer(to, study, study->choice.knee);
    }
    put_sizes(to, study);
}

char *choose_answer(const choose_study *study)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    put_answer(to, study);
    fclose(to);
    return text;
}

/* ---- why it stops ---- */

/* From the fastest of a machine's offers to the next one: what grew most. */
static void put_why(FILE *to, const choose_study *study, int64_t machine)
{
    const int64_t numbers = study->options->predict.processors.count;
    const bmf_offer *best = NULL, *next = NULL;
    for (int64_t k = 0; k < numbers; k++) {
        const bmf_offer *o = choose_best(study, machine, k);
        if (o && (!best || o->seconds < best->seconds))
            best = o;
    }
    for (int64_t k = 0; best && k < numbers && !next; k++) {
        const bmf_offer *o = choose_best(study, machine, k);
        if (o && o->processors > best->processors)
            next = o;
    }
    if (!best)
        return;
    const char *name = study->machine[machine]->name;
    if (!next) {
        fprintf(to, "%s: the time still falls at %" PRId64 " processors\n", name, best->processors);
        return;
    }
    int grew = -1;
    for (int k = 0; k < BMF_LIMITS; k++)
        if (!isnan(best->part[k]) && (grew < 0 || next->part[k] - best->part[k] > next->part[grew] - best->part[grew]))
            grew = k;
    char from[TEXT], until[TEXT];
    fprintf(to, "%s: no more gain beyond %" PRId64 " processor%s", name, best->processors, plural(best->processors));
    if (grew >= 0)
        fprintf(to, ": at %" PRId64 ", %s grows from %s to %s", next->processors, limit_name((bmf_limit)grew),
                time_text(best->part[grew], from, sizeof from), time_text(next->part[grew], until, sizeof until));
    fprintf(to, "\n");
}

char *choose_why(const choose_study *study)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    for (int64_t m = 0; m < study->machines && study->options->predict.processors.count > 1; m++) {
        put_why(to, study, m);
        choose_put_worst_part(to, study, m);
    }
    fclose(to);
    return text;
}

/* ---- tables ---- */

static void print_offer(const choose_study *study, const bmf_offer *o)
{
    char time[TEXT], low[TEXT], high[TEXT], interval[2 * TEXT + 8], money[TEXT], memory[TEXT], part[TEXT] = "";
    char efficiency[TEXT] = "-", ranks[2 * TEXT] = "", both[TEXT];
    const bmf_node *node = &study->machine[o->machine]->node;
    if (o->refusal == BMF_REFUSED_PROCESSORS && choose_is_plain(study, o))
        printf("%10" PRId64 "  the machine has not so many\n", o->processors);
    if (!offer_exists(o))
        return;
    snprintf(both, sizeof both, "%" PRId64 " x %" PRId64, o->ranks, o->threads);
    if (choose_has_threads(study))
        snprintf(ranks, sizeof ranks, " %15s", both);
    snprintf(interval, sizeof interval, "%s .. %s", choose_time_text(o->low, low, sizeof low),
             choose_time_text(o->high, high, sizeof high));
    if (isfinite(o->efficiency))
        snprintf(efficiency, sizeof efficiency, "%.3f", o->efficiency);
    if (o->limit < BMF_LIMITS && o->best > 0.0)
        snprintf(part, sizeof part, " %.0f %%", 100.0 * o->part[o->limit] / o->best);
    printf("%10" PRId64 "%s %7" PRId64 " %10s %22s %11.3g %12s %10s %10s  %s%s%s%s%s\n", o->processors, ranks, o->nodes,
           choose_time_text(o->seconds, time, sizeof time), interval, o->node_hours,
           money_text(o->cost, node->currency, money, sizeof money), efficiency,
           memory_text(o->memory, memory, sizeof memory), limit_name(o->limit), part, o->pareto ? " *" : "",
           o->refusal == BMF_REFUSED_MEMORY ? " (does not fit)" : "", o->in_domain ? "" : " (extrapolated)");
}

/* Of each number of processors the fastest threads, unless they were asked for; and what is marked or was taken. */
static bool is_shown(const choose_study *study, const bmf_offer *o, int64_t number)
{
    const bmf_offer *best = choose_best(study, o->machine, number);
    return study->options->threads.count > 0 || o == best || (!best && choose_is_plain(study, o)) || o->pareto ||
           o - study->offer == study->chosen;
}

static void print_table(const choose_study *study)
{
    const int64_t numbers = study->options->predict.processors.count;
    for (int64_t m = 0; m < study->machines; m++) {
        const bmf_machine *machine = study->machine[m];
        char price[TEXT];
        printf("\n%s%s%s", machine->name, machine->note[0] ? ": " : "", machine->note);
        if (!isnan(machine->node.price))
            printf("; %s an hour and node",
                   money_text(machine->node.price * 3600.0, machine->node.currency, price, sizeof price));
        printf("\n%10s%s %7s %10s %22s %11s %12s %10s %10s  %s\n", "processors",
               choose_has_threads(study) ? " ranks x threads" : "", "nodes", "time", "95 % interval", "node-hours",
               "cost", "efficiency", "node holds", "what limits it");
        for (int64_t k = 0; k < numbers; k++)
            for (int64_t t = 0; t < study->teams; t++)
                if (is_shown(study, choose_offer(study, m, k, t), k))
                    print_offer(study, choose_offer(study, m, k, t));
    }
    printf("\n* no other offer is both faster and cheaper\n");
    if (study->teams > 1 && study->options->threads.count == 0)
        puts("of each number of processors the fastest ranks x threads; --threads LIST and --json have all");
}

static void print_changes(const choose_study *study)
{
    char time[TEXT], money[TEXT];
    if (study->changes == 0)
        return;
    printf("\n%-28s %10s %12s %12s\n", "a machine with", "time", "as fast", "cost");
    for (int64_t k = 0; k < study->changes; k++) {
        const choose_change *c = &study->change[k];
        if (isnan(c->ratio))
            continue;
        printf("%-28s %10s %12.3f %12s\n", c->text, choose_time_text(c->seconds, time, sizeof time), c->ratio,
               money_text(c->cost, choose_currency(study), money, sizeof money));
    }
}

static void print_sizes(const choose_study *study)
{
    const int64_t numbers = study->options->predict.processors.count;
    for (int64_t m = 0; m < study->machines && study->scales > 0; m++) {
        printf("\n%s: %s for an efficiency of %.2g, and the time when %s grows with the processors from %.6g on\n",
               study->machine[m]->name, study->options->scaled, study->options->efficiency, study->options->scaled,
               study->options->sizes.number[0]);
        for (int64_t k = 0; k < numbers; k++) {
            const bmf_offer *o = choose_plain(study, m, k);
            char time[TEXT], size[TEXT] = "beyond the sizes", fits[TEXT] = "";
            const double needed = choose_isoefficient(study, m, o->processors, study->options->efficiency);
            const double weak = choose_weak(study, m, o->processors);
            const double largest = choose_largest_fitting(study, m, o->processors);
            if (!offer_exists(o))
                continue;
            if (!isnan(needed))
                snprintf(size, sizeof size, "%.4g", needed);
            if (largest == 0.0)
                snprintf(fits, sizeof fits, "   none fits");
            else if (largest < study->options->sizes.number[study->options->sizes.count - 1])
                snprintf(fits, sizeof fits, "   fits up to %.4g", largest);
            printf("%10" PRId64 " %18s %12s%s\n", o->processors, size,
                   isnan(weak) ? "-" : choose_time_text(weak, time, sizeof time), fits);
        }
    }
}

void choose_print(const choose_study *study)
{
    char *answer = choose_answer(study), *why = choose_why(study);
    const choose_options *o = study->options;
    printf("%s, %" PRId64 " run%s, on %" PRId64 " machine%s\n\n", study->program, o->runs, plural(o->runs),
           study->machines, plural(study->machines));
    fputs(answer ? answer : "", stdout);
    fputs(why ? why : "", stdout);
    print_table(study);
    print_changes(study);
    choose_print_parts(study);
    print_sizes(study);
    for (int64_t k = 0; k < study->remarks; k++)
        printf("%s* %s\n", k == 0 ? "\n" : "", study->remark[k]);
    free(answer);
    free(why);
}
