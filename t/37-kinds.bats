#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Whatever kind of repository a project is, a session works in a copy of it; an
# apply that is refused leaves each byte, mode, owner and time of it and of its
# repository as they were, and one that is accepted lands what was shown
#
#	project/   what the person has
#	w/copy/    with one commit more, made by the test as the sandbox would

load lib/chock
load lib/workspace

setup() {
	in_project
}

# refuse_apply DIR... - applies of other than what was shown change no DIR
refuse_apply() {
	local pair
	for pair in "$(field to) $(field to)" "$(field tree) $(field tree)" \
		"$(field to) HEAD"; do
		run -100 --separate-stderr "$workspace" apply --workspace "$w" \
			--to "${pair% *}" --tree "${pair#* }"
		[ "${#stderr_lines[@]}" -eq 1 ]
		unchanged "$@"
	done
}

# propose DIR... - a copy, work and a question, none of which changes a DIR; the
# test's own git does while it works, for it may set the times of objects
propose() {
	before "$@"
	begin
	unchanged "$@"
	work
	before "$@"
	ask
	unchanged "$@"
	[ "$(field commits)" -eq 1 ]
	[ "$(field uncommitted)" -eq 0 ]
	refuse_apply "$@"
}

# lands [DIR...] - the whole way of a session, with nothing in a DIR, or else
# in the project, that changes before the apply
lands() {
	[ $# -gt 0 ] || set -- "$project"
	propose "$@"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(here rev-parse HEAD)" = "$(field to)" ]
	[ "$(here rev-parse 'HEAD^{tree}')" = "$(field tree)" ]
	[ "$(cat "$project/new")" = new ]
	[ "$(cat "$project/file")" = changed ]
	[ ! -e "$project/run" ]
	[ -z "$(here status --porcelain)" ]
	here fsck --strict --no-dangling
}

# parks [DIR...] - the same where no branch can be moved: the work is kept
parks() {
	local head
	[ $# -gt 0 ] || set -- "$project"
	head=$(cat "$project/.git/HEAD")
	propose "$@"
	manifest "$project/file" >"$BATS_TEST_TMPDIR/file-before"
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(cat "$project/.git/HEAD")" = "$head" ]
	manifest "$project/file" | cmp - "$BATS_TEST_TMPDIR/file-before"
	[ "$(here show refs/chock/s1:new)" = new ]
	here fsck --strict --no-dangling
}

@test "lands in a plain repository" {
	lands
}

@test "sees in a project what a refused apply would have changed" {
	propose "$project"
	apply
	run -1 unchanged "$project"
}

@test "lands in a linked working tree" {
	main=$project
	here worktree add -q -b side "$BATS_TEST_TMPDIR/side" 2>/dev/null
	project=$BATS_TEST_TMPDIR/side
	lands "$main" "$project"
	[ "$(git -C "$main" symbolic-ref HEAD)" = refs/heads/main ]
	[ "$(cat "$main/file")" = one ]
}

@test "lands where each working tree has settings of its own" {
	main=$project
	here worktree add -q -b side "$BATS_TEST_TMPDIR/side" 2>/dev/null
	here config extensions.worktreeConfig true
	project=$BATS_TEST_TMPDIR/side
	here config --worktree user.name 'Of the tree'
	lands "$main" "$project"
	[ "$(git config -f "$copy/.git/config" user.name)" = 'Of the tree' ]
	[ "$(here config user.name)" = 'Of the tree' ]
}

@test "lands in a submodule" {
	super=$BATS_TEST_TMPDIR/super
	new_super "$super"
	project=$super/sub
	git -C "$project" checkout -q -B main
	lands "$super"
}

@test "lands in a project with a submodule, and leaves that alone" {
	super=$BATS_TEST_TMPDIR/super
	new_super "$super"
	project=$super
	lands
	[ "$(cat "$super/sub/file")" = one ]
}

@test "lands beside pointers of LFS, which stay as git stores them" {
	printf '*.bin filter=lfs diff=lfs merge=lfs -text\n' \
		>"$project/.gitattributes"
	printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 3\n' \
		"$(printf abc | sha256sum | cut -d ' ' -f 1)" \
		>"$project/data.bin"
	here add -A
	here commit -q -m pointers
	here config filter.lfs.smudge "$(canary smudge)"
	here config filter.lfs.clean "$(canary clean)"
	here config filter.lfs.required true
	clear_canary
	before "$project"
	begin
	unchanged "$project"
	[ "$(json .note <"$BATS_TEST_TMPDIR/created")" = \
		'1 file with a filter (LFS) is left as git stores it' ]
	cmp "$copy/data.bin" "$project/data.bin"
	work
	before "$project"
	ask
	refuse_apply "$project"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	quiet
	cmp "$copy/data.bin" "$project/data.bin"
	[ "$(cat "$project/new")" = new ]
}

@test "lands in a shallow clone" {
	git clone -q --depth 1 "file://$project" "$BATS_TEST_TMPDIR/shallow"
	project=$BATS_TEST_TMPDIR/shallow
	lands
	[ "$(here rev-list --count HEAD)" -eq 2 ]
}

@test "lands from a directory below the top" {
	mkdir "$project/untracked"
	printf 'mine\n' >"$project/untracked/file"
	before "$project"
	w=$BATS_TEST_TMPDIR/w
	copy=$w/copy
	"$workspace" create --session s1 --workspace "$w" "$project/dir" \
		>"$BATS_TEST_TMPDIR/created"
	unchanged "$project"
	[ "$(json .project <"$BATS_TEST_TMPDIR/created")" = "$project" ]
	work
	before "$project"
	ask
	refuse_apply "$project"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/new")" = new ]
	[ "$(cat "$project/untracked/file")" = mine ]
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	"$workspace" create --session s1 --workspace "$w" \
		"$project/untracked" >"$BATS_TEST_TMPDIR/created"
	[ "$(json .project <"$BATS_TEST_TMPDIR/created")" = "$project" ]
}

@test "lands in another's repository that the caller trusts" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give files away"
	chown -R 65534:65534 "$project"
	before "$project"
	run -100 --separate-stderr "$workspace" create --session s1 \
		--workspace "$BATS_TEST_TMPDIR/w" "$project"
	[[ $stderr == *'dubious ownership'* ]]
	[ ! -e "$BATS_TEST_TMPDIR/w" ]
	unchanged "$project"
	git config --global --add safe.directory "$project"
	lands
}

@test "lands in a repository with SHA-256 objects" {
	git init -q -b main --object-format=sha256 "$BATS_TEST_TMPDIR/sha256"
	here archive HEAD | tar -x -C "$BATS_TEST_TMPDIR/sha256"
	project=$BATS_TEST_TMPDIR/sha256
	here add -A
	here commit -q -m first
	lands
	[ "$(field to | wc -c)" -eq 65 ]
}

@test "lands where the repository is apart from the files" {
	here init -q --separate-git-dir "$BATS_TEST_TMPDIR/apart"
	[ -f "$project/.git" ]
	lands "$project" "$BATS_TEST_TMPDIR/apart"
	[ -f "$project/.git" ]
}

@test "lands where objects are borrowed, and never in the lender" {
	lender=$project
	project=$BATS_TEST_TMPDIR/shared
	git clone -q --shared "$lender" "$project"
	lands "$lender" "$project"
	run -1 git -C "$lender" cat-file -e "$(field to)"
}

@test "keeps work of a detached HEAD" {
	here checkout -q --detach
	parks
}

@test "keeps work of a branch that has no commit" {
	git init -q -b main "$BATS_TEST_TMPDIR/unborn"
	project=$BATS_TEST_TMPDIR/unborn
	before "$project"
	begin
	unchanged "$project"
	printf 'new\n' >"$copy/new"
	copy_git add new
	copy_git commit -q -m first
	before "$project"
	ask
	refuse_apply "$project"
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(cat "$project/.git/HEAD")" = 'ref: refs/heads/main' ]
	[ ! -e "$project/new" ]
	[ "$(here show refs/chock/s1:new)" = new ]
}
@test "lands in a repository with a split index, joined" {
	here update-index --split-index
	ls "$project"/.git/sharedindex.*
	# What is in neither file of an index alone: one entry replaced.
	printf 'staged\n' >>"$project/dir/other"
	here add dir/other
	here commit -q -m staged
	lands
	here update-index --split-index
	[ -z "$(here status --porcelain)" ]
}

# The copy has the time of the project's, by which git knows which files it has
# to look at; one that is written anew has not.
@test "writes no index anew that is whole, whatever a split one left behind" {
	require trace
	log=$BATS_TEST_TMPDIR/log
	cat >"$BATS_TEST_TMPDIR/look" <<-EOF
		#!/bin/sh
		for pid in \$(pgrep -P "\$PPID"); do
			pgrep -a -P "\$pid" >>'$log'
		done
		:
	EOF
	chmod +x "$BATS_TEST_TMPDIR/look"
	here update-index --split-index
	here update-index --no-split-index
	ls "$project"/.git/sharedindex.*
	begin
	work
	ask
	"$helpers/kill-at" before "$BATS_TEST_TMPDIR/look" -- \
		"$workspace" apply --workspace "$w" --to "$(field to)" \
		--tree "$(field tree)" --onto "$(field onto)" >/dev/null
	grep -q -- ' reset --merge ' "$log"
	run -1 grep -- update-index "$log"
}

@test "finds what is staged in a split index" {
	here update-index --split-index
	printf 'staged\n' >"$project/file"
	here add file
	rm "$project/run"
	before "$project"
	begin --allow-dirty
	unchanged "$project"
	[ "$(cat "$copy/file")" = staged ]
	[ ! -e "$copy/run" ]
	printf 'new\n' >"$copy/new"
	copy_git add new
	copy_git commit -q -m 'the work'
	ask
	apply
	[ "$(json .reason <<<"$applied")" = '2 uncommitted changes in the way; commit or stash them first' ]
}

# sparse [OPTION...] - leaves aside/ out of the project
sparse() {
	mkdir "$project/aside" "$project/aside/deep"
	printf 'aside\n' >"$project/aside/file"
	printf 'deep\n' >"$project/aside/deep/file"
	here add aside
	here commit -q -m aside
	here sparse-checkout set "$@"
	[ ! -e "$project/aside" ]
}

# left_out - what git has marked so in the project
left_out() {
	here ls-files -t | sed -n 's/^S //p'
}

@test "lands in a sparse checkout, and writes no file that it leaves out" {
	local form
	for form in '--cone dir' '--cone --sparse-index dir' \
		'--no-cone /* !/aside/'; do
		rm -rf "$project" "$BATS_TEST_TMPDIR/w"
		new_project "$project"
		# shellcheck disable=SC2086
		set -f && sparse $form && set +f
		lands
		[ ! -e "$copy/aside" ]
		[ ! -e "$project/aside" ]
		[ "$(left_out)" = $'aside/deep/file\naside/file' ]
		[ "$(here show HEAD:aside/file)" = aside ]
		[[ $(json .note <"$BATS_TEST_TMPDIR/created") == *'it is a sparse checkout, as the project is'* ]]
	done
}

@test "takes a checkout for a sparse one where git does" {
	local value truth sparse
	mkdir -p "$project/.git/info"
	printf '/*\n!/aside/\n' >"$project/.git/info/sparse-checkout"
	for value in '' 0x00 off 01 -1 0x0a 1k On; do
		here config core.sparsecheckout "$value"
		truth=$(here config --type=bool core.sparsecheckout)
		begin
		sparse=false
		[[ $(json .note <"$BATS_TEST_TMPDIR/created") != *'sparse checkout'* ]] ||
			sparse=true
		printf "'%s': %s\n" "$value" "$truth"
		[ "$sparse" = "$truth" ]
		"$workspace" clear --workspace "$w" >/dev/null
	done
}

@test "lands in a sparse checkout of a linked working tree" {
	main=$project
	here worktree add -q -b side "$BATS_TEST_TMPDIR/side" 2>/dev/null
	project=$BATS_TEST_TMPDIR/side
	sparse --cone dir
	lands "$main" "$project"
	[ ! -e "$project/aside" ]
	[ "$(git -C "$main" ls-files -t | grep -c '^S')" -eq 0 ]
}

# waits REASON - the work is kept at its reference, and no file moves
waits() {
	before "$project/file" "$project/dir"
	ask
	[ "$(field obstacle)" = "$1" ]
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(json .reason <<<"$applied")" = "$1" ]
	unchanged "$project/file" "$project/dir"
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
}

@test "keeps work that changes what a sparse checkout leaves out" {
	sparse --cone dir
	begin
	mkdir "$copy/aside"
	printf 'changed\n' >"$copy/aside/file"
	copy_git add --sparse aside/file
	copy_git commit -q -m aside
	waits "'aside/file' is not in the sparse checkout"
	[ ! -e "$project/aside" ]
	[ "$(here show refs/chock/s1:aside/file)" = changed ]
}

@test "keeps work that adds a file where a sparse checkout has none" {
	sparse --cone dir
	begin
	mkdir "$copy/more"
	printf 'more\n' >"$copy/more/file"
	copy_git add --sparse more/file
	copy_git commit -q -m more
	waits "'more/file' is not in the sparse checkout"
	[ ! -e "$project/more" ]
}

@test "keeps work where the patterns of a sparse checkout changed" {
	sparse --cone dir
	begin
	work
	here sparse-checkout disable
	waits 'the sparse checkout has other patterns by now'
	here sparse-checkout set --cone dir
	ask
	[ "$(field landing)" = fast-forward ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

@test "keeps work where a checkout became a sparse one" {
	begin
	work
	sparse --cone dir
	here reset -q --keep HEAD~1
	waits 'the sparse checkout has other patterns by now'
}

@test "keeps work where the files are not those of the sparse checkout" {
	sparse --cone dir
	mkdir "$project/aside"
	here show HEAD:aside/file >"$project/aside/file"
	begin
	[ ! -e "$copy/aside" ]
	work
	waits "the files are not those of the sparse checkout; \
'git sparse-checkout reapply' makes them so"
	[ "$(cat "$project/aside/file")" = aside ]
	here status --porcelain
	here sparse-checkout reapply
	[ ! -e "$project/aside" ]
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

# policies STATEMENT - frozen, in the file $policies
policies() {
	policies=$BATS_TEST_TMPDIR/frozen
	printf 'include base\n%s\n' "$1" >"$BATS_TEST_TMPDIR/own.policy"
	chock-policy-eval --freeze --policy "$BATS_TEST_TMPDIR/own.policy" \
		>"$policies"
}

@test "hides in a sparse checkout what is in no commit, and refuses what is" {
	sparse --cone dir
	printf 'secret\n' >"$project/.env"
	policies 'hide .env'
	begin --allow-dirty --frozen-fd 3 3<"$policies"
	[ ! -e "$copy/.env" ]
	"$workspace" clear --workspace "$w" >/dev/null
	policies 'hide aside/file'
	before "$project"
	run -100 --separate-stderr "$workspace" create --session s1 \
		--workspace "$w" --frozen-fd 3 "$project" 3<"$policies"
	[ "$stderr" = "chock-workspace: cannot use '$project': it is a sparse \
checkout, and in a copy of one nothing of a commit can be hidden" ]
	[ ! -e "$w" ]
	unchanged "$project"
}

# partial OPTION... - $project is a partial clone of what it was, at $origin
partial() {
	origin=$project
	project=$BATS_TEST_TMPDIR/partial
	git -C "$origin" config uploadpack.allowFilter true
	git -C "$origin" config uploadpack.allowAnySHA1InWant true
	git clone -q --filter=blob:none "$@" "file://$origin" "$project"
}

# lacks COUNT - so many objects of the history are not there
lacks() {
	[ "$(here rev-list --objects --missing=print HEAD | grep -c '^?')" \
		-eq "$1" ]
}

@test "lands in a partial clone, and fetches nothing" {
	partial
	lacks 1
	rm -rf "$origin/.git"
	lands
	lacks 1
	# In the copy nothing can be fetched either.
	run -128 copy_git show HEAD~2:dir/other
	copy_git fsck --no-dangling
}

@test "lands in a partial clone that is a sparse checkout" {
	mkdir "$project/aside"
	printf 'aside\n' >"$project/aside/file"
	here add aside
	here commit -q -m aside
	partial --sparse
	here sparse-checkout set dir
	lacks 2
	rm -rf "$origin/.git"
	lands
	[ ! -e "$project/aside" ]
	lacks 2
}

@test "lands beside a file that a sparse partial clone lacks" {
	mkdir "$project/near"
	printf 'here\n' >"$project/near/here"
	printf 'aside\n' >"$project/near/aside"
	here add near
	here commit -q -m near
	partial --sparse --no-checkout
	here sparse-checkout set --no-cone '/*' '!/near/aside'
	here checkout -q main
	lacks 2
	rm -rf "$origin/.git"
	begin
	printf 'changed\n' >"$copy/near/here"
	copy_git commit -q -a -m 'the work'
	before "$project"
	ask
	unchanged "$project"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/near/here")" = changed ]
	[ ! -e "$project/near/aside" ]
	lacks 2
}

@test "refuses a partial clone that lacks a file of its commit, and says what brings it" {
	local line
	partial --no-checkout
	before "$project"
	run -100 --separate-stderr "$workspace" create --session s1 \
		--workspace "$BATS_TEST_TMPDIR/w" "$project"
	line="git -C $project archive HEAD >/dev/null"
	[ "$stderr" = "chock-workspace: cannot use '$project': it is a partial \
clone that lacks objects of its commit; '$line' fetches them" ]
	[ ! -e "$BATS_TEST_TMPDIR/w" ]
	unchanged "$project"
	sh -c "$line"
	here reset -q --hard
	lands
}
