#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2154
# What takes longer than a second says on a terminal how far it is, and there
# alone
#
# The terminal is t/helpers/terminal; CHOCK_PROGRESS has it begin at once.

load lib/chock
load lib/workspace

setup() {
	transcript=$BATS_TEST_TMPDIR/transcript
	project=$BATS_TEST_TMPDIR/project
	w=$BATS_TEST_TMPDIR/w
	export TERM=xterm CHOCK_PROGRESS=0
	wipe=$'\r\e[K'
}

# shown COMMAND... - it, with a terminal as its standard error
shown() {
	"$helpers/terminal" "$transcript" standard=2 start -- "$@"
}

# many - a project of 12000 files of one content
many() {
	git init -q -b main "$project"
	{
		printf 'blob\nmark :1\ndata 2\nx\n\n'
		printf 'commit refs/heads/main\ncommitter A <a@example.org> 1 +0000\n'
		printf 'data 4\nmany\n'
		seq 12000 | awk '{ print "M 100644 :1 " int($1 / 100) "/" $1 }'
	} | git -C "$project" fast-import --quiet
	git -C "$project" reset -q --hard
}

@test "says on a terminal how many files of how many there are, and wipes it" {
	many
	shown "$workspace" create --session s --workspace "$w" \
		--template-files 0 "$project" >created
	run -0 cat "$transcript"
	[[ $output =~ 'chock-workspace: checking out the copy: '[0-9]+' of 12000 files' ]]
	[[ $output == *"$wipe" ]]
	[ "$(find "$w/copy" -path "$w/copy/.git" -prune -o -type f -print | wc -l)" \
		-eq 12000 ]
	shown "$workspace" clear --workspace "$w" >cleared
	run -0 cat "$transcript"
	[[ $output =~ 'chock-workspace: removing the workspace: '[0-9]+' files' ]]
	[[ $output == *"$wipe" ]]
}

@test "says what is wrong on a line of its own" {
	new_project "$project"
	blob=$(git -C "$project" rev-parse HEAD:file)
	rm -f "$project/.git/objects/${blob:0:2}/${blob:2}"
	run -100 --separate-stderr "$workspace" create --session s \
		--workspace "$w" "$project"
	said=$stderr
	[[ $said == 'chock-workspace: '*"$blob"* ]]
	run -100 shown "$workspace" create --session s --workspace "$w" "$project"
	[[ $(<"$transcript") == *"$wipe$said"$'\r' ]]
}

@test "says nothing in a pipe, on a dumb terminal, or where nobody wants it" {
	new_project "$project"
	run -0 --separate-stderr "$workspace" create --session s \
		--workspace "$w" "$project"
	[ -z "$stderr" ]
	TERM=dumb shown "$workspace" clear --workspace "$w"
	[ ! -s "$transcript" ]
	CHOCK_PROGRESS=never shown "$workspace" create --session s \
		--workspace "$w" "$project"
	[ ! -s "$transcript" ]
	env -u CHOCK_PROGRESS "$helpers/terminal" "$transcript" standard=2 \
		start -- "$workspace" clear --workspace "$w"
	[ ! -s "$transcript" ]
}

@test "is gone when a question comes, and does not come back before the answer" {
	require userns
	new_project "$project"
	cd "$project"
	"$helpers/terminal" "$transcript" standard=2 start \
		'see=looking at what the session left: ' 'see=workspace.apply' \
		'see=seconds: ' 'type=y\r' 'see=undo' -- \
		chock run -- sh -c 'echo new >>file; git commit -qam work' >out
	run -0 cat "$transcript"
	asked=${output#*workspace.apply}
	[[ ${asked%%undo*} == *y* ]]
	asked=${asked%%seconds: *}
	[[ $asked != *'chock-workspace: '* && $asked != *"$wipe"* ]]
	[ "$(tail -n 1 file)" = new ]
}
