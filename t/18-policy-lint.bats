#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The lint: what a policy says that its author can hardly have meant.
#
# The list of public suffixes is one of the test's own, so that the findings
# do not depend on the machine.

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
