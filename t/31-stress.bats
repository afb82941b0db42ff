#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# many sandboxes leave as much behind as none, and none of them hangs
#
# Takes longer than its size suggests.

load lib/chock

setup() {
	require userns landlock
}

# stress ARGUMENT... - t/stress on what is tested
stress() {
	run env CHOCK_BUILD="$CHOCK_BUILD" TMPDIR="$BATS_TEST_TMPDIR" \
		"$BATS_TEST_DIRNAME/stress" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "it leaves nothing of 300 sandboxes in turn" {
	stress --runs 300 --pipelines 0
	grep -Fx 'descriptors inside: 0 1 2, then 0 1 2' <<<"$output"
	grep -x 'cgroups left: , then ' <<<"$output"
	[ "$(grep -c ', then ' <<<"$output")" -eq 6 ]
}

@test "it hangs in none of 200 pipelines of three sandboxes" {
	stress --runs 0 --pipelines 200
	[ "$(grep -c ', then ' <<<"$output")" -eq 6 ]
}

@test "it would see what is left: a process, a mount, a file" {
	local fake=$BATS_TEST_TMPDIR/fake
	local more=0
	[ "$(id -u)" -ne 0 ] || more=1 # nobody else mounts anything there
	mkdir -p "$fake/bin"
	cat >"$fake/bin/chock-spawn" <<-end
		#!/bin/bash
		case "\$*" in
		*'-- true'*) ;;
		*/bin/true)
			: >>"\$TMPDIR/left"
			setsid sleep 600 </dev/null >/dev/null 2>&1 &
			[ $more -eq 0 ] || mount -t tmpfs none "\$HOME"
			;;
		*)
			printf '0 1 2 9\n'
			;;
		esac
	end
	chmod 755 "$fake/bin/chock-spawn"
	run -1 env CHOCK_BUILD="$fake" TMPDIR="$BATS_TEST_TMPDIR" \
		"$BATS_TEST_DIRNAME/stress" --runs 1 --pipelines 0
	echo "$output"
	[[ $output =~ mounts:\ ([0-9]+),\ then\ ([0-9]+) ]]
	[ "${BASH_REMATCH[2]}" -eq $((BASH_REMATCH[1] + more)) ]
	[[ $output =~ processes:\ ([0-9]+),\ then\ ([0-9]+) ]]
	[ "${BASH_REMATCH[2]}" -eq $((BASH_REMATCH[1] + 1)) ]
	[[ $output =~ files:\ ([0-9 ]+),\ then\ ([0-9 ]+) ]]
	[ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ]
	grep -Fx 'descriptors inside: 0 1 2, then 0 1 2 9' <<<"$output"
}
