# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154
# What the tests of escapes share: an act of helpers/act is tried where
# nothing holds it, in a sandbox, and on its neighbour.
#
# A test calls `outside` and `inside`, which it defines: each runs an act,
# after `plant`, which makes anew what is acted on.  What is measured is
# counted in $measured.

# control ACT... - it gets through without the sandbox; else nothing is measured
control() {
	plant
	run outside "$@" 3>&-
	printf 'outside: %s: %s %s\n' "$*" "$status" "$output"
	[ "$status" -eq 0 ]
}

# refused ANSWER ACT... - it gets through outside, and inside the answer is
# that errno, or one of several with | between them, or `killed`
#
# An act that does not get through outside either, for an ordinary user or on
# this kernel, is passed over: `enough` says how many may be.
refused() {
	local answer=$1
	shift
	control "$@" || return 0
	plant
	run inside "$@" 3>&-
	printf '%s: %s %s, not %s\n' "$*" "$status" "$output" "$answer"
	if [ "$answer" = killed ]; then
		[ "$status" -eq 159 ] || return
	else
		[ "$status" -eq 1 ] || return
		[[ "|$answer|" == *"|$output|"* ]] || return
	fi
	measured=$((${measured-0} + 1))
}

# works ACT... - inside it gets through
works() {
	plant
	run inside "$@" 3>&-
	printf '%s: %s %s\n' "$*" "$status" "$output"
	[ "$status" -eq 0 ]
}

# enough COUNT - so many were measured, or the test has shown nothing
enough() {
	printf 'measured %s of %s\n' "${measured-0}" "$1"
	[ "${measured-0}" -ge "$1" ]
}
