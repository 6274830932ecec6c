# What outputs.bats, outputs_disk.bats and slow_outputs.bats have in common.

# outputs TEST [OPTION..]
outputs()
{
    if ldd "$BMF_BIN_DIR/bmf" | grep -q libasan; then skip "the sanitizers come first"; fi
    run python3 "$BMF_SOURCE_DIR/ctest/cli/outputs.py" "$@"
    echo "$output"
    [ "$status" -ne 77 ] || skip "$output"
    assert_success
}
