#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# From inside: every way to a process, a message or a network that is outside,
# and to what holds the sandbox itself.  The victim is a process of the test's
# own; each act reaches it without the sandbox.

load lib/chock
load lib/escape

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

setup() {
	require userns landlock
	act=$helpers/act
	driver=namespaces
	work=$BATS_TEST_TMPDIR/work
	mkdir "$work"
	cd "$work" || return
	mkfifo hold ready
	victim=
	pids=()
}

teardown() {
	exec 7>&- 8<&-
	end "${pids[@]}" ${victim:+"$victim"}
	[ -z "${key-}" ] || ipcrm -M "$key" -Q "$key" 2>/dev/null || :
}

# A new victim; what an act did to the last one may not have come to pass yet.
plant() {
	[ -z "$victim" ] || end "$victim"
	sleep 300 >/dev/null 2>&1 3>&- &
	victim=$!
}

# A victim that is no stronger than one inside.
plant_weak() {
	[ -z "$victim" ] || end "$victim"
	weak sh -c 'echo >ready; exec sleep 300' >/dev/null 2>&1 3>&- &
	victim=$!
	read -r _ <ready
}

# end PID... - kill it, and wait, which is where bash says that it was killed
end() {
	local pid
	for pid; do
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# The word PID stands for the victim, who is another one after an act of signals.
outside() {
	"$act" "${@//PID/$victim}"
}

inside() {
	spawn -- "$act" "${@//PID/$victim}"
}

spawn() {
	chock-spawn --driver "$driver" -p base --read "$helpers" --write "$work" "$@"
}

# each_driver TEST... - with both, where there are both
each_driver() {
	driver=namespaces
	"$@"
	can_landlock6 || return 0
	driver=landlock
	"$@"
}

# serve SOCKET... - a server outside, until the end of the test
serve() {
	exec 7<>hold
	"$act" serve "$@" <hold >ready 7>&- 3>&- &
	pids+=("$!")
	read -r line <ready
	[ "$line" = ready ]
}

@test "finds nobody outside by procfs, by any spelling" {
	local entry
	for entry in stat status cmdline environ maps mem fd cwd exe root \
		task ns/pid attr/current; do
		refused ENOENT call openat here s:/proc/PID/$entry 0
		refused ENOENT call openat here s:/proc/self/root/proc/PID/$entry 0
	done
	for entry in cwd exe root fd/0; do
		refused ENOENT call readlink s:/proc/PID/$entry page 4096
	done
	refused ENOENT call chdir s:/proc/PID
	refused ENOENT call access s:/proc/PID 0
	enough 24
	ln -s "/proc/$BASHPID" "$work/link"
	refused ENOENT call openat here "s:$work/link/stat" 0
	works call openat here s:/proc/self/stat 0
	run -0 spawn -- sh -c 'cd /proc && echo [0-9]*'
	[[ " $output " != *" $BASHPID "* ]]
	can_landlock6 || return 0
	driver=landlock
	plant() {
		plant_weak
	}
	outside() {
		weak "$act" "${@//PID/$victim}"
	}
	for entry in environ maps mem auxv root/etc exe; do
		refused EACCES call openat here s:/proc/PID/$entry 0
	done
	# Memory is opened by nobody where ptrace_scope is above 0.
	enough 29
}

# What each answers where the process is not there at all, and where Landlock
# and the filter alone stand before it.
signals() {
	local gone=ESRCH
	[ "$driver" = namespaces ] || gone=EPERM
	refused $gone call kill PID 15
	refused $gone call kill PID 0
	refused $gone call tkill PID 15
	refused $gone call tgkill PID PID 15
	works call kill 0 0
}

@test "signals nobody outside by pid, with either driver" {
	each_driver signals
	enough 4
}

@test "holds no descriptor of a process outside" {
	refused ESRCH call pidfd_open PID 0
	enough 1
	can_landlock6 || return 0
	driver=landlock
	# It can be had, and does nothing.
	run inside call pidfd_open PID 0
	[ "$status" -le 1 ]
}

# A signal that the kernel sends, when there is something to read.
kernel_sends() {
	plant
	run inside sigio PID
	[ "$status" -le 1 ]
	kill -0 "$victim"
	[[ $(ps -o stat= -p "$victim") == S* ]]
}

@test "has the kernel send no signal for it, with either driver" {
	local status=0
	plant
	"$act" sigio "$victim"
	wait "$victim" || status=$?
	[ "$status" -eq 157 ]
	each_driver kernel_sends
}

# How the victim is scheduled.
scheduled() {
	ps -o ni= -p "$victim"
	ionice -p "$victim"
	taskset -p "$victim" | sed 's/.*: //'
}

# All of a user's processes at once, of which outside there are others, and one.
everybody() {
	local gone=ESRCH
	[ "$driver" = namespaces ] || gone=EPERM
	plant_weak
	run inside call kill -1 9
	run -1 inside call setpriority 2 "$(id -u)" 19
	[ "$output" = EPERM ]
	run -1 inside call ioprio_set 3 "$(id -u)" $((3 << 13))
	[ "$output" = EPERM ]
	run -1 inside call setpriority 0 PID 19
	[ "$output" = $gone ]
	run -1 inside call sched_setaffinity PID 8 x:0100000000000000
	[ "$output" = $gone ]
	[ "$(scheduled)" = "$before" ]
}

@test "neither ends nor slows all of its user's processes, with either driver" {
	plant
	before=$(scheduled)
	each_driver everybody
	run -0 weak "$act" call setpriority 0 "$victim" 19
	run -0 weak "$act" call sched_setaffinity "$victim" 8 x:0100000000000000
	[ "$(scheduled)" != "$before" ]
	[ "$(ps -o ni= -p "$victim" | tr -d ' ')" = 19 ]
}

# Two sandboxes that run at once: the first leaves something, waits, and is
# still there when the second has tried.
rendezvous() {
	local key=$((0x63690000 + RANDOM)) name=chock-$BASHPID-$RANDOM pid
	exec 7<>hold
	spawn -- bash -c '
		"$1" call shmget "$2" 4096 $((01600)) >/dev/null
		"$1" call msgget "$2" $((01600)) >/dev/null
		"$1" call mq_open "s:$3" $((0102)) $((0600)) 0 >/dev/null
		echo secret >/dev/shm/"$3"
		echo secret >/tmp/"$3"
		"$1" serve abstract-dgram "$3" <&0 &
		exec "$1" serve abstract "$3"' - "$act" "$key" "$name" \
		<hold >ready 7>&- 3>&- &
	pid=$!
	pids+=("$pid")
	exec 8<ready
	read -r line <&8 && read -r line <&8 || line=
	# Below ABI 9 the driver 'landlock' gives no sockets at all.
	[ "$line" = ready ] || [ "$driver" = landlock ]
	if [ "$line" = ready ] && [ "$driver" = landlock ]; then
		run -0 outside connect abstract "$name"
		run -0 outside send sendto abstract-dgram "$name"
	fi
	run -1 inside call shmget "$key" 0 0
	[[ $output == "$absent" ]]
	run -1 inside call msgget "$key" 0
	[[ $output == "$absent" ]]
	run -1 inside call mq_open "s:$name" 2 0 0
	[[ $output == "$absent" ]]
	run -1 inside connect abstract "$name"
	[[ "|$closed|" == *"|$output|"* ]]
	run -1 inside send sendto abstract-dgram "$name"
	[[ "|$closed|" == *"|$output|"* ]]
	run -1 inside call openat here "s:/tmp/$name" 0
	run -1 inside call openat here "s:/dev/shm/$name" 0
	exec 7>&-
	wait "$pid" || :
}

# What two processes do without a sandbox.
meet() {
	key=$((0x63680000 + RANDOM))
	local name=chock-$BASHPID-$RANDOM
	run -0 "$act" call shmget "$key" 4096 $((01600))
	run -0 "$act" call shmget "$key" 0 0
	run -0 "$act" call msgget "$key" $((01600))
	run -0 "$act" call msgget "$key" 0
	run -0 "$act" call mq_open "s:$name" $((0102)) $((0600)) 0
	run -0 "$act" call mq_open "s:$name" 2 0 0
	run -0 "$act" call mq_unlink "s:$name"
}

@test "meets no other sandbox that runs at the same time" {
	meet
	absent=ENOENT closed=ECONNREFUSED
	rendezvous
}

# Kernels differ in the error that a scope of Landlock's is.
@test "meets no other sandbox without namespaces either" {
	require landlock6
	driver=landlock absent=ENOSYS closed='EACCES|EPERM'
	rendezvous
}

@test "reaches no socket of the host's without a connection, either" {
	local name=chock-$BASHPID-$RANDOM
	serve abstract-dgram "$name"
	dgram() {
		refused "$closed" send sendto abstract-dgram "$name"
		refused "$closed" send sendmsg abstract-dgram "$name"
		refused "$closed" connect abstract-dgram "$name"
	}
	closed=ECONNREFUSED
	dgram
	enough 3
	can_landlock6 || return 0
	driver=landlock closed='EACCES|EPERM'
	dgram
}

@test "sees no port and no interface of the host" {
	local port line
	for port in $(shuf -i 20000-32000 -n 20); do
		run "$act" bind tcp "$port"
		[ "$status" -ne 0 ] || break
	done
	serve tcp "$port"
	line=$(printf '0100007F:%04X' "$port")
	grep -q "$line" /proc/net/tcp
	run -1 spawn -- grep -q "$line" /proc/net/tcp
	run -1 spawn -- grep -q "$line" /proc/self/net/tcp
	refused ECONNREFUSED connect tcp "$port"
	enough 1
	# By netlink's own table of sockets, and by its list of interfaces.
	refused EPROTONOSUPPORT call socket 16 3 4
	refused ENODEV interface netlink
	refused ENODEV interface ioctl
	works call socket 16 3 0
	[ "$measured" -gt 1 ] || skip "half measured: only loopback outside"
}

@test "changes nothing about its network" {
	# What whoever makes a network namespace may do in it, and a sandbox not.
	outside() {
		unshare --user --map-root-user --net "$act" "$@"
	}
	refused EPERM link-down lo
	# SO_MARK, IP_TRANSPARENT, SO_BINDTODEVICE to what is there, SIOCGSKNS
	refused EPERM on-socket 2 1 0 setsockopt fd 1 36 x:01000000 4
	refused EPERM on-socket 2 1 0 setsockopt fd 0 19 x:01000000 4
	refused EPERM on-socket 2 1 0 ioctl fd $((0x894c)) 0
	enough 3
	works on-socket 2 1 0 setsockopt fd 1 2 x:01000000 4
	works connect udp 9
}

# A filter and a ruleset of its own are put on top of what is there.
stacked() {
	refused killed filtered unshare $((0x10000000))
	refused killed filtered chroot s:/
	refused EBUSY listen unshare
	refused "$1" ruled openat here "s:$BATS_TEST_TMPDIR/other" 0
	works filtered getpid
	works ruled openat here "s:$work/mine" 0
}

@test "loosens no filter and no ruleset by others on top" {
	echo x >"$BATS_TEST_TMPDIR/other"
	echo x >"$work/mine"
	outside() {
		unshare --user --map-root-user "$act" "$@"
	}
	stacked ENOENT
	enough 3
	can_landlock6 || return 0
	driver=landlock
	stacked EACCES
}

@test "becomes nobody else, and gets nothing back that was given up" {
	outside() {
		unshare --user --map-root-user "$act" "$@"
	}
	# PR_SET_SECUREBITS, PR_CAPBSET_DROP, PR_CAP_AMBIENT_RAISE
	refused EPERM call prctl 28 1 0 0 0
	refused EPERM call prctl 24 5 0 0 0
	refused EPERM call prctl 47 2 5 0 0
	refused EPERM call capset x:2205082000000000 \
		x:0000200000002000000000000000000000000000000000 0 0
	enough 2
	outside() {
		"$act" "$@"
	}
	# Root outside may; 4321 is nobody there or here.
	refused "EPERM|EINVAL" call setuid 4321
	refused "EPERM|EINVAL" call setgid 4321
	refused "EPERM|EINVAL" call setresuid 4321 4321 4321
	refused EPERM call setgroups 1 x:e1100000
	works call setuid "$(id -u)"
	# PR_SET_NO_NEW_PRIVS is for good.
	run -1 inside call prctl 38 0 0 0 0
	[ "$output" = EINVAL ]
}

@test "inherits no descriptor, however many its caller holds" {
	local fds inside_fds outside_fds
	command -v python3 >/dev/null || skip "nothing measured: no python3"
	outside_fds=$(
		python3 - "$work" <<-'PY'
			import os, socket, sys
			held = [os.open(sys.argv[1], os.O_RDONLY) for _ in range(490)]
			pair = socket.socketpair()
			held += [end.fileno() for end in pair]
			for fd in held:
			    os.set_inheritable(fd, True)
			import subprocess
			def count(*prefix):
			    out = subprocess.run([*prefix, "sh", "-c", "echo /proc/self/fd/*"],
			                         close_fds=False, capture_output=True, text=True)
			    return len(out.stdout.split())
			print(count(), count("chock-spawn", "-p", "base", "--"))
		PY
	)
	read -r fds inside_fds <<<"$outside_fds"
	[ "$fds" -gt 490 ]
	[ "$inside_fds" -le 4 ]
}

# The answer of one act on a terminal that script(1) makes; its exit status.
on_terminal() {
	script -qec "$1" /dev/null </dev/null
}

terminal_acts() {
	local request
	for request in $((0x5412)) $((1 << 32 | 0x5412)) $((0x541c)) \
		$((1 << 32 | 0x541c)); do
		run -1 on_terminal "chock-spawn --driver $driver $1 -p base \
			--read ${helpers@Q} -- ${act@Q} call ioctl 0 $request s:x"
		[[ $output == *EPERM* ]]
	done
	# Its size is no secret.
	run -0 on_terminal "chock-spawn --driver $driver $1 -p base \
		--read ${helpers@Q} -- ${act@Q} call ioctl 0 $((0x5413)) page"
}

@test "types into no terminal, the caller's or its own, with either driver" {
	each_driver terminal_acts ''
	each_driver terminal_acts --tty
	[ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null)" != 0 ] ||
		skip "half measured: this kernel types for nobody"
	run -0 on_terminal "${act@Q} call ioctl 0 $((0x5412)) s:x"
	run -0 on_terminal "${act@Q} call ioctl 0 $((1 << 32 | 0x5412)) s:x"
}
