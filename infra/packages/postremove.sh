#!/bin/sh
# Runs after the package is removed. Settings, store and backups stay. On Debian apt purge deletes
# settings and store too; backups always stay.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf /etc/verdetto /var/lib/verdetto
fi
