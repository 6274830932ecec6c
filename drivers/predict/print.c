/* What `bmf predict` says of the runs on one machine: a table with its notes, or an object. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/predict/predict.h"

/* Without the directory. */
const char *predicted_program(const bmf_predict_options *o)
{
    const char *path = o->command ? o->command[0] : o->path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Against the run with the fewest processors. */
static const bmf_predicted *reference_of(int64_t count, const bmf_predicted *run)
{
    const bmf_predicted *min = run;
    for (int64_t k = 1; k < count; k++)
        if (run[k].processors < min->processors)
            min = &run[k];
    return min;
}

static double speed_up(const bmf_predicted *run, const bmf_predicted *reference)
{
    return run->seconds > 0 ? reference->seconds / run->seconds : NAN;
}

/* The 95 % interval of that, of one run each. */
static void speed_up_bounds(const bmf_predicted *run, const bmf_predicted *reference, double *low, double *high)
{
    *low = *high = speed_up(run, reference);
    if (run != reference)
        prediction_quotient(&reference->prediction, &run->prediction, low, high);
}

static double efficiency(const bmf_predicted *run, const bmf_predicted *reference)
{
    return speed_up(run, reference) * (double)reference->processors / (double)run->processors;
}

static const bmf_predicted *fastest(int64_t count, const bmf_predicted *run)
{
    const bmf_predicted *best = run;
    for (int64_t k = 1; k < count; k++)
        if (run[k].seconds < best->seconds)
            best = &run[k];
    return best;
}

/* Whether the machine's file has costs without a measured error. */
static bool states_costs(const bmf_machine *machine)
{
    bmf_network *network;
    bool stated = machine_compute_error(machine) > 0.0;
    if (machine_network(machine, 1, &network) == BMF_OK) {
        stated = stated || network->relative_error > 0.0;
        network->type->destroy(network);
    }
    return stated;
}

/* Where the spread of the widest interval comes from. */
static void print_shares(const bmf_predict_options *o, const bmf_predicted *run)
{
    const bmf_predicted *widest = run;
    for (int64_t k = 1; k < o->processors.count; k++)
        if (run[k].high * widest->low > widest->high * run[k].low)
            widest = &run[k];
    const bmf_prediction *of = &widest->prediction;
    if (!(of->run_share >= 0.0) || !(widest->high > widest->low))
        return;
    printf("\nof the interval of %lld processor%s", (long long)widest->processors, widest->processors == 1 ? "" : "s");
    printf(" %.0f %% is what runs here differ by, %.0f %% what single times do, and %.0f %% what is not known\nof the "
           "equations (shares of the variance)\n",
           100.0 * of->run_share, 100.0 * of->event_share, 100.0 * of->fit_share);
}

/* Of many processors: how many of them were evaluated. */
static void print_evaluated(const bmf_predict_options *o, const bmf_predicted *run)
{
    static const int64_t many = 1024;
    if (o->command || is_model(o->path) || o->every)
        return;
    for (int64_t k = 0; k < o->processors.count; k++)
        if (run[k].unlike >= many)
            printf("\n%lld of %lld processors were evaluated one by one: what they do depends on data, or they hold "
                   "lists of other lengths\n",
                   (long long)run[k].unlike, (long long)run[k].processors);
}

void predicted_print_error(double error)
{
    static const double noisy = 0.05;
    if (isinf(error))
        printf("\nthe program ran too few times to tell how well the times of its kernels are known\n");
    else if (error > noisy)
        printf("\nthis host is not quiet: times of kernels are known to %.0f %% only; --repeats N runs more often\n",
               100.0 * error);
}

void predicted_print_stated(const bmf_machine *machine)
{
    if (states_costs(machine))
        printf("\nthe intervals take costs that %s states without a measured error to be off by %.0f %% "
               "(relative_error)\n",
               machine->name, 100.0 * machine->relative_error);
}

/* What a reader of the table should know. */
static void print_notes(const bmf_predict_options *o, const bmf_predicted *run)
{
    static const double noticeable = 1.1;
    const bmf_predicted *reference = reference_of(o->processors.count, run);
    double error = 0.0;
    bool above = false;
    for (int64_t k = 0; k < o->processors.count; k++) {
        error = fmax(error, run[k].measured_error);
        above = above || efficiency(&run[k], reference) > noticeable;
    }
    if (above)
        printf(
            "\nefficiency above 1: kernels take less for an element here where a processor has fewer of them, as in a "
            "cache;\nsuch a machine may have other caches\n");
    predicted_print_error(error);
    print_shares(o, run);
    print_evaluated(o, run);
    predicted_print_stated(o->machine);
}

/* What the times are of, and what they leave out. */
void predicted_print_heading(const bmf_predict_options *o, const char *machine, double files)
{
    const int64_t threads = o->machine ? o->machine->threads : o->threads;
    char ranks[48] = "";
    if (threads > 1)
        snprintf(ranks, sizeof ranks, ", a rank of %lld threads each", (long long)threads);
    printf("%s on %s%s, %s\n", predicted_program(o), machine, ranks,
           o->mpi       ? "from MPI_Init to MPI_Finalize"
           : o->command ? "from bmf_open to bmf_close; work outside of bmf's calls is left out"
                        : "from the argument to the value; starting MPI and writing the value are left out");
    if (files > 0.0)
        printf("before that, reading the argument takes %.4g s\n", files);
    putchar('\n');
}

static double most_files(const bmf_predict_options *o, const bmf_predicted *run)
{
    double files = 0.0;
    for (int64_t k = 0; k < o->processors.count; k++)
        files = fmax(files, run[k].files);
    return files;
}

/* - where there is none, as of a time of 0. */
static const char *ratio_text(double ratio, char text[32])
{
    snprintf(text, 32, isfinite(ratio) ? "%.3f" : "-", ratio);
    return text;
}

void predicted_print(const bmf_predict_options *o, const bmf_predicted *run)
{
    const bmf_predicted *reference = reference_of(o->processors.count, run), *best = fastest(o->processors.count, run);
    bool outside = false;
    predicted_print_heading(o, o->machine->name, most_files(o, run));
    printf("%10s %12s %25s %10s %19s %10s %12s %16s\n", "processors", "seconds", "95 % interval", "speed-up",
           "95 % interval", "efficiency", "messages", "bytes");
    for (int64_t k = 0; k < o->processors.count; k++) {
        char interval[64] = "exact", gain[64] = "exact", faster[32], efficient[32];
        double low, high;
        if (run[k].high - run[k].low > 1e-9 * run[k].seconds)
            snprintf(interval, sizeof interval, "%.4g .. %.4g", run[k].low, run[k].high);
        speed_up_bounds(&run[k], reference, &low, &high);
        if (!isfinite(low))
            snprintf(gain, sizeof gain, "-");
        else if (high - low > 1e-9 * low)
            snprintf(gain, sizeof gain, "%.3f .. %.3f", low, high);
        printf("%10lld %12.6g %25s %10s %19s %10s %12lld %16lld%s\n", (long long)run[k].processors, run[k].seconds,
               interval, ratio_text(speed_up(&run[k], reference), faster), gain,
               ratio_text(efficiency(&run[k], reference), efficient), (long long)run[k].messages,
               (long long)run[k].bytes, run[k].remarks ? " *" : "");
        outside = outside || run[k].remarks;
    }
    if (reference->processors != 1)
        printf("\nspeed-up and efficiency are against %lld processors\n", (long long)reference->processors);
    if (o->processors.count > 1)
        printf("\nfastest: %lld processor%s, %.6g s\n", (long long)best->processors, best->processors == 1 ? "" : "s",
               best->seconds);
    for (int64_t k = 0; outside && k < o->processors.count; k++)
        for (int64_t r = 0; r < run[k].remarks; r++)
            printf("%s* %lld processors: %s\n", r == 0 ? "\n" : "", (long long)run[k].processors, run[k].remark[r]);
    print_notes(o, run);
}

/* Shares of the variance; null where nothing is uncertain, or where it is not known. */
static json_t *shares_object(const bmf_prediction *of)
{
    return of->run_share >= 0.0 && (of->run_share > 0.0 || of->event_share > 0.0 || of->fit_share > 0.0)
               ? json_pack("{s:f, s:f, s:f}", "run", of->run_share, "event", of->event_share, "fit", of->fit_share)
               : json_null();
}

static json_t *count_object(int64_t count)
{
    return count < 0 ? json_null() : json_integer(count);
}

static json_t *run_object(const bmf_predicted *run, const bmf_predicted *reference)
{
    json_t *remarks = json_array();
    double low, high;
    for (int64_t k = 0; k < run->remarks; k++)
        json_array_append_new(remarks, json_string(run->remark[k]));
    speed_up_bounds(run, reference, &low, &high);
    return json_pack(
        "{s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:I}",
        "processors", (json_int_t)run->processors, "seconds", run->seconds, "lo", run->low, "hi", run->high, "best",
        run->best, "file_seconds", run->files, "runs", (json_int_t)run->runs, "measured_error",
        json_finite(run->measured_error), "messages", (json_int_t)run->messages, "bytes", (json_int_t)run->bytes,
        "rank_messages", count_object(run->rank_messages), "rank_bytes", count_object(run->rank_bytes), "efficiency",
        json_finite(efficiency(run, reference)), "speed_up", json_finite(speed_up(run, reference)), "speed_up_lo",
        json_finite(low), "speed_up_hi", json_finite(high), "spread", shares_object(&run->prediction), "in_domain",
        run->remarks == 0, "remarks", remarks, "alike", (json_int_t)run->alike);
}

json_t *predicted_object(const bmf_predict_options *o, const bmf_predicted *run)
{
    const bmf_predicted *reference = reference_of(o->processors.count, run);
    json_t *runs = json_array();
    for (int64_t k = 0; k < o->processors.count; k++)
        json_array_append_new(runs, run_object(&run[k], reference));
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "program", predicted_program(o), "machine", o->machine->name,
                     "threads", (json_int_t)o->machine->threads, "fastest",
                     (json_int_t)fastest(o->processors.count, run)->processors, "runs", runs);
}
