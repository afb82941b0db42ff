#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Sockets by list, alone: unix, TCP, UDP and netlink's routes can be made,
# with a documented errno for all others, so that a program that probes for
# one goes on without it.

load lib/chock

# Looking for leaks takes ptrace and /proc, which is what is tested here.
export ASAN_OPTIONS=detect_leaks=0

setup() {
	act=$helpers/act
}

held() {
	"$helpers/confine" seccomp -- "$act" "$@"
}

@test "answers every row of the table, in the kernel" {
	local count=0 call answer arguments
	while read -r call answer arguments; do
		[[ $call == socket || $call == socketpair ]] || continue
		count=$((count + 1))
		words=()
		for word in $arguments; do
			words+=($((word)))
		done
		[ "$call" = socket ] || words+=(page)
		run held call "$call" "${words[@]}"
		case $answer in
		killed) [ "$status" -eq 159 ] ;;
		allowed) [[ $status -eq 0 || $output == EAFNOSUPPORT ]] ;;
		*)
			[ "$status" -eq 1 ]
			[ "$output" = "$answer" ]
			;;
		esac
	done <"$data/calls-by-argument"
	[ "$count" -ge 40 ]
}

@test "makes what ordinary programs need" {
	run -0 held call socket 1 1 0
	run -0 held call socket 2 1 0
	run -0 held call socket 2 $((1 | 02000000)) 6
	run -0 held call socket 2 2 17
	run -0 held call socket 16 3 0
	run -0 held call socketpair 1 1 0 page
}

@test "refuses what the same kernel gives without it" {
	local made=0 family type protocol expected
	while read -r family type protocol expected; do
		run "$act" call socket "$family" "$type" "$protocol"
		[ "$status" -ne 0 ] || made=$((made + 1))
		run -1 held call socket "$family" "$type" "$protocol"
		[ "$output" = "$expected" ]
	done <<-'END'
		2 1 262 EPROTONOSUPPORT
		2 2 136 EPROTONOSUPPORT
		16 3 9 EPROTONOSUPPORT
		16 3 15 EPROTONOSUPPORT
		38 5 0 EAFNOSUPPORT
	END
	[ "$made" -ge 1 ]
}

# sweep NONE COMMAND... - all answers below the command are those of the list,
# or NONE where no network is given at all
sweep() {
	local none=$1
	shift
	"$@" "$act" sockets "$rows" >"$BATS_TEST_TMPDIR/answers"
	run -0 awk -v none="$none" -f "$BATS_TEST_DIRNAME/lib/sockets.awk" \
		"$BATS_TEST_TMPDIR/answers"
	[ "$output" = "$(grep -c . "$rows") rows" ]
}

# All families that there are, and one more; the usual types, with the
# protocols that mean something else: ICMP, TCP, UDP, DCCP, SCTP, UDP-Lite,
# raw, SMC, MPTCP.
@test "opens no other family, type or protocol, each with its errno" {
	local family type protocol rows=$BATS_TEST_TMPDIR/rows/sockets
	mkdir "$BATS_TEST_TMPDIR/rows"
	for family in {0..46} 255; do
		for type in 1 2 3 4 5 6 10; do
			echo "$family $type 0"
		done
	done >"$rows"
	for family in 2 10 16; do
		for type in 1 2 3 5; do
			for protocol in 1 2 4 6 9 12 15 16 17 21 33 58 132 136 255 256 262; do
				echo "$family $type $protocol"
			done
		done
	done >>"$rows"
	# Without the list some are had that it does not give.
	run -0 "$act" sockets "$rows"
	[ "$(grep -cE '^(16 3 (9|15|16)|2 2 136|2 1 262|38 5 0|17 3 0) ok' <<<"$output")" -ge 1 ]
	sweep '' "$helpers/confine" seccomp --
	require userns landlock
	sweep '' chock-spawn -p base --read "$helpers" --read "${rows%/*}" --
	can_landlock6 || return 0
	# Where there is no network namespace, no network is no socket of it.
	# There EAFNOSUPPORT goes before a kill that has a name.
	sweep EAFNOSUPPORT chock-spawn --driver landlock -p base --read "$helpers" \
		--read "${rows%/*}" --
	sweep '' chock-spawn --driver landlock --net host -p base \
		--read "$helpers" --read "${rows%/*}" --
}

@test "is not fooled by what stands in the upper half of an argument" {
	run -0 held call socket $((1 << 32 | 2)) $((1 << 32 | 1)) $((1 << 32))
	run -159 held call socket $((1 << 32 | 40)) 1 0
	run -1 held call socket 2 1 $((1 << 32 | 262))
	[ "$output" = EPROTONOSUPPORT ]
	run -1 held call socket $((1 << 32 | 38)) 5 0
	[ "$output" = EAFNOSUPPORT ]
}

@test "kills who asks for the host of a virtual machine" {
	run -159 held call socket 40 1 0
	run "$act" call socket 40 1 0
	[ "$status" -le 1 ]
}

@test "sends nothing that connects on its way" {
	run -1 held call sendto -1 page 1 $((0x20000000)) page 16
	[ "$output" = EOPNOTSUPP ]
	run -1 held call sendmsg -1 page $((0x20000000))
	[ "$output" = EOPNOTSUPP ]
	run -1 held call sendmmsg -1 page 1 $((0x20000000))
	[ "$output" = EOPNOTSUPP ]
	run -1 held call sendto -1 page 1 $((0x4000)) page 16
	[ "$output" = EBADF ]
	run -1 "$act" call sendto -1 page 1 $((0x20000000)) page 16
	[ "$output" = EBADF ]
}
