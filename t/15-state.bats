#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What changes answers while a session runs, and what binds whom:
#
#	restrictions  from the stream, from logs of before; only lower
#	widen         on the control descriptor alone, one at a time
#	subagents     how many, how deep
#	ceilings      the narrower holds, and both are said; expired ones bind

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	config=$HOME/.config/chock
	mkdir -p "$config"
}

# starts STATUS LINES PROGRAM OPTION... - LINES is what it says, each with its name in front
starts() {
	run "-$1" --separate-stderr "${@:3}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ "$stderr" = "$(sed "/./s|^|$3: |" <<<"$2")" ]
}

# ---- what ceilings bind ---------------------------------------------------

@test "says both numbers of what is above a ceiling, and goes by the narrower" {
	require userns landlock
	printf 'limit files 90\nnet host\n' >p
	printf '\nlimit files 40\nnet none\n' >"$config/ceiling"
	both="./p:1:1: limit files 90 is above the 40 of $config/ceiling:2: 40 holds
./p:2:1: net host is above the none of $config/ceiling:3: none holds"
	starts 0 "$both" chock-policy-eval --policy ./p --check
	starts 0 "$both" chock-spawn --policy ./p --policy base -- \
		sh -c 'ulimit -n; wc -l </proc/net/dev'
	[ "$output" = $'40\n3' ]
	printf 'limit files 30\n' >p
	starts 0 '' chock-spawn --policy ./p --policy base -- sh -c 'ulimit -n'
	[ "$output" = 30 ]
}

@test "goes by the narrower limit, in whatever order they are written" {
	require userns landlock
	for text in 'limit files 50\nlimit files 60\n' 'limit files 60\nlimit files 50\n'; do
		# shellcheck disable=SC2059
		printf "$text" >p
		run -0 chock-spawn --policy ./p --policy base -- sh -c 'ulimit -n'
		[ "$output" = 50 ]
	done
}

@test "starts nothing by a budget above a ceiling's, and says both" {
	printf 'budget USD 10\n' >p
	printf 'budget USD 5\n' >c
	line='./p:1:1: budget USD 10 is above the 5 of ./c:1: nothing is started'
	run -100 --separate-stderr chock-policy-eval --policy ./p --ceiling ./c git.push
	[ "$output" = "" ]
	[ "${stderr##*$'\n'}" = "chock-policy-eval: $line" ]
	printf 'budget USD 5\n' >p
	run -3 chock-policy-eval --policy ./p --ceiling ./c git.push
	printf 'budget USD 10\n' >p
	cp c "$config/ceiling"
	run -100 chock-spawn --policy ./p --check
}

@test "leaves the sandbox's bounds to who holds them, but for --check" {
	printf 'limit files 90\nsubagents width 9 depth 9\n' >p
	printf 'limit files 40\nsubagents width 2 depth 9\n' >c
	starts 3 './p:2:1: subagents width 9 is above the 2 of ./c:2: 2 holds' \
		chock-policy-eval --policy ./p --ceiling ./c git.push
	starts 0 './p:1:1: limit files 90 is above the 40 of ./c:1: 40 holds
./p:2:1: subagents width 9 is above the 2 of ./c:2: 2 holds' \
		chock-policy-eval --policy ./p --ceiling ./c --check
}

@test "refuses to start by a policy that has expired, and not before" {
	printf '\nexpires 2000-02-29\nallow call.x\n' >p
	line='./p:2:1: this policy expired after 2000-02-29, and nothing is granted by it'
	starts 100 "$line" chock-policy-eval --policy ./p call.x
	[ "$output" = "" ]
	starts 100 "$line" chock-policy-eval --policy ./p --check
	starts 100 "$line" chock-spawn --policy ./p --check
	printf 'include ./p\n' >q
	starts 100 "$line" chock-policy-eval --policy ./q call.x
	printf 'expires 9999-12-31\nallow call.x\n' >p
	starts 0 '' chock-policy-eval --policy ./p call.x
	starts 0 '' chock-spawn --policy ./p --check
}

@test "is bound by a ceiling that has expired, and says so at every start" {
	printf 'expires 2000-01-01\ndeny call.x\n' >"$config/ceiling"
	line="$config/ceiling:1:1: this ceiling expired after 2000-01-01, and binds nevertheless"
	for _ in 1 2; do
		starts 1 "$line" chock-policy-eval --rule 'allow call.x' call.x
		[ "$output" = "deny ceiling:$config/ceiling:2" ]
	done
	starts 0 "$line" chock-spawn --check
}
