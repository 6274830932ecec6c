/* How much two names differ, for messages that list near ones. Private to predict/. */
#ifndef BMF_NAMES_H
#define BMF_NAMES_H

/* The least number of letters to add, leave out or replace to get from one to the other (Levenshtein). Names count up
 * to their 64th letter. */
int name_distance(const char *a, const char *b);

#endif
