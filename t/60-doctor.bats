#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-doctor tells the truth: what it says of this machine is what
# chock-spawn meets, also where something is missing, and the cause that it
# names is the one that was made here.

load lib/chock

# Who searches for leaks at the end starts a task, and aborts without.
export LSAN_OPTIONS=detect_leaks=0

BITS_OF_NEWUSER=268435456
EPERM=1 ENOSYS=38 EOPNOTSUPP=95

setup() {
	confine=$helpers/confine
	rows=$BATS_TEST_TMPDIR/rows
}

# row NAME FIELD - out of the last examination
row() {
	jq -r --arg name "$1" ".rows[] | select(.name == \$name) | .$2" "$rows"
}

# examine [WRAPPER...] - the doctor, wrapped; its status in $verdict
examine() {
	verdict=0
	"$@" chock-doctor --json >"$rows" || verdict=$?
}

# agrees [WRAPPER...] - examine, and hold the verdict against a run
agrees() {
	local status=0 can=true
	examine "$@"
	"$@" chock-spawn --policy base -- true || status=$?
	[ "$verdict" -eq 0 ] || can=false
	[ "$(jq -r .can "$rows")" = "$can" ]
	if [ "$status" -eq 0 ]; then
		[ "$verdict" -eq 0 ]
	else
		[ "$verdict" -eq 2 ]
	fi
}

# Where the kernel lets nobody have a namespace, in a namespace of our own.
without_namespaces() {
	unshare --user --map-root-user bash -c \
		'echo 0 >"/proc/sys/user/max_$0_namespaces" && exec "$@"' "$@"
}

@test "agrees with a run, as it is" {
	agrees
}

@test "names every layer that chock-spawn reports" {
	require userns landlock
	local name
	examine
	chock-spawn --policy base --report-fd 5 -- true 5>"$rows.report"
	for name in $(head -n 1 "$rows.report" | jq -r '.layers | keys[]'); do
		[ "$(row "$name" name)" = "$name" ]
	done
	[ "$(row run name)" = run ]
	[ "$(row git state)" = on ]
}

@test "agrees with a run by the driver without namespaces" {
	require landlock
	local place status
	local places=(env)
	! can_userns || places+=("without_namespaces user")
	for place in "${places[@]}" \
		"$confine answer landlock_create_ruleset $ENOSYS --"; do
		status=0
		# The words of a place are a list.
		# shellcheck disable=SC2086
		$place chock-spawn --driver landlock --policy base -- true ||
			status=$?
		# shellcheck disable=SC2086
		examine $place
		[ "$(row driver.landlock state)" = "$(
			[ "$status" -eq 0 ] && echo on || echo off
		)" ]
	done
	[[ $(row driver.landlock cause) == "chock-spawn: "* ]]
}

@test "says what a driver does not hold where it is the only one" {
	require userns landlock
	without_namespaces user chock-spawn --driver landlock --policy base \
		-- true || skip 'nothing measured: that driver works nowhere here'
	run -2 without_namespaces user chock-doctor
	[[ $output == *'With --driver landlock less is held:'*'names and metadata: '* ]]
	[ "${lines[-1]}" = 'A sandbox does not work here, but for one that --driver landlock makes.' ]
	run -0 chock-doctor
	[[ $output != *'less is held'* ]]
	examine
	[ "$(jq '[.gaps[] | select(.driver == "landlock")] | length' "$rows")" -ge 5 ]
}

@test "agrees on a copy on write" {
	require userns landlock
	local state=on
	chock-spawn --policy base --cow /usr --discard -- true || state=off
	examine
	[ "$(row cow state)" = "$state" ]
	examine "$confine" answer fsopen "$EPERM" --
	[ "$(row cow state)" = off ]
}

# drawn [HOW] COMMAND... - with a USB device drawn in /sys, whose node is the
# host's /dev/null, in a mount namespace of the test's own
drawn() {
	local at=$BATS_TEST_TMPDIR/drawn
	mkdir -p "$at/sys/bus/usb/devices/1-1" "$at/dev"/{pts,shm,bus}
	echo 1d50 >"$at/sys/bus/usb/devices/1-1/idVendor"
	echo 6018 >"$at/sys/bus/usb/devices/1-1/idProduct"
	echo 1:3 >"$at/sys/bus/usb/devices/1-1/dev"
	echo DEVNAME=bus/1-1 >"$at/sys/bus/usb/devices/1-1/uevent"
	touch "$at/dev"/{null,zero,full,random,urandom,tty,bus/1-1}
	# shellcheck disable=SC2016
	unshare --user --map-root-user --mount bash -euc '
		cd "$0/dev"
		for node in null zero full random urandom tty; do
			mount --bind "/dev/$node" "$node"
		done
		mount --bind /dev/null bus/1-1
		case $1 in
		nodev) for node in null bus/1-1; do
			mount -o remount,bind,nodev "$node"
		done ;;
		esac
		mount --rbind "$PWD" /dev
		mount --rbind ../sys /sys
		[ "$1" != nosys ] || mount -t tmpfs cover /sys
		cd / && shift && exec "$@"' "$at" "$@"
}

@test "agrees with a run on devices, and says why there can be none" {
	require userns landlock
	local how status
	printf '%s\n' 'device device.usb.1d50.6018' \
		'allow device.usb.1d50.6018' >"$BATS_TEST_TMPDIR/policy"
	for how in on nodev nosys; do
		status=0
		drawn "$how" chock-spawn -p base -p "$BATS_TEST_TMPDIR/policy" -- \
			sh -c 'echo x >/dev/bus/1-1' || status=$?
		examine drawn "$how"
		[ "$(row devices state)" = "$(
			[ "$status" -eq 0 ] && echo on || echo off
		)" ]
		[ "$how" != on ] || [ "$status" -eq 0 ]
		case $how in
		nodev)
			[ "$(row devices errno)" = EACCES ]
			[[ $(row devices cause) == *'mounted nodev'* ]]
			[[ $(row devices mend) == *'without nodev'* ]]
			;;
		nosys)
			[[ $(row devices cause) == 'there is no sysfs'* ]]
			[[ $(row devices mend) == *'mount -t sysfs'* ]]
			;;
		esac
	done
	# That does not keep a sandbox from working.
	[ "$(row run state)" = on ]
	[ "$verdict" -eq 0 ]
}

@test "agrees with a run on a terminal of its own" {
	require userns landlock
	local how status get_peer=21569 lock=1074025521
	for how in "" "ioctl 25 1=$get_peer" "ioctl $EPERM 1=$lock" \
		"ioctl 28 1=$lock"; do
		# shellcheck disable=SC2206
		local wrapper=()
		# shellcheck disable=SC2206
		[ -z "$how" ] || wrapper=("$confine" answer $how --)
		status=0
		"$helpers/terminal" "$BATS_TEST_TMPDIR/shown" standard=012 -- \
			"${wrapper[@]}" chock-spawn -p base --tty -- test -t 0 ||
			status=$?
		examine "${wrapper[@]}"
		[ "$(row tty state)" = "$(
			[ "$status" -eq 0 ] && echo on || echo off
		)" ]
		[ -n "$how" ] || [ "$status" -eq 0 ]
		[ "$(row run state)" = on ]
		case $how in
		'ioctl 25 '*) [[ $(row tty mend) == 'Linux 4.13 '* ]] ;;
		'ioctl 28 '*) [[ $(row tty cause) == *kernel.pty.max* ]] ;;
		'ioctl 1 '*) [[ $(row tty cause) == 'cannot make a terminal: '* ]] ;;
		esac
	done
	examine without_namespaces user
	[ "$(row tty state)" = off ]
	[[ $(row tty cause) == *'see the row mountns' ]]
}

@test "measures every layer on a machine that has all" {
	require userns landlock
	examine
	for name in userns pidns ipcns mountns netns proc landlock seccomp \
		sockets rlimits run; do
		[ "$(row "$name" state)" = on ]
		[ "$(row "$name" cause)" = null ]
	done
	[ "$verdict" -eq 0 ]
}

@test "agrees with a run on its cgroup, and says how to get one" {
	require userns landlock
	local state
	chock-spawn --policy base --report-fd 5 -- true 5>"$rows.report"
	state=$(head -n 1 "$rows.report" | jq -r .layers.cgroup.state)
	examine
	[ "$(row cgroup state)" = "$state" ]
	[ "$state" = on ] || [ -n "$(row cgroup mend)" ]
	# shellcheck disable=SC2016
	examine unshare --user --map-current-user --mount --keep-caps sh -c '
		mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh
	[ "$(row cgroup state)" = absent ]
	[[ $(row cgroup mend) == 'cgroup v2 at /sys/fs/cgroup'* ]]
	[ "$verdict" -eq 0 ]
}

@test "calls absent what a run reports as absent" {
	require userns landlock
	local layer
	agrees
	chock-spawn -p base --report-fd 3 -- true 3>"$BATS_TEST_TMPDIR/report"
	for layer in memfd cgroup keyring landlock.scope; do
		[ "$(row "$layer" state)" = "$(head -n 1 "$BATS_TEST_TMPDIR/report" |
			jq -r --arg layer "$layer" '.layers[$layer].state')" ]
	done
}

@test "finds that there can be no user namespace" {
	require userns
	local landlock
	examine
	landlock=$(row landlock state)
	agrees without_namespaces user
	[ "$verdict" -eq 2 ]
	[ "$(row userns state)" = off ]
	[ "$(row userns errno)" = ENOSPC ]
	[ "$(row userns cause)" = "user.max_user_namespaces is 0" ]
	[[ $(row userns mend) == *"sysctl -w user.max_user_namespaces="* ]]
	[[ $(row run cause) == "chock-spawn: layer 'userns': "*": No space left on device" ]]
	[ "$(row landlock state)" = "$landlock" ]
}

@test "finds that there can be no network namespace, and only that" {
	require userns
	agrees without_namespaces net
	[ "$(row netns cause)" = "user.max_net_namespaces is 0" ]
	[ "$(row userns state)" = on ]
	[ "$(row pidns state)" = on ]
}

@test "finds a container's filter on namespaces" {
	require userns
	# Of clone3(2), by which a sandbox is born into a cgroup, a filter sees
	# no flags: where it minds them it answers it as if it were not there.
	agrees "$confine" answer clone3 "$ENOSYS" -- \
		"$confine" answer clone "$EPERM" "$BITS_OF_NEWUSER" --
	[ "$verdict" -eq 2 ]
	[ "$(row userns errno)" = EPERM ]
	[[ $(row userns cause) == "a seccomp filter "* ]]
	[[ $(row userns mend) == *seccomp=unconfined* ]]
}

@test "finds that there is no Landlock, and whether it was only not started" {
	require userns landlock
	agrees "$confine" answer landlock_create_ruleset "$ENOSYS" --
	[ "$verdict" -eq 2 ]
	[ "$(row landlock state)" = off ]
	[ "$(row landlock errno)" = ENOSYS ]
	[ "$(row landlock.scope state)" = off ]
	[ "$(row userns state)" = on ]
	agrees "$confine" answer landlock_create_ruleset "$EOPNOTSUPP" --
	[ "$verdict" -eq 2 ]
	[ "$(row landlock cause)" = "the kernel has Landlock and did not start it" ]
	[[ $(row landlock mend) == *lsm=* ]]
}

@test "finds a /proc that a container has covered" {
	require userns
	agrees unshare --user --map-root-user --mount bash -c \
		'mount -t tmpfs cover /proc/sys && exec "$@"' -
	[ "$verdict" -eq 2 ]
	[ "$(row proc state)" = off ]
	[[ $(row proc cause) == "/proc is covered in part"* ]]
	[ "$(row mountns state)" = on ]
}

@test "finds that mounts cannot be restricted, and goes on by mount(2) without the call" {
	require userns landlock
	agrees "$confine" answer mount_setattr "$EPERM" --
	[ "$verdict" -eq 2 ]
	[ "$(row mountns state)" = off ]
	[ "$(row mountns errno)" = EPERM ]
	agrees "$confine" answer mount_setattr "$ENOSYS" --
	[ "$verdict" -eq 0 ]
	[ "$(row mountns state)" = on ]
}

@test "goes on where there are no keyrings, as a run does" {
	require userns landlock
	agrees "$confine" answer keyctl "$ENOSYS" --
	[ "$verdict" -eq 0 ]
	[ "$(row keyring state)" = off ]
}

# Whatever is not there: what a run cannot do without is off, and what is off is
# what a run cannot do without.
@test "agrees when any one call is refused, and on the layer" {
	require userns landlock
	local call errnum layer off
	for call in clone clone3 unshare mount umount2 pivot_root open_tree \
		move_mount fsopen fsconfig fsmount mount_setattr statx openat2 \
		landlock_create_ruleset landlock_add_rule \
		landlock_restrict_self seccomp prctl keyctl prlimit64 setsid \
		capset setgroups socket ioctl mkdir mkdirat symlinkat mknodat \
		memfd_create pidfd_open close_range dup2 dup3 waitid; do
		for errnum in "$EPERM" "$ENOSYS"; do
			# A sanitizer asks for limits (prlimit64) at its start.
			! sanitized || "$confine" answer "$call" "$errnum" -- \
				chock-spawn --version >/dev/null 2>&1 || continue
			echo "# $call $errnum"
			agrees "$confine" answer "$call" "$errnum" -- \
				2>"$rows.stderr"
			layer=$(sed -n "s/^chock-spawn: layer '\([^']*\)': .*/\1/p" \
				"$rows.stderr")
			[ -z "$layer" ] || [[ $(row "$layer" state) == @(off|not\ measured) ]]
			off=$(jq -r '.rows[] | select(.state != "on" and
				.state != "absent") | .name' "$rows")
			[ "$verdict" -ne 0 ] ||
				[ -z "$(grep -vxE 'cgroup|cow|devices|driver.landlock|keyring|memfd|tty' <<<"$off")" ]
			[ "$verdict" -eq 0 ] || [ -n "$(row run cause)" ]
		done
	done
}

@test "agrees in a shell that is in a user namespace already" {
	require userns
	agrees unshare --user --map-current-user
	[ "$(row userns state)" = on ]
}

@test "calls a trial that dies not measured, and never on" {
	require userns
	agrees "$confine" kill keyctl --
	[ "$(row keyring state)" = "not measured" ]
	[ "$(row keyring cause)" = "the trial died of signal 31" ]
	[ "$(row userns state)" = on ]
	[ "$verdict" -eq 2 ]
	examine "$confine" kill landlock_create_ruleset --
	[ "$(row landlock state)" = "not measured" ]
	[ "$(row landlock.tcp state)" = "not measured" ]
	[ "$verdict" -eq 2 ]
}

@test "says that there can be no more processes, and blames no layer" {
	[ "$(id -u)" -eq 0 ] || skip 'nothing measured: only root has an id that runs nothing'
	# Who has no process at all may still execute one, and not fork.
	run -2 --separate-stderr setpriv --reuid 64321 --regid 64321 --clear-groups -- \
		bash -c 'ulimit -u 1 && exec "$0"' "$(command -v chock-doctor)"
	[[ ${lines[0]} == 'userns            not measured on would mean: '* ]]
	[[ ${lines[1]} == *'cause: no process can be started for it: '* ]]
	[[ ${lines[2]} == *'mend:  a higher limit of processes (ulimit -u), '* ]]
	[[ $output != *'install git'* ]]
}

@test "misses git, and a sandbox works without" {
	require userns landlock
	verdict=0
	without_git chock-doctor --json >"$rows" || verdict=$?
	[ "$(row git state)" = off ]
	[ "$(row git errno)" = ENOENT ]
	[ "$(row run state)" = on ]
	[ "$verdict" -eq 0 ]
}

@test "prints a row a layer, its cause, and what mends it" {
	require userns
	run -2 without_namespaces user chock-doctor
	[[ ${lines[0]} == "userns            off          on would mean: a user namespace"* ]]
	[[ ${lines[1]} == *" cause: user.max_user_namespaces is 0" ]]
	[[ ${lines[2]} == *" mend:  as root: sysctl -w "* ]]
	[[ ${lines[-1]} == "A sandbox does not work here"* ]]
}

@test "leaves nothing behind" {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir empty tmp
	cd empty || return
	TMPDIR=$BATS_TEST_TMPDIR/tmp examine
	[ "$verdict" -eq 0 ] || [ "$verdict" -eq 2 ]
	[ -z "$(find "$BATS_TEST_TMPDIR/empty" "$BATS_TEST_TMPDIR/tmp" "$HOME" \
		-mindepth 1)" ]
}

@test "refuses words that it does not know" {
	run -100 --separate-stderr chock-doctor --jsn
	[ "$stderr" = "chock-doctor: no option --jsn; did you mean --json?" ]
	run -100 chock-doctor all
}
