#!/bin/sh
# Runs before the package is removed or upgraded: $1 is remove or upgrade on Debian, and the number
# of packages that stay with RPM. An upgrade leaves the service running until the new version is there.
set -e

case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now verdetto.service verdetto-backup.timer
	fi
	;;
esac
