#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Work goes into a branch that moved meanwhile by a merge, a replay or a squash
# that needs no index and no working tree, and lands as it was shown; what
# conflicts waits, and `git merge` is all that is left to do
#
#	project/   on branch main, with a commit that the session did not see
#	w/copy/    with commits of the test, which plays the sandboxed program

load lib/chock
load lib/workspace

setup() {
	in_project
	git -C "$project" config user.name Person
	git -C "$project" config user.email person@example.org
}

# moved - a commit of the person's own that is in nobody's way
moved() {
	printf 'mine\n' >"$project/mine"
	here add mine
	here commit -q -m mine
	head=$(here rev-parse HEAD)
}

# two - two commits in the copy, by somebody else than the person
two() {
	work
	printf 'second\n' >"$copy/second"
	copy_git add second
	GIT_AUTHOR_DATE='2001-02-03T04:05:06 +0200' copy_git commit -q \
		--author 'S <s@example.org>' -m $'the second\n\nwith a body'
}

# landed WAY - the question shows the tree that lands, as WAY, and lands it
landed() {
	before "$project"
	ask --apply "${2-$1}"
	unchanged "$project"
	[ "$(field landing)" = "$1" ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(here rev-parse 'main^{tree}')" = "$(field tree)" ]
	[ "$(here write-tree)" = "$(field tree)" ]
	[ -z "$(here status --porcelain)" ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(here rev-parse main)" = "$(json .commit <<<"$applied")" ]
	here fsck --strict
}

@test "merges work into a branch that moved, and undoes it" {
	begin
	two
	moved
	landed merge
	[ "$(here rev-parse main^1)" = "$head" ]
	[ "$(here rev-parse main^2)" = "$(field to)" ]
	[ "$(here log -1 --format='%an <%ae> %cn')" = 'Person <person@example.org> Person' ]
	[ "$(cat "$project/mine" "$project/second")" = $'mine\nsecond' ]
	[ "$(field 'files | map(.status + " " + .path) | join(",")')" = \
		'M file,A new,D run,A second' ]
	[[ $(field summary) == 'merge 2 commits, 4 files onto main' ]]
	sh -c "$(json .undo <<<"$applied")"
	[ "$(here rev-parse main)" = "$head" ]
	[ -z "$(here status --porcelain)" ]
}

@test "replays work onto a branch that moved, commit by commit" {
	begin
	two
	copy_git commit -q --allow-empty -m empty
	moved
	landed rebase
	[ "$(here log --reverse --format=%s "$head"..main)" = $'the work\nthe second\nempty' ]
	[ "$(here rev-list --merges main | wc -l)" -eq 0 ]
	[ "$(here log -1 --format='%an <%ae> %aI %cn' main^)" = \
		'S <s@example.org> 2001-02-03T04:05:06+02:00 Person' ]
	[ "$(here log -1 --format=%B main^)" = $'the second\n\nwith a body' ]
}

@test "leaves out of a replay what the branch has already" {
	begin
	two
	moved
	printf 'second\n' >"$project/second"
	here add second
	here commit -q -m 'the second, by hand'
	head=$(here rev-parse HEAD)
	landed rebase
	[ "$(here log --format=%s "$head"..main)" = 'the work' ]
}

@test "makes one commit of all work, on a branch that moved and on one that did not" {
	begin
	two
	landed squash
	[ "$(here rev-list --count main)" -eq 3 ]
	[ "$(here log -1 --format=%an)" = Person ]
	[ "$(here log -1 --format=%s)" = 'the work' ]
	[[ $(here log -1 --format=%B) == *'the second'*'with a body'* ]]
	here reset -q --hard HEAD^
	moved
	landed squash
	[ "$(here rev-parse main^)" = "$head" ]
	[ -e "$project/mine" ]
}

@test "goes forward where the branch did not move, and one commit is squashed" {
	begin
	work
	for way in merge rebase squash; do
		landed fast-forward "$way"
		[ "$(here rev-parse main)" = "$(field to)" ]
		here reset -q --hard HEAD^
	done
}

@test "parks all of it if it is told to" {
	begin
	work
	ask --apply park
	[ "$(field landing)" = parked ]
	[ "$(field obstacle)" = 'it is to be kept at its reference' ]
	head=$(here rev-parse main)
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(here rev-parse main)" = "$head" ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
}

@test "asks about each way that differs from those before it" {
	begin
	two
	ask --apply ask
	[ "$(jq -r .effect.landing <<<"$questions" | tr '\n' ' ')" = 'fast-forward squash ' ]
	moved
	ask --apply ask
	[ "$(jq -r .effect.landing <<<"$questions" | tr '\n' ' ')" = 'merge rebase squash ' ]
	apply
	[ "$(here log -1 --format=%s)" = 'the work' ]
}

@test "asks of each way about what runs later, and not of the first alone" {
	begin
	printf 'two\n' >"$copy/file"
	copy_git commit -q -a -m two
	printf 'three\n' >"$copy/file"
	chmod +x "$copy/dir/other"
	copy_git commit -q -a -m three
	# The branch has the first of them, and the other file under another name.
	printf 'two\n' >"$project/file"
	here mv dir/other moved
	here commit -q -a -m mine
	ask --apply ask
	[ "$(jq -r '.effect.landing // empty' <<<"$questions" | tr '\n' ' ')" = 'parked rebase ' ]
	[ "$(asked_apart workspace.protected)" = \
		$'M dir/other: it becomes executable\nM moved: it becomes executable' ]
	ask --apply merge
	[ "$(asked_apart workspace.protected)" = 'M dir/other: it becomes executable' ]
}

@test "takes the way from the policy, and the option before it" {
	mkdir -p "$HOME/.config/chock"
	chmod 700 "$HOME/.config/chock"
	printf 'include base\napply squash\n' >"$HOME/.config/chock/policy"
	begin
	two
	ask
	[ "$(field way)" = squash ]
	ask --apply rebase
	[ "$(field way)" = rebase ]
	rm "$HOME/.config/chock/policy"
	ask
	[ "$(field way)" = merge ]
}

# conflicting KIND - it waits, with KIND and the path said; nothing else is
# changed, and git merge has the conflict for the person to solve
# shellcheck disable=SC2053 # KIND is a pattern
conflicting() {
	local way
	for way in merge squash rebase; do
		before "$project"
		ask --apply "$way"
		unchanged "$project"
		[ "$(field landing)" = parked ]
		[[ $(field obstacle) == $1 ]]
	done
	manifest "$project/.git/index" >"$BATS_TEST_TMPDIR/index"
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[[ $(json .reason <<<"$applied") == $1 ]]
	cmp <(manifest "$project/.git/index") "$BATS_TEST_TMPDIR/index"
	[ -z "$(here status --porcelain --untracked-files=no)" ]
	run -1 here merge -q refs/chock/s1
	[ -e "$project/.git/MERGE_HEAD" ]
}

both() {
	begin
	(
		cd "$copy" || exit
		eval "$1"
	)
	copy_git add -A
	copy_git commit -q -m theirs
	(
		cd "$project" || exit
		eval "$2"
	)
	here add -A
	here commit -q -m mine
}

@test "waits with a conflict of content" {
	both 'echo theirs >file' 'echo mine >file'
	conflicting "it conflicts in 'file' (contents)"
}

@test "waits with a conflict of two files that are both new" {
	both 'echo theirs >n' 'echo mine >n'
	conflicting "it conflicts in 'n' (*)"
}

@test "waits with a conflict of a change and a removal, both ways round" {
	both 'echo theirs >file' 'rm file'
	conflicting "it conflicts in 'file' (modify/delete)"
}

@test "waits with a conflict of a removal and a change" {
	both 'rm file' 'echo mine >file'
	conflicting "it conflicts in 'file' (modify/delete)"
}

@test "waits with a conflict of two names" {
	both 'mv dir/other dir/theirs' 'mv dir/other dir/mine'
	conflicting "it conflicts in 'dir/other' (rename/rename)*"
}

@test "waits with a conflict of modes" {
	both 'rm file; ln -s run file' 'echo mine >file'
	conflicting "it conflicts in 'file*' (*"
}

@test "waits with a conflict of binary files" {
	printf 'a\0b' >"$project/bin"
	here add bin
	here commit -q -m bin
	both 'printf "a\0c" >bin' 'printf "a\0d" >bin'
	conflicting "it conflicts in 'bin' (*)*"
}

@test "waits with a conflict of submodules" {
	id=$(here rev-parse HEAD)
	other=$(here rev-parse HEAD~1)
	here update-index --add --cacheinfo "160000,$other,sub"
	here commit -q -m sub
	begin
	copy_git update-index --cacheinfo "160000,$id,sub"
	copy_git commit -q -m theirs
	here update-index --cacheinfo "160000,$(here rev-parse HEAD),sub"
	here commit -q -m mine
	ask
	[ "$(field landing)" = parked ]
	[[ $(field obstacle) == "it conflicts in 'sub' (submodule"* ]]
}

@test "names the first conflict, and counts the others" {
	both 'echo theirs >file; echo theirs >run; echo theirs >dir/other' \
		'echo mine >file; echo mine >run; echo mine >dir/other'
	ask
	[ "$(field obstacle)" = "it conflicts in 'dir/other' (contents) and 2 more" ]
}

@test "replays no merges, and says so" {
	begin
	copy_git checkout -q -b side
	work
	copy_git checkout -q main
	copy_git commit -q --allow-empty -m main
	copy_git merge -q --no-ff -m merge side
	moved
	ask --apply rebase
	[[ $(field obstacle) == 'there is a merge among its commits, which is not replayed' ]]
	landed merge
}

@test "replays at most 500 commits, and shows the last of them" {
	begin
	for ((i = 0; i < 501; i++)); do
		printf 'commit refs/heads/main\ncommitter S <s@example.org> %d +0000\n' "$i"
		printf 'data 4\nmany\n'
		[ "$i" -gt 0 ] || printf 'from refs/heads/main^0\n'
		printf 'M 100644 inline many\ndata %d\n%d\n' "${#i}" "$i"
	done | copy_git fast-import --quiet
	moved
	ask --apply rebase
	[ "$(field obstacle)" = 'more than 500 commits are not replayed' ]
	[[ $(field detail) == *$'\n501 commits:\n  462 before these, and\n'* ]]
	[ "$(field detail | grep -c '^  [0-9a-f]\{7,\} many$')" -eq 39 ]
	landed merge
}

@test "merges no file that has a merge driver" {
	printf '*.d merge=mine\n' >"$project/.gitattributes"
	printf '1\n2\n3\n4\n5\n' >"$project/a.d"
	here add -A
	here commit -q -m driver
	both 'sed -i 1s/1/theirs/ a.d' 'sed -i 5s/5/mine/ a.d'
	here config merge.mine.driver "$(canary driver)"
	ask
	[ "$(field obstacle)" = "'a.d' has a merge driver, and those do not run here" ]
	quiet
}

# git sets the time of an object's file instead of writing the object again, also
# in a store that it only borrows.
@test "sets no time of an object that the project has already, before a yes" {
	begin
	printf 'new\n' >"$copy/dir/new"
	copy_git add -A
	copy_git commit -q -m new
	# What comes of both is there, as a tree and a file of a branch.
	here checkout -q -b both
	printf 'new\n' >"$project/dir/new"
	printf 'mine\n' >"$project/dir/mine"
	here add -A
	here commit -q -m both
	here checkout -q main
	printf 'mine\n' >"$project/dir/mine"
	here add -A
	here commit -q -m mine
	tree=$(here rev-parse both:dir)
	find "$project/.git/objects" -type f -exec touch -d 2001-01-01 {} +
	before "$project"
	ask
	unchanged "$project"
	[ "$(field landing)" = merge ]
	# The control: git sets it where nobody keeps it from that.
	git init -q --bare "$BATS_TEST_TMPDIR/borrows"
	printf '%s\n' "$project/.git/objects" \
		>"$BATS_TEST_TMPDIR/borrows/objects/info/alternates"
	git -C "$BATS_TEST_TMPDIR/borrows" merge-tree --write-tree \
		"$(here rev-parse main)" "$(here rev-parse both)" >/dev/null
	[ "$(find "$project/.git/objects/${tree::2}/${tree:2}" -newermt 2002-01-01)" ]
}

@test "merges without a signature where commits are to be signed, and cannot" {
	here config commit.gpgSign true
	here config gpg.program "$BATS_TEST_TMPDIR/none"
	begin
	two
	here -c commit.gpgSign=false commit -q --allow-empty -m mine
	head=$(here rev-parse HEAD)
	run -128 here commit -q --allow-empty -m signed
	landed merge
	[ "$(here rev-parse main^1)" = "$head" ]
}

@test "says that a branch has the work already" {
	begin
	two
	ask
	apply
	moved
	ask
	[ "$(field obstacle)" = 'the branch has the work already' ]
}

@test "parks what was shown if the branch moved after the question" {
	begin
	two
	moved
	ask
	shown=$(field tree)
	printf 'more\n' >"$project/mine"
	here commit -q -a -m meanwhile
	head=$(here rev-parse HEAD)
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(json .reason <<<"$applied")" = 'the branch moved since the question' ]
	[ "$(here rev-parse main)" = "$head" ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$shown" != "$(here rev-parse 'main^{tree}')" ]
}

@test "lands no tree that was not shown, nor one made by another way" {
	begin
	two
	moved
	ask
	before "$project"
	run -100 --separate-stderr "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(here rev-parse 'main^{tree}')" \
		--onto "$(field onto)"
	[[ $stderr == *'is not the one that was shown' ]]
	run -100 --separate-stderr "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(field tree)" --onto "$(printf '%040d' 1)"
	[[ $stderr == *"is no commit" ]]
	unchanged "$project"
	# Shown was that it waits: so it does, though nothing is in the way now.
	printf 'x\n' >>"$project/file"
	ask
	[ "$(field landing)" = parked ]
	tree=$(copy_git rev-parse 'HEAD^{tree}')
	here checkout -q file
	applied=$("$workspace" apply --workspace "$w" --to "$(field to)" \
		--tree "$tree" --onto "$(field onto)")
	[ "$(json .reason <<<"$applied")" = 'what would land is not what was shown' ]
	# Also where it is known what would have landed.
	printf 'x\n' >>"$project/file"
	ask
	here checkout -q file
	head=$(here rev-parse main)
	apply
	[ "$(json .reason <<<"$applied")" = 'it was shown as work that waits' ]
	[ "$(here rev-parse main)" = "$head" ]
	ask
	[ "$(field landing)" = merge ]
	run -100 "$workspace" apply --workspace "$w" --to "$(field to)" \
		--tree "$(field tree)" --onto "$(field onto)" --landing merged
	[[ $output == *"nothing is landing as 'merged'"* ]]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

@test "says that it does not know who merges" {
	begin
	two
	moved
	here config --unset user.name
	here config --unset user.email
	run -0 env -u GIT_COMMITTER_NAME -u GIT_COMMITTER_EMAIL -u GIT_AUTHOR_NAME \
		-u GIT_AUTHOR_EMAIL -u EMAIL -u GIT_CONFIG_GLOBAL \
		-u XDG_CONFIG_HOME HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 \
		"$workspace" question --workspace "$w"
	[[ $output == *'git cannot make a commit: '*'auto-detection is disabled'* ]]
	[[ $output == *'"landing":"parked"'* ]]
}

@test "takes the way of chock run by an option, and refuses one that is none" {
	cd "$project"
	commits='echo 1 >one; git add one; git commit -qm one; echo 2 >two; git add two; git commit -qm two'
	run -0 setsid -w chock run --yes --apply squash -- sh -c "$commits" </dev/null
	[ "$(git rev-list --count main)" -eq 3 ]
	[ "$(git log -1 --format=%s)" = one ]
	run -100 setsid -w chock run --apply rebas -- true </dev/null
	[[ $output == *"no way to apply is called 'rebas'; there are merge, rebase, squash, ask and park" ]]
	run -0 setsid -w chock run --yes --apply park -- sh -c 'echo 3 >x; git add x; git commit -qm x' </dev/null
	[ ! -e x ]
	[ "$(git for-each-ref refs/chock/ | wc -l)" -eq 2 ]
}

@test "asks a person for each way, until one gets a yes" {
	cd "$project"
	steps=()
	for answer in n y; do
		steps+=('see=action: workspace.apply' 'see=seconds: ' "type=$answer\\r")
	done
	run -0 "$helpers/terminal" "$BATS_TEST_TMPDIR/seen" start "${steps[@]}" -- \
		chock run --apply ask -- sh -c 'echo 1 >one; git add one; git commit -qm one
			echo 2 >two; git add two; git commit -qm two'
	[ "$(git rev-list --count main)" -eq 3 ]
}
