/* Texts in working memory. */
#ifndef BMF_TEXT_COPY_H
#define BMF_TEXT_COPY_H

/* A copy; free() releases it. Never NULL, as memory of allocate.h. */
char *text_copy(const char *text);

#endif
