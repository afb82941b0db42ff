#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What a person and a session do to one name does not get lost on either side,
# and what is put in the place of a directory while an apply goes on does not
# lead it out of the project
#
#	plain/     x and d/x, or not, as each pair needs them
#	w/         a workspace of it

load lib/chock
load lib/project

setup() {
	require userns landlock overlay
	plain=$BATS_TEST_TMPDIR/plain
	overlay=$libexec/chock-overlay
	w=$BATS_TEST_TMPDIR/w
}

# session SCRIPT - run it over the directory, with layers in w
session() {
	rm -rf "$w"
	"$overlay" create -s monday -w "$w" "$plain" >/dev/null
	chock-spawn -p base --cow "$plain" --layers "$w/layers" \
		--chdir "$plain" -- sh -ec "$1"
}

# seen - all that is there: kinds, modes, links and contents
seen() {
	(
		cd "$plain" || exit
		find . -mindepth 1 -printf '%P %y %m %l\n' | sort
		find . -type f -exec sha256sum {} + | sort -k 2
	)
}

# pair THERE PERSON SESSION - what becomes of it: the word in $became, which is
# parked, lands or nothing
#
# d is touched by the person in any case, so that its time alone tells nothing.
pair() {
	local there=$1 person=$2 session=$3 status=0 mine
	rm -rf "$plain"
	mkdir -p "$plain/d"
	cd "$plain" || return
	sh -ec "$there"
	session "$session"
	: >"$plain/d/other"
	: >"$plain/other"
	sh -ec "$person"
	mine=$(seen)
	question=$("$overlay" question -w "$w") || status=$?
	[ "$(seen)" = "$mine" ]
	case $(json .effect.landing <<<"${question##*$'\n'}") in
	parked)
		[ "$status" -eq 1 ]
		became=parked
		[[ $(json .effect.obstacle <<<"$question") == "changed underneath since the session began: '"* ]]
		;;
	files)
		[ "$status" -eq 0 ]
		became=lands
		"$overlay" apply -w "$w" --tree "$(json .effect.tree \
			<<<"${question##*$'\n'}")" >"$BATS_TEST_TMPDIR/applied"
		[ "$(json .landed <"$BATS_TEST_TMPDIR/applied")" = true ]
		;;
	*)
		[ "$status" -eq 1 ]
		[ "$(json .effect.file_count <<<"$question")" -eq 0 ]
		became=nothing
		;;
	esac
	cd "$BATS_TEST_TMPDIR" || return
}

# came_to EXPECTED WHOSE - whether the last pair did; if not, says so and sets
# failed
came_to() {
	[ "$became" != "$1" ] || return 0
	printf '%s: %s and not %s\n' "$2" "$became" "$1"
	failed=1
}

# Everything is done to x at the top, and then to d/x.
@test "holds each act of a person against each of a session" {
	local where person session expected became failed=0
	declare -A persons=(
		[nothing]=:
		[removes]='rm X'
		[changes]='echo mine >X'
		[touches]='touch X'
		[replaces]='echo mine >t; mv t X'
		[dir]='rm X; mkdir X; echo mine >X/in'
		[link]='rm X; ln -s other X'
		[fifo]='rm X; mkfifo X'
		[moves]='mv X X.away'
	)
	declare -A sessions=(
		[removes]='rm X'
		[changes]='echo theirs >X'
		[replaces]='echo theirs >t; mv t X'
		[dir]='rm X; mkdir X; echo theirs >X/in'
		[link]='rm X; ln -s nowhere X'
		[moves]='mv X X.moved'
	)
	for where in x d/x; do
		for person in "${!persons[@]}"; do
			for session in "${!sessions[@]}"; do
				expected=parked
				[ "$person" != nothing ] || expected=lands
				# Both are of one mind, or of what is moved only
				# the new name is left.
				case $person,$session in
				removes,removes) expected=nothing ;;
				moves,removes) expected=nothing ;;
				removes,moves | moves,moves) expected=lands ;;
				esac
				pair "echo old >$where" \
					"${persons[$person]//X/$where}" \
					"${sessions[$session]//X/$where}"
				came_to "$expected" "$where: person $person, session $session"
			done
		done
	done
	[ "$failed" -eq 0 ]
}

@test "holds what a person makes against what a session makes of that name" {
	local person session expected failed=0
	declare -A made=(
		[file]='echo WHO >x'
		[dir]='mkdir x; echo WHO >x/WHO'
		[link]='ln -s WHO x'
		[fifo]='mkfifo x'
	)
	for person in "${!made[@]}"; do
		for session in "${!made[@]}"; do
			expected=parked
			# Two directories are one with the files of both, and
			# what cannot land is in nobody's way.
			[ "$person,$session" != dir,dir ] || expected=lands
			[ "$session" != fifo ] || expected=parked
			[ "$person,$session" != fifo,fifo ] || expected=nothing
			pair : "${made[$person]//WHO/mine}" \
				"${made[$session]//WHO/theirs}"
			came_to "$expected" "person $person, session $session"
		done
	done
	[ "$failed" -eq 0 ]
	pair : 'mkdir x; echo 1 >x/mine' 'mkdir x; echo 2 >x/theirs'
	[ "$(cat "$plain/x/mine" "$plain/x/theirs")" = $'1\n2' ]
}

@test "holds acts on a whole directory against each other" {
	local person session expected failed=0
	declare -A persons=(
		[nothing]=:
		[removes]='rm -r x'
		[moves]='mv x away'
		[file]='rm -r x; echo mine >x'
		[link]='rm -r x; ln -s d x'
		[anew]='rm -r x; mkdir x; echo mine >x/in'
		[adds]='echo mine >x/more'
		[changes]='echo mine >x/in'
	)
	declare -A sessions=(
		[removes]='rm -r x'
		[file]='rm -r x; echo theirs >x'
		[anew]='rm -r x; mkdir x; echo theirs >x/in'
		[adds]='echo theirs >x/new'
		[changes]='echo theirs >x/in'
		[swaps]='echo theirs >t; mv t x/in'
	)
	for person in "${!persons[@]}"; do
		for session in "${!sessions[@]}"; do
			expected=parked
			case $person,$session in
			nothing,*) expected=lands ;;
			removes,removes | moves,removes) expected=nothing ;;
			# Neither looked at the other's file.
			adds,adds | adds,changes | adds,swaps) expected=lands ;;
			changes,adds | anew,adds) expected=lands ;;
			esac
			pair 'mkdir x; echo old >x/in; echo old >x/in2' \
				"${persons[$person]}" "${sessions[$session]}"
			came_to "$expected" "person $person, session $session"
		done
	done
	[ "$failed" -eq 0 ]
}

@test "takes nothing for new where it is not known what was there" {
	pair : : 'echo theirs >x'
	[ "$became" = lands ]
	rm -rf "$plain"
	mkdir "$plain"
	session 'echo theirs >x'
	: >"$plain/other"
	rm "$w/names"
	run -1 "$overlay" question -w "$w"
	[[ $(json .effect.obstacle <<<"$output") == "changed underneath since the session began: 'x'" ]]
	printf 'other' >"$w/names"
	run -1 "$overlay" question -w "$w"
	[[ $(json .effect.obstacle <<<"$output") == *"'x'" ]]
	printf 'other\0' >"$w/names"
	run -0 "$overlay" question -w "$w"
}

# ---- a directory that becomes a link while an apply goes on -------------

# swapping CONDITION DIR - a program that puts a link to outside/ in the place
# of DIR once, as soon as CONDITION holds
swapping() {
	outside=$BATS_TEST_TMPDIR/outside
	mkdir -p "$outside"
	echo theirs >"$outside/kept"
	cat >"$BATS_TEST_TMPDIR/swap" <<-END
		#!/bin/sh
		[ ! -e '$BATS_TEST_TMPDIR/swapped' ] || exit 0
		$1 || exit 0
		mv '$2' '$BATS_TEST_TMPDIR/away' && ln -s '$outside' '$2' &&
			: >'$BATS_TEST_TMPDIR/swapped'
	END
	chmod +x "$BATS_TEST_TMPDIR/swap"
	manifest "$outside" >"$BATS_TEST_TMPDIR/outside.before"
}

# swapped - it was put there, and nothing was written through it
swapped() {
	[ -e "$BATS_TEST_TMPDIR/swapped" ]
	manifest "$outside" >"$BATS_TEST_TMPDIR/outside.after"
	diff "$BATS_TEST_TMPDIR/outside.before" "$BATS_TEST_TMPDIR/outside.after"
}

# in_git - a project and a session that changes, makes and removes files in d
in_git() {
	load lib/workspace
	project=$BATS_TEST_TMPDIR/project
	new_project "$project"
	mkdir -p "$project/d/e"
	echo old | tee "$project/d/f" "$project/d/gone" >"$project/d/e/f"
	here add .
	here commit -q -m d
	begin
	echo new | tee "$copy/d/f" "$copy/d/new" >"$copy/d/e/f"
	rm "$copy/d/gone"
	copy_git add -A
	copy_git commit -q -m work
	ask
}

# apply_swapping CONDITION - apply, with d swapped as soon as it holds
apply_swapping() {
	swapping "$1" "$project/d"
	run --separate-stderr "$helpers/kill-at" before \
		"$BATS_TEST_TMPDIR/swap" -- "$workspace" apply \
		--workspace "$w" --to "$(field to)" --tree "$(field tree)" \
		--onto "$(field onto)" --landing fast-forward
}

# git unlinks a file that changes and then makes it anew.
@test "writes nothing outside of a git project where a directory becomes a link" {
	require landlock trace
	in_git
	apply_swapping "[ ! -e '$project/d/f' ]"
	swapped
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(here rev-parse main)" = "$(field from)" ]
	# Some of it was moved away as it was to be; it is not lost track of.
	[[ $stderr == *"files were changed and cannot be put back: "*"'chock workspace recover -w $w' goes on with it" ]]
	rm "$project/d"
	mv "$BATS_TEST_TMPDIR/away" "$project/d"
	run -0 "$workspace" recover --workspace "$w"
	[ "$(json .recovered <<<"$output")" = 'an apply that was cut off was undone' ]
	[ -z "$(here status --porcelain)" ]
	[ "$(cat "$project/d/e/f" "$project/d/f" "$project/d/gone")" = $'old\nold\nold' ]
}

@test "removes nothing outside of a git project where a directory becomes a link" {
	require landlock trace
	in_git
	mkdir -p "$BATS_TEST_TMPDIR/outside/e"
	echo theirs | tee "$BATS_TEST_TMPDIR/outside/gone" \
		"$BATS_TEST_TMPDIR/outside/f" >"$BATS_TEST_TMPDIR/outside/e/f"
	apply_swapping "[ -e '$project/.git/index.lock' ]"
	swapped
	[ "$(here rev-parse main)" = "$(field from)" ]
	[ "$(cat "$BATS_TEST_TMPDIR/away/gone")" = old ]
}

@test "would have written there, had git been let" {
	require landlock trace
	in_git
	swapping "[ ! -e '$project/d/f' ]" "$project/d"
	"$helpers/kill-at" before "$BATS_TEST_TMPDIR/swap" -- \
		git -C "$project" fetch -q "$copy" main 2>/dev/null || :
	GIT_ALTERNATE_OBJECT_DIRECTORIES=$copy/.git/objects \
		"$helpers/kill-at" before "$BATS_TEST_TMPDIR/swap" -- \
		git -C "$project" read-tree -m -u main "$(field to)"
	[ -e "$BATS_TEST_TMPDIR/swapped" ]
	[ "$(cat "$outside/f")" = new ]
}

@test "goes through no link that becomes a directory's while files land" {
	require trace
	for when in '[ -e "$plain/.chock-cow/journal" ]' \
		'[ -e "$plain/.chock-cow/old-0" ]' \
		'[ -e "$plain/.chock-cow/new-1" ]'; do
		cd "$BATS_TEST_TMPDIR"
		rm -rf "$plain" swapped away outside again
		mkdir -p "$plain/d"
		echo old | tee "$plain/d/f" "$plain/d/gone" >"$plain/a"
		session 'echo new | tee a d/f >d/new; rm d/gone'
		question=$("$overlay" question -w "$w" | tail -n 1)
		export plain
		swapping "$when" "$plain/d"
		echo theirs | tee outside/f >outside/gone
		manifest outside >outside.before
		run --separate-stderr "$helpers/kill-at" before \
			"$BATS_TEST_TMPDIR/swap" -- "$overlay" apply -w "$w" \
			--tree "$(json .effect.tree <<<"$question")"
		swapped
		[[ $output != *'"landed":true'* ]]
		# Put back where it was, all of it is old or can be made new.
		rm "$plain/d"
		mv away "$plain/d"
		if [ -e "$plain/.chock-cow" ]; then
			[[ $stderr == *'is not finished, and another one goes on with it'* ]]
			"$overlay" apply -w "$w" --tree begun >again
		fi
		if [ -e again ] && [ "$(json .landed <again)" = true ]; then
			[ "$(cat "$plain/a" "$plain/d/f" "$plain/d/new")" = $'new\nnew\nnew' ]
			[ ! -e "$plain/d/gone" ]
		else
			[ "$(cat "$plain/a" "$plain/d/f" "$plain/d/gone")" = $'old\nold\nold' ]
			[ ! -e "$plain/d/new" ]
		fi
		[ ! -e "$plain/.chock-cow" ]
	done
}

# ---- what is no file ----------------------------------------------------

# special DIR - one of each kind of what is neither file, directory nor link
special() {
	mkfifo "$1/fifo"
	perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die;
		bind(S, pack_sockaddr_un($ARGV[0])) or die' "$1/sock"
	[ "$(id -u)" -ne 0 ] || {
		mknod "$1/null" c 1 3
		mknod "$1/block" b 7 200
	}
}

@test "waits for nothing that a session left in a layer, and lands none of it" {
	rm -rf "$plain"
	mkdir -p "$plain/d"
	echo old >"$plain/f"
	cd "$plain" || return
	session 'echo new >f; mkdir new; echo new >new/file; echo new >d/x'
	special "$w/layers/upper"
	special "$w/layers/upper/new"
	special "$w/layers/upper/d"
	count=$(find "$w/layers/upper" -type p -o -type s -o -type c -o -type b |
		wc -l)
	run -0 timeout 20 "$overlay" question -w "$w"
	question=${output##*$'\n'}
	[ "$(json .effect.left_count <<<"$question")" -eq "$count" ]
	[[ $(json '.effect.left | join(",")' <<<"$question") == *'d/fifo: a FIFO'*'d/sock: a socket'* ]]
	run -0 timeout 20 "$overlay" apply -w "$w" \
		--tree "$(json .effect.tree <<<"$question")"
	[ "$(json .landed <<<"$output")" = true ]
	[ "$(cat f new/file d/x)" = $'new\nnew\nnew' ]
	[ -z "$(find "$plain" ! -type f ! -type d)" ]
	mkdir "$BATS_TEST_TMPDIR/out"
	timeout 20 "$overlay" export -w "$w" | tar -x -C "$BATS_TEST_TMPDIR/out"
	[ -z "$(find "$BATS_TEST_TMPDIR/out" ! -type f ! -type d)" ]
}

@test "takes what is no file in the place of one for its removal" {
	for kind in fifo sock null; do
		rm -rf "$plain" "$BATS_TEST_TMPDIR/kinds"
		mkdir -p "$plain" "$BATS_TEST_TMPDIR/kinds"
		echo old >"$plain/f"
		session 'echo new >f'
		special "$BATS_TEST_TMPDIR/kinds"
		[ -e "$BATS_TEST_TMPDIR/kinds/$kind" ] || continue
		mv -f "$BATS_TEST_TMPDIR/kinds/$kind" "$w/layers/upper/f"
		run -0 timeout 20 "$overlay" question -w "$w"
		question=${output##*$'\n'}
		[ "$(json '.effect.files[] | "\(.status) \(.path)"' <<<"$question")" = 'D f' ]
		run -0 timeout 20 "$overlay" apply -w "$w" \
			--tree "$(json .effect.tree <<<"$question")"
		[ ! -e "$plain/f" ]
		[ ! -L "$plain/f" ]
	done
}

@test "waits for nothing in the copy of a git project that is no file" {
	in_git
	rm "$copy/d/f"
	special "$copy/d"
	mv "$copy/d/fifo" "$copy/d/f"
	mkdir "$copy/more"
	special "$copy/more"
	run -0 --separate-stderr timeout 20 "$workspace" question --workspace "$w"
	question=${output##*$'\n'}
	[ "$(field commits)" -eq 1 ]
	[ "$(field uncommitted)" -ge 1 ]
	# git has no form for a FIFO in the place of a file.
	run -0 --separate-stderr timeout 20 "$workspace" diff --workspace "$w" --stat
	[[ $stderr == *"'d/f'"* ]]
	mkdir "$BATS_TEST_TMPDIR/out"
	timeout 20 "$workspace" export --workspace "$w" 2>/dev/null |
		tar -x -C "$BATS_TEST_TMPDIR/out"
	[ -z "$(find "$BATS_TEST_TMPDIR/out" ! -type f ! -type d)" ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ -z "$(find "$project" -path "$project/.git" -prune -o ! -type f ! -type d -print)" ]
	[ "$(cat "$project/d/f")" = new ]
}
