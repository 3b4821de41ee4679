#!/bin/sh
# Starts an unpacked image as its user, in its own root: unshare -m sh start.sh ROOT COMMAND
set -eux
root=$1 command=$2
mkdir -p "$root/proc" "$root/dev"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
start() {
  # shellcheck disable=SC2086
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin EBB_JAVA_HOME=/opt/jre "$@" chroot --userspec=10001:10001 --groups= "$root" $command
}
# Both servers need a credential.
start EBB_PASSWORD=secret 2>&1 | grep EBB_ADMIN_TOKEN

printf 'include required(file("/etc/ebb/shipped.conf"))\nebb { server.port = 0, admin.port = 0 }\n' >"$root/any-port.conf"
mv "$root/etc/ebb/ebb.conf" "$root/etc/ebb/shipped.conf"
mv "$root/any-port.conf" "$root/etc/ebb/ebb.conf"
start EBB_PASSWORD=secret EBB_ADMIN_TOKEN=token EBB_POOL_SIZE=16MiB >"$root/server.log" 2>&1 &
server=$!
until grep dashboard "$root/server.log"; do kill -0 $server; sleep 1; done
port=$(sed -n 's/.*RESP[^:]*:\([0-9]*\).*/\1/p' "$root/server.log" | head -n 1)
bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'AUTH secret\r\nSET key value\r\nGET key\r\n' >&3; head -n 4 <&3" | tr -d '\r' | grep -x value
ls "$root/var/lib/ebb/run"
kill $server
wait $server || [ $? = 143 ]
