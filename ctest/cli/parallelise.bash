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

# as_fast_as_by_hand [NAME..]: what is found for the serial programs in examples/serial, as the examples written by hand
as_fast_as_by_hand()
{
    python3 "$BMF_SOURCE_DIR/ctest/cli/serial_examples.py" quick.machine "$@" >ratios
    [ "$(wc -l <ratios)" -ge $# ]
    while read -r name processors ratio; do
        python3 -c "assert $ratio <= 1.1, '$name on $processors: $ratio'"
    done <ratios
}
