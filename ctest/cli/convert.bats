#!/usr/bin/env bats
# bmf convert and bmf trace: every format is opened with the tool that reads it, or with a reader written from its
# description (check_format.py), and compared with the CSV of the same trace event by event.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# make ARGUMENT...: in.trace and its in.csv, made from a seed that a failing test shows
make_trace()
{
    run "$BMF_BIN_DIR/make_trace" in.trace "$@"
    assert_success
    echo "$output: make_trace in.trace $*"
    "$BMF" convert in.trace --to csv -o in.csv
}

# converted FORMAT OUT [CHECKED [ARGUMENT]]: converts without a word, and the checker agrees
converted()
{
    run "$BMF" convert in.trace --to "$1" -o "$2"
    assert_success
    assert_output ""
    ! ls "$2".*.part 2>/dev/null || fail "$2.part is left over"
    run python3 "$BMF_SOURCE_DIR/ctest/cli/check_format.py" "$1" in.csv "${3:-$2}" "${@:4}"
    assert_success
    assert_output --regexp '^[0-9]+ events, [0-9]+ messages$'
}

# for_traces COMMAND...: runs the command on traces of several shapes, with random seeds
for_traces()
{
    for shape in "1 5 2" "2 4 1" "3 12 2" "8 20 2" "5 10 p" "16 3 1" "4 0 2"; do
        # shellcheck disable=SC2086
        make_trace "$RANDOM" $shape
        rm -rf out out.*
        "$@"
    done
}

# refused TEXT ARGUMENT...: exit code 2, nothing on standard output, one line with TEXT on standard error
refused()
{
    run --separate-stderr "$BMF" "${@:2}"
    assert_failure 2
    assert_output ""
    assert_equal "${#stderr_lines[@]}" 1
    [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "not about '$1': ${stderr_lines[0]}"
}

@test "csv: partners agree and lines count the events" {
    for_traces converted csv out.csv
    make_trace 7 4 6 1
    run bash -c "'$BMF' trace in.trace | sed -n 's/.*, events //p'"
    assert_output "$(($(wc -l <in.csv) - 1))"
}

# A line for every message (no trace here has more than the picture takes), one for every run's legend.
picture()
{
    run "$BMF" convert in.trace --to svg -o out.svg
    assert_success
    assert_output ""
    run python3 -c 'import sys, xml.etree.ElementTree as t; print(t.parse(sys.argv[1]).getroot().tag.split("}")[1])' out.svg
    assert_output svg
    run grep -c '^<path [^>]*class="message"' out.svg
    assert_output "$(($(awk -F, '$4 == "send" && $NF != ""' in.csv | wc -l) + 1))"
}

@test "svg: well-formed, a line for every message" {
    for_traces picture
}

@test "chrome: valid JSON, slices nest, flows stand inside slices" {
    for_traces converted chrome out.json
    run python3 -m json.tool out.json
    assert_success
}

@test "perfetto: every packet parses, slices nest, flows have both ends" {
    for_traces converted perfetto out.pftrace
}

@test "paje: pj_dump reads every state and link" {
    for_traces converted paje out.paje
}

@test "otf2: otf2-print reads every event, message and id" {
    for_traces converted otf2 out out/traces.otf2
}

@test "prv: states follow each other without a hole, sorted by time" {
    for_traces converted prv out.prv
    for ending in pcf row; do
        [ -s out.$ending ] || fail "no out.$ending"
    done
    # The .row file says how many lines follow each level.
    run awk '/^LEVEL/ { if (wanted != seen) bad = 1; wanted = $4; seen = 0; next } NF { seen++ }
             END { exit bad || wanted != seen || !wanted }' out.row
    assert_success
}

@test "picl: one run has process -1" {
    make_trace "$RANDOM" 5 10 1
    converted picl out.trf out.trf 0
    make_trace "$RANDOM" 5 10 p
    converted picl out.trf out.trf 1
}

@test "picl: of two runs there are two files and one with both" {
    make_trace "$RANDOM" 5 10 2
    converted picl out.trf out.trf all
    converted picl out.trf out.meas.trf 0
    converted picl out.trf out.pred.trf 1
}

@test "picl: a message in the records of document 000, 3.2" {
    make_trace 11 3 2 1
    converted picl out.trf out.trf 0
    run grep -Ec -e '^-3 -21 [0-9]+\.[0-9]+ [0-9]+ -1 3 2 [0-9]+ 1 [0-9]+$' out.trf
    assert_output "$(grep -c ',send,' in.csv)"
    run grep -Ec -e '^-3 -51 [0-9]+\.[0-9]+ [0-9]+ -1 1 2 1$' out.trf
    assert_output "$(grep -c ',receive,' in.csv)"
    run grep -Ec -e '^-4 -51 [0-9]+\.[0-9]+ [0-9]+ -1 3 2 [0-9]+ 1 [0-9]+$' out.trf
    assert_output "$(grep -c ',receive,' in.csv)"
}

@test "both runs of a trace have the same ids" {
    make_trace 5 4 10 2
    diff <(awk -F, '$1 == "0" { print $(NF - 1) }' in.csv | sort) <(awk -F, '$1 == "1" { print $(NF - 1) }' in.csv | sort)
}

@test "the same trace gives the same bytes, to a file or to standard output" {
    make_trace 3 4 5 2
    for format in csv chrome perfetto paje svg; do
        "$BMF" convert in.trace --to $format -o out
        "$BMF" convert in.trace --to $format -o - | cmp - out
    done
}

@test "bad usage is refused" {
    make_trace 1 2 2 1
    refused "no trace" convert --to csv -o out
    refused "no format" convert in.trace -o out
    refused "nowhere" convert in.trace --to csv
    refused "unknown format 'jpeg'; known: picl, chrome" convert in.trace --to jpeg -o out
    refused "more than one" convert in.trace in.trace --to csv -o out
    refused "unknown option '--frm'" convert in.trace --frm csv
    refused "'-o' needs a value" convert in.trace --to csv -o
    refused "standard output" convert in.trace --to prv -o -
    refused "unknown option" trace --all
    refused "no trace" trace
    refused "unknown command 'convrt'" convrt
    refused "no command"
    [ ! -e out ] || fail "something was written"
}

@test "bad files are refused and nothing is written" {
    make_trace 1 2 2 1
    refused "cannot open trace 'none.trace'" convert none.trace --to csv -o out
    refused "not a bmf trace" convert in.csv --to csv -o out
    head -c 1000 in.trace >cut.trace
    refused "'cut.trace': is cut off: 1000 bytes" convert cut.trace --to csv -o out
    refused "cannot write 'nowhere/out'" convert in.trace --to csv -o nowhere/out
    mkdir full
    refused "already" convert in.trace --to otf2 -o full
    refused "cannot write archive" convert in.trace --to otf2 -o nowhere/out
    [ ! -e out ] && ! ls out.*.part 2>/dev/null || fail "something was written"
    [ ! -e nowhere ] || fail "a folder was made"
}

@test "pipes and links stay what they are" {
    make_trace 1 2 2 1
    mkfifo pipe
    cat pipe >through.csv &
    "$BMF" convert in.trace --to csv -o pipe
    wait
    [ -p pipe ] || fail "the pipe is gone"
    cmp in.csv through.csv
    ln -s target.csv link
    "$BMF" convert in.trace --to csv -o link
    [ -L link ] || fail "the link is gone"
    cmp in.csv target.csv
    ln -s /dev/full full
    refused "cannot write 'full': No space left" convert in.trace --to csv -o full
    [ -L full ] || fail "the link is gone"
    ! ls full.*.part 2>/dev/null || fail "a part is left"
}

@test "output that does not fit is an error" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    make_trace 1 4 20 1
    run --separate-stderr bash -c "'$BMF' convert in.trace --to csv -o - >/dev/full"
    assert_failure 1
    assert_equal "${#stderr_lines[@]}" 1
    run --separate-stderr bash -c "'$BMF' trace in.trace >/dev/full"
    assert_failure 1
    for command in "report in.trace --json" "compare in.trace in.trace --json" "machine list" \
                   "permute --bits 4 --elem 8 --matrix gray --plan"; do
        run --separate-stderr bash -c "'$BMF' $command >/dev/full"
        assert_failure 1
        assert_equal "${#stderr_lines[@]}" 1
        assert_regex "$stderr" "^bmf: cannot write to standard output"
    done
}

@test "nothing goes to another file if standard output is closed" {
    make_trace 1 4 20 1
    run --separate-stderr bash -c "'$BMF' convert in.trace --to csv -o out.csv >&-"
    assert_success
    cmp in.csv out.csv
    run --separate-stderr bash -c "'$BMF' trace in.trace >&-"
    assert_failure 1
    assert_equal "${#stderr_lines[@]}" 1
    assert_regex "$stderr" "^bmf: cannot write to standard output"
}

@test "help and version" {
    run "$BMF" --help
    assert_success
    assert_output --partial "convert"
    for command in convert trace; do
        run "$BMF" $command --help
        assert_success
        assert_output --partial "Example: bmf $command"
    done
    run "$BMF" --version
    assert_success
    assert_line --index 0 --regexp '^bmf [0-9]+\.[0-9]+\.[0-9]+$'
    assert_line --index 1 --regexp '^commit ([0-9a-f]{12}|unknown)$'
    assert_line --index 2 --regexp '^built with .*MPI.*, GSL [0-9.]+, jansson [0-9.]+, libconfig [0-9.]+$'
    assert_equal "${#lines[@]}" 3
}

@test "under mpirun one process works and speaks" {
    make_trace 1 2 2 1
    run --separate-stderr "$MPIRUN" -n 3 "$BMF" convert in.trace --to csv -o out.csv
    assert_success
    cmp in.csv out.csv
    run --separate-stderr "$MPIRUN" -n 3 "$BMF" nothing
    assert_failure
    assert_equal "$(grep -c '^bmf: ' <<<"$stderr")" 1
}
