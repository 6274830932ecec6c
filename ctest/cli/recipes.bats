#!/usr/bin/env bats
# Recipes of other package managers: their syntax, and that what they name is there. They are not built here.

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BMF_SOURCE_DIR"
}

version()
{
    sed -n 's/#define BMF_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\).*/\2/p' include/bmf/version.h | paste -sd.
}

# options FILE: every -DBMF_.. or define("BMF_..") in it is an option of the build
options()
{
    for option in $(grep -o 'BMF_[A-Z0-9_]*' "$1" | sort -u); do
        grep -qE "(option|set)\($option " CMakeLists.txt cmake/*.cmake || fail "$1 names $option, which the build does not know"
    done
}

@test "the recipe for Spack" {
    run python3 -c "import ast; ast.parse(open('share/spack/package.py').read())"
    assert_success
    grep -q "version(\"$(version)\"" share/spack/package.py
    options share/spack/package.py
}

@test "the recipe for EasyBuild" {
    recipe=share/easybuild/bmf-$(version)-gmpich-2024a.eb
    run python3 -c "
names = {'SOURCE_TAR_GZ': 'bmf.tar.gz'}
exec(open('$recipe').read(), names)
assert names['version'] == '$(version)' and names['easyblock'] and names['dependencies']"
    assert_success
    options "$recipe"
}

@test "the definition for Apptainer" {
    file=share/apptainer/bmf.def
    for section in %files %post %test %runscript; do
        grep -q "^$section\$" $file || fail "no $section"
    done
    sed -n '/^%post/,/^%test/{/^%/d;p}' $file | sh -n
    options $file
}

@test "no file of the modules under the predictor includes libconfig, none of the library or the command GSL" {
    run grep -rl '#include <libconfig' include runtime permute skeletons checked
    assert_output ""
    run grep -rliE '(include.*|\b)gsl[_/]' include runtime permute skeletons predict checked drivers bench
    assert_output ""
}
