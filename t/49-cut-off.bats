#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# An apply that is killed, before whichever call that changes a file, leaves the
# work in its workspace, and the next command makes the project what it was
# before or what it is afterwards, and says which
#
#	project/, w/     as they are when the apply begins, kept in saved/

load lib/chock
load lib/workspace

can_trace() {
	"$helpers/kill-at" 9999 -- true || [ $? -eq 251 ]
}

setup() {
	require userns trace
	project=$BATS_TEST_TMPDIR/project
	new_project "$project"
	printf '%s\n' {1..2000} >"$project/large"
	git -C "$project" add large
	git -C "$project" commit -q -m large
}

here() {
	git -C "$project" "$@"
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
		recovered=$("$workspace" recover --workspace "$w" | json .recovered)
		printf '%d: %s\n' "$n" "$recovered"
		whole
		if [ "$(here rev-parse main)" = "$(field onto)" ]; then
			tree | diff "$BATS_TEST_TMPDIR/tree" -
			[[ $recovered != *'had been finished' ]]
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
		run --separate-stderr "$workspace" apply --workspace "$w" \
			--to "$(field to)" --tree "$(field tree)" --onto "$(field onto)"
		printf '%d: %s\n' "$n" "$stderr"
		[ "$status" -eq 0 ]
		whole
		[ "$(here rev-parse main)" = "$(field to)" ]
		[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	done
}

# torn - as an apply leaves the project that was cut off between two files
torn() {
	begin
	work
	ask
	apply --no-integrate
	printf '{"from":"%s","to":"%s","work":"%s"}\n' "$(field onto)" \
		"$(field to)" "$(field to)" >"$w/journal"
	printf 'new\n' >"$project/new"
	printf 'chan' >"$project/file"
	: >"$project/.git/index.lock"
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
	[ "$(cat "$project/file")" = chan ]
}

@test "takes an apply that goes on for no dead one" {
	torn
	before "$project"
	run -111 --separate-stderr flock "$w/journal" "$workspace" recover --workspace "$w"
	[[ $stderr == *'an apply of it goes on' ]]
	unchanged "$project"
}

@test "removes no lock that may be of a git that runs" {
	torn
	rm "$project/.git/HEAD.lock" "$project/.git/refs/heads/main.lock"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	git -C "$project" hash-object --stdin <"$BATS_TEST_TMPDIR/fifo" >/dev/null &
	other=$!
	exec 5>"$BATS_TEST_TMPDIR/fifo"
	run -111 --separate-stderr "$workspace" recover --workspace "$w" 5>&-
	[[ $stderr == *"index.lock' may be of a git that runs; try again when it ended" ]]
	[ -e "$project/.git/index.lock" ]
	exec 5>&-
	wait "$other"
	"$workspace" recover --workspace "$w" >/dev/null
	whole
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
	printf '{"from":"x"}\n' >"$w/journal"
	run -100 "$workspace" recover --workspace "$w"
	[[ $output == *'is damaged' ]]
}

@test "is seen to by the next run in the project, which says so" {
	cd "$project"
	run -0 --separate-stderr setsid -w chock run -- sh -c \
		'echo changed >file; git commit -qam work' </dev/null
	kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	to=$(git -C "$kept/copy" rev-parse main)
	w=$kept
	ask
	apply --no-integrate
	printf '{"from":"%s","to":"%s","work":"%s"}\n' "$(field onto)" "$to" \
		"$to" >"$w/journal"
	printf 'chan' >file
	run -0 --separate-stderr setsid -w chock run -- cat file </dev/null
	[ "$output" = one ]
	[[ $stderr == *"session ${w##*/}: an apply that was cut off was undone"* ]]
	[ ! -e "$w/journal" ]
	grep -h '"kind":"workspace.recover"' "${w%/*}"/*.jsonl
	[ "$(cat file)" = one ]
}
