#!/bin/sh
# Installs a package on a copy of this system that is dropped at the end, uses it as its unit does,
# updates, removes and purges it: unshare -m sh install.sh PACKAGE FOLDER JDK
set -eux
package=$1 work=$2 jdk=$3
mount -t tmpfs none "$work"
mkdir "$work/up" "$work/work" "$work/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/up,workdir=$work/work" "$work/root"
for mount in /proc /dev "$jdk"; do
  mkdir -p "$work/root$mount"
  mount --rbind "$mount" "$work/root$mount"
done
cp "$package" "$work/root/ebb.deb"
cat >"$work/root/use.sh" <<'TEXT'
set -eux
# Creating the start-up cache takes a while, and is tested with the launcher.
export EBB_AOT_CACHE=off
dpkg -i ebb.deb
dpkg -L ebb | sort >files
for file in /etc/ebb/ebb.conf /usr/bin/ebb /usr/lib/systemd/system/ebb.service /usr/share/zsh/vendor-completions/_ebb; do
  grep -qx "$file" files
done
! dpkg -V ebb | grep .
ebb --version
ebb plugins list
bash -c '. /usr/share/bash-completion/completions/ebb; complete -p ebb'
if command -v fish; then
  fish -c 'source /usr/share/fish/vendor_completions.d/ebb.fish; complete -C "ebb conf"' | grep config
fi

# What the administrator changes, and adds.
sed -i 's/pool.size = .*/pool.size = 16 MiB, server.port = 0, admin.port = 0/' /etc/ebb/ebb.conf
echo mine >/opt/ebb/plugins/mine.txt
unit=/usr/lib/systemd/system/ebb.service
user=$(sed -n 's/^User=//p' $unit)
for folder in /var/lib/ebb /run/ebb; do mkdir -p $folder && chown "$user" $folder; done
cd /var/lib/ebb
setpriv --reuid "$user" --regid "$user" --clear-groups $(sed -n 's/^ExecStart=//p' $unit) >/server.log 2>&1 &
server=$!
cd /
until grep dashboard server.log; do kill -0 $server; sleep 1; done
port=$(sed -n 's/.*RESP[^:]*:\([0-9]*\).*/\1/p' server.log | head -n 1)
bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; printf 'SET key value\r\nGET key\r\n' >&3; head -n 3 <&3" | tr -d '\r' | grep -x value
kill $server
wait $server || [ $? = 143 ]
! grep -i exception server.log
ls /var/lib/ebb

# An update keeps the configuration.
dpkg -i ebb.deb
grep 'pool.size = 16 MiB' /etc/ebb/ebb.conf
touch /opt/ebb/ebb.aot

dpkg -r ebb
grep 'pool.size = 16 MiB' /etc/ebb/ebb.conf
cat /opt/ebb/plugins/mine.txt
rm -r /opt/ebb/plugins
dpkg -P ebb
rm -rf ebb.deb use.sh files server.log
TEXT
chroot "$work/root" sh use.sh
# What is left: data, and what the system keeps itself.
(cd "$work/up" && find . ! -type d ! -type c) >"$work/left"
! grep -v -e '^\./var/lib/ebb/' -e '^\./var/lib/dpkg/' -e '^\./run/' -e '^\./var/log/' -e '^\./etc/\(passwd\|group\|shadow\|gshadow\|subuid\|subgid\|\.pwd.lock\)' -e '^\./tmp/' "$work/left"
test ! -e "$work/root/opt/ebb" && test ! -e "$work/root/usr/bin/ebb" && test ! -e "$work/root/etc/ebb"
