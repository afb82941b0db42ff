#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-session: sessions have names that sort, and a place that is ours.

load lib/chock

setup() {
	# shellcheck disable=SC2154
	session=$libexec/chock-session
	project=$BATS_TEST_TMPDIR/project
	state=$HOME/.local/state/chock/sessions
	mkdir "$project"
	cd "$project" || return
}

@test "names a session by 26 digits that sort by the time" {
	run -0 "$session" new
	one=$(json .session <<<"$output")
	[[ $one =~ ^[0-9A-HJKMNP-TV-Z]{26}$ ]]
	now=$(date +%s)
	started=$(date -d "$(json .started <<<"$output")" +%s)
	((started <= now && started > now - 60))
	run -0 "$session" new
	two=$(json .session <<<"$output")
	[ "${one:10}" != "${two:10}" ]
	[[ ! ${two:0:10} < ${one:0:10} ]]
}

@test "says where its log and its workspace go, and makes neither" {
	run -0 "$session" new
	id=$(json .session <<<"$output")
	hash=$(printf %s "$project" | sha256sum | cut -c 1-8)
	[ "$(json .project <<<"$output")" = "$project" ]
	[ "$(json .dir <<<"$output")" = "$state/project-$hash" ]
	[ "$(json .log <<<"$output")" = "$state/project-$hash/$id.jsonl" ]
	[ "$(json .workspace <<<"$output")" = "$state/project-$hash/$id" ]
	[ -z "$(ls -A "$state/project-$hash")" ]
	[ -z "$(ls -A "$project")" ]
}

@test "makes each directory for its owner alone" {
	(umask 0 && run -0 "$session" new)
	dir=$HOME
	for name in .local state chock sessions; do
		dir=$dir/$name
		[ "$(stat -c %a "$dir")" = 700 ]
	done
	[ "$(stat -c %a "$dir"/*)" = 700 ]
}

@test "uses XDG_STATE_HOME where it is an absolute path" {
	XDG_STATE_HOME=$BATS_TEST_TMPDIR/xdg/state run -0 "$session" new
	[[ $(json .dir <<<"$output") == "$BATS_TEST_TMPDIR/xdg/state/chock/sessions/"* ]]
	XDG_STATE_HOME=relative run -0 "$session" new
	[[ $(json .dir <<<"$output") == "$state/"* ]]
	[ ! -e relative ]
}

@test "names a project that is reached by a link by where it is" {
	ln -s project ../link
	run -0 "$session" new ../link
	[ "$(json .project <<<"$output")" = "$project" ]
}

@test "finds a place for a project of any name" {
	hard=$BATS_TEST_TMPDIR/$'.a b\n\xff:x'
	mkdir "$hard"
	run -0 "$session" new "$hard"
	[ "$(json .project.base64 <<<"$output" | base64 -d)" = "$hard" ]
	[[ $(json .dir <<<"$output") =~ /_a_b___x-[0-9a-f]{8}$ ]]
	long=$BATS_TEST_TMPDIR/$(printf '%0255d' 0)
	mkdir "$long"
	run -0 "$session" new "$long"
	[[ $(json .dir <<<"$output") =~ /0{64}-[0-9a-f]{8}$ ]]
}

@test "keeps projects of one name apart" {
	mkdir -p a/x b/x
	run -0 "$session" new a/x
	one=$(json .dir <<<"$output")
	run -0 "$session" new b/x
	[ "$one" != "$(json .dir <<<"$output")" ]
}

@test "refuses a place that others may write to" {
	run -0 "$session" new
	for dir in "$state"/* "$state" "${state%/*}"; do
		chmod g+w "$dir"
		run -100 --separate-stderr "$session" new
		# shellcheck disable=SC2154
		[[ $stderr == *': others may write to it' ]]
		chmod g-w "$dir"
		chmod o+w "$dir"
		run -100 "$session" new
		run -100 "$session" list
		chmod o-w "$dir"
		run -0 "$session" new
	done
}

@test "refuses a place that is somebody else's" {
	require root
	run -0 "$session" new
	chown 65534 "$state"
	run -100 --separate-stderr "$session" new
	[[ $stderr == *": it is somebody else's" ]]
}

@test "follows no symbolic link in what is its own" {
	run -0 "$session" new
	for dir in "$state"/* "$state" "${state%/*}"; do
		mv "$dir" "$dir.real"
		ln -s "$dir.real" "$dir"
		run -100 "$session" new
		run -100 "$session" list
		rm "$dir"
		mv "$dir.real" "$dir"
	done
	run -0 "$session" new
}

@test "accepts a home that is reached by a link" {
	mkdir "$BATS_TEST_TMPDIR/real"
	ln -s real "$BATS_TEST_TMPDIR/homelink"
	HOME=$BATS_TEST_TMPDIR/homelink run -0 "$session" new
}

@test "lists the sessions of a project in the order of their start" {
	for _ in 1 2 3; do
		run -0 "$session" new
		json .log <<<"$output" >>logs
		chock-log-append -f "$(tail -n 1 logs)" </dev/null
	done
	touch "$(dirname "$(head -n 1 logs)")/notes.jsonl"
	run -0 "$session" list
	[ "$(json .log <<<"$output")" = "$(sort logs)" ]
	[ "$(json .running <<<"$output" | sort -u)" = false ]
	[ "$(json .project <<<"$output" | sort -u)" = "$project" ]
}

@test "says that a session runs as long as its lock is held" {
	run -0 "$session" new
	log=$(json .log <<<"$output")
	exec 9<>"$log"
	chock-log-append --log-fd 9 --session "$(json .session <<<"$output")" \
		</dev/null
	run -0 "$session" list
	[ "$(json .running <<<"$output")" = true ]
	exec 9>&-
	run -0 "$session" list
	[ "$(json .running <<<"$output")" = false ]
}

@test "lists nothing, and makes nothing, where there is no session" {
	run -0 "$session" list
	[ -z "$output" ]
	[ ! -e "$HOME/.local" ]
}

@test "refuses a project that is not there or no directory" {
	run -100 --separate-stderr "$session" new no
	[[ $stderr == "chock-session: cannot find the project 'no': "* ]]
	: >file
	run -100 "$session" new file
	run -100 "$session" list file
	[ ! -e "$HOME/.local" ]
}

@test "refuses to go without a home" {
	HOME='' run -100 "$session" new
}

@test "refuses a call that is wrong" {
	run -100 "$session"
	run -100 "$session" old
	run -100 "$session" new a b
}
