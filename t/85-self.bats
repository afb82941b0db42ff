#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# confine_self(): a program of ours that was taken over can use what it holds
# open, and has no way to anything else.

load lib/chock

setup() {
	act=$helpers/act
	echo text >"$BATS_TEST_TMPDIR/file"
}

# A build with sanitizers keeps its calls, see lib/confine/self.c.
sanitized() {
	grep -q __asan_init "$act"
}

# only_in_others - for what takes the calls to be given up
only_in_others() {
	! sanitized || skip "nothing measured: a build with sanitizers"
}

held() {
	"$act" self "$@"
}

@test "works on what is open" {
	run -0 held call read 0 page 4 <"$BATS_TEST_TMPDIR/file"
	run -0 held call write 1 page 0
	run -0 held call pwrite64 5 page 1 0 5<>"$BATS_TEST_TMPDIR/file"
	run -0 held call fdatasync 0 <"$BATS_TEST_TMPDIR/file"
	run -0 held call flock 0 2 <"$BATS_TEST_TMPDIR/file"
	run -0 held call ftruncate 5 0 5<>"$BATS_TEST_TMPDIR/file"
	run -0 held call fcntl 0 3
	run -0 held call mmap 0 4096 3 34 -1 0
	run -0 held call newfstatat 0 s: page $((0x1000))
}

@test "opens nothing" {
	only_in_others
	run -0 "$act" call openat -1 s:/etc/passwd 0
	run -1 held call openat -1 s:/etc/passwd 0
	[ "$output" = EPERM ]
	run -1 held call readlinkat -1 s:/proc/self/exe page 10
	[ "$output" = EPERM ]
}

@test "ends when it does what only an intruder would" {
	only_in_others
	local name
	for name in execve execveat clone clone3 socket connect ptrace kill \
		tkill openat2 open_by_handle_at unlinkat renameat2 linkat mkdirat \
		sendmsg recvmsg memfd_create io_uring_setup mount unshare bpf \
		process_vm_writev pidfd_open userfaultfd setuid; do
		run -159 held call "$name" -1 -1 -1 -1 -1 -1
	done
}

@test "gets no code that it did not start with" {
	only_in_others
	run -0 "$act" call mprotect page 4096 5
	run -159 held call mprotect page 4096 5
	run -159 held call mmap 0 4096 4 34 -1 0
}

@test "asks a terminal for its size and types nothing into it" {
	only_in_others
	run -0 script -qec "${act@Q} self call ioctl 0 $((0x5413)) page" /dev/null </dev/null
	run -1 script -qec "${act@Q} self call ioctl 0 $((0x5412)) s:x" /dev/null </dev/null
	[[ $output == ENOTTY* ]]
}

@test "holds its files by Landlock as well" {
	require landlock
	if sanitized; then
		# Such a build may read: the one in which this can be seen.
		run -0 "$act" call openat -1 "s:$BATS_TEST_TMPDIR/file" 1
		run -1 "$act" self call openat -1 "s:$BATS_TEST_TMPDIR/file" 1
		[ "$output" = EACCES ]
		run -0 "$act" self call openat -1 "s:$BATS_TEST_TMPDIR/file" 0
	fi
	run -111 --separate-stderr "$helpers/confine" answer \
		landlock_restrict_self 1 -- "$act" self call getpid
	[[ $stderr == "act: cannot confine itself: cannot enforce Landlock: "* ]]
	run -0 "$helpers/confine" answer landlock_create_ruleset 38 -- \
		"$act" self call getpid
}

@test "does not go on where its calls cannot be filtered" {
	only_in_others
	run -111 --separate-stderr "$helpers/confine" answer prctl 1 22 -- \
		"$act" self call getpid
	[[ $stderr == "act: cannot "* ]]
}

@test "comes before each program that reads input looks at it" {
	only_in_others
	cd "$BATS_TEST_TMPDIR" || return
	: >log.jsonl
	while read -r program words; do
		printf '%s %s\n' "$program" "$words"
		# shellcheck disable=SC2086
		run -111 --separate-stderr "$helpers/confine" answer prctl 1 22 -- \
			"$program" $words <<<'no record'
		[[ $stderr == "${program##*/}: cannot give up new privileges: "* ]]
		[ -z "$output" ]
	done <<-END
		$libexec/chock-record get a
		$libexec/chock-record make a@
		chock-ask
		chock-policy-eval
		chock-log-append -f $BATS_TEST_TMPDIR/new.jsonl
		chock-log-verify log.jsonl
	END
}
