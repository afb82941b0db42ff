#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The decision: tables of questions, each with the answer that it must get.
#
# A table NAME.cases is asked of NAME.policy, below NAME.ceiling where there
# is one; the tables beside the shipped policies are asked of those.
#
# Who runs it makes no difference.

load lib/chock

# ask_table NAME TABLE - ask TABLE of NAME.policy in the working directory
ask_table() {
	local options=(--policy "./$1.policy")
	[ ! -e "$1.ceiling" ] || options+=(--ceiling "./$1.ceiling")
	run -0 --separate-stderr chock-policy-eval "${options[@]}" --cases "$2"
}

@test "answers as the tables say" {
	cd "$data/policy"
	for table in *.cases; do
		ask_table "${table%.cases}" "$table"
		[ "$output" = "$(grep -c ' -> ' "$table") asked, 0 wrong" ]
	done
}

@test "answers the same in whatever order the lines stand" {
	mkdir "$BATS_TEST_TMPDIR/shuffled"
	cd "$BATS_TEST_TMPDIR/shuffled"
	for seed in 1 22 333 4444 55555; do
		for table in "$data"/policy/*.cases; do
			name=$(basename "$table" .cases)
			for part in policy ceiling; do
				[ -e "${table%.cases}.$part" ] || continue
				shuf --random-source=<(yes "$seed$name") \
					"${table%.cases}.$part" >"$name.$part"
			done
			# Line numbers change, so only decisions are compared.
			sed '/->/s/\(-> *[a-z_]*\).*/\1/' "$table" >"$name.cases"
			ask_table "$name" "$name.cases"
		done
	done
	run -1 cmp -s precedence.policy "$data/policy/precedence.policy"
}

@test "answers by the shipped policies as the tables beside them say" {
	policies=$BATS_TEST_DIRNAME/../policies
	for shipped in "$policies"/*.policy; do
		name=$(basename "$shipped" .policy)
		run -0 --separate-stderr chock-policy-eval --policy "$name" \
			--cases "$policies/$name.cases"
		run -0 --separate-stderr chock-policy-eval --policy "$name" --check
		[ "$output" = "" ]
	done
	run -0 --separate-stderr chock-policy-eval --cases "$policies/defaults.cases"
}

@test "finds the line of a table whose answer is another" {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'deny git.push\n' >p
	printf '# a table\ngit.push -> deny ./p:1\ngit.push -> allow\ngit.pull -> ask default\ngit.push -> deny ./p:2\n' >t
	run -1 --separate-stderr chock-policy-eval --policy ./p --cases t
	[ "$output" = "t:3: git.push: wanted allow, the answer is deny ./p:1
t:4: git.pull: wanted ask default, the answer is ask unnamed
t:5: git.push: wanted deny ./p:2, the answer is deny ./p:1
4 asked, 3 wrong" ]
}

@test "asks with whole chains of agents, and by layers" {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'agent main\nagent reviewer\nallow git.*\ndeny git.push agent main\n' >p
	printf 'ask git.fetch\n' >c
	cat >t <<-'END'
		git.push agent=reviewer             -> allow project
		git.push agent=main agent=reviewer  -> deny  project
		git.push agent=reviewer agent=main  -> deny  ./p:4
		git.fetch agent=reviewer            -> ask   ceiling
		git.fetch agent=reviewer            -> ask   ceiling:./c:1
		git.pull                            -> deny  command
		git.pull                            -> deny  --rule:1
		call.read_file                      -> allow default
		call.unheard agent=                 -> deny  chain
		call.unheard agent=reviewer agent=  -> deny  chain
		call.unheard agent=guest            -> deny  agent
		"call.unheard" "tool=a b"           -> ask   unnamed # a comment
	END
	run -0 --separate-stderr chock-policy-eval --policy ./p --ceiling ./c \
		--rule 'deny git.pull' --cases t
	[ "$output" = "12 asked, 0 wrong" ]
	printf 'git.push agent=main "tool=\xc3\xa9 x" -> allow operator\n' >t
	run -1 --separate-stderr chock-policy-eval --policy ./p --cases t
	[ "${lines[0]}" = "t:1: git.push agent=main tool=?? x: wanted allow operator, the answer is deny ./p:4" ]
	printf 'git.push %s -> deny\n' "$(yes agent=main | head -n 64 | paste -s -d ' ')" >t
	run -0 --separate-stderr chock-policy-eval --policy ./p --cases t
	printf 'git.push %s -> deny\n' "$(yes agent=main | head -n 65 | paste -s -d ' ')" >t
	run -100 --separate-stderr chock-policy-eval --policy ./p --cases t
	[[ $stderr == *"chock-policy-eval: t:1:1: more than 64 agents" ]]
}

@test "refuses what is no table" {
	cd "$BATS_TEST_TMPDIR" || return
	while IFS= read -r row; do
		printf '%b' "${row%% => *}" >t
		run -100 --separate-stderr chock-policy-eval --cases t
		printf 'got: %s\n' "$stderr"
		[ "$stderr" = "chock-policy-eval: ${row#* => }" ]
	done <<-'END'
		git.push\n => t:1:9: it is written: ACTION [FIELD=VALUE]... -> DECISION [RULE]
		git.push ->\n => t:1:10: it is written: ACTION [FIELD=VALUE]... -> DECISION [RULE]
		git.push -> dney\n => t:1:13: 'dney' is no decision; did you mean 'deny'?
		git.push -> deny a b\n => t:1:20: a word too many
		git.push -> deny unamed\n => t:1:18: 'unamed' is no rule (FILE:LINE) or layer; did you mean 'unnamed'?
		git.push -> deny default4\n => t:1:18: 'default4' is no rule (FILE:LINE) or layer; did you mean 'default'?
		git.push port=1 port=2 -> deny\n => t:1:1: 'port' a second time
		-> deny\n => t:1:1: it names no action
		git.push prot=1 -> deny\n => t:1:1: no field 'prot'; did you mean 'port'?
		# nothing\n => 't' asks nothing
		git.push -> deny => t:1:17: the last line does not end with a newline
	END
	run -100 --separate-stderr chock-policy-eval --cases gone
	[ "$stderr" = "chock-policy-eval: cannot open 'gone': No such file or directory" ]
}

@test "gives one answer as a filter and on the command line" {
	cd "$data/policy"
	while IFS='|' read -r words record; do
		# shellcheck disable=SC2086 # words
		run chock-policy-eval --policy ./precedence.policy $words 2>/dev/null
		one=${lines[-1]}
		run -0 --separate-stderr chock-policy-eval \
			--policy ./precedence.policy <<<"$record"
		[ "$(jq -r '.decision + " " + .rule' <<<"$output")" = "$one" ]
	done <<-'END'
		net.connect.com.example port=443|{"action":"net.connect.com.example","port":443}
		git.commit model=small|{"action":"git.commit","model":"small"}
		call.run agent=reviewer|{"action":"call.run","agent":["reviewer"]}
		exec.workspace.x/y|{"action":"exec.workspace.x/y","agent":["main"]}
		net.connect.org.example port=443 proto=tcp|{"action":"net.connect.org.example","port":443,"proto":"tcp"}
	END
}

@test "answers one question with the exit status that says it" {
	run -0 chock-policy-eval exec.path.gcc
	run -1 chock-policy-eval net.address.host
	run -3 chock-policy-eval web.search
	run -3 chock-policy-eval --rule 'agent_review web.search' web.search
	run -3 chock-policy-eval --rule 'agent_then_human web.search' web.search
	run -100 chock-policy-eval --check web.search
	run -100 chock-policy-eval --check --files
}
