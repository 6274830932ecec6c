#!/usr/bin/env bats
# bmf sweep: runs, failures and resuming with programs of known times; real processes; what show and compare say; pages.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    COMMAND=sweep
    # shellcheck source=ctest/cli/refused.bash
    source "$BMF_SOURCE_DIR/ctest/cli/refused.bash"
    unset BMF_MODELS BMF_SHEETS
    # program N P: its times follow from both; fails at n = 40, p = 4 while there is a file `broken`
    cat >program <<'END'
#!/bin/sh
echo run "$1" "$2" >>log
[ "$1 $2" != "40 4" ] || [ ! -e broken ] || { echo working; echo "no memory left" >&2; exit 3; }
echo "{\"program\": \"made up\", \"seconds\": 0.$1$2, \"phases\": {\"swap\": 0.0$2, \"do it\": 0.001}}"
END
    chmod +x program
    : >log
}

sweep()
{
    run --separate-stderr timeout 60 "$BMF" sweep -p 1,2,4 -n 20,40 --repeat 2 --launch "env P={p}" -o made.sweep "$@" \
        -- ./program '{n}' '{p}'
}

@test "every point, repetition and phase has its line" {
    sweep --model life
    assert_success
    assert_output ""
    [ "$(wc -l <log)" -eq 12 ]
    run cat made.sweep
    assert_line --index 0 "bmf sweep 1"
    assert_line "program ./program {n} {p}"
    assert_line "time measured p 4 n 40 repeat 2 phase swap 0.04"
    assert_line "time measured p 4 n 40 repeat 2 phase do_it 0.001"
    assert_line "time measured p 4 n 40 repeat 2 phase total 0.404"
    # life.model: 20 exchanges of 2 sends (30 us) and 2 receives (60 + 0.7 * 20 us)
    assert_line "time model p 2 n 20 repeat 1 phase swap 0.00416"
    assert_line "complete 60"
}

@test "what fails is kept with its reason, and repeated by --resume" {
    touch broken
    sweep
    assert_failure 1
    assert_equal "$stderr" "bmf: 2 of 12 runs failed; they are in made.sweep, and --resume repeats them"
    run grep -c '^fail measured p 4 n 40 repeat [12] ended with exit code 3: no memory left$' made.sweep
    assert_output 2
    run grep complete made.sweep
    assert_failure
    run "$BMF" sweep show made.sweep
    assert_line "failed: measured p 4 n 40, repetition 1: ended with exit code 3: no memory left"
    refused "made.sweep is there already; --resume goes on with it" -p 1 -n 20 -o made.sweep -- ./program '{n}'
    refused "cannot be resumed with others" -p 1 -n 20 -o made.sweep --resume -- ./program '{n}' other
    rm broken
    : >log
    sweep --resume
    assert_success
    run sort log
    assert_output "$(printf 'run 40 4\nrun 40 4')"
    run tail -n 1 made.sweep
    assert_output "complete 36"
    run grep -c '^fail' made.sweep
    assert_output 0
}

@test "a sweep that was cut off anywhere goes on" {
    sweep
    assert_success
    cp made.sweep whole.sweep
    size=$(wc -c <whole.sweep)
    for cut in 12 70 100 131 150 170 500 1001 $((size - 3)); do
        head -c "$cut" whole.sweep >made.sweep
        # The head itself must be there: without it the file is another sweep.
        [ "$cut" -gt 100 ] || { rm made.sweep; }
        sweep --resume
        assert_success
        diff <(sort whole.sweep) <(sort made.sweep)
    done
}

@test "least, median, most, speed-up; CSV and the document's blocks" {
    cat >times.sweep <<'END'
bmf sweep 1
program ./x {n}
launch mpirun -n {p}
units seconds
time measured p 1 n 20 repeat 1 phase total 0.4
time measured p 1 n 20 repeat 2 phase total 0.9
time measured p 1 n 20 repeat 3 phase total 0.5
time measured p 2 n 20 repeat 1 phase total 0.2
time measured p 2 n 20 repeat 2 phase total 0.3
complete 5
END
    run "$BMF" sweep show times.sweep
    assert_success
    assert_line --regexp '^ +1 +20 +400 ms +500 ms +900 ms +1\.000 +3$'
    assert_line --regexp '^ +2 +20 +200 ms +250 ms +300 ms +2\.000 +2$'
    "$BMF" sweep show times.sweep --csv times.csv --blocks times.blocks --gp times.gp --html times.html
    run cat times.csv
    assert_line "measured,total,2,20,2,0.2,0.25,0.3,2"
    run cat times.blocks
    assert_output "$(printf '# 1 20\ntotal 0.5\n# 2 20\ntotal 0.25')"
    # The document's files: the last line of a block is its total.
    printf '# 1 20\ncompute 0.3\nwhole 0.5\n# 2 20\ncompute 0.2\nwhole 0.25\n' >document.blocks
    run "$BMF" sweep show document.blocks
    assert_success
    assert_line "compute, measured"
    assert_line --regexp '^ +2 +20 +250 ms +250 ms +250 ms +2\.000 +1$'
    run "$BMF" sweep compare times.sweep document.blocks
    assert_success
    assert_line "2 compared, ratios 1.000 to 1.000; 0 beyond the spread of repetitions"
}

@test "ratios beyond the spread are told apart from those within" {
    for factor in 1 1.1 3; do
        awk -v f="$factor" 'BEGIN {
            print "bmf sweep 1\nprogram x\nlaunch y\nunits seconds"
            for (k = 1; k <= 3; k++) printf "time measured p 1 n 20 repeat %d phase total %.6f\n", k, f * (1 + k / 10)
            print "complete 3" }' >"$factor.sweep"
    done
    run "$BMF" sweep compare 1.sweep 1.1.sweep
    assert_line --regexp '^total +1 +20 +1\.2 s +1\.32 s +1\.100$'
    run "$BMF" sweep compare 1.sweep 3.sweep
    assert_line --regexp '^total +1 +20 +1\.2 s +3\.6 s +3\.000  beyond the spread$'
    run "$BMF" sweep compare 1.sweep 3.sweep --json
    assert_output --partial '"ratio": 3.0, "beyond": true'
}

@test "a real program on real processes, measured and predicted" {
    [ -x "$BMF_BIN_DIR/01-sum-of-squares" ] || skip "the example is not built"
    run --separate-stderr timeout 120 "$BMF" sweep -p 1,2 -n 1000,2000 --repeat 1 --launch "${MPIRUN:-mpirun.mpich} -n {p}" \
        --machine ideal -o real.sweep -- "$BMF_BIN_DIR/01-sum-of-squares" '{n}'
    assert_success
    run grep -c '^time measured .* phase total' real.sweep
    assert_output 4
    run grep -c '^time machine .* phase total' real.sweep
    assert_output 4
}

@test "bad input" {
    refused "{n} stands nowhere" -p 1 -n 20 -o x.sweep -- ./program 20
    refused "{p} stands neither" -p 1 -n 20 -o x.sweep --launch env -- ./program '{n}'
    refused "which program?" -p 1 -n 20 -o x.sweep
    refused "no file to write" -p 1 -n 20 -- ./program '{n}'
    refused "is no list of numbers of processes" -p 0 -n 20 -o x.sweep -- ./program '{n}'
    refused "there is no model 'nope'" -p 1 -n 20 -o x.sweep --model nope -- ./program '{n}'
    refused "unknown command 'shwo'" shwo x.sweep
    refused "cannot read 'nope'" show nope
    printf 'bmf sweep 1\ntime measured p 0 n 20 repeat 1 phase total 1\n' >bad.sweep
    refused "bad.sweep:2: expected time KIND" show bad.sweep
    printf 'bmf sweep 1\ntime measured p 1 n 20 repeat 1 phase total 1\ncomplete 3\n' >bad.sweep
    refused "bad.sweep:3: the number of times is another one" show bad.sweep
    printf 'something else\n' >bad.sweep
    refused "bad.sweep:1: neither a sweep nor the document's blocks" show bad.sweep
    : >bad.sweep
    refused "an empty file is no sweep" show bad.sweep
    printf '# 1 20\nwhole x\n' >bad.blocks
    refused "bad.blocks:2: expected PHASE SECONDS" show bad.blocks
    # A program that is not there is a failure of its points.
    run --separate-stderr "$BMF" sweep -p 1 -n 20 --repeat 1 --launch 'env P={p}' -o x.sweep -- ./nope '{n}'
    assert_failure 1
}

@test "pages of sweeps and models open without a message and draw" {
    command -v chromium >/dev/null || skip "chromium is not installed"
    sweep --model life
    "$BMF" sweep show made.sweep --html sweep.html
    "$BMF" model plot winnow -p 1..64 -d 20..640 -o winnow.html
    for page in sweep.html winnow.html; do
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BMF_SOURCE_DIR/ctest/cli timeout 120 python3 - "$page" <<'END'
import sys
from browser import Browser
with Browser() as page:
    page.open(sys.argv[1])
    assert not page.console, page.console
    assert not page.requests, page.requests
    canvases = page.evaluate("document.querySelectorAll('#surfaces canvas').length")
    assert canvases == 4, canvases
    for k in range(canvases):
        colours = page.evaluate(f"""(canvas => {{
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
            for (let i = 0; i < data.length; i += 4) seen.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
            return seen.size;
        }})(document.querySelectorAll('#surfaces canvas')[{k}])""")
        assert colours > 10, (k, colours)
    before = page.evaluate("document.querySelectorAll('#surfaces canvas')[1].toDataURL()")
    page.evaluate("document.querySelectorAll('#surfaces canvas')[1].dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))")
    assert page.evaluate("document.querySelectorAll('#surfaces canvas')[1].toDataURL()") != before
    assert page.evaluate("[...document.querySelectorAll('.chart svg')].length") >= 2
END
    done
}
