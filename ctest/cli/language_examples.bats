#!/usr/bin/env bats
# The programs of examples/, each on input of useful size from a file, checked against results computed by other means
# (language_examples.py); and on the small input they carry, against values known by hand.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_THREADS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE
    bmf=$BMF_BIN_DIR/bmf
    examples=$BMF_SOURCE_DIR/examples
    dir=$BATS_TEST_TMPDIR
    export BMF_THREADS=1
}

# on RANKS NAME PROGRAM [out]: the program on made input; `out` writes a .npy file instead of text.
on()
{
    local ranks=$1 name=$2 program=$3 out=${4-}
    python3 "$BMF_SOURCE_DIR/ctest/cli/language_examples.py" make "$name" "$dir"
    if [ -n "$out" ]; then
        "$MPIRUN" -n "$ranks" "$bmf" run "$examples/$program" --arg "$dir/input.npy" --out "$dir/output.npy"
    else
        "$MPIRUN" -n "$ranks" "$bmf" run "$examples/$program" --arg "$dir/input.npy" >"$dir/output"
    fi
    python3 "$BMF_SOURCE_DIR/ctest/cli/language_examples.py" verify "$name" "$dir"
}

@test "factorials" { on 2 factorials 11-factorials.bmf out; }
@test "mean and variance" { on 3 mean-variance 12-mean-variance.bmf; }
@test "transpose" { on 1 transpose 13-transpose.bmf out; }
@test "matrix product" { on 2 matrix-product 14-matrix-product.bmf out; }
@test "matrix-vector product" { on 2 matrix-vector 15-matrix-vector.bmf out; }
@test "maximum segment sum" { on 2 maximum-segment-sum 16-maximum-segment-sum.bmf; }
@test "histogram" { on 2 histogram 17-histogram.bmf; }
@test "primes" { on 2 primes 18-primes.bmf out; }
@test "Mandelbrot counts" { on 2 mandelbrot 19-mandelbrot.bmf out; }
@test "polynomial" { on 1 polynomial 20-polynomial.bmf; }
@test "all pairs" { on 2 all-pairs 21-all-pairs.bmf out; }
@test "unit square" { on 2 unit-square 22-unit-square.bmf out; }
@test "balanced brackets" { on 1 brackets 23-brackets.bmf; }
@test "k-means" { on 2 k-means 25-k-means.bmf out; }

# small PROGRAM VALUE: the program on the data it carries.
small()
{
    run "$bmf" run "$examples/$1"
    assert_success
    assert_output "$2"
}

@test "the examples' own data" {
    small 11-factorials.bmf "[1, 1, 2, 6, 24, 120, 3628800, 1307674368000, 2432902008176640000]"
    small 12-mean-variance.bmf "{5.0, 4.0}"
    small 13-transpose.bmf "[[1, 4], [2, 5], [3, 6]]"
    small 14-matrix-product.bmf "[[2.0, 1.0], [1.0, 1.0]]"
    small 15-matrix-vector.bmf "[5.0, 11.0, 17.0]"
    small 16-maximum-segment-sum.bmf "187"
    small 17-histogram.bmf "[0, 2, 1, 2, 1, 3, 1, 1, 1, 3]"
    small 18-primes.bmf "[2, 3, 5, 997, 999979, 999983]"
    small 19-mandelbrot.bmf "[200, 3, 33, 1]"
    run "$bmf" run "$examples/20-polynomial.bmf" # 1 + 2 x + 3 x^2 at 0.99999
    assert_success
    python3 -c "import sys; sys.exit(abs($output - 5.9999200003) > 1e-12)"
    small 21-all-pairs.bmf "[5.0, 1.0, 1.0, 9.219544457292887]"
    small 22-unit-square.bmf "[[0.0, 0.0], [0.5, 1.0], [0.25, 0.25], [1.0, 0.5]]"
    small 23-brackets.bmf "{true, 3}"
    small 24-nested-split.bmf "[[1, 2, 3, 4], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]"
    small 25-k-means.bmf "[[0.5, 0.0], [10.0, 0.0], [20.0, 0.0], [30.0, 0.0], [0.0, 10.0], [10.0, 10.0], [20.0, 10.0], [30.0, 11.0]]"
}
