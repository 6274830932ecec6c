/* Numbers for people, in texts of reports; each function fills the text and returns it. */
#ifndef BMF_REPORT_NUMBERS_H
#define BMF_REPORT_NUMBERS_H

#include <stdint.h>

enum { BMF_NUMBER_TEXT = 24 };

/* Four digits and a unit: "12.35 ms", "870 ns". "-" if not known. */
char *text_seconds(double seconds, char text[BMF_NUMBER_TEXT]);
char *text_nanos(int64_t nanos, char text[BMF_NUMBER_TEXT]);
/* "61.0 %"; "-" if not known, ">999 %" if larger. */
char *text_percent(double share, char text[BMF_NUMBER_TEXT]);
/* "0.823"; "-" if not known. */
char *text_ratio(double ratio, char text[BMF_NUMBER_TEXT]);

#endif
