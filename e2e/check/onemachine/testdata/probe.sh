# What an operator does with the units.
export PATH=/usr/local/bin:/usr/bin:/bin
ready() {
	n=0
	until verdetto status -url http://127.0.0.1:8080 >/dev/null 2>&1; do
		n=$((n + 1))
		[ $n -lt 1000 ] || { echo "never ready $1"; systemctl status --no-pager verdetto; echo end; exit; }
		sleep 0.1
	done
	echo "it is ready $1"
}
main() { systemctl show --value -p MainPID verdetto; }

systemctl start verdetto
ready "after start"
first=$(main)
grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' "/proc/$first/status" | tr '\t' ' '
ls -ld /var/lib/verdetto | cut -c1-10
verdetto status -store bolt:/var/lib/verdetto/verdetto.db | head -1
systemctl kill -s KILL verdetto
n=0
while [ "$(main)" = "$first" ] || [ "$(main)" = 0 ]; do n=$((n + 1)); [ $n -lt 300 ] || break; sleep 0.1; done
ready "after a kill"
systemctl start verdetto-backup.service && echo "backup done"
verdetto verify -store bolt:"$(ls /var/backups/verdetto/verdetto-*.db)" | head -1
systemctl start verdetto-backup.timer && systemctl is-active verdetto-backup.timer
systemctl stop verdetto
echo "stopped: $(systemctl show --value -p Result verdetto), $(systemctl show --value -p ExecMainStatus verdetto)"
echo 'VERDETTO_LISTENN = "x"' >>/etc/verdetto/verdetto.toml
systemctl start verdetto || echo "bad settings are refused"
systemctl stop verdetto
echo end
