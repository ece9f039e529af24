#!/bin/sh
# Writes the changelog that Debian wants in a package: changelog.sh VERSION SECONDS FILE.
set -e
mkdir -p "$(dirname "$3")"
gzip -9n >"$3" <<END
verdetto ($1) stable; urgency=medium

  * The file CHANGELOG.md in this folder lists the changes.

 -- Verdetto <mail@verdetto.example>  $(date -uRd "@$2")
END
