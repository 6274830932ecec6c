# What the tests of bmf parallelise share.

load set_up.bash

setup()
{
    set_up
    # Computing costs as much as it has operations, messages and joining lists next to nothing: splitting pays.
    cat >quick.machine <<'END'
name = "quick";
compute = { operations_us = { B_Conc = 0.0; other = 1000.0; }; };
network = { type = "hockney"; latency_us = 0.001; bandwidth_mb_per_s = 1e6; };
END
}

# finds LAW: the best program for serial.bmf that this law made is found.bmf
finds()
{
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 --json >all.json
    python3 -c 'import json, sys
print(next(c["program"] for c in json.load(open("all.json"))["candidates"] if sys.argv[1] in c["laws"]))' "$1" >found.bmf
}

# fails_alike DATA..: applied to this, found.bmf says what serial.bmf says, or has its value, on 1, 2 and 3 ranks; `codes` has exit codes
fails_alike()
{
    local data
    for data in "$@"; do
        run --separate-stderr "$BMF" run serial.bmf --arg "$data"
        local code=$status value=$output said
        said=$(grep -o '\(index\|-\?[0-9]\+ \.\.<\) .*\|key [-0-9]* is not one of 0 to [0-9]*' <<<"$stderr" | head -1)
        [ "$code" = 0 ] || [ -n "$said" ] || fail "$stderr"
        echo "$code" >>codes
        for where in "1 1" "1 16" "2 3" "3 3"; do # ranks, processors
            run --separate-stderr timeout 60 "$MPIRUN" -n ${where% *} "$BMF" run found.bmf --arg "$data" --procs ${where#* }
            assert_equal "$status" "$code"
            assert_equal "$output" "$value"
            [[ "$stderr" == *"$said"* ]] || fail "$data: $stderr"
            [ "$(grep -c '^bmf: ' <<<"$stderr")" = "$((code != 0))" ] || fail "$stderr"
        done
    done
}

# random_programs_keep_their_values SEED COUNT: the four best programs that are found for each, on 3 to 6 processors in turn, have
# the serial one's value
random_programs_keep_their_values()
{
    python3 "$BMF_SOURCE_DIR/ctest/cli/random_serial.py" "$1" "$2" >programs
    local processors=3
    while read -r program; do
        processors=$((processors == 6 ? 3 : processors + 1))
        echo "$program" >serial.bmf
        "$BMF" run serial.bmf >expected
        "$BMF" parallelise serial.bmf --machine quick.machine --procs $processors --json --samples 2 >all.json || fail "$program"
        python3 -c 'import json
for k, c in enumerate(json.load(open("all.json"))["candidates"][:4]):
    open(f"parallel{k}.bmf", "w").write(c["program"])'
        for parallel in parallel?.bmf; do
            "$BMF" run $parallel --procs $processors >value || fail "$program: $(cat $parallel)"
            cmp -s value expected || fail "$program: $(cat $parallel): $(cat value expected)"
        done
        rm parallel?.bmf
    done <programs
}

# random_picks_fail_alike SEED COUNT: programs that take elements of lists, each applied to four arguments
random_picks_fail_alike()
{
    python3 "$BMF_SOURCE_DIR/ctest/cli/random_picks.py" "$1" "$2" >programs
    local law main arguments
    while read -r law && read -r main && read -r arguments[0] && read -r arguments[1] && read -r arguments[2] && read -r arguments[3]; do
        printf '%s\ndefault %s\n' "$main" "${arguments[0]}" >serial.bmf
        finds "$law" </dev/null
        echo "$law: $main"
        fails_alike "${arguments[@]}" </dev/null
    done <programs
    grep -q '^0$' codes
    grep -q '^2$' codes
}

# as_fast_as_by_hand [NAME..]: what is found for the serial programs in examples/serial, as the examples written by hand
as_fast_as_by_hand()
{
    python3 "$BMF_SOURCE_DIR/ctest/cli/serial_examples.py" quick.machine "$@" >ratios
    [ "$(wc -l <ratios)" -ge $# ]
    while read -r name processors ratio; do
        python3 -c "assert $ratio <= 1.1, '$name on $processors: $ratio'"
    done <ratios
}
