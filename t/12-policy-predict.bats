#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The language is what its page says: the answers in t/data/policy/predict were
# written down from chock-policy(5) alone, before any of them was asked.

load lib/chock

setup() {
	project="$BATS_TEST_TMPDIR/a [p*] project"
	mkdir "$project" "$BATS_TEST_TMPDIR/here"
	project=$(cd "$project" && pwd -P)
	cd "$BATS_TEST_TMPDIR/here" || return
	cp "$data"/policy/predict/* .
	sed -i "s|PROJECT|${project//[&|\\]/\\&}|g" ./*.cases ./*.calls
	# A home that nobody has to have.
	export HOME=/home/me
}

# options_of NAME - set options to those by which its questions are asked
options_of() {
	local rule
	options=(--project "$project" --policy "./$1.policy")
	[ ! -e "$1.ceiling" ] || options+=(--ceiling "./$1.ceiling")
	[ ! -e "$1.restrictions" ] || options+=(--state "$BATS_TEST_TMPDIR/log")
	[ ! -e "$1.rules" ] || while IFS= read -r rule; do
		options+=(--rule "$rule")
	done <"$1.rules"
}

@test "answers as was predicted from the page" {
	local table name count=0
	chock-log-append -f "$BATS_TEST_TMPDIR/log" <restrict.restrictions
	for table in *.cases; do
		name=${table%.cases}
		options_of "$name"
		run -0 --separate-stderr chock-policy-eval "${options[@]}" \
			--cases "$table"
		[ "$output" = "$(grep -c ' -> ' "$table") asked, 0 wrong" ]
		count=$((count + $(grep -c ' -> ' "$table")))
	done
	[ "$count" -ge 150 ]
}

@test "answers calls as was predicted from the page" {
	local line decision rule call answer
	options_of tools
	while IFS= read -r line; do
		read -r decision rule call <<<"$line"
		[ "$decision" != error ] || call="$rule $call"
		run --separate-stderr chock-policy-eval "${options[@]}" <<<"$call"
		if [ "$decision" = error ]; then
			[ "$status" -eq 100 ]
			[[ $output == '{"error":'* ]]
			continue
		fi
		[ "$status" -eq 0 ]
		answer=$("$libexec/chock-record" get decision <<<"$output")
		printf '%s: %s\n' "$call" "$output"
		[ "$answer" = "$decision" ]
		answer=$("$libexec/chock-record" get rule <<<"$output")
		[ "$answer" = "$rule" ] || [ "${answer%%:*}" = "$rule" ]
	done <tools.calls
}

@test "refuses the questions that the page says are none" {
	local line
	while IFS= read -r line; do
		printf '%s\n' "$line"
		# shellcheck disable=SC2086
		run -100 chock-policy-eval $line
		[ "${#lines[@]}" -eq 1 ]
	done <questions.bad
}

@test "takes and refuses the lines that the page does" {
	local line
	while IFS= read -r line; do
		printf '%s\n' "$line" | tee one.policy
		run -100 chock-policy-eval --policy ./one.policy git.push
		[[ $output == chock-policy-eval:*./one.policy:1:* ]]
	done <lines.bad
	while IFS= read -r line; do
		printf '%s\n' "$line" | tee one.policy
		run --separate-stderr chock-policy-eval --project "$project" \
			--policy ./one.policy git.push
		[[ $status == [013] ]]
	done <lines.good
}
