#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What a person reads of a session, and does about it: what it says is what
# there is, and each line that names a call can be typed as it is
#
#	repo/     a git project: a, build.sh
#	a dir/    a directory without git: f, gone

load lib/chock
load lib/project
load lib/session

setup() {
	require userns landlock
	repo=$BATS_TEST_TMPDIR/repo
	plain="$BATS_TEST_TMPDIR/a dir"
	state=$HOME/.local/state/chock
	make_project "$repo"
	mkdir "$plain"
	echo old >"$plain/f"
	echo old >"$plain/gone"
	cd "$repo" || return
}

teardown() {
	chmod -R u+rwx "$BATS_TEST_TMPDIR"
}

# meanwhile SCRIPT COMMAND... - SCRIPT runs elsewhere while COMMAND's question
# waits, which is answered with no then
meanwhile() {
	local script=$1
	shift
	"$helpers/terminal" "$BATS_TEST_TMPDIR/transcript" \
		'see=Answer within' "sh=$script" 'type=n\r' -- "$@"
}

# the_call - what the question on the terminal says shows all, as a script
the_call='call=$(tr -d "\r" <"$BATS_TEST_TMPDIR/transcript" |
	sed -n "s/^ *| *\(chock [a-z]* diff .*\)/\1/p")
[ "$call" ]
eval "$call" >"$BATS_TEST_TMPDIR/seen"
'
export BATS_TEST_TMPDIR

@test "names a call that shows all of what it asks about, while it asks" {
	meanwhile "$the_call" chock run -- \
		sh -c 'echo two >>a; git commit -qam second' 2>/dev/null
	grep -qx +two "$BATS_TEST_TMPDIR/seen"
	require overlay
	cd "$plain"
	meanwhile "$the_call" chock run -- sh -c 'echo new >f; rm gone' \
		2>/dev/null
	[ "$(cat "$BATS_TEST_TMPDIR/seen")" = $'M f\nD gone' ]
}

@test "names it also where it asks first about what runs later on the host" {
	meanwhile "$the_call" chock run --rule 'allow workspace.apply' -- \
		sh -c 'echo x >.envrc; git add .; git commit -qm second' 2>/dev/null
	grep -qx +x "$BATS_TEST_TMPDIR/seen"
	# What a bind brings back is shown with the session's work.
	echo i >.gitignore
	echo i >i
	git add .gitignore && git commit -qm ignore
	printf '%s\n' 'include base' 'bind i copy' 'allow workspace.bind.*' \
		>"$BATS_TEST_TMPDIR/policy"
	meanwhile "$the_call" chock run -p "$BATS_TEST_TMPDIR/policy" -- \
		sh -c 'echo new >i' 2>/dev/null
	grep -q '|  *chock workspace diff [0-9A-Z]*.\?$' \
		"$BATS_TEST_TMPDIR/transcript"
	[ "$(cat "$BATS_TEST_TMPDIR/seen")" = 'M i' ]
}

@test "names one by its path that is not where sessions are" {
	local w=$BATS_TEST_TMPDIR/mon call
	"$libexec/chock-workspace" create --session mon -w "$w" "$repo" >/dev/null
	(
		cd "$w/copy"
		echo two >>a
		GIT_ALTERNATE_OBJECT_DIRECTORIES=$repo/.git/objects \
			git commit -qam two
	)
	run -0 "$libexec/chock-workspace" question -w "$w"
	call=$(json .detail <<<"$output" | grep -o 'chock .* diff .*')
	[ "$call" = "chock workspace diff -w $w" ]
	eval "$call" | grep -qx +two
}

@test "shows and exports what waits for an answer, and does no more with it" {
	meanwhile 'list=$(chock workspace list)
		case $list in *"  it waits for an answer") ;; *) exit 1 ;; esac
		id=${list%% *}
		chock workspace export "$id" | tar -x -O files/a | grep -qx two
		chock diff | grep -qx +two || exit 1
		for verb in adopt clear apply; do
			code=0
			chock workspace "$verb" "$id" || code=$?
			[ "$code" = 111 ]
		done' \
		chock run -- sh -c 'echo two >>a; git commit -qam second' \
		2>"$BATS_TEST_TMPDIR/err"
	[ "$(grep -c "the session '.*' is in use" "$BATS_TEST_TMPDIR/err")" = 3 ]
	[[ $(chock workspace list) == *'  the command ended with status 0; waits for a yes: '* ]]
}

@test "says before the command where commits to a changed project will be" {
	echo mine >>a
	echo u >u
	alone 0 chock run --yes --allow-dirty -- \
		sh -c 'echo x >x; git add x; git commit -qm x'
	[[ ${stderr%%$'\n'*} == *': 1 uncommitted change came along; 1 untracked file came along; until that change is committed or stashed in the project, its branch stays and commits wait at refs/chock/'"$id" ]]
	[[ $stderr == *"waits     1 uncommitted change in the way; commit or stash it first"$'\n'* ]]
	[ "$(git log -1 --format=%s "refs/chock/$id")" = x ]
	git checkout -q a
	git merge -q "refs/chock/$id"
	alone 0 chock run --allow-dirty -- true
	[[ $stderr == *": 1 untracked file came along; a commit that adds it waits at refs/chock/$id until the project's own is out of the way"$'\n'* ]]
	alone 0 chock run --yes --allow-dirty -- \
		sh -c 'git add u; git commit -qm u'
	[[ $stderr == *"waits     an untracked file is where 'u' would be"* ]]
	rm u
	alone 0 chock run --allow-dirty -- true
	[[ $stderr != *'came along'* ]]
}

@test "counts as left what the session changed, and not what came along" {
	echo mine >>a
	rm build.sh
	echo 'n' >$'u\nv'
	ln -s nowhere link
	alone 0 chock run --allow-dirty -- true
	[[ $stderr != *'not committed'* ]]
	[[ $stderr != *kept* ]]
	[ -z "$(chock workspace list)" ]
	alone 0 chock run --allow-dirty -- sh -c 'cat a; git status >/dev/null'
	[[ $stderr != *'not committed'* ]]
	alone 0 chock run --allow-dirty -- sh -c 'echo more >>a; echo y >y'
	[[ $stderr == *'left      not committed: 2 files'$'\n'* ]]
	# The same bytes and times again are a change: of another file.
	alone 0 chock run --allow-dirty -- sh -c 'cp -p a b; mv b a; : >build.sh'
	[[ $stderr == *'left      not committed: 2 files'$'\n'* ]]
	alone 0 chock run --allow-dirty -- sh -c 'rm -f u* link'
	[[ $stderr != *'not committed'* ]]
}

@test "says which hide and which bind is about nothing" {
	printf '*.o\nsecret\n' >.gitignore
	touch secret
	mkdir empty
	git add .gitignore
	git commit -qm ignore
	cat >"$BATS_TEST_TMPDIR/policy" <<-'END'
		include base
		hide a
		hide secret
		hide empty
		hide *.sh
		hide secert
		hide keys/**/*.pem
		hide /etc/nothing
		bind .env copy
	END
	alone 0 chock run -p "$BATS_TEST_TMPDIR/policy" -- true
	[[ $stderr == *"; nothing matches 'hide keys/**/*.pem', 'hide secert'"$'\n'* ]]
	[[ $stderr == *"there is no '.env' to bind"$'\n'* ]]
	# What is shipped is for all projects, and misses nothing in one.
	alone 0 chock run -p base -p codex -- true
	[[ $stderr != *'nothing matches'* ]]
	{
		echo 'include base'
		printf 'hide x%s\n' 1 2 3 4 5 6 7
	} >"$BATS_TEST_TMPDIR/few"
	alone 0 chock run -p "$BATS_TEST_TMPDIR/few" -- true
	[[ $stderr == *": nothing matches 'hide x1', 'hide x2', 'hide x3', 'hide x4', 'hide x5' and 2 more"$'\n'* ]]
}

@test "says what a copy lacks, and with what it would have it" {
	echo '*.o' >.gitignore
	git add .gitignore
	git commit -qm ignore
	mkdir new
	echo x >new/x
	cd new
	alone 0 chock run -- ls
	[ -z "$output" ]
	[[ $stderr == *': 1 untracked file was left behind; --allow-dirty takes what is uncommitted along'$'\n'* ]]
	[[ $stderr == *": git has nothing in 'new', and it is empty in the copy; a bind statement of a policy carries what git ignores, --allow-dirty what it does not"$'\n'* ]]
	alone 0 chock run --allow-dirty -- ls
	[ "$output" = x ]
	[[ $stderr != *empty* ]]
}

@test "lists work that waits at a reference until a branch has it" {
	commit='echo "$1" >"$1"; git add "$1"; git commit -qm "$1"'
	alone 0 chock run --yes --apply park -- sh -ec "$commit" sh one
	one=$id
	alone 0 chock run --yes --apply park -- sh -ec "$commit" sh two
	[ -d "$repo/.git" ]
	[ "$(find "$state/sessions" -mindepth 2 -maxdepth 2 -type d)" = '' ]
	run -0 chock workspace list
	[ "${#lines[@]}" = 2 ]
	[[ ${lines[0]} =~ ^"$one "\ +-\ +[0-9]+s\ \ "$repo  waits at refs/chock/$one: git merge refs/chock/$one"$ ]]
	[[ ${lines[1]} == "$id "*"git merge refs/chock/$id" ]]
	# A branch that is not checked out has it as well.
	git branch other "refs/chock/$one"
	run -0 chock workspace list
	[[ $output == "$id "* ]]
	[ "${#lines[@]}" = 1 ]
	eval "${output##*: }"
	[ -z "$(chock workspace list)" ]
	alone 0 chock run --yes --apply squash -- \
		sh -ec "$commit; set -- four; $commit" sh three
	[ "$(git log -1 --format=%P)" != "$(git log -1 --format=%P "refs/chock/$id")" ]
	[ -z "$(chock workspace list)" ]
	alone 0 chock run --yes --apply park -- sh -ec "$commit" sh five
	[ "$(chock workspace list)" ]
	# What others could have written is not taken for a log, and that is said.
	place=$(dirname "$(find "$state/sessions" -name "$id.jsonl")")
	chmod 777 "$place"
	for verb in list "diff $id"; do
		# shellcheck disable=SC2086
		run --separate-stderr chock workspace $verb
		[ -z "$output" ]
		[ "${stderr_lines[0]}" = "chock-workspace: cannot list '$place': it is somebody else's, or others may write to it" ]
		[[ ${#stderr_lines[@]} -eq 1 || ${stderr_lines[1]} == *": no workspace of a session '$id' is kept; 'chock workspace list' names those that are" ]]
	done
	chmod 700 "$place"
	git update-ref -d "refs/chock/$id"
	[ -z "$(chock workspace list)" ]
	alone 0 chock run --yes -- sh -ec "git checkout -q -b 'a\$b'; $commit
		git tag -m t t; git checkout -q -" sh six
	also=refs/chock-also/$id
	run -0 chock workspace list
	[[ ${lines[0]} == "$id "*"  waits at $also/heads/a\$b: git merge '$also/heads/a\$b'" ]]
	[[ ${lines[1]} == "$id "*"  waits at $also/tags/t: git merge $also/tags/t" ]]
	[ "${#lines[@]}" = 2 ]
	eval "${lines[0]##*: }"
	[ -z "$(chock workspace list)" ]
	mv .git away
	run -0 --separate-stderr chock workspace list
	[ -z "$output$stderr" ]
}

@test "names the directory, the reason and the variable where state cannot be" {
	echo x >"$BATS_TEST_TMPDIR/file"
	unusable='cannot use the state directory, which is below HOME unless XDG_STATE_HOME names another: cannot'
	export HOME=$BATS_TEST_TMPDIR/file
	alone 125 chock run -- true
	[ "$stderr" = "chock-spawn: $unusable open '$HOME/.local/state/chock/cow-waits': Not a directory" ]
	alone 100 chock session new
	[ "$stderr" = "chock-session: $unusable make directory '$HOME/.local': Not a directory" ]
	alone 100 chock workspace list
	[ "$stderr" = "chock-workspace: $unusable list '$HOME/.local/state/chock/sessions': Not a directory" ]
	alone 100 chock session list
	[ "$stderr" = "chock-session: $unusable open '$HOME/.local/state': Not a directory" ]
	alone 100 chock cache list
	[[ $stderr == *'the data directory, which is below HOME unless XDG_DATA_HOME names another: cannot open '*': Not a directory' ]]
	export XDG_STATE_HOME=$HOME
	alone 100 chock session new
	[[ $stderr == "chock-session: cannot use the state directory that XDG_STATE_HOME names: cannot make directory '$HOME': Not a directory" ]]
	unset HOME
	export XDG_STATE_HOME=relative
	alone 100 chock run -- true
	[ "$stderr" = 'chock-session: no home directory: neither HOME nor XDG_STATE_HOME is an absolute path' ]
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir -p "$HOME/.local/state/chock/sessions"
	chmod go-w "$HOME/.local/state/chock"
	chmod go+w "$HOME/.local/state/chock/sessions"
	alone 100 chock workspace list
	[ "$stderr" = "chock-workspace: cannot list '$HOME/.local/state/chock/sessions': it is somebody else's, or others may write to it" ]
	alone 100 chock run -- true
	[ "$stderr" = "chock-session: cannot keep sessions in '$HOME/.local/state/chock/sessions': others may write to it" ]
}

@test "shows a diff also where a FIFO is in the place of a file" {
	alone 0 chock run -- \
		sh -ec 'rm build.sh; mkfifo build.sh other; echo two >>a'
	run -0 --separate-stderr chock workspace diff "$id"
	[[ $output == *$'\n+two' ]]
	[ "$stderr" = "chock-workspace: 'build.sh' is neither file nor link by now, and is not shown" ]
}

@test "shows new files with what is in them, and first what was not brought back" {
	alone 0 chock run -- sh -ec 'echo n >new; mkdir d; echo m >d/m; mkfifo f
		git init -q repo; echo "*.o" >.gitignore; echo o >x.o'
	run -0 --separate-stderr chock diff
	[[ $output == '# not committed, and not applied'*'d/m'*+m*'new'*+n ]]
	[[ $output != *x.o* ]]
	[[ $stderr != *untracked* ]]
	alone 0 chock run --yes -- \
		sh -ec 'echo two >>a; git commit -qam second; echo kept >left'
	[ "$(git log -1 --format=%s)" = second ]
	run -0 chock diff
	[[ $output == '# not committed, and not applied'*+kept*'# committed, from '*': brought back already'*+two ]]
}

@test "shows of a dirty copy what the session changed alone" {
	echo mine >>a
	echo u >u
	rm build.sh
	echo left >here
	alone 0 chock run --allow-dirty -- sh -ec 'echo theirs >>u; echo n >new'
	run -0 --separate-stderr chock diff
	grep -qx +theirs <<<"$output"
	grep -qx +n <<<"$output"
	run -1 grep -e mine -e build.sh -e here <<<"$output"
	# What came along can be committed, and then it lands.
	alone 0 chock run --allow-dirty -- sh -ec 'git commit -qam all'
	run -0 chock diff
	grep -qx +mine <<<"$output"
	[[ $output != *'not committed'* ]]
}

@test "shows work that is on another branch alone, and how it is kept" {
	alone 0 chock run -- sh -ec 'git checkout -q -b side; echo two >>a
		git commit -qam second; git checkout -q -; git tag t side'
	run -0 chock diff
	[[ $output == '# not on the branch: heads/side at '*': second'$'\n'"# after a yes, it is refs/chock-also/$id/heads/side"*+two* ]]
	[[ $output == *'# not on the branch: tags/t at '* ]]
}

@test "removes the references of what landed, and of nothing else" {
	commit='echo "$1" >"$1"; git add "$1"; git commit -qm "$1"'
	alone 0 chock run --yes -- sh -ec "$commit" sh one
	one=$id
	alone 0 chock run --yes --apply squash -- \
		sh -ec "$commit; set -- three; $commit" sh two
	two=$id
	alone 0 chock run --yes --apply park -- sh -ec "$commit" sh four
	four=$id
	git update-ref refs/chock/mine HEAD
	git update-ref refs/chock/01M8N108TNEA207T0G0DRZ9B03 HEAD
	for ref in "$one" "$two" "$four"; do
		git rev-parse -q --verify "refs/chock/$ref"
	done
	before=$(git for-each-ref refs/heads refs/chock/mine "refs/chock/$four" \
		refs/chock/01M8N108TNEA207T0G0DRZ9B03)
	alone 1 chock workspace clear --landed
	git rev-parse -q --verify "refs/chock/$one"
	alone 0 chock workspace clear --landed --yes
	[ "$output" = "cleared 2 references in $repo" ]
	[ "$(git for-each-ref refs/heads refs/chock)" = "$before" ]
	alone 0 chock workspace clear --landed --yes
	[[ -z $output && $stderr == *': no reference is left of work that has landed' ]]
	alone 100 chock workspace clear --landed --all
	alone 100 chock workspace list --landed
	# A merge by hand lands it too.
	git merge -q "refs/chock/$four"
	alone 0 chock workspace clear --landed --yes
	run -1 git rev-parse -q --verify "refs/chock/$four"
}
