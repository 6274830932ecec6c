# set_up: what tests of bmf begin with: assertions, the test's own directory, the command in BMF, nothing of what users may have
# set; ranks that wait leave their cores to others.
set_up()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    export OMP_WAIT_POLICY=passive
    unset BMF_PROCS BMF_THREADS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE BMF_MACHINE BMF_RANKS BMF_PREDICTION BMF_COSTS BMF_DEBUG
    cd "$BATS_TEST_TMPDIR"
    BMF=$BMF_BIN_DIR/bmf
}
