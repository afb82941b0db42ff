#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What a session committed on branches and tags beside the one that comes back
# is kept in the project as well, after the same yes, and lands nowhere
#
#	project/   on branch main, clean
#	w/copy/    with a branch and tags more, made by the test as the sandbox would

load lib/chock
load lib/workspace

setup() {
	in_project
	begin
}

# side [NAME] - a commit on the new branch NAME, without anything on main
side() {
	copy_git checkout -q -b "${1-side}"
	printf '%s\n' "${1-side}" >"$copy/of-${1-side}"
	copy_git add -A
	copy_git commit -q -m "on ${1-side}"
	copy_git checkout -q main
}

# beside - what the question says is kept beside the branch
beside() {
	jq -r '.effect.also[] | "\(.name) \(.object)"' <<<"$question"
}

# only - apply what is beside, and nothing else
only() {
	applied=$("$workspace" apply --workspace "$w" \
		--also "$(field also_id)")
}

@test "keeps other branches and tags beside the work, and moves none of the project's" {
	side
	work
	copy_git tag light
	copy_git tag -a -m 'a note' noted side
	before "$project"
	ask
	unchanged "$project"
	[ "$(beside | cut -d ' ' -f 1)" = $'heads/side\ntags/light\ntags/noted' ]
	[ "$(beside | head -n 1)" = "heads/side $(copy_git rev-parse side)" ]
	[ "$(field other_count)" -eq 0 ]
	[[ $(field detail) == *"kept as refs/chock-also/s1/, and not looked through for policy files, files that run later on the host, or large ones:
  heads/side at $(copy_git rev-parse side | cut -c -10): on side
  tags/light at "*": the work
  tags/noted at "*": on side"* ]]
	[[ $(field summary) == 'apply 1 commit, 3 files to main, keep 3 other branches or tags' ]]
	apply --also "$(field also_id)"
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(json '.also | join(" ")' <<<"$applied")" = 'refs/chock-also/s1/heads/side refs/chock-also/s1/tags/light refs/chock-also/s1/tags/noted' ]
	[ "$(here show refs/chock-also/s1/heads/side:of-side)" = side ]
	[ "$(here cat-file -t refs/chock-also/s1/tags/noted)" = tag ]
	[ "$(here for-each-ref --format='%(refname)' refs/heads refs/tags)" = refs/heads/main ]
	[ ! -e "$project/of-side" ]
	here fsck --strict --no-dangling
	here merge -q -m both refs/chock-also/s1/heads/side
	[ "$(cat "$project/of-side" "$project/new")" = $'side\nnew' ]
}

@test "keeps them where nothing is on the branch, and touches no file and no index" {
	side
	before "$project"
	ask
	unchanged "$project"
	[ "$(field commits)" -eq 0 ]
	[ "$(field action)" = workspace.apply ]
	[ "$(field summary)" = 'keep 1 other branch or tag' ]
	[[ $(field detail) == *'the working tree and the branch stay as they are'* ]]
	find "$project" -path "$project/.git/refs" -prune -o -type f -print0 |
		sort -z | grep -zv '/objects/\|/logs/' | xargs -0 sha256sum >"$BATS_TEST_TMPDIR/files"
	only
	[ "$(json .landed <<<"$applied")" = false ]
	sha256sum --quiet -c "$BATS_TEST_TMPDIR/files"
	[ "$(here show refs/chock-also/s1/heads/side:of-side)" = side ]
	run -1 here rev-parse -q --verify refs/chock/s1
}

@test "shows the work before them, and how many more of them there are" {
	work
	for ((i = 100; i < 164; i++)); do
		copy_git tag "$(printf '%097d%d' 0 $i)"
	done
	ask
	[ "$(beside | wc -l)" -eq 64 ]
	# chock-ask shows a person no more than this.
	shown=$(field detail | fold -w 74 | head -n 58 | head -c 4096)
	[[ $shown == *'A new'*'D run'*'1 commit:'*' the work'*'  and 60 more, which the diff shows' ]]
}

@test "keeps nothing that was not shown" {
	side
	work
	ask
	shown=$(field also_id)
	side more
	ask
	before "$project"
	for id in "$shown" x "$(printf '%064d' 0)"; do
		run -100 --separate-stderr "$workspace" apply --workspace "$w" \
			--to "$(field to)" --tree "$(field tree)" --also "$id"
		[[ $stderr == *'are not those that were shown' ]]
	done
	unchanged "$project"
	# Not without their being named either.
	apply
	[ -z "$(here for-each-ref refs/chock-also)" ]
}

@test "does not ask for a name alone" {
	copy_git branch else
	copy_git tag here
	run -1 --separate-stderr "$workspace" question --workspace "$w"
	[ "$(json '.effect.others | join(" ")' <<<"$output")" = 'refs/heads/else refs/tags/here' ]
	[ "$(json '.effect.also | length' <<<"$output")" -eq 0 ]
	copy_git tag -a -m 'a note' noted
	ask
	[ "$(beside | wc -l)" -eq 3 ]
}

@test "leaves the stash and a detached HEAD where they are" {
	side
	printf 'x\n' >>"$copy/file"
	copy_git stash -q
	copy_git checkout -q --detach
	copy_git commit -q --allow-empty -m alone
	ask
	[ "$(json '.effect.others | join(" ")' <<<"$question")" = 'refs/stash HEAD' ]
	[ "$(beside | wc -l)" -eq 1 ]
}

@test "takes more of a branch later, and nothing over other work" {
	side
	ask
	only
	copy_git checkout -q side
	copy_git commit -q --allow-empty -m further
	copy_git checkout -q main
	ask
	only
	[ "$(here log -1 --format=%s refs/chock-also/s1/heads/side)" = further ]
	copy_git branch -q -f side main
	side=$(copy_git commit-tree -p main -m other 'main^{tree}')
	copy_git update-ref refs/heads/side "$side"
	ask
	run -111 --separate-stderr "$workspace" apply --workspace "$w" \
		--also "$(field also_id)"
	[[ $stderr == *"refs/chock-also/s1/heads/side': it holds other work" ]]
	[ "$(here log -1 --format=%s refs/chock-also/s1/heads/side)" = further ]
}

# not_kept REASON - none of it can be, and the work on the branch lands
# shellcheck disable=SC2053 # REASON is a pattern
not_kept() {
	before "$project"
	ask
	unchanged "$project"
	[[ $(json .effect.also_not <<<"$question") == $1 ]]
	[ "$(beside)" = '' ]
	[ "$(field other_count)" -ge 1 ]
	run -100 --separate-stderr "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(field tree)" \
		--also "$(printf '%064d' 0)"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ -z "$(here for-each-ref refs/chock-also)" ]
}

@test "lands the work where a branch beside it lacks an object" {
	side
	work
	blob=$(copy_git rev-parse side:of-side)
	rm -f "$copy/.git/objects/${blob::2}/${blob:2}"
	not_kept 'git cannot pack them'
}

@test "lands the work where a tag beside it is no commit" {
	work
	copy_git tag blob "$(copy_git rev-parse HEAD:new)"
	not_kept "'refs/tags/blob' is no commit"
}

@test "lands the work beside a tree that git would not make" {
	work
	file=$(copy_git rev-parse HEAD:file)
	printf '100644 .git\0%b' "$(sed 's/../\\x&/g' <<<"$file")" >"$BATS_TEST_TMPDIR/tree"
	tree=$(copy_git hash-object -w -t tree --literally "$BATS_TEST_TMPDIR/tree")
	copy_git update-ref refs/heads/bad "$(copy_git commit-tree -m bad "$tree")"
	not_kept 'cannot take their pack: git: *'
}

@test "lands the work beside more names than are kept" {
	work
	new=$(copy_git commit-tree -p HEAD -m new 'HEAD^{tree}')
	printf '%s\n' "$(copy_git rev-parse HEAD)" >"$copy/.git/refs/heads/main"
	for ((i = 0; i < 65; i++)); do
		printf '%s refs/tags/t%02d\n' "$new" "$i"
	done >"$copy/.git/packed-refs"
	not_kept 'they are more than 64'
	sed -i '$d' "$copy/.git/packed-refs"
	ask
	[ "$(beside | wc -l)" -eq 64 ]
}

@test "holds them to the size that a pack may have" {
	side
	head -c 200000 /dev/urandom >"$copy/noise"
	copy_git checkout -q side
	copy_git add noise
	copy_git commit -q -m noise
	copy_git checkout -q main
	work
	ask --pack-max 100000
	[ "$(json .effect.also_not <<<"$question")" = 'they are more than 100000 bytes (--pack-max)' ]
	ask --pack-max 300000
	[ "$(beside | wc -l)" -eq 1 ]
}

# hide_one - the workspace is one in which .gitignore is hidden
hide_one() {
	printf 'include base\nhide .gitignore\n' >"$BATS_TEST_TMPDIR/own.policy"
	chock-policy-eval --freeze --policy "$BATS_TEST_TMPDIR/own.policy" \
		>"$BATS_TEST_TMPDIR/hiding"
	"$workspace" clear --workspace "$w" >/dev/null
	begin --frozen-fd 3 3<"$BATS_TEST_TMPDIR/hiding"
}

# names_blob NAME BLOB PATH - the new branch NAME has BLOB at PATH
names_blob() {
	side "$1"
	copy_git checkout -q "$1"
	copy_git update-index --add --cacheinfo "100644,$2,$3"
	copy_git commit -q -m named
	copy_git checkout -q -f main
}

@test "brings nothing hidden by another branch, whatever it is called there" {
	local id
	id=$(here rev-parse HEAD:.gitignore)
	names_blob shown "$id" public.txt
	ask
	only
	[ "$(here show refs/chock-also/s1/heads/shown:public.txt)" = '*.o' ]
	here update-ref -d refs/chock-also/s1/heads/shown
	hide_one
	names_blob side "$id" public.txt
	# Also where it is taken back.
	copy_git update-ref refs/heads/side \
		"$(copy_git commit-tree -p side -m back 'side~1^{tree}')"
	work
	not_kept "refs/heads/side: 'public.txt' would have the bytes of a hidden file"
	copy_git update-ref refs/heads/side side~2
	ask
	only
	[ "$(here show refs/chock-also/s1/heads/side:of-side)" = side ]
}

@test "brings no other branch that changes what is hidden" {
	hide_one
	names_blob side "$(printf 'mine\n' | copy_git hash-object -w --stdin)" \
		.gitignore
	work
	not_kept "refs/heads/side: '.gitignore' is hidden, and the work changes it"
}

@test "keeps branches of projects of other kinds, and where something is hidden" {
	origin=$project
	printf 'include base\nhide dir/other\n' >"$BATS_TEST_TMPDIR/own.policy"
	chock-policy-eval --freeze --policy base >"$BATS_TEST_TMPDIR/none"
	chock-policy-eval --freeze --policy "$BATS_TEST_TMPDIR/own.policy" \
		>"$BATS_TEST_TMPDIR/hiding"
	for kind in shallow hidden sha256; do
		rm -rf "$w"
		project=$BATS_TEST_TMPDIR/$kind
		policies=$BATS_TEST_TMPDIR/none
		case $kind in
		shallow) git clone -q --depth 1 "file://$origin" "$project" ;;
		hidden)
			git clone -q "$origin" "$project"
			policies=$BATS_TEST_TMPDIR/hiding
			;;
		sha256)
			git init -q -b main --object-format=sha256 "$project"
			printf 'x\n' >"$project/file"
			here add file
			here commit -q -m x
			;;
		esac
		begin --frozen-fd 3 3<"$policies"
		side
		ask
		only
		here fsck --strict --no-dangling
		[ "$(here show refs/chock-also/s1/heads/side:of-side)" = side ]
	done
}

@test "keeps all that git can have together, and names what it cannot" {
	side
	tip=$(copy_git rev-parse side)
	for name in df df/x df/y z; do
		printf '%s refs/heads/%s\n' "$tip" "$name"
	done >>"$copy/.git/packed-refs"
	work
	ask
	apply --also "$(field also_id)"
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(json '.also | join(" ")' <<<"$applied")" = 'refs/chock-also/s1/heads/df refs/chock-also/s1/heads/side refs/chock-also/s1/heads/z' ]
	[ "$(json '.also_left | join(" ")' <<<"$applied")" = 'heads/df/x heads/df/y' ]
	[[ $(json .also_not <<<"$applied") == *"cannot write 'refs/chock-also/s1/heads/df/x': git cannot have it beside 'heads/df'; cannot write "* ]]
	[ "$(here for-each-ref --format='%(refname)' refs/chock-also)" = "$(json '.also | join("\n")' <<<"$applied")" ]
	# The same once more, beside what is there by now.
	only
	[ "$(json '.also | length' <<<"$applied")" -eq 3 ]
	[ "$(json '.also_left | length' <<<"$applied")" -eq 2 ]
}

@test "keeps the others beside one that holds other work, and beside another session's" {
	side
	side more
	ask
	only
	here update-ref refs/chock-also/s1/heads/more main
	here update-ref refs/chock-also/s1/heads/more \
		"$(here commit-tree -p main -m other 'main^{tree}')"
	here update-ref -d refs/chock-also/s1/heads/side
	only
	[ "$(json '.also | join(" ")' <<<"$applied")" = refs/chock-also/s1/heads/side ]
	[[ $(json .also_not <<<"$applied") == "cannot write 'refs/chock-also/s1/heads/more': it holds other work" ]]
	[ "$(here log -1 --format=%s refs/chock-also/s1/heads/more)" = other ]
	here reflog exists refs/chock-also/s1/heads/side
}

@test "keeps none of them while another git holds the lock of one, and says so" {
	side
	side more
	work
	ask
	mkdir -p "$project/.git/refs/chock-also/s1/heads"
	: >"$project/.git/refs/chock-also/s1/heads/more.lock"
	apply --also "$(field also_id)"
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(json '.also | length' <<<"$applied")" -eq 0 ]
	[ "$(json '.also_left | length' <<<"$applied")" -eq 2 ]
	[[ $(json .also_not <<<"$applied") == *more.lock* ]]
	[ -z "$(here for-each-ref refs/chock-also)" ]
	run -111 --separate-stderr "$workspace" apply --workspace "$w" \
		--also "$(field also_id)"
	[[ $stderr == *more.lock* ]]
	[ ! -e "$w/journal" ]
	rm "$project/.git/refs/chock-also/s1/heads/more.lock"
	only
	[ "$(json '.also | length' <<<"$applied")" -eq 2 ]
}

# ---- a whole run ----------------------------------------------------------

# one STATUS ARGUMENT... - chock run with nobody there to answer
one() {
	local status=$1
	shift
	cd "$project" || return
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

on_side='git checkout -qb side && echo x >x && git add x && git commit -qm x'

@test "keeps what a session committed on a branch of its own, and needs no copy more" {
	one 0 --yes -- sh -c "$on_side"
	[[ $stderr == *'commits   none'*'also      refs/chock-also/'*/heads/side* ]]
	[[ $stderr != *'kept  '* ]]
	ref=$(here for-each-ref --format='%(refname)' refs/chock-also)
	[ "$(here show "$ref:x")" = x ]
	[ "$(here symbolic-ref HEAD)" = refs/heads/main ]
	[ -z "$(here status --porcelain)" ]
	[ -z "$(find "$HOME/.local/state/chock/sessions" -name copy)" ]
	log=$(find "$HOME/.local/state/chock" -name '*.jsonl')
	[ "$(jq -r 'select(.kind == "workspace.apply").also' "$log")" = \
		"$(jq -r 'select(.kind == "ask").effect.also_id' "$log")" ]
	[ "$(jq -r 'select(.kind == "workspace.integrate").done.also[0]' "$log")" = "$ref" ]
	chock-log-verify "$log"
	one 1 --yes --require-commit -- sh -c "$on_side"
}

@test "changes nothing of the project after a no, and keeps the copy" {
	before "$project"
	one 0 -- sh -c "$on_side"
	unchanged "$project"
	[[ $stderr == *'refused   policy has a person asked about workspace.apply'* ]]
	kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
	[ -d "$kept/copy" ]
	run -1 --separate-stderr setsid -w chock workspace apply "${kept##*/}" --yes </dev/null
	[[ $stderr == *'also      refs/chock-also/'* ]]
	[ ! -e "$kept" ]
}

@test "says what is kept beside the branch, and what is not" {
	one 0 --yes -- sh -c "$on_side; git checkout -q main; for name in df df/x; do
		echo \"\$(git rev-parse side) refs/heads/\$name\"
	done >>.git/packed-refs"
	[[ $stderr == *'also      refs/chock-also/'*/heads/df$'\n'* ]]
	[[ $stderr == *'also      refs/chock-also/'*/heads/side$'\n'* ]]
	[[ $stderr == *"left      not on the branch, and not kept elsewhere: cannot write 'refs/chock-also/"*"/heads/df/x': git cannot have it beside 'heads/df'"* ]]
	[[ $stderr == *'kept  '* ]]
}
