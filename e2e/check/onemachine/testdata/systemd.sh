# Runs systemd as the first process of an isolated machine. The caller unshares the mounts, processes and network. The
# root is a file system in memory, and /usr is this machine's, read-only. There are no units but those below, and none
# of them sets up a machine.
# $1: a folder with the executable, the units and the probe. The output of the probe goes there too.
set -e
mount --make-rprivate /
root=$1/root
mkdir "$root"
mount -t tmpfs tmpfs "$root"
cd "$root"
mkdir -p usr proc sys dev run tmp old test root home boot srv opt var/lib var/backups var/log var/tmp var/cache etc/systemd/system etc/verdetto
mount --rbind /usr usr
mount -o remount,bind,ro usr
for dir in bin sbin lib lib64; do ln -s usr/$dir $dir; done
for dir in usr/local/bin usr/lib/systemd/system usr/lib/systemd/system-generators dev; do mount -t tmpfs tmpfs $dir; done
mount --bind "$1" test
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount --rbind /sys sys
mount -o remount,bind,ro sys
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mkdir dev/shm dev/pts dev/mqueue dev/hugepages
ln -s pts/ptmx dev/ptmx
pivot_root . old
umount -l /old
# Stop if anything of the machine that this runs on can still be written to.
[ "$(stat -f -c %T /)" = tmpfs ] && [ ! -e /old/usr ] && ! touch /usr/x 2>/dev/null || exit 1

chmod 1777 /tmp /var/tmp
ip link set lo up
printf 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nverdetto:x:64999:64999::/var/lib/verdetto:/usr/sbin/nologin\n' >/etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\nverdetto:x:64999:\n' >/etc/group
printf 'passwd: files\ngroup: files\n' >/etc/nsswitch.conf
echo 0123456789abcdef0123456789abcdef >/etc/machine-id
# This replaces the installation of the package.
install -m 755 /test/verdetto /usr/local/bin/verdetto
install -d -m 750 -o root -g verdetto /etc/verdetto
install -m 640 -o root -g verdetto /test/verdetto.toml /etc/verdetto/verdetto.toml
install -d -m 700 -o verdetto -g verdetto /var/backups/verdetto
install -m 644 /test/verdetto*.service /test/verdetto*.timer /etc/systemd/system/

for target in sysinit basic shutdown network-online timers time-set time-sync multi-user; do
	printf '[Unit]\nDefaultDependencies=no\n' >/usr/lib/systemd/system/$target.target
done
printf '[Unit]\nDefaultDependencies=no\nRequires=probe.service\n' >/etc/systemd/system/probe.target
printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=/bin/sh /test/probe.sh\nStandardOutput=file:/test/said\nStandardError=file:/test/said\n' >/etc/systemd/system/probe.service
export container=other
exec /lib/systemd/systemd --system --unit=probe.target --log-target=console
