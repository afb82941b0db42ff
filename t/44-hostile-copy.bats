#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Whatever a sandboxed program leaves in its copy, nothing of it runs on the
# host, and nothing unsound comes into the project
#
#	project/   what the person has, and what must stay as it is
#	w/copy/    as a hostile program left it

load lib/chock
load lib/workspace

setup() {
	in_project
	begin
}

# refused [WORD] - the question says no, in one line that names where the work
# is and holds WORD, and the project and the workspace stay
refused() {
	before "$project"
	run --separate-stderr "$workspace" question --workspace "$w" "${@:2}"
	[ "$status" -eq 100 ] || [ "$status" -eq 111 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $(json .error <<<"$output") == *"$1"* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"the work stays in '$w'"*"$1"* ]]
	[ -d "$copy" ]
	unchanged "$project"
}

# commit_tree - a commit on main of the tree whose id is on standard input
commit_tree() {
	copy_git update-ref refs/heads/main \
		"$(copy_git commit-tree -p HEAD -m tree "$(cat)")"
}

# raw_tree - a tree of entries MODE ID NAME, which git would not make itself
raw_tree() {
	local mode id name
	while read -r mode id name; do
		printf '%s %b\0' "$mode" "$name"
		printf '%s' "$id" | xxd -r -p
	done >"$BATS_TEST_TMPDIR/tree"
	copy_git hash-object -w -t tree --literally "$BATS_TEST_TMPDIR/tree"
}

@test "runs nothing that is planted in the copy's repository" {
	printf '*.x filter=x diff=x\n' >"$copy/.gitattributes"
	work
	copy_git rm -q --cached .gitattributes
	copy_git commit -q --amend -m planted
	printf 'x\n' >"$copy/a.x"
	plant "$copy/.git"
	hooks "$copy/hooks"
	git config -f "$copy/.git/config" core.hooksPath hooks
	git config -f "$copy/.git/config" core.worktree "$project"
	clear_canary
	before "$project"
	ask
	"$workspace" diff --workspace "$w" >/dev/null 2>&1
	unchanged "$project"
	quiet
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	quiet
	[ "$(cat "$project/new")" = new ]
	[ ! -e "$project/a.x" ]
	"$workspace" clear --workspace "$w" >/dev/null
	quiet
}

@test "would have run it, had git been used on the copy from outside" {
	printf '*.x filter=x diff=x\n' >"$copy/.gitattributes"
	printf 'x\n' >"$copy/a.x"
	plant "$copy/.git"
	clear_canary
	copy_git add -A >/dev/null
	ran
}

# fires COMMAND... - the canary ran by it
fires() {
	clear_canary
	"$@" >/dev/null 2>&1 </dev/null || :
	ran || {
		printf 'nothing ran by: %s\n' "$*"
		return 1
	}
}

# One by one what the test above plants all at once, and more.
@test "would have run each of these, had git been used on the copy from outside" {
	local program other
	program=$(canary program)
	other=$BATS_TEST_TMPDIR/other
	new_project "$other"
	printf '*.x filter=x diff=x merge=x\n' >"$copy/.gitattributes"
	printf 'x\n' >"$copy/a.x"
	copy_git add -A
	copy_git commit -q -m x
	hooks "$copy/.git/hooks"
	fires copy_git commit -q --allow-empty -m hooked
	rm -r "$copy/.git/hooks"
	hooks "$copy/hk"
	fires copy_git -c core.hooksPath=hk commit -q --allow-empty -m elsewhere
	printf '[alias]\n\tx = !%s\n' "$program" >"$copy/.git/more"
	fires copy_git -c include.path="$copy/.git/more" x
	fires copy_git -c core.fsmonitor="$program" status
	# With nothing to read and no answer, for git would wait for one.
	fires copy_git -c core.sshCommand="$program </dev/null; exit 1; :" \
		ls-remote ssh://host/x
	printf 'more\n' >>"$copy/a.x"
	fires copy_git -c diff.external="$program" diff
	fires copy_git -c diff.x.textconv="$program" diff
	fires copy_git -c filter.x.clean="$program" add a.x
	fires copy_git -c filter.x.smudge="$program" checkout -f HEAD -- a.x
	fires copy_git -c commit.gpgSign=true -c gpg.program="$program" \
		commit -q --allow-empty -m signed
	copy_git update-index --add --cacheinfo \
		"160000,$(git -C "$other" rev-parse HEAD),sub"
	printf '[submodule "sub"]\n\tpath = sub\n\turl = %s\n' "$other" \
		>"$copy/.gitmodules"
	git clone -q "$other" "$copy/sub"
	git -C "$copy/sub" checkout -q --detach HEAD~1
	copy_git config submodule.sub.url "$other"
	fires copy_git -c submodule.sub.update="!$program" submodule update
}

@test "runs nothing of a submodule that is planted in the copy" {
	local program other
	program=$(canary program)
	other=$BATS_TEST_TMPDIR/other
	new_project "$other"
	work
	git clone -q "$other" "$copy/sub"
	plant "$copy/sub/.git"
	mkdir -p "$copy/.git/modules"
	cp -r "$copy/sub/.git" "$copy/.git/modules/sub"
	git config -f "$copy/.git/config" submodule.sub.url "$other"
	git config -f "$copy/.git/config" submodule.sub.update "!$program"
	git config -f "$copy/.git/config" submodule.recurse true
	git config -f "$copy/.git/config" diff.submodule diff
	git config -f "$copy/.git/config" status.submoduleSummary true
	clear_canary
	before "$project"
	ask
	"$workspace" diff --workspace "$w" >/dev/null
	"$workspace" export --workspace "$w" >/dev/null 2>&1
	unchanged "$project"
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ ! -e "$project/sub" ]
	[ ! -e "$project/.git/modules" ]
	quiet
	# The neighbour: as a commit has it, it waits.
	copy_git update-index --add --cacheinfo \
		"160000,$(git -C "$other" rev-parse HEAD),sub"
	copy_git commit -q -m module
	ask
	[ "$(field obstacle)" = "the submodule 'sub' changes" ]
	quiet
}

# looks - each command that has git look at the copy
looks() {
	run -1 --separate-stderr "$workspace" question --workspace "$w"
	run -0 --separate-stderr "$workspace" diff --workspace "$w"
	"$workspace" export --workspace "$w" >/dev/null 2>&1
	run -0 --separate-stderr "$workspace" adopt --workspace "$w"
	rm -r "$project/.chock-adopted"
}

# touched - all of the copy is as if just written, so that git reads it again
touched() {
	rm -f "$copy/ran"
	find "$copy" -path "$copy/.git" -prune -o -type f -exec touch {} +
}

# only_outside - what the copy's settings name runs when git looks at it outside
# of chock, and not when chock has git look
only_outside() {
	touched
	copy_git status --porcelain >/dev/null
	[ -e "$copy/ran" ]
	touched
	rm -f "$project/ran"
	looks
	[ ! -e "$copy/ran" ]
}

@test "runs nothing that the copy's settings name while git looks at it" {
	printf '#!/bin/sh\ntouch "%s" "%s"\ncat\n' "$copy/ran" "$project/ran" \
		>"$copy/.git/spy"
	chmod +x "$copy/.git/spy"
	for name in spy a.b; do
		git config -f "$copy/.git/more" "filter.$name.clean" .git/spy
		git config -f "$copy/.git/more" "filter.$name.required" true
	done
	git config -f "$copy/.git/config" include.path more
	printf 'dir/other filter=spy\nfile filter=a.b\n' \
		>>"$copy/.git/info/attributes"
	only_outside
	git config -f "$copy/.git/more" filter.spy.process .git/spy
	rm "$copy/.git/info/attributes"
	git config -f "$copy/.git/more" core.hooksPath .git/hooks
	mkdir -p "$copy/.git/hooks"
	cp "$copy/.git/spy" "$copy/.git/hooks/post-index-change"
	only_outside
	rm "$copy/.git/hooks/post-index-change"
	git config -f "$copy/.git/more" core.fsmonitor .git/spy
	only_outside
}

@test "fetches nothing that the copy lacks while git looks at it" {
	work
	blob=$(copy_git rev-parse HEAD:new)
	rm -f "$copy/.git/objects/${blob:0:2}/${blob:2}"
	git config -f "$copy/.git/config" core.repositoryFormatVersion 1
	git config -f "$copy/.git/config" extensions.partialClone far
	git config -f "$copy/.git/config" remote.far.promisor true
	git config -f "$copy/.git/config" protocol.ext.allow always
	git config -f "$copy/.git/config" remote.far.url \
		"ext::sh -c touch% $copy/ran% $project/ran"
	run ! copy_git cat-file -p "$blob"
	[ -e "$copy/ran" ]
	rm -f "$copy/ran" "$project/ran"
	run ! "$workspace" question --workspace "$w"
	[ ! -e "$copy/ran" ]
}

# in_parts - what the diff shows of commits in $committed, and the rest in $left
in_parts() {
	local all
	all=$("$workspace" diff --workspace "$w" "$@")
	committed=${all%%$'\n'# not committed*}
	left=${all#"$committed"}
}

@test "shows in a diff what lands, whatever the copy's git would show" {
	local step
	# Shows something else where a git compares.
	cat >"$BATS_TEST_TMPDIR/clean" <<-'END'
		#!/bin/sh
		p=$$
		while [ "$p" -gt 1 ]; do
			if tr '\0' ' ' <"/proc/$p/cmdline" | grep -q '^git .*diff'; then
				printf 'benign\n'
				exit
			fi
			p=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$p/stat")
		done
		exec git cat-file blob HEAD:file
	END
	printf 'EVIL\n' >"$copy/file"
	copy_git commit -q -a -m evil
	mkdir -p "$copy/.git/info"
	install -m 755 "$BATS_TEST_TMPDIR/clean" "$copy/.git/cl"
	git config -f "$copy/.git/config" filter.z.clean "$project/.git/cl"
	echo 'file filter=z' >"$copy/.git/info/attributes"
	printf 'just\n' >"$copy/file"
	touch -d 2001-01-01 "$copy/file"
	touch "$copy/.git/index.lock"
	for step in before after; do
		in_parts
		grep -qx +EVIL <<<"$committed"
		grep -qx +just <<<"$left"
		run -1 grep benign <<<"$committed$left"
		ask
	done
	in_parts --stat
	[[ $committed == *' file | '* && $left == *' file | '* ]]
	apply
	[ "$(cat "$project/file")" = EVIL ]
	# The neighbour: a diff of a copy whose files are as they are committed.
	rm "$copy/.git/index.lock" "$copy/.git/info/attributes"
	copy_git checkout -q -f
	in_parts
	grep -qx +EVIL <<<"$committed"
	[ -z "$left" ]
}

@test "shows in a diff files that attributes of the copy would hide" {
	printf '* -diff\n' >"$copy/.git/info/attributes"
	printf '* -diff ident\n' >"$copy/.gitattributes"
	printf 'EVIL\n' >"$copy/file"
	copy_git add -A
	copy_git commit -q -m evil
	# The control: git in the copy shows none of it.
	run -1 grep EVIL < <(copy_git diff HEAD~1)
	printf '$Id: left $\n' >"$copy/file"
	copy_git update-index --assume-unchanged file
	in_parts
	grep -qx +EVIL <<<"$committed"
	grep -qxF '+$Id: left $' <<<"$left"
	# As does a project that has them already.
	ask
	apply
	grep -qx +EVIL < <("$workspace" diff --workspace "$w")
}

@test "goes on to show what was asked about when the copy says otherwise" {
	printf 'EVIL\n' >"$copy/file"
	copy_git commit -q -a -m evil
	ask
	copy_git reset -q --hard HEAD~1
	printf 'benign\n' >"$copy/file"
	copy_git commit -q -a -m benign
	in_parts
	[[ $committed == '# committed, from '*': what a yes brings back'*+EVIL*'nobody was asked about it yet'*-EVIL*+benign ]]
	apply
	[ "$(cat "$project/file")" = EVIL ]
}

@test "shows the files of a copy whose history is refused" {
	copy_git checkout -q --orphan new
	copy_git commit -q -m root
	copy_git update-ref refs/heads/main HEAD
	printf 'left\n' >"$copy/left"
	in_parts
	[[ $committed == '# '*'# committed, and not shown: '*'does not descend'* ]]
	grep -qx +left <<<"$left"
}

# shows_left WORD - the diff says with WORD why it has no commits, and has files
shows_left() {
	printf 'left\n' >"$copy/left"
	in_parts
	[[ $committed == '# committed, and not shown: '*"$1"* ]]
	grep -qx +left <<<"$left"
}

@test "refuses a history that does not descend from where it began" {
	copy_git checkout -q --orphan new
	copy_git commit -q -m root
	copy_git update-ref refs/heads/main HEAD
	refused 'does not descend'
	copy_git update-ref refs/heads/main "$(git -C "$project" rev-parse \
		HEAD~1)"
	refused 'does not descend'
}

@test "refuses a branch that is no commit" {
	blob=$(copy_git rev-parse HEAD:file)
	printf '%s\n' "$blob" >"$copy/.git/refs/heads/main"
	refused 'is no commit'
	printf '%040d\n' 7 >"$copy/.git/refs/heads/main"
	refused 'is no commit'
	printf 'ref: refs/heads/nowhere\n' >"$copy/.git/refs/heads/main"
	refused 'is no commit'
	rm "$copy/.git/refs/heads/main"
	: >"$copy/.git/packed-refs"
	refused 'is no commit'
}

# wrong_tree - such a tree, from the next lines of its entries, is refused; plain
# git takes it without a word, which is the control
wrong_tree() {
	raw_tree | commit_tree
	refused "$1"
	git -C "$BATS_TEST_TMPDIR/plain" fetch -q --upload-pack \
		"env GIT_ALTERNATE_OBJECT_DIRECTORIES=$project/.git/objects git-upload-pack" \
		"$copy" +main:main
	[ "$(git -C "$BATS_TEST_TMPDIR/plain" rev-parse main)" = "$(copy_git rev-parse main)" ]
	copy_git update-ref refs/heads/main "$(git -C "$project" rev-parse HEAD)"
}

@test "refuses trees that git would not make, each kind" {
	file=$(copy_git rev-parse HEAD:file)
	tree=$(copy_git rev-parse HEAD:dir)
	git clone -q --bare "$project" "$BATS_TEST_TMPDIR/plain"
	for name in .git .GIT .Git 'git~1' .. . 'a/b' '.g\xe2\x80\x8cit'; do
		wrong_tree 'its pack is not sound' <<<"40000 $tree $name"
	done
	for name in .git .GIT 'git~1'; do
		wrong_tree 'its pack is not sound' <<<"100644 $file $name"
		wrong_tree 'its pack is not sound' <<<"120000 $file $name"
	done
	wrong_tree 'gitmodulesSymlink' <<<"120000 $file .gitmodules"
	wrong_tree 'duplicate' <<<"100644 $file a"$'\n'"100644 $file a"
	wrong_tree 'duplicate' <<<"120000 $file a"$'\n'"40000 $tree a"
	wrong_tree 'not properly sorted' <<<"100644 $file b"$'\n'"100644 $file a"
	# The neighbour: a tree like these that is as git makes it.
	raw_tree <<<"100644 $file a"$'\n'"40000 $tree b" | commit_tree
	ask
	[ "$(field commits)" -eq 1 ]
}

@test "refuses modules whose address is a command" {
	printf '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=x\n' \
		>"$copy/.gitmodules"
	copy_git add .gitmodules
	copy_git commit -q -m modules
	refused 'its pack is not sound'
}

@test "refuses commits that lack an object" {
	printf 'gone\n' >"$copy/gone"
	copy_git add gone
	copy_git commit -q -m gone
	blob=$(copy_git rev-parse HEAD:gone)
	rm -f "$copy/.git/objects/${blob::2}/${blob:2}"
	refused 'cannot pack'
}

# thinly COMMAND... - where what is said to run in the sandbox makes its pack lean
# on objects that it does not bring, as a program that got at it could
thinly() {
	local at=$BATS_TEST_TMPDIR/thin
	if [ ! -e "$at" ]; then
		mkdir -p "$at/bin" "$at/libexec/chock" "$at/share"
		ln -s "$CHOCK_BUILD/share/chock" "$at/share/chock"
		cp "$workspace" "$at/libexec/chock"
		printf '#!/bin/bash\nexec %q "${@//--no-thin/--thin}"\n' \
			"$CHOCK_BUILD/bin/chock-spawn" >"$at/bin/chock-spawn"
		chmod +x "$at/bin/chock-spawn"
	fi
	workspace=$at/libexec/chock/chock-workspace "$@"
}

@test "refuses a pack that leans on what it does not bring, and completes none" {
	printf '%s\n' {1..2000} >"$project/large"
	here add large
	here commit -q -m large
	"$workspace" clear --workspace "$w" >/dev/null
	begin
	printf 'more\n' >>"$copy/large"
	copy_git commit -q -a -m more
	thinly refused 'its pack is not sound'
	thinly refused 'unresolved delta'
	# The control: git would have taken the rest from the project's objects.
	git clone -q --bare "$project" "$BATS_TEST_TMPDIR/plain"
	git -C "$BATS_TEST_TMPDIR/plain" index-pack --stdin --fix-thin \
		<"$w/incoming.pack"
	git -C "$BATS_TEST_TMPDIR/plain" show "$(copy_git rev-parse HEAD:large)" |
		cmp - "$copy/large"
	# The neighbour: a whole pack of the same.
	ask
	[ "$(field commits)" -eq 1 ]
}

@test "takes the real history, whatever grafts and replacements say" {
	work
	real=$(copy_git rev-parse 'HEAD^{tree}')
	fake=$(copy_git commit-tree -m fake "$(copy_git rev-parse 'HEAD~1^{tree}')")
	copy_git replace HEAD "$fake"
	printf '%s\n' "$(copy_git --no-replace-objects rev-parse HEAD)" \
		>"$copy/.git/info/grafts"
	# The control: plain git shows what was put in its place, without a parent.
	[ "$(copy_git log --format=%s)" = fake ]
	ask
	[ "$(field tree)" = "$real" ]
	[ "$(field commits)" -eq 1 ]
	[ "$(field other_count)" -ge 1 ]
}

@test "borrows from no store that the copy names" {
	other=$BATS_TEST_TMPDIR/other
	new_project "$other"
	printf 'a secret of the host\n' >"$other/secret"
	git -C "$other" add secret
	git -C "$other" commit -q -m secret
	printf '%s\n' "$other/.git/objects" \
		>>"$copy/.git/objects/info/alternates"
	git -C "$other" rev-parse HEAD >"$copy/.git/refs/heads/main"
	# The control: plain git reads it from there.
	[ "$(copy_git show main:secret)" = 'a secret of the host' ]
	refused 'is no commit'
}

@test "refuses a copy without a repository of its own" {
	work
	mv "$copy/.git" "$w/away"
	refused
	printf 'gitdir: %s\n' "$project/.git" >"$copy/.git"
	refused
	rm "$copy/.git"
	printf 'gitdir: %s\n' "$w/quarantine" >"$copy/.git"
	refused
	rm "$copy/.git"
	ln -s "$w/quarantine" "$copy/.git"
	refused
}

@test "ends a git that waits for ever" {
	work
	# A link that leads to it in a sandbox alone.
	mkfifo "$copy/fifo"
	ln -s "$project/fifo" "$copy/.git/refs/heads/x"
	refused 'took more than 1 second' --timeout 1s
	refused 'took more than 1 second' --timeout 1
}

@test "names a FIFO that git would open, and does not wait for it" {
	local path
	work
	ask
	for path in .gitignore dir/.gitattributes .mailmap .git/info/exclude \
		.git/packed-refs .git/shallow .git/refs/heads/x; do
		mkdir "$BATS_TEST_TMPDIR/kept"
		[ ! -e "$copy/$path" ] || mv "$copy/$path" "$BATS_TEST_TMPDIR/kept"
		mkfifo "$copy/$path"
		refused "'$path' in the copy is a FIFO, for which git would wait" --timeout 1d
		run -0 "$workspace" diff --workspace "$w" --timeout 1d
		[[ $output == *"# not committed, and not shown: '$path' in the copy is a FIFO, for which git would wait"* ]]
		rm "$copy/$path"
		[ ! -e "$BATS_TEST_TMPDIR/kept/${path##*/}" ] ||
			mv "$BATS_TEST_TMPDIR/kept/${path##*/}" "$copy/$path"
		rmdir "$BATS_TEST_TMPDIR/kept"
	done
	# By a link as well, where git follows one; its neighbours are none.
	mkfifo "$copy/fifo"
	ln -s ../../fifo "$copy/.git/info/attributes"
	refused "'.git/info/attributes' in the copy is a FIFO"
	rm "$copy/.git/info/attributes"
	ln -s ../fifo "$copy/dir/.gitignore"
	mkfifo "$copy/.git.x" "$copy/dir/x.git"
	ask
}

@test "takes a pack of the largest size that it may have, and no larger" {
	work
	ask
	size=$(stat -c %s "$w/incoming.pack")
	"$workspace" question --workspace "$w" --pack-max "$size" >/dev/null
	refused '--pack-max' --pack-max $((size - 1))
}

@test "refuses a small pack that unpacks to more than a disk should hold" {
	truncate -s 200M "$BATS_TEST_TMPDIR/zeros"
	blob=$(copy_git -c core.compression=1 hash-object -w -t blob \
		"$BATS_TEST_TMPDIR/zeros")
	for ((i = 0; i < 21; i++)); do
		printf '100644 blob %s\tf%02d\n' "$blob" "$i"
	done | copy_git mktree | commit_tree
	refused 'its files are more than'
	shows_left 'its files are more than'
}

# bomb MODE - the id of a tree of 10^10 paths, in ten objects, in which MODE is
# a directory's
bomb() {
	local tree i level
	tree=$(printf x | copy_git hash-object -w --stdin)
	tree=$(for i in {0..9}; do
		printf '100644 %s f%d\n' "$tree" "$i"
	done | raw_tree)
	for level in {1..9}; do
		tree=$(for i in {0..9}; do
			printf '%s %s d%d\n' "$1" "$tree" "$i"
		done | raw_tree)
	done
	printf '%s\n' "$tree"
}

@test "refuses a tree that stands for more paths than can be compared" {
	bomb 40000 | commit_tree
	refused "the commit of the copy's HEAD has more than 4000000 paths"
	shows_left "the commit of the copy's HEAD has more than 4000000 paths"
	# What the look inside does not go through.
	copy_git symbolic-ref HEAD refs/heads/other
	copy_git update-ref refs/heads/other main~1
	refused "a tree of it has more than 4000000 paths"
}

@test "knows a tree by its mode as git does, however it is written" {
	local mode
	copy_git update-ref refs/heads/other HEAD
	copy_git symbolic-ref HEAD refs/heads/other
	for mode in 40755 47777; do
		copy_git update-ref refs/heads/main other
		bomb "$mode" | commit_tree
		refused "a tree of it has more than 4000000 paths"
		copy_git update-ref refs/heads/side main
		copy_git update-ref refs/heads/main other
		run -1 --separate-stderr "$workspace" question --workspace "$w"
		[ "$(json .effect.also_not <<<"$output")" = "refs/heads/side: the session's work is refused: a tree of it has more than 4000000 paths" ]
		copy_git update-ref -d refs/heads/side
	done
}

@test "refuses a tree of too many paths that a later commit takes back" {
	local tree
	tree=$(copy_git rev-parse 'HEAD^{tree}')
	bomb 40000 | commit_tree
	copy_git update-ref refs/heads/main \
		"$(copy_git commit-tree -p main -m back "$tree")"
	refused "a tree of it has more than 4000000 paths"
}

@test "refuses a loose object that unpacks to more than it says" {
	local id
	printf 'small\n' >"$copy/small"
	copy_git add small
	copy_git commit -q -m small
	id=$(copy_git rev-parse HEAD:small)
	chmod -R u+w "$copy/.git/objects"
	cp "$copy/.git/objects/${id::2}/${id:2}" "$BATS_TEST_TMPDIR/sound"
	{
		printf 'blob 6\0'
		head -c 200M /dev/zero
	} | python3 -c 'import sys, zlib
z = zlib.compressobj(9)
while chunk := sys.stdin.buffer.read(1 << 20):
	sys.stdout.buffer.write(z.compress(chunk))
sys.stdout.buffer.write(z.flush())' \
		>"$copy/.git/objects/${id::2}/${id:2}"
	refused 'cannot pack'
	# The neighbour: the object as git wrote it.
	cp "$BATS_TEST_TMPDIR/sound" "$copy/.git/objects/${id::2}/${id:2}"
	ask
	[ "$(field commits)" -eq 1 ]
}

@test "waits for no FIFO in the place of a file, and lands none" {
	work
	rm "$copy/dir/other"
	mkfifo "$copy/dir/other" "$copy/fifo"
	cp -p "$project/dir/other" "$BATS_TEST_TMPDIR/other"
	# The control: who opens it waits.
	run -124 timeout 1 git hash-object "$copy/fifo"
	ask --timeout 20s
	[ "$(field commits)" -eq 1 ]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ -f "$project/dir/other" ]
	cmp "$project/dir/other" "$BATS_TEST_TMPDIR/other"
	[ ! -e "$project/fifo" ]
	[ "$(cat "$project/new")" = new ]
}

@test "names a symbolic link that leaves the tree, and lands it as a link" {
	outside=$BATS_TEST_TMPDIR/outside
	mkdir "$outside"
	printf 'mine\n' >"$outside/file"
	ln -s "$outside" "$copy/link"
	ln -s ../outside/file "$copy/up"
	copy_git add link up
	copy_git commit -q -m links
	before "$outside"
	ask
	[[ $(field detail) == *"A link"* ]]
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(readlink "$project/link")" = "$outside" ]
	unchanged "$outside"
}

@test "does not follow the copy where a link took its place" {
	work
	mv "$copy" "$w/away"
	ln -s "$project" "$copy"
	before "$project"
	run --separate-stderr "$workspace" question --workspace "$w"
	unchanged "$project"
	[ "$status" -eq 100 ]
	[[ $stderr == *"is not the directory that was made"* ]]
	"$workspace" clear --workspace "$w" >/dev/null
	unchanged "$project"
}

@test "shows no more of a long effect than a record holds" {
	blob=$(copy_git rev-parse HEAD:file)
	for ((i = 0; i < 8000; i++)); do
		printf '100644 blob %s\t%s%05d\n' \
			"$blob" \
			aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "$i"
	done >"$BATS_TEST_TMPDIR/entries"
	tree=$(copy_git mktree <"$BATS_TEST_TMPDIR/entries")
	printf '%3000000s' '' | tr ' ' x >"$BATS_TEST_TMPDIR/subject"
	copy_git update-ref refs/heads/main "$(copy_git commit-tree -p HEAD \
		-F "$BATS_TEST_TMPDIR/subject" "$tree")"
	ask
	[ "${#question}" -lt 1048576 ]
	[ "$(field file_count)" -eq 8004 ]
	[[ $(field detail) == *" more, which the diff shows"* ]]
	[[ $(field detail) == *"xxx..."* ]]
}

@test "takes lists and differences up to their largest size, and no larger" {
	id=$(copy_git rev-parse HEAD)
	name=$(printf '%200s' '' | tr ' ' r)
	lines() {
		awk -v id="$id" -v name="$name" -v count="$1" 'BEGIN {
			for (i = 0; i < count; i++)
				printf "%s refs/tags/%s%06d\n", id, name, i
		}' >"$copy/.git/packed-refs"
	}
	# A line is 258 bytes, and 65027 of them are just under 16 MiB.
	printf '%s\n' "$id" >"$copy/.git/refs/heads/main"
	lines 65020
	run -1 --separate-stderr "$workspace" question --workspace "$w"
	[ "$(json .effect.other_count <<<"$output")" -eq 65020 ]
	lines 65100
	refused 'printed more than is taken'
	: >"$copy/.git/packed-refs"
	for size in $((8 << 20)) $(((8 << 20) + 16)); do
		yes 'sixteen bytes..' | head -c "$size" >"$copy/file"
		"$workspace" diff --workspace "$w" >"$BATS_TEST_TMPDIR/diff$size"
	done
	[ "$(grep -c '^+sixteen bytes..$' "$BATS_TEST_TMPDIR/diff8388608")" -eq 524288 ]
	grep -qx 'Binary files a/file and b/file differ' \
		"$BATS_TEST_TMPDIR/diff8388624"
}

@test "does not look for ever at a small tree that stands for a million million files" {
	local tree i
	tree=$(copy_git mktree </dev/null)
	for ((i = 0; i < 40; i++)); do
		tree=$(printf '040000 tree %s\ta\n040000 tree %s\tb\n' \
			"$tree" "$tree" | copy_git mktree)
	done
	copy_git checkout -q --detach
	commit_tree <<<"$tree"
	refused '' --timeout 2
}

@test "counts a commit that only a detached HEAD leads to as work" {
	copy_git checkout -q --detach
	copy_git commit -q --allow-empty -m alone
	run -1 "$workspace" question --workspace "$w"
	[ "$(json '.effect.others | join(" ")' <<<"$output")" = HEAD ]
}
