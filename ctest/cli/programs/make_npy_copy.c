/* make_npy_copy IN OUT: reads a .npy file into a list and writes the list as a .npy file; prints the list in words. */
#include <stdio.h>

#include "bmf.h"

int main(int argc, char **argv)
{
    bmf_context *ctx;
    bmf_list *list;
    char text[256];
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc != 3)
        BMF_CHECK(bmf_fail(ctx, BMF_ERROR_USAGE, "usage: make_npy_copy IN OUT"));
    BMF_CHECK(bmf_npy_read(ctx, argv[1], &list));
    BMF_CHECK(bmf_npy_write(list, argv[2]));
    if (bmf_is_root(ctx))
        printf("%s\n", bmf_list_print(list, text, sizeof text));
    bmf_list_free(list);
    return bmf_close(ctx);
}
