#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-workspace brings a session's commits into the project on a yes, all of
# them or none, and never over something that a person has there
#
#	project/   on branch main, clean
#	w/copy/    with one commit more, made by the test as the sandbox would

load lib/chock
load lib/workspace

setup() {
	in_project
}

# parked REASON - apply keeps the work at its reference, moves nothing, and
# says REASON
parked() {
	local head files
	head=$(here rev-parse HEAD)
	files=$(here ls-files -s)
	find "$project" -path "$project/.git" -prune -o -type f -print0 |
		sort -z | xargs -0 sha256sum -z >"$BATS_TEST_TMPDIR/files"
	apply "${@:2}"
	[ "$(json .landed <<<"$applied")" = false ]
	[[ $(json .reason <<<"$applied") == *"$1"* ]]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(here rev-parse HEAD)" = "$head" ]
	[ "$(here ls-files -s)" = "$files" ]
	sha256sum --quiet -z -c "$BATS_TEST_TMPDIR/files" 2>/dev/null ||
		sha256sum --quiet -c <(tr '\0' '\n' <"$BATS_TEST_TMPDIR/files")
}

# will_park REASON - the question says so as well, and writes nothing
will_park() {
	before "$project"
	ask
	unchanged "$project"
	printf '%s\n' "$(field landing): $(json '.effect.obstacle // ""' <<<"$question")"
	[ "$(field landing)" = parked ]
	[[ $(field obstacle) == *"$1"* ]]
	parked "$@"
}

@test "lands the tree that was shown, and undoes it by the line that it says" {
	old=$(here rev-parse HEAD)
	begin
	work
	before "$project"
	ask
	unchanged "$project"
	[ "$(field action)" = workspace.apply ]
	[ "$(field landing)" = fast-forward ]
	[ "$(field from)" = "$old" ]
	[ "$(field to)" = "$(copy_git rev-parse HEAD)" ]
	[ "$(field tree)" = "$(copy_git rev-parse 'HEAD^{tree}')" ]
	[ "$(field commits)" -eq 1 ]
	[ "$(field 'files | map(.status + " " + .path) | join(",")')" = \
		'M file,A new,D run' ]
	[[ $(field detail) == *"the work"*"M file"*"A new"*"D run"* ]]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	diff -r --exclude=.git "$project" "$copy"
	[ "$(here rev-parse main)" = "$(field to)" ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	[ "$(here symbolic-ref HEAD)" = refs/heads/main ]
	[ -z "$(here status --porcelain)" ]
	[ "$(here write-tree)" = "$(field tree)" ]
	here fsck --strict
	sh -c "$(json .undo <<<"$applied")"
	[ "$(here rev-parse main)" = "$old" ]
	[ "$(cat "$project/file")" = one ]
	[ -x "$project/run" ]
	[ ! -e "$project/new" ]
	[ -z "$(here status --porcelain)" ]
}

@test "lands odd names and executable bits byte for byte, through odd paths" {
	mkdir "$BATS_TEST_TMPDIR/o"
	mv "$project" "$BATS_TEST_TMPDIR/o/"$'pro ject\n\xff:\\"'
	project=$BATS_TEST_TMPDIR/o/$'pro ject\n\xff:\\"'
	begin
	long=$(printf '%255s' '' | tr ' ' l)
	for name in $'new\nline' $'tab\t' '"quoted"' $'\xff\xfe' -dash ' ' \
		"$long" 'back\slash' '$(x)' é; do
		printf '%s' "$name" >"$copy/$name"
	done
	chmod +x "$copy/-dash"
	ln -s ../../outside "$copy/link"
	store=$(printf '%s/.git/objects' "$project" | sed -z 's/[:\\]/\\&/g')
	chock-spawn --policy base --project "$project" --copy "$copy" \
		--bind "$store:/run/chock/objects:ro" --net none \
		--env GIT_AUTHOR_NAME=a --env GIT_AUTHOR_EMAIL=a@b \
		--env GIT_COMMITTER_NAME=a --env GIT_COMMITTER_EMAIL=a@b \
		--chdir "$project" \
		-- sh -c 'git add -A && git commit -q -m odd'
	ask
	[ "$(field commits)" -eq 1 ]
	[ "$(field file_count)" -eq 11 ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	diff -r --no-dereference --exclude=.git "$project" "$copy"
	[ -x "$project/-dash" ]
	[ -z "$(here status --porcelain)" ]
	undo=$(json '.undo | if type == "object" then .base64 else . end' \
		<<<"$applied" | base64 -d)
	sh -c "$undo"
	[ ! -e "$project/-dash" ]
}

@test "says that there is nothing to apply, and what there is" {
	begin
	printf 'x\n' >>"$copy/file"
	printf 'x\n' >"$copy/untracked"
	copy_git branch else
	before "$project"
	run -1 --separate-stderr "$workspace" question --workspace "$w"
	unchanged "$project"
	[ "$(json .effect.commits <<<"$output")" -eq 0 ]
	[ "$(json .effect.uncommitted <<<"$output")" -eq 2 ]
	[ "$(json '.effect.others | join(" ")' <<<"$output")" = refs/heads/else ]
}

@test "counts what is left uncommitted beside the commits" {
	begin
	work
	printf 'x\n' >"$copy/later"
	ask
	[ "$(field uncommitted)" -eq 1 ]
	apply
	[ ! -e "$project/later" ]
}

@test "parks work while something uncommitted is there, but for untracked files" {
	begin
	work
	printf 'x\n' >>"$project/dir/other"
	will_park '1 uncommitted change in the way; commit or stash it first'
	here checkout -q dir/other
	printf 'x\n' >"$project/mine"
	here add mine
	will_park '1 uncommitted change in the way; commit or stash it first'
	here reset -q
	cp "$project/mine" "$project/mine.o"
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ -e "$project/mine.o" ]
	[ -e "$project/mine" ]
}

@test "lands where a file was only touched" {
	begin
	work
	touch -d '2001-01-01' "$project/file" "$project/dir/other"
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

@test "parks work while something is unfinished, each by name" {
	begin
	work
	for marker in MERGE_HEAD:merge CHERRY_PICK_HEAD:cherry-pick \
		REVERT_HEAD:revert BISECT_LOG:bisect; do
		here rev-parse HEAD >"$project/.git/${marker%:*}"
		will_park "a ${marker#*:} is not finished"
		rm "$project/.git/${marker%:*}"
	done
	mkdir "$project/.git/rebase-merge"
	will_park 'a rebase is not finished'
	rmdir "$project/.git/rebase-merge"
	mkdir "$project/.git/rebase-apply"
	will_park 'a rebase or am is not finished'
}

@test "parks work if something was begun after the question, each by name" {
	begin
	work
	ask
	[ "$(field landing)" = fast-forward ]
	for marker in MERGE_HEAD:merge CHERRY_PICK_HEAD:cherry-pick \
		REVERT_HEAD:revert BISECT_LOG:bisect; do
		here rev-parse HEAD >"$project/.git/${marker%:*}"
		parked "a ${marker#*:} is not finished"
		rm "$project/.git/${marker%:*}"
	done
	mkdir "$project/.git/rebase-merge"
	parked 'a rebase is not finished'
	rmdir "$project/.git/rebase-merge"
	printf 'mine\n' >"$project/new"
	parked "an untracked file is where 'new' would be"
	rm "$project/new"
	here checkout -q -b other
	parked 'another branch is checked out by now'
	here checkout -q main
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

@test "parks work without a branch, or with another one" {
	begin
	work
	here checkout -q --detach
	will_park 'no branch is checked out'
	here checkout -q -b other
	will_park 'another branch is checked out by now'
}

@test "parks work that began on a detached HEAD" {
	here checkout -q --detach
	begin
	work
	will_park 'no branch is checked out'
}

@test "parks work that began before the first commit" {
	project=$BATS_TEST_TMPDIR/unborn
	git init -q -b main "$project"
	begin
	printf 'x\n' >"$copy/x"
	copy_git add x
	copy_git commit -q -m first
	ask
	printf '%s\n' "$(field landing): $(json '.effect.obstacle // ""' <<<"$question")"
	[ "$(field landing)" = parked ]
	[ "$(field obstacle)" = 'the branch had no commit yet' ]
	[ "$(field 'files[0].path')" = x ]
	apply
	[ "$(json .landed <<<"$applied")" = false ]
	[ "$(here rev-parse refs/chock/s1)" = "$(field to)" ]
	run -1 here rev-parse -q --verify HEAD
	[ ! -e "$project/x" ]
}

@test "parks work if the branch moved or the tree changed after the question" {
	begin
	work
	ask
	printf 'x\n' >>"$project/dir/other"
	parked '1 uncommitted change in the way; commit or stash it first'
	here commit -q -a -m meanwhile
	parked 'the branch moved since the question'
	git -C "$project" merge -q -m both refs/chock/s1
	[ "$(cat "$project/new")" = new ]
}

@test "parks work if another git holds a lock" {
	begin
	work
	ask
	for lock in index.lock HEAD.lock refs/heads/main.lock; do
		: >"$project/.git/$lock"
		parked 'locked'
		rm "$project/.git/$lock"
	done
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

@test "never overwrites a file that git was told not to look at" {
	begin
	work
	here update-index --assume-unchanged file
	printf 'precious\n' >"$project/file"
	ask
	[ "$(field landing)" = fast-forward ]
	parked 'file'
	[ "$(cat "$project/file")" = precious ]
	[ "$(here rev-parse main)" = "$(field from)" ]
	[ ! -e "$project/.git/HEAD.lock" ]
}

@test "never overwrites an untracked file, nor what is in a directory" {
	begin
	work
	rm -r "$copy/dir"
	ln -s file "$copy/dir"
	mkdir "$copy/deep"
	printf 'x\n' >"$copy/deep/new"
	copy_git add -A
	copy_git commit -q -m more
	printf 'mine\n' >"$project/new"
	will_park "an untracked file is where 'new' would be"
	mv "$project/new" "$project/dir/mine"
	will_park "an untracked file is where 'dir' would be"
	mv "$project/dir/mine" "$project/deep"
	will_park "an untracked file is where 'deep/new' would be"
	mv "$project/deep" "$project/mine"
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/mine")" = mine ]
	[ -L "$project/dir" ]
}

@test "never overwrites an ignored file" {
	begin
	printf 'theirs\n' >"$copy/secret.o"
	mkdir "$copy/d.o"
	printf 'theirs\n' >"$copy/d.o/file"
	copy_git add -f secret.o d.o/file
	copy_git commit -q -m ignored
	printf 'mine\n' >"$project/secret.o"
	will_park "an ignored file is where 'secret.o' would be"
	[ "$(cat "$project/secret.o")" = mine ]
	rm "$project/secret.o"
	printf 'mine\n' >"$project/d.o"
	will_park "an ignored file is where 'd.o/file' would be"
	[ "$(cat "$project/d.o")" = mine ]
}

@test "lands a file that becomes a directory, and the other way round" {
	begin
	rm "$copy/file"
	mkdir "$copy/file"
	printf 'x\n' >"$copy/file/below"
	rm -r "$copy/dir"
	ln -s file "$copy/link"
	copy_git add -A
	copy_git commit -q -m turn
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	diff -r --no-dereference --exclude=.git "$project" "$copy"
}

@test "runs no hook, filter or monitor of the project" {
	printf '*.x diff=x\n' >"$project/.gitattributes"
	here add .
	here commit -q -m attributes
	plant "$project/.git"
	hooks "$project/.githooks"
	printf '*\n' >"$project/.githooks/.gitignore"
	git config -f "$project/.git/planted" core.hooksPath .githooks
	clear_canary
	begin
	work
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	quiet
	# The control: plain git runs them for the same move.
	here reset -q --hard HEAD~1 2>/dev/null
	clear_canary
	here merge -q --ff-only refs/chock/s1 >/dev/null 2>&1
	grep -q /post-merge "$BATS_TEST_TMPDIR/canary"
	grep -q /program "$BATS_TEST_TMPDIR/canary"
}

@test "parks a change of a path that has a filter, before or after" {
	begin
	printf '*.big filter=lfs\n' >"$copy/.gitattributes"
	printf 'pointer\n' >"$copy/a.big"
	copy_git add -A
	copy_git commit -q -m big
	will_park "'a.big' has a filter"
	here merge -q --ff-only refs/chock/s1
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	begin
	copy_git rm -q .gitattributes a.big
	copy_git commit -q -m gone
	will_park "'a.big' has a filter"
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	begin
	work
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
}

# once_more - a session that begins anew, without what the last one left
once_more() {
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	begin
}

# raw PATH TEXT - put a blob with these very bytes into the copy's index
raw() {
	local blob
	blob=$(printf '%s' "$2" | copy_git hash-object -w --no-filters --stdin)
	copy_git update-index --add --cacheinfo "100755,$blob,$1"
}

# attributes LINE... - the session's own
attributes() {
	raw .gitattributes "$(printf '%s\n' "$@")"
}

quoted='echo "see ＂;echo EVIL;echo ＂"'

@test "parks what would be other bytes in the working tree, each by name" {
	begin
	for line in 'working-tree-encoding=ASCII//TRANSLIT' \
		'working-tree-encoding=UTF-16' 'working-tree-encoding'; do
		attributes "*.sh $line"
		raw build.sh "$quoted"
		copy_git commit -q -m "$line"
		will_park "'build.sh' has a working-tree-encoding by its attributes"
		once_more
	done
	attributes '[attr]nice working-tree-encoding=ASCII//TRANSLIT' 'b* nice'
	raw build.sh "$quoted"
	copy_git commit -q -m macro
	will_park "'build.sh' has a working-tree-encoding by its attributes"
	once_more
	attributes '*.sh ident'
	raw build.sh "echo '\$Id:'\$;echo EVIL;'"
	copy_git commit -q -m ident
	will_park "'build.sh' has ident by its attributes"
	for line in 'eol=crlf' 'text eol=crlf' 'text=auto eol=crlf' \
		'crlf=input eol=crlf' 'text=unset eol=crlf'; do
		once_more
		attributes "*.sh $line"
		raw build.sh $'echo and then \\\nEVIL\n'
		copy_git commit -q -m "$line"
		will_park "'build.sh' has other line ends by its attributes"
	done
	# The control: git writes what nobody was shown.
	here merge -q --ff-only refs/chock/s1
	grep -q $'\r' "$project/build.sh"
	run ! cmp "$project/build.sh" <(here show HEAD:build.sh)
}

@test "parks where git would go by attributes that nobody tracks" {
	local place
	mkdir -p "$project/dir"
	begin
	raw dir/n $'one\n$Id$\n'
	copy_git commit -q -m n
	for place in .gitattributes dir/.gitattributes; do
		printf '* ident text eol=crlf\n' >"$project/$place"
		will_park "git would go by '$place', which is not tracked"
		rm "$project/$place"
		here update-ref -d refs/chock/s1
	done
	# Ignored as well; the control is what git writes then.
	echo .gitattributes >>"$project/.git/info/exclude"
	printf '* text eol=crlf\n' >"$project/.gitattributes"
	will_park "git would go by '.gitattributes', which is not tracked"
	here merge -q --ff-only refs/chock/s1
	grep -q $'\r' "$project/dir/n"
	# Its neighbours: elsewhere, and a link, which git does not follow.
	mv "$project/.gitattributes" "$project/attributes"
	rm "$project/dir/n"
	here checkout -q -- dir/n
	once_more
	ln -s attributes "$project/.gitattributes"
	mkdir "$project/other"
	cp "$project/attributes" "$project/other/.gitattributes"
	raw dir/m $'two\n'
	copy_git commit -q -m m
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	cmp "$project/dir/m" <(echo two)
}

@test "parks a change of a path that was to be other bytes before, but for its line ends" {
	printf '*.txt working-tree-encoding=UTF-16\n*.c ident\n*.bat eol=crlf\n' \
		>"$project/.gitattributes"
	here add .gitattributes
	here commit -q -m attributes
	begin
	raw a.txt text
	copy_git commit -q -m txt
	will_park "'a.txt' has a working-tree-encoding"
	once_more
	raw a.c text
	attributes '*.bat eol=crlf'
	copy_git commit -q -m c
	will_park "'a.c' has ident"
	once_more
	raw a.bat $'one\ntwo\n'
	copy_git commit -q -m bat
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	cmp "$project/a.bat" <(printf 'one\r\ntwo\r\n')
	[ -z "$(here status --porcelain)" ]
}

@test "lands attributes that convert nothing here, and line ends as a person has them" {
	begin
	attributes '* text=auto' '*.sh text eol=lf' '*.png binary' '*.x -ident'
	raw a.sh $'one\n'
	raw a.png $'\r\n'
	raw a.x '$Id$'
	copy_git commit -q -m attributes
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/a.x")" = "\$Id\$" ]
	for key in autocrlf=true eol=crlf; do
		here config "core.${key%=*}" "${key#*=}"
		once_more
		raw b.txt "$key"$'\n'
		copy_git commit -q -m "$key"
		ask
		apply
		[ "$(json .landed <<<"$applied")" = true ]
		cmp "$project/b.txt" <(printf '%s\r\n' "$key")
		here config --unset "core.${key%=*}"
	done
}

@test "parks line ends that only a person's settings make others" {
	printf '*.txt -text\n' >"$project/.gitattributes"
	here add .gitattributes
	here commit -q -m attributes
	for key in autocrlf=true eol=crlf; do
		here config "core.${key%=*}" "${key#*=}"
		begin
		attributes '*.txt text'
		raw b.txt $'one\n'
		copy_git commit -q -m "$key"
		will_park "'b.txt' has other line ends by its attributes"
		here config --unset "core.${key%=*}"
		"$workspace" clear --workspace "$w" >/dev/null
		here update-ref -d refs/chock/s1
	done
}

@test "goes by the last of a person's settings of line ends, as git does" {
	printf '*.txt -text\n' >"$project/.gitattributes"
	here add .gitattributes
	here commit -q -m attributes
	here config core.eol crlf
	here config core.autocrlf input
	here config --add core.autocrlf false
	begin
	attributes '*.txt text'
	raw b.txt $'one\n'
	copy_git commit -q -m other
	will_park "'b.txt' has other line ends by its attributes"
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	here config --add core.autocrlf input
	begin
	attributes '*.txt text'
	raw b.txt $'one\n'
	copy_git commit -q -m same
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	cmp "$project/b.txt" <(printf 'one\n')
}

@test "parks a change of a submodule" {
	begin
	copy_git update-index --add --cacheinfo \
		"160000,$(here rev-parse HEAD),sub"
	copy_git commit -q -m module
	will_park "the submodule 'sub' changes"
}

@test "parks work when it is told not to integrate" {
	begin
	work
	ask
	[ "$(field landing)" = fast-forward ]
	parked 'integration was not allowed' --no-integrate
	sh -c "$(json .undo <<<"$applied")"
	run -1 here rev-parse -q --verify refs/chock/s1
}

@test "lands in a linked working tree, unless another has the branch too" {
	main=$project
	here worktree add -q -b side "$BATS_TEST_TMPDIR/side" 2>/dev/null
	project=$BATS_TEST_TMPDIR/side
	begin
	work
	before "$main/file" "$main/.git/index" "$main/.git/HEAD"
	ask
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	diff -r --exclude=.git "$project" "$copy"
	unchanged "$main/file" "$main/.git/index" "$main/.git/HEAD"
	"$workspace" clear --workspace "$w" >/dev/null
	here update-ref -d refs/chock/s1
	git -C "$main" worktree add -q -f "$BATS_TEST_TMPDIR/again" side \
		2>/dev/null
	begin
	printf 'x\n' >"$copy/x"
	copy_git add x
	copy_git commit -q -m x
	will_park 'checked out in another working tree'
}

@test "lands in shallow, borrowing and SHA-256 projects" {
	origin=$project
	git clone -q --depth 1 "file://$origin" "$BATS_TEST_TMPDIR/shallow"
	git clone -q --shared "$origin" "$BATS_TEST_TMPDIR/shared"
	git init -q -b main --object-format=sha256 "$BATS_TEST_TMPDIR/sha256"
	printf 'x\n' >"$BATS_TEST_TMPDIR/sha256/file"
	git -C "$BATS_TEST_TMPDIR/sha256" add file
	git -C "$BATS_TEST_TMPDIR/sha256" commit -q -m x
	for kind in shallow shared sha256; do
		project=$BATS_TEST_TMPDIR/$kind
		begin
		printf 'new\n' >"$copy/new"
		printf '%s\n' "$kind" >"$copy/file"
		copy_git add -A
		copy_git commit -q -m "$kind"
		ask
		[ "$(field uncommitted)" -eq 0 ]
		apply
		[ "$(json .landed <<<"$applied")" = true ]
		[ "$(cat "$project/file")" = "$kind" ]
		"$workspace" clear --workspace "$w" >/dev/null
	done
}

@test "applies only what was asked about" {
	begin
	work
	ask
	before "$project"
	to=$(field to) tree=$(field tree) from=$(field from)
	for pair in "$from $tree" "$to $from" "$tree $tree" "x y" \
		"$(printf '%040d' 1) $tree" "HEAD $tree"; do
		run -100 --separate-stderr "$workspace" apply --workspace "$w" \
			--to "${pair% *}" --tree "${pair#* }"
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	unchanged "$project"
}

@test "keeps other work that is at the reference" {
	here update-ref refs/chock/s1 "$(here commit-tree -m other 'HEAD^{tree}')"
	begin
	work
	ask
	run -111 --separate-stderr "$workspace" apply --workspace "$w" \
		--to "$(field to)" --tree "$(field tree)"
	[[ $stderr == *"it holds other work" ]]
	[ "$(here log -1 --format=%s refs/chock/s1)" = other ]
	[ "$(here rev-parse main)" = "$(field from)" ]
}

@test "takes further work of a session to the same reference" {
	begin
	work
	ask
	apply
	copy_git commit -q --allow-empty -m further
	ask
	[ "$(field commits)" -eq 2 ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	here merge-base --is-ancestor refs/chock/s1 main
}

@test "shows the difference, and what it leaves out" {
	begin
	work
	printf 'later\n' >>"$copy/dir/other"
	printf 'x\n' >"$copy/untracked"
	run -0 --separate-stderr "$workspace" diff --workspace "$w"
	[[ $output == *"+new"*"-#!/bin/sh"* ]]
	[[ $output == *"+later"* ]]
	[ -z "$stderr" ]
	[[ $output == '# committed, from '*'# not committed, and not applied'*'+later'*'new file'*'+x' ]]
	run -0 --separate-stderr "$workspace" diff --workspace "$w" --stat
	[[ $output == *"3 files changed"*"2 files changed"* ]]
}

@test "shows the difference of the others beside files that are too large" {
	begin
	head -c 34M /dev/zero | tr '\0' '\n' >"$copy/big"
	printf '#!/bin/sh\necho changed\n' >"$copy/run"
	copy_git add -A
	copy_git commit -q -m big
	head -c 34M /dev/zero | tr '\0' '\n' >"$copy/later"
	printf 'left\n' >"$copy/file"
	ask
	run -0 --separate-stderr "$workspace" diff --workspace "$w"
	[[ $output == *'# binary: with a NUL, or more than 8m bytes'*'b/big differ'*'+echo changed'*'# not committed'*'+left'*'b/later differ'* ]]
	# Of several that are too much together, each as a smaller one.
	for i in 1 2 3 4 5 6; do
		head -c 7M /dev/zero | tr '\0' '\n' >"$copy/part$i"
	done
	run -0 --separate-stderr "$workspace" diff --workspace "$w"
	[[ $output == *'more than 256k bytes'*'+left'*'b/part1 differ'* ]]
}

@test "shows a terminal no control bytes, and a pipe all of them" {
	begin
	printf 'a\e]0;x\a\xe2\x80\xaeb\xffc\td\n' >"$copy/file"
	copy_git commit -q -a -m escape
	"$workspace" diff --workspace "$w" | grep -q -a $'^+a\e]0;x\a'
	script -qec "'$workspace' diff --workspace '$w'" /dev/null \
		</dev/null >"$BATS_TEST_TMPDIR/seen"
	grep -q -F '+a\x1b]0;x\x07\u{202e}b\xffc' "$BATS_TEST_TMPDIR/seen"
	run -1 grep -q -a $'\e' "$BATS_TEST_TMPDIR/seen"
	copy_git commit -q --allow-empty -m $'sub\e[31mject'
	ask
	[[ $(field detail) == *'sub\x1b[31mject'* ]]
}

@test "shows of many files and commits some of each, and how many there are" {
	begin
	mkdir "$copy/many"
	for ((i = 1; i <= 60; i++)); do
		echo x >"$copy/many/$i"
		copy_git add many
		copy_git commit -q -m "the commit $i"
	done
	ask
	shown=$(field detail)
	[ "${#shown}" -le 4096 ]
	[ "$(wc -l <<<"$shown")" -le 60 ]
	[ "$(grep -c '^  A many/' <<<"$shown")" = 20 ]
	[[ $shown == *$'\n60 files:\n'*$'\n  and 40 more, which the diff shows\n60 commits:\n  40 before these, and\n  '*' the commit 41'$'\n'*' the commit 60' ]]
	[ "$(grep -c ' the commit ' <<<"$shown")" = 20 ]
	# What one does not need is the other's.
	copy_git reset -q --soft HEAD~59
	copy_git commit -q -m 'the rest'
	ask
	[ "$(field detail | grep -c '^  A many/')" = 38 ]
	for ((i = 1; i <= 60; i++)); do
		copy_git commit -q --allow-empty -m "the commit $i"
	done
	copy_git rm -rq many
	echo x >"$copy/one"
	copy_git add one
	copy_git commit -q -m one
	ask
	[ "$(field detail | grep -c ' the commit ')" = 38 ]
}

@test "shows the files of a question before what the session wrote about them" {
	begin
	for ((i = 0; i < 30; i++)); do
		copy_git commit -q --allow-empty -m "$(printf '%0190d' "$i")"
	done
	echo x >"$copy/Makefile"
	copy_git add Makefile
	copy_git commit -q -m 'M README'
	ask
	# chock-ask shows a person no more than this.
	shown=$(field detail | head -c 4096)
	[[ $shown == "in $project"$'\n'*'the branch moves from '*'1 file:'*'A Makefile'*'31 commits:'* ]]
}
