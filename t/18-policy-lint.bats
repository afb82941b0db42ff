#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The lint: what a policy says that its author can hardly have meant.
#
# The list of public suffixes is one of the test's own, so that the findings
# do not depend on the machine.
#
# Who runs it makes no difference.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >suffixes <<-'END'
		// a comment
		com
		io
		uk
		co.uk
		github.io
		s3.amazonaws.com
		*.ck
		!www.ck
		cn
		公司.cn
		рф and what follows a blank is none
		no/name
	END
}

# check STATUS OPTION... - lint by the list of this test
check() {
	run "-$1" --separate-stderr chock-policy-eval --check \
		--suffixes suffixes "${@:2}"
	printf 'got: %.2000s\n%s\n' "$output" "$stderr"
}

# found - the warnings of $output, as the table has them
found() {
	sed -nE 's/^[^:]*:([0-9]+:[0-9]+): warning: .*( \[[a-z-]+\])$/\1\2/p' \
		<<<"$output" | paste -s -d ' '
}

@test "finds what the table says, and nothing else" {
	while IFS= read -r row; do
		case $row in '# '*) continue ;; esac
		printf '%s\n' "$row"
		printf '%b' "${row%% =>*}" >p
		want=${row#* =>}
		check "$([ -z "$want" ] && printf 0 || printf 1)" --policy ./p
		[ "$(found)" = "${want# }" ]
		[ "$stderr" = "" ]
	done <"$data/policy/lint"
}

@test "finds the same in whatever order the lines stand" {
	while IFS= read -r row; do
		case $row in '# '*) continue ;; esac
		printf '%b' "${row%% =>*}" | tac >p
		want=$(grep -o '\[.*\]' <<<"${row#* =>}" | sed -E 's/ [0-9:]+//g')
		run chock-policy-eval --check --suffixes suffixes --policy ./p
		printf '%s\n%s\n' "$row" "$output"
		[ "$(found | sed -E 's/[0-9:]+ //g')" = "$want" ]
	done < <(grep -v 'same-answer' "$data/policy/lint")
}

@test "says both rules, with their places" {
	printf 'deny git.push\n\nallow git.push agent main\nallow git.push\n' >p
	check 1 --policy ./p
	[ "$(grep never-wins <<<"$output")" = "./p:4:1: warning: 'allow git.push' never decides, always 'deny git.push' at ./p:1 [never-wins]" ]
}

@test "finds rules that a layer above always answers before" {
	printf 'allow git.*\nallow net.listen port 80\nask web.search\n' >p
	check 1 --policy ./p --rule 'deny git.*' --rule 'deny net.listen'
	[ "$(found)" = '1:1 [overruled] 2:1 [overruled]' ]
	check 0 --policy ./p --rule 'deny git.push' --rule 'deny net.listen port 81'
	# Shipped defaults are there to be overruled.
	check 0 --rule 'deny call.*' --rule 'ask git.*'
	mkdir -p "$HOME/.config/chock"
	printf 'allow git.push\n' >"$HOME/.config/chock/policy"
	check 1 --rule 'deny git.*'
	[[ $output == *"/policy:1:1: warning: "*"'deny git.*' at --rule:1 [overruled]"* ]]
}

@test "finds rules that a ceiling always lowers, and says both answers" {
	printf 'allow git.push\nask git.fetch\nallow git.add agent a\nallow git.*\n' >p
	printf 'deny git.*\nask git.fetch\nallow git.add agent b\n' >c
	check 1 --policy ./p --ceiling ./c
	[ "$(grep -F '[ceiling]' <<<"$output")" = "./p:1:1: warning: 'allow git.push' is void, a ceiling always lowers it: 'deny git.*' at ./c:1 [ceiling]
./p:3:1: warning: 'allow git.add agent a' is void, a ceiling always lowers it: 'deny git.*' at ./c:1 [ceiling]" ]
	printf 'deny git.push port 22\n' >c
	check 1 --policy ./p --ceiling ./c
	[ "$(found)" = '1:1 [never-carried]' ]
}

@test "finds what a ceiling allows to nobody" {
	printf 'allow git.push\ndeny net.*\nallow net.listen\nask net.listen port 80\n' >c
	check 1 --ceiling ./c
	[ "$(found)" = '1:1 [ceiling-allows]' ]
}

@test "finds rules for agents that another file does not declare" {
	printf 'allow git.push agent guest\n' >p
	printf 'agent main\n' >q
	check 1 --policy ./p --policy ./q
	[ "$(found)" = '1:1 [never-matches]' ]
	check 0 --policy ./p
}

@test "names the parent, its answer and the rule of it" {
	printf 'agent main\nagent reviewer parent main\nallow git.push agent reviewer\ndeny git.* agent main\n' >p
	check 1 --policy ./p
	[ "$(grep ancestor <<<"$output")" = "./p:3:1: warning: 'allow git.push agent reviewer' is void, 'reviewer' is declared below 'main', which gets 'deny' by 'deny git.* agent main' at ./p:4 [ancestor]" ]
	printf 'agent main\nagent reviewer parent main\nallow git.push agent reviewer\n' >p
	check 1 --policy ./p
	[[ $output == *"which gets 'ask' because nothing names it [ancestor]"* ]]
}

@test "notes what is reserved, which is no fault" {
	printf 'allow nix.build\nallow web.search\n' >p
	check 0 --policy ./p
	[ "$output" = "./p:1:1: note: 'allow nix.build' names what is reserved: nothing in this version asks for it by itself [reserved]" ]
	printf 'deny plugin.*\n' >>p
	check 0 --policy ./p
	[ "$output" = "./p:1:1: note: 'allow nix.build' and 1 more of this file name what is reserved: nothing in this version asks for it by itself [reserved]" ]
	check 0 --policy defaults
	[ "$output" = "" ]
}

@test "names a public suffix, or one that is below" {
	printf 'allow net.fetch.io.github.*\nallow net.fetch.com.amazonaws.*\nallow net.fetch.ck.*\n' >p
	check 1 --policy ./p
	[ "$output" = "./p:1:1: warning: 'allow net.fetch.io.github.*' opens hosts of anybody: github.io is a public suffix [public-suffix]
./p:2:1: warning: 'allow net.fetch.com.amazonaws.*' opens hosts of anybody: s3.amazonaws.com, which is below it, is a public suffix [public-suffix]
./p:3:1: warning: 'allow net.fetch.ck.*' opens hosts of anybody: *.ck, which is below it, is a public suffix [public-suffix]" ]
}

@test "knows top-level domains where there is no list of suffixes, and says so" {
	printf 'allow net.fetch.com.*\nallow net.fetch.uk.co.*\nallow net.fetch.local.*\n' >p
	: >empty
	run -1 --separate-stderr chock-policy-eval --policy ./p --check --suffixes empty
	[ "$(found)" = '1:1 [public-suffix]' ]
	[ "$stderr" = "chock-policy-eval: no list of public suffixes is at 'empty': of them only top-level domains are known" ]
	run -100 --separate-stderr chock-policy-eval --check --suffixes gone
	[ "$stderr" = "chock-policy-eval: cannot open 'gone': No such file or directory" ]
	run -100 chock-policy-eval --suffixes suffixes git.push
	head -c 4194305 /dev/zero >large
	run -100 --separate-stderr chock-policy-eval --check --suffixes large
	[ "$stderr" = "chock-policy-eval: 'large': more than 4194304 bytes" ]
}

@test "finds suffixes by the list of this machine" {
	[ -e /usr/share/publicsuffix/public_suffix_list.dat ] ||
		skip 'nothing measured: publicsuffix is not installed'
	printf 'allow net.fetch.io.github.*\nallow net.fetch.com.amazonaws.*\nallow net.fetch.cn.xn--55qx5d.*\nallow net.fetch.com.github.*\n' >p
	run -1 --separate-stderr chock-policy-eval --policy ./p --check
	[ "$(found)" = '1:1 [public-suffix] 2:1 [public-suffix] 3:1 [public-suffix]' ]
	[ "$stderr" = "" ]
}

@test "says nothing that could move a terminal" {
	bad=$'./x\e]0;owned\a\xc2\x9b'
	printf 'allow any\nallow web.search agent é\ndeny web.search agent é\n' >"$bad"
	check 1 --policy "$bad"
	[ "$output" = "./x?]0;owned???:1:1: warning: 'allow any' allows every act that its layer does not name [allows-all]
./x?]0;owned???:2:1: warning: 'allow web.search agent ??' never decides, always 'deny web.search agent ??' at ./x?]0;owned???:3 [never-wins]" ]
}

# The time is for a machine that does other things as well: alone, each takes
# less than a second.
@test "compares all of 4096 rules, and of more than it can no more than it may" {
	seq -f 'allow net.http.com.a tool t%g port 1-100,200 path /a/**/b' 4096 >p
	run -0 timeout 20 chock-policy-eval --policy ./p --check --suffixes suffixes
	[ "${#lines[@]}" -eq 1 ]
	awk 'BEGIN {
		for (i = 0; i < 248; i++) print "agent a" i (i ? " parent a" i - 1 : "")
		for (i = 0; i < 1924; i++) print "ask git.* agent a" i % 248 " tool t" i
		for (i = 0; i < 1924; i++) print "allow git.x" i " agent a" i % 248
	}' >p
	seq -f 'deny git.*  model m%g' 4096 >c
	run -1 timeout 20 chock-policy-eval --policy ./p --ceiling ./c --check \
		--suffixes suffixes
	[ "$(grep -c 'more than 20971520 pairs of rules; not all were compared \[unfinished\]$' <<<"$output")" -eq 1 ]
}

# explains WANT STATUS OPTION... - --explain has the line WANT
explains() {
	run "-$2" --separate-stderr chock-policy-eval --explain "${@:3}"
	printf 'got: %s\n' "$output"
	grep -qxF -- "$1" <<<"$output"
}

@test "explains with rules whole, as --list writes them" {
	rule='deny net.http.org.a agent main model m tool t.* port 1-3,80 proto tcp,udp to 10.0.0.0/8,2001:db8::/32,192.0.2.1,::/0 method GET,PUT path "/a /**" websocket cleartext'
	printf '%s\n' "$rule" >p
	explains "  project: ./p:1 $rule: does not match: tool" 3 --policy ./p net.http.org.a
	# What is told can be read again, as the same.
	run -0 --separate-stderr chock-policy-eval --policy ./p --explain \
		--rule "${rule/deny/allow}" net.http.org.a port=2 proto=udp address=10.1.1.1 \
		method=PUT 'path=/a /b' websocket cleartext tool=t.x model=m
	[[ ${lines[1]} == 'net.http.org.a port=2 proto=udp address=10.1.1.1 method=PUT path=/a /b websocket cleartext: allow, because of the agent main' ]]
}

@test "explains whom an answer is asked of, and when it cannot be" {
	explains 'ask: asked when it comes up, of a person; where nobody can answer, it is a no' \
		3 web.search
	explains 'agent_review: asked when it comes up, of the reviewer program; where nobody can answer, it is a no' \
		3 --rule 'agent_review web.search' web.search
	explains 'agent_then_human: asked when it comes up, of the reviewer program, and if it agrees of a person; where nobody can answer, it is a no' \
		3 --rule 'agent_then_human web.search' web.search
	no='this is read once, at the start, when nobody can be asked: it is a no'
	explains "ask: $no" 3 sandbox.jit
	explains "ask: $no" 3 device.usb.1d50.6018
	explains "agent_review: $no" 3 --rule 'agent_review provider.*' provider.a.b
	explains "ask: $no" 3 secret.use.TOKEN tool=mcp.time
	run -3 chock-policy-eval --explain secret.use.TOKEN tool=run_command
	[[ $output == *'ask: asked when it comes up, of a person;'* ]]
	run -0 chock-policy-eval --explain call.read_file
	[[ $output != *'asked'* ]]
}

@test "explains which reading applied to what nobody named" {
	explains '  unnamed: an act that no layer names: ask' 3 call.unheard
	printf 'ask git.*\n' >p
	explains '  ceiling: unnamed in a ceiling lowers nothing' 0 --ceiling ./p call.read_file
	# The shipped defaults name the capabilities, so this is asked of none.
	run -0 chock-policy-eval --explain workspace.integrate
	[[ $output != *unnamed* ]]
}

@test "hints at the name that was meant, of one that nothing knows" {
	run -3 --separate-stderr chock-policy-eval web.serch
	[ "$output" = 'ask unnamed' ]
	[ "$stderr" = "chock-policy-eval: no part of chock knows 'web.serch'; did you mean 'web.search'?" ]
	run -3 --separate-stderr chock-policy-eval web.search
	[ -z "$stderr" ]
	run -3 --separate-stderr chock-policy-eval un.known
	[ -z "$stderr" ]
}

@test "explains who holds an answer" {
	printf 'allow exec.path.make\n' >run
	explains 'held: by the kernel, for the whole sandbox' 3 sandbox.jit
	explains 'held: by whoever asks; to chock it is advice' 3 web.search
	explains 'held: by chock run, which asks before it does it; of what runs in the sandbox it is advice' 3 workspace.apply
	explains 'held: by chock run, which asks before it does it; of what runs in the sandbox it is advice' 0 --policy ./run exec.path.make
	explains 'held: by whoever asks; nothing in this version asks for it by itself' 3 nix.build
	explains 'held: by whoever asks; no part of chock knows an action of this name' 3 un.known
}

@test "explains what would allow an act, and where to write it" {
	explains "to allow it: add 'allow web.search' to a policy of your own" 3 web.search
	printf 'deny git.*\n' >p
	explains "to allow it: add 'allow git.push' to ./p" 1 --policy ./p git.push
	explains "to allow it: add 'allow git.push websocket' to ./p" 1 --policy ./p git.push websocket
	printf 'deny git.push\nask git.push agent main\n' >p
	explains "to allow it: change 'ask git.push agent main' at ./p:2" 3 --policy ./p git.push
	printf 'agent main\nagent rev parent main\ndeny git.push agent main\ndeny git.push agent rev\n' >p
	explains "to allow it: change 'deny git.push agent main' at ./p:3" 1 --policy ./p git.push agent=rev
	explains "to allow it: change 'deny git.push agent rev' at ./p:4" 1 --policy ./p git.push agent=rev
	explains "to allow it: change 'deny git.push' at --rule:1" 1 --rule 'deny git.push' git.push
	explains "to allow it: no rule can name it, for no part of chock knows it; 'any' would allow all such names" 3 un.known
	run -0 chock-policy-eval --explain call.read_file
	[[ $output != *'to allow it'* ]]
}

@test "explains that no policy can allow what a ceiling lowers" {
	printf 'deny git.*\n' >c
	explains "to allow it: no policy can, the ceiling 'deny git.*' at ./c:1 stands above; only its owner can change it" \
		1 --ceiling ./c --rule 'allow git.push' git.push
	[ "$(grep -c 'to allow it' <<<"$output")" -eq 1 ]
}

@test "explains a chain that is broken, and a kind that nobody declares" {
	explains 'git.push: deny: the chain of agents is empty or has an empty name' 1 git.push agent=
	explains 'to allow it: no policy can; who asks must name every agent of the chain' 1 git.push agent=
	printf 'agent main\n' >p
	explains 'git.push: deny: no policy declares the agent guest' 1 --policy ./p git.push agent=guest
	explains "to allow it: add 'agent guest' to each file that declares agents and not this one" \
		1 --policy ./p git.push agent=guest
	run -0 --separate-stderr chock-policy-eval --explain <<<'{"tool":"ask_user","args":{}}'
	[ "$(jq -c .why <<<"$output")" = '["a call that grants nothing: allow"]' ]
}

@test "explains in records as on the command line, a line an element" {
	printf 'deny git.*\n' >p
	run -1 --separate-stderr chock-policy-eval --policy ./p --explain git.push
	want=$(tail -n +2 <<<"$output")
	run -0 --separate-stderr chock-policy-eval --policy ./p --explain <<<'{"action":"git.push"}'
	[ "$(jq -r '.why[]' <<<"$output")" = "$want" ]
	run -0 --separate-stderr chock-policy-eval --explain <<<'{"action":"git.push","agent":["a\u001b[2J\u009b"]}'
	jq -e '.why | join("") | test("^[ -~]*$")' <<<"$output"
}
