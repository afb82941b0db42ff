#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The filter alone, in the kernel: each call that the table says is killed
# ends its process with SIGSYS, each that fails fails with its errno, none of
# that happens without the filter, and the neighbours go on.
#
# Calls are made with -1 for every argument, which none of them can use.

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

SIGSYS=159

setup() {
	act=$helpers/act
	minus=(-1 -1 -1 -1 -1 -1)
}

held() {
	"$helpers/confine" seccomp -- "$act" "$@"
}

held_jit() {
	"$helpers/confine" seccomp-jit -- "$act" "$@"
}

# classed CLASS - the calls that the table puts there
classed() {
	local name class
	while read -r name class; do
		[ "$class" != "$1" ] || printf '%s\n' "$name"
	done <"$data/calls"
}

@test "kills whoever makes a call that is for killing" {
	local count=0 name
	for name in $(classed killed); do
		run "$act" call "$name" "${minus[@]}"
		[ "$status" -eq 100 ] && continue
		[ "$status" -le 1 ]
		run -"$SIGSYS" held call "$name" "${minus[@]}"
		run -"$SIGSYS" held_jit call "$name" "${minus[@]}"
		count=$((count + 1))
	done
	[ "$count" -ge 30 ]
}

@test "lets nobody attach to a process, nor be traced" {
	run -1 "$act" call ptrace 16 2147483647 # PTRACE_ATTACH
	[ "$output" = ESRCH ]
	run -1 held call ptrace 16 2147483647
	[ "$output" = EPERM ]
	require trace
	"$act" call ptrace 0 # PTRACE_TRACEME
	run -"$SIGSYS" held call ptrace 0
	run -"$SIGSYS" held call ptrace $((0x4206)) 2147483647 # PTRACE_SEIZE
}

@test "refuses a call that is for refusing, and the program goes on" {
	local count=0 name
	for name in $(classed EPERM); do
		run held call "$name" "${minus[@]}"
		[ "$status" -eq 100 ] && continue
		[ "$status" -eq 1 ]
		[ "$output" = EPERM ]
		count=$((count + 1))
	done
	[ "$count" -ge 15 ]
	# What root may do without the filter, so that it is the filter's EPERM.
	run -1 "$act" call adjtimex "${minus[@]}"
	[ "$output" = EFAULT ]
	run -1 "$act" call kcmp "${minus[@]}"
	[ "$output" != EPERM ]
}

@test "answers ENOSYS for what libc can do without" {
	run -1 "$act" call clone3 "${minus[@]}"
	[ "$output" != ENOSYS ]
	for name in $(classed ENOSYS); do
		run held call "$name" "${minus[@]}"
		[ "$status" -eq 100 ] && continue
		[ "$status" -eq 1 ]
		[ "$output" = ENOSYS ]
	done
	run -1 held call 1000
	[ "$output" = ENOSYS ]
}

@test "starts processes and threads, but no namespace" {
	local flag
	run -0 held call clone 17 0 0 0 0
	run -0 held forks 3
	for flag in 0x20000 0x2000000 0x4000000 0x8000000 0x10000000 0x20000000 \
		0x40000000; do
		run -"$SIGSYS" held call clone $((flag | 17)) 0 0 0 0
	done
	require userns
	run -0 "$act" call clone $((0x10000000 | 17)) 0 0 0 0
}

@test "reads clone's flags as the kernel does" {
	run -0 held call clone $((1 << 32 | 17)) 0 0 0 0
	run -"$SIGSYS" held call clone $((1 << 32 | 0x10000000 | 17)) 0 0 0 0
}

@test "takes no call by the numbers of another architecture" {
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: x86_64 only"
	run -"$SIGSYS" held foreign i386
	run -"$SIGSYS" held foreign x32
	run "$act" foreign x32
	[ "$status" -le 1 ]
	run -0 held call getpid
}

@test "executes a file, and nothing that has no path" {
	run -0 "$act" exec-memfd fd
	run -"$SIGSYS" held exec-memfd fd
	run -0 held call execve s:/bin/true 0 0
	run -0 held call execveat -1 s:/bin/true 0 0 0
}

@test "gives no page that is writable and executable, unless the policy does" {
	run -0 "$act" call mmap 0 4096 7 34 -1 0
	run -1 held call mmap 0 4096 7 34 -1 0
	[ "$output" = EPERM ]
	run -0 held_jit call mmap 0 4096 7 34 -1 0
	run -0 "$act" call mprotect page 4096 7
	run -1 held call mprotect page 4096 7
	[ "$output" = EPERM ]
	run -0 held_jit call mprotect page 4096 7
	run -1 held call pkey_mprotect page 4096 7 -1
	[ "$output" = EPERM ]
}

@test "lets a page be writable first and executable then" {
	run -0 held call mmap 0 4096 3 34 -1 0
	run -0 held call mprotect page 4096 5
}

@test "makes nothing readable executable, and still says how it is" {
	run -0 "$act" call personality $((0x400000))
	run -1 held call personality $((0x400000))
	[ "$output" = EPERM ]
	run -1 held call personality $((1 << 32 | 0x400000))
	[ "$output" = EPERM ]
	run -1 held_jit call personality $((0x400000))
	[ "$output" = EPERM ]
	run -0 held call personality $((0xffffffff))
	run -0 held call personality $((0x40000))
}

@test "attaches no executable shared memory" {
	run -1 held call shmat -1 0 $((0x8000))
	[ "$output" = EPERM ]
	run -1 held call shmat -1 0 0
	[ "$output" = EINVAL ]
}

# On a terminal of its own: script(1) makes one.
on_terminal() {
	script -qec "$1" "$BATS_TEST_TMPDIR/terminal" </dev/null
}

@test "types nothing into its terminal" {
	local request
	for request in $((0x5412)) $((1 << 32 | 0x5412)) $((0x541c)) \
		$((1 << 32 | 0x541c)); do
		run -1 on_terminal "${helpers@Q}/confine seccomp -- ${act@Q} call ioctl 0 $request s:x"
		[[ $output == EPERM* ]]
	done
	run -0 on_terminal "${helpers@Q}/confine seccomp -- ${act@Q} call ioctl 0 $((0x5413)) page"
	if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti)" = 1 ]; then
		run -0 on_terminal "${act@Q} call ioctl 0 $((0x5412)) s:x"
		run -0 on_terminal "${act@Q} call ioctl 0 $((1 << 32 | 0x5412)) s:x"
	fi
}

# asked REQUEST FILE [COMMAND...] - an ioctl on what is open to read, by who is
# nobody's root, so that no file system is ever frozen
asked() {
	local request=$1 file=$2
	shift 2
	run unshare --user "$@" "$act" call ioctl 0 "$request" page <"$file"
	printf '%s\n' "$output"
}

@test "asks file systems for no more than what concerns the file" {
	require userns
	local file=$BATS_TEST_TMPDIR/file held=("$helpers/confine" seccomp --)
	local strict=("$helpers/confine" seccomp-strict --) request
	echo text >"$file"
	# FIFREEZE, of which the kernel knows on every file system
	[ "$(asked $((0xc0045877)) "$file")" = EPERM ]
	# FS_IOC_GETFLAGS, FIONREAD: as without the filter
	[ "$(asked $((0x541b)) "$file")" = ok ]
	for request in $((0x80086601)) $((0x541b)); do
		[ "$(asked "$request" "$file")" = "$(asked "$request" "$file" "${held[@]}")" ]
		[ "$(asked "$request" "$file")" = "$(asked "$request" "$file" "${strict[@]}")" ]
	done
	# FIFREEZE, BTRFS_IOC_SNAP_CREATE, FS_IOC_ADD_ENCRYPTION_KEY
	for request in $((0xc0045877)) $((0x50009401)) $((0xc0506617)) \
		$((1 << 32 | 0xc0045877)); do
		[ "$(asked "$request" "$file" "${held[@]}")" = ENOTTY ]
		[ "$(asked "$request" "$file" "${strict[@]}")" = ENOTTY ]
	done
}

# each COMMAND... - the same in every list
each() {
	local list
	for list in seccomp seccomp-jit seccomp-strict; do
		run "$helpers/confine" "$list" -- "$@"
		printf '%s\n' "$output"
	done | sort -u
}

@test "holds nobody up by a lease, and still locks" {
	local file=$BATS_TEST_TMPDIR/file
	echo text >"$file"
	# F_SETLEASE with F_RDLCK, of the owner's file, open to read
	run "$act" call fcntl 0 1024 0 <"$file"
	[ "$status" -eq 0 ] || skip "nothing measured: no leases here ($output)"
	[ "$(each "$act" call fcntl 0 1024 0 <"$file")" = EPERM ]
	[ "$(each "$act" call fcntl 0 $((1 << 32 | 1024)) 0 <"$file")" = EPERM ]
	# F_SETDELEG, F_GETFL, and flock(2) with LOCK_SH
	[ "$(each "$act" call fcntl 0 1040 page <"$file")" = EPERM ]
	[ "$(each "$act" call fcntl 0 3 <"$file")" = ok ]
	[ "$(each "$act" call flock 0 1 <"$file")" = ok ]
}

@test "leaves no device behind where it renames" {
	local at=$BATS_TEST_TMPDIR flags
	# RENAME_WHITEOUT, RENAME_NOREPLACE, RENAME_EXCHANGE
	moved() {
		rm -f "$at/to"
		echo text >"$at/from"
		"$@" "$act" call renameat2 -1 "s:$at/from" -1 "s:$at/to" "$flags"
	}
	flags=4
	run moved
	[ "$status" -eq 0 ] || skip "nothing measured: no whiteouts here ($output)"
	[ -c "$at/from" ]
	rm "$at/from"
	for list in seccomp seccomp-strict; do
		flags=4
		run -1 moved "$helpers/confine" "$list" --
		[ "$output" = EINVAL ]
		[ -f "$at/from" ]
		flags=1
		run -0 moved "$helpers/confine" "$list" --
	done
}

# What strict mode leaves out, and the same call without it.
@test "has no call in strict mode that ordinary programs do not need" {
	local count=0 name
	while read -r name; do
		grep -qx "$name" "$data/calls-strict" && continue
		run held call "$name" "${minus[@]}"
		[ "$status" -eq 100 ] && continue
		[ "$output" != ENOSYS ] || continue
		run -1 "$helpers/confine" seccomp-strict -- "$act" call "$name" "${minus[@]}"
		[ "$output" = ENOSYS ]
		count=$((count + 1))
	done < <(classed allowed)
	# Newer kernels have more of them.
	[ "$count" -ge 30 ]
	run -"$SIGSYS" "$helpers/confine" seccomp-strict -- "$act" call unshare 0
	run -1 "$helpers/confine" seccomp-strict -- "$act" call io_uring_setup 1 page
	[ "$output" = EPERM ]
	run -0 "$helpers/confine" seccomp-strict -- "$act" call getpid
}

@test "lets a shell, its tools, compilers, python and git run in strict mode" {
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	strict() {
		chock-spawn -p base --write "$PWD" --syscalls strict --explain -- "$@"
	}
	run -0 strict sh -c 'printf "%s\n" b a | sort >s && cp -a s t && mv t u &&
		ls -l && find . && grep -r a . && sed -i s/a/c/ s && mkfifo f &&
		tar cf x.tar s && ln -s s l && head -c 9 /dev/zero | wc -c'
	printf '#include <stdio.h>\nint main(void) { return puts("hi") < 0; }\n' >a.c
	if command -v gcc >/dev/null; then
		run -0 strict sh -c 'gcc -O2 -o a a.c && ./a'
		[ "$output" = hi ]
	fi
	if command -v python3 >/dev/null; then
		run -0 strict python3 -c 'if 1:
			import multiprocessing, socket, sqlite3, subprocess, threading
			subprocess.run(["true"], check=True)
			s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
			socket.create_connection(s.getsockname())
			sqlite3.connect("db").execute("create table a (b)")
			t = threading.Thread(target=print, args=("ok",)); t.start(); t.join()
			with multiprocessing.Pool(2) as p: assert p.map(abs, [-1]) == [1]'
		[ "$output" = ok ]
	fi
	run -0 strict sh -c 'git init -q r && cd r && echo x >x && git add x &&
		git -c user.name=n -c user.email=e commit -qm a && git gc -q &&
		git clone -q . ../r2 && git -C ../r2 log --format=%s'
	[ "$output" = a ]
}

@test "is strict where a policy, a ceiling or the option says so" {
	require userns landlock
	local policy=$BATS_TEST_TMPDIR/policy
	# shmget of System V, which the ipc namespace has.
	shm() {
		chock-spawn -p base --read "$helpers" "$@" -- "$act" call shmget 0 4096 $((01600))
	}
	run -0 shm
	run -1 shm --syscalls strict
	[ "$output" = ENOSYS ]
	echo 'syscalls strict' >"$policy"
	run -1 shm -p "$policy"
	[ "$output" = ENOSYS ]
	mkdir -p "$HOME/.config/chock"
	echo 'syscalls strict' >"$HOME/.config/chock/ceiling"
	run -1 shm
	[ "$output" = ENOSYS ]
	run -100 --separate-stderr shm --syscalls lax
	[ "$stderr" = "chock-spawn: --syscalls: 'lax' is not strict, the only one there is" ]
}

# With the kernel's own limits the same program made the filters of this build.
@test "makes no filter that is too long, for the kernel or for its jumps" {
	run -1 --separate-stderr "$helpers/gen-short"
	[[ $stderr == "gen-filters: a filter too long for the kernel: 'filter_"* ]]
	run -1 --separate-stderr "$helpers/gen-near"
	[[ $stderr == "gen-filters: a filter too long for its jumps: 'filter_"* ]]
}

@test "lets ordinary programs run" {
	run -0 "$helpers/confine" seccomp -- bash -c \
		'printf "%s\n" a b | sort | (read -r x; echo "$x"); sleep 0'
	[ "$output" = a ]
	run -0 "$helpers/confine" seccomp -- git --version
	run -0 "$helpers/confine" seccomp -- cp /bin/true "$BATS_TEST_TMPDIR/copy"
	cmp /bin/true "$BATS_TEST_TMPDIR/copy"
}

@test "is handed on to every child" {
	run -"$SIGSYS" "$helpers/confine" seccomp -- \
		bash -c '"$0" call unshare 0; exit $?' "$act"
}

# With one of its own, which is asked first for being the later one, what
# listens to the sandbox's filter would not be asked.
@test "lets nobody listen to a filter of their own" {
	local confine=$helpers/confine
	run -0 "$confine" listen -- true
	run -111 "$confine" seccomp -- "$confine" listen -- true
	[ "$output" = "confine: cannot listen: Device or resource busy" ]
	run -0 "$confine" seccomp -- "$confine" seccomp -- true
	run -0 "$confine" seccomp -- "$confine" answer mount 1 -- true
}
