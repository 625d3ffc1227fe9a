#!/usr/bin/env bash
# Downloads the libraries of the page of `tanada web` from npm into src/web/page/vendor, with their licences. Needs npm
# and the network. Their versions are at the top of the script.
# Usage: scripts/vendor.sh
set -euo pipefail
# shellcheck source=scripts/help.sh
. "$(dirname "$0")/help.sh"
no_arguments "$@"
cd "$(dirname "$0")/../src/web/page/vendor"

preact=11.2.0
htm=3.1.1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for package in "preact@$preact" "htm@$htm"; do
    npm pack --silent --pack-destination "$folder" "$package" >/dev/null
    mkdir "$folder/${package%@*}"
    tar xzf "$folder/${package/@/-}.tgz" -C "$folder/${package%@*}" --strip-components 1
done

# Without the map the browser would ask for it; without a build there is nobody to find `preact` by its name.
without_map() { sed '/^\/\/# sourceMappingURL/d' "$1"; }
without_map "$folder/preact/dist/preact.mjs" >preact.js
without_map "$folder/preact/hooks/dist/hooks.mjs" | sed 's#from"preact"#from"./preact.js"#' >hooks.js
without_map "$folder/htm/dist/htm.module.js" >htm.js
cp "$folder/preact/LICENSE" LICENSE.preact
cp "$folder/htm/LICENSE" LICENSE.htm
echo "preact $preact and htm $htm are in $PWD"
