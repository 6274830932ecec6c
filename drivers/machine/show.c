/* bmf machine show, check and list: machine files for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/machine/machine.h"
#include "predict/machine/machine.h"
#include "predict/sheet/text.h"

enum { DEFAULT_PROCESSORS = 2, TIME_TEXT = 32 };

typedef struct options {
    int64_t processors; /* 0: the machine's */
} options;

/* ---- one message on an idle network ---- */

static void told(void *simulator, bmf_transit *message)
{
    (void)simulator;
    (void)message;
}

static bool is_under_way(const bmf_transit *message)
{
    return isnan(message->sender_free) || isnan(message->send_done) || isnan(message->arrived);
}

/* From processor 0 to 1, which is ready. */
static bmf_transit send_one(bmf_network *network, int64_t bytes)
{
    bmf_transit message = {.to = 1, .bytes = bytes, .sender_free = NAN, .send_done = NAN, .arrived = NAN},
                *one = &message;
    const bmf_network_type *type = network->type;
    message.posted = type->post ? 0.0 : INFINITY;
    network->complete = network->freed = told;
    type->start(network, 0);
    if (type->collective)
        type->send_round(network, &one, 1);
    else
        type->send(network, &message);
    while (is_under_way(&message) && type->next && isfinite(type->next(network)))
        type->advance(network);
    return message;
}

static void show_remarks(const bmf_network *network)
{
    const char *text;
    for (int64_t k = 0; network->type->remark && (text = network->type->remark(network, k)) != NULL; k++)
        printf("              outside: %s\n", text);
}

static void show_messages(bmf_network *network)
{
    static const int64_t sizes[] = {8, 1 << 10, 1 << 15, 1 << 20};
    if (network->processors < 2)
        return;
    puts("\none message from processor 0 to 1:\n"
         "       bytes   sender busy       arrived receiver busy         whole");
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const bmf_transit m = send_one(network, sizes[k]);
        char busy[TIME_TEXT], arrived[TIME_TEXT], taking[TIME_TEXT], whole[TIME_TEXT];
        printf("%12lld %13s %13s %13s %13s\n", (long long)sizes[k], time_text(m.sender_free, busy, sizeof busy),
               time_text(m.arrived, arrived, sizeof arrived), time_text(m.receive_overhead, taking, sizeof taking),
               time_text(m.arrived + m.receive_overhead, whole, sizeof whole));
        show_remarks(network);
    }
}

/* ---- in words ---- */

static void show_compute(const bmf_machine *machine)
{
    fputs("computing: ", stdout);
    if (machine->compute == BMF_COMPUTE_ZERO) {
        puts("costs nothing");
        return;
    }
    if (machine->compute == BMF_COMPUTE_OPERATIONS)
        fputs("a virtual time for every operation", stdout);
    else if (machine->compute == BMF_COMPUTE_SHEET)
        printf("from the sheet '%s'", machine->kernels->title);
    else
        fputs("at the speed of this host: kernels are run and timed here", stdout);
    if (machine->sharing > 1)
        printf(", as when %lld processors share a memory", (long long)machine->sharing);
    if (machine->power != 1.0)
        printf("; a processor is %.6g times as fast", machine->power);
    if (machine->memory_power != machine->power || machine->random_power != machine->power)
        printf("; its memory %.6g times, at random %.6g times", machine->memory_power, machine->random_power);
    puts("");
}

/* Lines of the network's description, indented. */
static void show_network(const bmf_network *network)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return;
    network->type->describe(network, stream);
    fclose(stream);
    printf("network: %s: %s\n", network->type->name, network->type->summary);
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0])
            printf("  %s\n", line);
    free(text);
}

static void show_agreement(const bmf_machine *machine, const bmf_network *network)
{
    char text[TIME_TEXT];
    double seconds = machine->agreement;
    if (isnan(seconds) && network->type->agreement)
        seconds = network->type->agreement(network, network->processors);
    if (isnan(seconds))
        puts("agreement: 2 ceil(log2 p) messages of 8 bytes");
    else
        printf("agreement of %lld processors: %s\n", (long long)network->processors,
               seconds > 0.0 ? time_text(seconds, text, sizeof text) : "costs nothing");
}

static void show(const bmf_machine *machine, bmf_network *network)
{
    printf("%s\n", machine->name);
    if (machine->note[0])
        printf("%s\n", machine->note);
    printf("\nfile: %s\n", machine->path);
    if (machine->processors > 0)
        printf("processors: %lld\n", (long long)machine->processors);
    else
        puts("processors: any number");
    show_compute(machine);
    show_network(network);
    show_agreement(machine, network);
    if (machine->bulk_synchronous)
        puts("bulk synchronous: all processors begin operations together, and the levels of reductions and scans");
    if (machine->chooses)
        puts("schedules are chosen by what messages cost on this machine");
    show_messages(network);
}

/* Reads the machine and makes the network that is asked for. */
static int open_machine(const char *path, const options *o, bmf_machine **machine, bmf_network **network)
{
    BMF_TRY(machine_read(path, machine));
    const int64_t of_machine = (*machine)->processors > 0 ? (*machine)->processors : DEFAULT_PROCESSORS;
    const int status = machine_network(*machine, o->processors > 0 ? o->processors : of_machine, network);
    if (status != BMF_OK)
        machine_free(*machine);
    return status;
}

static void close_machine(bmf_machine *machine, bmf_network *network)
{
    network->type->destroy(network);
    machine_free(machine);
}

static int run_show(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_machine *machine;
    bmf_network *network;
    const int status = open_machine(operands->text[0], values, &machine, &network);
    if (status != BMF_OK)
        return report_status(ctx, status);
    show(machine, network);
    close_machine(machine, network);
    return finish_output();
}

static int run_check(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    bmf_machine *machine;
    bmf_network *network;
    const int status = open_machine(operands->text[0], values, &machine, &network);
    if (status != BMF_OK)
        return report_status(ctx, status);
    printf("%s: machine '%s', network of type %s, made for %lld processors\n", machine->path, machine->name,
           network->type->name, (long long)network->processors);
    close_machine(machine, network);
    return finish_output();
}

/* One that cannot be read is listed with what is wrong. */
static void list_one(const char *name)
{
    bmf_machine *machine;
    char processors[TIME_TEXT] = "any";
    if (machine_read(name, &machine) != BMF_OK) {
        printf("%-20s %s\n", name, bmf_error_text(NULL));
        return;
    }
    if (machine->processors > 0)
        snprintf(processors, sizeof processors, "%lld", (long long)machine->processors);
    printf("%-20s %10s  %-8s  %s\n", name, processors, machine->network_type->name, machine->note);
    machine_free(machine);
}

static int run_list(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    char **name;
    const int64_t count = machine_installed(&name);
    (void)ctx, (void)values, (void)operands;
    if (count > 0)
        printf("%-20s %10s  %-8s\n", "machine", "processors", "network");
    for (int64_t k = 0; k < count; k++) {
        list_one(name[k]);
        free(name[k]);
    }
    free(name);
    return finish_output();
}

/* ---- tables ---- */

#define SURPLUS "too many arguments"

static const bmf_option table[] = {BMF_OPTION("procs", "P", BMF_WHOLE(options, processors, 1, BMF_MAX_PROCESSORS),
                                              "with P processors; default: those of the machine, or 2"),
                                   BMF_OPTION_END};

const bmf_driver machine_show_command = {
    .name = "show",
    .summary = "a machine file in words, and what messages take",
    .synopsis = "bmf machine show M [--procs P]",
    .about = "Prints a machine file in words: processors, what computing costs, the network, and what single messages "
             "between processors 0 and 1 take on the idle network.",
    .example = "bmf machine show workstations-16",
    .options = table,
    BMF_ONE_OPERAND("no machine", SURPLUS),
    .size = sizeof(options),
    .run = run_show};

const bmf_driver machine_check_command = {
    .name = "check",
    .summary = "whether a machine file is right",
    .synopsis = "bmf machine check M [--procs P]",
    .about =
        "Reads a machine file and makes its network. A mistake is one line that names the file and the line, with exit "
        "code 2.",
    .example = "bmf machine check my.machine --procs 64",
    .options = table,
    BMF_ONE_OPERAND("no machine", SURPLUS),
    .size = sizeof(options),
    .run = run_check};

const bmf_driver machine_list_command = {
    .name = "list",
    .summary = "the machines that are installed",
    .synopsis = "bmf machine list",
    .about = "Prints the installed machines with the types of their networks. Commands take them by these names; a "
             "directory of your own comes first when the environment variable BMF_MACHINES names it.",
    .example = "bmf machine list",
    .surplus = SURPLUS,
    .run = run_list};
