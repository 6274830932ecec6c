; /*
; A broadcast that goes on while others are carried out one after the other (document 004, 5.1): node 0 sends before
; them, the others read behind them. bmf cop run goes_on.c --size 4x4 --phases "{stdin,b1} {stdin,b2} {stdin,r}"
(parallel (broadcast 'stdin 0 :type int32)
  (sequential (broadcast 'b1 7 :type int32) (broadcast 'b2 0 :type int32) (allreduce 'r 'add :type int32)))
*/
#include <stdio.h>
#include <goes_on.cop.h>
int32_t add(int32_t a, int32_t b)
{
    return a + b;
}
int main(void)
{
    const int own = cop_node();
    int wrong = 0;
    cop_init();
    stdin_load();
    if (own == 0)
        stdin_write(5);
    b1_load();
    if (own == 7)
        b1_write(6);
    else
        wrong += b1_read() != 6;
    b2_load();
    if (own == 0)
        b2_write(7);
    else
        wrong += b2_read() != 7;
    if (own != 0)
        wrong += stdin_read() != 5;
    r_load();
    wrong = r_func(wrong);
    cop_fini();
    if (own == 0)
        printf(wrong ? "wrong\n" : "right\n");
}
