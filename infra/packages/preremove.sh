#!/bin/sh
# Runs before the package is removed or upgraded. An upgrade leaves the service running until the new
# version is there.
set -e

if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable --now verdetto.service verdetto-backup.timer
fi
