#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock workspace: what sessions have left is listed, looked at, applied late,
# brought out or removed, and never while a session has it
#
#	plain/    a directory without git: f, gone
#	repo/     a git project: a, build.sh

load lib/chock
load lib/project

setup() {
	require userns landlock overlay
	plain="$BATS_TEST_TMPDIR/a plain dir"
	repo=$BATS_TEST_TMPDIR/repo
	state=$HOME/.local/state/chock
	mkdir "$plain"
	echo old >"$plain/f"
	echo old >"$plain/gone"
	cd "$plain" || return
}

teardown() {
	[ -z "${run_pid-}" ] || kill -KILL "$run_pid" 2>/dev/null || :
	# What was made unreadable, and what a kill left, for who cleans up.
	find "$BATS_TEST_TMPDIR" -type d ! -perm -700 -exec chmod u+rwx {} \;
}

unchanged() {
	manifest "$plain" >"$BATS_TEST_TMPDIR/before"
	"$@"
	manifest "$plain" >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

# alone STATUS COMMAND... - with nobody there to answer
alone() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w "$@" </dev/null
}

# keep SCRIPT - a session that was not applied; sets id
keep() {
	alone 0 chock run -- sh -ec "$1"
	id=${stderr#*session }
	id=${id%%$'\n'*}
	[ -d "$(workspace_of "$id")" ]
}

workspace_of() {
	find "$state/sessions" -mindepth 2 -maxdepth 2 -name "$1" -type d
}

write='echo new >f; rm gone; mkdir d; echo x >d/added; ln -s nowhere l'

# a_log - of the session
a_log() {
	find "$state/sessions" -name "$id.jsonl"
}

@test "lists what is kept: session, size, age, project, and how it ended" {
	run -0 chock workspace list
	[ -z "$output" ]
	keep "$write"
	run -0 chock workspace list
	[[ $output =~ ^"$id "\ +[0-9]+KiB\ +[0-9]+s\ \ "$plain  the command ended with status 0; waits for a yes: ".+$ ]]
	alone 37 chock run -- sh -c 'echo 3 >f; exit 37'
	make_project "$repo"
	cd "$repo"
	alone 0 chock run -- sh -c 'echo two >>a; git commit -qam second'
	run -0 chock workspace list
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[1]} == *"$plain  the command ended with status 37; waits for a yes: "* ]]
	[[ ${lines[2]} == *"$repo  the command ended with status 0; waits for a yes: apply 1 commit, "* ]]
	run -0 chock workspace apply --yes "$(cut -d " " -f 1 <<<"${lines[2]}")"
	# What has nothing to be applied waits for nothing.
	alone 0 chock run -- sh -c 'echo three >>a'
	run -0 chock workspace list
	[[ ${lines[2]} == *"$repo  the command ended with status 0; kept for another "* ]]
}

@test "lists why work was refused, and ends as its workspace does" {
	make_project "$repo"
	cd "$repo"
	alone 100 chock run --yes -- git commit -q --amend -m amended
	[[ $stderr == *"ended with status 0 after "* ]]
	run -0 chock workspace list
	[[ $output == *"$repo  the command ended with status 0; cannot land any \
more: the session's work is refused: it does not descend from "* ]]
	id=${output%% *}
	# The command's own status is not covered up, and is told.
	alone 7 chock run --yes -- sh -c 'git commit -q --amend -m x; exit 7'
	run -0 chock workspace list
	[[ ${lines[1]} == *'the command ended with status 7; cannot land any more: '* ]]
	alone 100 chock workspace apply --yes "$id"
	run -0 chock workspace adopt "$id"
}

@test "lists that work cannot land any more, and why" {
	keep 'echo new >f'
	echo other >f
	alone 1 chock workspace apply --yes "$id"
	run -0 chock workspace list
	[[ $output == *"$plain  what it left was asked about; cannot land any more: changed underneath "* ]]
	keep 'echo new >gone'
	run -0 chock workspace list
	[[ ${lines[1]} == *'; waits for a yes: '* ]]
}

@test "lists that work was adopted, or that its project was moved" {
	keep "$write"
	run -0 chock workspace adopt "$id"
	run -0 chock workspace list
	[[ $output == *"; waits for a yes: "*"; was adopted" ]]
	rm -r .chock-adopted
	cd ..
	mv "$plain" moved
	run -0 chock workspace list
	[[ $output == *"; the project is not there any more" ]]
	for verb in diff adopt export apply; do
		alone 100 chock workspace "$verb" "$id"
		[[ $stderr == "chock-"*": the project '$plain' is not there any more; once it is moved back, what is kept can be applied, adopted and exported" ]]
	done
	mv moved "$plain"
	run -0 chock workspace adopt "$id"
	run -0 chock workspace apply "$id" --yes
	[ ! -e "$plain/gone" ]
	for verb in diff adopt export apply clear; do
		alone 100 chock workspace "$verb" "$id"
		[[ $stderr == *"no workspace of a session '$id' is kept: its work landed in $plain" ]]
	done
}

@test "says where sessions cannot be listed, and lists the others" {
	local place
	keep "$write"
	run -111 --separate-stderr "$helpers/unlisted" "$libexec/chock-kept" list
	[[ $stderr == "chock-kept: "*"cannot list '$state/sessions': Input/output error" ]]
	run -111 "$helpers/unlisted" "$libexec/chock-kept" clear --all --yes
	[ -d "$(workspace_of "$id")" ]
	place=$(dirname "$(a_log)")
	cp -a "$place" "$place.open"
	chmod 777 "$place.open"
	run -0 --separate-stderr chock workspace list
	[[ $output == "$id "* ]]
	[ "${#lines[@]}" = 1 ]
	[ "$stderr" = "chock-workspace: cannot list '$place.open': it is somebody else's, or others may write to it" ]
}

@test "shows names in a list so that no terminal does what they say" {
	mkdir $'../x\n\x1b[0m'
	cd $'../x\n\x1b[0m'
	keep 'echo 1 >f'
	run -0 chock workspace list
	[ "${#lines[@]}" = 1 ]
	[[ $output == *'/x\x0a\x1b[0m  '* ]]
}

@test "shows what a session changed, of either kind" {
	keep "$write"
	unchanged run -0 chock workspace diff "$id"
	[ "$output" = $'A d\nA d/added\nM f\nD gone\nA l' ]
	make_project "$repo"
	cd "$repo"
	keep 'echo two >>a; git commit -qam second'
	run -0 chock workspace diff "$id"
	[[ $output == *'+two'* ]]
}

@test "shows what the last session here changed, without its name" {
	run -100 --separate-stderr chock diff
	[ "$stderr" = "chock-diff: no session of this project is kept; 'chock workspace list' names those of all projects" ]
	keep "$write"
	first=$id
	# Another project's, and one that was not kept, are not it.
	make_project "$repo"
	(cd "$repo" && keep 'echo two >>a; git commit -qam second')
	alone 0 chock run -- true
	mkdir -p dir
	unchanged run -0 chock diff
	[ "$output" = $'A d\nA d/added\nM f\nD gone\nA l' ]
	keep 'echo 2 >f'
	run -0 chock diff
	[ "$output" = 'M f' ]
	run -0 chock diff "$first"
	[ "${lines[0]}" = 'A d' ]
	cd "$repo"
	run -0 chock diff
	[[ $output == *'+two'* ]]
	run -100 chock diff a b
	run -100 chock diff ../x
}

@test "asks about a kept session as chock run does, and applies it on a yes" {
	keep "$write"
	unchanged alone 1 chock workspace apply "$id"
	[[ $stderr == *'there was nobody to say yes'* ]]
	[ -d "$(workspace_of "$id")" ]
	alone 0 chock workspace apply "$id" --yes
	[[ $stderr == *'work      in '* ]]
	[ "$(cat f d/added)" = $'new\nx' ]
	[ ! -e gone ]
	[ -z "$(workspace_of "$id")" ]
	[ "$(jq -r .kind "$(a_log)" | tail -6 | tr '\n' ' ')" = \
		'session.resume ask answer workspace.apply workspace.integrate session.end ' ]
	chock-log-verify "$(a_log)"
	run -100 --separate-stderr chock workspace apply "$id"
	[[ $stderr == *"no workspace of a session '$id' is kept"* ]]
}

@test "applies a kept session of a git project, from anywhere" {
	make_project "$repo"
	cd "$repo"
	keep 'echo two >>a; git commit -qam second'
	cd /
	alone 0 chock workspace apply "$id" --yes
	[ "$(cat "$repo/a")" = $'one\ntwo' ]
	[ -z "$(workspace_of "$id")" ]
}

@test "says after a no what applies it later, and ends with 1 while nothing is" {
	make_project "$repo"
	cd "$repo"
	keep 'echo two >>a; git commit -qam second'
	[[ $stderr == *"apply     chock workspace apply $id"$'\n'* ]]
	[[ $stderr == *"see       chock workspace diff $id"$'\n'* ]]
	[[ $stderr != *--tree* ]]
	git checkout -q -b other
	echo outside >>a
	alone 1 chock run --kept "$id" --yes --apply park
	[[ $stderr == *'waits     '* ]]
	keep 'echo three >>b; git add b; git commit -qm third'
	alone 1 chock workspace apply "$id"
	[[ $stderr == *"--yes, or chock run --kept $id --rule '"*' would allow it'* ]]
	keep 'echo two >>a'
	alone 1 chock workspace apply "$id" --yes
	[[ $stderr == *'commits   none'* ]]
}

@test "advises a call that keeps the options that were given, and is enough" {
	local call
	make_project "$repo"
	cd "$repo"
	printf 'include base\nask workspace.protected\n' >"$BATS_TEST_TMPDIR/a policy"
	keep 'mkdir .husky; echo x >.husky/pre-commit
		git add .; git commit -qm hook'
	alone 1 chock run --kept "$id" --yes --policy "$BATS_TEST_TMPDIR/a policy" \
		--rule 'allow workspace.policy' --apply merge
	call=$(grep '^  refused ' <<<"$stderr")
	call="chock run ${call#*"chock run "}"
	eval "alone 0 ${call% would allow it}"
	[ -e .husky/pre-commit ]
	[ ! -d "$(workspace_of "$id")" ]
}

@test "takes a session up as what it was, whatever the directory is by now" {
	keep "$write"
	find "$state/sessions" -name "$id.*" -type f -delete
	git init -q .
	umask 0
	alone 0 chock workspace apply "$id" --yes
	[ "$(cat f d/added)" = $'new\nx' ]
	[ "$(stat -c %a "$(a_log)")" = 600 ]
}

@test "removes no workspace of a git project either before an apply is ended" {
	make_project "$repo"
	cd "$repo"
	keep 'echo two >>a; git commit -qam second'
	w=$(workspace_of "$id")
	question=$("$libexec/chock-workspace" question -w "$w")
	set -- --to "$(json .effect.to <<<"$question")" \
		--tree "$(json .effect.tree <<<"$question")" -w "$w"
	for ((n = 1; ; n++)); do
		run "$helpers/kill-at" "$n" -- \
			"$libexec/chock-workspace" apply "$@"
		[ "$status" -eq 250 ]
		[ ! -s "$w/journal" ] || break
	done
	alone 111 chock workspace clear "$id" --yes
	[[ $stderr == *'another apply has to go on with it' ]]
	run -0 chock workspace list
	[[ $output == *'; an apply was cut off' ]]
	alone 0 chock workspace apply "$id" --yes
	[[ $stderr == *"session $id: "* ]]
	[ "$(cat a)" = $'one\ntwo' ]
	[ ! -e "$w" ]
}

@test "applies nothing late that was changed underneath, and says what" {
	keep "$write"
	echo outside >f
	unchanged alone 1 chock workspace apply "$id" --yes
	[[ $stderr == *"waits     changed underneath since the session began: 'f'"* ]]
	[ -d "$(workspace_of "$id")" ]
	cd ..
	mv "$plain" moved
	alone 100 chock workspace apply "$id" --yes
	mkdir "$plain"
	alone 111 chock workspace apply "$id" --yes
	[[ $stderr == *'is another directory than the one that the session began with'* ]]
	[ -z "$(ls -A "$plain")" ]
	[ -d "$(workspace_of "$id")" ]
}

@test "adopts and exports nothing of a repository, and names it" {
	keep 'mkdir -p n/.GIT/x b/objects b/refs b/doc h/.hg
		echo new >n/f; echo x >n/.GIT/config; echo x >n/.GIT/x/y
		for f in HEAD config README doc/x; do echo x >b/$f; done
		echo x >h/.hg/hgrc; echo gitdir: b >.git
		long=$(printf "%0200d/%0199d" 1 2); mkdir -p $long/3/.git
		mkdir -p n/$long; mkfifo n/$long/fifo'
	chock workspace export "$id" 2>"$BATS_TEST_TMPDIR/err" |
		tar -t >"$BATS_TEST_TMPDIR/names"
	run ! grep -iE '\.git|\.hg|HEAD|config|objects|refs' \
		"$BATS_TEST_TMPDIR/names"
	for path in n/f b/README b/doc/x; do
		grep -qx "files/$path" "$BATS_TEST_TMPDIR/names"
	done
	[ "$(grep -c 'is of a repository, and is left out' \
		"$BATS_TEST_TMPDIR/err")" -eq 8 ]
	grep -q "'n/.GIT' is of a repository, and is left out" \
		"$BATS_TEST_TMPDIR/err"
	# What is said of a name is said of a long one, too.
	long=$(printf '%0200d/%0199d' 1 2)
	grep -q "'$long' is of a repository, and is left out" \
		"$BATS_TEST_TMPDIR/err"
	grep -q "'n/${long:0:398}' is a FIFO, and is left out" \
		"$BATS_TEST_TMPDIR/err"
	run -0 --separate-stderr chock workspace adopt "$id"
	diff "$BATS_TEST_TMPDIR/err" - <<<"$stderr"
	cd ".chock-adopted/$id/files"
	[ "$(find . -type f | sort | tr '\n' ' ')" = \
		'./b/README ./b/doc/x ./n/f ' ]
}

@test "adopts beside what is there, and overwrites nothing" {
	keep "$write; echo hidden >.f; mkdir -p e; chmod 0 d/added"
	echo outside >f
	run -0 chock workspace adopt "$id"
	adopted=$plain/.chock-adopted/$id
	[ "$(json .adopted <<<"$output")" = "$adopted" ]
	[ "$(cat f gone)" = $'outside\nold' ]
	[ "$(cat "$adopted/files/f" "$adopted/files/.f")" = $'new\nhidden' ]
	[ "$(stat -c %a "$adopted/files/d/added")" = 0 ]
	[ "$(readlink "$adopted/files/l")" = nowhere ]
	[ -d "$adopted/files/e" ]
	[ "$(cat "$adopted/deleted")" = gone ]
	unchanged run -100 --separate-stderr chock workspace adopt "$id"
	[[ $stderr == *"'.chock-adopted/$id' is there already; once it is moved or removed"* ]]
	# Not through what the session, or somebody else, put there.
	rm -rf .chock-adopted
	mkdir "$BATS_TEST_TMPDIR/out"
	ln -s "$BATS_TEST_TMPDIR/out" .chock-adopted
	run chock workspace adopt "$id"
	[ "$status" -ne 0 ]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/out")" ]
}

@test "leaves nothing in the directory where nothing can be adopted" {
	mkdir "$BATS_TEST_TMPDIR/s"
	"$libexec/chock-overlay" create -s monday -w "$BATS_TEST_TMPDIR/s/w" .
	for verb in adopt export; do
		unchanged run -100 --separate-stderr "$libexec/chock-overlay" \
			"$verb" -w "$BATS_TEST_TMPDIR/s/w"
		[ "$stderr" = 'chock-overlay: the session wrote nothing' ]
		[ -z "$output" ]
	done
	keep "$write"
	"$libexec/chock-overlay" adopt -w "$(workspace_of "$id")" >/dev/null
	cp -a .chock-adopted "$BATS_TEST_TMPDIR/s"
	rm -r .chock-adopted
	# With each call that changes something failed.
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: no way to fail a call"
	for n in 1 2 3 4 5 6; do
		at=0
		"$helpers/kill-at" "$n" 28 -- "$libexec/chock-overlay" \
			adopt -w "$(workspace_of "$id")" || at=$?
		[ "$at" -eq 111 ]
		[ "$(ls -A)" = $'f\ngone' ]
	done
}

@test "exports a tar of what changed, with names of any bytes" {
	name=$'-a\nb\xff'
	# shellcheck disable=SC2016
	alone 0 chock run -- sh -ec 'echo new >f; rm gone; echo 1 >"./$1"; ln -s f l
		chmod 755 f' sh "$name"
	id=${stderr#*session }
	id=${id%%$'\n'*}
	unchanged eval 'chock workspace export "$id" >"$BATS_TEST_TMPDIR/tar"'
	mkdir "$BATS_TEST_TMPDIR/x"
	tar -C "$BATS_TEST_TMPDIR/x" -xf "$BATS_TEST_TMPDIR/tar"
	cd "$BATS_TEST_TMPDIR/x"
	[ "$(cat files/f "files/$name" deleted)" = $'new\n1\ngone' ]
	[ "$(stat -c %a files/f)" = 755 ]
	[ "$(readlink files/l)" = f ]
	[ "$(find . -type f -printf x)" = xxx ]
	# shellcheck disable=SC2016
	run -111 --separate-stderr sh -c 'chock workspace export "$0" >/dev/full' "$id"
	[[ $stderr == *'cannot write'* ]]
}

# What a session of git can leave: a commit, and what is in none.
leave='echo two >>a; git commit -qam second; echo three >>a; rm build.sh
	printf new >"odd
name"; ln -s /etc/passwd l; mkdir d; echo x >d/x; chmod +x d/x; mkfifo pipe
	git init -q nested; git -C nested -c user.name=x -c user.email=x commit -q --allow-empty -m x; echo "*.o" >.gitignore; echo o >f.o'

# seen - what git sees of the project, but for what was adopted
seen() {
	git rev-parse HEAD
	git status --porcelain | grep -v chock-adopted
	sha256sum a build.sh
}

@test "adopts what a session of git left, committed or not" {
	make_project "$repo"
	cd "$repo"
	keep "$leave"
	local before
	before=$(seen)
	run -0 --separate-stderr chock workspace adopt "$id"
	adopted=$repo/.chock-adopted/$id
	[ "$(json .adopted <<<"$output")" = "$adopted" ]
	[[ $stderr == *"'nested' is a repository, and is left out"* ]]
	[ "$(seen)" = "$before" ]
	# What a killed one has left is no adoption, and in nobody's way.
	mv "$adopted" "$adopted.part"
	touch "$adopted.part/files/half"
	run -0 --separate-stderr chock workspace adopt "$id"
	[ "$(ls .chock-adopted)" = "$id" ]
	[ ! -e "$adopted/files/half" ]
	cd "$adopted"
	[ "$(cat deleted)" = build.sh ]
	[ "$(cat files/a)" = $'one\ntwo\nthree' ]
	[ "$(cat files/odd*)" = new ]
	[ "$(readlink files/l)" = /etc/passwd ]
	[ -x files/d/x ]
	[ "$(find files ! -type d -printf x)" = xxxxx ]
	cd "$repo"
	run -100 chock workspace adopt "$id"
	# It is no work of the person's that a copy should have.
	touch other
	adopted=$id
	alone 0 chock run --allow-dirty -- ls -A
	[[ $output == *other* && $output != *chock-adopted* ]]
	[[ $stderr == *': 1 untracked file came along'* ]]
	alone 0 chock run -- true
	[[ $stderr == *': 1 untracked file was left behind'* ]]
	id=$adopted
	rm -r .chock-adopted
	ln -s "$BATS_TEST_TMPDIR" .chock-adopted
	run -100 chock workspace adopt "$id"
	[ ! -e "$BATS_TEST_TMPDIR/$id" ]
}

@test "exports what a session of git left, committed or not" {
	make_project "$repo"
	cd "$repo"
	keep "$leave"
	manifest "$repo" >"$BATS_TEST_TMPDIR/before"
	chock workspace export "$id" >"$BATS_TEST_TMPDIR/tar" 2>/dev/null
	manifest "$repo" >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	mkdir "$BATS_TEST_TMPDIR/x"
	tar -C "$BATS_TEST_TMPDIR/x" -xf "$BATS_TEST_TMPDIR/tar"
	cd "$BATS_TEST_TMPDIR/x"
	[ "$(find . ! -type d -printf x)" = xxxxxx ]
	[ "$(cat deleted files/a)" = $'build.sh\none\ntwo\nthree' ]
	[ -x files/d/x ]
}

@test "brings out no file that git in the copy was talked into naming" {
	make_project "$repo"
	cd "$repo"
	mkdir "$BATS_TEST_TMPDIR/elsewhere"
	keep 'echo three >>a; rm a; mkdir a; ln -s /etc a/etc
		git config core.worktree /etc'
	run --separate-stderr chock workspace adopt "$id"
	[ "$status" -ne 0 ]
	[ ! -e .chock-adopted ]
	run --separate-stderr chock workspace export "$id"
	[ "$status" -ne 0 ]
}

@test "removes nothing without a yes" {
	keep "$write"
	for args in "$id" --all; do
		alone 1 chock workspace clear "$args"
		[[ $stderr == *'there is no terminal to ask on, and nothing is removed'* ]]
	done
	for word in n '' Y3s; do
		run -1 on_terminal "$word" chock workspace clear "$id"
		grep -q 'remove for good' "$BATS_TEST_TMPDIR/transcript"
		grep -q "$id" "$BATS_TEST_TMPDIR/transcript"
	done
	[ -d "$(workspace_of "$id")" ]
	run -0 on_terminal y chock workspace clear "$id"
	[ -z "$(workspace_of "$id")" ]
	[ -e "$(a_log)" ]
}

# on_terminal WORD COMMAND... - with a person there who types that
on_terminal() {
	"$helpers/terminal" "$BATS_TEST_TMPDIR/transcript" \
		"see=remove? " "type=$1\\r" -- "${@:2}"
}

@test "gives the space back, and leaves the logs" {
	keep 'head -c 3000000 /dev/urandom >big; mkdir -p a/b; chmod 0 a/b a'
	# What nobody may read du(1) cannot count for an ordinary user.
	used=$(du -k -s "$(workspace_of "$id")" 2>/dev/null | cut -f 1)
	[ "$used" -gt 2900 ]
	listed=$(chock workspace list | sed -n "s/^$id .* \\([0-9]*\\)KiB .*/\\1/p")
	[ "$listed" -ge "$used" ]
	[ "$listed" -le $((used + 16)) ]
	keep 'echo 2 >f'
	alone 0 chock workspace clear --all --yes
	[ "$(wc -l <<<"$output")" = 2 ]
	[[ $output == "cleared "*", ${listed}KiB"$'\n'* ]]
	[ -z "$(find "$state/sessions" -mindepth 2 -type d)" ]
	[ "$(find "$state/sessions" -name '*.jsonl' | wc -l)" = 2 ]
	alone 0 chock workspace clear --all --yes
	[ -z "$output" ]
	[ "$stderr" = 'chock-workspace: nothing is kept that is not in use' ]
}

# begin - a session that goes on until it is killed; sets run_pid and id
begin() {
	mkfifo "$BATS_TEST_TMPDIR/said" "$BATS_TEST_TMPDIR/go"
	exec 5<>"$BATS_TEST_TMPDIR/go"
	"$CHOCK_BUILD/bin/chock" run -- sh -c 'echo new >f; echo; read -r _' \
		<&5 >"$BATS_TEST_TMPDIR/said" 2>/dev/null 3>&- 5>&- &
	run_pid=$!
	read -r _ <"$BATS_TEST_TMPDIR/said"
	id=$(basename "$(find "$state/sessions" -name '*.jsonl')" .jsonl)
}

@test "never touches a workspace that a session uses" {
	begin
	run -0 chock workspace list
	[[ $output == *'it is in use' ]]
	for verb in clear diff adopt export apply; do
		alone 111 chock workspace "$verb" "$id"
		[[ $stderr == *"the session '$id' is in use"* ]]
	done
	alone 0 chock workspace clear --all --yes
	[ -e "$(workspace_of "$id")/layers/upper/f" ]
}

@test "takes up what a killed session left" {
	begin
	kill -KILL "$run_pid"
	wait "$run_pid" || [ $? -ne 0 ]
	run_pid=
	# What wrote its log ends by itself, a moment later.
	timeout 20 sh -c 'while chock workspace list | grep -q "it is in use$"
		do :; done'
	[[ $(chock workspace list) == *'it was interrupted' ]]
	[ "$(cat f)" = old ]
	alone 0 chock workspace apply "$id" --yes
	[ "$(cat f)" = new ]
}

@test "ends an apply that was cut off, and removes no workspace before" {
	for n in 30 40 52 55; do
		rm -rf ./* .chock-cow
		echo old >f
		echo old >gone
		keep "$write"
		w=$(workspace_of "$id")
		tree=$("$libexec/chock-overlay" question -w "$w" | json .effect.tree)
		at=0
		"$helpers/kill-at" "$n" -- "$libexec/chock-overlay" apply \
			-w "$w" --tree "$tree" || at=$?
		[ "$at" -eq 250 ] || break
		run -0 chock workspace list
		[[ $output == *'; an apply was cut off' ]]
		alone 111 chock workspace clear "$id" --yes
		[[ $stderr == *'another apply has to go on with it' ]]
		alone 0 chock workspace apply "$id" --yes
		[ "$(cat f d/added)" = $'new\nx' ]
		[ ! -e gone ]
		[ ! -e .chock-cow ]
		[ ! -e "$w" ]
	done
	[ "$n" -gt 40 ]
}

@test "keeps changes without a commit for a day, and says so" {
	make_project "$repo"
	cd "$repo"
	keep 'echo two >>a'
	[[ $stderr == *'until     removed after a day'* ]]
	run -0 chock workspace list
	[[ $output == *'; kept for another 2'[34]'h' ]]
	alone 0 chock run -- true
	[ -d "$(workspace_of "$id")" ]
	printf 1 >"$(workspace_of "$id")/expires"
	alone 0 chock run -- true
	[ -z "$(workspace_of "$id")" ]
	keep 'echo two >>a; git commit -qam second'
	[ ! -e "$(workspace_of "$id")/expires" ]
}

@test "keeps what was committed on another branch, to a tag or the stash" {
	make_project "$repo"
	cd "$repo"
	for act in 'git checkout -q -b side; git commit -qm 2 --allow-empty' \
		'git checkout -q --detach; git commit -qm 2 --allow-empty; git tag t; git checkout -q main'; do
		keep "$act"
		[[ $stderr == *"apply     chock workspace apply $id"$'\n'* ]]
		[ ! -e "$(workspace_of "$id")/expires" ]
	done
	keep 'echo two >>a; git stash -q'
	[[ $stderr == *'left      not on the branch: refs/stash'* ]]
	[[ $stderr == *'bring     '* ]]
	[ ! -e "$(workspace_of "$id")/expires" ]
	# As the manual has it.
	keep 'git checkout -q -b side; echo two >>a; git commit -qam second'
	chock-spawn -p base --copy "$(workspace_of "$id")/copy" \
		--bind "$PWD/.git/objects:/run/chock/objects:ro" -- \
		git format-patch --stdout main..side | git am -q
	[ "$(cat a)" = $'one\ntwo' ]
}

@test "ends with 1 under --require-commit where nothing was committed" {
	make_project "$repo"
	cd "$repo"
	alone 1 chock run --require-commit -- sh -c 'echo two >>a'
	[[ $stderr == *'one was required'* ]]
	alone 1 chock run --require-commit -- true
	alone 37 chock run --require-commit -- sh -c 'exit 37'
	alone 0 chock run --require-commit --yes -- \
		sh -c 'echo two >>a; git commit -qam second'
	cd "$plain"
	alone 100 chock run --require-commit -- true
	[[ $stderr == *'there is no git here to commit to' ]]
}

@test "refuses wrong calls with 100, by either name" {
	for name in 'chock workspace' chock-kept; do
		for words in 'list x' 'diff a b' 'adopt' 'export a b' 'clear' \
			'clear --all x'; do
			case "$name $words" in 'chock workspace clear') continue ;; esac
			# shellcheck disable=SC2086
			run -100 --separate-stderr ${name/chock-kept/$libexec/chock-kept} $words
			[ -n "$stderr" ]
		done
	done
	run -100 --separate-stderr chock workspace diff 01ARZ3NDEKTSV4RRFFQ69G5FAV
	[[ $stderr == *"chock workspace list' names those that are" ]]
	[[ $stderr == *"'01ARZ3NDEKTSV4RRFFQ69G5FAV' is kept; 'chock workspace list' names those that are" ]]
	for verb in diff apply adopt export; do
		run -100 --separate-stderr chock workspace "$verb"
		[ "$stderr" = "chock-workspace: $verb needs a SESSION; 'chock workspace list' names those that are kept" ]
	done
	run -100 --separate-stderr chock workspace clear
	[[ $stderr == *"needs a SESSION, which 'chock workspace list' names"* ]]
	run -100 chock workspace diff ../../x
	run -100 --separate-stderr chock workspace list --al
	[[ $stderr == *'did you mean --all?' ]]
	while read -r option words; do
		# shellcheck disable=SC2086
		run -100 --separate-stderr "$libexec/chock-kept" $words
		[ "$stderr" = "chock-kept: ${words%% *} takes no $option" ]
	done <<-'END'
		--all list --yes --all --after 5s
		--yes list --yes
		--after clear --all --after 5s
		--yes diff x --yes
		--yes sweep --yes
		--all apply x --all
	END
	run -100 --separate-stderr "$libexec/chock-kept" expire x
	[ "$stderr" = 'chock-kept: expire needs --after TIME' ]
	run -100 chock run --kept x -- true
	for words in --allow-dirty '--driver landlock' '--limit pids=9' \
		'--timeout 5s'; do
		# shellcheck disable=SC2086
		run -100 --separate-stderr chock run --kept x $words
		[[ $stderr == "chock-run: ${words%% *}: nothing is run with --kept" ]]
	done
	run -100 --separate-stderr chock workspace diff x --stat
	[ "$stderr" = "chock-workspace: no option --stat; see 'chock workspace --help'" ]
	run -100 --separate-stderr chock workspace list x
	[[ $stderr == 'usage: chock-workspace list'* ]]
	run -0 chock workspace list --help
	[[ $output == *"'chock help kept'"* ]]
	[[ $output != *expire* ]]
	run -0 chock workspace --help
	[ "${lines[0]}" = 'usage: chock-workspace list' ]
	run -100 --separate-stderr "$libexec/chock-kept" list x
	[[ $stderr == 'usage: chock-kept list'* ]]
}

@test "removes no workspace of which it cannot tell whether it is landing" {
	id=01ARZ3NDEKTSV4RRFFQ69G5FAV
	mkdir -p "$state/sessions/p"
	mkdir -m 700 "$state/sessions/p/$id"
	chmod 700 "$state" "$state/sessions" "$state/sessions/p"
	chmod 0 "$state/sessions/p/$id"
	limited() {
		if [ "$(id -u)" -eq 0 ]; then
			setpriv --bounding-set=-dac_override,-dac_read_search "$@"
		else
			"$@"
		fi
	}
	run ! --separate-stderr limited "$libexec/chock-kept" clear --yes "$id"
	[[ $stderr == *"cannot remove '"*"/$id': an apply was cut off"* ]]
	[ -d "$state/sessions/p/$id" ]
	chmod 700 "$state/sessions/p/$id"
	run -0 limited "$libexec/chock-kept" clear --yes "$id"
	[ ! -e "$state/sessions/p/$id" ]
}

@test "has a time that it is kept for, whenever the setting of it is cut off" {
	require trace
	id=01ARZ3NDEKTSV4RRFFQ69G5FAV
	mkdir -p "$state/sessions/p"
	mkdir -m 700 "$state/sessions/p/$id"
	chmod 700 "$state" "$state/sessions" "$state/sessions/p"
	time=$state/sessions/p/$id/expires
	for ((n = 1; ; n++)); do
		echo -n 4000000000 >"$time"
		run "$helpers/kill-at" "$n" -- \
			"$libexec/chock-kept" expire "$id" --after 5s
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		read -r kept <"$time" || [ -n "$kept" ]
		[ "${#kept}" -eq 10 ]
	done
	[ "$n" -gt 3 ]
	[ "$(<"$time")" -lt 4000000000 ]
}

@test "clears no more than a thousand named sessions at once, and says so" {
	mapfile -t many < <(seq -f '01ARZ3NDEKTSV4RRFFQ6%06.0f' 1001)
	run -100 --separate-stderr chock workspace clear --yes "${many[@]}"
	[ "$stderr" = 'chock-workspace: clear takes no more than 1000 sessions at once; --all is of all of them' ]
	run -100 --separate-stderr chock workspace clear --yes "${many[@]:1}"
	[[ $stderr == *"no workspace of a session '${many[1]}' is kept"* ]]
}
