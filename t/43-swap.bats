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
	cd "$plain"
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
	cd "$BATS_TEST_TMPDIR"
}

# Everything is done to x at the top, and then to d/x.
@test "holds each act of a person against each of a session" {
	local where row person session expected became failed=0
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
				[ "$became" = "$expected" ] || {
					printf '%s: person %s, session %s: %s and not %s\n' \
						"$where" "$person" "$session" \
						"$became" "$expected"
					failed=1
				}
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
			[ "$became" = "$expected" ] || {
				printf 'person %s, session %s: %s and not %s\n' \
					"$person" "$session" "$became" "$expected"
				failed=1
			}
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
			[ "$became" = "$expected" ] || {
				printf 'person %s, session %s: %s and not %s\n' \
					"$person" "$session" "$became" "$expected"
				failed=1
			}
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
