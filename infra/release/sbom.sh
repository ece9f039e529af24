#!/bin/sh
# Lists what an archive holds, in SPDX: sbom.sh ARCHIVE FILE SECONDS. syft writes the present time and a
# random name into each list. Both are replaced, by the commit's time and the archive's checksum, so that
# two builds of a commit give the same list.
set -e
syft scan "file:$1" --quiet --output spdx-json="$2.part"
sum=$(sha256sum "$1" | cut -d ' ' -f 1)
time=$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)
sed -E -e "s#\"documentNamespace\":\"[^\"]*\"#\"documentNamespace\":\"https://verdetto.example/sbom/$sum\"#" \
	-e "s#\"created\":\"[^\"]*\"#\"created\":\"$time\"#" "$2.part" >"$2"
rm "$2.part"
