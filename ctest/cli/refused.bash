# For tests of one command, whose name is in COMMAND and whose program in BMF.

# refused TEXT ARGUMENT..: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    run --separate-stderr timeout 20 "$BMF" "$COMMAND" "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}
