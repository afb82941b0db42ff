#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-policy-eval as a part of harnesses: their messages are read as calls,
# the answer has the shape that they take, and whatever fails does not permit.
#
# Who runs it makes no difference.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir p
	cat >policy <<-'END'
		allow exec.path.make
		deny  exec.path.rm
		allow mcp.time.tool.now
	END
	printf 'deny any\n' >nothing
	printf 'allow any\n' >all
}

# eval_ OPTION... - the program, on what is in the file in
eval_() {
	chock-policy-eval "$@" <in
}

# hook OPTION... - as Claude Code runs it, on what is in the file in
hook() {
	eval_ --format claude-hook --project p "$@"
}

# message TOOL INPUT [FIELDS] - put into the file in what a hook gets
message() {
	jq -cn --arg tool "$1" --argjson input "$2" --arg cwd "$PWD/p" \
		'{session_id: "s", transcript_path: "/t", cwd: $cwd,
		permission_mode: "default", hook_event_name: "PreToolUse",
		tool_name: $tool, tool_input: $input, tool_use_id: "toolu_1"}
		+ ('"${3-null}"' // {})' >in
}

# decides DECISION PART [OPTION]... - a hook's answer, and a part of its reason
decides() {
	run -0 --separate-stderr hook "${@:3}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	jq -e --arg decision "$1" --arg part "$2" '
		keys == ["hookSpecificOutput"] and (.hookSpecificOutput |
			.hookEventName == "PreToolUse" and
			.permissionDecision == $decision and
			(.permissionDecisionReason | contains($part)))
		' <<<"$output" >answer
}

# leaves [OPTION]... - a hook has no opinion, so that the harness asks
leaves() {
	run -0 --separate-stderr hook "$@"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ "$output" = '{}' ]
}

# blocks PART [OPTION]... - the hook fails, and that blocks
blocks() {
	run -2 --separate-stderr hook "${@:2}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ -z "$output" ]
	[[ "$stderr" == "chock-policy-eval: "*"$1"* ]]
}

# rows FILE - its lines without comments
rows() {
	grep -v -e '^#' -e '^$' "$data/harness/$1"
}

# in_project JSON - with /p, and /q beside it, where this test has them
in_project() {
	sed -e "s|\"/p\([/\"]\)|\"$PWD/p\1|g" <<<"$1"
}

@test "tells the tools of harnesses and what they come to" {
	while IFS='|' read -r tool input actions; do
		message "$tool" "$(in_project "$input")"
		printf '%s %s\n' "$tool" "$input"
		decides deny "chock denies $actions by policy, and trying again will not help: ceiling:./nothing:1 says so" \
			--policy ./all --ceiling ./nothing
	done < <(rows tools)
}

@test "leaves a tool that grants nothing, and counts an agent that is made" {
	for tool in TodoWrite TaskCreate TaskUpdate TaskGet TaskList AskUserQuestion; do
		message "$tool" '{"x":1}'
		leaves --policy ./policy
	done
	message Task '{"description":"d","prompt":"p","subagent_type":"reviewer"}'
	leaves --policy ./policy
	printf 'subagents width 0 depth 0\n' >none
	decides deny './none:1' --policy ./policy --ceiling ./none
}

@test "denies a use of a tool that nobody can tell the meaning of" {
	while IFS='|' read -r tool input part; do
		message "$tool" "$(in_project "$input")"
		printf '%s %s\n' "$tool" "$input"
		decides deny "$part" --policy ./all
		[[ $output == *'chock cannot judge it: '* ]]
	done < <(rows unclear)
}

@test "asks about every file that a patch names" {
	printf 'allow call.*\n' >some
	patch='{"input":"*** Begin Patch\n*** Update File: a\n *** Move to: /q/b \r\n*** End Patch"}'
	message apply_patch "$patch"
	decides ask 'fs.write./q/b' --policy ./some
	message apply_patch "${patch/\/q\/b/c}"
	decides allow '' --policy ./some
}

@test "asks about every reading of a name with more underscores" {
	printf 'allow mcp.a.*\n' >some
	message mcp__a__b__c '{}'
	decides ask 'mcp.a__b.tool.c' --policy ./some
	printf 'allow mcp.a__b.*\n' >>some
	decides allow '' --policy ./some
	message mcp__a___b '{}'
	decides ask 'mcp.a_.tool.b' --policy ./some
}

@test "runs a command line by the shell that the call names" {
	message exec_command '{"cmd":"ls","shell":"/tmp/evil"}'
	decides deny 'exec.system./tmp/evil' --policy ./all --ceiling ./nothing
}

@test "answers a hook with allow, deny and ask, the rule, and what would permit it" {
	message shell '{"command":["make"]}'
	decides allow '' --policy ./policy
	message shell '{"command":["rm","x"]}'
	decides deny "exec.path.rm by policy, and trying again will not help: ./policy:2 says so; 'allow exec.path.rm' in its place would permit it" \
		--policy ./policy
	message mcp__mail__send '{}'
	decides ask "mcp.mail.tool.send: no rule names it; 'allow mcp.mail.tool.send' would permit it" \
		--policy ./policy
	printf 'agent_then_human mcp.mail.*\n' >by
	decides ask 'mcp.mail.tool.send (agent_then_human): ./by:1 says so' --policy ./by
	printf 'agent_review mcp.mail.*\n' >by
	decides ask 'mcp.mail.tool.send (agent_review): ./by:1 says so' --policy ./by
	message WebSearch '{"query":"x"}'
	decides ask "'allow web.search' in a policy would permit it" --policy ./policy
}

@test "has no opinion on what the shipped defaults allow" {
	for line in make 'rm -rf ~' 'curl -d @/p/x example.com' 'git status' 'make && rm x'; do
		message Bash "$(jq -cn --arg line "$line" '{command: $line}')"
		leaves
		decides allow 'chock allows it' --rule 'allow exec.*' --rule 'allow git.status'
		printf 'allow exec.*\nallow git.*\n' >mine
		decides allow 'chock allows it' --policy ./mine
	done
	leaves --rule 'allow exec.path.make'
	leaves --rule 'allow exec.path.rm'
	message Read '{"file_path":"a"}'
	leaves
	decides allow '' --rule 'allow call.read_file'
	# A kind of agent that only the defaults speak for.
	message Bash '{"command":"make"}' '{agent_type: "reviewer"}'
	decides allow '' --rule 'allow exec.path.make'
	leaves --rule 'allow exec.path.make agent main'
	leaves --rule 'allow exec.path.make agent reviewer'
	message Bash '{"command":"make"}' '{hook_event_name: "PermissionRequest"}'
	leaves
	run -0 --separate-stderr hook --rule 'allow exec.path.make'
	[ "$(json '.hookSpecificOutput.decision.behavior' <<<"$output")" = allow ]
	message Bash '{"command":"make","dangerouslyDisableSandbox":true}'
	decides ask 'outside of the harness'
}

@test "passes on what the defaults allow as a gate, unless a rule asks" {
	jq -cn '{id: "c", type: "function", function: {name: "shell", arguments: ({command: "rm -rf ~"} | tojson)}}' >in
	run -0 --separate-stderr eval_ --format openai
	[ "$(json .id <<<"$output")" = c ]
	run -0 --separate-stderr eval_ --format openai --rule 'ask exec.*'
	[ "$(json .tool_call_id <<<"$output")" = c ]
}

@test "quotes each of the rules that would permit a call" {
	message Bash '{"command":"a; b; c"}'
	decides ask "; 'allow exec.path.a', 'allow exec.path.b' and 'allow exec.path.c' in its place would permit it" \
		--rule 'ask exec.*'
	message Bash '{"command":"a; b"}'
	decides ask "; 'allow exec.path.a' and 'allow exec.path.b' in its place would permit it" \
		--rule 'ask exec.*'
}

@test "says what decided however long the names are that a model chose" {
	long=$(printf 'x%.0s' {1..900})
	message "$long" '{}'
	decides ask "...: no rule names it; 'allow call.xxx"
	decides deny '... by policy, and trying again will not help: --rule:1 says so; ' --rule 'deny call.*'
	shown=$(json '.hookSpecificOutput.permissionDecisionReason' <<<"$output" | grep -o 'call\.x*\.\.\.' | head -n 1)
	[ "${#shown}" -eq 160 ]
	message Bash "{\"command\":\"a$long; b$long; c$long; d\"}"
	decides deny '... and 2 more by policy, and trying again will not help: --rule:1 says so; ' \
		--rule 'deny exec.*'
	message Bash "{\"command\":\"a$long; b$long; c$long; d\"}" '{permission_mode: "bypassPermissions"}'
	decides deny 'so that it is denied, and trying again will not help' --rule 'ask exec.*'
	# Not half of a character.
	message "$(printf '\xc3\xa9%.0s' {1..900})" '{}'
	decides ask "..."
	jq -e '[.. | strings | test("\\?|\ufffd")] | any | not' <<<"$output"
}

@test "says what in a call is the cause, where that is more than its name" {
	message Bash '{"command":"make $(date); $X"}'
	decides ask "about exec.unparsed (byte 5: a command substitution; byte 5: a word that says what is run, and is not written out; and 1 more): no rule" \
		--rule 'allow exec.path.*'
	message Bash '{"command":"$a; $(b); ((c)); [[ d ]]"}'
	decides ask '; and 4 more)'
	printf 'subagents width 0 depth 6\n' >few
	message Task '{}'
	decides deny 'chock denies it (./few:1: subagents width 0: it has started 0) by policy, and trying again will not help: ./few:1 says so' \
		--policy ./few
}

@test "takes a message over several lines, as it was recorded" {
	in_project "$(cat "$data/harness/claude-bash.json")" >in
	decides ask 'exec.unparsed' --policy ./policy
}

@test "never permits to leave the harness's own sandbox" {
	for field in '"dangerouslyDisableSandbox":true' '"dangerouslyDisableSandbox":"true"' \
		'"dangerouslyDisableSandbox":1' '"sandbox":false' \
		'"with_escalated_permissions":true' '"sandbox_permissions":"require_escalated"' \
		'"user":"root"'; do
		message Bash "{\"command\":[\"make\"],$field}"
		decides ask 'outside of the harness' --policy ./all
		decides deny 'outside of the harness' --policy ./all --ceiling ./nothing
		jq -c '.permission_mode = "bypassPermissions"' in >in2
		mv in2 in
		decides deny 'nobody is asked' --policy ./all
	done
	for field in '"dangerouslyDisableSandbox":false' '"sandbox":true' \
		'"sandbox_permissions":"use_default"' '"user":null'; do
		message Bash "{\"command\":[\"make\"],$field}"
		decides allow '' --policy ./all
	done
}

@test "denies what it would ask where nobody is asked" {
	message mcp__mail__send '{}' '{permission_mode: "bypassPermissions"}'
	decides deny 'nobody is asked in the mode bypassPermissions' --policy ./policy
	message mcp__time__now '{}' '{permission_mode: "bypassPermissions"}'
	decides allow '' --policy ./policy
}

@test "asks for a subagent as for one below the main agent" {
	printf 'allow call.write_file\ndeny call.write_file agent reviewer\n' >by
	in_project "$(cat "$data/harness/claude-subagent.json")" >in
	decides deny './by:2' --policy ./by
	printf 'deny call.write_file agent main\nallow call.write_file agent reviewer\n' >by
	decides deny './by:1' --policy ./by
	jq -c 'del(.agent_type)' in >in2
	mv in2 in
	decides deny 'the chain of agents is broken' --policy ./all
}

@test "answers a request for permission, or leaves it to the person" {
	in_project "$(cat "$data/harness/claude-permission.json")" >in
	leaves --policy ./policy
	run -0 --separate-stderr hook --policy ./policy --rule 'allow call.write_file'
	[ "$output" = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}' ]
	run -0 --separate-stderr hook --policy ./policy --ceiling ./nothing
	[ "$(json '.hookSpecificOutput.decision.behavior' <<<"$output")" = deny ]
	[[ "$(json '.hookSpecificOutput.decision.message' <<<"$output")" == *ceiling:./nothing:1* ]]
	jq -c '.tool_name = "Deploy"' in >in2
	mv in2 in
	run -0 --separate-stderr hook --policy ./policy
	[ "$output" = '{}' ]
}

@test "has no opinion on what is no use of a tool" {
	for event in SessionStart UserPromptSubmit Stop Notification SomethingNew; do
		printf '{"hook_event_name":"%s","cwd":"/p"}' "$event" >in
		run -0 --separate-stderr hook --policy ./policy
		[ "$output" = '{}' ]
	done
	for event in PostToolUse PostToolUseFailure PermissionDenied; do
		message shell '{"command":["rm"]}' "{hook_event_name: \"$event\"}"
		run -0 --separate-stderr hook --policy ./policy
		[ "$output" = '{}' ]
	done
	message shell '{"command":["rm"]}' '{hook_event_name: "BeforeTool"}'
	blocks "in the event 'BeforeTool', which is not known" --policy ./policy
}

@test "answers Codex what it takes: a denial, or nothing" {
	in_project "$(cat "$data/harness/codex-bash.json")" >in
	decides deny 'this harness asks nobody for a hook' --policy ./policy
	decides deny 'ceiling:./nothing:1' --policy ./policy --ceiling ./nothing
	run -0 --separate-stderr hook --policy ./all
	[ "$output" = '{}' ]
	printf 'deny exec.unparsed model gpt-5.3-codex\nallow exec.unparsed\n' >by
	decides deny './by:1' --policy ./by
}

@test "blocks on a message that is none" {
	for text in '' 'nonsense' '[]' '5' '{"hook_event_name":"PreToolUse"}' \
		'{"hook_event_name":5}' '{}' '{"tool_name":"Read","tool_input":{}}' \
		'{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}' \
		'{"hook_event_name":"PreToolUse","tool_name":"","tool_input":{}}' \
		'{"hook_event_name":"PreToolUse","tool_name":"Read"}' \
		'{"hook_event_name":"PreToolUse","tool_name":["Read"],"tool_input":{}}' \
		'{"hook_event_name":"PreToolUse","tool_name":"Re\u0000ad","tool_input":{}}' \
		'{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{},"agent_type":5}' \
		'{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}' \
		$'{"hook_event_name":"PreToolUse","tool_name":"Re\xffad","tool_input":{}}'; do
		printf '%s' "$text" >in
		blocks '' --policy ./all
	done
	{
		printf '{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":'
		printf '{"a":%.0s' {1..64}
		printf '1'
		printf '}%.0s' {1..65}
	} >in
	blocks 'nested deeper' --policy ./all
}

@test "takes a message of 16 MiB and no more" {
	content() {
		printf '{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Write","tool_input":{"file_path":"a","content":"'
		head -c "$1" /dev/zero | tr '\0' x
		printf '"}}'
	}
	content $((15 << 20)) >in
	decides allow '' --policy ./all
	content $((16 << 20)) >in
	blocks '' --policy ./all
}

@test "blocks on every failure of its own" {
	message shell '{"command":["make"]}'
	blocks 'no such file' --policy ./none 2>/dev/null || blocks 'cannot open' --policy ./none
	printf 'alow exec.path.make\n' >wrong
	blocks 'wrong:1' --policy ./wrong
	mkdir unreadable
	blocks '' --policy ./unreadable
	blocks 'did you mean --policy' --polic ./all
	blocks '--policy needs' --policy
	blocks '' --check
	blocks '' call.read_file
	blocks '--server' --server x
	blocks '--refused-fd' --refused-fd 2
	blocks 'is not a time' --timeout 0s
	run -2 --separate-stderr hook --help
	run -2 --separate-stderr hook --version
	run -2 --separate-stderr eval_ --format claude-hok
	run -2 --separate-stderr eval_ --format=claude-hook --policy ./none
	run -2 --separate-stderr eval_ --fromat claude-hook
	run -100 --separate-stderr eval_ --format opnai
	[ "$stderr" = "chock-policy-eval: --format: 'opnai' is none of claude-hook, openai, anthropic or mcp; did you mean 'openai'?" ]
	run -100 --separate-stderr eval_ --format gemini
	[ "$stderr" = "chock-policy-eval: --format: 'gemini' is none of claude-hook, openai, anthropic or mcp" ]
}

@test "blocks where its answer cannot be written" {
	message shell '{"command":["make"]}'
	to_full() { hook --policy ./policy >/dev/full; }
	run -2 --separate-stderr to_full
	to_closed() { hook --policy ./policy >&-; }
	run -2 --separate-stderr to_closed
	to_nothing() { (
		ulimit -f 0
		hook --policy ./policy >file
	); }
	run -2 --separate-stderr to_nothing
	[ ! -s file ]
}

@test "blocks where memory runs out" {
	! grep -q __asan_init "$(command -v chock-policy-eval)" ||
		skip 'nothing measured: a build with sanitizers needs all addresses'
	{
		printf '{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Write","tool_input":{"file_path":"a","content":"'
		head -c $((15 << 20)) /dev/zero | tr '\0' x
		printf '"}}'
	} >in
	short() { (
		ulimit -v 32768
		hook --policy ./all
	); }
	run -2 --separate-stderr short
	[ -z "$output" ]
}

# waiting PID - until it has its handlers and waits for its input
waiting() {
	timeout 20 sh -c 'until read -r name <"/proc/$1/comm" &&
		[ "$name" = chock-policy-ev ] &&
		mask=$(sed -n "s/^SigCgt:[[:space:]]*//p" "/proc/$1/status") &&
		[ $((0x$mask & 0x4000)) -ne 0 ]; do :; done' sh "$1"
}

@test "blocks when it is ended by a signal, or too late" {
	mkfifo pipe
	exec 8<>pipe
	for signal in TERM HUP INT SEGV XCPU; do
		chock-policy-eval --format claude-hook --policy ./all <pipe >out 2>err &
		waiting $!
		kill -"$signal" $!
		status=0
		wait $! || status=$?
		[ "$status" -eq 2 ]
		[ ! -s out ]
		grep -q 'ended by a signal' err
	done
	late() { chock-policy-eval --format claude-hook --timeout 1s --policy ./all <pipe; }
	run -2 --separate-stderr late
	[ "$stderr" = 'chock-policy-eval: no answer in time, so that this is blocked' ]
	exec 8>&-
}

@test "blocks as it is wired, when it is not there or is killed" {
	message shell '{"command":["make"]}'
	wired() { sh -c "$1 --format claude-hook --policy ./policy || exit 2" <in; }
	run -0 --separate-stderr wired chock-policy-eval
	run -2 --separate-stderr wired ./no-such-program
	mkfifo pipe
	exec 8<>pipe
	cat >hook.sh <<-'END'
		echo $$ >pid
		exec chock-policy-eval --format claude-hook --policy ./all
	END
	sh -c 'sh ./hook.sh || exit 2' <pipe >out 2>err &
	shell=$!
	timeout 20 sh -c 'until [ -s pid ]; do :; done'
	child=$(cat pid)
	waiting "$child"
	kill -KILL "$child"
	status=0
	wait "$shell" || status=$?
	[ "$status" -eq 2 ]
	[ ! -s out ]
	exec 8>&-
}

@test "shows a person no character that is not seen" {
	printf 'deny call.x\n' >$'po\xc2\x85l\xe2\x80\xaeicy\xff'
	message x '{}'
	decides deny 'chock denies call.x by policy, and trying again will not help: ./po?l?icy?:1 says so' --policy $'./po\xc2\x85l\xe2\x80\xaeicy\xff'
}

@test "keeps a reason to 1000 bytes" {
	message "$(printf 'x%.0s' {1..3000})" '{}'
	decides ask '...' --policy ./policy
	[ "$(json '.hookSpecificOutput.permissionDecisionReason | utf8bytelength' <<<"$output")" -le 1000 ]
}

@test "answers each call of a chat with itself or with the result of a refusal" {
	cp "$data/harness/openai-chat.json" in
	run -0 --separate-stderr eval_ --format openai --policy ./policy
	printf '%s\n' "$output"
	[ "${#lines[@]}" -eq 3 ]
	[ "${lines[0]}" = '{"id":"call_1","type":"function","function":{"name":"shell","arguments":"{\"command\":[\"make\"]}"}}' ]
	[ "$(json '.role + " " + .tool_call_id' <<<"${lines[1]}")" = 'tool call_2' ]
	[[ "$(json .content <<<"${lines[1]}")" == *"./policy:2"* ]]
	[ "$(json '.role + " " + .tool_call_id' <<<"${lines[2]}")" = 'tool call_3' ]
	[[ "$(json .content <<<"${lines[2]}")" == "chock wants a person asked about call.deploy"* ]]
}

@test "answers each item of a response in the item's own shape" {
	in_project "$(cat "$data/harness/openai-response.json")" >in
	run -0 --separate-stderr eval_ --format openai --policy ./all --ceiling ./nothing
	printf '%s\n' "$output"
	[ "$(jq -cs 'map([.type, .call_id // .id // .approval_request_id])' <<<"$output")" = \
		'[["function_call_output","call_1"],["custom_tool_call_output","call_2"],["local_shell_call_output","call_3"],["shell_call_output","call_4"],["apply_patch_call_output","call_5"],["mcp_approval_response","mcpr_1"]]' ]
	[ "$(jq -s '.[3].output[0].outcome.exit_code' <<<"$output")" = 1 ]
	[ "$(jq -rs '.[4].status' <<<"$output")" = failed ]
	[ "$(jq -s '.[5].approve' <<<"$output")" = false ]
	run -0 --separate-stderr eval_ --format openai --policy ./all
	[ "$(jq -cs 'map(.type)' <<<"$output")" = \
		'["function_call","custom_tool_call","local_shell_call","shell_call","apply_patch_call","mcp_approval_request"]' ]
}

@test "passes what holds no call on as it came" {
	printf '%s\n' '{"role":"user", "content":"a\u00e9", "n":1.50}' \
		'{"type":"reasoning","id":"r","summary":[]}' \
		'{"role":"assistant","content":"x","tool_calls":null}' >in
	run -0 --separate-stderr eval_ --format openai --policy ./policy
	[ "$output" = "$(cat in)" ]
	printf '%s\n' '{"role":"user", "content":"a\u00e9", "n":1.50}' \
		'{"type":"text","text":"x"}' \
		'{"type":"server_tool_use","id":"s","name":"web_search","input":{}}' >in
	run -0 --separate-stderr eval_ --format anthropic --policy ./policy
	[ "$output" = "$(cat in)" ]
}

@test "does not pass on what it does not know" {
	for format in openai anthropic; do
		for line in '{"type":"computer_call","call_id":"c","action":{}}' '{}' '[]' 'x' \
			'{"tool":"run_command","args":{"argv":["rm"]}}' \
			'{"choices":[{"delta":{"tool_calls":[]}}]}' \
			'{"role":"assistant","function_call":{"name":"x","arguments":"{}"},"content":5}' \
			'{"type":"content_block_start","content_block":{}}' \
			'{"role":"assistant","content":[{"type":"other_tool_use","id":"x"}],"tool_calls":5}' \
			'{"role":"assistant","content":{},"tool_calls":{}}' \
			'{"type":"function","id":5,"function":{}}' '{"type":"tool_use","name":"x","input":{}}' \
			'{"role":"assistant","tool_\u0063alls":[{"id":"c","type":"function","function":{"name":"x","arguments":""}}],"\u0063ontent":[{"type":"tool_use","id":"c","name":"x","input":{}}]}'; do
			printf '%s\n' "$line" >in
			printf '%s: %s\n' "$format" "$line"
			run -100 --separate-stderr eval_ --format "$format" --policy ./all
			[ "$(jq -c '[has("error"), .line]' <<<"$output")" = '[true,1]' ]
		done
	done
}

@test "says of an item without a type that it has none" {
	printf '%s\n' '{"output":[{"name":"x"}]}' >in
	run -100 --separate-stderr eval_ --format openai --policy ./all
	[ "$(json .error <<<"$output")" = 'an item has no type' ]
}

@test "passes no call that stands where none belongs" {
	local call='{"type":"function_call","call_id":"c","name":"shell","arguments":"{\"command\":[\"rm\"]}"}'
	local use='{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm"}}'
	while read -r format line; do
		printf '%s\n' "$line" >in
		printf '%s: %s\n' "$format" "$line"
		run -100 --separate-stderr eval_ --format "$format" --policy ./all
		[ "$(jq -c '[has("error"), .line]' <<<"$output")" = '[true,1]' ]
	done <<-END
		openai {"choices":[],"output":[$call]}
		openai {"choices":[],"tool_calls":[$call]}
		openai {"output":[],"tool_calls":[$call]}
		openai {"output":[{"type":"message","content":[$call]}]}
		openai {"output":[{"type":"message","content":[],"tool_calls":[$call]}]}
		openai {"type":"message","role":"assistant","content":[$call]}
		openai {"role":"assistant","content":[$call]}
		openai {"role":"assistant","content":$call}
		anthropic {"type":"text","role":"assistant","content":[$use]}
		anthropic {"type":"x_tool_result","content":[$use]}
		anthropic {"role":"assistant","content":[{"type":"x_tool_result","content":[$use]}]}
		anthropic {"role":"assistant","content":[{"type":"tool_result","content":[$use]}]}
		anthropic {"role":"assistant","content":[{"type":"x","content":[$use]}]}
		anthropic {"role":"assistant","content":[${use/tool_use/Tool_Use}]}
	END
}

@test "passes the content of a message and the results of tools" {
	while read -r format line; do
		printf '%s\n' "$line" >in
		run -0 --separate-stderr eval_ --format "$format" --policy ./nothing
		[ "$output" = "$line" ]
	done <<-'END'
		openai {"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}]}
		openai {"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{}}]}
		openai {"choices":[{"message":{"role":"assistant","content":"x"}}],"output":null}
		anthropic {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"}]}]}
		anthropic {"role":"assistant","content":[{"type":"web_search_tool_result","content":[{"type":"web_search_result"}]}]}
	END
}

@test "asks about every file that a patch of one moves to or heads" {
	printf 'allow any\ndeny fs.write.*\n' >some
	while IFS='|' read -r refused operation; do
		printf '{"type":"apply_patch_call","call_id":"c","operation":%s}\n' "$operation" >in
		printf '%s\n' "$operation"
		run --separate-stderr eval_ --format openai --policy ./some --project p
		[ "$(json '.status == "failed"' <<<"$output")" = "$refused" ]
	done <<-'END'
		false|{"type":"update_file","path":"a","diff":"@@\n-*** x\n+y\n*** End of File\n"}
		false|{"type":"update_file","path":"a","move_to":null,"diff":"x"}
		true|{"type":"update_file","path":"/etc/a","diff":"x"}
		true|{"type":"update_file","path":"a","move_to":"/etc/a","diff":"x"}
		true|{"type":"update_file","path":"a","move_to":5,"diff":"x"}
		true|{"type":"update_file","path":"a","diff":"@@\n *** Move to: /etc/a\n"}
		true|{"type":"update_file","path":"a","diff":"*** move to: b\n"}
	END
}

@test "denies a tool or an argument that is known but for its case" {
	while read -r tool input; do
		message "$tool" "$input"
		printf '%s %s\n' "$tool" "$input"
		decides deny '' --policy ./all
	done <<-'END'
		BASH {"command":"make"}
		bAsh {"command":"make"}
		Bash {"Command":"make"}
		Bash {"command":"make","CMD":"rm"}
		Bash {"command":null,"cmd":"make"}
		Write {"file_path":"a","File_Path":"/etc/x"}
	END
	for event in preToolUse PRETOOLUSE permissionRequest; do
		message Bash '{"command":"make"}' "{\"hook_event_name\":\"$event\"}"
		jq -c 'del(.tool_input)' <in >bare
		mv bare in
		blocks "the event '$event' is another but for its case" --policy ./all
	done
}

@test "lets no call to an MCP server by a method that is nearly the one" {
	for method in Tools/call tools/CALL 'tools/call ' '\ttools/call' $'tool\u017f/call'; do
		printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":{"name":"now"}}\n' "$method" >in
		fails() { eval_ --format mcp --server time --policy ./all --refused-fd 9 >out 9>refused; }
		run -100 fails
		[ ! -s out ]
		[ "$(json .error.code <refused)" = -32600 ]
	done
}

@test "reads arguments that are text as strictly as a record" {
	for arguments in '{"command":["make"],"command":["rm"]}' '[]' 'x' '{"a":1}{}' '{"command":["ma\u0000ke"]}'; do
		jq -cn --arg arguments "$arguments" \
			'{id: "c", type: "function", function: {name: "shell", arguments: $arguments}}' >in
		run -0 --separate-stderr eval_ --format openai --policy ./all
		[ "$(json .role <<<"$output")" = tool ]
		[[ "$(json .content <<<"$output")" == 'chock cannot judge it: '* ]]
	done
	printf '%s\n' '{"id":"c","type":"function","function":{"name":"x","arguments":{}}}' >in
	run -0 --separate-stderr eval_ --format openai --policy ./all
	[ "$(json .role <<<"$output")" = tool ]
}

@test "takes 128 calls in a message and no more" {
	calls() {
		jq -cn --argjson n "$1" '{role: "assistant", tool_calls: [range($n) |
			{id: "c\(.)", type: "function", function: {name: "x", arguments: ""}}]}'
	}
	calls 128 >in
	run -0 --separate-stderr eval_ --format openai --policy ./all
	[ "${#lines[@]}" -eq 128 ]
	calls 129 >in
	run -100 --separate-stderr eval_ --format openai --policy ./all
	[ "$(json .error <<<"$output")" = 'more than 128 calls' ]
}

@test "takes 256 files in a patch and no more" {
	patch() {
		jq -cn --argjson n "$1" '{type: "custom_tool_call", call_id: "c", name: "apply_patch",
			input: ([range($n) | "*** Add File: f\(.)\n+x\n"] | add)}'
	}
	patch 256 >in
	run -0 --separate-stderr eval_ --format openai --policy ./all
	[ "$(json .type <<<"$output")" = custom_tool_call ]
	patch 257 >in
	run -0 --separate-stderr eval_ --format openai --policy ./all
	[[ "$(json .output <<<"$output")" == *'more than 256 files' ]]
}

@test "answers the blocks of a message with themselves or with an error" {
	cp "$data/harness/anthropic-message.json" in
	run -0 --separate-stderr eval_ --format anthropic --policy ./policy
	printf '%s\n' "$output"
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = '{"type":"tool_use","id":"toolu_1","name":"str_replace_based_edit_tool","input":{"command":"create","path":"a","file_text":"1.50"}}' ]
	[ "$(jq -c '[.type, .tool_use_id, .is_error]' <<<"${lines[1]}")" = '["tool_result","toolu_2",true]' ]
	[[ "$(json .content <<<"${lines[1]}")" == "chock wants a person asked about exec.unparsed"* ]]
	printf '%s\n' '{"type":"tool_use","id":"t","name":"Read","input":[]}' >in
	run -0 --separate-stderr eval_ --format anthropic --policy ./all
	[ "$(json .is_error <<<"$output")" = true ]
}

@test "sends what is refused to a descriptor of its own" {
	cp "$data/harness/openai-chat.json" in
	eval_ --format openai --policy ./policy --refused-fd 9 >out 9>refused
	[ "$(jq -r .id <out)" = call_1 ]
	[ "$(jq -r .tool_call_id <refused)" = $'call_2\ncall_3' ]
	run -100 --separate-stderr eval_ --format openai --refused-fd 77
	[[ "$stderr" == *"cannot use descriptor 77"* ]]
	run -100 --separate-stderr eval_ --refused-fd 2
}

@test "goes on after a line that is too long, and ends at one that is cut off" {
	{
		printf '{"role":"user","content":"%s"}\n' "$(head -c 1048576 /dev/zero | tr '\0' x)"
		printf '{"role":"user","content":"x"}\n{"role":"user"'
	} >in
	for format in openai anthropic; do
		run -100 --separate-stderr eval_ --format "$format" --policy ./all
		[ "$(jq -cs 'map([.line, .role])' <<<"$output")" = '[[1,null],[null,"user"],[3,null]]' ]
	done
}

@test "lets a client's messages through to an MCP server, but for refused calls" {
	cp "$data/harness/mcp-session.jsonl" in
	eval_ --format mcp --server time --policy ./policy --refused-fd 9 >out 9>refused
	[ "$(cat out)" = "$(sed 5d in)" ]
	[ "$(wc -l <refused)" -eq 1 ]
	[ "$(jq -c '[.jsonrpc, .id, .result.isError, .result.content[0].type]' <refused)" = \
		'["2.0","three",true,"text"]' ]
	[[ "$(jq -r '.result.content[0].text' <refused)" == *"'allow mcp.time.tool.set' would permit it; nobody can be asked here, so that it is denied, and trying again will not help" ]]
	eval_ --format mcp --server other --policy ./policy --refused-fd 9 >out 9>refused
	[ "$(jq -c .id <refused)" = $'2\n"three"' ]
}

@test "lets no message to an MCP server that could be read in another way" {
	while IFS='|' read -r code id line; do
		printf '%s\n' "$line" >in
		printf '%s\n' "$line"
		fails() { eval_ --format mcp --server time --policy ./all --refused-fd 9 >out 9>refused; }
		run -100 fails
		[ ! -s out ]
		[ "$(jq -c '[.error.code, .id]' <refused)" = "[$code,$id]" ]
	done < <(rows mcp-wrong)
}

@test "refuses a call of an MCP tool whose arguments are none" {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":[]}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"","arguments":{}}}' >in
	eval_ --format mcp --server time --policy ./all --refused-fd 9 >out 9>refused
	[ ! -s out ]
	[ "$(jq -c '[.id, .result.isError]' <refused)" = $'[1,true]\n[2,true]' ]
	jq -cn '{jsonrpc: "2.0", id: ("x" * 300), method: "tools/call", params: {name: "now"}}' >in
	fails() { eval_ --format mcp --server time --policy ./all --refused-fd 9 >out 9>refused; }
	run -100 fails
	[ ! -s out ]
}

@test "keeps an answer to an MCP client in one write" {
	long=$(printf '\\"%.0s' {1..3000})
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s"}}\n' "$long" >in
	eval_ --format mcp --server time --policy ./policy --refused-fd 9 >out 9>refused
	[ ! -s out ]
	[ "$(wc -c <refused)" -le 4096 ]
}

@test "wants to be told what an MCP server is called, and where refusals go" {
	: >in
	run -100 --separate-stderr eval_ --format mcp --refused-fd 2
	run -100 --separate-stderr eval_ --format mcp --server time
	run -100 --separate-stderr eval_ --format mcp --server a.b --refused-fd 2
	run -100 --separate-stderr eval_ --format mcp --server '' --refused-fd 2
	run -100 --separate-stderr eval_ --server time
	run -100 --separate-stderr eval_ --format openai --explain
	run -100 --separate-stderr eval_ --format openai --timeout 5s
}

@test "keeps every field of a question that is for a person, byte for byte" {
	line='{"id":"n12","action":"net.connect.com.github","port":443,"source":"sandbox", "summary":"connect to \u0067ithub.com:443","detail":"a\nb","agent":["main"],"x":{"y":[1.50,null]}'
	printf '%s}\n' "$line" >in
	run -0 --separate-stderr eval_ --policy ./policy
	[ "$output" = "$line"',"actions":["net.connect.com.github"],"decision":"ask","rule":"unnamed","layer":"none","backed_by":"advice"}' ]
}

@test "asks about a path outside of the project for native calls too" {
	native() {
		jq -cn --arg tool "$1" --argjson args "$2" '{tool: $tool, args: $args}' >in
		run -0 --separate-stderr eval_ --project p
		[ "$(jq -r '.actions | join(" ")' <<<"$output")" = "$3" ]
	}
	native read_file '{"path":"/etc/x"}' 'call.read_file fs.read./etc/x'
	native write_file '{"path":"/etc/x"}' 'call.write_file fs.write./etc/x'
	native edit_file '{"path":"x","cwd":"/etc"}' 'call.edit_file fs.write./etc/x'
	native find_files '{"cwd":"/etc"}' 'call.find_files fs.read./etc'
	native search_files "{\"path\":\"$PWD/p/x\"}" 'call.search_files'
	native list_directory '{"path":"x"}' 'call.list_directory'
	native view_image '{"path":"/etc/x"}' 'call.view_image'
	for path in ../x a/../b \~ \~/x \~root/x /p/..; do
		jq -cn --arg path "$path" '{tool: "read_file", args: {path: $path}}' >in
		run -100 --separate-stderr eval_ --project p
		[ "$(jq -r 'has("error")' <<<"$output")" = true ]
	done
}

@test "says that no project is known, where a path is outside of none" {
	message Read '{"file_path":"/etc/x"}'
	says() { eval_ --format claude-hook "$@"; }
	run -0 --separate-stderr says
	[[ "$output" == *'about fs.read./etc/x (no --project is known): no rule'* ]]
	run -0 --separate-stderr says --project p
	[[ "$output" == *'about fs.read./etc/x: no rule'* ]]
	message Bash '{"command":"make >/etc/x"}'
	run -0 --separate-stderr says
	[[ "$output" == *'exec.unparsed (a directory outside of the project: no --project is known), fs.write./etc/x (no --project is known): '* ]]
	message Bash '{"command":"make >/etc/x; git -C /etc status"}' '{cwd: "/etc"}'
	run -0 --separate-stderr says --project p
	[[ "$output" == *'exec.unparsed (a directory outside of the project; git in a directory outside of the project), '* ]]
	[[ "$output" == *'fs.write./etc/x: '* ]]
	message Bash '{"command":"git -C /etc status"}' 'del(.cwd)'
	jq -c 'del(.cwd)' in >in2
	mv in2 in
	run -0 --separate-stderr says
	[[ "$output" == *'git in a directory outside of the project: no --project is known'* ]]
}

# example N - the Nth example of chock-harness(7)
example() {
	local page=$BATS_TEST_DIRNAME/../doc/man/chock-harness.7
	[ -e "$page" ] || page=$CHOCK_BUILD/share/man/man7/chock-harness.7
	awk -v n="$1" '/^\.Sh / { on = $2 == "EXAMPLES" }
		/^\.Ed/ { inside = 0 }
		inside && at == n
		on && /^\.Bd/ { inside = 1; at++ }' \
		"$page" | sed 's/\\e/\\/g'
}

@test "works as its manual wires it" {
	mkdir -p "$HOME/.config/chock" bin
	printf '%s\n' 'allow exec.path.make' 'deny exec.path.rm' 'allow mcp.time.tool.now' \
		>"$HOME/.config/chock/policy"
	message shell '{"command":["make"]}'
	example 1 | jq -r '.hooks.PreToolUse[0].hooks[0].command' >hook.sh
	run -0 --separate-stderr env CLAUDE_PROJECT_DIR="$PWD/p" sh ./hook.sh <in
	[ "$(json '.hookSpecificOutput.permissionDecision' <<<"$output")" = allow ]
	run -2 --separate-stderr env CLAUDE_PROJECT_DIR="$PWD/none" sh ./hook.sh <in
	example 2 | sed -n 's/^command = "\(.*\)"$/\1/p' >hook.sh
	run -0 --separate-stderr sh ./hook.sh <in
	[ "$(json '.hookSpecificOutput.permissionDecision' <<<"$output")" = allow ]

	printf '#!/bin/sh\nexec sed s/^/got:/\n' >bin/time-server
	chmod +x bin/time-server
	example 3 >server
	PATH=$PWD/bin:$PATH run -0 --separate-stderr sh ./server <"$data/harness/mcp-session.jsonl"
	[ "$(grep -c '^got:' <<<"$output")" -eq 5 ]
	[ "$(grep -v '^got:' <<<"$output" | jq -r .id)" = three ]

	cp "$data/harness/anthropic-message.json" message.json
	example 4 >loop
	run -0 --separate-stderr sh ./loop
	[ "$(jq -r .id calls)" = toolu_1 ]
	[ "$(jq -r .tool_use_id results)" = toolu_2 ]
	cp "$data/harness/openai-chat.json" response.json
	example 5 >loop
	run -0 --separate-stderr sh ./loop
	[ "$(jq -r .id calls)" = call_1 ]
	[ "$(jq -sr 'map(.tool_call_id) | join(" ")' results)" = 'call_2 call_3' ]
}
