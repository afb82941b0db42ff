#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What a person reads of a session, and does about it: what it says is what
# there is, and each line that names a call can be typed as it is
#
#	repo/     a git project: a, build.sh
#	a dir/    a directory without git: f, gone

load lib/chock
load lib/project

setup() {
	require userns landlock
	repo=$BATS_TEST_TMPDIR/repo
	plain="$BATS_TEST_TMPDIR/a dir"
	state=$HOME/.local/state/chock
	make_project "$repo"
	mkdir "$plain"
	echo old >"$plain/f"
	echo old >"$plain/gone"
	cd "$repo" || return
}

teardown() {
	chmod -R u+rwx "$BATS_TEST_TMPDIR"
}

# alone STATUS COMMAND... - with nobody there to answer
alone() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w "$@" </dev/null
	id=${stderr#*chock-run: session }
	id=${id%%$'\n'*}
}

# meanwhile SCRIPT COMMAND... - SCRIPT runs elsewhere while COMMAND's question
# waits, which is answered with no then
meanwhile() {
	local script=$1
	shift
	"$helpers/terminal" "$BATS_TEST_TMPDIR/transcript" \
		'see=Answer within' "sh=$script" 'type=n\r' -- "$@"
}

# the_call - what the question on the terminal says shows all, as a script
the_call='call=$(tr -d "\r" <"$BATS_TEST_TMPDIR/transcript" |
	sed -n "s/^ *| *\(chock [a-z]* diff .*\)/\1/p")
[ "$call" ]
eval "$call" >"$BATS_TEST_TMPDIR/seen"
'
export BATS_TEST_TMPDIR

@test "names a call that shows all of what it asks about, while it asks" {
	meanwhile "$the_call" chock run -- \
		sh -c 'echo two >>a; git commit -qam second' 2>/dev/null
	grep -qx +two "$BATS_TEST_TMPDIR/seen"
	require overlay
	cd "$plain"
	meanwhile "$the_call" chock run -- sh -c 'echo new >f; rm gone' \
		2>/dev/null
	[ "$(cat "$BATS_TEST_TMPDIR/seen")" = $'M f\nD gone' ]
}

@test "shows and exports what waits for an answer, and does no more with it" {
	meanwhile 'list=$(chock workspace list)
		case $list in *"  it waits for an answer") ;; *) exit 1 ;; esac
		id=${list%% *}
		chock workspace export "$id" | tar -x -O files/a | grep -qx two
		for verb in adopt clear apply; do
			code=0
			chock workspace "$verb" "$id" || code=$?
			[ "$code" = 111 ]
		done' \
		chock run -- sh -c 'echo two >>a; git commit -qam second' \
		2>"$BATS_TEST_TMPDIR/err"
	[ "$(grep -c "the session '.*' is in use" "$BATS_TEST_TMPDIR/err")" = 3 ]
	[[ $(chock workspace list) == *'  the command ended, with status 0' ]]
}
