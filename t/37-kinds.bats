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
