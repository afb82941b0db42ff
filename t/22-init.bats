#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: process 1 reaps, hands on signals, and takes everything with it
#
#	test ── chock-spawn ── [ chock-init (1) ── command (2) ── ... ]
#
# A sandbox says that it has come so far by a line in a FIFO, and that it is
# gone by the end of one that nothing else holds open for writing.

load lib/chock

setup() {
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	mkfifo ready held
}

teardown() {
	[ -z "${queue-}" ] || ipcrm -q "$queue"
}

spawn() {
	chock-spawn -p base --write "$PWD" "$@"
}

# start COMMAND... - run it in a sandbox in the background, its standard output
# a FIFO on descriptor 8 that ends when everything that inherited it is gone
start() {
	# A shell has its background processes ignore SIGINT and SIGQUIT.
	env --default-signal=INT,QUIT chock-spawn -p base --write "$PWD" \
		--status-fd 4 "${options[@]}" -- "$@" >held 4>line 8<&- 2>err &
	pid=$!
	exec 8<held
}

# ends STATUS - wait for what was started; it must end with just that
ends() {
	local status=0
	wait "$pid" || status=$?
	[ "$status" -eq "$1" ]
}

# await WORD - wait until the sandbox has said it
await() {
	local line
	read -r line <&8
	[ "$line" = "$1" ]
}

# gone - whether nothing of the sandbox is left, after at most 10 seconds
gone() {
	timeout 10 cat <&8 >rest
}

@test "is process 1, in a session and namespaces of its own" {
	run -0 spawn -- sh -c 'cd /proc; echo $$ [0-9]*; cat 1/comm; ps -o sid= -p $$'
	read -r pid all <<<"${lines[0]}"
	[ "$all" = "1 $pid" ]
	[ "${lines[1]}" = chock-init ]
	[ "${lines[2]}" -eq "$pid" ]
	for name in user pid ipc mnt net; do
		run -0 spawn -- readlink "/proc/self/ns/$name"
		[ "$output" != "$(readlink "/proc/self/ns/$name")" ]
	done
	for name in uts cgroup; do
		run -0 spawn -- readlink "/proc/self/ns/$name"
		[ "$output" = "$(readlink "/proc/self/ns/$name")" ]
	done
}

@test "sees no process of the host, and cannot signal one" {
	exec 9< <(exec cat ready)
	victim=$!
	kill -0 "$victim"
	run -1 spawn --read "$helpers" -- "$helpers/act" call kill "$victim" 0
	[ "$output" = ESRCH ]
	run -0 spawn --read "$helpers" -- sh -c "sleep 100 & '$helpers/act' call kill \$! 15"
	[ "$output" = ok ]
	kill -0 "$victim"
	: >ready
}

@test "reaps what its processes leave behind" {
	run -0 spawn -- sh -c '
		i=0
		while [ $i -lt 100 ]; do (true & (true &) ); i=$((i + 1)); done
		wait
		while [ "$(ps -eo stat= | grep -c Z)" -gt 0 ]; do :; done
		echo none'
	[ "$output" = none ]
}

@test "ends daemons with the command" {
	start sh -c '(setsid sleep 301 &) ; nohup sleep 302 2>/dev/null &
		(sleep 303 &) ; echo ready; exit 5'
	await ready
	ends 5
	gone
}

@test "ends everything when it is killed" {
	start sh -c 'setsid sleep 301 & trap "" TERM; echo ready; sleep 302'
	await ready
	kill -KILL "$pid"
	ends 137
	gone
	[ -z "$(find "$HOME" -mindepth 1)" ]
}

@test "hands on the signals of its caller" {
	for signal in INT TERM HUP QUIT; do
		start bash -c "trap 'echo $signal; exit 9' $signal
			echo ready; while :; do sleep 300 & wait; done"
		await ready
		kill "-$signal" "$pid"
		await "$signal"
		ends 9
		gone
	done
}

@test "dies as its command does of a signal that it handed on" {
	start sh -c 'echo ready; exec sleep 300'
	await ready
	kill -TERM "$pid"
	ends 143
	[ "$(cat line)" = '{"chock":"ran","signal":15}' ]
	gone
}

@test "hands a signal to all of the command's process group" {
	start sh -c 'sh -c "echo ready; exec sleep 301"; echo survived'
	await ready
	kill -INT "$pid"
	ends 130
	gone
	[ ! -s rest ]
}

@test "takes no orders from inside" {
	require landlock6
	run -0 spawn --read "$helpers" -- sh -c "
		for signal in 1 2 3 9 14 15 19 20; do
			'$helpers/act' call kill 1 \$signal
		done; echo still here"
	[ "${lines[0]}" = EPERM ]
	[ "${lines[-1]}" = "still here" ]
}

@test "cannot be read from inside" {
	run -0 env SECRET=canary chock-spawn -p base -- \
		sh -c 'tr "\0" " " </proc/1/cmdline; cat /proc/1/status'
	[[ $output == chock-init* ]]
	[[ $output != *base* ]]
	for file in environ maps mem exe; do
		run -1 env SECRET=canary chock-spawn -p base --read "$helpers" -- \
			"$helpers/act" call openat -1 "s:/proc/1/$file" 0
		[ "$output" = EACCES ]
		spawn --read "$helpers" -- \
			"$helpers/act" call openat -1 "s:/proc/self/$file" 0
	done
}

@test "stops and goes on with the sandbox" {
	start sh -c 'echo ready; read -r _ <ready; echo on'
	await ready
	kill -TSTP "$pid"
	until [ "$(ps -o stat= -p "$pid" | cut -c 1)" = T ]; do :; done
	child=$(ps -o pid= --ppid "$pid" | tr -d ' ')
	command=$(ps -o pid= --ppid "$child" | tr -d ' ')
	until [ "$(ps -o stat= -p "$command" | cut -c 1)" = T ]; do :; done
	kill -CONT "$pid"
	echo go >ready
	await on
	ends 0
	gone
}

@test "ends everything when its time is over" {
	options=(--timeout 1)
	start sh -c 'sleep 301 & setsid sleep 302 & echo ready; sleep 303'
	await ready
	ends 124
	[ "$(json .killed <line)" = time ]
	gone
	run -124 spawn --limit time=1 -- sleep 300
	run -0 spawn --timeout 60s -- true
}

@test "kills what does not end when it is asked to" {
	options=(--timeout 1)
	start sh -c 'trap "echo asked" TERM; echo ready
		while :; do sleep 300; done'
	await ready
	await asked
	ends 124
	run -1 grep -a chock-spawn err
	[ "$(json '"\(.signal) \(.killed)"' <line)" = '9 time' ]
	gone
}

@test "dies with its parent if it is asked to" {
	options=(--die-with-parent)
	cat >parent <<-'END'
		chock-spawn --die-with-parent -p base -- \
			sh -c 'echo ready; sleep 300' &
		read -r _ <ready
	END
	bash parent >held &
	pid=$!
	exec 8<held
	await ready
	kill -KILL "$pid"
	ends 137
	gone
}

@test "keeps ignoring what its caller ignores" {
	(
		trap '' INT
		exec chock-spawn -p base -- sh -c 'echo ready; exec sleep 300' >held
	) &
	pid=$!
	exec 8<held
	await ready
	kill -INT "$pid"
	kill -TERM "$pid"
	ends 143
	gone
}

# The user namespace.

@test "is the same user inside, without any capability" {
	run -0 spawn -- sh -c 'id -u; id -g; : >mine'
	[ "$output" = "$(
		id -u
		id -g
	)" ]
	[ "$(stat -c %u mine)" = "$(id -u)" ]
	run -0 spawn -- grep -E '^(Cap|NoNewPrivs)' /proc/self/status
	[ "$output" = "$(
		printf 'Cap%s:\t0000000000000000\n' Inh Prm Eff Bnd Amb
		printf 'NoNewPrivs:\t1'
	)" ]
	run -0 spawn -- cat /proc/self/setgroups
	[ "$output" = deny ]
}

@test "keeps no supplementary group of root" {
	require root
	run -0 setpriv --groups 4,20,27 chock-spawn -p base -- id -G
	[ "$output" = 0 ]
}

@test "lets nobody make a namespace inside" {
	"$helpers/act" call unshare 268435456
	run -159 spawn --read "$helpers" -- "$helpers/act" call unshare 268435456
}

# The ipc and the net namespace.

@test "shares no System V or POSIX queue with the host" {
	queue=$(ipcmk -Q | grep -o '[0-9]*$')
	[ "$(wc -l </proc/sysvipc/msg)" -gt 1 ]
	run -0 spawn -- sh -c 'wc -l </proc/sysvipc/msg'
	[ "$output" = 1 ]
	run -0 spawn -- sh -c 'ipcmk -Q >/dev/null; wc -l </proc/sysvipc/msg'
	[ "$output" = 2 ]
}

@test "reaches no port of the host, but its own" {
	require landlock6
	coproc SERVER { "$helpers/act" serve tcp 40712; }
	read -r line <&"${SERVER[0]}"
	[ "$line" = ready ]
	"$helpers/act" connect tcp 40712
	run -1 spawn --read "$helpers" -- "$helpers/act" connect tcp 40712
	[ "$output" = ECONNREFUSED ]
	run -0 spawn --read "$helpers" -- sh -c "
		mkfifo \$TMPDIR/end; '$helpers/act' serve tcp 40712 \
			<\$TMPDIR/end >\$TMPDIR/out & exec 5>\$TMPDIR/end
		until [ -s \$TMPDIR/out ]; do :; done
		'$helpers/act' connect tcp 40712"
	[ "$output" = ok ]
	run -0 spawn --net host --read "$helpers" -- \
		"$helpers/act" connect tcp 40712
	eval "exec ${SERVER[1]}>&-"
}

@test "reaches no abstract socket of the host" {
	require landlock6
	coproc SERVER { "$helpers/act" serve abstract chock-test-$$; }
	read -r line <&"${SERVER[0]}"
	[ "$line" = ready ]
	"$helpers/act" connect abstract chock-test-$$
	run -1 spawn --read "$helpers" -- \
		"$helpers/act" connect abstract chock-test-$$
	[ "$output" = ECONNREFUSED ]
	# Without a network namespace it is Landlock that refuses.
	run -1 spawn --net host --read "$helpers" -- \
		"$helpers/act" connect abstract chock-test-$$
	[ "$output" = EPERM ]
	eval "exec ${SERVER[1]}>&-"
}
