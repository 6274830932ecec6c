/* What a report says first: one paragraph in words. */
#ifndef BMF_REPORT_ANSWER_H
#define BMF_REPORT_ANSWER_H

#include "predict/report/report.h"

/* How long the run or runs are, where the time goes, what limits them, what would help and how sure that is: five
 * lines, "How long:" and so on, with line feeds between them, to be freed. All numbers are those of the report's
 * intervals, comparison, links and curve, and of replays of run 0 (remedies.h); what is not known is left out. Names
 * come from traces: control characters are replaced. Cost: linear in intervals, nodes and links, and one replay. */
char *report_answer(const bmf_report_contents *report);

/* What one run of a predicted one takes, as its trace says it; of traces that do not, the interval of the program's
 * event on the processor that ends last. All 0 of measured runs. */
void run_expect(const bmf_trace_run *run, bmf_expected_length *expected);

/* Seconds from the first event to the last, with files: of a prediction the median of that, if it is known. */
double run_seconds(const bmf_trace_run *run, const bmf_expected_length *expected);

/* On standard output, in lines of at most 100 columns, and an empty line. */
void answer_print(const char *answer);

#endif
