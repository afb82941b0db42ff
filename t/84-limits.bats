#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# rlimits alone: what is above a limit fails with its errno or signal, what is
# below works, and no limit can be raised again.  Then bombs of all kinds in a
# sandbox without a cgroup: they end within their limit, and the report says
# which one it was.  (Those in a cgroup are in t/26-cgroup.bats.)

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

setup() {
	act=$helpers/act
}

held() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	"$helpers/confine" limits "${words[@]}" "$@"
}

# other COMMAND... - as somebody whom the kernel's limits bind
other() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65533 --regid=65533 --clear-groups "$@"
	else
		"$@"
	fi
}

@test "holds a file to its size" {
	run -0 "$act" write-file "$BATS_TEST_TMPDIR/big" 200000
	run -1 held file-size=100000 -- "$act" write-file "$BATS_TEST_TMPDIR/big" 200000
	[ "$output" = EFBIG ]
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/big")" -eq 100000 ]
	run -0 held file-size=100000 -- "$act" write-file "$BATS_TEST_TMPDIR/big" 90000
}

@test "holds a process to its open files" {
	run -0 held files=20 -- "$act" call dup2 0 19
	run -1 held files=20 -- "$act" call dup2 0 20
	[ "$output" = EBADF ]
	run -0 "$act" call dup2 0 20
}

@test "holds a user to its processes" {
	require root
	# Root itself is never refused, so another user does it; outside, then
	# under a limit.
	run -0 other "$act" forks 20
	run -1 other "$helpers/confine" limits processes=8 -- "$act" forks 20
	[ "$output" = EAGAIN ]
	run -0 other "$helpers/confine" limits processes=8 -- "$act" forks 2
}

@test "ends a process that has used its CPU time" {
	run -152 held cpu-time=1 -- bash -c 'while :; do :; done'
	run -0 held cpu-time=1 -- true
}

@test "writes no core" {
	[ "$(held -- bash -c 'ulimit -Hc')" = 0 ]
}

# crash COMMAND... - whether a command that dies below it leaves a file; a
# core that is piped is for nobody to see, but the kernel tells its parent
crash() {
	rm -f core*
	run -134 "$@" python3 -c 'if 1:
		import os, signal, sys
		child = os.fork()
		if not child: os.abort()
		status = os.waitpid(child, 0)[1]
		print(os.WCOREDUMP(status))
		sys.exit(128 + os.WTERMSIG(status))'
	cored=$output
}

# The kernel pipes a dump to a program whatever the limit is, unless it is 1.
@test "writes no core, and pipes none to a program" {
	require userns landlock
	command -v python3 >/dev/null || skip "nothing measured: no python3"
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	crash bash -c 'ulimit -Sc "$(ulimit -Hc)"; exec "$@"' -
	[ "$cored" = True ] || skip "nothing measured: this machine dumps no core"
	crash chock-spawn -p base --write "$PWD" --
	[ "$cored" = False ]
	crash chock-spawn -p base --write "$PWD" -- bash -c 'ulimit -c 0; exec "$@"' -
	[ "$cored" = False ]
	[ -z "$(ls core* 2>/dev/null)" ]
	if [[ $(cat /proc/sys/kernel/core_pattern) == "|"* ]]; then
		crash bash -c 'ulimit -c 0; exec "$@"' -
		[ "$cored" = True ]
	else
		crash chock-spawn -p base --write "$PWD" --limit core=1GiB --
		[ "$cored" = True ]
	fi
	run -0 chock-spawn -p base --chdir /usr --report-fd 3 -- cat /proc/self/limits \
		3>"$BATS_TEST_TMPDIR/report"
	[[ $output =~ Max\ core\ file\ size\ +1\ +1\ +bytes ]]
	[ "$(result .limits.core.state)" = on ]
	[ "$(result .limits.core.value)" = 0 ]
}

@test "says that a caller without core dumps can hold no piped one" {
	require userns landlock
	run -0 bash -c 'ulimit -c 0; exec "$@"' - \
		chock-spawn -p base --chdir /usr --report-fd 3 -- true \
		3>"$BATS_TEST_TMPDIR/report"
	[ "$(result .limits.core.state)" = partial ]
	[[ $(result .limits.core.reason) == "the caller's limit of 0 "* ]]
}

@test "lets no limit be raised again" {
	local resource most
	# Two times RLIM_INFINITY, for CPU, FSIZE, CORE, NPROC, NOFILE.
	most=s:$'\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'
	for resource in 0 1 6 7; do
		run -1 other "$helpers/confine" limits -- \
			"$act" call prlimit64 0 "$resource" "$most" 0
		[ "$output" = EPERM ]
	done
	for resource in 1 6 7; do
		run -0 other "$helpers/confine" limits -- \
			"$act" call prlimit64 0 "$resource" page 0
	done
	# No time at all is lowered too, and may end it before it can exit.
	run other "$helpers/confine" limits -- "$act" call prlimit64 0 0 page 0
	case $status:$output in 0:ok | 137:ok | 137:) ;; *) return 1 ;; esac
	[ "$(held -- bash -c 'ulimit -St; ulimit -Ht')" = $'3600\n3630' ]
	for flag in f n; do
		[ "$(held -- bash -c "ulimit -S$flag")" = \
			"$(held -- bash -c "ulimit -H$flag")" ]
	done
}

@test "holds a process to its data" {
	! sanitized || skip 'nothing measured: a sanitizer takes terabytes'
	run -0 "$helpers/bomb" heap 30
	run -1 held data=20MiB -- "$helpers/bomb" heap 30
	[ "$output" = ENOMEM ]
	run -0 held data=20MiB -- "$helpers/bomb" heap 5
}

# Of the other six none is set, each for a reason (lib/spec/limits.c).
@test "leaves the address space, the stack and the rest alone" {
	local rest='address space|stack size|resident set|locked memory|pending signals|msgqueue size'
	outside=$(grep -E "^Max ($rest)" /proc/self/limits)
	[ "$(wc -l <<<"$outside")" -eq 6 ]
	[ "$(held -- grep -E "^Max ($rest)" /proc/self/limits)" = "$outside" ]
	[ "$(held -- grep -vE "^Max ($rest)" /proc/self/limits)" != \
		"$(grep -vE "^Max ($rest)" /proc/self/limits)" ]
}

@test "names the limit that it cannot read" {
	run -100 --separate-stderr held files=many -- true
	[ "$stderr" = "confine: limit files: 'many' is not a number, or none" ]
}

# ---- in a sandbox, without a cgroup

# spawn OPTION... - one with a cgroup of nobody's and a bound on everything
spawn() {
	local bound=(--timeout 60)
	[[ " $* " != *" --timeout "* ]] || bound=()
	chock-spawn -p base --cgroup none --chdir /usr --read "$helpers" \
		"${bound[@]}" --report-fd 4 "$@" 4>"$BATS_TEST_TMPDIR/report"
}

result() {
	tail -n 1 "$BATS_TEST_TMPDIR/report" | json "$1"
}

# was_ended KEY - because everything together was above that limit
was_ended() {
	[ "$(result .killed)" = "$1" ]
	[ "$(result .signal)" = 9 ]
	[[ $(result .notice) == *"$1 limit was exceeded, and everything in the sandbox was ended"* ]]
}

@test "ends what takes too much memory together, and not what takes less" {
	require userns landlock
	local how
	for how in heap shared segment threaded; do
		# A segment outlives who made it, but not its namespace.
		run -0 unshare --user --map-current-user --ipc \
			"$helpers/bomb" "$how" 120
		run -137 spawn --limit memory=80MiB -- "$helpers/bomb" -w "$how" 120
		was_ended memory
		# A segment that is mapped counts twice.
		run -0 spawn --limit memory=80MiB -- "$helpers/bomb" "$how" 30
		[ "$(result .notice)" = null ]
	done
}

@test "ends several that take too much memory only together" {
	require userns landlock
	run -137 spawn --limit memory=80MiB -- sh -c \
		'"$0" -w heap 50 & "$0" -w heap 50 & wait' "$helpers/bomb"
	was_ended memory
}

@test "counts once what processes share" {
	require userns landlock
	run -124 spawn --timeout 2 --limit memory=80MiB -- \
		"$helpers/bomb" -w forked 50
	[ "$(result .killed)" = time ]
}

@test "counts files in memory, which no process has" {
	require userns landlock
	run -137 spawn --limit memory=60MiB -- "$helpers/bomb" -w file 100 /tmp/f
	was_ended memory
	run -137 spawn --limit memory=60MiB -- \
		"$helpers/bomb" -w nameless 100 /dev/shm/f
	was_ended memory
	run -0 spawn --limit memory=60MiB -- "$helpers/bomb" file 30 /tmp/f
}

@test "ends a fork bomb, or lets it have no more processes" {
	require userns landlock
	if [ "$(id -u)" -eq 0 ]; then
		run -137 spawn --limit processes=40 -- "$helpers/bomb" -w forks 400
		was_ended processes
	else
		run -1 spawn --limit processes=40 -- "$helpers/bomb" forks 400
		[ "$output" = EAGAIN ]
		[[ $(result .notice) == *'as many processes as the limit allows'*": it is 40, and '--limit processes=COUNT' "* ]]
	fi
	run -1 spawn --limit processes=40 -- sh -c 'exit 1'
	[[ $(result .notice) != *processes* ]]
	run -0 spawn --limit processes=40 -- "$helpers/act" forks 30
	[ "$(result .killed)" = null ]
}

@test "ends daemons with the command that started them" {
	require userns landlock
	run -0 spawn -- "$helpers/bomb" forks 20
	[ "$output" = ok ]
}

@test "ends what floods its descriptors by an errno" {
	require userns landlock
	run -0 "$helpers/bomb" descriptors 200
	run -1 spawn --limit files=100 -- "$helpers/bomb" descriptors 200
	[ "$output" = EMFILE ]
}

@test "ends what floods its output with who reads it, or with its time" {
	require userns landlock
	spawn -- yes | head -c 1000000 >/dev/null
	[ "$(result .signal)" = 13 ]
	run -124 spawn --timeout 1 -- sh -c 'exec yes >/dev/null'
	[ "$(result .killed)" = time ]
}

@test "ends what writes too much to a disk, and not what writes less" {
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/d"
	run -137 spawn --limit disk=20MiB --write "$BATS_TEST_TMPDIR/d" -- \
		"$helpers/bomb" -w file 60 "$BATS_TEST_TMPDIR/d/f"
	was_ended disk
	[ "$(result .limits.disk.state)" = partial ]
	run -124 spawn --timeout 3 --limit disk=20MiB --write "$BATS_TEST_TMPDIR/d" -- \
		"$helpers/bomb" -w file 10 "$BATS_TEST_TMPDIR/d/g"
	[ "$(result .killed)" = time ]
}

@test "ends what fills a disk, whatever its limit and wherever the name is" {
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/d"
	export -f spawn require can_userns can_landlock
	export BATS_TEST_TMPDIR
	# Half of what is free at first has to stay, where that is little.
	run -137 unshare --user --map-root-user --mount bash -c '
		mount -t tmpfs -o size=64m tmpfs "$0/d" && cd "$0/d" &&
			spawn --limit disk=none --write "$0/d" -- \
				"$helpers/bomb" -w nameless 48 "$0/d/f"' "$BATS_TEST_TMPDIR"
	[ "$(result .killed)" = disk ]
	[[ $(result .notice) == *'a disk that the sandbox writes to was almost full'* ]]
}

# mounted SIZE COMMAND... - with a tmpfs of that size at d/m
mounted() {
	export -f spawn require can_userns can_landlock
	export BATS_TEST_TMPDIR
	mkdir -p "$BATS_TEST_TMPDIR/d/m"
	unshare --user --map-root-user --mount bash -c '
		mount -t tmpfs -o "size=$0" tmpfs "$BATS_TEST_TMPDIR/d/m" &&
			spawn "$@"' "$@"
}

@test "looks at what is mounted below a grant, which comes along" {
	require userns landlock
	local below=$BATS_TEST_TMPDIR/d/m
	run -137 mounted 64m --limit disk=none --write "$BATS_TEST_TMPDIR/d" -- \
		"$helpers/bomb" -w nameless 48 "$below/f"
	[ "$(result .killed)" = disk ]
	run -137 mounted 200m --limit disk=20MiB --write "$BATS_TEST_TMPDIR/d" -- \
		"$helpers/bomb" -w file 60 "$below/f"
	[ "$(result .killed)" = disk ]
	run -124 mounted 200m --timeout 3 --limit disk=20MiB \
		--write "$BATS_TEST_TMPDIR/d" -- "$helpers/bomb" -w file 10 "$below/f"
	[ "$(result .killed)" = time ]
}

# unanswered COMMAND... - with a file system mounted in d/m that whoever serves
# it never answers for
unanswered() {
	mkdir -p "$BATS_TEST_TMPDIR/d/m"
	unshare --user --map-root-user --mount python3 -c 'if 1:
		import ctypes, os, sys
		served = os.open("/dev/fuse", os.O_RDWR)
		os.set_inheritable(served, True)
		how = f"fd={served},rootmode=40000,user_id=0,group_id=0"
		if ctypes.CDLL(None).mount(b"dead", sys.argv[1].encode(),
			b"fuse", 0, how.encode()):
			sys.exit(77)
		os.execvp(sys.argv[2], sys.argv[2:])' "$BATS_TEST_TMPDIR/d/m" "$@"
}

can_fuse() {
	command -v python3 >/dev/null && [ -w /dev/fuse ] && unanswered true
}

@test "looks at no file system that may never answer, and says so" {
	require userns landlock
	can_fuse || skip 'nothing measured: no FUSE can be mounted here'
	local reason='not looked at on fuse, which may never answer'
	run -137 unanswered timeout -s KILL 3 stat -f "$BATS_TEST_TMPDIR/d/m"
	run -0 unanswered timeout -s KILL 20 chock-spawn -p base \
		--report-fd 3 --write "$BATS_TEST_TMPDIR/d" -- \
		ls "$BATS_TEST_TMPDIR/d" 3>"$BATS_TEST_TMPDIR/report"
	[ "$output" = m ]
	[ "$(result .limits.disk.state)" = partial ]
	[[ $(result .limits.disk.reason) == "$reason; "* ]]
	# Whoever waits for it inside is ended as anybody is.
	run -124 unanswered timeout -s KILL 20 chock-spawn -p base \
		--report-fd 3 --timeout 1 --write "$BATS_TEST_TMPDIR/d" -- \
		stat -f "$BATS_TEST_TMPDIR/d/m" 3>"$BATS_TEST_TMPDIR/report"
	[ "$(result .killed)" = time ]
}
