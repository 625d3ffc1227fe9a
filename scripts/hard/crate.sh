# shellcheck shell=bash
# Makes a small crate of some modules of this one, for mutants. Sourced by scripts/hard/mutants.sh.
#
# The modules are layered, so the lower ones compile without the rest, and the integration tests become a module of
# the library's own tests: one compilation for each mutant instead of three, of a quarter of the source.

# make_crate FOLDER TESTS MODULE...: the tests of tests/main.rs to keep, separated by spaces, and paths below src.
make_crate() {
    local folder=$1 tests=$2 path name kept
    shift 2
    rm -rf "$folder/new"
    mkdir -p "$folder/new/src"
    for path; do
        mkdir -p "$folder/new/src/$(dirname "$path")"
        cp -r "src/$path" "$folder/new/src/$path"
    done
    {
        for path; do
            case $path in
                */*) echo "pub mod ${path%%/*} { pub(crate) mod $(basename "$path" .rs); }" ;;
                *) echo "pub mod $(basename "$path" .rs);" ;;
            esac
        done
        if [ -n "$tests" ]; then
            # The tests name the library by its name.
            echo '#[cfg(test)] extern crate self as tanada;'
            echo '#[cfg(test)] mod tests;'
        fi
    } >"$folder/new/src/lib.rs"
    if [ -n "$tests" ]; then
        cp -r tests "$folder/new/src/tests"
        rm -r "$folder/new/src/tests/data"
        mv "$folder/new/src/tests/main.rs" "$folder/new/src/tests/mod.rs"
        # Left out: tests of what the small crate lacks.
        kept=$(tr ' ' '|' <<<"$tests")
        sed -i -E "/^mod ($kept);/! { /^mod [a-z_]+;/d }" "$folder/new/src/tests/mod.rs"
        sed -i '/^mod endings;/d' "$folder/new/src/tests/solver/mod.rs"
        sed -i '/^mod abstract_play;/d' "$folder/new/src/tests/records/mod.rs"
        # Instead of the program and the script.
        echo 'pub(crate) fn both(bytes: &[u8]) -> bool { super::verify(bytes).is_ok() }' \
            >"$folder/new/src/tests/certificate/program.rs"
        find "$folder/new/src/tests" -name '*.rs' -exec sed -i -E 's/(^|[^$a-z_])crate::/\1crate::tests::/g' {} +
        ln -sfn "$PWD/tests" "$PWD/docs" "$folder/"
    fi
    {
        sed -n '1,/^\[dependencies\]/ { /^\[package\|^name\|^version\|^edition/p }' Cargo.toml
        # The linked folder with the data of the tests holds no tests of this crate.
        printf '%s\n' 'autotests = false' '[dependencies]'
        sed -n '/^\[dependencies\]/,/^$/ { /=/p }' Cargo.toml | while read -r name path; do
            if grep -qrE "\b${name//-/_}(::|!)" "$folder/new/src"; then echo "$name $path"; fi
        done
        echo
        sed -n '/^\[target.*cfg(unix).\.dependencies\]/,/^$/p; /^\[dev-dependencies\]/,/^$/p' Cargo.toml
        # Each mutant is compiled once and runs for seconds.
        printf '%s\n' '[profile.dev]' 'opt-level = 1' 'debug = "none"' 'incremental = true' '[workspace]'
    } >"$folder/Cargo.toml"
    cp Cargo.lock "$folder/Cargo.lock"
    rm -rf "$folder/src"
    mv "$folder/new/src" "$folder/src"
    rmdir "$folder/new"
}
