#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# An apply that is killed, before whichever call that changes a file, leaves the
# work in its workspace, and the next command makes the project what it was
# before or what it is afterwards, and says which
#
#	project/, w/     as they are when the apply begins, kept in saved/

load lib/chock
load lib/workspace

setup() {
	require trace
	in_project
	printf '%s\n' {1..2000} >"$project/large"
	git -C "$project" add large
	git -C "$project" commit -q -m large
}

# tree - the files of the project, with names, modes and contents
tree() {
	(
		cd "$project" || exit
		find . -path ./.git -prune -o -printf '%P %y %m %l\n' | sort
		find . -path ./.git -prune -o -type f -print | sort | xargs sha256sum
	)
}

save() {
	mkdir -p "$BATS_TEST_TMPDIR/saved"
	cp -a "$project" "$w" "$BATS_TEST_TMPDIR/saved"
	tree >"$BATS_TEST_TMPDIR/tree"
}

restore() {
	rm -rf "$project" "$w"
	cp -a "$BATS_TEST_TMPDIR"/saved/. "$BATS_TEST_TMPDIR"
}

# cut N - apply, killed with all that it started before its Nth change
cut() {
	"$helpers/kill-at" "$1" all -- "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(field tree)" --onto "$(field onto)" \
		>"$BATS_TEST_TMPDIR/out" 2>&1
}

# locks_named - no lock of git's is left but those that were named: git had made
# one and nobody could note yet whose it is
locks_named() {
	find "$project/.git" -name '*.lock' >"$BATS_TEST_TMPDIR/locks"
	while read -r lock; do
		[[ $recovered == *"it is not known whose these locks are: "*"'$lock'"* ]]
		rm "$lock"
	done <"$BATS_TEST_TMPDIR/locks"
	[ -z "$(find "$project/.git" -maxdepth 1 -name 'chock-*')" ]
}

# whole - the project is as before or as after, with no lock of git's left
whole() {
	run -0 find "$project/.git" -name '*.lock'
	[ -z "$output" ]
	[ -z "$(here status --porcelain)" ]
	[ "$(here rev-parse main)" = "$(field onto)" ] ||
		[ "$(here rev-parse 'main^{tree}')" = "$(field tree)" ]
	[ "$(here write-tree)" = "$(here rev-parse 'main^{tree}')" ]
	here fsck --strict
}

# kept_first - nothing of the project moved before the work was at its reference
kept_first() {
	[ "$(here rev-parse -q --verify refs/chock/s1)" != "$(field to)" ] ||
		return 0
	tree | diff "$BATS_TEST_TMPDIR/tree" -
	[ "$(here rev-parse main)" = "$(field onto)" ]
}

more_work() {
	work
	seq 2000 -1 1 >"$copy/large"
	rm -r "$copy/dir"
	ln -s file "$copy/dir"
	mkdir -p "$copy/deep/er"
	printf 'x\n' >"$copy/deep/er/x"
	copy_git add -A
	copy_git commit -q -m more
}

# each_cut FIRST STEP - from its FIRST change on, each STEPth of them; with
# CHOCK_CUT_STEP=1 it is every one, which takes minutes
each_cut() {
	local n=$1 status=0 done=0
	while :; do
		restore
		status=0
		cut "$n" || status=$?
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		done=$((done + 1))
		kept_first
		recovered=$("$workspace" recover --workspace "$w" | json .recovered)
		printf '%d: %s\n' "$n" "$recovered"
		locks_named
		whole
		if [ "$(here rev-parse main)" = "$(field onto)" ]; then
			tree | diff "$BATS_TEST_TMPDIR/tree" -
			[[ $recovered != *'had been finished'* ]]
		else
			[[ $recovered == *'had been finished' || $recovered == 'there was nothing to do' ]]
		fi
		n=$((n + $2))
	done
	[ "$done" -gt 5 ]
}

@test "is undone or was finished, whichever change it was cut off before" {
	begin
	more_work
	ask
	save
	each_cut 1 "${CHOCK_CUT_STEP-7}"
}

@test "is undone or was finished where the branch had moved, too" {
	begin
	more_work
	printf 'mine\n' >"$project/mine"
	here add mine
	here commit -q -m mine
	ask
	save
	each_cut 2 "${CHOCK_CUT_STEP-13}"
}

apply_again() {
	run -0 --separate-stderr "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(field tree)" --onto "$(field onto)"
}

@test "lands when it is applied again, and says what became of the first" {
	begin
	more_work
	ask
	save
	for ((n = 1; ; n += 25)); do
		restore
		status=0
		cut "$n" || status=$?
		[ "$status" -ne 251 ] || break
		apply_again
		printf '%d: %s\n' "$n" "$stderr"
		recovered=$stderr
		locks_named
		# It waits as long as there is one.
		[ ! -s "$BATS_TEST_TMPDIR/locks" ] || apply_again
		whole
		[ "$(here rev-parse main)" = "$(field to)" ]
		[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	done
	[ "$n" -gt 100 ]
}

# side - a commit of the session on two branches more
side() {
	copy_git checkout -q -b side
	printf 'side\n' >"$copy/side"
	copy_git add side
	copy_git commit -q -m side
	copy_git branch more
	copy_git checkout -q main
}

# cut_also N ARGUMENT... - as cut, with the other branches
cut_also() {
	"$helpers/kill-at" "$1" all -- "$workspace" apply --workspace "$w" \
		--also "$(field also_id)" "${@:2}" >"$BATS_TEST_TMPDIR/out" 2>&1
}

# each_cut_also STEP ARGUMENT... - what is beside the branch can be kept after
# each, and no lock of it is in the way
each_cut_also() {
	local n=1 status=0
	locks=0
	while :; do
		restore
		status=0
		cut_also "$n" "${@:2}" || status=$?
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		locks=$((locks + $(find "$project/.git/refs" -path '*chock-also*.lock' | wc -l)))
		recovered=$("$workspace" recover --workspace "$w" | json .recovered)
		printf '%d: %s\n' "$n" "$recovered"
		[ -z "$(find "$project/.git/refs" -path '*chock-also*.lock')" ]
		locks_named
		run -0 find "$project/.git" -name '*.lock'
		[ -z "$output" ]
		[ -z "$(here status --porcelain)" ]
		here fsck --strict
		"$workspace" apply --workspace "$w" --also "$(field also_id)" \
			"${@:2}" >/dev/null
		[ "$(here show refs/chock-also/s1/heads/side:side)" = side ]
		[ "$(here show refs/chock-also/s1/heads/more:side)" = side ]
		n=$((n + $1))
	done
	[ "$n" -gt 20 ]
}

@test "leaves no lock of another branch that it was to keep, wherever it was cut off" {
	begin
	side
	ask
	save
	each_cut_also "${CHOCK_CUT_STEP-3}"
	[ "$locks" -gt 0 ]
}

@test "leaves none either where the work lands with it" {
	begin
	more_work
	side
	ask
	save
	each_cut_also "${CHOCK_CUT_STEP-29}" --to "$(field to)" \
		--tree "$(field tree)" --onto "$(field onto)"
}

@test "removes locks of other branches that are its own, and names an older one" {
	begin
	side
	ask
	heads=$project/.git/refs/chock-also/s1/heads
	mkdir -p "$heads"
	: >"$heads/older.lock"
	touch -d '1 hour ago' "$heads/older.lock"
	printf '{"also":true}\n' >"$w/journal"
	: >"$heads/side.lock"
	mkdir "$heads/a.lock"
	: >"$heads/a.lock/x"
	run -111 --separate-stderr "$workspace" clear --workspace "$w"
	[[ $stderr == *'an apply goes on or was cut off'* ]]
	recovered=$("$workspace" recover --workspace "$w" | json .recovered)
	[[ $recovered == "an apply of other branches and tags was cut off; it is not known whose these locks are: '"*/older.lock\' ]]
	[ -e "$heads/older.lock" ]
	[ -e "$heads/a.lock/x" ]
	[ ! -e "$heads/side.lock" ]
	[ ! -e "$w/journal" ]
	rm -r "$heads/a.lock"
	run -0 "$workspace" apply --workspace "$w" --also "$(field also_id)"
}

@test "keeps other branches beside no other apply of the workspace" {
	begin
	side
	ask
	printf '{"also":true}\n' >"$w/journal"
	before "$project"
	run -111 --separate-stderr flock "$w/journal" "$workspace" apply \
		--workspace "$w" --also "$(field also_id)"
	[[ $stderr == *'an apply of it goes on' ]]
	unchanged "$project"
}

# journal - as an apply writes it that is about to touch the first file
journal() {
	printf '{"from":"%s","to":"%s","work":"%s"}\n%s\n' "$(field onto)" \
		"$(field to)" "$(field to)" \
		'{"files":true,"head_lock":"","branch_lock":""}' >"$w/journal"
}

# torn - as an apply leaves the project that was cut off between two files
torn() {
	begin
	work
	ask
	apply --no-integrate
	journal
	printf 'changed\n' >"$project/file"
	printf 'ne' >"$project/new"
	printf 'chock s1\n' >"$project/.git/index.lock"
	: >"$project/.git/HEAD.lock"
	printf '%s\n' "$(field to)" >"$project/.git/refs/heads/main.lock"
}

@test "puts back a file that was half written, and removes its own locks" {
	torn
	[ "$("$workspace" recover --workspace "$w" | json .recovered)" = \
		'an apply that was cut off was undone' ]
	[ ! -e "$w/journal" ]
	[ "$(cat "$project/file")" = one ]
	[ ! -e "$project/new" ]
	whole
	[ "$("$workspace" recover --workspace "$w" | json .recovered)" = \
		'there was nothing to do' ]
}

@test "leaves a file that somebody changed since, and names it" {
	torn
	printf 'precious\n' >"$project/file"
	printf 'new\n' >"$project/new"
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *', but for 1 file that somebody changed since: file' ]]
	[ "$(cat "$project/file")" = precious ]
	[ ! -e "$project/new" ]
}

@test "leaves the files alone if the branch moved since" {
	torn
	rm "$project"/.git/{index,HEAD}.lock "$project/.git/refs/heads/main.lock"
	here commit -q --allow-empty -m since
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *'the files are left as they are' ]]
	[ "$(cat "$project/file")" = changed ]
	[ "$(cat "$project/new")" = ne ]
}

@test "takes an apply that goes on for no dead one" {
	torn
	before "$project"
	run -1 --separate-stderr flock "$w/journal" "$workspace" recover --workspace "$w"
	[ -z "$output" ]
	[[ $stderr == *'an apply of it goes on' ]]
	unchanged "$project"
}

@test "removes no lock that is not known to be its own" {
	torn
	: >"$project/.git/index.lock"
	run -111 --separate-stderr "$workspace" recover --workspace "$w"
	[[ $stderr == *"another git has locked '"*"index.lock'" ]]
	[ -e "$project/.git/index.lock" ]
	[ "$(cat "$project/new")" = ne ]
	rm "$project/.git/index.lock"
	: >"$project/.git/HEAD.lock"
	: >"$project/.git/refs/heads/main.lock"
	recovered=$("$workspace" recover --workspace "$w" | json .recovered)
	[[ $recovered == *"was undone; it is not known whose these locks are: '"*"HEAD.lock', '"*"main.lock'" ]]
	rm "$project/.git/HEAD.lock" "$project/.git/refs/heads/main.lock"
	whole
}

@test "takes only the one file that it may have been writing for half of its own" {
	torn
	# Shorter by somebody else's hand: written before, or with later ones done.
	printf 'chan' >"$project/file"
	printf 'new\n' >"$project/new"
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *', but for 1 file that somebody changed since: file' ]]
	[ "$(cat "$project/file")" = chan ]
	[ ! -e "$project/new" ]
	here checkout -q file
	journal
	printf 'ne' >"$project/new"
	touch -d '1 hour ago' "$project/new"
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *'somebody changed since: new' ]]
	[ "$(cat "$project/new")" = ne ]
}

@test "follows no link that is a parent, and leaves what is in its place" {
	begin
	work
	printf 'x\n' >"$copy/dir/added"
	printf 'changed\n' >"$copy/dir/other"
	copy_git add -A
	copy_git commit -q -m dir
	ask
	apply --no-integrate
	journal
	mkdir "$BATS_TEST_TMPDIR/outside"
	printf 'x\n' >"$BATS_TEST_TMPDIR/outside/added"
	printf 'changed\n' >"$BATS_TEST_TMPDIR/outside/other"
	rm -r "$project/dir"
	ln -s "$BATS_TEST_TMPDIR/outside" "$project/dir"
	before "$BATS_TEST_TMPDIR/outside"
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *'somebody changed since: dir/other' ]]
	unchanged "$BATS_TEST_TMPDIR/outside"
	[ -L "$project/dir" ]
}

@test "deletes no directory in the place of a file, and resets no index of a person" {
	torn
	rm "$project/file"
	mkdir "$project/file"
	printf 'mine\n' >"$project/file/mine"
	printf 'staged\n' >"$project/staged"
	rm "$project/.git/index.lock"
	here add staged
	index=$(here ls-files --stage)
	run -0 "$workspace" recover --workspace "$w"
	[[ $(json .recovered <<<"$output") == *'somebody changed since: file, and the index, too' ]]
	[ "$(cat "$project/file/mine")" = mine ]
	[ "$(here ls-files --stage)" = "$index" ]
}

@test "touches nothing of a person's after an apply that only parks" {
	begin
	work
	ask
	printf 'staged\n' >"$project/staged"
	here add staged
	: >"$project/new"
	rm "$project/run"
	mkdir "$project/run"
	printf 'mine\n' >"$project/run/mine"
	save
	index=$(here ls-files --stage)
	n=1 done=0
	while :; do
		restore
		status=0
		cut "$n" || status=$?
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		done=$((done + 1))
		recovered=$("$workspace" recover --workspace "$w" | json .recovered)
		printf '%d: %s\n' "$n" "$recovered"
		[[ $recovered != *undone* ]]
		[ "$(here ls-files --stage)" = "$index" ]
		tree | diff "$BATS_TEST_TMPDIR/tree" -
		locks_named
		n=$((n + ${CHOCK_CUT_STEP-7}))
	done
	[ "$done" -gt 5 ]
	[ ! -e "$w/journal" ]
}

@test "puts all back, or keeps the journal, where git fails in the middle" {
	begin
	more_work
	head -c 1000000 /dev/zero >"$copy/zero"
	copy_git add zero
	copy_git commit -q -m zero
	ask
	save
	# Larger than a file may be: git fails after the files before it.
	run -111 --separate-stderr bash -c 'ulimit -f 64; trap "" XFSZ; exec "$@"' - \
		"$workspace" apply --workspace "$w" --to "$(field to)" \
		--tree "$(field tree)" --onto "$(field onto)"
	[[ $stderr == *'files were changed and cannot be put back'*'chock workspace recover'* ]]
	[ -e "$w/journal" ]
	[ "$(here rev-parse main)" = "$(field onto)" ]
	run -111 --separate-stderr "$workspace" clear --workspace "$w"
	[[ $stderr == *'an apply goes on or was cut off'* ]]
	[ -e "$copy" ]
	recovered=$("$workspace" recover --workspace "$w" | json .recovered)
	[ "$recovered" = 'an apply that was cut off was undone' ]
	whole
	tree | diff "$BATS_TEST_TMPDIR/tree" -
	# Where it can, it puts all back by itself.
	restore
	if [ "$(id -u)" -ne 0 ]; then
		chmod a-w "$project/dir"
		apply
		chmod u+w "$project/dir"
		[ "$(json .landed <<<"$applied")" = false ]
		[ ! -e "$w/journal" ]
		whole
		tree | diff "$BATS_TEST_TMPDIR/tree" -
	fi
	"$workspace" clear --workspace "$w" >/dev/null
	[ ! -e "$w" ]
}

@test "takes a journal that is not whole for one of an apply that had not begun" {
	begin
	work
	ask
	for text in '' '{"from":' '{}'; do
		printf '%s' "$text" >"$w/journal"
		before "$project"
		run -0 "$workspace" recover --workspace "$w"
		[ "$(json .recovered <<<"$output")" = 'an apply was cut off before it began' ]
		unchanged "$project"
	done
	for text in '{"from":"x"}' '{' 'x'; do
		printf '%s\n' "$text" >"$w/journal"
		run -100 "$workspace" recover --workspace "$w"
		[[ $output == *'is damaged' ]]
	done
}

# torn_session - the same of a session of chock run; its workspace is $w
torn_session() {
	run -0 --separate-stderr setsid -w chock run -- sh -c \
		'echo changed >file; git commit -qam work' </dev/null
	w=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	ask
	apply --no-integrate
	journal
	printf 'chan' >file
}

@test "keeps no other session from its work while it goes on" {
	cd "$project"
	torn_session
	run -0 --separate-stderr flock "$w/journal" \
		setsid -w chock run -- cat file </dev/null
	[ "$output" = one ]
	[[ $stderr == *"session ${w##*/} applies its work at this moment; this one may begin without it"* ]]
	[ -e "$w/journal" ]
	[ "$(cat file)" = chan ]
}

@test "is seen to by the next run in the project, which says so" {
	cd "$project"
	torn_session
	[[ $(chock workspace list) == *'; an apply was cut off'* ]]
	run -111 --separate-stderr chock workspace clear "${w##*/}" --yes
	[[ $stderr == *'an apply was cut off'* ]]
	[ -e "$w/journal" ]
	run -0 --separate-stderr setsid -w chock run -- cat file </dev/null
	[ "$output" = one ]
	[[ $stderr == *"session ${w##*/}: an apply that was cut off was undone"* ]]
	[ ! -e "$w/journal" ]
	grep -h '"kind":"workspace.recover"' "${w%/*}"/*.jsonl
	[ "$(cat file)" = one ]
}

# A pending one ends it afterwards, which is as it should be.
@test "moves files and branch together, whichever signal comes between" {
	begin
	work
	ask
	save
	for signal in INT TERM HUP QUIT USR1; do
		restore
		cat >"$BATS_TEST_TMPDIR/signal" <<-EOF
			#!/bin/sh
			[ -e '$w/journal' ] || exit 0
			[ "\$(wc -l <'$w/journal')" -ge 2 ] || exit 0
			for pid in \$(pgrep -P "\$PPID"); do
				[ "\$pid" = "\$\$" ] || kill -$signal "\$pid"
			done
			: >'$BATS_TEST_TMPDIR/sent-$signal'
		EOF
		chmod +x "$BATS_TEST_TMPDIR/signal"
		status=0
		"$helpers/kill-at" before "$BATS_TEST_TMPDIR/signal" -- \
			"$workspace" apply --workspace "$w" --to "$(field to)" \
			--tree "$(field tree)" --onto "$(field onto)" || status=$?
		printf '%s: %s\n' "$signal" "$status"
		[ "$status" -eq 255 ]
		[ -e "$BATS_TEST_TMPDIR/sent-$signal" ]
		"$workspace" recover --workspace "$w"
		whole
		[ "$(here rev-parse main)" = "$(field to)" ]
	done
}
