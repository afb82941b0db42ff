#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: memory, processes and processors of all that is inside together
#
# A sandbox is born in a cgroup of version 2 where there is a place for one:
#
#	above          has memory, pids and cpu for its children; is ours
#	|- ...         where this test runs
#	`- chock-ID    what each chock-spawn makes, and removes
#
# A test that needs one is skipped where there is none.  It enables controllers
# itself only in what is delegated to it and has no processes of its own.

load lib/chock

setup() {
	require userns landlock
	cd "$BATS_TEST_TMPDIR" || return
	own=$(sed -n 's/^0:://p' /proc/self/cgroup)
	above=/sys/fs/cgroup${own%/*}
	bomb=$helpers/bomb
}

teardown() {
	if kill -0 "${pid-x}" 2>/dev/null; then
		kill "$pid"
		wait "$pid"
	fi
	[ ! -d "${made-}" ] || rmdir "$made"
}

can_cgroup() {
	[ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] && [ "$own" != / ] &&
		[ -O "$above" ] && [ -w "$above/cgroup.procs" ] || return
	grep -qw memory "$above/cgroup.subtree_control" || {
		[ -z "$(cat "$above/cgroup.procs")" ] &&
			echo '+memory +pids +cpu' >"$above/cgroup.subtree_control"
	}
	grep -w memory "$above/cgroup.subtree_control" | grep -w pids |
		grep -qw cpu
}

spawn() {
	chock-spawn -p base --chdir /usr --read "$helpers" --report-fd 4 "$@" \
		4>report
}

opened() {
	head -n 1 report | json "$1"
}

result() {
	tail -n 1 report | json "$1"
}

# left - how many cgroups of chock's are there
left() {
	find "$above" -maxdepth 1 -name 'chock-*' | wc -l
}

# exec_in OPTION... - become one; in the cgroup $made, if that is set
exec_in() {
	[ -z "${made-}" ] || [ -z "${enter-}" ] ||
		echo "$BASHPID" >"$made/cgroup.procs"
	exec chock-spawn -p base --chdir /usr --report-fd 4 "$@" -- \
		sh -c 'cat /proc/self/cgroup; read -r _' 4>report
}

# held OPTION... - start one that waits for a line on descriptor 7, and tell
# its cgroup
held() {
	rm -f pipe inside
	mkfifo pipe
	exec_in "$@" <pipe >inside &
	pid=$!
	exec 7>pipe
	until [ -s inside ]; do kill -0 "$pid" || return; done
	cgroup=/sys/fs/cgroup$(sed -n 's/^0:://p' inside)
}

let_go() {
	echo >&7
	exec 7>&-
	wait "$pid"
	unset pid
}

# ---- with a cgroup

@test "is born in a cgroup of its own, which goes with it" {
	require cgroup
	before=$(cat "$above/cgroup.subtree_control")
	held
	[[ $cgroup == "$above"/chock-???????????????? ]]
	[ "$(cat "$cgroup/memory.max")" = 2147483648 ]
	[ ! -e "$cgroup/memory.swap.max" ] ||
		[ "$(cat "$cgroup/memory.swap.max")" = 0 ]
	[ "$(cat "$cgroup/pids.max")" = $(($(opened .limits.processes.value) + 1)) ]
	[ "$(cat "$cgroup/cpu.max")" = 'max 100000' ]
	[ "$(cat "$cgroup/memory.oom.group")" = 0 ]
	let_go
	[ ! -e "$cgroup" ]
	[ "$(cat "$above/cgroup.subtree_control")" = "$before" ]
	[ "$(opened .layers.cgroup.state)" = on ]
	for limit in memory processes; do
		[ "$(result ".limits.$limit.state")" = on ]
	done
	[ "$(result .limits.cpu.state)" = off ]
	[ ! -e "$above/memory.peak" ] || [ "$(result '.memory_peak > 4096')" = true ]
}

@test "sets each limit to what it was told" {
	require cgroup
	held --limit memory=64MiB --limit processes=20 --limit cpu=2
	[ "$(cat "$cgroup/memory.max")" = 67108864 ]
	[ "$(cat "$cgroup/pids.max")" = 21 ]
	[ "$(cat "$cgroup/cpu.max")" = '200000 100000' ]
	let_go
	[ "$(result .limits.cpu.state)" = on ]
	[ "$(result .limits.cpu.value)" = 2 ]
	held --limit memory=none --limit processes=none
	[ "$(cat "$cgroup/memory.max")" = max ]
	[ "$(cat "$cgroup/pids.max")" = max ]
	let_go
	[ "$(result .limits.memory.state)" = off ]
}

@test "ends a command that takes too much memory, of any kind" {
	require cgroup
	local how
	for how in heap shared memfd 'file 100 /tmp/f'; do
		# shellcheck disable=SC2086
		set -- $how
		run -0 "$bomb" "$1" "${2-100}" "${3+$BATS_TEST_TMPDIR/f}"
		run -137 spawn --limit memory=50MiB -- "$bomb" "$1" "${2-100}" "${3-x}"
		[ "$(result .killed)" = memory ]
		[ "$(result .signal)" = 9 ]
		[[ $(result .notice) == *"memory limit was reached"* ]]
		run -0 spawn --limit memory=50MiB -- "$bomb" "$1" 10 "${3-x}"
		[ "$(result .killed)" = null ]
		[ "$(result .notice)" = null ]
	done
}

@test "takes back what the disk has as well, and kills nobody for it" {
	require cgroup
	mkdir d
	run -0 spawn --limit memory=50MiB --write "$PWD/d" -- \
		"$bomb" read 150 "$PWD/d/f"
	[ "$(result .killed)" = null ]
}

@test "kills the offender and not who started it" {
	require cgroup
	run -0 spawn --limit memory=50MiB -- \
		sh -c '"$0" heap 100; echo "went on after $?"' "$bomb"
	[[ $output == *'went on after 137' ]]
	[ "$(result .killed)" = null ]
	[[ $(result .notice) == *'memory limit was reached (processes killed for it: 1)'* ]]
}

@test "refuses processes, and says that it did though the command went on" {
	require cgroup
	run -0 "$helpers/act" forks 60
	run -0 spawn --limit processes=16 -- \
		sh -c '"$0" forks 60; echo "went on after $?"' "$bomb"
	[ "$output" = $'EAGAIN\nwent on after 1' ]
	[ "$(result .killed)" = null ]
	[[ $(result .notice) == *'processes limit was reached (processes refused: 1)'* ]]
	run -0 spawn --limit processes=16 -- "$bomb" forks 10
	[ "$(result .notice)" = null ]
	[ "$(left)" = 0 ]
}

@test "leaves no cgroup where process 1 itself was killed" {
	require cgroup
	held
	local status=0
	kill -9 "$(head -n 1 "$cgroup/cgroup.procs")"
	wait "$pid" || status=$?
	[ "$status" -eq 125 ]
	exec 7>&-
	[ ! -e "$cgroup" ]
}

@test "takes along what its caller is limited to" {
	require cgroup
	made=$above/small-$$
	mkdir "$made"
	echo 100M >"$made/memory.max"
	echo 40 >"$made/pids.max"
	echo '50000 100000' >"$made/cpu.max"
	enter=yes
	held
	[ "$(cat "$cgroup/memory.max")" = 104857600 ]
	[ "$(cat "$cgroup/pids.max")" = 41 ]
	[ "$(cat "$cgroup/cpu.max")" = '50000 100000' ]
	let_go
}

@test "removes what the dead left, and not what is in use" {
	require cgroup
	held
	kill -9 "$pid"
	wait "$pid" || [ $? -eq 137 ]
	exec 7>&-
	until ! grep -q 'populated 1' "$cgroup/cgroup.events"; do :; done
	[ -d "$cgroup" ]
	dead=$cgroup
	made=$above/chock-of-others
	mkdir "$made"
	held
	[ ! -e "$dead" ]
	[ -d "$made" ]
	rmdir "$made"
	unset made
	spawn -- true
	[ -d "$cgroup" ]
	let_go
	[ "$(left)" = 0 ]
}

@test "leaves no cgroup after many, at once too" {
	require cgroup
	local pids=() i
	for i in 1 2 3 4 5 6; do
		chock-spawn -p base -- true &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	[ "$(left)" = 0 ]
}

@test "is born in the cgroup that it is given, and does no more with it" {
	require cgroup
	made=$above/given-$$
	mkdir "$made"
	exec 9<"$made"
	held --cgroup 9 --limit memory=64MiB --limit cpu=1
	[ "$cgroup" = "$made" ]
	[ "$(cat "$made/memory.max")" = max ]
	[ "$(cat "$made/cpu.max")" = 'max 100000' ]
	[ "$(left)" = 0 ]
	let_go
	[ -d "$made" ]
	[ "$(result .limits.memory.state)" = supplied ]
	[ "$(result .limits.cpu.state)" = supplied ]
	[ "$(result .layers.cgroup.reason)" = "the caller's own" ]
	[ "$(result .memory_peak)" = null ]
}

@test "is not born at all where the cgroup that it is given cannot have it" {
	require cgroup
	exec 9<"$above"
	run -125 --separate-stderr spawn --cgroup 9 -- sh -c 'echo ran'
	[ "$stderr" = "chock-spawn: layer 'cgroup': cannot start a process in the cgroup: its children have controllers, so that it can have no processes" ]
	[ -z "$output" ]
	made=$above/given-$$
	mkdir "$made"
	exec 9<"$made"
	rmdir "$made"
	run -125 --separate-stderr spawn --cgroup 9 -- sh -c 'echo ran'
	[ "$stderr" = "chock-spawn: layer 'cgroup': cannot start a process in the cgroup: it was removed" ]
	[ -z "$output" ]
}

@test "names the call that it is born by where that is forbidden" {
	require cgroup
	made=$above/given-$$
	mkdir "$made"
	exec 9<"$made"
	run -125 --separate-stderr "$helpers/confine" answer clone3 38 -- \
		chock-spawn -p base --cgroup 9 -- sh -c 'echo ran'
	[[ $stderr == "chock-spawn: layer 'cgroup': cannot start a process in the cgroup: clone3(2)"* ]]
	[ -z "$output" ]
	run -0 "$helpers/confine" answer clone3 38 -- \
		chock-spawn -p base --report-fd 4 -- true 4>report
	[ "$(opened .layers.cgroup.state)" = absent ]
	[[ $(opened .layers.cgroup.reason) == *clone3* ]]
	[ "$(opened .limits.memory.state)" = partial ]
	[ "$(left)" = 0 ]
}

# ---- without

@test "says who holds what where there is no cgroup" {
	spawn --cgroup none -- true
	[ "$(opened .layers.cgroup.state)" = off ]
	[ "$(opened .layers.cgroup.reason)" = 'none was asked for' ]
	[ "$(opened .limits.memory.state)" = partial ]
	[[ $(opened .limits.memory.reason) == 'process 1 looks ten times a second; '*memfds* ]]
	state=on
	[ "$(id -u)" -ne 0 ] || state=partial
	[ "$(opened .limits.processes.state)" = "$state" ]
	[ "$(opened .limits.disk.state)" = off ]
	spawn --cgroup none --limit memory=none -- true
	[ "$(opened .limits.memory.state)" = off ]
	[ "$(opened .limits.memory.reason)" = null ]
}

@test "refuses a limit of processors that nobody can hold, unless told" {
	run -125 --separate-stderr spawn --cgroup none --limit cpu=1 -- sh -c 'echo ran'
	[ "$stderr" = "chock-spawn: layer 'cgroup': nothing can hold 'limit cpu': none was asked for" ]
	[ -z "$output" ]
	echo 'limit cpu 50%' >policy
	run -125 --separate-stderr spawn -p ./policy --cgroup none -- true
	[[ $stderr == *"nothing can hold 'limit cpu'"* ]]
	run -0 spawn --cgroup none --limit cpu=1 --allow-degraded cgroup -- true
	[ "$(result .layers.cgroup.state)" = waived ]
	[ "$(result .limits.cpu.state)" = off ]
	[ "$(result .limits.cpu.reason)" = 'there is no cgroup' ]
}

@test "refuses what is no cgroup" {
	exec 9</usr
	run -125 --separate-stderr spawn --cgroup 9 -- sh -c 'echo ran'
	[ "$stderr" = "chock-spawn: layer 'cgroup': descriptor 9 is no directory of cgroup v2" ]
	[ -z "$output" ]
	while IFS='|' read -r word message; do
		run -100 --separate-stderr spawn --cgroup "$word" -- true
		[ "$stderr" = "chock-spawn: --cgroup: $message" ]
	done <<-'END'
		2|descriptor 2 is the command's own: name one from 3 on
		77|cannot use descriptor 77: Bad file descriptor
		atuo|'atuo' is neither auto nor none nor a descriptor
		-1|'-1' is neither auto nor none nor a descriptor
	END
}

@test "holds the lowest of what policies and ceilings say of memory" {
	echo 'limit memory 600MiB' >a
	echo 'limit memory 500MiB' >b
	mkdir -p "$HOME/.config/chock"
	spawn -p ./a -p ./b -- true
	[ "$(opened .limits.memory.value)" = 524288000 ]
	printf 'limit memory 100MiB\nlimit disk 1GiB\n' >"$HOME/.config/chock/ceiling"
	run -0 --separate-stderr spawn -p ./a -p ./b -- true
	[[ $stderr == *'limit memory 600MiB is above the 100MiB of '*': 100MiB holds'* ]]
	[ "$(opened .limits.memory.value)" = 104857600 ]
	[ "$(opened .limits.disk.value)" = 1073741824 ]
}
