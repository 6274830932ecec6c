#!/usr/bin/env bats
# Programs fitted to recordings of them, at the sizes of the bars: what is predicted where nothing was recorded does what a
# recording there does, event by event.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    load model_fit.bash
    COWICHAN=$BMF_BIN_DIR/../cowichan
}

@test "life from n = 40 .. 160 and 1 to 8 ranks does at n = 640 on 16 what a recording there does" {
    fit life "1 2 4 8" "40 80 120 160"
    run grep -c "call send .bsend. to mod(r-1,p) bytes 4\*d tag 0" life.model
    assert_output 1
    same life 16 640
}

@test "owners of rows: gauss on other numbers of ranks, which do not divide the rows" {
    fit gauss "1 2 4 8" "40 80 120"
    same gauss 6 100
    same gauss 1 20
    fit product "1 2 4 8" "10 20 40"
    same product 6 24
}
