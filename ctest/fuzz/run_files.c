/* Runs a fuzz target on every file given as an argument. */
#include <stdint.h>
#include <stdio.h>

#include "skeletons/language/front/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bmf_texts texts = {0};
        int text;
        if (texts_read(&texts, NULL, argv[i], &text) != BMF_OK) {
            fprintf(stderr, "%s\n", bmf_error_text(NULL));
            return 2;
        }
        fprintf(stderr, "%s\n", argv[i]); /* the last one shown is the one that crashed */
        LLVMFuzzerTestOneInput((const uint8_t *)texts.text[text].bytes, (size_t)texts.text[text].size);
        texts_free(&texts);
    }
    return argc > 1 ? 0 : 2;
}
