#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2154
# chock explain: what policy answers here, why, and what would change it

load lib/chock
load lib/project

setup() {
	project=$BATS_TEST_TMPDIR/project
	config=$HOME/.config/chock
	make_project "$project"
	mkdir -p "$project/sub" "$config"
	cd "$project/sub" || return
}

# explains STATUS SENTENCE WORD... - chock explain WORD... begins with it
explains() {
	run "-$1" --separate-stderr chock explain "${@:3}"
	printf '%s\n' "$output" "$stderr"
	[ "${lines[0]}" = "$2" ]
}

@test "says the answer in a sentence, with the rule that made it" {
	printf 'include base\nask git.*\ndeny git.push\nallow git.fetch\n' >"$config/policy"
	explains 3 "git.pull is asked: $config/policy:2 says 'ask git.*'" git.pull
	explains 1 "git.push is refused: $config/policy:3 says 'deny git.push'" git.push
	explains 0 "git.fetch is allowed: $config/policy:4 says 'allow git.fetch'" git.fetch
	explains 3 'web.other is asked: no rule names it' web.other
	explains 3 "git.push is put to a reviewer: --rule:1 says 'agent_review git.push'" \
		--rule 'agent_review git.push' git.push
	[[ $output == *"$config/policy:3 deny git.push: "* ]]
	[[ $output == *'held: by '* ]]
}

@test "finds the project that chock run would find" {
	printf 'deny git.commit\n' >"$project/chock.policy"
	explains 1 "git.commit is refused: ceiling:$project/chock.policy:1 says 'deny git.commit'" git.commit
	[[ $stderr == *"$project/chock.policy is not trusted: it narrows only; 'chock trust' shows it and asks"* ]]
	chock trust --digest "$(cd .. && sha256sum chock.policy | sha256sum | cut -d ' ' -f 1)" ..
	explains 1 "git.commit is refused: $project/chock.policy:1 says 'deny git.commit'" git.commit
	[[ $stderr != *trusted* ]]
	printf '\n' >>"$project/chock.policy"
	explains 1 "git.commit is refused: ceiling:$project/chock.policy:1 says 'deny git.commit'" git.commit
	[ "$(grep -c 'changed since it was trusted' <<<"$stderr")" -ge 1 ]
	cd "$BATS_TEST_TMPDIR"
	explains 0 "git.commit is allowed: default:$(sed -n '/git.commit/=' "$CHOCK_BUILD/share/chock/policies/defaults.policy") says 'allow git.commit'" git.commit
}

@test "says what would allow it, and that is so" {
	explains 3 'net.listen is asked: no rule names it' net.listen port=80
	[[ $output == *$'\nto allow it: add \'allow net.listen\' to '* ]]
	explains 0 "net.listen is allowed: --rule:1 says 'allow net.listen'" --rule 'allow net.listen' net.listen port=80
	[[ $output != *'to allow it'* ]]
}

@test "explains a command as the call that it is" {
	explains 1 'the command is refused, because of exec.path.rm' --rule 'deny exec.path.rm tool run_command' -- rm x
	[[ $output == *$'\n'"exec.path.rm is refused: --rule:1 says 'deny exec.path.rm tool run_command'"$'\n'* ]]
	run -100 --separate-stderr chock explain -- sh -c "$(printf 'p%d;' {1..1100})"
	[[ $stderr == *"chock-explain: "*1024* ]]
	[ -z "$output" ]
}

@test "says what is meant where a name is none, and what comes before a shipped rule" {
	explains 3 'giit.push is asked: no rule names it' giit.push
	[[ $output == *"no part of chock knows it; did you mean 'git.push'?"* ]]
	explains 3 'make is asked: no rule names it' make
	[[ $stderr == *"'chock explain -- make'"* ]]
	printf 'include ci\n' >"$config/policy"
	explains 1 "git.push is refused: ci:23 says 'deny git.push'" git.push
	[[ $output == *"to allow it: say --rule 'allow git.push', which comes before 'deny git.push' at ci:23, which comes with chock"* ]]
	explains 0 "git.push is allowed: --rule:1 says 'allow git.push'" --rule 'allow git.push' git.push
}

@test "promises no rule where a ceiling binds" {
	printf 'deny git.push\nask git.pull\n' >"$config/ceiling"
	explains 1 "git.push is refused: ceiling:$config/ceiling:1 says 'deny git.push'" git.push
	[[ $output != *'--rule '* ]]
	[[ $output == *'ceiling'* ]]
	explains 3 'git.pull is asked: no rule names it' git.pull
	[[ $output == *"to allow it: no policy can, the ceiling 'ask git.pull' at "* ]]
	explains 1 "git.push is refused: ceiling:strict:19 says 'deny git.push'" \
		--ceiling strict git.push
}

@test "explains each action of a command" {
	printf 'include base\ndeny exec.path.make\n' >"$config/policy"
	explains 1 'the command is refused, because of exec.path.make' -- make test
	[[ $output == *$'\n'"exec.path.make is refused: $config/policy:2 says 'deny exec.path.make'"$'\n'* ]]
	run -1 --separate-stderr chock explain -- sh -c 'make test'
	[[ $output == *'exec.path.sh is allowed: '*'exec.path.make is refused: '* ]]
	run -0 --separate-stderr chock explain -- cat a
	[ "${lines[0]}" = 'the command is allowed' ]
	explains 3 'the command is to be asked about, because of exec.unparsed' -- sh -c 'cat $(b)'
}

@test "colours nothing but on a terminal that can, without NO_COLOR" {
	run -3 --separate-stderr env TERM=xterm chock explain git.push
	[[ $output != *$'\033'* ]]
	command -v script >/dev/null || skip 'nothing measured: no script(1) here'
	run -3 env TERM=xterm script -qec 'chock explain git.push' /dev/null
	[[ $output == $'\033[1mgit.push is asked'* ]]
	run -3 env TERM=dumb script -qec 'chock explain git.push' /dev/null
	[[ $output != *$'\033'* ]]
	run -3 env TERM=xterm NO_COLOR=1 script -qec 'chock explain git.push' /dev/null
	[[ $output != *$'\033'* ]]
}

@test "fails as chock-policy-eval does on what is wrong" {
	run -100 --separate-stderr chock explain git.push prot=1
	[ "$output" = "" ]
	[[ $stderr == *"did you mean"* ]]
	run -100 chock explain
	run -100 chock explain --
	run -100 chock explain --rule 'alow git.push' git.push
	printf 'alow git.push\n' >"$config/policy"
	run -100 --separate-stderr chock explain git.push
	[[ $stderr == *"$config/policy:1:1: "*"did you mean 'allow'?"* ]]
}

@test "prints no byte of a name that could act on the terminal" {
	mkdir "$BATS_TEST_TMPDIR/e"$'\033[2J'
	printf 'deny git.push\n' >"$BATS_TEST_TMPDIR/e"$'\033[2J/p'
	run -1 --separate-stderr chock explain --policy "$BATS_TEST_TMPDIR/e"$'\033[2J/p' git.push
	[[ $output$stderr != *$'\033'* ]]
	[[ $output == *'/e?[2J/p:1 '* ]]
}
