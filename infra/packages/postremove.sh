#!/bin/sh
# Runs after the package is removed. Settings, store and backups stay; apt purge deletes settings
# and store too.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf /etc/verdetto /var/lib/verdetto
fi
