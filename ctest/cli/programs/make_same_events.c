/* make_same_events MEASURED PREDICTED: 0 if the two traces have the same events, times apart; shows differences. */
#include <stdio.h>

#include "ctest/support/events.h"

int main(int argc, char **argv)
{
    bmf_trace *trace[2];
    for (int k = 0; k < 2; k++)
        if (argc != 3 || bmf_trace_read(NULL, argv[k + 1], &trace[k]) != BMF_OK) {
            fprintf(stderr, "%s\n", argc == 3 ? bmf_error_text(NULL) : "two traces are needed");
            return 2;
        }
    int64_t different = test_different_events(argv[2], trace[0]->run[0], trace[1]->run[0]);
    bmf_trace_free(trace[0]);
    bmf_trace_free(trace[1]);
    return different > 0;
}
