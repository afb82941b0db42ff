#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What changes answers while a session runs, and what binds whom:
#
#	restrictions  from the stream, from logs of before; only lower
#	widen         on the control descriptor alone, one at a time
#	subagents     how many, how deep
#	ceilings      the narrower holds, and both are said; expired ones bind

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	config=$HOME/.config/chock
	mkdir -p "$config"
}

# starts STATUS LINES PROGRAM OPTION... - LINES is what it says, each with its name in front
starts() {
	run "-$1" --separate-stderr "${@:3}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ "$stderr" = "$(sed "/./s|^|$3: |" <<<"$2")" ]
}

# ---- what ceilings bind ---------------------------------------------------

@test "says both numbers of what is above a ceiling, and goes by the narrower" {
	require userns landlock
	printf 'limit files 90\nnet host\n' >p
	printf '\nlimit files 40\nnet none\n' >"$config/ceiling"
	both="./p:1:1: limit files 90 is above the 40 of $config/ceiling:2: 40 holds
./p:2:1: net host is above the none of $config/ceiling:3: none holds"
	starts 0 "$both" chock-policy-eval --policy ./p --check
	starts 0 "$both" chock-spawn --policy ./p --policy base -- \
		sh -c 'ulimit -n; wc -l </proc/net/dev'
	[ "$output" = $'40\n3' ]
	printf 'limit files 30\n' >p
	starts 0 '' chock-spawn --policy ./p --policy base -- sh -c 'ulimit -n'
	[ "$output" = 30 ]
}

@test "goes by the narrower limit, in whatever order they are written" {
	require userns landlock
	for text in 'limit files 50\nlimit files 60\n' 'limit files 60\nlimit files 50\n'; do
		# shellcheck disable=SC2059
		printf "$text" >p
		run -0 chock-spawn --policy ./p --policy base -- sh -c 'ulimit -n'
		[ "$output" = 50 ]
	done
}

@test "starts nothing by a budget above a ceiling's, and says both" {
	printf 'budget USD 10\n' >p
	printf 'budget USD 5\n' >c
	line='./p:1:1: budget USD 10 is above the 5 of ./c:1: nothing is started'
	run -100 --separate-stderr chock-policy-eval --policy ./p --ceiling ./c git.push
	[ "$output" = "" ]
	[ "${stderr##*$'\n'}" = "chock-policy-eval: $line" ]
	printf 'budget USD 5\n' >p
	run -3 chock-policy-eval --policy ./p --ceiling ./c git.push
	printf 'budget USD 10\n' >p
	cp c "$config/ceiling"
	run -100 chock-spawn --policy ./p --check
}

@test "leaves the sandbox's bounds to who holds them, but for --check" {
	printf 'limit files 90\nsubagents width 9 depth 9\n' >p
	printf 'limit files 40\nsubagents width 2 depth 9\n' >c
	starts 3 './p:2:1: subagents width 9 is above the 2 of ./c:2: 2 holds' \
		chock-policy-eval --policy ./p --ceiling ./c git.push
	starts 0 './p:1:1: limit files 90 is above the 40 of ./c:1: 40 holds
./p:2:1: subagents width 9 is above the 2 of ./c:2: 2 holds' \
		chock-policy-eval --policy ./p --ceiling ./c --check
}

@test "refuses to start by a policy that has expired, and not before" {
	printf '\nexpires 2000-02-29\nallow call.x\n' >p
	line='./p:2:1: this policy expired after 2000-02-29, and nothing is granted by it'
	starts 100 "$line" chock-policy-eval --policy ./p call.x
	[ "$output" = "" ]
	starts 100 "$line" chock-policy-eval --policy ./p --check
	starts 100 "$line" chock-spawn --policy ./p --check
	printf 'include ./p\n' >q
	starts 100 "$line" chock-policy-eval --policy ./q call.x
	printf 'expires 9999-12-31\nallow call.x\n' >p
	starts 0 '' chock-policy-eval --policy ./p call.x
	starts 0 '' chock-spawn --policy ./p --check
}

@test "is bound by a ceiling that has expired, and says so at every start" {
	printf 'expires 2000-01-01\ndeny call.x\n' >"$config/ceiling"
	line="$config/ceiling:1:1: this ceiling expired after 2000-01-01, and binds nevertheless"
	for _ in 1 2; do
		starts 1 "$line" chock-policy-eval --rule 'allow call.x' call.x
		[ "$output" = "deny ceiling:$config/ceiling:2" ]
	done
	starts 0 "$line
$config/ceiling:2:1: chock-spawn does not hold 'deny call.x': it asks nobody about what the command does; 'chock explain ACTION' says who holds a rule" \
		chock-spawn --check
}

# ---- restrictions ---------------------------------------------------------

# restrict ACTION AT_MOST [AGENT...] - the record that restricts it
restrict() {
	jq -cn --arg a "$1" --arg m "$2" '{restrict: {action: $a, at_most: $m,
		reason: "as a test"}} + if $ARGS.positional == [] then {} else
		{agent: $ARGS.positional} end' --args -- "${@:3}"
}

# asked ACTION [AGENT...] - the record that asks for it
asked() {
	jq -cn --arg a "$1" '{action: $a} + if $ARGS.positional == [] then {} else
		{agent: $ARGS.positional} end' --args -- "${@:2}"
}

# judge OPTION... - what becomes of the records in the file in, in the file out
judge() {
	chock-policy-eval --rule 'allow any' "$@" <in >out 2>err
}

# answers FILTER LINES - what of the answers FILTER takes, one a line
answers() {
	cat out
	[ "$(jq -r "$1" out)" = "$2" ]
}

# is_error MESSAGE RECORD [OPTION]... - RECORD, by itself, is refused so
is_error() {
	printf '%s\n' "$2" >in
	run -100 judge "${@:3}"
	answers '.error + " " + (.line | tostring)' "$1 1"
}

@test "lowers what follows, for the agent that is named and all below it" {
	{
		asked git.push
		restrict 'git.*' ask main child
		asked git.push
		asked git.push main child
		asked git.push main child grandchild
		asked git.push main children
		asked git.push child
		asked web.search main child
	} >in
	run -0 judge
	answers '.decision // empty' $'allow\nallow\nask\nask\nallow\nallow\nallow'
	answers 'select(.decision == "ask") | .rule + " " + .layer' \
		$'restriction:1 restriction\nrestriction:1 restriction'
}

@test "passes a restriction on, and says under which number it is in force" {
	{
		printf '{"restrict": {"action":"git.*", "at_most":"ask","reason":"\\u00e9"},"id":"7" }\n'
		restrict any deny
		restrict any deny
	} >in
	run -0 judge
	[ "$(head -n 1 out)" = '{"restrict": {"action":"git.*", "at_most":"ask","reason":"\u00e9"},"id":"7","restriction":1 }' ]
	answers .restriction $'1\n2\n2'
}

@test "takes the most restrictive of all that are in force, in any order" {
	for order in 'git.* git.push' 'git.push git.*'; do
		for action in $order; do
			[ "$action" = git.push ] && restrict "$action" deny ||
				restrict "$action" ask
		done >in
		asked git.push >>in
		asked git.pull >>in
		run -0 judge
		answers '.decision // empty' $'deny\nask'
	done
}

@test "never raises what a policy or a ceiling says" {
	printf 'deny git.push\n' >c
	{
		restrict any agent_review
		asked git.push
		asked call.x
	} >in
	run -0 judge --ceiling ./c
	answers '.rule // empty' $'ceiling:./c:1\nrestriction:1'
}

@test "explains the restrictions that bind" {
	{
		restrict 'git.*' ask
		restrict git.push deny
		restrict git.pull deny
		asked git.push
	} >in
	run -0 judge --explain
	answers '.why[]? | select(startswith("restriction"))' \
		'restriction:1 ask git.*: permits no more than this: as a test
restriction:2 deny git.push: decides: as a test'
}

@test "refuses what is no restriction, with the nearest right word" {
	is_error "'gti.*' is no action; did you mean 'git.*'?" "$(restrict 'gti.*' ask)"
	is_error "'*' is neither a name nor a class, which ends in '.*'; every one is said by 'any'" \
		"$(restrict '*' ask)"
	is_error "'git.push deny' has a byte that is written %XX in a name" "$(restrict 'git.push deny' ask)"
	is_error "'dney' is no decision; did you mean 'deny'?" "$(restrict git.push dney)"
	is_error "at most 'allow' restricts nothing" "$(restrict git.push allow)"
	is_error "a restriction has no 'reason'" '{"restrict":{"action":"any","at_most":"ask"}}'
	is_error "'reason' is not a text" '{"restrict":{"action":"any","at_most":"ask","reason":""}}'
	is_error "a restriction has no 'at_most'" '{"restrict":{"action":"any","reason":"x"}}'
	is_error "a restriction has no 'action'" '{"restrict":{"at_most":"ask","reason":"x"}}'
	is_error "'at_mots' is no field of a restriction; did you mean 'at_most'?" \
		'{"restrict":{"action":"any","at_mots":"ask","reason":"x"}}'
	is_error "a restriction is no object" '{"restrict":"git.*"}'
	for agent in '[]' '"main"' '[""]' '["main",1]'; do
		printf '%s' "$(restrict any ask)" >line
		printf '%s,"agent":%s}\n' "$(sed 's/}$//' line)" "$agent" >in
		run -100 judge
		answers '.error | startswith("'"'agent'"' is not a ")' true
	done
	is_error "it has 'restrict' and 'widen', and can have one" \
		'{"restrict":{"action":"any","at_most":"ask","reason":"x"},"widen":{}}'
	is_error "it has 'restrict' and 'decision', and can have one" \
		'{"restrict":{"action":"any","at_most":"ask","reason":"x"},"decision":"allow"}'
	is_error "it restricts, and can be nothing else then" \
		'{"tool":"x","restrict":{"action":"any","at_most":"ask","reason":"x"}}'
	is_error "it has a field 'restriction' already" '{"tool":"x","restriction":1}'
}

@test "goes on as it was after a restriction that it refused" {
	{
		restrict git.push allow
		asked git.push
	} >in
	run -100 judge
	answers '.decision // empty' allow
}

@test "holds a session to 1024 restrictions, and denies everything behind them" {
	jq -cn 'range(1025) | {restrict: {action: "call.t\(.)", at_most: "ask",
		reason: "x"}}, {action: "git.push"}' >in
	run -100 judge
	answers 'select(.error) | .error' \
		'more than 1024 restrictions; from now on everything is denied'
	[ "$(jq -r '.decision // empty' out | sort | uniq -c | tr -s ' ')" = " 1024 allow
 1 deny" ]
	[ "$(tail -n 1 out | jq -r .rule)" = restriction:0 ]
}

# ---- widening -------------------------------------------------------------

@test "refuses to widen on standard input" {
	is_error 'what widens counts on the descriptor of --control-fd alone' \
		'{"widen":{"action":"git.*"},"granted_by":"person"}'
	is_error 'what widens counts on the descriptor of --control-fd alone' \
		'{"tool":"x","widen":{"action":"git.*"},"granted_by":"person"}'
}

# open_judge - the filter, with 8 as its input, 9 as its output and
# 7 as its control
open_judge() {
	mkfifo to from control
	chock-policy-eval --rule 'allow any' --control-fd 5 \
		<to >from 2>err 5<control &
	judging=$!
	exec 8>to 9<from 7>control
}

# tells RECORD - it is answered with answer
tells() {
	printf '%s\n' "$1" >&8
	read -r -t 20 answer <&9
	printf '%s\n' "$answer"
}

# decides DECISION RECORD - RECORD is answered so
decides() {
	tells "$2"
	[ "$(jq -r .decision <<<"$answer")" = "$1" ]
}

# close_judge STATUS - its input ends, and it with STATUS
close_judge() {
	exec 8>&- 9<&- 7>&-
	status=0
	wait "$judging" || status=$?
	[ "$status" -eq "$1" ]
}

@test "lifts on the control descriptor the one that is named as it was written" {
	open_judge
	tells "$(restrict 'git.*' ask)"
	tells "$(restrict git.push deny main child)"
	decides ask "$(asked git.push)"
	decides deny "$(asked git.push main child)"
	printf '{"widen":{"action":"git.*"},"granted_by":"person"}\n' >&7
	decides allow "$(asked git.push)"
	decides deny "$(asked git.push main child)"
	printf '{"widen":{"action":"git.push"},"agent":["main","child"],"granted_by":"rule"}\n' >&7
	decides allow "$(asked git.push main child)"
	close_judge 0
	[ ! -s err ]
}

@test "does not lift a part of what was restricted, and changes nothing" {
	open_judge
	tells "$(restrict 'git.*' ask)"
	while IFS='|' read -r record message; do
		printf '%s\n' "$record" >&7
		decides ask "$(asked git.push)"
		decides ask "$(asked git.pull)"
		[[ $(tail -n 1 err) == "chock-policy-eval: --control-fd: line "*": $message" ]]
	done <<-'END'
		{"widen":{"action":"git.push"},"granted_by":"person"}|no restriction that is in force is written 'git.push'
		{"widen":{"action":"any"},"granted_by":"person"}|no restriction that is in force is written 'any'
		{"widen":{"action":"git.*","at_most":"deny"},"granted_by":"person"}|no restriction that is in force is written 'git.*'
		{"widen":{"action":"git.*"},"agent":["main","child"],"granted_by":"person"}|no restriction that is in force is written 'git.*'
		{"widen":{"action":"git.*"}}|'granted_by' is none of person, reviewer, rule and session
		{"widen":{"action":"git.*"},"granted_by":"nobody"}|'granted_by' is none of person, reviewer, rule and session
		{"widen":{"aktion":"git.*"},"granted_by":"person"}|'aktion' is no field of a restriction; did you mean 'action'?
		{"widen":"git.*","granted_by":"person"}|a restriction is no object
		{"action":"git.push"}|it neither widens nor restricts
	END
	printf 'nonsense\n' >&7
	decides ask "$(asked git.push)"
	[ "$(wc -l <err)" -eq 10 ]
	close_judge 100
}

@test "asks for the agent where two are written the same" {
	open_judge
	tells "$(restrict git.push ask main a)"
	tells "$(restrict git.push ask main b)"
	printf '{"widen":{"action":"git.push"},"granted_by":"person"}\n' >&7
	decides ask "$(asked git.push main a)"
	[[ $(cat err) == *": 2 restrictions are written 'git.push'; name the agent, and what it permits at most" ]]
	printf '{"widen":{"action":"git.push"},"agent":["main","a"],"granted_by":"person"}\n' >&7
	decides allow "$(asked git.push main a)"
	decides ask "$(asked git.push main b)"
	close_judge 100
}

@test "takes restrictions on the control descriptor, and goes on when it closes" {
	open_judge
	printf '%s\n' "$(restrict git.push deny)" >&7
	decides deny "$(asked git.push)"
	exec 7>&-
	decides deny "$(asked git.push)"
	decides allow "$(asked git.pull)"
	close_judge 0
}

# Perl makes the sockets: what chock answers on one of them goes to replies.
@test "answers on a control descriptor that is a socket" {
	{
		restrict git.push deny
		printf '%s\n' '{"widen":{"action":"git.pull"},"granted_by":"person","id":4}'
		printf '%s\n' '{"widen":{"action":"git.push"},"granted_by":"person","id":5}'
	} >control
	asked git.push >in
	run -100 --separate-stderr perl -MSocket -MPOSIX=dup2 -e '
		socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, 0) or die;
		syswrite($ours, join("", <STDIN>));
		my $pid = fork;
		if (!$pid) {
			dup2(fileno($theirs), 20);
			close $ours;
			open STDIN, "<", "in";
			exec @ARGV;
		}
		close $theirs;
		open my $replies, ">", "replies";
		print $replies $_ while <$ours>;
		waitpid $pid, 0;
		exit $? >> 8' chock-policy-eval --rule 'allow any' --control-fd 20 <control
	[ "$(jq -r .decision <<<"$output")" = allow ]
	[ "$(jq -c '[.id, .restriction, .lifted, .line]' replies)" = '[null,1,null,null]
[4,null,null,2]
[5,null,1,null]' ]
}

@test "says what is cut off on the control descriptor" {
	open_judge
	printf '{"restrict":{' >&7
	exec 7>&-
	decides allow "$(asked git.push)"
	[[ $(cat err) == *"the input ends within it" ]]
	close_judge 100
}

# ---- logs -----------------------------------------------------------------

# logged NAME - the records on standard input, in the log of session NAME
logged() {
	chock-log-append -f "$1.jsonl" >/dev/null
}

# lifted NAME - what the broker got back, in the log of session NAME
lifted() {
	chock-log-append --kind widen -f "$1.jsonl" >/dev/null
}

# answered - the answers to the records on standard input, for a log
answered() {
	chock-policy-eval --rule 'allow any'
}

# says ANSWER STATUS WORD... - chock-policy-eval WORD... answers so
says() {
	run "-$2" --separate-stderr chock-policy-eval --rule 'allow any' "${@:3}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ "${lines[0]}" = "$1" ]
}

@test "goes on with the restrictions of a log, and with what was lifted there" {
	{
		restrict 'git.*' ask
		restrict call.x deny
		asked git.push
	} | answered | logged a
	printf '{"widen":{"action":"call.x"},"granted_by":"person","lifted":2}\n' | lifted a
	says 'ask restriction:1' 3 --state a.jsonl git.push
	says 'allow --rule:1' 0 --state a.jsonl call.x
	says 'allow --rule:1' 0 git.push
	restrict any deny >in
	run -0 judge --state a.jsonl
	answers .restriction 3
}

@test "holds a child with a log of its own to what its parent was held to" {
	restrict workspace.apply deny | answered | logged parent
	logged child </dev/null
	asked workspace.apply main child >in
	run -0 judge --state parent.jsonl --state child.jsonl
	answers .decision deny
	answers .rule restriction:1
	run -0 judge --state child.jsonl
	answers .decision allow
}

@test "takes from a log what cannot be read as strictly as it may be meant" {
	printf '%s\n' '{"restrict":{"action":"git.push","at_most":"perhaps","reason":"x"}}' | logged a
	says 'deny restriction:1' 1 --state a.jsonl git.push
	says 'allow --rule:1' 0 --state a.jsonl git.pull
	printf '%s\n' '{"restrict":{"action":"space.age","at_most":"deny"}}' | logged b
	says 'deny restriction:1' 1 --state b.jsonl space.age
	says 'allow --rule:1' 0 --state b.jsonl git.pull
	printf '%s\n' '{"restrict":{"action":["x"],"at_most":"ask"},"agent":5}' | logged c
	says 'ask restriction:1' 3 --state c.jsonl git.pull agent=other
	printf '%s\n' '{"restrict":{"action":"git*","at_most":"ask"}}' | logged d
	says 'ask restriction:1' 3 --state d.jsonl web.search
	printf '%s\n' '{"restrict":7}' | logged e
	says 'deny restriction:1' 1 --state e.jsonl web.search
	printf '%s\n' '{"restrict":{"action":"any","at_most":"allow"}}' | logged f
	says 'allow --rule:1' 0 --state f.jsonl web.search
}

@test "lifts nothing by a log that does not name what is in force" {
	restrict 'git.*' deny | answered | logged a
	for widen in '{"widen":{"action":"git.push"},"granted_by":"person","lifted":1}' \
		'{"widen":{"action":"git.*"},"granted_by":"nobody","lifted":1}' \
		'{"widen":{"action":"git.*"},"granted_by":"person","lifted":1,"action":"x"}' \
		'{"widen":{"action":"git.*"},"granted_by":"person","lifted":"1"}' \
		'{"widen":{"action":"git.*"},"granted_by":"person","lifted":0}' \
		'{"widen":7,"granted_by":"person","lifted":1}'; do
		printf '%s\n' "$widen" | lifted a
	done
	says 'deny restriction:1' 1 --state a.jsonl git.push
	printf '{"widen":{"action":"git.*"},"granted_by":"person","lifted":1}\n' | lifted a
	says 'allow --rule:1' 0 --state a.jsonl git.push
}

@test "does not go on with what was refused to be lifted, from either end of a pipe" {
	restrict 'git.*' deny >in
	for lifts in '' ',"lifted":1'; do
		printf '{"widen":{"action":"git.*"},"granted_by":"person"%s}\n' "$lifts"
		printf '{"kind":"widen","widen":{"action":"git.*"},"granted_by":"person"%s}\n' "$lifts"
		calls restrict_self '{"widen":{"action":"git.*"}}' |
			sed "s/}$/$lifts}/"
	done >>in
	run -100 chock-log-append --tee -f front.jsonl <in
	[ "$(grep -c '"error":"what widens is logged by --kind widen alone"' <<<"$output")" -eq 4 ]
	run -100 judge
	logged back <out
	for log in front back; do
		run -1 grep -c '"kind":"widen"' "$log.jsonl"
		says 'deny restriction:1' 1 --state "$log.jsonl" git.push
	done
	# As a log had it that was written before it was refused there.
	printf '{"widen":{"action":"git.*"},"granted_by":"person"}\n' >line
	head=$(tail -n 1 front.jsonl | tr -d '\n' | sha256sum)
	printf '{"seq":%d,"time":"2026-01-01T00:00:00.000Z","prev":"%s","kind":"widen",%s\n' \
		"$(($(wc -l <front.jsonl) + 1))" "${head%% *}" \
		"$(cut -c 2- line)" >>front.jsonl
	says 'deny restriction:1' 1 --state front.jsonl git.push
	[ "$(json .kind < <(tail -n 1 front.jsonl))" = widen ]
}

@test "goes on from a log whose last line is torn, and from none that was touched" {
	{
		restrict 'git.*' deny
		restrict call.x deny
	} | answered | logged a
	cp a.jsonl whole
	printf '{"seq":3,"ti' >>a.jsonl
	says 'deny restriction:1' 1 --state a.jsonl git.push
	sed 's/"git/"gti/' whole >a.jsonl
	run -100 --separate-stderr chock-policy-eval --state a.jsonl git.push
	[ "$output" = "" ]
	[[ $stderr == "chock-policy-eval: cannot go on from 'a.jsonl': it is broken at line 2: "* ]]
	head -n 1 whole >a.jsonl
	run -100 --separate-stderr chock-policy-eval --state a.jsonl git.push
	[ "$stderr" = "chock-policy-eval: cannot go on from 'a.jsonl': it is cut: it had 2 lines, as its anchor says" ]
	cp whole a.jsonl
	mv a.head other.head
	run -100 --separate-stderr chock-policy-eval --state a.jsonl git.push
	[ "$stderr" = "chock-policy-eval: cannot go on from 'a.jsonl': it is unanchored: it has no whole anchor" ]
	mkdir short
	for bytes in 0 1 10 300 $(($(stat -c %s whole) - 1)); do
		head -c "$bytes" whole >short/a.jsonl
		run -100 --separate-stderr chock-policy-eval --state short/a.jsonl git.push
		printf '%s: %s\n' "$bytes" "$stderr"
		[ "$output" = "" ]
		[[ $stderr == "chock-policy-eval: cannot go on from 'short/a.jsonl': it is "*unanchored* ]]
	done
	run -100 --separate-stderr chock-policy-eval --state gone.jsonl git.push
	[[ $stderr == "chock-policy-eval: cannot open 'gone.jsonl'"* ]]
	run -100 chock-policy-eval --state ./a.jsonl --check
}

@test "goes on from at most 64 logs" {
	logged a </dev/null
	mapfile -t options < <(yes -- '--state=a.jsonl' | head -n 65)
	run -0 chock-policy-eval "${options[@]:1}" call.read_file
	run -100 --separate-stderr chock-policy-eval "${options[@]}" call.read_file
	[ "$stderr" = "chock-policy-eval: cannot go on from more than 64 logs" ]
}

# ---- tools ----------------------------------------------------------------

# calls TOOL ARGS [AGENT...] - the record of a call
calls() {
	jq -cn --arg t "$1" --argjson args "$2" '{tool: $t, args: $args} +
		if $ARGS.positional == [] then {} else {agent: $ARGS.positional}
		end' --args -- "${@:3}"
}

@test "lets an agent restrict itself and those below, and logs that it did" {
	{
		calls restrict_self '{"action":"git.*","at_most":"deny","reason":"x"}' main child
		asked git.push main child
		asked git.push main child other
		asked git.push
	} >in
	run -0 judge
	answers .decision $'allow\ndeny\ndeny\nallow'
	[ "$(head -n 1 out | jq -c '[.actions, .rule, .restriction]')" = '[[],"nothing",1]' ]
	logged a <out
	says 'allow --rule:1' 0 --state a.jsonl git.push
	run -0 judge --state a.jsonl
	answers 'select(.agent == ["main","child"]) | .decision' $'allow\ndeny'
	is_error "at most 'allow' restricts nothing" \
		"$(calls restrict_self '{"action":"git.*","at_most":"allow","reason":"x"}')"
	is_error "a restriction has no 'reason'" \
		"$(calls restrict_self '{"action":"git.*","at_most":"ask"}')"
	is_error 'a restriction is no object' '{"tool":"restrict_self"}'
}

@test "does not restrict by a call that it denies" {
	printf 'agent main\n' >p
	{
		calls restrict_self '{"action":"any","at_most":"deny","reason":"x"}' main ghost
		asked git.push
	} >in
	run -0 judge --policy ./p
	answers '[.decision, .restriction] | @csv' '"deny",
"allow",'
}

@test "asks about policy.widen where an agent wants a restriction lifted" {
	{
		restrict 'git.*' ask
		calls restrict_self '{"widen":{"action":"git.*"}}'
		asked git.push
		calls restrict_self '{"widen":{"action":"git.push"}}'
	} >in
	run -100 judge --rule 'agent_then_human policy.widen'
	answers '[.actions[0], .decision, .error] | @csv' ',,
"policy.widen","agent_then_human",
"git.push","ask",
,,"no restriction that is in force is written '"'git.push'"'"'
	run -100 judge
	answers 'select(.action) | .decision' ask
}

# spawns [AGENT...] - the record by which that chain starts a reviewer
spawns() {
	calls spawn_agent '{"agent":"reviewer"}' "$@"
}

@test "holds the agents that run to the width, counted by chain" {
	printf '\nsubagents width 2 depth 9\n' >p
	{
		spawns
		spawns
		spawns
		spawns main a
		spawns | jq -c '. + {running: 1}'
		spawns | jq -c '. + {running: 2}'
		spawns main b | jq -c '.args.running = 0'
	} >in
	run -0 judge --policy ./p
	answers .decision $'allow\nallow\ndeny\nallow\nallow\ndeny\nallow'
	[ "$(sed -n 3p out | jq -c '[.actions, .rule, .layer, .why]')" = \
		'[[],"./p:2","project",["./p:2: subagents width 2: it has started 2"]]' ]
	printf 'subagents width 0 depth 9\n' >p
	run -0 judge --policy ./p
	answers .decision "$(yes deny | head -n 7)"
}

@test "holds a chain to the depth" {
	printf 'subagents width 9 depth 2\n' >p
	{
		spawns main
		spawns main a
		spawns main a b
	} >in
	run -0 judge --policy ./p
	answers .decision $'allow\nallow\ndeny'
	[ "$(sed -n 3p out | jq -r '.why[]')" = './p:1: subagents depth 2: the chain has 3 agents' ]
	printf 'subagents width 9 depth 0\n' >c
	run -0 judge --ceiling ./c
	answers '.decision + " " + .rule + " " + .layer' "$(yes 'deny ceiling:./c:1 ceiling' | head -n 3)"
	printf 'subagents width 9 depth 9\n' >c
	run -0 judge --policy ./p --ceiling ./c
	answers .rule $'nothing\nnothing\n./p:1'
}

@test "starts at most six agents, six deep, where no policy says it" {
	{
		for _ in 1 2 3 4 5 6 7; do spawns; done
		spawns 1 2 3 4 5 6
		spawns 1 2 3 4 5 6 7
	} >in
	run -0 judge
	answers .decision $'allow\nallow\nallow\nallow\nallow\nallow\ndeny\nallow\ndeny'
	[ "$(sed -n 7p out | jq -c '[.rule, .layer, .why]')" = \
		'["unnamed","none",["subagents width 6, where no policy says it: it has started 6"]]' ]
}

@test "starts no agent of a kind that no policy declares, where one does" {
	printf 'agent main\nagent reader parent main\n' >p
	{
		spawns
		calls spawn_agent '{"agent":"reader"}'
		calls spawn_agent '{}'
	} >in
	run -0 judge --policy ./p
	answers '.decision + " " + .rule' $'deny agent\nallow nothing\nallow nothing'
	is_error "'running' is no number of agents" '{"tool":"spawn_agent","args":{},"running":-1}'
	is_error "'running' is no number of agents" '{"tool":"spawn_agent","args":{},"running":"1"}'
}

@test "counts for 1024 chains what they started, and starts none for more" {
	jq -cn 'range(1025) | {tool: "spawn_agent", args: {}, agent: ["c\(.)"]}' >in
	run -0 judge
	[ "$(jq -r .decision out | sort | uniq -c | tr -s ' ')" = " 1024 allow
 1 deny" ]
}
