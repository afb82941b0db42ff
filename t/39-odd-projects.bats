#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Projects of which nobody thinks: a home, with all that is chock's own in it; a
# directory that git knows nothing of; another's repository; names of any bytes
#
#	home/       $HOME, and a project where a test makes it one
#	own.policy  allows what a session may do

load lib/chock
load lib/project

setup() {
	require userns landlock
	unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME XDG_CACHE_HOME
	own=.local/state/chock
	policy=$BATS_TEST_TMPDIR/own.policy
	printf 'include base\nallow workspace.*\n' >"$policy"
}

# run_in DIR STATUS ARGUMENT... - chock run there, with nobody to answer
run_in() {
	local dir=$1 status=$2
	shift 2
	cd "$dir" || return
	run "-$status" --separate-stderr setsid -w chock run -p "$policy" "$@" \
		</dev/null
}

# home_in_git - $HOME is a project, with a file
home_in_git() {
	printf 'one\n' >"$HOME/.profile"
	commit_all "$HOME"
}

# log_of_run - where the run that was has its log
log_of_run() {
	sed -n 's/^  log       //p' <<<"$stderr"
}

@test "works in a home that is kept in git, with all its state in there" {
	home_in_git
	run_in "$HOME" 0 --yes -- sh -ec 'echo two >>.profile
		git commit -qam two; git status --porcelain; pwd; ls -A'
	[ "$output" = "$HOME"$'\n.git\n.profile' ]
	[ "$(cat "$HOME/.profile")" = $'one\ntwo' ]
	[[ $(log_of_run) == "$HOME/$own/"* ]]
	[ -s "$(log_of_run)" ]
	# The session's own workspace, and the log, are no files left behind.
	[[ $stderr != *'left behind'* ]]
	[ -z "$(git -C "$HOME" ls-files --others --directory | grep -v '^\.local/$')" ]
}

@test "copies nothing that is its own out of a home" {
	home_in_git
	mkdir -p "$HOME/.config/chock" "$HOME/.local/share/chock"
	printf 'mine\n' | tee "$HOME/untracked" "$HOME/.config/chock/a.policy" \
		>"$HOME/.local/share/chock/b"
	run_in "$HOME" 0 --allow-dirty -- find . -type f -not -path './.git/*'
	[ "$(sort <<<"$output")" = $'./.profile\n./untracked' ]
	run_in "$HOME" 0 -- true
	[[ $stderr == *'1 untracked file was left behind'* ]]
}

# keeps PATH - work that makes it stays at its reference, and lands nowhere
keeps() {
	run_in "$HOME" 0 --yes -- sh -ec 'mkdir -p "$(dirname "$1")"
		echo bad >"$1"; git add -f "$1"; git commit -qm bad' - "$1"
	[[ $stderr == *"'$1' is chock's own, and nothing lands there"* ]]
	[ "$(git -C "$HOME" for-each-ref refs/chock | wc -l)" -eq "$2" ]
	[ "$(git -C "$HOME" rev-list --count HEAD)" -eq 1 ]
}

@test "leaves what is staged of its own as it is, where work lands" {
	home_in_git
	mkdir -p "$HOME/.config/chock"
	printf 'mine\n' >"$HOME/.config/chock/a.policy"
	git -C "$HOME" add -f .config/chock/a.policy
	run_in "$HOME" 0 --yes -- sh -ec 'echo good >x; git add x
		git commit -qm good'
	[ "$(cat "$HOME/x")" = good ]
	[ "$(cat "$HOME/.config/chock/a.policy")" = mine ]
	[ "$(git -C "$HOME" diff --cached --name-status)" = \
		$'A\t.config/chock/a.policy' ]
}

@test "lands nothing in what is its own" {
	home_in_git
	keeps .config/chock/own.policy 1
	keeps "$own/x" 2
	keeps .LOCAL/state/CHOCK/x 3
	keeps .local/share/chock 4
	[ ! -e "$HOME/.config" ]
	[ ! -e "$HOME/.LOCAL" ]
	[ ! -e "$HOME/$own/x" ]
	# The neighbour.
	run_in "$HOME" 0 --yes -- sh -ec 'mkdir -p .config/chocks
		echo good >.config/chocks/x; git add .; git commit -qm good'
	[ "$(cat "$HOME/.config/chocks/x")" = good ]
}

@test "finds what is its own by the names of links, too" {
	mkdir "$HOME/real"
	ln -s real "$HOME/.config"
	home_in_git
	keeps real/chock/own.policy 1
	[ ! -e "$HOME/real/chock" ]
}

@test "binds nothing that is its own" {
	local bind
	home_in_git
	mkdir -p "$HOME/.config/chock"
	printf 'mine\n' >"$HOME/.config/chock/a.policy"
	printf 'mine\n' >"$HOME/.config/other"
	for bind in .config '.config/chock' '.config/chock/*' .local; do
		printf 'include base\nallow workspace.*\nbind %s copy\n' "$bind" \
			>"$policy"
		case $bind in
		*'*')
			run_in "$HOME" 0 --yes -- test ! -e .config
			[[ $stderr == *"nothing to bind matches '$bind'"* ]]
			;;
		*)
			run_in "$HOME" 100 --yes -- true
			[[ $stderr == *"$policy:3:1: cannot bind '$bind': chock's own files are in it"* ]]
			;;
		esac
	done
	printf 'include base\nallow workspace.*\nbind .config/other copy\n' \
		>"$policy"
	run_in "$HOME" 0 --yes -- sh -c 'echo new >.config/other'
	[ "$(cat "$HOME/.config/other")" = new ]
}

@test "refuses a home without git, and says what can be done" {
	run_in "$HOME" 100 -- true
	[[ $stderr == *"a workspace never lies in its project; run it in a directory below '$HOME', or have XDG_STATE_HOME and XDG_DATA_HOME name others outside" ]]
	[ -z "$(find "$HOME/$own" -name state)" ]
	require overlay
	mkdir "$HOME/below"
	run_in "$HOME/below" 0 --yes -- sh -c 'echo new >file'
	[ "$(cat "$HOME/below/file")" = new ]
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	export XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	run_in "$HOME" 125 -- true
	[[ $stderr == *" in it is not there to be covered; make it first" ]]
	mkdir -p "$HOME/.config/chock"
	run_in "$HOME" 0 --yes -- sh -c 'echo new >file'
	[ "$(cat "$HOME/file")" = new ]
}

@test "refuses all there is as a project" {
	run_in / 100 -- true
	[[ $stderr == *"cannot use '/': all there is would be the project; run it in a directory" ]]
}

@test "never has a workspace in a repository, or where another names it" {
	project=$BATS_TEST_TMPDIR/project
	make_project "$project"
	for place in "$project/.git/w" "$project/w" "$project/dir/w"; do
		mkdir -p "$project/dir"
		run -100 --separate-stderr "$libexec/chock-workspace" create \
			-s s1 -w "$place" "$project"
		[[ $stderr == *'a workspace never lies in its project; '* ]]
		[ ! -e "$place" ]
	done
}

@test "starts in a directory that git does not have, and says that it is empty" {
	project=$BATS_TEST_TMPDIR/project
	make_project "$project"
	mkdir -p "$project/out/deep" "$project/ignored"
	printf 'ignored\n' >"$project/.gitignore"
	git -C "$project" add .
	git -C "$project" commit -qm ignored
	printf 'mine\n' | tee "$project/out/deep/file" >"$project/ignored/file"
	for dir in out/deep ignored; do
		run_in "$project/$dir" 0 --yes -- sh -ec 'pwd; ls -A; echo x >x
			git add -f x; git commit -qm x'
		[ "$output" = "$project/$dir" ]
		[[ $stderr == *"git has nothing in '$dir', and it is empty in the copy"* ]]
		[ "$(cat "$project/$dir/x" "$project/$dir/file")" = $'x\nmine' ]
	done
	run_in "$project" 0 -- pwd
	[[ $stderr != *'is empty in the copy'* ]]
	run_in "$project/out" 0 --driver landlock -- sh -c 'ls deep'
	[ "$output" = x ]
	# A link of the session's commit is not followed.
	rm -r "$project/out"
	ln -s "$BATS_TEST_TMPDIR" "$project/out"
	git -C "$project" add -A
	git -C "$project" commit -qm link
	rm "$project/out"
	mkdir -p "$project/out/deep"
	run_in "$project/out/deep" 100 -- true
	[[ $stderr == *"cannot make a place for 'out/deep'"* ]]
	[ -z "$(find "$HOME/$own/sessions" -name state)" ]
}

@test "shows what a bind has carried into the directory that it starts in" {
	project=$BATS_TEST_TMPDIR/project
	make_project "$project"
	mkdir "$project/out"
	printf 'mine\n' >"$project/out/file"
	printf 'include base\nallow workspace.*\nbind out temp_copy\n' >"$policy"
	run_in "$project/out" 0 -- cat file
	[ "$output" = mine ]
	[[ $stderr != *'is empty in the copy'* ]]
}

@test "says how another's repository comes to be trusted" {
	require root
	project="$BATS_TEST_TMPDIR/a project"
	make_project "$project"
	chown -R 65534:65534 "$project"
	run_in "$project" 100 -- true
	line="git config --global --add safe.directory '$project'"
	[[ $stderr == *"cannot use '.': dubious ownership, it is another user's; '$line' trusts it" ]]
	sh -c "$line"
	run_in "$project" 0 -- true
}

@test "commits for a project that a group shares, which stays shared" {
	make_project "$BATS_TEST_TMPDIR/ours"
	git -C "$BATS_TEST_TMPDIR/ours" config core.sharedRepository group
	find "$BATS_TEST_TMPDIR/ours/.git" | sort >"$BATS_TEST_TMPDIR/old"
	run_in "$BATS_TEST_TMPDIR/ours" 0 --yes -- sh -ec 'mkdir -p sub/dir
		echo two >sub/dir/file; git add .; git commit -qm two; git gc -q'
	[ "$(git log -1 --format=%s)" = two ]
	[ "$(cat sub/dir/file)" = two ]
	find "$PWD/.git" | sort | comm -13 "$BATS_TEST_TMPDIR/old" - |
		tr '\n' '\0' >"$BATS_TEST_TMPDIR/new"
	run -0 find -files0-from "$BATS_TEST_TMPDIR/new" -maxdepth 0 -type d \
		-perm -2070
	[[ $output == *"$PWD/.git/refs/chock" ]]
	run -0 find -files0-from "$BATS_TEST_TMPDIR/new" -maxdepth 0 \
		\( -type d -not -perm -2070 -o -type f -not -perm -040 \)
	[ -z "$output" ]
	# In a sandbox alone no directory of git's can be set-gid.
	run -1 chock-spawn -p base --write . -- sh -c \
		'git rev-parse HEAD >x; git add x; git commit -qm three'
	[[ $output == *'Operation not permitted'* ]]
}

@test "works in directories by any name" {
	local name
	local names=('a b' $'new\nline' $'end\n' "$(printf 'x%.0s' {1..255})"
	$'bad\xff\xfeutf' '-rf' 'a:b' 'a,b\c' "\$(x)" "q'q" '*')
	for name in "${names[@]}"; do
		project=$BATS_TEST_TMPDIR/names/$name
		printf '%q\n' "$name"
		make_project "$project"
		run_in "$project" 0 --yes -- sh -ec 'echo new >a
			git commit -qam new'
		[ "$(cat "$project/a")" = new ]
	done
}

@test "works in directories by any name without git" {
	local name
	require overlay
	for name in 'a b' $'new\nline' $'end\n' "$(printf 'x%.0s' {1..255})" \
		$'bad\xff\xfeutf' '-rf' 'a:b' 'a,b\c' "\$(x)" "q'q" '*'; do
		project=$BATS_TEST_TMPDIR/names/$name
		printf '%q\n' "$name"
		mkdir -p "$project"
		run_in "$project" 0 --yes -- sh -c 'echo new >a'
		[ "$(cat "$project/a")" = new ]
	done
}

# on_fuse SCRIPT... - with the directory back/ shown at at/ by bindfs(1), where
# only this test sees it
on_fuse() {
	require root
	command -v bindfs >/dev/null && [ -c /dev/fuse ] ||
		skip 'nothing measured: no bindfs, or no /dev/fuse'
	mkdir -p "$BATS_TEST_TMPDIR/back" "$BATS_TEST_TMPDIR/at"
	cd "$BATS_TEST_TMPDIR" || return
	# shellcheck disable=SC2016
	run -0 unshare --mount --propagation private bash -euc '
		bindfs back at
		trap "umount -l \"\$OLD/at\"" EXIT
		OLD=$PWD
		'"$1"
	printf '%s\n' "$output"
}

# closed_top DIR - the session's last act there is that nobody may go in
closed_top() {
	local id mode
	mode=$(stat -c %a "$1")
	run_in "$1" 0 --apply park -- sh -ec 'echo work >new; [ ! -e .git ] || chmod 0 .git
		chmod 0 .'
	id=$(sed -n 's/^chock-run: session //p' <<<"$stderr")
	chock workspace diff "$id" | grep -q '\bnew$'
	chock workspace export "$id" | tar -xOf - files/new | grep -qx work
	chock workspace adopt "$id"
	[ "$(cat .chock-adopted/*/files/new)" = work ]
	run_in "$1" 0 --yes -- sh -ec 'echo two >two
		[ ! -e .git ] || { git add two && git commit -qm two; }
		chmod 0 .'
	[ "$(cat two)" = two ]
	[ "$(stat -c %a .)" = "$mode" ]
}

@test "brings back work from a directory that the session closed" {
	mkdir "$BATS_TEST_TMPDIR/plain"
	printf 'x\n' >"$BATS_TEST_TMPDIR/plain/x"
	closed_top "$BATS_TEST_TMPDIR/plain"
	make_project "$BATS_TEST_TMPDIR/p"
	closed_top "$BATS_TEST_TMPDIR/p"
}

@test "works in a git project on a FUSE file system" {
	make_project "$BATS_TEST_TMPDIR/back/project"
	on_fuse 'cd at/project; p=$OLDPWD/own.policy
		setsid -w chock run -p "$p" --yes -- sh -ec \
			"echo new >a; git commit -qam new" </dev/null
		cd ../..'
	[ "$(cat "$BATS_TEST_TMPDIR/back/project/a")" = new ]
}

@test "has its state on a FUSE file system, and clears it there" {
	make_project "$BATS_TEST_TMPDIR/project"
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/at/state
	mkdir -p "$BATS_TEST_TMPDIR/back/state"
	on_fuse 'cd project; setsid -w chock run -p ../own.policy --yes -- sh -ec \
		"echo new >a; git commit -qam new" </dev/null; cd ..'
	[ "$(cat "$BATS_TEST_TMPDIR/project/a")" = new ]
	[ -z "$(find "$BATS_TEST_TMPDIR/back/state" -name copy)" ]
}

@test "refuses a directory without git on a FUSE file system" {
	mkdir -p "$BATS_TEST_TMPDIR/back/plain"
	on_fuse 'cd at/plain; code=0
		setsid -w chock run -p ../../own.policy --yes -- true </dev/null ||
			code=$?
		cd ../..; [ "$code" -eq 111 ]'
	[[ $output == *'its file system may have a clock of its own'* ]]
}

# layers [OPTION] - a workspace w of a directory plain without git, whose files
# are changed behind the back of the session that starts next
layers() {
	require overlay
	plain=$BATS_TEST_TMPDIR/plain w=$BATS_TEST_TMPDIR/w
	rm -rf "$plain" "$w"
	mkdir -p "$plain/dir"
	printf 'old\n' | tee "$plain/a" "$plain/dir/b" >"$plain/c"
	chmod 640 "$plain/a"
	chmod 750 "$plain/dir"
	"$libexec/chock-overlay" create -s s1 -w "$w" "$@" "$plain" >/dev/null
	printf 'changed\n' | tee "$plain/a" >"$plain/new"
	rm "$plain/dir/b"
}

# in_layers SCRIPT - a session in it
in_layers() {
	run -0 --separate-stderr chock-spawn -p base --project "$plain" \
		--cow "$plain" --layers "$w/layers" --chdir "$plain" -- \
		sh -c "$1"
}

@test "sees what is changed underneath where nothing was copied first" {
	layers
	in_layers 'cat a; ls . dir'
	[ "$output" = $'changed\n.:\na\nc\ndir\nnew\n\ndir:' ]
}

@test "sees a snapshot as it was, whatever is changed underneath" {
	layers --snapshot
	in_layers 'cat a dir/b; ls; stat -c %a a dir; echo mine >a; echo mine >c'
	[ "$output" = $'old\nold\na\nc\ndir\n640\n750' ]
	# What was changed in both is told, as always, and nothing lands.
	run -1 --separate-stderr "$libexec/chock-overlay" question -w "$w" \
		--apply files
	[[ $output == *'"obstacle":"changed underneath'* ]]
	[ "$(cat "$plain/a" "$plain/c")" = $'changed\nold' ]
}

@test "lands what was written to a snapshot where nothing was in the way" {
	layers --snapshot
	in_layers 'echo mine >c; echo mine >dir/d'
	run -0 --separate-stderr "$libexec/chock-overlay" question -w "$w" \
		--apply files
	"$libexec/chock-overlay" apply -w "$w" \
		--tree "$(tail -n 1 <<<"$output" | jq -r .effect.tree)"
	[ "$(cat "$plain/a" "$plain/c" "$plain/dir/d")" = $'changed\nmine\nmine' ]
	[ ! -e "$plain/dir/b" ]
	"$libexec/chock-overlay" clear -w "$w" >/dev/null
	[ ! -e "$w" ]
}

@test "copies no more than 64 GiB first, and leaves nothing behind" {
	require overlay
	plain=$BATS_TEST_TMPDIR/plain w=$BATS_TEST_TMPDIR/w
	mkdir "$plain"
	truncate -s 64G "$plain/sparse"
	"$libexec/chock-overlay" create -s s1 -w "$w" --snapshot "$plain"
	[ "$(du -k "$w" | tail -n 1 | cut -f 1)" -lt 1024 ]
	"$libexec/chock-overlay" clear -w "$w"
	printf 'x' >"$plain/more"
	run -100 --separate-stderr "$libexec/chock-overlay" create -s s1 \
		-w "$w" --snapshot "$plain"
	[ "$stderr" = "chock-overlay: cannot copy '$plain': its files have more than 68719476736 bytes" ]
	[ ! -e "$w" ]
}

@test "copies files, links and directories first, names the rest, refuses git" {
	require overlay
	plain=$BATS_TEST_TMPDIR/plain
	mkdir -p "$plain/closed"
	mkfifo "$plain/pipe"
	ln -s /nowhere "$plain/link"
	run_in "$plain" 0 --snapshot --yes -- sh -c 'ls; readlink link; echo x >x'
	[ "$output" = $'closed\nlink\n/nowhere' ]
	[[ $stderr == *'not copied: ./pipe (FIFO)'* ]]
	[ "$(cat "$plain/x")" = x ]
	[ -p "$plain/pipe" ]
	[ -z "$(find "$HOME/$own/sessions" -name lower)" ]
	make_project "$plain"
	run_in "$plain" 100 --snapshot -- true
	[ "$stderr" = 'chock-run: --snapshot: a project in git is copied in any case' ]
}
