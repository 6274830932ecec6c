/* The figures of document 000, chapters 5 and 6, and what it says of them.
 *
 * Schemata without data (5-1, 5-2, 5-12, 5-21, 6-1, 6-2) are not here. A figure may have
 * several lines: pictures stand with the first. "-" stands for a number that the document does not print. */
#include "bench/figures/figures.h"

#define BASIC "basic-16"
#define TREE  "binary-tree-16"
#define MESH  "mesh-16"

static const char conc_remark[] = "in the last level 8 messages send 1, 2, .. 8 items, 36 together; the document reads "
                                  "an average of its burst off a chart";
static const char peak_remark[] =
    "the peak of a split depends on times that the document does not print: messages get shorter towards the leaves, "
    "and are fewer at once with these";
static const char distl_remark[] = "bmf makes no copies to pair what was sent with the elements: no kernel runs";

const bmf_figure figure_table[] = {
    {"5-3", "Space-time diagram of Split(8)", PROGRAM_SPLIT, BASIC, PICTURE_SPACE_TIME,
     "the last to receive, and processors between 0 and it", "7 2", find_last_receiver, "P_Split", NULL},
    {"5-4", "Gantt chart of Split(8)", PROGRAM_SPLIT, BASIC, PICTURE_GANTT,
     "bursts of communication overhead of a processor", "1", find_busy_bursts, "P_Split", NULL},
    {"5-5", "Traffic of Split(8)", PROGRAM_SPLIT, BASIC, PICTURE_TRAFFIC, "messages", "7", find_messages, "P_Split",
     NULL},
    {"5-6", "Space-time diagram of a nested split", PROGRAM_NESTED, BASIC, PICTURE_SPACE_TIME,
     "receivers of the outer split; messages of the inner ones, which are shorter", "4 8 12, 12 shorter", find_nested,
     "P_Split", NULL},
    {"5-7", "Space-time diagram of P_Distl", PROGRAM_DISTL, BASIC, PICTURE_SPACE_TIME, "messages, as in the split",
     "15", find_messages, "P_Distl", NULL},
    {"5-8", "Gantt chart of P_Distl", PROGRAM_DISTL, BASIC, PICTURE_GANTT, "instants at which it begins", "1",
     find_starts, "P_Distl", NULL},
    {"5-8", NULL, PROGRAM_DISTL, BASIC, 0, "busy times at its end, us (0: some)", "some", find_kernels, "P_Distl",
     distl_remark},
    {"5-9", "Gantt chart of a large P_Distl", PROGRAM_LARGE_DISTL, BASIC, PICTURE_GANTT, "messages", "15",
     find_messages, "P_Distl", NULL},
    {"5-10, 5-11", "Traffic of a large P_Distl", PROGRAM_LARGE_DISTL, BASIC, PICTURE_TRAFFIC,
     "most messages and items at once", "7 112", find_peak, "P_Distl", NULL},
    {"5-11", NULL, PROGRAM_LARGE_DISTL, BASIC, 0, "most messages at once in the split before, and items", "7 -",
     find_peak, "P_Split", peak_remark},
    {"5-13", "Gantt chart of split, map and reduce", PROGRAM_REDUCE, BASIC, PICTURE_GANTT,
     "instants at which the map begins", "1", find_starts, "P_Map", NULL},
    {"5-13", NULL, PROGRAM_REDUCE, BASIC, 0, "busy times of the levels, in proportion to their lists, us", "-",
     find_kernels, "P_Reduce", NULL},
    {"5-14", "Space-time diagram of split, map and reduce", PROGRAM_REDUCE, BASIC, PICTURE_SPACE_TIME,
     "items in a message of each level", "1 2 4 8", find_level_sizes, "P_Reduce", NULL},
    {"5-15", "Traffic volume of split, map and reduce", PROGRAM_REDUCE, BASIC, PICTURE_TRAFFIC,
     "items of all messages of a level", "8 8 8 8", find_level_items, "P_Reduce", NULL},
    {"5-16", "Traffic count of split, map and reduce", PROGRAM_REDUCE, BASIC, 0, "messages of the bursts", "8 4 2 1",
     find_bursts, "P_Reduce", NULL},
    {"5-17", "Reduction on a binary tree", PROGRAM_REDUCE, BASIC, PICTURE_TREE,
     "most messages on a link at once, longest route", "1 8", find_tree_load, "P_Reduce", NULL},
    {"5-18", "Reduction on a 4 x 4 mesh", PROGRAM_REDUCE, BASIC, PICTURE_MESH,
     "most messages on a link at once, longest route", "1 3", find_mesh_load, "P_Reduce",
     "from 8 to 0 are two links; the document counts the three nodes, or numbers its mesh in another order"},
    {"5-19", "Space-time diagram of P_Zip", PROGRAM_ZIP, BASIC, PICTURE_SPACE_TIME, "messages of the two splits", "30",
     find_messages, "P_Split", NULL},
    {"5-20", "Gantt chart of P_Zip", PROGRAM_ZIP, BASIC, PICTURE_GANTT, "instants at which it begins", "1", find_starts,
     "P_Zip", NULL},
    {"5-22", "Space-time diagram of a scan with plus", PROGRAM_SCAN, BASIC, PICTURE_SPACE_TIME,
     "messages of the bursts", "15 14 12 8", find_bursts, "P_Scan", NULL},
    {"5-23", "Gantt chart of a scan with plus", PROGRAM_SCAN, BASIC, PICTURE_GANTT,
     "busy time, the same on every level, us", "-", find_kernels, "P_Scan", NULL},
    {"5-24", "Traffic of a scan with plus", PROGRAM_SCAN, BASIC, PICTURE_TRAFFIC, "items of the bursts", "15 14 12 8",
     find_level_items, "P_Scan", NULL},
    {"5-25", "Space-time diagram of a scan with ++", PROGRAM_SCAN_LISTS, BASIC, PICTURE_SPACE_TIME,
     "items of the levels", "15 - 42 -", find_level_items, "P_Scan", conc_remark},
    {"5-26", "Gantt chart of a scan with ++", PROGRAM_SCAN_LISTS, BASIC, PICTURE_GANTT, "busy times grow, us", "-",
     find_kernels, "P_Scan", NULL},
    {"5-27", "Traffic of a scan with ++", PROGRAM_SCAN_LISTS, BASIC, PICTURE_TRAFFIC, "items of the bursts",
     "15 - 42 20", find_level_items, "P_Scan", conc_remark},
    {"5-28", "Space-time diagram of a reversal", PROGRAM_REVERSAL, BASIC, PICTURE_SPACE_TIME, "messages", "16",
     find_messages, "P_Project", NULL},
    {"5-29", "Space-time diagram of a random permutation", PROGRAM_RANDOM, BASIC, PICTURE_SPACE_TIME,
     "messages: elements that change their place", "15", find_messages, "P_Project",
     "15 bring elements, and 15 bring the other processors their part of the list of indices, which no rule makes"},
    {"5-30", "Space-time diagram of a broadcast by P_Project", PROGRAM_BROADCAST, BASIC, PICTURE_SPACE_TIME, "messages",
     "15", find_messages, "P_Project", NULL},
    {"6-3", "A gap in a link's time-line", PROGRAM_SPLIT, BASIC, 0, "a packet of 3 units that comes at 2: from, to",
     "3 6", find_gap, NULL, NULL},
    {"6-4", "Gantt chart of a scan, basic network", PROGRAM_SCAN, BASIC, PICTURE_GANTT,
     "receivers of the first level that come later than all others", "none", find_last_of_first_level, "P_Scan", NULL},
    {"6-5", "Gantt chart of a scan on the binary tree", PROGRAM_SCAN, TREE, PICTURE_GANTT,
     "receivers of the first level that come later than all others", "4 8 12", find_last_of_first_level, "P_Scan",
     NULL},
    {"6-6", "The last level of a scan on the binary tree", PROGRAM_SCAN, TREE, PICTURE_TREE,
     "most messages on a link in the last level", "8", find_tree_last_level, "P_Scan", NULL},
    {"6-7", "Space-time diagram of a reversal on the binary tree", PROGRAM_REVERSAL, TREE, PICTURE_SPACE_TIME,
     "us between the first and the last message that comes (more than on the mesh)", "-", find_stagger, "P_Project",
     NULL},
    {"6-8", "Space-time diagram of a reversal on the mesh", PROGRAM_REVERSAL, MESH, PICTURE_SPACE_TIME,
     "us between the first and the last message that comes (less than on the tree)", "-", find_stagger, "P_Project",
     NULL},
    {"6-9", "Gantt chart of a reversal on the mesh", PROGRAM_REVERSAL, MESH, PICTURE_GANTT, "messages", "16",
     find_messages, "P_Project", NULL},
};
const int figure_count = (int)(sizeof figure_table / sizeof figure_table[0]);
