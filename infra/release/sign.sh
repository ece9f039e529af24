#!/bin/sh
# Signs a file: sign.sh FILE BUNDLE. With the variable COSIGN_KEY, the name of a file with a private
# key, the signature is made with this key and leaves no public record. Without it, cosign signs with
# the identity of the hosted workflow and records the signature in the public log.
set -e
if [ -n "${COSIGN_KEY:-}" ]; then
	exec cosign sign-blob --yes --key "$COSIGN_KEY" --use-signing-config=false --tlog-upload=false --bundle "$2" "$1"
fi
exec cosign sign-blob --yes --bundle "$2" "$1"
