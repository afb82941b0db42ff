#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# rlimits alone: what is above a limit fails with its errno or signal, what is
# below works, and no limit can be raised again.

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

@test "lets no limit be raised again" {
	local resource most
	# Two times RLIM_INFINITY, for CPU, FSIZE, CORE, NPROC, NOFILE.
	most=s:$'\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'
	for resource in 0 1 4 6 7; do
		run -1 other "$helpers/confine" limits -- \
			"$act" call prlimit64 0 "$resource" "$most" 0
		[ "$output" = EPERM ]
		run -0 other "$helpers/confine" limits -- \
			"$act" call prlimit64 0 "$resource" page 0
	done
	[ "$(held -- bash -c 'ulimit -St; ulimit -Ht')" = $'3600\n3630' ]
	for flag in f n; do
		[ "$(held -- bash -c "ulimit -S$flag")" = \
			"$(held -- bash -c "ulimit -H$flag")" ]
	done
}

@test "leaves the address space and the stack alone" {
	run -0 held -- bash -c 'ulimit -v; ulimit -s'
	[ "$output" = "$(bash -c 'ulimit -v; ulimit -s')" ]
}

@test "names the limit that it cannot read" {
	run -100 --separate-stderr held files=many -- true
	[ "$stderr" = "confine: limit files: 'many' is no value" ]
	run -111 --separate-stderr held cache=1GiB -- true
	[ "$stderr" = "confine: limit cache: this version of chock cannot hold it" ]
}
