#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The language is what chock-policy(5) says: its examples are answered as it
# says, and a second implementation, t/reference/policy, which was written from
# the page, gives the same answers by policies that are drawn.
#
# CHOCK_SEED=... draws the same again; a case that differs is made small and
# printed as the files and the question that it is.
#
# Takes longer than its size suggests.

load lib/chock

# In the source tree all of them; where only the tests are installed, fewer.
policies=10000
[ -e "$BATS_TEST_DIRNAME/../doc" ] || policies=1200

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	page=$BATS_TEST_DIRNAME/../doc/man/chock-policy.5
	[ -e "$page" ] || page=$CHOCK_BUILD/share/man/man5/chock-policy.5
}

# example NAME - the literal block of the page that starts with "# NAME"
example() {
	awk -v first="# $1" '
		/^\.Ed$/ { inside = 0 }
		inside
		/^\.Bd -literal/ { getline; inside = $0 == first; if (inside) print }
	' "$page" | sed 's/\\e/\\/g' >"$1"
	[ "$(wc -l <"$1")" -ge 3 ]
}

@test "answers the examples of the page as the page does" {
	example example.policy
	example example.ceiling
	example example.cases
	run -0 --separate-stderr chock-policy-eval --policy ./example.policy \
		--ceiling ./example.ceiling --cases example.cases
	[ "$output" = '11 asked, 0 wrong' ]
	# Each has its derivation in the page.
	[ "$(sed '1,/^# example.cases$/d' "$page" | grep -c '^\.It$')" -eq 11 ]
}

@test "would see an example that is not so" {
	example example.policy
	example example.ceiling
	example example.cases
	sed -i '/^deny   git.push/s/deny/ask /' example.policy
	run -1 --separate-stderr chock-policy-eval --policy ./example.policy \
		--ceiling ./example.ceiling --cases example.cases
	[[ "${lines[0]}" == 'example.cases:2: git.push: '*', the answer is ask ./example.policy:6' ]]
}

# differ SEED OPTION... - hold the program against the reference
differ() {
	timeout 800 "$BATS_TEST_DIRNAME/reference/differ" \
		--build "$CHOCK_BUILD" --seed "$1" --keep "$1" "${@:2}"
}

@test "answers by drawn policies as a second implementation does" {
	seed=${CHOCK_SEED-$RANDOM$RANDOM}
	printf 'CHOCK_SEED=%s\n' "$seed"
	# Two at once, for each waits most of its time for the other program.
	pids=()
	for half in a b; do
		differ "$seed$half" --policies $((policies / 2)) >"$half" &
		pids+=($!)
	done
	for half in a b; do
		wait "${pids[0]}" && status=0 || status=$?
		pids=("${pids[@]:1}")
		cat "$half"
		[ "$status" -eq 0 ]
		grep -q "^$((policies / 2)) policies, 12 questions each: the same\$" "$half"
		# What was drawn must have met every decision and every layer.
		[ "$(tail -n 1 "$half")" = "$(printf '%s ' \
			agent agent_review agent_then_human allow ask ceiling chain \
			command default deny none operator project rule unnamed |
			sed 's/ $//')" ]
	done
}

# A comparison that could not fail would prove nothing.
@test "would see an implementation that answers otherwise, and shows the case" {
	mkdir -p tree/bin
	cat >tree/bin/chock-policy-eval <<-END
		#!/bin/sh
		"$(command -v chock-policy-eval)" "\$@" | sed '/net.connect.ip/s/"deny"/"ask"/'
	END
	chmod +x tree/bin/chock-policy-eval
	CHOCK_BUILD=$PWD/tree run -1 differ 1 --policies 2000
	printf '%s\n' "$output"
	[[ $output == *"they differ"* ]]
	# The case is small, and what is printed shows it once more.
	[ "$(find 1 -type f -name question.json | wc -l)" -eq 1 ]
	[ "$(find 1 -type f ! -name question.json -exec cat {} + | wc -l)" -le 2 ]
	cd 1
	eval "run -0 --separate-stderr env $(grep '^XDG_CONFIG_HOME=' <<<"$output") <question.json"
	[[ $output == *'"decision":"ask"'* ]]
}

@test "asks the reference by hand" {
	printf 'deny git.push\nallow git.*\n' >p
	run -0 "$BATS_TEST_DIRNAME/reference/policy" --policy ./p \
		<<<$'{"action":"git.push"}\n{"action":"git.pull","agent":["main"]}'
	[ "$output" = $'["deny", "./p:1", "project"]\n["allow", "./p:2", "project"]' ]
}
