#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What a policy hides of a project is not in the copy that a run works on: not
# as a file, not in an object of its repository, not through its history; and a
# commit neither changes it nor brings its bytes back by another name.

load lib/chock
load lib/project

SECRET=the-bytes-that-are-hidden

setup() {
	export HOME=$BATS_TEST_TMPDIR/home GIT_CONFIG_GLOBAL=$BATS_TEST_TMPDIR/gitconfig
	unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME
	mkdir -p "$HOME"
	git config --global user.name Tester
	git config --global user.email tester@example.org
	project="$BATS_TEST_TMPDIR/a project"
	make_project "$project"
	cd "$project" || return
	mkdir -p keys dir
	printf '%s\n' "$SECRET" >.env
	printf '%s 2\n' "$SECRET" >keys/id
	printf '%s 3\n' "$SECRET" >dir/x.pem
	printf 'plain\n' >dir/plain
	git add -A
	git commit -qm 'with secrets'
	policy=$BATS_TEST_TMPDIR/hiding.policy
	printf 'include base\nallow workspace.*\nhide .env\nhide keys/**\nhide **/*.pem\n' >"$policy"
}

# run_chock STATUS ARGUMENT... - chock run with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

# hiding STATUS SCRIPT - in a session for which all three are hidden
hiding() {
	run_chock "$1" --policy "$policy" ${dirty:+--allow-dirty} -- sh -c "$2"
}

# Every byte that git has, and every file, for the bytes that are looked for.
search='
	git cat-file --batch --batch-all-objects 2>/dev/null | grep -ac the-bytes
	git log -p --all 2>/dev/null | grep -ac the-bytes
	grep -rac the-bytes . /run/chock 2>/dev/null | grep -v ":0$" | wc -l
	cat /proc/[0-9]*/root"$PWD"/.env 2>/dev/null | grep -ac the-bytes
	true'

@test "finds the bytes in each of these places where nothing hides them" {
	run_chock 0 --policy base -- sh -c "$search"
	[ "${lines[0]}" -ge 3 ]
	[ "${lines[1]}" -ge 3 ]
	[ "${lines[2]}" -ge 3 ]
	[ "${lines[3]}" -ge 1 ]
}

@test "has the bytes in no file, no object and no history of the copy" {
	hiding 0 "$search"
	[ "$output" = $'0\n0\n0\n0' ]
	[[ $stderr == *'its history ends there, for something in it is hidden'* ]]
	hiding 0 'cat .env keys/id dir/x.pem'
	[ "$(sort -u <<<"$output")" = 'hidden by policy: a commit keeps this file as it was' ]
	hiding 0 'cat a dir/plain'
	[ "$output" = $'one\nplain' ]
}

@test "has no object of the project's store within reach" {
	local id
	id=$(git rev-parse HEAD:.env)
	run_chock 0 --policy base -- git cat-file blob "$id"
	[ "$output" = "$SECRET" ]
	hiding 1 "git cat-file -e $id || exit 1"
	[[ $stderr == *hidden-by-policy* ]]
	hiding 128 "git show HEAD:.env"
	hiding 0 'test ! -e /run/chock/objects && test ! -e .git/objects/info/alternates'
	hiding 1 "git rev-parse -q --verify HEAD~1 || exit 1"
}

@test "has no branch, tag or stash that leads to the bytes" {
	git tag old
	git rm -q --cached .env keys/id dir/x.pem
	rm -r .env keys dir/x.pem
	git commit -qm 'without'
	git branch other old
	hiding 0 "$search; git for-each-ref --format='%(refname)'"
	[ "$output" = $'0\n0\n0\n0\nrefs/heads/main' ]
}

@test "keeps the whole history where nothing hidden was ever in it" {
	printf 'include base\nallow workspace.*\nhide never\nhide no/**\nhide **/*.none\n' >"$policy"
	git branch other HEAD~1
	git tag -a -m note noted HEAD~1
	hiding 0 'git log --oneline | wc -l; git for-each-ref --format="%(refname)"
		git fsck --strict && test ! -e .git/shallow
		test ! -e /run/chock/objects && test ! -e .git/objects/info/alternates'
	[ "$output" = $'2\nrefs/heads/main\nrefs/heads/other\nrefs/tags/noted' ]
	[[ $stderr != *'history ends'* ]]
	hiding 0 'echo two >>a; git commit -qam work'
	[ "$(git log -1 --format=%s)" = work ]
}

# unseen - a session with no hide has the bytes, and one with $policy has not
unseen() {
	local look='git cat-file --batch --batch-all-objects | grep -ac elsewhere; true'
	run_chock 0 --policy base -- sh -c "$look"
	[ "$output" -ge 1 ]
	hiding 0 "$look; git log --oneline | wc -l"
	[ "$output" = $'0\n'"$1" ]
}

@test "has nothing of the store that no branch leads to, and keeps the log" {
	local id
	printf 'include base\nhide never/**\nhide **/*.never\n' >"$policy"
	# Stashed and taken back: in no reference, reflog or index.
	mkdir -p never
	printf '%s elsewhere\n' "$SECRET" >never/x
	git stash -q -u
	git stash pop -q
	unseen 2
	printf 'another\n' >never/x
	unseen 2
	# A pattern's, added and reset.
	printf '%s elsewhere 2\n' "$SECRET" >a.never
	git add -f a.never
	git reset -q
	unseen 2
	# References that lead to no commit.
	id=$(printf '%s elsewhere 3\n' "$SECRET" | git hash-object -w --stdin)
	git tag blob "$id"
	git tag -a -m 'of a file' annotated "$id"
	git tag tree "$(printf '100644 blob %s\tx.never\n' "$id" | git mktree)"
	unseen 2
}

@test "has nothing of another working tree's index, or of a reflog" {
	printf 'include base\nhide **/*.never\n' >"$policy"
	git worktree add -q "$BATS_TEST_TMPDIR/beside"
	printf '%s elsewhere\n' "$SECRET" >"$BATS_TEST_TMPDIR/beside/x.never"
	git -C "$BATS_TEST_TMPDIR/beside" add x.never
	unseen 2
	git -C "$BATS_TEST_TMPDIR/beside" commit -qm never
	git -C "$BATS_TEST_TMPDIR/beside" reset -q --hard HEAD~1
	unseen 2
}

@test "has nothing of the history of a store that the project borrows" {
	printf 'include base\nhide **/*.never\n' >"$policy"
	git clone -q -s . "$BATS_TEST_TMPDIR/borrows"
	printf '%s elsewhere\n' "$SECRET" >x.never
	git add x.never
	git commit -qm never
	cd "$BATS_TEST_TMPDIR/borrows"
	unseen 2
}

@test "has nothing from beyond the border of a shallow clone" {
	printf 'include base\nhide **/*.never\n' >"$policy"
	printf '%s elsewhere\n' "$SECRET" >x.never
	git add x.never
	git commit -qm never
	git rm -q x.never
	git commit -qm gone
	echo three >>a
	git commit -qam third
	git clone -q --no-local . "$BATS_TEST_TMPDIR/shallow"
	cd "$BATS_TEST_TMPDIR/shallow"
	git fetch -q --depth 1
	unseen 1
	hiding 0 'test -e .git/shallow && git fsck'
	[[ $stderr != *'history ends'* ]]
}

@test "cuts a history that had a hidden path, or its bytes by another name" {
	printf 'include base\nhide merged\nhide .kept\n' >"$policy"
	# A merge alone brought it.
	git checkout -q -b side HEAD~1
	git commit -q --allow-empty -m side
	git checkout -q main
	git merge -q --no-commit --no-ff side
	echo "$SECRET elsewhere" >merged
	git add merged
	git commit -qm merge
	git rm -q merged
	git commit -qm gone
	unseen 1
	[[ $stderr == *'its history ends there'* ]]
	git reset -q --hard HEAD~2
	echo "$SECRET elsewhere" >moved
	git add moved
	git commit -qm moved
	git mv moved .kept
	git rm -q --cached .kept
	git commit -qm gone
	unseen 1
	[[ $stderr == *'its history ends there'* ]]
	# What was changed since is another's.
	echo other >.kept
	hiding 0 'git log --oneline | wc -l'
	[ "$output" = 4 ]
}

@test "cuts the history where hidden files are too many to be read, or too big" {
	printf 'include base\nhide big\nhide many\n' >"$policy"
	truncate -s 257M big
	hiding 0 'git log --oneline | wc -l'
	[ "$output" = 1 ]
	[[ $stderr == *'its history ends there, for something in it may be hidden: not all hidden files could be read'* ]]
	truncate -s 100 big
	hiding 0 'git log --oneline | wc -l'
	[ "$output" = 2 ]
	mkdir many
	(cd many && seq -f 'f%g' 10001 | xargs sh -c 'for f; do echo x >$f; done' -)
	hiding 0 'git log --oneline | wc -l'
	[ "$output" = 1 ]
}

@test "leaves a file with the bytes of a hidden one behind, and names it" {
	dirty=yes
	cp .env backup.env
	printf '%s\n' "$SECRET" >a
	printf '%s new\n' "$SECRET" >keys/new
	cp keys/new b
	echo plain >c
	hiding 0 "$search; cat a c; test ! -e backup.env && test ! -e b"
	[ "$output" = $'0\n0\n0\n0\none\nplain' ]
	local name
	for name in backup.env a b; do
		[[ $stderr == *"'$name' was left behind, for it has the bytes of a hidden file"* ]]
	done
	[[ $stderr != *"'c'"* ]]
}

@test "does not take empty files for those of a hidden one" {
	dirty=yes
	: >keys/none
	: >none
	git add -A
	git commit -qm none
	: >new
	hiding 0 'test -e none && test -e new && : >newer && git add newer && git commit -qm work'
	[ "$(git log -1 --format=%s)" = work ]
}

@test "has nothing of what was added and not committed, or taken back" {
	printf 'include base\nhide never\n' >"$policy"
	printf '%s never\n' "$SECRET" >never
	git add never
	local look='git cat-file --batch --batch-all-objects | grep -ac "the-bytes.* never"; true'
	run_chock 0 --policy base -- sh -c "$look"
	[ "$output" = 1 ]
	hiding 0 "$look"
	[ "$output" = 0 ]
	git rm -q --cached never
	run_chock 0 --policy base -- sh -c "$look"
	[ "$output" = 1 ]
	hiding 0 "$look"
	[ "$output" = 0 ]
	git prune --expire=now
	hiding 0 'git log --oneline | wc -l'
	[ "$output" = 2 ]
}

@test "leaves hidden files behind that are not committed" {
	dirty=yes
	printf '%s changed\n' "$SECRET" >>.env
	printf '%s new\n' "$SECRET" >keys/new
	printf 'changed\n' >>dir/plain
	printf '%s\n' "$SECRET" >new.pem
	hiding 0 "$search"
	[ "$output" = $'0\n0\n0\n0' ]
	hiding 0 'cat dir/plain .env; test ! -e keys/new && test ! -e new.pem'
	[ "$output" = $'plain\nchanged\nhidden by policy: a commit keeps this file as it was' ]
}

@test "lets git work, and commits what is hidden as it was" {
	local before
	before=$(git ls-tree -r HEAD | grep -vP '\ta$')
	hiding 0 'set -e
		test -z "$(git status --porcelain)"
		git diff --exit-code
		echo two >>a
		git stash -q && git stash pop -q
		git checkout -q -b side && git checkout -q main
		git add -A && git commit -qm work
		git gc -q && git fsck 2>/dev/null
		test -z "$(git status --porcelain)"'
	[[ $stderr != *waits* ]]
	[ "$(git log -1 --format=%s)" = work ]
	[ "$(git ls-tree -r HEAD | grep -vP '\ta$')" = "$before" ]
	[ "$(cat .env)" = "$SECRET" ]
	[ -z "$(git status --porcelain)" ]
}

# state - the project's files, branch and index
state() {
	find . -path ./.git -prune -o -printf '%P %y %m %T@ %C@ %l\n' | sort
	find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
	sha256sum .git/index .git/HEAD
	git rev-parse HEAD
}

# parks SCRIPT REASON - its work waits, and the project is as it was
parks() {
	local before
	before=$(state)
	hiding 0 "$1"
	[[ $stderr == *"  waits     $2"* ]]
	[ "$(state)" = "$before" ]
}

@test "parks what changes, removes or adds a hidden path" {
	parks 'git update-index --no-skip-worktree .env
		echo planted >.env; git commit -qam bad' \
		"'.env' is hidden, and the work changes it"
	parks 'git rm -q --cached --sparse keys/id; git commit -qm bad' \
		"'keys/id' is hidden, and the work changes it"
	parks 'mkdir -p q; echo x >q/new.pem; git add -A; git commit -qm bad' \
		"'q/new.pem' is hidden, and the work changes it"
}

@test "parks what takes it back in the next commit" {
	parks 'echo x >new.pem; git add new.pem; git commit -qm bad
		git rm -q new.pem; git commit -qm good' \
		"'new.pem' is hidden, and the work changes it"
}

# A tree can name what is not there; only its bytes are hidden.
@test "parks a hidden file's bytes by another name" {
	parks 'id=$(git rev-parse HEAD:.env)
		tree=$({ git ls-tree HEAD; printf "100644 blob %s\tleak\n" "$id"; } |
			sort -k 4 | git mktree --missing)
		git reset -q --soft "$(git commit-tree -p HEAD -m bad "$tree")"' \
		"'leak' would have the bytes of a hidden file"
}

@test "refuses to hide what another file has as well" {
	cp .env copy-of-it
	git add -A
	git commit -qm 'the same twice'
	hiding 100 true
	[[ $stderr == *"cannot hide '.env', as 'hide .env' says: 'copy-of-it' has the same bytes and is not hidden; hide that as well, or change one of the two" ]]
	# As well where the hidden one was never committed.
	printf 'include base\nhide **/*.never\n' >"$policy"
	cp a x.never
	hiding 100 true
	[[ $stderr == *"cannot hide 'x.never', as 'hide **/*.never' says: 'a' has"* ]]
}

@test "refuses to hide attributes, which git reads to write other files" {
	printf '* text\n' >dir/.gitattributes
	git add dir/.gitattributes
	git commit -qm attributes
	printf 'include base\nhide dir/.git*\n' >"$policy"
	hiding 100 true
	[[ $stderr == *"cannot hide 'dir/.gitattributes', as 'hide dir/.git*' says: git has to read it to write the other files"* ]]
	# The neighbour: one that is in no commit is not git's to read.
	git rm -q dir/.gitattributes
	git commit -qm gone
	mkdir -p dir
	printf '* text\n' >dir/.gitattributes
	hiding 0 'ls -A dir'
	[ "$output" = $'plain\nx.pem' ]
}

@test "refuses to hide all files of the commit" {
	printf 'include base\nhide *\n' >"$policy"
	hiding 100 true
	[[ $stderr == *'cannot hide all '*' files of the commit: nothing is left to work on; hide less' ]]
}

@test "refuses a way that leads over a link, in the commit or beside it" {
	ln -s keys link
	printf 'include base\nhide link/id\n' >"$policy"
	hiding 100 true
	[[ $stderr == *"cannot hide 'link/id': 'link' is a symbolic link; hide what it leads to" ]]
	git add -A
	git commit -qm 'a link'
	rm link
	mkdir link
	hiding 100 true
	[[ $stderr == *"'link' is a symbolic link"* ]]
}

@test "refuses to hide all, and patterns that nothing reads" {
	printf 'include base\nhide @project@\n' >"$policy"
	hiding 100 true
	[[ $stderr == *"$policy:2:1: cannot hide the project from a run in it" ]]
	for path in .git @project@/.git; do
		printf 'include base\nhide %s\n' "$path" >"$policy"
		hiding 100 true
		[[ $stderr == *"cannot hide '.git"*"a copy has a repository of its own there"* ]]
	done
	printf 'include base\nhide key?\n' >"$policy"
	hiding 100 true
	[[ $stderr == *"$policy:2:1: cannot hide the pattern 'key?': of what stands for other bytes, only * and ** are held" ]]
	run -100 --separate-stderr chock-spawn --policy base --hidden-in-copy -- true
	[ "$stderr" = 'chock-spawn: --hidden-in-copy goes with --copy only' ]
	# Where there is no copy, a mount has to cover it.
	printf 'include base\nhide *.pem\n' >"$policy"
	run -100 --separate-stderr chock-spawn --policy "$policy" --project . -- true
	[[ $stderr == *"$policy:2:1: cannot hide the pattern '*.pem', only a path or DIR/**; a pattern is hidden in the copy that 'chock run' makes of a project in git" ]]
}

@test "hides by a path from the root, by the home, and by a link to the project" {
	local word
	ln -s "$project" "$HOME/link"
	for word in "\"$project/.env\"" '@project@/.env' \~/link/.env; do
		printf 'include base\nhide %s\n' "$word" >"$policy"
		hiding 0 'cat .env'
		[ "$output" = 'hidden by policy: a commit keeps this file as it was' ]
	done
}

@test "hides what a ceiling and a project that is not trusted hide" {
	printf 'hide .env\n' >"$BATS_TEST_TMPDIR/ceiling.policy"
	run_chock 0 --policy base --ceiling "$BATS_TEST_TMPDIR/ceiling.policy" -- cat .env
	[[ $output == 'hidden by policy'* ]]
	printf 'hide .env\n' >chock.policy
	run_chock 0 -- cat .env
	[[ $output == 'hidden by policy'* ]]
}

@test "hides without namespaces as well" {
	require landlock
	run_chock 0 --driver landlock --policy "$policy" -- sh -c "$search"
	[ "$output" = $'0\n0\n0\n0' ]
}

@test "hides in a project of SHA-256, and in one without a commit" {
	local other=$BATS_TEST_TMPDIR/other
	git init -q -b main --object-format=sha256 "$other"
	cd "$other"
	printf '%s\n' "$SECRET" >.env
	printf 'one\n' >a
	git add -A
	hiding 0 "$search"
	[ "$output" = $'0\n0\n0\n0' ]
	git commit -qm first
	hiding 0 "$search; echo two >>a; git commit -qam work"
	[ "$output" = $'0\n0\n0\n0' ]
	[ "$(git log -1 --format=%s)" = work ]
}

@test "leaves project and .git as they are when nothing is applied" {
	local before
	before=$(manifest "$project")
	hiding 0 'true'
	[ "$(manifest "$project")" = "$before" ]
}

@test "hides 4000 files as it does a few" {
	mkdir many
	for ((i = 0; i < 4000; i++)); do
		printf '%s %d\n' "$SECRET" "$i" >"many/$i.pem"
	done
	git add -A
	git commit -qm many
	hiding 0 "$search; ls many | wc -l; git status --porcelain | wc -l"
	[ "$output" = $'0\n0\n0\n0\n4000\n0' ]
}
