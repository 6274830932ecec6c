/* bmf machine show, check and list: machine files for people. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/machine/machine.h"
#include "predict/machine/machine.h"
#include "predict/sheet/text.h"

enum { DEFAULT_PROCESSORS = 2, TIME_TEXT = 32 };

typedef struct options {
    int64_t processors; /* 0: the machine's */
    bool help;
    int words;
    char **word;
} options;

static void print_show_help(void)
{
    puts("usage: bmf machine show M [--procs P]\n"
         "\n"
         "Prints a machine file in words: processors, what computing costs, the network, and what single messages "
         "between\n"
         "processors 0 and 1 take on the idle network.\n"
         "\n"
         "  --procs P  with P processors; default: those of the machine, or 2\n"
         "  --help     this text\n"
         "\n"
         "Example: bmf machine show workstations-16");
}

static void print_check_help(void)
{
    puts("usage: bmf machine check M [--procs P]\n"
         "\n"
         "Reads a machine file and makes its network. A mistake is one line that names the file and the line, with "
         "exit\n"
         "code 2.\n"
         "\n"
         "  --procs P  for P processors; default: those of the machine, or 2\n"
         "  --help     this text\n"
         "\n"
         "Example: bmf machine check my.machine --procs 64");
}

static void print_list_help(void)
{
    puts("usage: bmf machine list\n"
         "\n"
         "Prints the installed machines with the types of their networks. Commands take them by these names; a "
         "directory of\n"
         "your own comes first when the environment variable BMF_MACHINES names it.\n"
         "\n"
         "  --help  this text\n"
         "\n"
         "Example: bmf machine list");
}

static int read_processors(const char *command, const char *text, int64_t *processors)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < 1 || value > INT32_MAX)
        return bmf_usage_error(command, "--procs needs a whole number from 1 to %d, not '%s'", INT32_MAX, text);
    *processors = value;
    return 0;
}

static int read_options(const char *command, int argc, char **argv, int words, options *o)
{
    static const struct option known[] = {
        {"procs", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'}, {0}};
    opterr = 0;
    optind = 1;
    for (int c, code; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (c) {
        case 'p':
            if ((code = read_processors(command, optarg, &o->processors)) != 0)
                return code;
            break;
        case 'h':
            o->help = true;
            return 0;
        case ':':
            return bmf_usage_error(command, "'%s' needs a value", argv[optind - 1]);
        default:
            return bmf_usage_error(command, "unknown option '%s'", argv[optind - 1]);
        }
    }
    o->words = argc - optind;
    o->word = argv + optind;
    if (o->words != words)
        return bmf_usage_error(command, o->words < words ? "no machine" : "too many arguments");
    return 0;
}

/* ---- one message on an idle network ---- */

static void told(void *simulator, bmf_flying *message)
{
    (void)simulator;
    (void)message;
}

static bool is_under_way(const bmf_flying *message)
{
    return isnan(message->free) || isnan(message->done) || isnan(message->arrived);
}

/* From processor 0 to 1, which is ready. */
static bmf_flying send_one(bmf_network *network, int64_t bytes)
{
    bmf_flying message = {.to = 1, .bytes = bytes, .free = NAN, .done = NAN, .arrived = NAN}, *one = &message;
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
        const bmf_flying m = send_one(network, sizes[k]);
        char busy[TIME_TEXT], arrived[TIME_TEXT], taking[TIME_TEXT], whole[TIME_TEXT];
        printf("%12lld %13s %13s %13s %13s\n", (long long)sizes[k], time_text(m.free, busy, sizeof busy),
               time_text(m.arrived, arrived, sizeof arrived), time_text(m.taking, taking, sizeof taking),
               time_text(m.arrived + m.taking, whole, sizeof whole));
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
    if (machine->compute == BMF_COMPUTE_SHEET)
        printf("from the sheet '%s'", machine->kernels->title);
    else
        fputs("kernels are run and timed here", stdout);
    if (machine->sharing > 1)
        printf(", as when %lld processors share a memory", (long long)machine->sharing);
    if (machine->power != 1.0)
        printf("; a processor is %.6g times as fast", machine->power);
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
    show_messages(network);
}

/* Reads the machine and makes the network that is asked for. */
static int open_machine(const options *o, bmf_machine **machine, bmf_network **network)
{
    BMF_TRY(machine_read(o->word[0], machine));
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

int bmf_machine_show_command(int argc, char **argv)
{
    options o = {0};
    bmf_machine *machine;
    bmf_network *network;
    int code = read_options("machine show", argc, argv, 1, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_show_help();
        return bmf_finish_output();
    }
    const int status = open_machine(&o, &machine, &network);
    if (status != BMF_OK)
        return bmf_report(status);
    show(machine, network);
    close_machine(machine, network);
    return bmf_finish_output();
}

int bmf_machine_check_command(int argc, char **argv)
{
    options o = {0};
    bmf_machine *machine;
    bmf_network *network;
    int code = read_options("machine check", argc, argv, 1, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_check_help();
        return bmf_finish_output();
    }
    const int status = open_machine(&o, &machine, &network);
    if (status != BMF_OK)
        return bmf_report(status);
    printf("%s: machine '%s', network of type %s, made for %lld processors\n", machine->path, machine->name,
           network->type->name, (long long)network->processors);
    close_machine(machine, network);
    return bmf_finish_output();
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

int bmf_machine_list_command(int argc, char **argv)
{
    options o = {0};
    char **name;
    int code = read_options("machine list", argc, argv, 0, &o);
    if (code != 0)
        return code;
    if (o.help) {
        print_list_help();
        return bmf_finish_output();
    }
    const int64_t count = machine_installed(&name);
    if (count > 0)
        printf("%-20s %10s  %-8s\n", "machine", "processors", "network");
    for (int64_t k = 0; k < count; k++) {
        list_one(name[k]);
        free(name[k]);
    }
    free(name);
    return bmf_finish_output();
}
