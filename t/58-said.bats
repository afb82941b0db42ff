#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What is said where something is not as a person thought: why, and what to do
#
#	repo/     a git project: a, build.sh
#	plain/    a directory without git: f

load lib/chock
load lib/project
load lib/session

setup() {
	require userns landlock
	repo=$BATS_TEST_TMPDIR/repo
	plain=$BATS_TEST_TMPDIR/plain
	policy=$BATS_TEST_TMPDIR/policy
	make_project "$repo"
	mkdir "$plain"
	echo old >"$plain/f"
	cd "$repo" || return
}

# typed WORD - what is said behind WORD the first time, as a person types it
typed() {
	sed -n "s/^  $1  *//p" <<<"$stderr" | head -n 1
}

# held COMMAND... - in the background, until something is in $go; $held is it
held() {
	go=$BATS_TEST_TMPDIR/go
	mkfifo "$go" "$BATS_TEST_TMPDIR/up"
	exec 5<>"$go"
	setsid -w "$@" <&5 >"$BATS_TEST_TMPDIR/up" \
		2>"$BATS_TEST_TMPDIR/err" 3>&- 5>&- &
	held=$!
	read -r _ <"$BATS_TEST_TMPDIR/up"
}

# let_go - have it end, and read what it said
let_go() {
	echo >&5
	wait "$held"
	stderr=$(<"$BATS_TEST_TMPDIR/err")
	read_id
}

@test "names for work that waits the calls that look at it, merge and remove it" {
	held chock run --yes -- sh -ec 'git checkout -q -b side
		git commit -q --allow-empty -m aside
		git checkout -q -; echo two >>a; git commit -qam second
		echo up; read -r _'
	git checkout -q -b other
	let_go
	[ "$(typed waits)" = 'another branch is checked out by now' ]
	also=refs/chock-also/$id/heads/side
	[[ $stderr == *"also      $also
  see       git log -p $also --not --branches
  merge     git switch main && git merge $also
  undo      git update-ref -d $also"* ]]
	[[ $(eval "$(typed see)") == *+two ]]
	eval "$(typed merge)"
	[ "$(git symbolic-ref HEAD) $(tail -n 1 a)" = 'refs/heads/main two' ]
	eval "$(typed undo)"
	run -1 git rev-parse -q --verify "refs/chock/$id"
}

@test "quotes the branch to go to where a shell would take it apart" {
	git checkout -q -b "a\$b"
	held chock run --yes -- sh -ec 'echo two >>a; git commit -qam second
		echo up; read -r _'
	git checkout -q --detach
	let_go
	eval "$(typed merge)"
	[ "$(git symbolic-ref --short HEAD)" = "a\$b" ]
	[ "$(tail -n 1 a)" = two ]
}

@test "names git's call for each verb where work waits, and is short of a typo" {
	alone 0 chock run --yes --apply park -- \
		sh -ec 'echo two >>a; git commit -qam second'
	waits=$id
	while read -r verb call; do
		alone 100 chock workspace "$verb" "$waits"
		[[ $stderr == *": no workspace of a session '$waits' is kept; its work waits in the project: git -C $repo $call" ]]
	done <<-END
		diff log -p refs/chock/$id --not --branches
		apply merge refs/chock/$id
		adopt worktree add --detach DIRECTORY refs/chock/$id
		export archive refs/chock/$id
		clear update-ref -d refs/chock/$id
	END
	eval "${stderr#*project: }"
	for gone in "$waits" nosuch ../nosuch; do
		alone 100 chock workspace diff "$gone"
		[[ $stderr == "chock-workspace: no workspace of a session '"*"' is kept; 'chock workspace list' names those that are" ]]
	done
}

@test "says once that a copy's git is broken, and nothing of records" {
	alone 100 chock run -- \
		sh -c 'echo x >.git/packed-refs; rm -rf .git/refs/heads'
	[[ $stderr == *"commits   cannot be carried back; the reason is above"* ]]
	[[ $stderr != *chock-record* ]]
	[ "$(grep -c "git cannot read the copy's repository" <<<"$stderr")" = 1 ]
}

@test "says that what was not committed is not to be applied" {
	alone 0 chock run -- touch x
	[ "$(typed until)" = 'removed after a day (1d); nothing was committed that could be applied, and adopt or export takes it out' ]
	[ -z "$(typed apply)" ]
}

@test "names all rules that a session with files of the host's needs" {
	make='mkdir -p .github/workflows; echo x >.github/workflows/x.yml
		git add .github; git commit -qm make'
	alone 0 chock run -- sh -c "$make"
	rules="--rule 'allow workspace.protected' --rule 'allow workspace.apply'"
	[[ $(typed refused) == *"; $rules would allow it" ]]
	alone 0 chock run --yes -- sh -c "$make"
	[[ $(typed refused) == *"; --rule 'allow workspace.protected' would allow it" ]]
	alone 0 chock run --rule 'allow workspace.apply' -- sh -c "$make"
	[[ $(typed refused) == *"; --rule 'allow workspace.protected' would allow it" ]]
	eval "alone 0 chock run $rules -- sh -c '$make'"
	[ -z "$(typed refused)" ]
	[ -e .github/workflows/x.yml ]
}

@test "says of a pattern of one directory that another would hide" {
	mkdir conf
	echo key >conf/key.pem
	echo key >'conf/a #1.pem'
	git add conf
	git commit -qm conf
	printf 'include base\nhide "a #1.pem"\n' >"$policy"
	alone 0 chock run -p "$policy" -- true
	[[ $stderr == *": nothing matches 'hide \"a #1.pem\"' ('hide \"**/a #1.pem\"' would)"$'\n'* ]]
	printf 'include base\nhide *.pem\nhide conf/*.key\nhide key.pem\n' >"$policy"
	alone 0 chock run -p "$policy" -- true
	[[ $stderr == *": nothing matches 'hide *.pem' ('hide **/*.pem' would), 'hide conf/*.key', 'hide key.pem' ('hide **/key.pem' would)"$'\n'* ]]
	printf 'include base\nhide **/*.pem\n' >"$policy"
	alone 1 chock run -p "$policy" -- grep -q key conf/key.pem
	[[ $stderr != *'nothing matches'* ]]
}

@test "says of a hide without git what it cannot do, and what is not there" {
	require overlay
	cd "$plain"
	printf 'include base\nhide *.pem\n' >"$policy"
	alone 100 chock run -p "$policy" -- true
	[[ $stderr == *"cannot hide the pattern '*.pem', only a path or DIR/**; a pattern is hidden in the copy that 'chock run' makes of a project in git" ]]
	printf 'include base\nhide f\nhide secert\nhide /nothing\n' >"$policy"
	alone 1 chock run -p "$policy" -- cat f
	[ "$(grep 'nothing matches' <<<"$stderr")" = "chock-spawn: $policy:3:1: nothing matches 'hide secert'" ]
	alone 0 chock run -p base -p codex -- true
	[[ $stderr != *'nothing matches'* ]]
}

@test "names the session that has a directory without git, and what to do" {
	require overlay
	cd "$plain"
	held chock run -- sh -c 'echo up; read -r _'
	alone 125 chock run -- true
	other=$(chock session list . | jq -r 'select(.running).session')
	[ "$other" ]
	[[ $stderr == *"chock-run: a directory without git has one session at a time, and $other is not over: wait for its end; sessions of a project in git have a copy each" ]]
	let_go
	alone 0 chock run -- true
}

@test "names adopt, and no apply, where nothing can land any more" {
	require overlay
	cd "$plain"
	alone 0 chock run -- sh -c 'echo new >f'
	[ "$(typed apply)" = "chock workspace apply $id" ]
	echo mine >f
	alone 1 chock workspace apply "$id" --yes
	[ "$(typed waits)" = "changed underneath since the session began: 'f'; it cannot land here any more, and adopt or export brings it elsewhere" ]
	[ -z "$(typed apply)" ]
	cd ..
	eval "$(typed adopt)"
	grep -rqx new --include=f .
	cd "$plain"
	alone 0 chock run -- sh -c 'mkdir -p n/.git; echo x >n/.git/config'
	[[ $(typed waits) == "'n/.git"*"' is of a git repository, "*'; it cannot land here any more, '* ]]
	[ -z "$(typed apply)" ]
}

@test "names adopt, and no apply, where a file changes while it lands" {
	require overlay trace
	cd "$plain"
	alone 0 chock run -- sh -c 'echo new >f'
	cat >"$BATS_TEST_TMPDIR/late" <<-EOF
		#!/bin/sh
		[ ! -e '$plain/.chock-cow/journal' ] || echo theirs >'$plain/f'
	EOF
	chmod +x "$BATS_TEST_TMPDIR/late"
	alone 1 "$helpers/kill-at" before "$BATS_TEST_TMPDIR/late" -- \
		chock workspace apply "$id" --yes
	[ "$(typed waits)" = "'f' was changed from outside; it cannot land here any more, and adopt or export brings it elsewhere" ]
	[ -z "$(typed apply)" ]
	[ "$(cat f)" = theirs ]
}

@test "names the switch wherever another branch is checked out, whatever waits" {
	held chock run --yes --rule 'deny workspace.integrate' -- \
		sh -ec 'echo two >>a; git commit -qam second; echo up; read -r _'
	git checkout -q -b other
	let_go
	[[ $(typed merge) == 'git switch main && git merge '* ]]
	alone 0 chock run --yes --rule 'deny workspace.integrate' -- \
		sh -ec 'echo three >>a; git commit -qam third'
	[ "$(typed waits)" = 'integration was not allowed' ]
	[[ $(typed merge) == 'git merge '* ]]
}

@test "shows with chock diff what is kept, and not what is at work" {
	held chock run -- sh -ec 'echo three >>a; echo up; read -r _'
	run -100 --separate-stderr chock diff
	[[ $stderr == "chock-diff: no session of this project is kept but '"*"', which is in use; "* ]]
	let_go
	alone 0 chock run -- sh -c 'echo two >>a; git commit -qam second'
	rm "$BATS_TEST_TMPDIR/go" "$BATS_TEST_TMPDIR/up"
	held chock run -- sh -ec 'echo three >>a; echo up; read -r _'
	run -0 chock diff
	[[ $output == *+two* ]]
	let_go
	run -0 chock diff
	[[ $output == *+three* ]]
}

@test "advises lines of a policy as a policy wants them" {
	local at="$HOME/my \"tools\\#" line read env
	mkdir -p "$at"
	printf '#!/bin/sh\necho ran\n' >"$at/tool"
	chmod +x "$at/tool"
	PATH=$PATH:$at
	alone 127 chock run -- tool
	line=${stderr#*"where a policy says '"}
	read=${line%%"' it is found"*}
	env=${line#*"if it says '"}
	env=${env%%"' too"*}
	# Only the end of what is said of the search path is left to be filled in.
	printf 'include base\n%s\n%s\n' "$read" "${env/.../\/usr\/bin:\/bin}" >"$policy"
	alone 0 chock run -p "$policy" -- tool
	[ "$output" = ran ]
}

@test "says where a program is outside, and what would show it" {
	mkdir -p "$HOME/.local/bin" "$HOME/opt"
	printf '#!/bin/sh\necho ran\n' >"$HOME/opt/tool"
	chmod +x "$HOME/opt/tool"
	ln -s ../../opt/tool "$HOME/.local/bin/tool"
	tool=$HOME/.local/bin/tool
	PATH=$PATH:${tool%/*}
	alone 127 chock run -- tool
	[[ $stderr == *"chock-run: outside it is '$tool': where a policy says 'read $tool' and 'read $HOME/opt/tool' it is found by that path, and as 'tool' if it says 'env PATH=${tool%/*}:...' too" ]]
	printf 'include base\nread %s\nread %s\n' "$tool" "$HOME/opt/tool" >"$policy"
	alone 0 chock run -p "$policy" -- "$tool"
	[ "$output" = ran ]
	printf 'env PATH=%s:/usr/bin:/bin\n' "${tool%/*}" >>"$policy"
	alone 0 chock run -p "$policy" -- tool
	[ "$output" = ran ]
	alone 127 chock run -- "$tool"
	[[ $stderr == *"it is found by that path" ]]
	alone 127 chock run -- no-such-tool
	[[ $stderr != *outside* ]]
}

@test "says of a repository without a commit that the copy is empty" {
	git init -q -b main "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty"
	touch x
	alone 0 chock run -- ls
	[ -z "$output" ]
	[[ ${stderr%%$'\n'*} == 'chock-run: nothing is committed here, and the copy is empty: 1 untracked file was left behind; --allow-dirty takes what is there along' ]]
	alone 0 chock run --allow-dirty -- ls
	[ "$output" = x ]
}
