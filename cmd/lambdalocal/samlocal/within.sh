# Runs a command with a Docker engine of its own, in a network and mounts of its own. The
# engine changes nothing outside, and ends with the command, whose process this becomes.
dir=$(mktemp -d) && ip link set lo up || exit 1
export DOCKER_HOST=unix://$dir/socket VERDETTO_SAM_NETWORK=own
echo {} >"$dir/daemon.json" # the machine's settings are for its own engine
(
  dockerd --data-root "$dir/data" --exec-root "$dir/exec" --pidfile "$dir/pid" --config-file "$dir/daemon.json" --host "$DOCKER_HOST" &
  engine=$!
  while kill -0 $$ && kill -0 $engine; do sleep .2; done
  kill $engine
  wait $engine
  rm -rf "$dir"
) >"$dir/log" 2>&1 3>&- &
tries=0
until docker info >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ $tries -gt 300 ] || [ ! -d "$dir" ]; then
    echo "dockerd did not start" >&2
    break
  fi
  sleep .2
done
exec "$@"
