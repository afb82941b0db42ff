#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock run: an untrusted command works on a copy; what it commits comes back
# on a yes, and nothing else does

load lib/chock
load lib/project

setup() {
	require userns
	project="$BATS_TEST_TMPDIR/the project"
	state=$HOME/.local/state/chock
	make_project "$project"
	cd "$project" || return
}

teardown() {
	[ -z "${run_pid-}" ] || kill -KILL "$run_pid" 2>/dev/null || :
}

# unchanged COMMAND... - run it and hold the project to its bytes before
unchanged() {
	manifest "$project" >"$BATS_TEST_TMPDIR/before"
	"$@"
	manifest "$project" >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

# run_chock STATUS ARGUMENT... - chock run with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

commit='echo two >>a && git commit -qam second'

logs() {
	find "$state" -name '*.jsonl'
}

@test "hands through what the command prints and its status" {
	run_chock 37 -- sh -c 'echo out; echo err >&2; exit 37'
	[ "$output" = out ]
	[[ $stderr == *err* ]]
}

@test "lets a command delete everything, and nothing happens" {
	unchanged run_chock 0 -- sh -c 'rm -rf ./*; ls -A >&2'
	[ -f a ]
	unchanged run_chock 100 --yes -- sh -c 'rm -rf ./* .git'
	[[ $stderr == *'cannot be carried back'* ]]
}

@test "shows the copy at the project's own path, in the directory it was called in" {
	mkdir sub
	echo x >sub/x
	git add sub
	git commit -qm sub
	cd sub
	run_chock 0 -- pwd
	[ "$output" = "$project/sub" ]
	# By the name that the person has for it, where that is another one.
	ln -s "$project" "$BATS_TEST_TMPDIR/short"
	cd "$BATS_TEST_TMPDIR/short/sub"
	run_chock 0 -- sh -c 'pwd; pwd -P; cat x'
	[ "${lines[0]}" = "$BATS_TEST_TMPDIR/short/sub" ]
	[ "${lines[1]}" = "$project/sub" ]
	[ "${lines[2]}" = x ]
	run_chock 0 --driver landlock -- sh -c 'pwd; cat x'
	[[ ${lines[0]} == "$state"/*/copy/sub ]]
	[ "${lines[1]}" = x ]
}

@test "merges a commit on a yes, and the line that undoes it does" {
	before=$(git rev-parse HEAD)
	run_chock 0 --yes -- sh -c "$commit"
	[ "$(cat a)" = "$(printf 'one\ntwo')" ]
	[ "$(git log --format=%s -1)" = second ]
	[ -z "$(git status --porcelain)" ]
	undo=$(sed -n 's/^ *undo *\(git .*\)$/\1/p' <<<"$stderr")
	[ -n "$undo" ]
	eval "$undo"
	[ "$(git rev-parse HEAD)" = "$before" ]
	[ "$(cat a)" = one ]
}

@test "leaves the work at a ref of its own as well" {
	run_chock 0 --yes -- sh -c "$commit"
	[ "$(git for-each-ref --format='%(objectname)' refs/chock/)" = "$(git rev-parse HEAD)" ]
}

@test "refuses to apply at once where nobody can be asked, and keeps the work" {
	unchanged run_chock 0 -- sh -c "$commit"
	[[ $stderr == *workspace.apply* ]]
	kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	[ -n "$kept" ]
	[ -d "$kept" ]
}

@test "asks on the terminal, and takes y for yes" {
	run -0 expect "$data/answer.exp" y chock run -- sh -c "$commit"
	[ "$(git log --format=%s -1)" = second ]
}

@test "asks on the terminal, and takes anything else for no" {
	local answer
	for answer in n '' no q; do
		unchanged run -0 expect "$data/answer.exp" "$answer" \
			chock run -- sh -c "$commit"
	done
}

@test "keeps the copy when work is in the stash, and no longer than for it" {
	run_chock 0 --yes -- sh -c 'echo two >>a; git stash -q'
	[[ $stderr == *'not on the branch'*refs/stash* ]]
	kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	[ -d "$kept/copy" ]
	run_chock 0 --yes -- sh -c 'echo two >>a; git commit -qam tagged
		git tag here; git reset -q --hard HEAD^'
	[[ $stderr != *'not on the branch'* ]]
	[[ $stderr == *'also      refs/chock-also/'*/tags/here* ]]
	[[ $stderr != *'kept '* ]]
}

@test "gives files the modes that git would give them here" {
	umask 022
	run_chock 0 --yes --rule 'allow workspace.protected' -- sh -c "umask; chmod +x a; echo b >b; git add b; $commit"
	[ "$output" = 0022 ]
	[ "$(stat -c %a a b)" = $'755\n644' ]
}

@test "runs no program that was put first in PATH" {
	mkdir "$BATS_TEST_TMPDIR/planted"
	for program in cat tr tail mkfifo sed dirname readlink stty; do
		printf '#!/bin/sh\necho "$0" >>"%s"\n' \
			"$BATS_TEST_TMPDIR/ran" >"$BATS_TEST_TMPDIR/planted/$program"
		chmod +x "$BATS_TEST_TMPDIR/planted/$program"
	done
	PATH=$BATS_TEST_TMPDIR/planted:$PATH tail -n 1 /dev/null
	[ -s "$BATS_TEST_TMPDIR/ran" ]
	rm "$BATS_TEST_TMPDIR/ran"
	run -0 --separate-stderr env PATH="$BATS_TEST_TMPDIR/planted:$PATH" \
		"$CHOCK_BUILD/bin/chock" run --yes -- sh -c "$commit"
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "says what was not committed and keeps it" {
	unchanged run_chock 0 --yes -- sh -c 'echo x >new; echo y >>a'
	[[ $stderr == *'not committed'* ]]
	kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	[ "$(cat "$kept"/copy/new)" = x ]
}

@test "removes the copy when there was nothing to keep" {
	run_chock 0 -- true
	[ -z "$(find "$state" -name copy)" ]
	run_chock 0 --yes -- sh -c "$commit"
	[ -z "$(find "$state" -name copy)" ]
}

@test "works on uncommitted and untracked files only when told to" {
	echo changed >a
	echo new >untracked
	run_chock 0 -- sh -c 'cat a; echo *'
	[ "$output" = "$(printf 'one\na build.sh')" ]
	[[ $stderr == *uncommitted* ]]
	unchanged run_chock 0 --allow-dirty -- cat a untracked
	[ "$output" = "$(printf 'changed\nnew')" ]
}

@test "keeps the work at its ref when uncommitted files are in the way" {
	echo mine >a
	run_chock 0 --yes -- sh -c "$commit"
	[ "$(cat a)" = mine ]
	[ "$(git log --format=%s -1)" = first ]
	[ "$(git log --format=%s -1 "$(git for-each-ref --format='%(refname)' refs/chock/)")" = second ]
}

@test "keeps the work at its ref when an untracked file is in the way of it" {
	echo ignored >.git/info/exclude
	echo x | tee ignored >beside
	run_chock 0 --yes -- sh -c "$commit"
	[[ $stderr != *' waits '* ]]
	echo mine >new
	run_chock 0 --yes -- sh -c 'echo theirs >new; git add new; git commit -qm third'
	[[ $stderr == *" waits "*"an untracked file is where 'new' would be"* ]]
	[ "$(cat new)" = mine ]
	[ "$(git log --format=%s -1)" = second ]
}

@test "says what would show the programs where a policy grants none" {
	run_chock 127 --policy strict -- true
	[[ $stderr == *"cannot find 'true': the system's programs are not granted; '--policy base' makes them readable"* ]]
}

@test "holds the session to a ceiling that is named" {
	run_chock 0 --yes -- sh -c "$commit"
	git reset -q --hard HEAD^
	echo 'deny workspace.apply' >"$BATS_TEST_TMPDIR/c"
	run_chock 0 --yes --ceiling "$BATS_TEST_TMPDIR/c" -- sh -c "$commit"
	[[ $stderr == *"refused"*"policy refuses workspace.apply: ceiling:"*" no --rule would allow it"* ]]
}

@test "moves no branch where workspace.integrate is denied" {
	run_chock 0 --yes --rule 'deny workspace.integrate' -- sh -c "$commit"
	[ "$(git log --format=%s -1)" = first ]
	[ -n "$(git for-each-ref refs/chock/)" ]
}

@test "refuses a command that a rule denies, and names the rule" {
	unchanged run_chock 126 --rule 'deny exec.path.touch' -- touch x
	[[ $stderr == *exec.path.touch*--rule:1* ]]
}

@test "answers workspace.apply with --yes and nothing else" {
	run_chock 126 --yes --rule 'ask exec.path.touch' -- touch x
	[[ $stderr == *exec.path.touch* ]]
}

@test "cannot read the home, write outside, or reach the network" {
	echo secret >"$HOME/secret"
	[ "$(cat "$HOME/secret")" = secret ]
	run_chock 1 -- cat "$HOME/secret"
	[[ $stderr == *'No such file'* || $stderr == *'Permission denied'* ]]
	echo x >"$BATS_TEST_TMPDIR/outside"
	run_chock 0 -- sh -c "echo y >>'$BATS_TEST_TMPDIR/outside'"
	[ "$(cat "$BATS_TEST_TMPDIR/outside")" = x ]
	run_chock 1 -- perl -MSocket -e 'socket(my $s, PF_INET, SOCK_STREAM, 0);
		connect($s, sockaddr_in(9, inet_aton("192.0.2.1"))) or print "$!"; exit 1'
	[ "$output" = 'Network is unreachable' ]
	run_chock 0 -- sh -c 'echo fine >a && cat a'
	[ "$output" = fine ]
}

@test "lets a project's own policy narrow and never widen" {
	printf 'deny exec.path.touch\nallow workspace.apply\nread %s\n' \
		"$HOME" >chock.policy
	git add chock.policy
	git commit -qm policy
	echo secret >"$HOME/secret"
	run_chock 126 -- touch x
	[[ $stderr == *chock.policy:1* ]]
	run_chock 1 -- cat "$HOME/secret"
	unchanged run_chock 0 -- sh -c "$commit"
}

@test "writes a log that verifies, and that shows one changed byte" {
	run_chock 0 --yes -- sh -c "$commit"
	log=$(logs)
	run -0 chock-log-verify "$log"
	[[ $output == *whole* ]]
	for kind in session.start sandbox.open result answer workspace.apply session.end; do
		grep -q "\"kind\":\"$kind\"" "$log"
	done
	[ "$(stat -c %a "$log")" = 600 ]
	sed -i 's/second/sEcond/; s/"exit":0/"exit":1/' "$log"
	run -1 chock-log-verify "$log"
}

@test "ends a command whose time ran out with 124" {
	run_chock 124 --timeout 1 -- sh -c 'exec sleep 60'
	[[ $stderr == *time* ]]
}

@test "tells commands apart that cannot be found, or not be executed" {
	run_chock 127 -- no-such-command
	[[ $stderr == *no-such-command* ]]
	run_chock 126 -- ./a
	[[ $stderr == *./a* ]]
	[ -z "$(find "$state" -name copy)" ]
}

@test "says in one line what is wrong with a call, and leaves nothing" {
	while IFS='|' read -r arguments wrong; do
		eval "set -- $arguments"
		run_chock 100 "$@"
		[[ $stderr == *"$wrong"* ]]
		[[ $stderr == chock-*: || $stderr == usage:* || $(wc -l <<<"$stderr") -eq 1 ]]
		[ ! -e "$HOME/.local" ]
	done <<-'EOF'
		|COMMAND
		--|COMMAND
		--polcy base -- true|did you mean --policy
		--policy no-such -- true|no-such
		--policy ./no-such -- true|no-such
		--policy . -- true|a path with a slash
		--rule 'alow git.push' -- true|allow
		--limit bogus=1 -- true|bogus
		--timeout soon -- true|soon
	EOF
}

@test "says file, line and column of a bad policy, and leaves nothing" {
	printf 'include base\nalow git.push\n' >"$BATS_TEST_TMPDIR/bad.policy"
	run_chock 100 --policy "$BATS_TEST_TMPDIR/bad.policy" -- true
	[[ $stderr == *bad.policy:2:1:*allow* ]]
	[ ! -e "$HOME/.local" ]
}

@test "says so where git is not installed" {
	run -100 --separate-stderr without_git \
		"$CHOCK_BUILD/bin/chock" run -- true
	[[ $stderr == *"cannot find git: it is not in /usr/local/bin:/usr/bin:/bin"* ]]
	[ ! -e "$HOME/.local" ]
}

@test "works on a detached HEAD, and leaves the commit at its ref" {
	git checkout -q --detach
	run_chock 0 --yes -- sh -c "$commit"
	[ "$(cat a)" = one ]
	[ "$(git log --format=%s -1 "$(git for-each-ref --format='%(refname)' refs/chock/)")" = second ]
}

@test "lets commits be made by whom the environment names" {
	run_chock 0 --yes -- sh -c 'env | grep ^GIT_; echo 2 >a; git commit -qam second'
	[ -z "$output" ]
	export GIT_AUTHOR_NAME='An "odd" one; #' GIT_AUTHOR_EMAIL=a@example.org
	export GIT_COMMITTER_NAME=Other GIT_COMMITTER_EMAIL=c@example.org
	run_chock 0 --yes -- sh -c 'echo 3 >a; git commit -qam third'
	[ "$(git log -1 --format='%an %ae %cn %ce')" = \
		'An "odd" one; # a@example.org Other c@example.org' ]
	unset "${!GIT_@}"
	git config --unset user.name || [ $? -eq 5 ]
	git config --unset user.email || [ $? -eq 5 ]
	run_chock 128 --yes -- sh -c 'echo 4 >a; git commit -qam fourth'
	[[ $stderr == *'tell me who you are'* ]]
}

@test "works in a repository without a commit, and keeps the first one at its ref" {
	git init -q -b main "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	git config user.name Tester
	git config user.email tester@example.org
	run_chock 0 --yes -- sh -c 'echo x >x; git add x; git commit -qm first'
	[ ! -e x ]
	[ "$(git log --format=%s -1 "$(git for-each-ref --format='%(refname)' refs/chock/)")" = first ]
}

@test "takes a project path with blanks, a newline and a byte that is not UTF-8" {
	odd="$BATS_TEST_TMPDIR/"$'a b\n\377:c\\d'
	make_project "$odd"
	cd "$odd"
	run_chock 0 --yes -- sh -c "$commit; pwd"
	[ "$output" = "$odd" ]
	[ "$(git log --format=%s -1)" = second ]
}

@test "leaves nothing running and nothing written when chock-spawn is killed" {
	mkfifo "$BATS_TEST_TMPDIR/ready"
	manifest "$project" >"$BATS_TEST_TMPDIR/before"
	chock run -- sh -c 'echo up; sleep 86399 & exec sleep 86399' \
		</dev/null >"$BATS_TEST_TMPDIR/ready" 2>/dev/null 3>&- &
	run_pid=$!
	read -r line <"$BATS_TEST_TMPDIR/ready"
	[ "$line" = up ]
	spawn=$(pgrep -P "$run_pid" -x chock-spawn)
	init=$(pgrep -P "$spawn")
	kill -KILL "$spawn"
	wait "$run_pid" || status=$?
	[ "$status" -eq 137 ]
	tail --pid="$init" -f /dev/null
	[ ! -e "/proc/$init" ]
	manifest "$project" >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	[ "$(ls -A "$HOME")" = .local ]
}

@test "ends the command at Ctrl-C, and the session with it as it should" {
	run -130 expect "$data/interrupt.exp" \
		chock run -- sh -c 'echo up; exec sleep 86399'
	[[ $output == *'died of signal 2'* ]]
	run -0 chock-log-verify "$(logs)"
	grep -q '"kind":"session.end","exit":130' "$(logs)"
	[ -z "$(find "$state" -name copy)" ]
}

@test "ends the command when it is ended itself" {
	mkfifo "$BATS_TEST_TMPDIR/ready"
	chock run -- sh -c 'echo up; exec sleep 86399' \
		</dev/null >"$BATS_TEST_TMPDIR/ready" 2>/dev/null 3>&- &
	run_pid=$!
	read -r line <"$BATS_TEST_TMPDIR/ready"
	init=$(pgrep -P "$(pgrep -P "$run_pid" -x chock-spawn)")
	kill -TERM "$run_pid"
	tail --pid="$init" -f /dev/null
	[ ! -e "/proc/$init" ]
	[ -n "$(find "$state" -name copy)" ]
}

@test "says that the work is kept, and where, whatever ends it" {
	mkfifo "$BATS_TEST_TMPDIR/ready" "$BATS_TEST_TMPDIR/err"
	for signal in TERM HUP KILL; do
		cat "$BATS_TEST_TMPDIR/err" >"$BATS_TEST_TMPDIR/said" 3>&- &
		reader=$!
		chock run -- sh -c 'echo two >>a; echo up; exec sleep 86399' \
			</dev/null >"$BATS_TEST_TMPDIR/ready" \
			2>"$BATS_TEST_TMPDIR/err" 3>&- &
		run_pid=$!
		read -r line <"$BATS_TEST_TMPDIR/ready"
		[ "$line" = up ]
		kill "-$signal" "$run_pid"
		status=0
		wait "$run_pid" || status=$?
		[ "$status" -eq $((128 + $(kill -l "$signal"))) ]
		# It ends with the last that could still say something.
		wait "$reader"
		kept=$(find "$state" -name copy)
		kept=${kept%/copy}
		[ "$(tail -n 1 "$BATS_TEST_TMPDIR/said")" = "chock-run: interrupted; the work is kept in $kept" ]
		[ "$(tail -n 1 "$kept/copy/a")" = two ]
		run -0 chock-log-verify "$kept.jsonl"
		run -0 chock workspace list
		[[ $output == "${kept##*/} "*'  it was interrupted' ]]
		run -0 chock workspace clear --yes "${kept##*/}"
	done
}

@test "writes nothing to the home but its state, and an empty store of caches" {
	run_chock 0 --yes -- sh -c "$commit; touch ~/x"
	[ "$(ls -A "$HOME")" = .local ]
	[ "$(cd "$HOME/.local" && find . -maxdepth 2 -mindepth 2 | sort)" = $'./share/chock\n./state/chock' ]
	[ "$(cd "$HOME/.local/share/chock" && find .)" = $'.\n./caches' ]
}
