#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Pipes that are standard input, output or error: the sandbox has others in
# their place, and chock-spawn passes on what belongs into the caller's

load lib/chock

# Who has one end of a pipe opens the other by its name in /proc, and Landlock
# holds no pipe: without chock each of these is done.

setup() {
	require landlock6 userns
	cd "$BATS_TEST_TMPDIR" || return
	act=$helpers/act
	mkfifo gate
}

# spawn [DRIVER] COMMAND... - with what the environment has in DRIVER
spawn() {
	chock-spawn --driver "${driver-namespaces}" -p base --read "$helpers" \
		-- "$@"
}

@test "has nobody write what a shell outside reads" {
	local driver
	outside() {
		printf 'one\ntwo\n' | while read -r x; do
			echo "got $x"
			[ "$x" != one ] || "$@" sh -c 'echo evil >/proc/self/fd/0' || :
		done
	}
	run -0 outside env
	[ "$output" = $'got one\ngot two\ngot evil' ]
	for driver in namespaces landlock; do
		: | spawn "$act" call openat -1 s:/proc/self/fd/0 0
		: | spawn "$act" call openat -1 s:/proc/self/fd/0 1 >out || [ $? -eq 1 ]
		[ "$(<out)" = EACCES ]
		run -0 --separate-stderr outside spawn
		[ "$output" = $'got one\ngot two' ]
		[[ $stderr == *"Permission denied" ]]
	done
}

@test "keeps to itself what it writes into its own" {
	outside() {
		: | {
			"$@" sh -c 'chmod u+w /proc/self/fd/0
				printf "evil\nevil\n" >/proc/self/fd/0
				read -r x && echo "$x" >&2' 2>inside
			cat
		}
	}
	run -0 outside env
	[ "$output" = evil ]
	run -0 outside spawn
	[ -z "$output" ]
	[ "$(<inside)" = evil ]
}

@test "reads nothing that others wrote into its output" {
	local driver
	outside() {
		{
			echo secret
			"$@" sh -c 'head -n 1 </proc/self/fd/1 >&2' 2>err || :
			echo >gate
		} | {
			read -r _ <gate
			cat
		}
	}
	run -0 outside env
	[ -z "$output" ]
	[ "$(<err)" = secret ]
	for driver in namespaces landlock; do
		run -1 spawn "$act" call openat -1 s:/proc/self/fd/1 0
		[ "$output" = EACCES ]
		run -0 spawn "$act" call openat -1 s:/proc/self/fd/1 1
		run -0 outside spawn
		[ "$output" = secret ]
		[[ $(<err) == *"Permission denied" ]]
		run -0 spawn sh -c 'echo out >/dev/stdout; echo err >/dev/stderr'
		[ "$output" = $'out\nerr' ]
	done
}

@test "takes nothing from the caller that it has not read" {
	local driver
	for driver in namespaces landlock; do
		run -0 eval "printf 'one\ntwo\nthree\n' | {
			spawn sh -c 'read -r x; echo in \$x'
			spawn head -c 3
			echo; spawn true; cat; }"
		[ "$output" = $'in one\ntwo\n\nthree' ]
	done
	# Whatever is read at once, and however much of what is shown is left.
	seq 100000 >numbers
	for size in 100 4096 12288 20480 131072; do
		cat numbers | {
			spawn dd bs=$size count=3 status=none
			cat
		} | cmp - numbers
		cat numbers | spawn dd bs=$size status=none | cmp - numbers
	done
}

@test "passes on what comes late, and the end" {
	{
		echo first
		read -r _ <gate
		echo second
	} | spawn sh -c 'read -r x; echo $x; read -r x; echo $x; read -r x || echo end' | {
		read -r line
		echo "$line"
		echo >gate
		cat
	} >out
	[ "$(<out)" = $'first\nsecond\nend' ]
}

@test "passes on everything, in its order, before it ends" {
	run -0 spawn sh -c 'for i in 1 2 3; do echo o$i; echo e$i >&2; done'
	[ "$output" = $'o1\ne1\no2\ne2\no3\ne3' ]
	run --separate-stderr -0 spawn sh -c 'echo out; echo err >&2'
	[ "$output" = out ]
	[ "$stderr" = err ]
	seq 300000 >numbers
	spawn seq 300000 | cmp - numbers
}

@test "holds as much for a reader that waits for the end as a pipe does" {
	{
		spawn sh -c 'i=0; while [ $i -lt 900 ]; do echo $i; i=$((i + 1)); done'
		echo >gate
	} | {
		read -r _ <gate
		cat
	} | cmp - <(seq 0 899)
}

@test "tells who writes that nobody reads" {
	run -0 eval 'spawn yes | head -n 1; echo "${PIPESTATUS[@]}"'
	[ "$output" = $'y\n141 0' ]
	run -0 eval 'yes | spawn true; echo "${PIPESTATUS[@]}"'
	[ "$output" = '141 0' ]
	run -0 eval 'yes | spawn head -n 1; echo "${PIPESTATUS[@]}"'
	[ "$output" = $'y\n141 0' ]
}

# full COMMAND... - run it, writing to who reads nothing until it has ended
full() {
	{
		"$@" || echo $? >status
		echo >gate
	} | {
		read -r _ <gate
	}
}

@test "holds the limit of time where its reader takes nothing" {
	full chock-spawn -p base --timeout 1 -- sh -c 'trap "" TERM; yes'
	[ "$(<status)" -eq 124 ]
	# What was written, but for the last of it, is no success when it is lost.
	rm status
	full chock-spawn -p base --timeout 1 -- head -c 100000 /dev/zero
	[ "$(<status)" -eq 124 ]
}

# Linux before 6.4 has neither for pipes (EOPNOTSUPP, 95), and a filter of a
# container may know neither.
@test "does so where a kernel or a filter has no read or write that never waits" {
	local errnum
	seq 30000 >numbers
	for errnum in 1 95; do
		cat numbers | {
			"$helpers/confine" answer preadv2 $errnum -- \
				"$helpers/confine" answer pwritev2 $errnum -- \
				chock-spawn -p base -- head -c 5000
			cat
		} | cmp - numbers
	done
}

@test "passes a pipe that is open both ways on its own way" {
	run -0 eval 'printf "one\n" | spawn head -n 1 0<>/proc/self/fd/0'
	[ "$output" = one ]
	run -0 eval 'spawn echo two 1<>/proc/self/fd/1 | head -n 1'
	[ "$output" = two ]
}

@test "says in the report that it does so" {
	told() {
		chock-spawn -p base --report-fd 3 -- true 3>report
		head -n 1 report | jq -c .layers.sockets
	}
	run -0 told </dev/null
	[[ $output == *'"standard pipes are relayed"'* ]]
	chock-spawn -p base --report-fd 3 -- true 3>report </dev/null >out 2>err
	[[ $(jq -c .layers.sockets report) != *relayed* ]]
}

memory='import fcntl, os, subprocess, sys
fd = os.memfd_create("x", os.MFD_ALLOW_SEALING)
os.write(fd, b"text\n")
if "sealed" in sys.argv[1]:
	fcntl.fcntl(fd, fcntl.F_ADD_SEALS, 2 | 4 | 8)
given = fd if sys.argv[1] == "both" else os.open("/proc/self/fd/%d" % fd, os.O_RDONLY)
os.lseek(given, 0, 0)
status = subprocess.run(sys.argv[2:], stdin=given).returncode
print("it is", os.pread(fd, 9, 0).decode(), end="")
sys.exit(status)'

@test "takes no file in memory that could be opened for more" {
	local driver
	command -v python3 >/dev/null || skip "nothing measured: no python3"
	run -0 python3 -c "$memory" read sh -c 'echo evil >/dev/stdin'
	[ "$output" = 'it is evil' ]
	for driver in namespaces landlock; do
		run -125 python3 -c "$memory" read chock-spawn --driver $driver -p base -- true
		[[ $output == "chock-spawn: standard input is a file in memory (a memfd)"*"it is text" ]]
		run -0 python3 -c "$memory" both chock-spawn --driver $driver -p base -- cat
		[ "$output" = $'text\nit is text' ]
		run -0 python3 -c "$memory" sealed chock-spawn --driver $driver -p base -- \
			sh -c 'cat; ! echo evil >/dev/stdin'
		[[ $output == text*"Operation not permitted"*"it is text" ]]
	done
}
