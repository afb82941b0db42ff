#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What several layers of a sandbox hold at once, each of them holds alone: the
# others are taken away by name, as on a kernel without them, and the act is
# refused all the same.  Without the one that is left, too, it gets through.
#
#	process 1 ── cannot be read (not dumpable, wiped, without capabilities)
#	command   ── no namespace, no key, no bits, no socket of the host

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

EPERM=1 ENOSYS=38
CLONE_NEWUSER=$((0x10000000))

setup() {
	require userns landlock
	act=$helpers/act
	confine=$helpers/confine
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -z "${pid-}" ] || ! kill -0 "$pid" || kill "$pid"
}

spawn() {
	chock-spawn -p base --cgroup none --chdir /usr --read "$helpers" "$@"
}

# unfiltered OPTION... - a sandbox without the filter of system calls, because
# the kernel seems to have none (SECCOMP_GET_ACTION_AVAIL)
unfiltered() {
	"$confine" answer seccomp "$ENOSYS" 0=2 -- chock-spawn -p base \
		--cgroup none --chdir /usr --read "$helpers" \
		--allow-degraded seccomp --allow-degraded sockets "$@"
}

# unruled OPTION... - a sandbox without Landlock
unruled() {
	local part words=(--allow-degraded landlock)
	for part in refer truncate tcp ioctl scope; do
		words+=(--allow-degraded "landlock.$part")
	done
	"$confine" answer landlock_create_ruleset "$ENOSYS" -- \
		chock-spawn -p base --cgroup none --chdir /usr \
		--read "$helpers" "${words[@]}" "$@"
}

# held [OPTION...] - a sandbox that waits for a line on descriptor 7; sets pid
# and init
held() {
	mkfifo ready hold
	chock-spawn -p base --cgroup none --chdir /usr "$@" -- \
		sh -c 'echo ready; read -r _' <hold >ready 3>&- &
	pid=$!
	exec 7>hold
	exec 8<ready
	read -r line <&8
	[ "$line" = ready ]
	init=$(ps -o pid= --ppid "$pid" | tr -d ' ')
}

# ---- process 1

@test "lets nobody read process 1, with Landlock or without" {
	local file run
	for run in spawn unruled; do
		for file in environ maps mem auxv exe cwd root; do
			run -1 "$run" -- "$act" call openat -1 "s:/proc/1/$file" 0
			[ "$output" = EACCES ]
		done
		run -0 "$run" -- "$act" call openat -1 s:/proc/self/environ 0
	done
}

@test "leaves process 1 no capability, and no word of its caller's" {
	run -0 spawn -- grep -E '^(Cap|NoNewPrivs)' /proc/1/status
	[ "$output" = "$(
		printf 'Cap%s:\t0000000000000000\n' Inh Prm Eff Bnd Amb
		printf 'NoNewPrivs:\t1'
	)" ]
	export SECRET=canary
	held --env WORD=canary
	run -0 grep -c canary "/proc/$pid/environ"
	run -1 grep -c canary "/proc/$init/cmdline"
	# Of an ordinary user's nobody but root reads it outside, either.
	run grep -c canary "/proc/$init/environ"
	[ "$status" -ne 0 ]
	echo >&7
	exec 7>&- 8<&-
	wait "$pid"
	unset pid
}

@test "has process 1 take no orders from inside, with Landlock or without" {
	local run
	for run in spawn unruled; do
		run -0 "$run" -- sh -c 'for signal in 1 2 3 9 14 15 18 19 20; do
				"$0" call kill 1 $signal >/dev/null
			done; echo still here' "$act"
		[ "$output" = 'still here' ]
	done
}

# It counts memory and processes where there is no cgroup: who could slow it
# could have more of both.
@test "slows and limits process 1 by no call, and its own by any" {
	local call own
	while IFS='|' read -r call own; do
		call=${call/UID/$(id -u)}
		# shellcheck disable=SC2086
		run -0 unfiltered -- "$act" call ${call//PID/1}
		# shellcheck disable=SC2086
		run -1 spawn -- "$act" call ${call//PID/1}
		[ "$output" = EPERM ]
		run -0 spawn -- sh -c "sleep 100 & exec '$act' call $own"
	done <<-'END'
		setpriority 0 PID 5|setpriority 0 $! 5
		setpriority 1 PID 5|setpriority 1 0 5
		setpriority 2 UID 5|setpriority 0 0 5
		ioprio_set 1 PID 24576|ioprio_set 1 $! 24576
		ioprio_set 3 UID 24576|ioprio_set 2 0 24576
		sched_setscheduler PID 5 x:00000000|sched_setscheduler $! 5 x:00000000
		sched_setaffinity PID 8 x:ffffffffffffffff|sched_setaffinity $! 8 x:ffffffffffffffff
		prlimit64 PID 7 0 page|prlimit64 0 7 0 page
	END
}

@test "ends everything when it is killed, though process 1 hangs" {
	local status=0
	held
	kill -STOP "$init"
	kill -KILL "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 137 ]
	unset pid
	# The command has the pipe for as long as it is there.
	run -0 timeout 10 cat <&8
	exec 7>&- 8<&-
}

# ---- namespaces and privileges

@test "makes no user namespace, with the filter or without" {
	"$act" call unshare "$CLONE_NEWUSER"
	run -159 spawn -- "$act" call unshare "$CLONE_NEWUSER"
	run -1 unfiltered -- "$act" call unshare "$CLONE_NEWUSER"
	[ "$output" = ENOSPC ]
	run -1 unfiltered -- "$act" call clone $((CLONE_NEWUSER | 17)) 0 0 0 0
	[ "$output" = ENOSPC ]
	run -0 unfiltered -- "$act" call clone 17 0 0 0 0
}

@test "goes without neither of the two that hold user namespaces" {
	# Without a procfs of its own the host's leads to the limit; a covered one
	# does not, and then the filter is all there is.
	covered() {
		unshare --user --map-root-user --mount sh -c \
			'mount -t tmpfs none /proc/sys && exec "$@"' - "$@"
	}
	run -0 covered chock-spawn -p base --cgroup none --allow-degraded proc \
		--report-fd 3 -- true 3>report
	[ "$(head -n 1 report | json .layers.userns.reason)" = \
		'nested ones are refused by seccomp alone' ]
	run -125 --separate-stderr covered "$confine" answer seccomp "$ENOSYS" \
		0=2 -- chock-spawn -p base --cgroup none --allow-degraded proc \
		--allow-degraded seccomp --allow-degraded sockets -- echo ran
	[[ $stderr == "chock-spawn: layer 'userns': cannot write '/proc/sys/user/max_user_namespaces': "* ]]
	[ -z "$output" ]
}

# noroot, no_setuid_fixup and no_cap_ambient_raise with their locks, and the
# lock of keep_caps, see capabilities(7).
@test "has an exec of root's give nothing, and that for good" {
	local bits=$((0x1 | 0x2 | 0x4 | 0x8 | 0x20 | 0x40 | 0x80))
	"$act" securebits 0
	run -0 spawn -- "$act" securebits "$bits"
	run -1 spawn -- "$act" call prctl 28 0 # PR_SET_SECUREBITS
	[ "$output" = EPERM ]
}

# ---- keys

@test "has a session keyring of its own, with the filter or without" {
	"$act" keyed true || skip 'nothing measured: no keyrings'
	run -0 "$act" keyed "$act" find-key chock-act
	export -f spawn unfiltered
	export confine helpers ENOSYS
	keyed() {
		"$act" keyed bash -c '"$@"' - "$@"
	}
	run -1 keyed unfiltered -- "$act" find-key chock-act
	[ "$output" = ENOKEY ]
	run -159 keyed spawn -- "$act" find-key chock-act
	# Where that layer is waived as well, the key is there.
	run -0 keyed "$confine" answer keyctl "$EPERM" 0=1 -- \
		bash -c '"$@"' - unfiltered --allow-degraded keyring -- \
		"$act" find-key chock-act
}

# ---- what is passed

@test "refuses sockets of the host's network, of any kind, at any descriptor" {
	local fd name
	exec 5<>/dev/udp/127.0.0.1/9
	for fd in 0 1 2; do
		name=(input output error)
		run -125 bash -c "exec \"\$@\" $fd<&5" - chock-spawn -p base \
			--status-fd 3 -- true 3>line
		[ "$(json .layer <line)" = netns ]
		[[ $(json .error <line) == *"standard ${name[$fd]} is a network socket of the host"* ]]
	done
	spawn --net host -- true <&5
	exec 5>&-
}

# ---- places

@test "holds what it holds in a directory that nobody may write" {
	mkdir -m 555 closed
	cd closed || return
	run -0 chock-spawn -p base --read . -- sh -c 'pwd; ls -A'
	[ "$output" = "$PWD" ]
	run -1 chock-spawn -p base --read . -- touch "$HOME/file"
	[ -z "$(ls -A "$HOME")" ]
}

@test "works in a sandbox of bwrap's, or says in one line what that forbids" {
	command -v bwrap >/dev/null || skip 'nothing measured: no bwrap'
	outer() {
		bwrap --bind / / --dev /dev "$@"
	}
	outer true || skip 'nothing measured: bwrap does not work here'
	run -37 outer chock-spawn -p base --cgroup none --chdir /usr -- \
		sh -c 'exit 37'
	run --separate-stderr outer --proc /proc chock-spawn -p base \
		--cgroup none --chdir /usr -- sh -c 'exit 37'
	[ "$status" -eq 37 ] || {
		[ "$status" -eq 125 ]
		[[ $stderr == "chock-spawn: layer 'proc': "* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	}
	outer --unshare-user --disable-userns true ||
		skip 'half measured: this bwrap disables no namespaces'
	run -125 --separate-stderr outer --unshare-user --disable-userns \
		chock-spawn -p base --cgroup none --chdir /usr -- true
	[[ $stderr == "chock-spawn: layer 'userns': "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
}
