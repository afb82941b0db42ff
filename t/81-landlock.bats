#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Landlock alone: what is granted works, what is not fails with EACCES, and
# what one right opens the next one does not.
#
#	$tree/open/file    granted
#	$tree/closed/file  not granted

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

setup() {
	require landlock
	tree=$BATS_TEST_TMPDIR/tree
	act=$helpers/act
	mkdir -p "$tree/open/sub" "$tree/closed"
	echo open >"$tree/open/file"
	echo closed >"$tree/closed/file"
	abi=$("$act" landlock-abi)
	own=(r:/proc "rx:$helpers") # sanitizers read /proc/self/maps
	for dir in /usr /lib /lib64 /bin; do
		[ ! -e "$dir" ] || own+=("rx:$dir")
	done
}

# held [net] [GRANT...] -- ACT... - act with what it needs itself, and GRANTs
held() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	# "net" is the first word, if it is one at all.
	if [ "${words[0]-}" = net ]; then
		"$helpers/confine" landlock net "${own[@]}" "${words[@]:1}" -- \
			"$act" "$@"
	else
		"$helpers/confine" landlock "${own[@]}" "${words[@]}" -- "$act" "$@"
	fi
}

# needs ABI - skip where this kernel's Landlock cannot do it yet
needs() {
	[ "$abi" -ge "$1" ] || skip "nothing measured: Landlock ABI $abi here"
}

# opens FLAGS FILE - words of an act
opens() {
	printf '%s\n' call openat -1 "s:$2" "$1" 384
}

@test "reads what is granted for reading and nothing else" {
	mapfile -t open < <(opens 0 "$tree/open/file")
	mapfile -t closed < <(opens 0 "$tree/closed/file")
	run -0 "$act" "${closed[@]}"
	run -0 held "r:$tree/open" -- "${open[@]}"
	run -1 held "r:$tree/open" -- "${closed[@]}"
	[ "$output" = EACCES ]
}

@test "writes what is granted for writing, not what is granted for reading" {
	mapfile -t write < <(opens 1 "$tree/open/file")
	run -0 "$act" "${write[@]}"
	run -1 held "r:$tree/open" -- "${write[@]}"
	[ "$output" = EACCES ]
	run -0 held "rw:$tree/open" -- "${write[@]}"
}

@test "executes what is granted for executing, not what is granted for reading" {
	cp /bin/true "$tree/open/true"
	run -0 "$act" call execve "s:$tree/open/true" 0 0
	run -1 held "rw:$tree/open" -- call execve "s:$tree/open/true" 0 0
	[ "$output" = EACCES ]
	run -0 held "rx:$tree/open" -- call execve "s:$tree/open/true" 0 0
}

@test "grants one file without its neighbour" {
	echo more >"$tree/open/more"
	mapfile -t file < <(opens 2 "$tree/open/file")
	mapfile -t more < <(opens 2 "$tree/open/more")
	run -0 held "rw:$tree/open/file" -- "${file[@]}"
	run -1 held "rw:$tree/open/file" -- "${more[@]}"
	[ "$output" = EACCES ]
}

@test "truncates only what is granted for writing" {
	needs 3
	run -1 held "r:$tree/open" -- call truncate "s:$tree/open/file" 0
	[ "$output" = EACCES ]
	[ "$(cat "$tree/open/file")" = open ]
	run -0 held "rw:$tree/open" -- call truncate "s:$tree/open/file" 0
	[ ! -s "$tree/open/file" ]
}

@test "makes, links, renames and removes only where writing is granted" {
	local call dir calls=(
		"mkdirat -1 s:$tree/DIR/new 448"
		"symlinkat s:x -1 s:$tree/DIR/link"
		"mknodat -1 s:$tree/DIR/fifo 4480 0"
		"renameat2 -1 s:$tree/DIR/old -1 s:$tree/DIR/renamed 0"
		"linkat -1 s:$tree/DIR/file -1 s:$tree/DIR/linked 0"
		"unlinkat -1 s:$tree/DIR/gone 0"
		"unlinkat -1 s:$tree/DIR/empty 512"
	)
	for dir in open closed; do
		mkdir "$tree/$dir/empty"
		touch "$tree/$dir/old" "$tree/$dir/gone"
	done
	ls "$tree/closed" >"$BATS_TEST_TMPDIR/before"
	for call in "${calls[@]}"; do
		read -ra words <<<"${call//DIR/closed}"
		run -1 held "rw:$tree/open" "r:$tree/closed" -- call "${words[@]}"
		[ "$output" = EACCES ]
		read -ra words <<<"${call//DIR/open}"
		run -0 held "rw:$tree/open" -- call "${words[@]}"
	done
	ls "$tree/closed" | cmp - "$BATS_TEST_TMPDIR/before"
}

@test "renames between granted directories, not out of them" {
	needs 2
	mkdir "$tree/second"
	run -0 held "rw:$tree/open" "rw:$tree/second" -- \
		call renameat2 -1 "s:$tree/open/file" -1 "s:$tree/second/file" 0
	run -1 held "rw:$tree/open" "rw:$tree/second" -- \
		call renameat2 -1 "s:$tree/second/file" -1 "s:$tree/closed/new" 0
	[ "$output" = EACCES ] || [ "$output" = EXDEV ]
	[ -f "$tree/second/file" ]
}

@test "gives a hidden file no second name where it can be read" {
	needs 2
	run -1 held "rw:$tree/open" -- \
		call linkat -1 "s:$tree/closed/file" -1 "s:$tree/open/name" 0
	[ "$output" = EACCES ] || [ "$output" = EXDEV ]
	[ ! -e "$tree/open/name" ]
	run -0 held "rw:$tree/open" -- \
		call linkat -1 "s:$tree/open/file" -1 "s:$tree/open/name" 0
}

@test "makes no device, whatever is granted" {
	run -1 held "rwx:$tree" -- call mknodat -1 "s:$tree/open/null" 8630 259
	[ "$output" = EACCES ]
	[ ! -e "$tree/open/null" ]
}

@test "follows no link out of what is granted" {
	ln -s "$tree/closed/file" "$tree/open/link"
	mapfile -t link < <(opens 0 "$tree/open/link")
	run -0 "$act" "${link[@]}"
	run -1 held "rwx:$tree/open" -- "${link[@]}"
	[ "$output" = EACCES ]
}

# Asking a new terminal for its number, opened by the shell that is held.
terminal_number() {
	"$helpers/confine" landlock "${own[@]}" "$1" -- bash -c \
		'exec 5<>/dev/ptmx && exec "$0" call ioctl 5 2147767344 page' "$act"
}

@test "talks to devices only where that is granted" {
	needs 5
	run -1 terminal_number rw:/dev/ptmx
	[ "$output" = EACCES ]
	run -0 terminal_number dev:/dev/ptmx
}

@test "takes nothing from what was open before" {
	mapfile -t closed < <(opens 0 "$tree/closed/file")
	run -1 held -- "${closed[@]}"
	run -0 held -- call read 5 page 4 5<"$tree/closed/file"
}

@test "binds and connects TCP only where it holds no network" {
	needs 4
	run -0 held -- bind tcp 0
	run -1 held net -- bind tcp 0
	[ "$output" = EACCES ]
	run -1 held -- connect tcp 1
	[ "$output" = ECONNREFUSED ]
	run -1 held net -- connect tcp 1
	[ "$output" = EACCES ]
}

@test "holds UDP with TCP where the kernel can" {
	needs 10
	run -0 held -- bind udp 0
	run -1 held net -- bind udp 0
	[ "$output" = EACCES ]
	run -1 held net -- connect udp 9
	[ "$output" = EACCES ]
}

# serve SOCKET... - a server outside, until the end of the test
serve() {
	coproc SERVER { exec "$act" serve "$@"; }
	server=$SERVER_PID
	read -r -u "${SERVER[0]}" ready
	[ "$ready" = ready ]
}

teardown() {
	[ -z "${server-}" ] || kill "$server"
}

@test "connects to no abstract socket from outside" {
	needs 6
	name=chock-test-$BASHPID-$RANDOM
	serve abstract "$name"
	run -0 "$act" connect abstract "$name"
	run -1 held -- connect abstract "$name"
	[ "$output" = EPERM ]
	run -0 held -- bind abstract "$name-own"
}

@test "connects to a socket with a path only by a grant of its own" {
	needs 9
	serve unix "$tree/open/socket"
	run -0 "$act" connect unix "$tree/open/socket"
	run -1 held "rwx:$tree/open" -- connect unix "$tree/open/socket"
	[ "$output" = EACCES ]
	run -0 held "rwx:$tree/open/socket" -- connect unix "$tree/open/socket"
}

@test "signals nobody outside" {
	needs 6
	serve unix "$tree/open/socket"
	run -0 "$act" call kill "$server" 0
	run -1 held -- call kill "$server" 0
	[ "$output" = EPERM ]
	run -0 held -- call kill 0 0
}
