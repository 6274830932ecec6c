/* Pauses between the tries of a loop that waits for another process. */
#ifndef BMF_PAUSE_H
#define BMF_PAUSE_H

/* Tries after which a pause sleeps. */
enum { PAUSE_BEFORE_SLEEP = 120 };

/* After a try that found nothing; *tries counts them, from 0 on. */
void pause_between_tries(int *tries);

#endif
