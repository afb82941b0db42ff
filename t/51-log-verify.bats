#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-log-verify: says yes to a log that nobody touched and to no other.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	log=$BATS_TEST_TMPDIR/s.jsonl
	seq 1 8 | sed 's/.*/{"id":"&","tool":"ls"}/' >calls
	chock-log-append -f "$log" <calls >answers
}

# verdict LOG... - what chock-log-verify says and the status it leaves with
verdict() {
	run chock-log-verify --json "$@"
	[ -n "$output" ]
	printf '%s %s' "$(json .verdict <<<"${lines[0]}")" "$status"
}

# broken LINE SED - the log changed by SED breaks at LINE
broken() {
	cp "$log" saved
	sed -i "$2" "$log"
	run -1 cmp -s "$log" saved
	run -1 chock-log-verify --json "$log"
	[ "$(json '"\(.verdict) \(.line) \(.count)"' <<<"$output")" = \
		"broken $1 $(($1 - 1))" ]
	cp saved "$log"
}

@test "finds an untouched log whole, with its count and its head" {
	head=$(tail -n 1 "$log" | tr -d '\n' | sha256sum | cut -d ' ' -f 1)
	run -0 chock-log-verify "$log"
	[ "$output" = "whole: 8 lines, head $head: $log" ]
	run -0 chock-log-verify --json "$log"
	[ "$(json '"\(.verdict) \(.count) \(.head) \(.session) \(.running)"' \
		<<<"$output")" = "whole 8 $head s false" ]
}

@test "finds a line that was changed at the one behind it" {
	broken 4 '3s/ls/rm/'
	broken 2 '1s/ls/rm/'
	broken 4 '3s/$/ /'
}

@test "finds a last line that was changed by the anchor" {
	broken 8 '8s/ls/rm/'
}

@test "finds a line that was deleted" {
	broken 1 1d
	broken 4 4d
}

@test "finds lines that were swapped, or put in" {
	broken 4 '4{h;d};5{G}'
	broken 1 '1{h;d};2{G}'
	broken 5 4p
	broken 9 '8p'
	broken 5 '4a{"tool":"ls"}'
	broken 5 '4agarbage'
}

@test "finds a number that does not follow, or a chain that was taken out" {
	broken 4 '4s/"seq":4/"seq":5/'
	broken 4 '4s/"seq":4/"seq":04/'
	broken 4 '4s/"prev":"[0-9a-f]*",//'
	broken 1 's/"prev":"[0-9a-f]*",//'
	broken 4 '4s/"prev":"\([0-9a-f]*\)"/"prev":"\U\1"/'
	broken 4 '4s/"time":"2/"time":"x/'
	broken 4 '4s/"tool":"ls"/"tool":"ls","seq":9/'
	broken 4 '4s/ls/\xff/'
}

@test "finds lines that were cut off at the end" {
	sed -i 8d "$log"
	[ "$(verdict "$log")" = 'cut 1' ]
	sed -i 2,7d "$log"
	[ "$(verdict "$log")" = 'cut 1' ]
	[ "$(json '"\(.count) \(.why)"' <<<"$(chock-log-verify --json "$log")")" \
		= '1 it had 8 lines, as its anchor says' ]
	: >"$log"
	[ "$(verdict "$log")" = 'cut 1' ]
}

@test "finds a log cut within a line, where whole ones are gone too, cut" {
	truncate -s -300 "$log"
	[ "$(verdict "$log")" = 'cut 1' ]
}

@test "finds what is behind the last line torn" {
	cp "$log" saved
	printf '{"seq":9' >>"$log"
	[ "$(verdict "$log")" = 'torn 1' ]
	cp saved "$log"
	printf 'garbage\n' >>"$log"
	[ "$(verdict "$log")" = 'torn 1' ]
	cp saved "$log"
	head -c 3000000 /dev/zero >>"$log"
	[ "$(verdict "$log")" = 'torn 1' ]
	[ "$(json .count <<<"$(chock-log-verify --json "$log")")" -eq 8 ]
}

@test "finds a log that is broken and torn broken" {
	sed -i 4d "$log"
	printf '{"seq":9' >>"$log"
	[ "$(verdict "$log")" = 'broken 1' ]
}

@test "says that a log without an anchor has none" {
	rm s.head
	[ "$(verdict "$log")" = 'unanchored 1' ]
	: >s.head
	[ "$(verdict "$log")" = 'unanchored 1' ]
	head -c 4096 /dev/zero >s.head
	[ "$(verdict "$log")" = 'unanchored 1' ]
}

@test "takes no anchor that was changed" {
	sed -i 's/"count":8/"count":7/;s/"count":0/"count":1/' s.head
	[ "$(verdict "$log")" = 'unanchored 1' ]
}

@test "takes the older anchor where the newer is torn" {
	sed -i '/"count":8/s/"time.*/garbage/' s.head
	[ "$(verdict "$log")" = 'whole 0' ]
	sed -i 's/"count":0/"count":1/' s.head
	[ "$(verdict "$log")" = 'unanchored 1' ]
}

@test "takes no anchor of another session" {
	chock-log-append -f t.jsonl <calls >answers
	cp t.head s.head
	run -1 chock-log-verify "$log"
	[[ $output == unanchored:*": its anchor is another session's" ]]
}

@test "finds a log that goes by another session's name broken" {
	mv s.jsonl t.jsonl
	mv s.head t.head
	[ "$(verdict t.jsonl)" = 'broken 1' ]
	[ "$(verdict --session s t.jsonl)" = 'whole 0' ]
}

@test "accepts a log that is ahead of its anchor, as a kill leaves it" {
	cp s.head saved
	chock-log-append -f "$log" <calls >answers
	cp saved s.head
	[ "$(verdict "$log")" = 'whole 0' ]
}

@test "finds an empty log with its anchor whole and without one not" {
	chock-log-append -f e.jsonl </dev/null
	[ "$(verdict e.jsonl)" = 'whole 0' ]
	rm e.head
	[ "$(verdict e.jsonl)" = 'unanchored 1' ]
}

@test "says whether the session runs" {
	exec 9<>"$log"
	chock-log-append --log-fd 9 --session s <calls >answers
	run -0 chock-log-verify --json "$log"
	[ "$(json .running <<<"$output")" = true ]
	exec 9>&-
	run -0 chock-log-verify --json "$log"
	[ "$(json .running <<<"$output")" = false ]
}

@test "keeps kinds and fields that it does not know" {
	run -0 chock-log-append -f "$log" \
		<<<'{"kind":"tomorrow.invented","new":[{"x":1e-7}]}'
	[ "$(verdict "$log")" = 'whole 0' ]
}

@test "answers for each of several logs, and yes only for all" {
	chock-log-append -f t.jsonl <calls >answers
	run -0 chock-log-verify t.jsonl s.jsonl
	[ "${#lines[@]}" -eq 2 ]
	sed -i 3d t.jsonl
	run -1 chock-log-verify t.jsonl s.jsonl
	[[ ${lines[0]} == 'broken at line 3: 2 lines before it, '* ]]
	[[ ${lines[1]} == whole:* ]]
	sed -i 2d t.jsonl
	run -1 chock-log-verify t.jsonl
	[[ $output == 'broken at line 2: 1 line before it, '* ]]
}

@test "checks a log under a name that is not text, and shows it escaped" {
	name=$'a \n\xff\e[2J.jsonl'
	chock-log-append -f "$name" <calls >answers
	run -0 chock-log-verify "$name"
	[[ $output == *': a ???[2J.jsonl' ]]
	run -0 chock-log-verify --json "$name"
	[ "$(json .log.base64 <<<"$output" | base64 -d)" = "$name" ]
}

can_limited_memory() {
	(ulimit -v 40000 && chock-log-verify --version >/dev/null 2>&1)
}

@test "needs no more memory for a log that is longer" {
	seq 1 30000 | sed 's/.*/{"id":"&","tool":"ls","x":"'"$(printf '%400s' '')"'"}/' >many
	chock-log-append -f long.jsonl <many >answers
	[ "$(stat -c %s long.jsonl)" -gt 15000000 ]
	! sanitized ||
		skip 'nothing measured: a sanitizer reserves far more than it uses'
	require limited_memory
	run -0 bash -c 'ulimit -v 40000; chock-log-verify long.jsonl'
	[[ $output == 'whole: 30000 lines'* ]]
}

@test "says what it cannot open, and follows no symbolic link" {
	run -100 --separate-stderr chock-log-verify no.jsonl
	# shellcheck disable=SC2154
	[ "$stderr" = "chock-log-verify: cannot open 'no.jsonl': No such file or directory" ]
	ln -s s.jsonl l.jsonl
	run -100 chock-log-verify l.jsonl
	mkfifo f.jsonl
	run -100 chock-log-verify f.jsonl
	run -100 chock-log-verify .
	run -100 chock-log-verify
}

@test "checks 256 logs at once and refuses one more" {
	mapfile -t most < <(yes s.jsonl | head -n 256)
	run -0 chock-log-verify "${most[@]}"
	[ "${#lines[@]}" -eq 256 ]
	run -100 chock-log-verify "${most[@]}" s.jsonl
}
