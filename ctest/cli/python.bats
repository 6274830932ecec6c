#!/usr/bin/env bats
# The example in Python, and that scripts in Python take the interpreter that setup installs packages for.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

@test "the example in Python runs, agrees with NumPy and prints its table" {
    [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import numpy' || skip "NumPy is not installed"
    mkdir temporary
    BMF=$BMF_BIN_DIR/bmf TMPDIR=$PWD/temporary run -0 "$BMF_SOURCE_DIR/examples/29-from-python.py" 5000 1,3
    [[ ${lines[0]} == *"largest difference to NumPy" ]]
    assert_line --regexp '^    1 +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+%  [0-9.e-]+  #*$'
    assert_line --regexp '^    3 +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+%  [0-9.e-]+  #*$'
    assert_line --regexp '^How long: The run took [0-9.]+ [mun]?s on 3 processors\.$'
    run -0 find temporary -name 'bmf-python-*'
    assert_output ""
}

@test "scripts run where another python3 comes first in the path" {
    mkdir path
    printf '#!/bin/sh\necho "the wrong python3" >&2\nexit 77\n' >path/python3
    chmod +x path/python3
    PATH=$PWD/path:$PATH
    for script in $(grep -lE '^#!.*python' "$BMF_SOURCE_DIR"/scripts/* "$BMF_SOURCE_DIR"/examples/*.py); do
        [ "$(head -n 1 "$script")" = '#!/usr/bin/python3' ] || fail "$script takes the first python3 of the path"
    done
    for script in lint count-tests compare-bench compare-fftw validate validate-calibrated validate-cowichan validate-parallelised site; do
        run -0 "$BMF_SOURCE_DIR/scripts/$script" --help
        refute_output --partial "the wrong python3"
    done
    # no script starts python3 by its bare name
    run -1 grep -nE '(^|[ (])python3 (-|"|[^ ]*\.py)' "$BMF_SOURCE_DIR"/scripts/*
}
