# Steps: what runs under a time limit, and the list of what failed or did not run.

failed=()
not_run=()

# step NAME LIMIT COMMAND... runs a command under a time limit.
step() {
	local name=$1 limit=$2 begin=$SECONDS status
	shift 2
	printf '== %s: %s\n' "$name" "$*"
	timeout --kill-after=10s "$limit" "$@"
	status=$?
	if [ $status -eq 124 ]; then echo "-- $name: over its limit of $limit"; fi
	if [ $status -ne 0 ]; then failed+=("$name"); fi
	printf -- '-- %s: %s in %ds\n' "$name" "$([ $status -eq 0 ] && echo ok || echo FAILED)" $((SECONDS - begin))
}

# has TOOL: whether it is on PATH.
has() { command -v "$1" >/dev/null; }

# found TOOL: whether a command is there, or a function says so.
found() { if [ "$(type -t "$1")" = function ]; then "$1"; else has "$1"; fi; }

# install TOOL PACKAGE...: Debian's packages, unless TOOL is there, a command or
# a function that says so.
install() {
	local tool=$1
	shift
	if ! found "$tool" && has apt-get && [ "$(id -u)" = 0 ]; then
		step "install $*" 5m bash -c 'apt-get update -q && apt-get install -yq --no-install-recommends "$@"' - "$@"
	fi
}

# report ends the run: what did not run on this machine, and what failed.
report() {
	echo "== not run on this machine"
	printf '   %s\n' "${not_run[@]}"
	if [ ${#failed[@]} -gt 0 ]; then
		echo "== FAILED after ${SECONDS}s"
		printf '   %s\n' "${failed[@]}"
		exit 1
	fi
	echo "== ok after ${SECONDS}s"
}
