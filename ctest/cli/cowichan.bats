#!/usr/bin/env bats
# The Cowichan programs: equal to their sequential references on some numbers of ranks (slow_cowichan.bats: on all), to
# what NumPy makes of their files, and one line for what is wrong.

bats_require_minimum_version 1.5.0

setup()
{
    # shellcheck source=ctest/cli/cowichan.bash
    source "$BMF_SOURCE_DIR/ctest/cli/cowichan.bash"
    load_cowichan
}

@test "every program equals its sequential reference, and does not depend on the number of ranks" {
    check_all "1 3" "3 20"
}

@test "more ranks than rows" {
    check_all 4 1
}

@test "the programs in the language find the same" {
    check_language 3 "1 20"
}

@test "the programs on skeletons find the same" {
    check_skeletons 3 "1 20"
    run plain 2 skeletons life --n 0
    assert_failure 2
    assert_output "life: --n 0: a size is from 1 to 2147483647"
    run plain 2 skeletons lief
    assert_failure 2
    assert_output "skeletons: no program is called 'lief' (see --help)"
    python3 -c 'import numpy as np; a = np.eye(9); a[7] = 0; np.save("singular.npy", a); np.save("b.npy", np.ones(9))'
    run plain 2 skeletons gauss --in singular.npy --vector b.npy
    assert_failure
    assert_output --partial "row 7 has no pivot"
    assert_equal "${#lines[@]}" 1
}

@test "the first random numbers are those of the generator" {
    # 1190078679, 500740170, 1307009825, 283582988, each times 256 / 2^32
    plain 2 randmat --n 2 --out r.npy
    run python3 -c 'import numpy; print(numpy.load("r.npy").tolist())'
    assert_output "[[70, 29], [77, 16]]"
}

@test "files in and out, as NumPy computes them" {
    python3 - <<'PYTHON'
import numpy as np
rng = np.random.default_rng(3)
np.save("cells.npy", rng.integers(0, 1000, (17, 17), dtype=np.int32))
np.save("mask.npy", rng.integers(0, 2, (17, 17)).astype(bool))
np.save("points.npy", rng.normal(0, 5, (23, 2)))
a = rng.normal(0, 1, (19, 19)) + 19 * np.eye(19)
np.save("a.npy", a)
np.save("b.npy", rng.normal(0, 1, 19))
PYTHON
    plain 3 half --in cells.npy --out half.npy
    plain 3 life --in mask.npy --iters 7 --out life.npy
    plain 3 thresh --in cells.npy --fraction 0.2 --out thresh.npy
    plain 3 winnow --in cells.npy --mask mask.npy --stride 3 --out winnow.npy
    plain 3 norm --in points.npy --out norm.npy
    plain 3 outer --in points.npy --out outer.npy --vector-out distances.npy
    plain 3 outer --method copy --in points.npy --out outer2.npy
    plain 3 product --in a.npy --vector b.npy --out product.npy
    plain 3 gauss --in a.npy --vector b.npy --pivot --out gauss.npy
    plain 3 sor --in a.npy --vector b.npy --out sor.npy
    plain 3 vecdiff --in b.npy --vector product.npy --out difference.npy
    python3 - <<'PYTHON'
import numpy as np
cells, mask, points, a, b = (np.load(f + ".npy") for f in ("cells", "mask", "points", "a", "b"))
order = list(range(0, 17, 2)) + list(range(1, 17, 2))
assert (np.load("half.npy") == cells[np.ix_(order, order)]).all()
board = mask.astype(int)
for _ in range(7):
    alive = sum(np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - board
    board = ((alive == 3) | ((alive == 2) & (board == 1))).astype(int)
assert (np.load("life.npy") == board).all()
least = np.sort(cells, None)[::-1][int(np.ceil(0.2 * 17 * 17)) - 1]
assert (np.load("thresh.npy") == (cells >= least)).all()
chosen = sorted((cells[i, j], i, j) for i in range(17) for j in range(17) if mask[i, j])[::3]
assert (np.load("winnow.npy") == [(j, i) for _, i, j in chosen]).all()
assert np.allclose(np.load("norm.npy"), (points - points.min(0)) / np.ptp(points, 0), rtol=1e-15)
distances = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
np.fill_diagonal(distances, 23 * distances.max())
assert np.allclose(np.load("outer.npy"), distances, rtol=1e-14)
assert (np.load("outer.npy") == np.load("outer2.npy")).all()
assert np.allclose(np.load("distances.npy"), np.hypot(*points.T), rtol=1e-14)
assert np.allclose(np.load("product.npy"), a @ b, rtol=1e-12)
assert np.allclose(np.load("gauss.npy"), np.linalg.solve(a, b), rtol=1e-11)
assert np.allclose(np.load("sor.npy"), np.linalg.solve(a, b), rtol=1e-8)
assert np.load("difference.npy")[0] == abs(b - np.load("product.npy")).max()
PYTHON
}

@test "all of them in a chain; ping-pong; a farm" {
    for ways in '' '--first mandel --masked-by invperc --copy --pivot'; do
        # shellcheck disable=SC2086 # several arguments
        plain 1 chain --n 20 --check $ways >one
        # shellcheck disable=SC2086
        plain 3 chain --n 20 --check $ways >three
        assert_equal "$(awk '{ print $NF }' one)" "$(awk '{ print $NF }' three)"
    done
    plain 3 pingpong --n 5 --iters 20 --check
    for ranks in 3 4 7; do
        plain "$ranks" farm --packets 30 --mean 0.0001 --check | awk '{ print $NF }'
    done >sums
    assert_equal "$(sort -u sums | wc -l)" 1
}

# one_line RANKS CODE LINE PROGRAM ARGUMENT..
one_line()
{
    run plain "$1" "${@:4}"
    assert_equal "$status" "$2"
    assert_output "$3"
}

@test "one line for what is wrong, on any number of ranks" {
    python3 - <<'PYTHON'
import numpy as np
a = np.eye(9)
a[7] = 0
np.save("singular.npy", a)
np.save("b.npy", np.ones(9))
np.save("growing.npy", np.full((9, 9), 5.0) + np.eye(9))
np.save("cells.npy", np.arange(9, dtype=np.int32).reshape(3, 3))
np.save("nothing.npy", np.zeros((3, 3), dtype=np.int32))
np.save("flat.npy", np.zeros((2, 3), dtype=np.int32))
PYTHON
    head -c 100 cells.npy >short.npy
    for ranks in 1 3; do
        one_line $ranks 2 "life: --n 0: a size is from 1 to 2147483647" life --n 0
        one_line $ranks 2 "randmat: 50000 x 50000 cells are more than 2147483647" randmat --n 50000
        one_line $ranks 2 "life: absent.npy: No such file or directory" life --in absent.npy
        one_line $ranks 2 "half: short.npy: not a .npy file of version 1 with rows one after the other" half --in short.npy
        one_line $ranks 2 "half: flat.npy: 2 x 3 elements are not a square" half --in flat.npy
        one_line $ranks 2 "norm: cells.npy: 3 x 3 elements where rows of 2 are needed" norm --in cells.npy
        one_line $ranks 2 "half: --n abc: not a number" half --n abc
        one_line $ranks 2 "half: unknown option '--sise' (see --help)" half --sise 3
        one_line $ranks 1 "gauss: row 7 has no pivot" gauss --in singular.npy --vector b.npy
        one_line $ranks 1 "sor: row 7 has no pivot" sor --in singular.npy --vector b.npy
        run plain $ranks sor --in growing.npy --vector b.npy
        assert_equal "$status" 1
        assert_output --regexp '^sor: does not converge: the largest change after 100 iterations is [0-9.e+]+, not below 1e-10$'
        one_line $ranks 1 "winnow: 3 points, fewer than the 10 wanted" winnow --in cells.npy --mask cells.npy --points 10 --stride 3
        one_line $ranks 1 "winnow: no cell is under the mask" winnow --in cells.npy --mask nothing.npy
    done
    one_line 2 2 "farm: needs 3 ranks or more, has 2" farm
}

@test "--help has an example, --json is JSON" {
    for program in "$programs"/*; do
        run "$program" --help
        assert_success
        assert_output --partial "Example: mpirun.mpich -n 2 $(basename "$program")"
    done
    plain 2 thresh --n 9 --json >line.json
    run python3 -c 'import json; x = json.load(open("line.json")); print(x["program"], x["n"], x["p"], x["seconds"] > 0)'
    assert_output "thresh 9 2 True"
}

@test "--json has the phases of the parallel part" {
    for ranks in 1 3; do
        plain $ranks life --n 2 --json >line.json # on 3 ranks one has no rows, and neither swaps nor computes
        run python3 -c 'import json; print(*json.load(open("line.json"))["phases"])'
        assert_output "swap compute barrier"
    done
    plain 1 gauss --n 40 --json >line.json
    python3 -c 'import json; x = json.load(open("line.json")); assert 0 < sum(x["phases"].values()) <= x["seconds"], x'
}
