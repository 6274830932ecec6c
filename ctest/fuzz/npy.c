/* Fuzz target of the headers of .npy files. */
#include <string.h>

#include "ctest/fuzz/fuzz.h"
#include "runtime/files/npy_private.h"

enum { WHY = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char why[WHY] = "";
    int64_t text;
    bmf_npy_header header = {0};
    int64_t begin = npy_parse_prefix(bytes, (int64_t)size, &text, why, sizeof why);
    if (begin < 0) {
        demand(why[0] && strlen(why) < sizeof why, "a refused prefix has a reason");
    } else if (begin + text <= (int64_t)size) {
        if (npy_parse_text((const char *)bytes + begin, text, &header, why, sizeof why))
            demand(header.scalar && npy_data_bytes(&header) >= 0 && header.dimensions >= 1 && header.dimensions <= 2,
                   "a header that is taken has a type and a size");
        else
            demand(why[0] && strlen(why) < sizeof why, "a refused header has a reason");
    }
    return 0;
}
