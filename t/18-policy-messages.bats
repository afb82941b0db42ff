#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Errors that no table of policies comes to, and files with a mistake, of which
# no part is in force.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# refuses MESSAGE WORD... - a question is refused with the message
refuses() {
	run -100 --separate-stderr chock-policy-eval "${@:2}"
	printf 'got: %s\n' "$stderr"
	[ "$output" = "" ]
	[ "$stderr" = "chock-policy-eval: $1" ]
}

# errs MESSAGE RECORD - a record is answered with the error
errs() {
	run -100 --separate-stderr chock-policy-eval <<<"$2"
	printf 'got: %s\n' "$output"
	[ "$(jq -r .error <<<"$output")" = "$1" ]
}

@test "makes those that only a question or a command line comes to" {
	refuses "the action has a name longer than 16 KiB" \
		"call.$(head -c 16384 /dev/zero | tr '\0' x)"
	host=$(printf 'a.%.0s' {1..126})
	refuses "the action has a host's name longer than 253 bytes" \
		"net.connect.${host}aa"
	run -3 chock-policy-eval "net.connect.${host}a"
	refuses 'the path is a path with '\''.'\'' or '\''..'\'' in it' call.x path=/a/..
	refuses 'the path is empty' call.x path=
	refuses "'10.0.0' is no address" call.x address=10.0.0
	refuses "'TCP' is none of tcp, udp and icmp" call.x proto=TCP
	refuses "'get' is no method" call.x method=get
	long=$(head -c 101 /dev/zero | tr '\0' x)
	refuses "'${long%x}...' is no port" call.x port="$long"
	refuses "'' is no port" call.x port=
	refuses "'websocket' is yes or no" call.x websocket=true
	refuses 'the action and the attribute name different paths' \
		fs.read./a path=/b
	refuses 'the path is a path with a NUL byte' fs.read.a%00b
	errs "a host's name with an empty label" \
		'{"tool":"fetch_url","args":{"url":"http://a..b/"}}'
	errs "'ip' stands for addresses and is no host" \
		'{"tool":"fetch_url","args":{"url":"http://ip/"}}'
	refuses '--rule:1:1: nothing can be included here' --rule 'include base' call.x
	rules=()
	for i in {1..17}; do
		rules+=(--rule "# $(head -c 65000 /dev/zero | tr '\0' x)")
	done
	refuses '--rule:1:1: the file is larger than 1 MiB' "${rules[@]}" call.x
	printf 'read ~/x\n' >p
	run -100 --separate-stderr env -u HOME chock-spawn --policy ./p -- true
	[ "$stderr" = 'chock-spawn: ./p:1:1: there is no home directory here' ]
}

# refused_whole LINE - the file bad is refused at LINE, and answers nothing, at
# each place where a policy can be
refused_whole() {
	local place
	for place in --policy=./bad --ceiling=./bad --find-policy --project=project; do
		case $place in
		--find-policy) cp bad "$HOME/.config/chock/policy" ;;
		--project=*) cp bad project/chock.policy ;;
		esac
		run -100 --separate-stderr chock-policy-eval "$place" call.read_file
		printf '%s: %.200s\n' "$place" "$stderr"
		[ "$output" = "" ]
		[[ $stderr =~ ^"chock-policy-eval: "[^\ ]*"/"[a-z.]+":$1:"[0-9]+": " ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		run -100 --separate-stderr chock-policy-eval "$place" \
			<<<'{"action":"call.read_file"}'
		[ "$output" = "" ]
		rm -f "$HOME/.config/chock/policy"
	done
}

@test "holds nothing of a file with a mistake, wherever the mistake is" {
	mkdir -p "$HOME/.config/chock" project
	good='deny call.read_file\n'
	# The same without the mistake is in force: else nothing would be tested.
	printf '%b' "$good" >good
	for place in --policy=./good --ceiling=./good; do
		run -1 chock-policy-eval "$place" call.read_file
	done
	while IFS='|' read -r line text; do
		printf '%.100s\n' "$text"
		printf '%b' "$text" >bad
		refused_whole "$line"
	done <<-END
		2|${good}alow git.push\n
		1|alow git.push\n${good}
		1|deny call.read_file\r\n
		1|\357\273\277${good}
		2|${good}deny git.p\0ush\n
		2|${good}deny git.push
		2|${good}${good}
		3|${good}#\nallow git.push agent\n
		4097|$(seq -f 'deny call.x%g' 4096 | tr '\n' '~' | sed 's/~/\\n/g')${good}
	END
	{
		printf 'deny call.read_file\n#'
		head -c 1048000 /dev/zero | tr '\0' x
		printf '\n'
	} >bad
	refused_whole 2
}

@test "suggests the nearest word of every kind" {
	while IFS='|' read -r line near; do
		printf '%s\n' "$line" >p
		run -100 --separate-stderr chock-policy-eval --policy ./p call.x
		printf 'got: %s\n' "$stderr"
		[[ $stderr == *"did you mean '$near'?"* ]]
	done <<-'END'
		alow any|allow
		agent_reviw any|agent_review
		raed /x|read
		agnet main|agent
		inclued base|include
		include bsae|base
		allow git.push agnet main|agent
		allow net.connect.com.x prot tcp|port
		allow net.connect.com.x websoket|websocket
		allow gti.push|git.push
		allow exec.paht.gcc|exec.path.gcc
		allow exec.workspcae.*|exec.workspace.*
		allow workspace.aply|workspace.apply
		limit memroy 1GiB|memory
		net hots|host
		driver namespace|namespaces
		apply mrege|merge
		write /x noexce|noexec
		secret T to exec.path.gh tol x|tool
		bind x cpoy|copy
		sink dri /x|dir
	END
}
