#!/bin/sh
# Runs after the package is installed or upgraded.
set -e

if ! getent passwd verdetto >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/verdetto --no-create-home --shell /usr/sbin/nologin verdetto
fi
install -d -m 750 -o root -g verdetto /etc/verdetto
install -d -m 700 -o verdetto -g verdetto /var/lib/verdetto /var/backups/verdetto

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	if [ -e /etc/verdetto/verdetto.toml ]; then
		systemctl try-restart verdetto.service
	fi
fi
if [ ! -e /etc/verdetto/verdetto.toml ]; then
	cat <<'END'
Verdetto is installed. These commands set it up and start it:

    verdetto init -config /etc/verdetto/verdetto.toml -store bolt:/var/lib/verdetto/verdetto.db
    systemctl enable --now verdetto.service verdetto-backup.timer
END
fi
