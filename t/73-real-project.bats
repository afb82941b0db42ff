#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# A real C project configures, builds and passes its own tests in a sandbox
# exactly as it does outside, and the project does not notice.
#
# Takes longer than its size suggests.

load lib/chock
load lib/project

# same_result PACKAGE COMMAND - COMMAND says the same inside as outside
same_result() {
	local package=$1 command=$2 source=$BATS_TEST_TMPDIR/source
	local project="$BATS_TEST_TMPDIR/a project"
	fetch_source "$package" "$source" >&2 ||
		skip "nothing measured: no source of $package is to be had"
	cp -a "$source" "$project"
	commit_all "$project"

	cd "$source" || return
	run -0 sh -c "$command"
	grep -E "$results" <<<"$output" >"$BATS_TEST_TMPDIR/outside"
	[ -s "$BATS_TEST_TMPDIR/outside" ]

	cd "$project" || return
	manifest . >"$BATS_TEST_TMPDIR/before"
	run -0 --separate-stderr chock run -- sh -c "$command"
	grep -E "$results" <<<"$output" >"$BATS_TEST_TMPDIR/inside"
	manifest . >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/outside" "$BATS_TEST_TMPDIR/inside"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "builds and tests zlib as outside" {
	require userns
	results='test OK|^\*+|FAIL'
	same_result zlib './configure && make -j2 && make check'
}

@test "builds and tests GNU hello as outside" {
	require userns
	results='^(PASS|FAIL|SKIP|ERROR|# [A-Z]+): '
	# git gives every file the time of its checkout, so make would want to
	# generate again what the release brought along, with the maintainer's
	# tools: one time for all of them says that nothing is out of date.
	same_result hello 'find . -exec touch -h -d @1700000000 {} + &&
		FORCE_UNSAFE_CONFIGURE=1 ./configure -q &&
		export HELP2MAN="touch hello.1-t;:" &&
		make -es -j2 && make -e check'
}
