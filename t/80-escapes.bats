#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# From inside a sandbox of the base policy, with one directory to write: what
# an agent would try in order to reach the machine around it.  The layers are
# tested one by one in 81 to 85; here they stand together, as chock-spawn
# puts them up.
#
#	$work    granted to write     $work/file
#	$shown   granted to read      $shown/file
#	$hidden  not granted          $hidden/file

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

SIGSYS=159
minus=(-1 -1 -1 -1 -1 -1)

setup() {
	require userns landlock
	act=$helpers/act
	work=$BATS_TEST_TMPDIR/work
	shown=$BATS_TEST_TMPDIR/shown
	hidden=$BATS_TEST_TMPDIR/hidden
	mkdir "$work" "$shown" "$hidden"
	for dir in "$work" "$shown" "$hidden"; do
		echo outside >"$dir/file"
	done
	cd "$work" || return
}

teardown() {
	[ -z "${server-}" ] || kill "$server"
}

inside() {
	chock-spawn --policy base --read "$helpers" --read "$shown" \
		--write "$work" -- "$@"
}

# serve SOCKET... - a server outside, until the end of the test
serve() {
	coproc SERVER { exec "$act" serve "$@"; }
	server=$SERVER_PID
	read -r -u "${SERVER[0]}" ready
	[ "$ready" = ready ]
}

# free_port - a port of 127.0.0.1 that nobody listens on
free_port() {
	local port
	for port in $(shuf -i 20000-32000 -n 20); do
		run "$act" bind tcp "$port"
		[ "$status" -ne 0 ] || break
	done
	printf '%s\n' "$port"
}

@test "runs what it is for" {
	run -0 inside bash -c 'echo new >made && cat file'
	[ "$output" = outside ]
	[ "$(cat "$work/made")" = new ]
	run -0 inside cat "$shown/file"
}

@test "ends with SIGSYS for each call that is for killing" {
	local name class killed=()
	while read -r name class; do
		[ "$class" != killed ] || killed+=("$name")
	done <"$data/calls"
	[ "${#killed[@]}" -ge 30 ]
	run -0 inside bash -c '
		exec 2>/dev/null
		for name; do
			"$0" call "$name" -1 -1 -1 -1 -1 -1
			echo "$name $?"
		done' "$act" "${killed[@]}"
	[ "$(grep -c " $SIGSYS\$" <<<"$output")" -ge 30 ]
	run -1 grep -v " \\($SIGSYS\\|100\\)\$" <<<"$output"
}

@test "takes no call by the numbers of another architecture" {
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: x86_64 only"
	run -"$SIGSYS" inside "$act" foreign i386
	run -"$SIGSYS" inside "$act" foreign x32
}

@test "executes nothing that is only in memory" {
	run -0 "$act" exec-memfd fd
	run -"$SIGSYS" inside "$act" exec-memfd fd
	run -0 inside "$act" call execveat -1 s:/bin/true 0 0 0
	# Only root may set vm.memfd_noexec, also of a namespace of its own.
	chock-spawn --policy base --report-fd 5 -- true 5>"$BATS_TEST_TMPDIR/report"
	state=$(head -n 1 "$BATS_TEST_TMPDIR/report" | jq -r .layers.memfd.state)
	[ "$state" = on ] || skip "half measured: layer memfd is $state"
	run -1 inside "$act" exec-memfd proc
	[ "$output" = EACCES ]
}

@test "has no page that is writable and executable at once" {
	run -1 inside "$act" call mmap 0 4096 7 34 -1 0
	[ "$output" = EPERM ]
	run -1 inside "$act" call personality $((0x400000))
	[ "$output" = EPERM ]
	run -0 inside "$act" call personality $((0xffffffff))
	run -0 inside "$act" call mmap 0 4096 3 34 -1 0
}

@test "has no capability and gets none by a namespace" {
	run -0 inside grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status
	[ "$(grep -c '0000000000000000$' <<<"$output")" -eq 5 ]
	[[ $output == *$'NoNewPrivs:\t1' ]]
	run -"$SIGSYS" inside "$act" call clone $((0x10000000 | 17)) 0 0 0 0
	run -1 inside "$act" call clone3 "${minus[@]}"
	[ "$output" = ENOSYS ]
	run -"$SIGSYS" inside unshare --user true
}

@test "writes where it may and nowhere else" {
	run -1 inside "$act" call truncate "s:$shown/file" 0
	[[ $output == EACCES || $output == EROFS ]]
	run -1 inside "$act" call openat -1 "s:$shown/file" 2
	[[ $output == EACCES || $output == EROFS ]]
	run -1 inside "$act" call openat -1 s:/usr/bin/true 2
	[[ $output == EACCES || $output == EROFS ]]
	run -1 inside "$act" call openat -1 "s:$hidden/file" 0
	[[ $output == ENOENT || $output == EACCES ]]
	run -1 inside "$act" call mknodat -1 "s:$work/null" 8630 259
	[[ $output == EACCES || $output == EPERM ]]
	[ "$(cat "$shown/file" "$hidden/file")" = $'outside\noutside' ]
	mkdir "$work/a" "$work/b"
	run -0 inside mv "$work/file" "$work/b/file"
}

@test "gets no second name for a file outside, by link or symlink" {
	run -1 inside "$act" call linkat -1 "s:$shown/file" -1 "s:$work/name" 0
	[[ $output == EACCES || $output == EXDEV || $output == EROFS ]]
	ln -s "$hidden/file" "$work/link"
	run -1 inside "$act" call openat -1 "s:$work/link" 0
	[[ $output == ENOENT || $output == EACCES ]]
	run -0 inside ln "$work/file" "$work/second"
}

@test "neither renames nor removes the directory that it was given" {
	run inside mv "$work" "$work.old"
	[ "$status" -eq 1 ]
	run inside rmdir "$work"
	[ "$status" -eq 1 ]
	[ -f "$work/file" ]
	[ ! -e "$work.old" ]
}

@test "sees no process outside and signals none" {
	serve unix "$hidden/socket"
	run -1 inside "$act" call kill "$server" 0
	[[ $output == ESRCH || $output == EPERM ]]
	run -1 inside test -e "/proc/$server"
	run -1 inside test -e "/proc/self/root$hidden/file"
	run -0 inside bash -c 'ls -d /proc/[0-9]* | wc -l'
	[ "$output" -le 5 ]
	kill -0 "$server"
}

@test "reaches no shared memory, queue or semaphore outside" {
	local id
	id=$(ipcmk --shmem 4096 | grep -o '[0-9]*$')
	run -0 "$act" call shmat "$id" 0 0
	run -1 inside "$act" call shmat "$id" 0 0
	ipcrm --shmem-id "$id"
	[ "$output" = EINVAL ]
	run -0 inside bash -c 'ls /dev/shm | wc -l'
	[ "$output" = 0 ]
}

@test "connects to nothing that listens outside" {
	port=$(free_port)
	serve tcp "$port"
	run -0 "$act" connect tcp "$port"
	run -1 inside "$act" connect tcp "$port"
	[ "$output" = ECONNREFUSED ]
	run -0 inside "$act" bind tcp "$port"
}

@test "connects to no abstract socket outside" {
	name=chock-escape-$BASHPID-$RANDOM
	serve abstract "$name"
	run -0 "$act" connect abstract "$name"
	run -1 inside "$act" connect abstract "$name"
	[[ $output == EPERM || $output == ECONNREFUSED ]]
	run -0 inside "$act" bind abstract "$name"
}

@test "has no rendezvous with another sandbox" {
	run -0 inside bash -c 'echo secret >/tmp/left; echo secret >/dev/shm/left'
	run -1 inside test -e /tmp/left
	run -1 inside test -e /dev/shm/left
	[ ! -e /tmp/left ]
}

@test "opens no socket but by the list" {
	while read -r family type protocol errno; do
		run -1 inside "$act" call socket "$family" "$type" "$protocol"
		[ "$output" = "$errno" ]
	done <<-'END'
		2 1 262 EPROTONOSUPPORT
		2 3 1 EPERM
		16 3 9 EPROTONOSUPPORT
		17 3 0 EAFNOSUPPORT
		38 5 0 EAFNOSUPPORT
	END
	run -"$SIGSYS" inside "$act" call socket 40 1 0
	run -0 inside "$act" call socket 2 1 0
}

@test "types nothing into the terminal that it was started on" {
	local request
	for request in $((0x5412)) $((1 << 32 | 0x5412)) $((0x541c)); do
		run script -qec "chock-spawn --policy base --read ${helpers@Q} -- ${act@Q} call ioctl 0 $request s:x" \
			/dev/null </dev/null
		[[ $output == *EPERM* ]]
	done
}

@test "raises none of its limits" {
	local resource most
	most=s:$'\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'
	for resource in 0 1 6 7; do
		run -1 inside "$act" call prlimit64 0 "$resource" "$most" 0
		[ "$output" = EPERM ]
	done
	# That of cores is neither raised nor lowered, and nobody is told.
	run -0 inside python3 -c 'if 1:
		import resource
		for core in (0, 0), (0, 1), (-1, -1):
		    resource.setrlimit(resource.RLIMIT_CORE, core)
		print(resource.getrlimit(resource.RLIMIT_CORE))'
	[ "$output" = "(1, 1)" ]
}

@test "fills its scratch space and not the machine" {
	run -1 chock-spawn --policy base --limit scratch=1MiB --read "$helpers" -- \
		"$act" write-file /tmp/big 2097152
	[ "$output" = ENOSPC ]
	run -0 chock-spawn --policy base --limit scratch=1MiB --read "$helpers" -- \
		"$act" write-file /tmp/small 500000
}

@test "reads of /proc what is its own, and writes nothing there" {
	run -0 inside bash -c '
		for name in kcore kallsyms cmdline keys interrupts timer_list; do
			[ ! -e "/proc/$name" ] || [ ! -s "/proc/$name" ] ||
				[ -z "$(head -c 1 "/proc/$name" 2>/dev/null)" ] ||
				echo "$name"
		done'
	[ -z "$output" ]
	run -1 inside "$act" call openat -1 s:/proc/sys/kernel/core_pattern 1
	[[ $output == EACCES || $output == EROFS || $output == ENOENT ]]
	[ "$(inside cat /proc/self/comm)" = cat ]
	run -0 inside readlink /proc/self/exe
	[[ $output == */readlink || $output == */coreutils || $output == */busybox ]]
	run -1 inside cat /proc/1/environ
}

@test "is held in the environment that it was given" {
	SECRET=token run -0 inside env
	[[ $output != *token* ]]
}

@test "gets no descriptor but the first three" {
	exec 8<"$hidden/file" 9<"$hidden"
	run -0 inside bash -c 'ls /proc/$$/fd; :'
	exec 8<&- 9<&-
	for fd in $output; do
		[ "$fd" -le 2 ]
	done
}

@test "leaves nothing running" {
	mkfifo "$work/alive"
	# The daemon holds the pipe open; the reader gets its end when it dies.
	run -0 inside bash -c \
		'(setsid bash -c "exec 3>alive; echo up >&3; exec sleep 1000" </dev/null >/dev/null 2>&1 &)
		read -r x <alive; echo "$x"'
	[ "$output" = up ]
	run -0 timeout 20 bash -c 'exec 4<>alive; exec 3<alive; exec 4>&-; cat <&3'
}

@test "is believed in no exit status that it chooses" {
	local code
	for code in 111 100 125 63; do
		run -"$code" inside bash -c "echo '{\"chock\":\"failed\"}'; exit $code"
		run -"$code" bash -c 'chock-spawn --policy base --status-fd 5 -- \
			bash -c "exit $1" 5>"$0"' "$BATS_TEST_TMPDIR/status" "$code"
		[ "$(jq -r .chock "$BATS_TEST_TMPDIR/status")" = ran ]
		[ "$(jq -r .exit "$BATS_TEST_TMPDIR/status")" = "$code" ]
	done
}

@test "does not start without Landlock, and says so" {
	run -125 --separate-stderr "$helpers/confine" answer \
		landlock_create_ruleset 38 -- \
		chock-spawn --policy base -- touch "$work/ran"
	[[ $stderr == "chock-spawn: layer 'landlock': "* ]]
}
