#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-policy-eval as a filter: each record comes out as it went in, with the
# decision added, or as an error; one answer a line, in order, at once.
#
# Who runs it makes no difference.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'deny git.push\nallow net.connect.com.example port 443\n' >p
}

# judge OPTION... - the filter, on what is in the file in
judge() {
	chock-policy-eval "$@" <in
}

# comes_to ACTIONS DECISION CALL [OPTION]... - the call CALL comes to ACTIONS,
# and to DECISION without any policy
comes_to() {
	printf '%s\n' "$3" >in
	run -0 --separate-stderr judge "${@:4}"
	printf 'got: %s\n' "$output"
	[ "$(jq -r '.actions | join(" ")' <<<"$output")" = "$1" ]
	[ "$(jq -r .decision <<<"$output")" = "$2" ]
}

# is_error MESSAGE RECORD [OPTION]... - RECORD is answered with an error
is_error() {
	printf '%s\n' "$2" >in
	run -100 --separate-stderr judge "${@:3}"
	printf 'got: %s\n' "$output"
	[ "$(jq -r .error <<<"$output")" = "$1" ]
	[ "$(jq -r .line <<<"$output")" = 1 ]
	[ "$(jq -r 'has("decision")' <<<"$output")" = false ]
}

run_command() {
	jq -cn '{tool: "run_command", args: {argv: $ARGS.positional}}' --args -- "$@"
}

@test "keeps the bytes of a record and adds its fields" {
	printf '%s\n' '{"action":"git.push", "n":1.50, "s":"\u00e9\/", "id":"7" }' >in
	run -0 --separate-stderr judge --policy ./p
	[ "$output" = '{"action":"git.push", "n":1.50, "s":"\u00e9\/", "id":"7","actions":["git.push"],"decision":"deny","rule":"./p:1","layer":"project","backed_by":"advice" }' ]
}

@test "answers attributes of a question" {
	comes_to net.connect.com.example allow \
		'{"action":"net.connect.com.example","port":443}' --policy ./p
	comes_to net.connect.com.example ask \
		'{"action":"net.connect.com.example","port":80}' --policy ./p
	comes_to net.connect.com.example ask \
		'{"action":"net.connect.com.example","port":443,"websocket":true}' --policy ./p
	comes_to net.connect.com.example allow \
		'{"action":"net.connect.com.example","port":443,"websocket":false}' --policy ./p
}

@test "tells programs by how they are named" {
	mkdir proj 'proj-evil'
	p=$PWD/proj
	for row in 'gcc exec.path.gcc' 'python3.11 exec.path.python3%2E11' \
		'./build.sh exec.workspace.build%2Esh' \
		'scripts/x.y/z exec.workspace.scripts/x%2Ey/z' \
		'scripts/x/y.z exec.workspace.scripts/x/y%2Ez' \
		'.//./build.sh exec.workspace.build%2Esh' \
		"$p/build.sh exec.workspace.build%2Esh" \
		"$p//a exec.workspace.a"; do
		comes_to "${row#* }" allow "$(run_command "${row% *}")" --project proj
	done
	comes_to "exec.system.${PWD//./%2E}-x/y" allow "$(run_command "$PWD-x/y")" --project proj
	comes_to "exec.system.${p//./%2E}-evil/x" allow "$(run_command "$p-evil/x")" --project proj
	comes_to "exec.path.gcc exec.system./usr/bin/gcc" allow "$(run_command /usr/bin/gcc)" --project proj
	comes_to "exec.system.${p//./%2E}/a" allow "$(run_command "$p/a")"
	comes_to 'exec.path.a%20%0A%2A' allow "$(run_command $'a \n*')"
	comes_to exec.path.%FF allow \
		'{"tool":"run_command","args":{"argv":[{"base64":"/w=="}]}}'
}

@test "finds the project by its real name and by the one that was said" {
	mkdir real
	ln -s real link
	comes_to exec.workspace.a allow "$(run_command "$PWD/real/a")" --project "$PWD/link"
	comes_to exec.workspace.a allow "$(run_command "$PWD/link/a")" --project "$PWD/link"
}

@test "minds the directory that a command runs in" {
	mkdir -p proj
	call='{"tool":"run_command","args":{"argv":["./a"],"cwd":"DIR"}}'
	comes_to exec.workspace.sub/a allow "${call/DIR/sub}" --project proj
	comes_to exec.workspace.sub/a allow "${call/DIR/$PWD/proj/sub}" --project proj
	comes_to 'exec.unparsed exec.system./tmp/a' ask "${call/DIR//tmp}" --project proj
	comes_to 'exec.unparsed exec.path.a' ask "${call/DIR/../other}" --project proj
}

@test "takes the directory from beside the arguments too" {
	mkdir -p proj
	call='{"tool":"run_command","cwd":"DIR","args":{"argv":["./a"]}}'
	comes_to exec.workspace.sub/a allow "${call/DIR/sub}" --project proj
	comes_to 'exec.unparsed exec.system./tmp/a' ask "${call/DIR//tmp}" --project proj
	comes_to 'call.write_file fs.write./etc/passwd' ask \
		'{"tool":"write_file","cwd":"/etc","args":{"path":"passwd"}}' --project proj
	comes_to 'call.find_files fs.read./etc' ask '{"tool":"find_files","cwd":"/etc"}' --project proj
	comes_to 'call.read_file fs.read./etc/x' ask \
		'{"tool":"read_file","cwd":"/etc","args":{"cwd":"/etc","path":"x"}}' --project proj
	for tool in read_file run_command; do
		printf '%s\n' "{\"tool\":\"$tool\",\"cwd\":\"/etc\",\"args\":{\"cwd\":\"/p\",\"path\":\"x\",\"argv\":[\"x\"]}}" >in
		run -100 chock-policy-eval <in
		[ "$(jq -r .error <<<"$output")" = "'cwd' is one directory in 'args' and another beside them" ]
		printf '%s\n' "{\"tool\":\"$tool\",\"cwd\":5,\"args\":{\"path\":\"x\",\"argv\":[\"x\"]}}" >in
		run -100 chock-policy-eval <in
		[ "$(jq -r .error <<<"$output")" = "'cwd' is not a text" ]
	done
}

@test "names as the layer the defaults, if they allow any part of a call" {
	string='{"tool":"run_command","args":{"command":"LINE"}}'
	for row in 'make; ls default' 'ls; make default' 'make command' 'ls default' 'ls; zap command'; do
		chock-policy-eval --rule 'allow exec.path.make' --rule 'deny exec.path.zap' \
			<<<"${string/LINE/${row% *}}" >out
		[ "$(jq -r .layer out)" = "${row##* }" ]
	done
}

@test "does not guess what it cannot tell" {
	comes_to exec.unparsed ask '{"tool":"run_command","args":{"command":"$x"}}'
	comes_to 'exec.path.x exec.unparsed' ask "$(run_command ../x)"
	comes_to 'exec.path.b exec.unparsed' ask "$(run_command a/../b)"
	comes_to exec.unparsed ask "$(run_command ./)"
	comes_to exec.unparsed ask "$(run_command /)"
}

@test "does not take a wrapper for all that runs" {
	comes_to 'exec.path.sh exec.path.git git.push' ask "$(run_command sh -c 'git push')"
	comes_to 'exec.path.env exec.unparsed exec.path.git git.push' ask "$(run_command env X=1 git push)"
	comes_to 'exec.path.find exec.system./usr/bin/find exec.unparsed exec.path.rm' ask \
		"$(run_command /usr/bin/find . -exec rm '{}' ';')"
	comes_to exec.path.sh allow "$(run_command sh)"
	comes_to 'exec.unparsed exec.path.gcc' ask \
		'{"tool":"run_command","args":{"argv":["gcc"],"env":{"LD_PRELOAD":"./x"}}}'
}

@test "asks about each of the paths of a question, and takes the strictest answer" {
	printf '%s\n' 'allow workspace.protected path a/**' \
		'deny workspace.protected path b' >p
	while read -r paths decision; do
		run -0 chock-policy-eval --policy ./p \
			<<<"{\"action\":\"workspace.protected\",\"paths\":$paths}"
		[ "$(jq -r .decision <<<"$output")" = "$decision" ]
		[ "$(jq -c .actions <<<"$output")" = '["workspace.protected"]' ]
	done <<-'EOF'
		["a/x"] allow
		["a/x","a/y",{"base64":"YS//"}] allow
		["a/x","c"] ask
		["c","b","a/x"] deny
	EOF
	many=$(jq -nc '{action:"workspace.protected",paths:[range(1024)|"a/\(.)"]}')
	run -0 chock-policy-eval --policy ./p <<<"$many"
	[ "$(jq -r .decision <<<"$output")" = allow ]
}

@test "refuses paths that are no list of them" {
	more=$(jq -nc '[range(1025)|"a/\(.)"]')
	for paths in '[]' '"a/x"' '{}' '[1]' '["a/../x"]' '[""]' '["a/x",null]' \
		"$more" '["a/x"],"path":"a/y"'; do
		run -100 chock-policy-eval --rule 'allow any' \
			<<<"{\"action\":\"workspace.protected\",\"paths\":$paths}"
		[[ $output == *'"error":'* ]]
	done
}

@test "answers a call by the most restrictive of its actions" {
	printf 'deny exec.path.env\nallow exec.unparsed\n' >q
	comes_to 'exec.path.env exec.unparsed exec.path.true' deny "$(run_command env X=1 true)" --policy ./q
	printf 'allow exec.path.env\ndeny exec.unparsed\n' >q
	comes_to 'exec.path.env exec.unparsed exec.path.true' deny "$(run_command env X=1 true)" --policy ./q
}

@test "tells the other tools" {
	comes_to call.read_file allow '{"tool":"read_file","args":{"path":"x"}}'
	comes_to call.my%2Etool ask '{"tool":"my.tool"}'
	comes_to web.search ask '{"tool":"web_search","args":{"query":"x"}}'
	comes_to mcp.time.tool.now ask '{"tool":"mcp.time.now"}'
	comes_to mcp.time.tool.a%2Eb ask '{"tool":"mcp.time.a.b"}'
	comes_to git.push deny \
		'{"tool":"request_action","args":{"action":"git.push"}}' --policy ./p
	comes_to net.connect.com.example allow \
		'{"tool":"request_action","args":{"action":"net.connect.com.example","port":443}}' \
		--policy ./p
	for tool in update_plan ask_user set_title; do
		comes_to '' allow "{\"tool\":\"$tool\"}"
		[ "$(jq -r .rule <<<"$output")" = nothing ]
	done
	comes_to '' deny '{"tool":"update_plan","agent":[]}'
}

@test "tells where a URL leads" {
	fetch='{"tool":"fetch_url","args":{"url":"URL"}}'
	comes_to net.fetch.com.github.api ask "${fetch/URL/https:\/\/API.GitHub.com/x?y#z}"
	comes_to net.fetch.com.github.api ask "${fetch/URL/http:\/\/api.github.com.}"
	comes_to net.fetch.ip ask "${fetch/URL/http:\/\/192.0.2.1:8080/}"
	comes_to net.fetch.ip ask "${fetch/URL/http:\/\/[2001:db8::1]/}"
	printf 'allow net.fetch.com.example port 443\nallow net.fetch.ip to 192.0.2.0/24\n' >q
	comes_to net.fetch.com.example allow "${fetch/URL/https:\/\/example.com}" --policy ./q
	comes_to net.fetch.com.example ask "${fetch/URL/https:\/\/example.com:444}" --policy ./q
	comes_to net.fetch.com.example ask "${fetch/URL/http:\/\/example.com}" --policy ./q
	comes_to net.fetch.ip allow "${fetch/URL/http:\/\/192.0.2.9}" --policy ./q
	comes_to net.fetch.ip ask "${fetch/URL/http:\/\/192.0.3.9}" --policy ./q
}

@test "refuses a URL that two readers could take for two hosts" {
	while IFS= read -r url; do
		jq -cn --arg url "$url" '{tool: "fetch_url", args: {url: $url}}' >in
		printf '%s\n' "$url"
		run -100 --separate-stderr judge
		[ "$(jq -r 'has("error")' <<<"$output")" = true ]
	done <<-'END'
		ftp://example.com/
		HTTPS://example.com/
		//example.com/
		https:example.com
		https://
		https://user@example.com/
		https://example.com@evil.example/
		https://example.com\@evil.example/
		https://example.com /
		https://example.com:/
		https://example.com:0/
		https://example.com:99999/
		https://ex%61mple.com/
		https://exämple.com/
		https://example..com/
		https://example.com../
		https://.example.com/
		https://-example.com/
		https://127.1/
		https://2130706433/
		https://0x7f000001/
		https://0177.0.0.1/
		https://ip/
		https://[::1/
		https://[::1]x/
		https://[example.com]/
	END
}

@test "says what is wrong with a record, gives its id back and goes on" {
	printf '%s\n' '{"id":{"a":1},"tool":5}' 'nonsense' '{"action":"git.push"}' \
		'{"action":"x","action":"y"}' >in
	run -100 --separate-stderr judge --policy ./p
	[ "$(jq -c '[.line, .id, .decision]' <<<"$output")" = '[1,{"a":1},null]
[2,null,null]
[null,null,"deny"]
[4,null,null]' ]
}

@test "refuses what is no question and no call" {
	is_error "it has a field 'decision' already" '{"action":"git.push","decision":"allow"}'
	for field in actions rule layer backed_by why restriction lifted; do
		is_error "it has a field '$field' already" "{\"action\":\"git.push\",\"$field\":1}"
	done
	is_error "it wants one of 'tool' and 'action'" '{"action":"git.push","tool":"x"}'
	is_error "it wants one of 'tool' and 'action'" '{"id":1}'
	is_error "'tool' is not a text" '{"tool":""}'
	is_error "'tool' is not a text" '{"tool":"a\u0000b"}'
	is_error "'action' is not a text" '{"action":["git.push"]}'
	is_error "'args' is not an object" '{"tool":"x","args":[]}'
	is_error "'agent' is not a chain of at most 64 agents" '{"tool":"x","agent":"main"}'
	is_error "'agent' is not a text" '{"tool":"x","agent":["main",5]}'
	is_error "'65536' is no port" '{"action":"net.listen","port":65536}'
	is_error "'-1' is no port" '{"action":"net.listen","port":-1}'
	is_error "'port' is not a value" '{"action":"net.listen","port":[1]}'
	is_error "'websocket' is yes or no" '{"action":"net.listen","websocket":"maybe"}'
	is_error "'127.1' is no address" '{"action":"net.connect.ip","address":"127.1"}'
	is_error "the action has a host's name that is not in lower case" \
		'{"action":"net.connect.com.GitHub"}'
	is_error 'a question is one action, not a class' '{"action":"git.**"}'
	is_error 'not a record: an empty line' ''
	is_error 'not a record: an empty line' ' '
	is_error "the action has %XX for a byte that needs it not" '{"action":"call.a%41"}'
	is_error "the path is a path with '.' or '..' in it" \
		'{"action":"exec.system./usr/%2E%2E/x"}'
	is_error "the action and the attribute name different paths" \
		'{"action":"exec.system./usr/x","path":"/opt/x"}'
	is_error "run_command wants one of 'argv' and 'command'" '{"tool":"run_command","args":{}}'
	is_error "'argv' has no program" '{"tool":"run_command","args":{"argv":[]}}'
	is_error "'argv' has what is no text" '{"tool":"run_command","args":{"argv":["a",1]}}'
	is_error "it names no action" '{"tool":"request_action","args":{}}'
	is_error "the tool is not named mcp.SERVER.TOOL" '{"tool":"mcp.time"}'
}

@test "looks at every agent of a chain" {
	printf 'deny git.push agent main\nallow git.push agent child\n' >q
	comes_to git.push deny '{"action":"git.push"}' --policy ./q
	comes_to git.push deny '{"action":"git.push","agent":["main","child"]}' --policy ./q
	comes_to git.push deny '{"action":"git.push","agent":["child","main"]}' --policy ./q
	comes_to git.push allow '{"action":"git.push","agent":["child"]}' --policy ./q
	for chain in '[]' '["","child"]' '["child",""]'; do
		comes_to git.push deny "{\"action\":\"git.push\",\"agent\":$chain}" \
			--rule 'allow any'
		[ "$(jq -r .rule <<<"$output")" = chain ]
	done
	chain=$(jq -cn '[range(64) | "child"]')
	comes_to git.push allow "{\"action\":\"git.push\",\"agent\":$chain}" --policy ./q
	chain=$(jq -cn '[range(65) | "child"]')
	is_error "'agent' is not a chain of at most 64 agents" "{\"action\":\"git.push\",\"agent\":$chain}"
}

@test "passes on the error of a program before it" {
	printf '%s\n' '{"error":"not a record","line":3}' >in
	run -0 --separate-stderr judge
	[ "$output" = '{"error":"not a record","line":3}' ]
	is_error "it wants one of 'tool' and 'action'" '{"errors":1}'
	comes_to git.push deny '{"error":"x","action":"git.push"}' --policy ./p
}

@test "refuses a line that is too long and goes on, and one that is cut off" {
	{
		printf '{"action":"git.push","x":"%s"}\n' "$(head -c 1048576 /dev/zero | tr '\0' x)"
		printf '{"action":"git.push"}\n{"action":"git.push"}'
	} >in
	run -100 --separate-stderr judge --policy ./p
	[ "$(jq -c '[.line, .decision]' <<<"$output")" = '[1,null]
[null,"deny"]
[3,null]' ]
}

@test "answers each record as soon as it is done" {
	mkfifo to from
	chock-policy-eval --policy ./p <to >from 2>/dev/null &
	exec 8>to 9<from
	printf '{"action":"git.push"}\n' >&8
	read -r -t 20 answer <&9
	[ "$(jq -r .decision <<<"$answer")" = deny ]
	printf '{"action":"call.read_file"}\n' >&8
	read -r -t 20 answer <&9
	[ "$(jq -r .decision <<<"$answer")" = allow ]
	exec 8>&- 9<&-
	wait $!
}

@test "does not hold an answer back for a line that is still on its way" {
	mkfifo to from
	chock-policy-eval --policy ./p <to >from 2>/dev/null &
	exec 8>to 9<from
	printf '{"action":"git.push","n":1}\n{"action":"git.push","n":2}\n{"action"' >&8
	read -r -t 20 first <&9
	read -r -t 20 second <&9
	[ "$(jq -r '.n, .decision' <<<"$first$second" | xargs)" = '1 deny 2 deny' ]
	printf ':"git.push","n":3}\n' >&8
	read -r -t 20 third <&9
	[ "$(jq -r .n <<<"$third")" = 3 ]
	exec 8>&- 9<&-
	wait $!
}

@test "says which answers an enforcement point holds" {
	comes_to sandbox.jit ask '{"action":"sandbox.jit"}'
	[ "$(jq -r .backed_by <<<"$output")" = kernel ]
	comes_to unheard.of ask '{"action":"unheard.of"}'
	[ "$(jq -r .backed_by <<<"$output")" = advice ]
}

@test "says why with --explain" {
	comes_to git.push deny '{"action":"git.push"}' --policy ./p --explain
	[ "$(jq -r '.why | index("  project: ./p:1 deny git.push: decides") != null' <<<"$output")" = true ]
}

@test "answers what it read at the start, whatever becomes of the file" {
	mkfifo to from
	chock-policy-eval --policy ./p <to >from 2>/dev/null &
	exec 8>to 9<from
	printf '{"action":"git.push"}\n' >&8
	read -r -t 20 before <&9
	printf 'allow git.push\n' >p
	printf '{"action":"git.push"}\n' >&8
	read -r -t 20 after <&9
	exec 8>&- 9<&-
	wait $!
	[ "$before" = "$after" ]
	[ "$(jq -r .decision <<<"$after")" = deny ]
}

@test "knows the fields of a question on the command line" {
	run -100 --separate-stderr chock-policy-eval git.push aget=main
	[ "$stderr" = "chock-policy-eval: no field 'aget'; did you mean 'agent'?" ]
	run -100 --separate-stderr chock-policy-eval git.push agent
	[ "$stderr" = "chock-policy-eval: 'agent' needs a value: agent=VALUE" ]
	run -100 --separate-stderr chock-policy-eval net.listen port=http
	[ "$stderr" = "chock-policy-eval: 'http' is no port" ]
	run -100 --separate-stderr chock-policy-eval git.push extra
	[ "$stderr" = "chock-policy-eval: 'extra' is not FIELD=VALUE" ]
	run -100 --separate-stderr chock-policy-eval git.push prot
	[ "$stderr" = "chock-policy-eval: 'prot' is not FIELD=VALUE; did you mean 'port'?" ]
	run -100 --separate-stderr chock-policy-eval 'git.*'
	[ "$stderr" = 'chock-policy-eval: a question is one action, not a class' ]
	run -100 --separate-stderr chock-policy-eval 'git.a*'
	[ "$stderr" = 'chock-policy-eval: the action has a byte that is written %XX in a name' ]
	run -100 --separate-stderr chock-policy-eval ''
	[ "$stderr" = "chock-policy-eval: the action has an empty name" ]
	run -0 chock-policy-eval --policy ./p net.connect.com.example port=443 proto=tcp
	run -3 chock-policy-eval --policy ./p net.connect.com.example port=443 websocket
}

@test "says of a call what it needs that is not allowed, and of that alone" {
	printf 'allow exec.path.*\ndeny exec.path.rm\n' >p
	printf '%s\n' '{"tool":"run_command","args":{"command":"make; rm $x"}}' \
		'{"tool":"run_command","args":{"command":"cat \"$x\""}}' \
		'{"action":"exec.path.rm"}' >in
	run -0 chock-policy-eval --policy ./p <in
	[ "$(jq -c '[.needs[] | [.action, .decision, .rule]]' <<<"${lines[0]}")" = '[["exec.path.rm","deny","./p:2"]]' ]
	[ "$(jq -c '[.decision, has("needs")]' <<<"${lines[1]}")" = '["allow",false]' ]
	[ "$(jq -c 'has("needs")' <<<"${lines[2]}")" = false ]
	printf '%s\n' '{"tool":"run_command","args":{"command":"make; eval x"}}' >in
	run -0 chock-policy-eval --policy ./p <in
	[ "$(jq -c '[.needs[] | [.action, .decision, .rule, (.notes | length)]]' <<<"${lines[0]}")" = '[["exec.unparsed","ask","unnamed",1]]' ]
}

@test "says what is wrong with a URL" {
	while IFS='|' read -r url message; do
		jq -cn --arg url "$url" '{tool: "fetch_url", args: {url: $url}}' >in
		run -100 chock-policy-eval <in
		printf '%s: %s\n' "$url" "$output"
		[ "$(jq -r .error <<<"$output")" = "$message" ]
	done <<-'END'
		http://a b/|the URL has a byte that must be escaped in one
		http://me@a.example/|the URL has a user's name in it
		http:///x|the URL has no host
		http://[a.example]/|the URL has brackets around what is no IPv6 address
		http://a.example:0x50/|the URL's port is none
		ftp://a.example/|the URL starts with neither https:// nor http://
	END
}
