#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock run: what a policy says holds in the copy, or the run is refused
#
# Takes longer than its size suggests.

load lib/chock
load lib/project

setup() {
	require userns
	project=$BATS_TEST_TMPDIR/project
	make_project "$project"
	cd "$project" || return
	mkdir keys
	echo secret >.env
	echo secret >keys/id
	git add .env keys
	git commit -qm secrets
}

# run_chock STATUS ARGUMENT... - chock run with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

# holds_hidden ARGUMENT... - what is in .env and keys/ is not there, and a is
holds_hidden() {
	local file
	for file in .env keys/id; do
		run_chock 0 "$@" -- cat "$file"
		[ "$output" = 'hidden by policy: a commit keeps this file as it was' ]
	done
	run_chock 0 "$@" -- cat a
	[ "$output" = one ]
}

@test "shows what nothing hides" {
	run_chock 0 -- cat .env keys/id
	[ "$output" = $'secret\nsecret' ]
}

@test "hides in the copy what a policy hides by a relative path" {
	printf 'include base\nhide .env\nhide keys/**\n' >"$BATS_TEST_TMPDIR/p"
	holds_hidden --policy "$BATS_TEST_TMPDIR/p"
	printf 'include base\nhide .env/\nhide keys/\n' >"$BATS_TEST_TMPDIR/p"
	holds_hidden --policy "$BATS_TEST_TMPDIR/p"
	printf 'include base\nhide @project@/.env\nhide %s/keys\n' "$project" \
		>"$BATS_TEST_TMPDIR/p"
	holds_hidden --policy "$BATS_TEST_TMPDIR/p"
}

@test "hides in the copy what a ceiling hides" {
	printf 'hide .env\nhide keys/**\n' >chock.policy
	holds_hidden
	rm chock.policy
	mkdir -p "$HOME/.config/chock"
	printf 'hide .env\nhide keys\n' >"$HOME/.config/chock/ceiling"
	holds_hidden
}

@test "hides in the copy what is gone from the project" {
	printf 'hide .env\nhide keys/**\n' >chock.policy
	rm -r .env keys
	holds_hidden
}

@test "says once that the history ends where something is hidden" {
	printf 'hide .env\nhide keys\nhide none\n' >chock.policy
	run_chock 0 -- true
	[ "$(grep -c 'its history ends there, for something in it is hidden' <<<"$stderr")" -eq 1 ]
	[[ $stderr != *"git's objects"* ]]
}

@test "refuses what nobody holds, also in a ceiling, and leaves nothing" {
	while IFS='|' read -r statement column; do
		printf 'include base\n%s\n' "$statement" >"$BATS_TEST_TMPDIR/p"
		run_chock 100 --yes --policy "$BATS_TEST_TMPDIR/p" -- true
		[[ $stderr == *"/p:2:$column: this version cannot "* ]]
		printf '\n%s\n' "$statement" >chock.policy
		run_chock 100 --yes -- true
		[[ $stderr == *"/chock.policy:2:$column: this version cannot "* ]]
		rm chock.policy
		[ ! -e "$HOME/.local" ]
	done <<-'END'
		sink dir /var/log|1
		net filtered|5
	END
}

# says TEXT ARGUMENT... - the run is refused, and all that is said is TEXT
says() {
	run_chock 126 "${@:2}"
	printf '%s\n' "$stderr"
	[ "$stderr" = "chock-run: $1" ]
}

@test "says of a refusal which rule it is, and what would allow it if that is so" {
	local p=$BATS_TEST_TMPDIR/p no
	printf 'include base\ndeny exec.path.*\nask exec.workspace.*\n' >"$p"
	says "policy refuses exec.path.true: $p:2 says so, and trying again will not help; --rule 'allow exec.path.true' would allow it" \
		-p "$p" -- true
	says "policy has a person asked about exec.workspace.x%2Esh ($p:3 says so), and there was nobody to say yes; --rule 'allow exec.workspace.x%2Esh' would allow it" \
		-p "$p" -- ./x.sh
	# The action that is refused is named, and all are that need a rule.
	says "policy refuses exec.path.true: $p:2 says so, and trying again will not help; --rule 'allow exec.path.true' --rule 'allow exec.system./usr/bin/true' would allow it" \
		-p "$p" -- /usr/bin/true
	run_chock 0 -p "$p" --rule 'allow exec.system./usr/bin/true' \
		--rule 'allow exec.path.true' -- /usr/bin/true
	# What no rule changes is not told to be changed by one.
	no="and trying again will not help; no --rule would allow it, and 'chock explain exec.path.true' with the policies and rules of this call says why"
	says "policy refuses exec.path.true: --rule:1 says so, ${no/; no/; that is a rule of this command line, to be left out; no}" \
		--rule 'deny exec.path.true' -- true
	# Nor is --yes, which answers what is asked, said to lift a no.
	printf 'include base\ndeny workspace.apply\n' >"$p"
	run_chock 0 --yes -p "$p" -- sh -c 'echo new >new; git add new; git commit -qm new'
	[[ $stderr == *"trying again will not help; --rule 'allow workspace.apply' would allow it"* ]]
	mkdir -p "$HOME/.config/chock"
	echo 'deny exec.path.true' >"$HOME/.config/chock/ceiling"
	says "policy refuses exec.path.true: ceiling:$HOME/.config/chock/ceiling:1 says so, $no" \
		-- true
	rm "$HOME/.config/chock/ceiling"
	printf 'include base\nagent other\n' >"$p"
	says "policy refuses exec.path.true: no policy declares the agent that asks, $no" \
		-p "$p" -- true
}
