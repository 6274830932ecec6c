# set_up: what tests of bmf begin with: assertions, the test's own directory, the command in BMF; ranks that wait leave their
# cores to others.
set_up()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    export OMP_WAIT_POLICY=passive
    cd "$BATS_TEST_TMPDIR"
    BMF=$BMF_BIN_DIR/bmf
}
