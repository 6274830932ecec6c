/* A program outside of bmf whose functions have the names of internal ones of the library. If the library called them,
 * the program would end with another code than 0. */
#include <bmf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *allocate(int64_t size);
void *reallocate(void *memory, int64_t old_size, int64_t size);
void buffer_release(void *buffer);
int column_create(void);
int model_open(void);

void *allocate(int64_t size)
{
    (void)size;
    exit(3);
}

void *reallocate(void *memory, int64_t old_size, int64_t size)
{
    (void)memory, (void)old_size, (void)size;
    exit(3);
}

void buffer_release(void *buffer)
{
    (void)buffer;
    exit(3);
}

int column_create(void)
{
    exit(3);
}

int model_open(void)
{
    exit(3);
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    bmf_list *xs;
    int64_t sum;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_iota(ctx, 1001, &xs));
    BMF_CHECK(bmf_reduce(xs, &bmf_plus_int, &sum));
    if (bmf_is_root(ctx))
        printf("sum %lld on %d ranks%s\n", (long long)sum, bmf_ranks(ctx),
               strcmp(bmf_version(), BMF_VERSION) == 0 ? "" : ", of another version");
    bmf_list_free(xs);
    return bmf_close(ctx);
}
