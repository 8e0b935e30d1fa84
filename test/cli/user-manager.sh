# A user manager of systemd in a mount namespace of its own: /run and tmux' sockets are its own too. Runs its arguments there.
set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/system "/run/user/$(id -u)" "/tmp/tmux-$(id -u)"
chmod 700 "/run/user/$(id -u)"
mount -t tmpfs -o mode=700 none "/tmp/tmux-$(id -u)"
XDG_RUNTIME_DIR="/run/user/$(id -u)"
DBUS_SESSION_BUS_ADDRESS="unix:path=$XDG_RUNTIME_DIR/bus"
export XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile 2>/dev/null &
bus=$!
while [ ! -S "$XDG_RUNTIME_DIR/bus" ]; do sleep 0.05; done
/lib/systemd/systemd --user >/dev/null 2>&1 &
manager=$!
while ! systemctl --user is-system-running >/dev/null 2>&1; do
  kill -0 "$manager" || exit 9
  sleep 0.1
done
status=0
"$@" || status=$?
kill "$manager"
wait "$manager" || true
kill "$bus"
exit "$status"
