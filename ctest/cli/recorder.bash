# needs_recorder: skips a test where bmf is built for an MPI whose programs it does not record (docs/building.md).
needs_recorder()
{
    [ -e "$BMF_BUILD_DIR/libbmf-record.so" ] || skip "no recorder for this MPI"
}
