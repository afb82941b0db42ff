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
