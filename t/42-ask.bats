#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2016,SC2154
# chock-ask: only a person's own, late enough, exact yes is a yes
#
# The person is t/helpers/terminal: it gives chock-ask a terminal, waits for
# what it says and types.  Records go in and come out through files.

load lib/chock

setup() {
	records=$BATS_TEST_TMPDIR/records
	answers=$BATS_TEST_TMPDIR/answers
	transcript=$BATS_TEST_TMPDIR/transcript
	push='{"id":"1","action":"git.push","detail":"to a","decision":"ask","rule":"p:9"}'
	prompt='see=seconds: '
}

# given RECORD... - what is asked
given() {
	printf '%s\n' "$@" >"$records"
}

# person STEP... - chock-ask with $options, and a person who does STEP...
person() {
	# shellcheck disable=SC2086
	"$helpers/terminal" "$transcript" "$@" -- \
		"$CHOCK_BUILD/bin/chock-ask" ${options-} <"$records" >"$answers"
}

# nobody OPTION... - chock-ask where there is no terminal
nobody() {
	setsid --wait chock-ask "$@" <"$records" >"$answers"
}

# answered DECISION BY... - whether that is what came out, in order
answered() {
	[ "$(jq -r '"\(.decision) \(.by)"' "$answers")" = "$(printf '%s\n' "$@")" ]
}

@test "lets through what a rule allows or denies, and says that a rule did" {
	given '{"action":"a","decision":"allow"}' '{"action":"b","decision":"deny"}'
	nobody
	answered 'allow rule' 'deny rule'
}

@test "leaves every byte but the decision as it was" {
	given '{ "n": 1.50,"s":"\u0041\/", "decision" : "ask" ,"z":[1, 2] } '
	nobody --yes none
	run -0 jq -r .reason "$answers"
	[[ $(<"$answers") == '{ "n": 1.50,"s":"\u0041\/", "decision" : "deny" ,"z":[1, 2],"by":"nobody","reason":"'*'" } ' ]]
}

@test "refuses at once without a terminal and says what would allow it" {
	given "$push"
	run -0 timeout 10 setsid --wait chock-ask <"$records"
	[ "$(jq -r .decision <<<"$output")" = deny ]
	[ "$(jq -r .by <<<"$output")" = nobody ]
	[[ $(jq -r .reason <<<"$output") == *'no terminal'*'--yes ACTION'*'rule'* ]]
}

@test "takes y for yes, once" {
	given "$push" "$push"
	person "$prompt" 'type=y\r' "$prompt" 'type=n\r'
	answered 'allow person' 'deny person'
}

@test "takes y and yes in either case for yes" {
	local typed
	for typed in 'Y\r' 'yes\r' 'YES\r' 'Yes\r'; do
		given "$push"
		person "$prompt" "type=$typed"
		echo "typed $typed"
		answered 'allow person'
	done
}

@test "takes a for yes to exactly this for the rest of the stream" {
	given "$push" "${push/\"1\"/\"2\"}" "${push/to a/to b}" \
		"${push/git.push/git.fetch}"
	person "$prompt" 'type=a\r' "$prompt" 'type=n\r' "$prompt" 'type=n\r'
	answered 'allow person' 'allow session' 'deny person' 'deny person'
}

@test "offers to keep an answer where one can be asked for again, and says for how long" {
	given "$push" "$push"
	person "$prompt" 'type=a\r'
	grep -F '  a              yes, and whenever exactly this is asked again in this session' "$transcript"
	grep -F 'chock-ask: yes, and whenever exactly this is asked again in this session' "$transcript"
	options='--log /the/log' person "$prompt" 'type=a\r' "$prompt" 'type=y\r'
	answered 'deny person' 'allow person'
	run -1 grep -F 'asked again' "$transcript"
}

@test "keeps no yes beyond the stream" {
	given "$push"
	person "$prompt" 'type=a\r'
	person "$prompt" 'type=n\r'
	answered 'deny person'
}

@test "does not hold a kept yes against a rule that says no now" {
	given "$push" "${push/ask/deny}"
	person "$prompt" 'type=a\r'
	answered 'allow person' 'deny rule'
}

@test "forgets every kept yes when a restriction comes" {
	given "$push" '{"restrict":{"action":"git.*","at_most":"ask","reason":"x"}}' "$push"
	person "$prompt" 'type=a\r' "$prompt" 'type=n\r'
	[ "$(sed -n 2p "$answers")" = '{"restrict":{"action":"git.*","at_most":"ask","reason":"x"}}' ]
	sed -i 2d "$answers"
	answered 'allow person' 'deny person'
}

@test "forgets every kept yes when a call restricts" {
	given "$push" '{"tool":"restrict_self","decision":"allow","rule":"nothing","restriction":1}' "$push"
	person "$prompt" 'type=a\r' "$prompt" 'type=n\r'
	answered 'allow person' 'allow rule' 'deny person'
}

@test "takes everything else for no" {
	local typed
	for typed in '\r' 'n\r' 'no\r' 'NO\r' 'A\r' 'ye\r' 'yess\r' 'yy\r' 'y \r' ' y\r' '\033[Ay\r' \
		'\377y\r' 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaay\r' '\003' '\004' 'y\003' \
		'y\004' '\034' 'y\025\r' 'y\177\r'; do
		given "$push"
		person "$prompt" "type=$typed"
		echo "typed $typed"
		answered 'deny person'
	done
}

@test "lets a slip of the finger be taken back" {
	given "$push"
	person "$prompt" 'type=n\177y\r'
	answered 'allow person'
}

@test "counts nothing that was typed before the question was there" {
	given "$push"
	person 'type=y\r' start "$prompt" 'type=n\r'
	answered 'deny person'
	given "$push" "$push"
	# The rest of a line for the first is no answer to the second.
	person "$prompt" 'type=y\ry\r' "$prompt" 'type=n\r'
	answered 'allow person' 'deny person'
}

@test "takes no answer in time for a no" {
	local options='--timeout 4'
	given "$push"
	person "$prompt" 'type=y' 'see=no answer came in time'
	answered 'deny nobody'
	[[ $(jq -r .reason "$answers") == *'in time'* ]]
}

@test "waits for as long as it takes with --timeout 0" {
	local options='--timeout 0'
	given "$push"
	person 'see=Answer: ' 'type=y\r'
	answered 'allow person'
	run -1 grep -c seconds "$transcript"
}

@test "has no longer timeout than a week" {
	given '{"decision":"allow"}'
	nobody --timeout 604800
	nobody --timeout 7d
	run -100 --separate-stderr chock-ask --timeout 604801
	[ "$stderr" = 'chock-ask: --timeout: 604801 is more than 604800 seconds' ]
}

@test "waits 300 seconds by default and says so" {
	given "$push"
	person 'see=Answer within 300 seconds: ' 'type=y\r'
	answered 'allow person'
}

@test "takes a terminal that goes away for a no" {
	given "$push"
	# SIGHUP, which the kernel sends to who leads the terminal's session,
	# goes to the shell; its child has to notice for itself.
	"$helpers/terminal" "$transcript" "$prompt" hangup -- \
		sh -c 'trap "" HUP; "$1"' - "$CHOCK_BUILD/bin/chock-ask" \
		<"$records" >"$answers"
	answered 'deny nobody'
	[[ $(jq -r .reason "$answers") == *'terminal closed'* ]]
}

@test "does not hang on a terminal that takes no output" {
	local options='--timeout 1'
	given "$push"
	person stop start
	answered 'deny nobody'
}

@test "refuses at once in the background of its terminal" {
	given "$push"
	run -0 timeout 10 "$helpers/terminal" "$transcript" -- \
		sh -c 'perl -e "setpgrp; exec {\$ARGV[0]} @ARGV" "$1" <"$2"; exit $?' - \
		"$CHOCK_BUILD/bin/chock-ask" "$records"
	[ "$(jq -r .by <<<"$output")" = nobody ]
	[[ $(jq -r .reason <<<"$output") == *background* ]]
}

@test "gives the terminal its settings back when a signal ends it" {
	local number
	for number in 1 2 3 15; do
		given "$push"
		run -$((128 + number)) person "$prompt" "kill=$number"
		[ ! -s "$answers" ]
	done
}

@test "shows all that the record says, the deciding part last" {
	given '{"id":"7","tool":"run_command","args":{"command":"cd x\nmake"},"agent":["main","fixer"],"source":"mcp.time","summary":"run make","actions":["exec.cd","exec.make"],"decision":"ask","rule":"chock.policy:9","port":443}'
	person "$prompt" 'type=n\r'
	run -0 sed -n '/^  tool/,/^  rule/p' "$transcript"
	diff <(tr -d '\r' <<<"$output") - <<-'END'
		  tool: run_command
		  args.command: cd x
		    | make
		  port: 443
		  id: 7
		  agent: main > fixer
		  source: mcp.time
		  summary: run make
		  actions: exec.cd, exec.make
		  rule: chock.policy:9
	END
}

# shown ROW... - the rows of the question, before the answers
shown() {
	run -0 sed -n '/happen:/,/^  y  /{/^  [a-z|]/p;/^    /p}' "$transcript"
	diff <(tr -d '\r' <<<"$output" | grep -v '^  y  ') <(printf '%s\n' "$@")
}

@test "says in words what a call needs, and nothing twice" {
	given '{"tool":"t","actions":["git.push"],"action":"git.push","decision":"ask","rule":"p:9","needs":[{"action":"git.push","decision":"ask","rule":"p:9"}]}'
	person "$prompt" 'type=n\r'
	shown '  tool: t' '  action: git.push' '  rule: p:9'
	given '{"actions":["a","b"],"decision":"ask","rule":"p:9","needs":[{"action":"a","decision":"ask","rule":"p:9"},{"action":"b","decision":"ask","rule":"p:8","notes":["n","m"]}]}'
	person "$prompt" 'type=n\r'
	shown '  needs: a: ask p:9' '    | b: ask p:8 (n; m)' '  actions: a, b' '  rule: p:9'
	# What differs is shown.
	given '{"actions":["a"],"action":"b","decision":"ask","rule":"p:9","needs":[{"action":"a","decision":"ask","rule":"p:8"}]}'
	person "$prompt" 'type=n\r'
	shown '  needs: a: ask p:8' '  actions: a' '  action: b' '  rule: p:9'
}

@test "shows needs as they are where they are none that chock writes" {
	local needs
	for needs in '[{"action":"a","decision":"ask","rule":"x","more":1}]' '["x"]' \
		'[{"action":"a\nb","decision":"ask","rule":"x"}]' \
		'[{"action":"a","decision":"ask","rule":"x","notes":[1]}]' \
		'[{"action":"a","decision":"ask","rule":"x","notes":[]}]'; do
		given "{\"actions\":[\"a\"],\"decision\":\"ask\",\"rule\":\"x\",\"needs\":$needs}"
		person "$prompt" 'type=n\r'
		grep -F "  needs: $needs" "$transcript"
	done
}

@test "puts no empty row at the end, and breaks no id that fits into a row" {
	local id=0123456789abcdef0123456789abcdef01234567
	given "{\"action\":\"a\",\"detail\":\"one\n\nthe branch moves from $id to $id, yes\n\",\"decision\":\"ask\",\"rule\":\"p:9\"}"
	person "$prompt" 'type=n\r'
	shown '  detail: one' '    | ' "    | the branch moves from $id to " \
		"    + $id, yes" '  action: a' '  rule: p:9'
}

@test "shows no byte that could do more to a terminal than be read" {
	given '{"action":"a\u001b]0;x\u0007","summary":"s\u202ex\u200by\u2028z","detail":{"base64":"/xtbMko="},"args":{"k\u009b":"\u2066"},"decision":"ask"}'
	TERM=dumb person "$prompt" 'type=n\r'
	grep -F 'action: a\x1b]0;x\x07' "$transcript"
	grep -F 'summary: s\u{202e}x\u{200b}y\u{2028}z' "$transcript"
	grep -F 'detail: \xff\x1b[2J' "$transcript"
	grep -F 'args.k\u{009b}: \u{2066}' "$transcript"
	run -1 grep -aP '[^\x20-\x7e\r]' "$transcript"
}

@test "cuts a long effect and says where all of it is" {
	local long
	long=$(head -c 900000 /dev/zero | tr '\0' x)
	given '{"decision":"allow"}' "{\"action\":\"a\",\"detail\":\"$long\",\"decision\":\"ask\"}"
	person "$prompt" 'type=n\r'
	[ "$(stat -c %s "$transcript")" -lt 10000 ]
	grep -F '[cut: 4096 of 900000 bytes are shown; line 2 of the input has all]' "$transcript"
	grep -F '  action: a' "$transcript"
	options='--log /the/log' person "$prompt" 'type=n\r'
	grep -F '[cut: 4096 of 900000 bytes are shown; the log /the/log has all]' "$transcript"
}

@test "shows at most 40 other fields and says how many there are" {
	given "$(jq -nc '[range(50)|{"f\(.)":.}]|add|.decision="ask"|.action="a"')"
	person "$prompt" 'type=n\r'
	[ "$(grep -c '^  f' "$transcript")" -eq 40 ]
	grep -F '[cut: 10 more fields; line 1 of the input has all]' "$transcript"
}

@test "answers yes to what --yes names, and to that alone" {
	given "$push" "${push/git.push/git.pushy}" "${push/ask/deny}" \
		"${push/ask/agent_review}" \
		'{"actions":["git.push","git.fetch"],"decision":"ask"}' \
		'{"actions":["git.push"],"decision":"ask"}' \
		'{"actions":[],"decision":"ask"}' '{"decision":"ask"}'
	nobody --yes git.push
	answered 'allow person' 'deny nobody' 'deny rule' 'deny nobody' \
		'deny nobody' 'allow person' 'deny nobody' 'deny nobody'
	nobody --yes git.push --yes=git.fetch
	answered 'allow person' 'deny nobody' 'deny rule' 'deny nobody' \
		'allow person' 'allow person' 'deny nobody' 'deny nobody'
	nobody --yes 'git.*' --yes ''
	[ "$(grep -c '"decision":"allow"' "$answers")" -eq 0 ]
}

@test "asks nobody about what wants a reviewer, for it has none" {
	given "${push/ask/agent_review}" "${push/ask/agent_then_human}"
	person
	answered 'deny nobody' 'deny nobody'
	[[ $(jq -r .reason "$answers") == *'no reviewer'* ]]
	[ ! -s "$transcript" ]
}

@test "answers each record as soon as it is there" {
	coproc setsid --wait chock-ask
	local answer pid=$COPROC_PID
	echo '{"decision":"allow","n":1}' >&"${COPROC[1]}"
	read -t 20 -r answer <&"${COPROC[0]}"
	[ "$answer" = '{"decision":"allow","n":1,"by":"rule"}' ]
	echo '{"decision":"deny","n":2}' >&"${COPROC[1]}"
	read -t 20 -r answer <&"${COPROC[0]}"
	[ "$answer" = '{"decision":"deny","n":2,"by":"rule"}' ]
	eval "exec ${COPROC[1]}>&-"
	wait "$pid"
}

@test "answers a bad line with an error and goes on" {
	given '{"n":1}' '[]' '{"decision":"maybe"}' '{"decision":1}' \
		'{"decision":"ask","decision":"allow"}' \
		'{"decision":"allow","by":"person"}' '{"decision":"ask","verdict":"x"}' \
		'{"decision":"ask","reason":"x"}' '{"d\u0065cision":"allow"}' '' \
		'{"decision":"allow"}'
	run -100 nobody --yes x
	[ "$(jq -r '.line // .by' "$answers" | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 10 rule ' ]
	[ "$(sed -n 1p "$answers")" = '{"error":"no decision in the record","line":1}' ]
}

@test "gives the id of a bad line back" {
	given '{"id":"a b","n":1}' '{"id":7,"decision":"maybe"}' '{"id":"x"'
	run -100 nobody
	[ "$(sed -n 1p "$answers")" = '{"error":"no decision in the record","line":1,"id":"a b"}' ]
	[ "$(sed -n 2p "$answers" | json .id)" = 7 ]
	[ "$(sed -n 3p "$answers" | json .id)" = null ]
}

@test "passes what was a bad line before it came here" {
	given '{"error":"x","line":3}' '{"error":"x","decision":"ask"}'
	nobody
	[ "$(sed -n 1p "$answers")" = '{"error":"x","line":3}' ]
	[ "$(sed -n 2p "$answers" | json .decision)" = deny ]
}

@test "takes an input that ends within a line for an error" {
	printf '{"decision":"allow"}\n{"decision":"allow"}' >"$records"
	run -100 nobody
	[ "$(wc -l <"$answers")" -eq 2 ]
	[ "$(jq -r '.line // .decision' "$answers" | tr '\n' ' ')" = 'allow 2 ' ]
}

@test "stops with 111 when nobody can read its answers" {
	given "$push"
	run -111 --separate-stderr bash -c 'setsid --wait chock-ask <"$1" >/dev/full' - "$records"
	[ "$stderr" = 'chock-ask: cannot write an answer: No space left on device' ]
}

@test "takes no words and no other options" {
	run -100 chock-ask word
	run -100 --separate-stderr chock-ask --yess x
	[ "$stderr" = 'chock-ask: no option --yess; did you mean --yes?' ]
}

# ---- what a program left on the screen --------------------------------------

# drawn LEFT TERM - what a person sees at a question after LEFT was written
drawn() {
	local socket=$BATS_TEST_TMPDIR/tmux
	printf '%b' "$1" >left
	cat >ask <<-END
		cat left
		TERM=$2 chock-ask <"$records" >"$answers"
	END
	tmux -S "$socket" -f /dev/null new-session -d -x 60 -y 24 'sh ask'
	servers+=("$socket")
	timeout 20 bash -c 'until tmux -S "$1" capture-pane -p >screen &&
		grep -q seconds: screen; do :; done' - "$socket"
	tmux -S "$socket" send-keys n Enter
	timeout 20 bash -c 'while tmux -S "$1" has-session 2>gone; do :; done' \
		- "$socket"
	[ -s "$answers" ]
}

teardown() {
	for server in "${servers[@]}"; do
		tmux -S "$server" kill-server 2>"$BATS_TEST_TMPDIR/gone" ||
			cat "$BATS_TEST_TMPDIR/gone"
	done
}

@test "shows the whole of a question, whatever a program left on the screen" {
	command -v tmux >/dev/null || skip 'nothing measured: no tmux is here'
	servers=()
	cd "$BATS_TEST_TMPDIR"
	given "$push"
	fake='\e[2J\e[H  action: fs.read'
	# Margins of three lines leave a drawn question where it is: the control.
	drawn "$fake\e[22;24r\e[22;1H" dumb
	grep 'action: fs.read' screen
	run -1 grep 'git.push' screen
	for left in '\e[22;24r\e[22;1H' '\e[?6h' '\e[?1049h' '\e[?7l' '\e[4h' \
		'\e(0' '\e[8m' '\e[24;1H' '\e[5;1H'; do
		: >"$answers"
		drawn "$fake\e[10;1H  action: none$left" xterm
		printf '%s\n' "$left" "$(<screen)"
		grep 'action: git.push' screen
	done
}

@test "sends no sequence to a terminal that knows none" {
	for kind in dumb unknown ''; do
		given "$push"
		TERM=$kind person "$prompt" 'type=n\r'
		run -1 grep -F $'\e' "$transcript"
	done
	TERM=xterm person "$prompt" 'type=n\r'
	grep -F $'\e[r' "$transcript"
}
