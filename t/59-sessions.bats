#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-sessions: what sessions logged, listed, shown, checked, copied, removed.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export HOME=$BATS_TEST_TMPDIR XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	unset SSH_AUTH_SOCK
	sessions=$CHOCK_BUILD/libexec/chock/chock-sessions
	mkdir "a project"
}

# begin - a new session of the project: sets id, log and workspace
begin() {
	local new
	new=$("$CHOCK_BUILD/libexec/chock/chock-session" new "a project")
	id=$(json .session <<<"$new")
	log=$(json .log <<<"$new")
	workspace=$(json .workspace <<<"$new")
	note "$log" "{\"kind\":\"session.start\",\"project\":\"$PWD/a project\"}"
}

# note LOG EVENT... - the events are in the log
note() {
	local log=$1
	shift
	printf '%s\n' "$@" | chock-log-append -f "$log" >answers
}

# a_session - one that was asked, denied a call, landed two files, and ended
a_session() {
	begin
	note "$log" '{"tool":"ls","decision":"allow","rule":"p:1","summary":"list"}' \
		'{"tool":"rm","decision":"deny","rule":"p:2","summary":"remove"}' \
		'{"kind":"result","exit":0,"denials":[{"path":"/x"}]}' \
		'{"kind":"ask","action":"workspace.apply","summary":"apply 2 files","decision":"ask","rule":"p:3","effect":{"file_count":2}}' \
		'{"kind":"answer","action":"workspace.apply","summary":"apply 2 files","decision":"allow","rule":"p:3","by":"person"}' \
		'{"kind":"workspace.integrate","done":{"ref":"refs/chock/x","landed":true}}' \
		'{"kind":"session.end","exit":3,"how":"the command ended"}'
}

# ---- list ---------------------------------------------------------------

@test "lists what each session came to, the oldest first" {
	a_session
	first=$id
	begin
	run -0 "$sessions" list
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} == "$first "*"  $PWD/a project  ended with status 3, 2 calls, 1 asked, 2 denied, 2 files" ]]
	[[ ${lines[1]} == "$id "*"  $PWD/a project  was cut off, 0 calls, 0 asked, 0 denied, 0 files" ]]
	run -0 "$sessions" list --json
	[ "$(json '"\(.session) \(.exit) \(.how) \(.calls) \(.asked) \(.denied) \(.refused) \(.files) \(.running) \(.kept)"' \
		<<<"${lines[0]}")" = "$first 3 the command ended 2 1 1 1 2 false false" ]
	[ "$(json .project <<<"${lines[1]}")" = "$PWD/a project" ]
}

@test "lists one that runs, and one whose workspace is kept" {
	begin
	mkdir "$workspace"
	exec 9<>"$log"
	chock-log-append --log-fd 9 --session "$id" </dev/null
	run -0 "$sessions" list
	[[ $output == *"  runs, "*"; its workspace is kept" ]]
	exec 9>&-
}

@test "lists nothing, and makes nothing, where there is no session" {
	run -0 "$sessions" list
	[ -z "$output" ]
	[ ! -e state ]
	run -100 --separate-stderr "$sessions" show
	# shellcheck disable=SC2154
	[ "$stderr" = 'chock-sessions: there is no log of any session' ]
}

@test "passes over what is no log, and follows no symbolic link" {
	a_session
	dir=${log%/*}
	: >"$dir/notes.jsonl"
	ln -s "$log" "$dir/01M8PPCGB82ZJVT8GXT3D9SJDJ.jsonl"
	run -0 --separate-stderr "$sessions" list
	[ "${#lines[@]}" -eq 2 ]
	[[ $stderr == *"cannot open '$dir/01M8PPCGB82ZJVT8GXT3D9SJDJ.jsonl': "* ]]
	chmod 777 "$dir"
	run -0 --separate-stderr "$sessions" list
	[ -z "$output" ]
	[[ $stderr == *"cannot list '$dir': "* ]]
}

@test "lists a log that is garbage, torn or huge in what it claims" {
	begin
	printf 'garbage\n{"kind":"ask","action":"workspace.apply","effect":{"file_count":1e400}}\n{"half' >>"$log"
	run -0 "$sessions" list
	[[ $output == *'was cut off, 0 calls, '*' 0 files' ]]
}

# ---- show ---------------------------------------------------------------

@test "shows the events of a session, of the last one if none is named" {
	a_session
	first=$id
	begin
	run -0 "$sessions" show "$first"
	[ "${#lines[@]}" -eq 8 ]
	stamp='20[0-9-]*T[0-9:.]*Z'
	[[ ${lines[0]} =~ ^$stamp\ +session.start\ +"$PWD/a project"$ ]]
	[[ ${lines[2]} =~ ^$stamp\ +decision\ +'deny remove, rule p:2'$ ]]
	[[ ${lines[3]} =~ ^$stamp\ +result\ +'exit 0, the sandbox denied 1'$ ]]
	[[ ${lines[4]} =~ ^$stamp\ +ask\ +'apply 2 files, rule p:3'$ ]]
	[[ ${lines[5]} =~ ^$stamp\ +answer\ +'allow apply 2 files, by person, rule p:3'$ ]]
	[[ ${lines[6]} =~ ^$stamp\ +workspace.integrate\ +'landed, is at refs/chock/x'$ ]]
	[[ ${lines[7]} =~ ^$stamp\ +session.end\ +'the command ended, status 3'$ ]]
	run -0 "$sessions" show
	[ "${#lines[@]}" -eq 1 ]
	[ "$("$sessions" show --json "$first")" = "$(cat "${log%/*}/$first.jsonl")" ]
}

@test "shows nothing that a terminal would obey" {
	begin
	note "$log" '{"tool":"x","decision":"deny","summary":"\u001b[2J\u202e\n","rule":"\u0007"}'
	run -0 "$sessions" show
	[[ ${lines[1]} == *'deny \x1b[2J\u{202e}\x0a, rule \x07' ]]
}

@test "follows a session until it ends" {
	begin
	exec 9<>"$log"
	chock-log-append --log-fd 9 --session "$id" </dev/null
	"$sessions" show --follow >shown 9>&- 3>&- &
	follower=$!
	chock-log-append --log-fd 9 --session "$id" >answers \
		<<<'{"tool":"ls","decision":"allow","summary":"list"}'
	exec 9>&-
	wait "$follower"
	[ "$(wc -l <shown)" -eq 2 ]
	[[ $(tail -n 1 shown) == *'decision '*'allow list' ]]
}

@test "shows a log of its own only, and says of a torn line nothing" {
	a_session
	printf '{"half' >>"$log"
	run -0 "$sessions" show
	[ "${#lines[@]}" -eq 8 ]
	run -100 --separate-stderr "$sessions" show ../x
	[[ $stderr == *"there is no log of a session '../x'; see 'chock sessions list'" ]]
}

# ---- verify and seal ----------------------------------------------------

@test "checks and seals by name" {
	a_session
	first=$id
	a_session
	run -0 "$sessions" verify
	[ "${#lines[@]}" -eq 2 ]
	run -1 "$sessions" verify --require-seal
	run -0 --separate-stderr "$sessions" seal "$first"
	[ "$(json .session <<<"$output")" = "$first" ]
	run -0 "$sessions" verify --require-seal "$first"
	[[ $output == sealed:* ]]
	sed -i 2d "$log"
	run -1 "$sessions" verify
	[[ ${lines[0]} == sealed:* ]]
	[[ ${lines[1]} == 'broken at line 2:'* ]]
	run -1 --separate-stderr "$sessions" seal "$id"
	[[ $stderr == *"cannot seal '$log': it is broken: "* ]]
}

@test "checks more logs than are checked at once" {
	a_session
	dir=${log%/*}
	for ((i = 0; i < 257; i++)); do
		printf -v name '01M8PPCGB82ZJVT8GXT3D9S%03d' "$i"
		: >"$dir/$name.jsonl"
	done
	run -1 "$sessions" verify
	[ "${#lines[@]}" -eq 258 ]
	[ "$(grep -c ^whole: <<<"$output")" -eq 1 ]
}

# ---- export, prune, remove ----------------------------------------------

@test "copies a log with all that is beside it, over nothing" {
	a_session
	"$sessions" seal "$id"
	mkdir to
	run -0 "$sessions" export --to to "$id"
	for suffix in jsonl head seal seal.sig; do
		cmp "${log%.jsonl}.$suffix" "to/$id.$suffix"
	done
	run -0 chock-log-verify --require-seal "to/$id.jsonl"
	run -100 --separate-stderr "$sessions" export --to to "$id"
	[[ $stderr == *"cannot make 'to/$id.jsonl': File exists" ]]
	run -100 "$sessions" export --to nowhere "$id"
	run -100 "$sessions" export "$id"
}

@test "removes what is named, after a yes" {
	a_session
	"$sessions" seal "$id"
	run -1 --separate-stderr "$sessions" remove "$id" </dev/null
	[[ $stderr == *'there is no terminal to ask on, and nothing is removed; --yes would' ]]
	[ -e "$log" ]
	run -0 "$sessions" remove --yes "$id"
	[ "$output" = "removed $id" ]
	[ -z "$(ls -A "${log%/*}")" ]
	run -100 "$sessions" remove --yes "$id"
}

@test "removes nothing where one of those that are named is none" {
	a_session
	run -100 --separate-stderr "$sessions" remove --yes "$id" nobody
	[[ $stderr == *"there is no log of a session 'nobody'; "* ]]
	[ -e "$log" ]
}

@test "removes nothing of a session that runs or has work that is kept" {
	a_session
	mkdir "$workspace"
	run -111 --separate-stderr "$sessions" remove --yes "$id"
	[[ $stderr == *"what session '$id' left is kept; 'chock workspace clear $id' removes it" ]]
	rmdir "$workspace"
	exec 9<>"$log"
	chock-log-append --log-fd 9 --session "$id" </dev/null
	run -111 --separate-stderr "$sessions" remove --yes "$id"
	[[ $stderr == *"the session '$id' is in use" ]]
	exec 9>&-
	[ -e "$log" ]
}

@test "prunes what is old, and neither runs nor is kept" {
	a_session
	dir=${log%/*} young=$id
	old=01M8PPCGB82ZJVT8GXT3D9SJDJ kept=01M8PPCGB92ZJVT8GXT3D9SJDJ
	for name in $old $kept; do
		note "$dir/${name/M8/C8}.jsonl" '{"kind":"session.end","exit":0}'
	done
	mkdir "$dir/${kept/M8/C8}"
	run -0 "$sessions" prune --older-than 1d --yes
	[ "$output" = "removed ${old/M8/C8}" ]
	[ -e "$dir/$young.jsonl" ]
	[ -e "$dir/${kept/M8/C8}.jsonl" ]
	run -0 --separate-stderr "$sessions" prune --older-than 1d --yes
	[ "$stderr" = 'chock-sessions: there is nothing to remove' ]
	run -100 "$sessions" prune
}

@test "refuses a call that is wrong" {
	run -100 "$sessions"
	run -100 "$sessions" lst
	run -100 "$sessions" seal
	run -100 "$sessions" show a b
	run -100 --separate-stderr "$sessions" list --follow
	[ "$stderr" = 'chock-sessions: list takes no --follow' ]
}
