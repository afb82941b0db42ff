#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# A copy of a large project begins from a kept checkout, and neither a session
# nor an accident makes two sessions see each other through it
#
#	low/       what several copies have below them
#	a/, b/     the layers of two
#	project/   in whose place they are shown

load lib/chock
load lib/workspace

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p low/dir a b shown
	printf 'one\n' >low/file
	printf 'two\n' >low/dir/other
	project=$BATS_TEST_TMPDIR/shown
}

# shown LAYERS SCRIPT - run it where low is shown in the project's place
shown() {
	chock-spawn -p base --project "$project" --copy "$PWD/low" \
		--layers "$PWD/$1" --chdir "$project" -- sh -euc "$2"
}

@test "keeps what is written to a copy in layers, and the copy as it is" {
	require overlay
	before low
	run -0 shown a 'echo new >file; rm dir/other; echo x >more; cat file'
	[ "$output" = new ]
	unchanged low
	[ "$(cat a/upper/file)" = new ]
	[ -c a/upper/dir/other ]
	[ ! -e a/work ]
}

@test "goes on with layers that an earlier run left, or was killed over" {
	require overlay
	shown a 'echo new >file; mv dir moved'
	run -0 shown a 'cat file moved/other; ls'
	[ "$output" = $'new\ntwo\nfile\nmoved' ]
	shown a 'echo last >file'
	name=work
	kernel=a/$name/$name
	mkdir -p "$kernel/incompat/volatile"
	chmod 0 "$kernel/incompat"
	run -0 shown a 'cat file'
	[ "$output" = last ]
}

@test "shows one directory to two copies at once, and each its own changes" {
	require overlay
	mkfifo began end
	chock-spawn -p base --project "$project" --copy "$PWD/low" \
		--layers "$PWD/a" --bind "$PWD/began:/run/began" \
		--bind "$PWD/end:/run/end" -- sh -euc "
			echo first >'$project/file'
			echo >/run/began
			read line </run/end
			cat '$project/file'" >first 3>&- &
	read -r _ <began
	run -0 shown b 'cat file; echo second >file'
	[ "$output" = one ]
	run -125 --separate-stderr shown a 'cat file'
	[ "$stderr" = "chock-spawn: --layers: '$PWD/a' is in use: one run at a time" ]
	echo >end
	wait $!
	[ "$(cat first)" = first ]
	[ "$(cat low/file)" = one ]
}

@test "refuses layers that are of nothing, of two, not there, or without overlay" {
	run -100 --separate-stderr chock-spawn -p base --layers "$PWD/a" -- true
	[ "$stderr" = 'chock-spawn: --layers goes with --cow or --copy only' ]
	run -100 --separate-stderr chock-spawn -p base --layers "$PWD/a" \
		--copy "$PWD/low" --cow "$PWD/b" -- true
	[[ $stderr == 'chock-spawn: --layers keeps what is written to --cow or to --copy, not to both' ]]
	run -100 --separate-stderr chock-spawn -p base --driver landlock \
		--layers "$PWD/a" --copy "$PWD/low" -- true
	[[ $stderr == *"the driver 'landlock' has no overlay; '--driver namespaces' can" ]]
	require userns
	run -125 --separate-stderr shown none true
	[ "$stderr" = "chock-spawn: --layers: cannot open '$PWD/none': No such file or directory" ]
}

# ---- copies that begin from a template ----------------------------------

# A project of a few files, for which --template-files 1 makes it a large one.
large() {
	require overlay
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state
	state=$XDG_STATE_HOME/chock/templates
	project=$BATS_TEST_TMPDIR/project
	new_project "$project"
}

# start NAME [ARGUMENT...] - a workspace NAME of it, over a template
start() {
	w=$BATS_TEST_TMPDIR/$1
	"$workspace" create --session "$1" --workspace "$w" \
		--template-files 1 "${@:2}" "$project" >"$1.created"
}

# start_whole NAME [ARGUMENT...] - one with files of its own
start_whole() {
	w=$BATS_TEST_TMPDIR/$1
	"$workspace" create --session "$1" --workspace "$w" \
		--template-files 0 "${@:2}" "$project" >"$1.created"
}

# told NAME FIELD - of what start printed
told() {
	json "$2 // empty" <"$1.created"
}

# inside NAME SCRIPT - run it where the sandbox of NAME would run
inside() {
	local binds=() bind layers=() shown
	while IFS= read -r bind; do
		binds+=(--bind "$bind")
	done < <(told "$1" '.bind[]')
	shown=$(told "$1" .copy)
	if [ -n "$(told "$1" .below)" ]; then
		shown=$(told "$1" .below)
		layers=(--layers "$(told "$1" .layers)")
	fi
	chock-spawn -p base --project "$project" --copy "$shown" \
		"${layers[@]}" "${binds[@]}" --chdir "$project" \
		--env GIT_CONFIG_COUNT=1 --env GIT_CONFIG_KEY_0=user.name \
		--env GIT_CONFIG_VALUE_0=Inside --env EMAIL=in@example.org \
		-- bash -euc "$2"
}

# templates - how many are there
templates() {
	find "$state" -mindepth 2 -maxdepth 2 -type d ! -name new | wc -l
}

all='find . -path ./.git -prune -o -printf "%P %y %m %l\0" | sort -z | tr "\0" "\n"
	find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum'

@test "makes a copy from a template what a whole copy is" {
	large
	cd "$project"
	ln -s file link
	ln -s /nowhere/else far
	printf 'x' >$'new\nline\t"\x27\xff'
	printf 'x' >./-dash
	printf 'x' >"$(printf '%0255d' 0)"
	mkdir -p deep/er
	printf 'a\r\nb\r\n' >deep/er/crlf
	chmod 755 deep/er/crlf
	git add .
	git commit -qm odd
	cd "$BATS_TEST_TMPDIR"
	start_whole whole
	start over
	[ -z "$(told whole .below)" ]
	[[ $(told over .below) == "$state"/*/files ]]
	inside whole "$all" >whole.files
	inside over "$all" >over.files
	grep -q 'deep/er/crlf f 755' whole.files
	diff whole.files over.files
	run -0 inside over 'git status --porcelain; git log -1 --format=%s'
	[ "$output" = odd ]
}

@test "writes no file of a second session on the same commit" {
	large
	start one
	before "$(told one .below)"
	start two
	[ "$(told one .below)" = "$(told two .below)" ]
	unchanged "$(told one .below)"
	[ "$(cd "$(told two .copy)" && find . -path ./.git -prune -o -print)" = . ]
	run -0 inside two 'cat file; git diff-files --quiet; git status --porcelain'
	[ "$output" = one ]
}

@test "makes another template for another commit, setting, umask or project" {
	large
	start one
	[ "$(templates)" -eq 1 ]
	(umask 077 && start two)
	[ "$(templates)" -eq 2 ]
	git -C "$project" config core.autocrlf true
	start three
	[ "$(templates)" -eq 3 ]
	git -C "$project" commit -q --allow-empty -m third
	start four
	[ "$(templates)" -eq 4 ]
	cp -a "$project" other
	project=$PWD/other
	start five
	[ "$(templates)" -eq 5 ]
}

@test "brings back what was committed over a template, and leaves it as it was" {
	large
	start one
	before "$(told one .below)"
	inside one 'echo changed >file; rm run; mkdir sub; echo x >sub/new
		git add -A; git commit -qm "the work"'
	ask
	apply
	[ "$(field commits)" = 1 ]
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/file")" = changed ]
	[ "$(cat "$project/sub/new")" = x ]
	[ ! -e "$project/run" ]
	[ -z "$(git -C "$project" status --porcelain)" ]
	unchanged "$(told one .below)"
}

@test "counts what is in no commit over a template as git does" {
	large
	start one
	run -0 inside one 'echo x >>file; rm dir/other; mkdir -p new/er
		echo >new/er/a; echo >new/er/b; git rm -q --cached run
		git update-index --cacheinfo "100644,$(git rev-parse HEAD:file),.gitignore"
		git status --porcelain -uall | wc -l'
	[ "$output" -eq 7 ]
	run -1 "$workspace" question -w "$w"
	[ "$(json .effect.uncommitted <<<"$output")" -eq 7 ]
	start two
	run -0 inside two 'git update-index --cacheinfo \
		"100644,$(git rev-parse HEAD:file),dir/other"; git commit -qm x
		git status --porcelain -uall'
	[ "$output" = ' M dir/other' ]
	run -0 "$workspace" question -w "$w"
	[ "$(json .effect.uncommitted <<<"${lines[-1]}")" -eq 1 ]
	start three
	run -0 inside three 'for i in $(seq 300); do echo x >"n$i"; done; rm file
		git status --porcelain -uall | wc -l'
	[ "$output" -eq 301 ]
	run -1 "$workspace" question -w "$w"
	[ "$(json .effect.uncommitted <<<"$output")" -eq 301 ]
	start four
	inside four 'echo x >n; printf garbage >.git/index'
	run -100 --separate-stderr "$workspace" question -w "$w"
	[[ $stderr == *"git cannot read the copy's repository"* ]]
}

start_over() {
	start "$@"
}

# same_diff SCRIPT - in a whole copy and over a template it leaves one diff
same_diff() {
	local name
	for name in whole over; do
		start_"$name" "$name"
		inside "$name" "$1"
		"$workspace" diff -w "$w" >"$name.diff" 2>"$name.diff.said"
	done
	[ -n "$(told over .below)" ] && [ -s whole.diff ]
	diff whole.diff over.diff
	diff whole.diff.said over.diff.said
	"$workspace" clear -w whole >"$BATS_TEST_TMPDIR/cleared"
	"$workspace" clear -w over >"$BATS_TEST_TMPDIR/cleared"
}

@test "shows of a copy over a template the diff that a whole one has" {
	large
	mkdir "$project/many"
	for i in {1..20}; do echo "$i" >"$project/many/$i"; done
	git -C "$project" add many
	git -C "$project" commit -qm many
	same_diff 'echo x >>file; rm dir/other; chmod +x many/1; mkdir -p new/er
		echo >new/er/a; printf "b" >"new/er/b
c"; ln -sf nowhere many/2; touch many/3; echo "*.o" >.gitignore; echo >x.o'
	grep -q '^new file mode 120000$' over.diff
	same_diff 'rm -r many; echo a file >many; rm file; mkdir file; echo >file/x
		rm dir/other; mkfifo dir/other'
	grep -q "'dir/other' is neither file nor link" over.diff.said
	# What only an index had, and so no file that was written to.
	same_diff 'export GIT_COMMITTER_DATE="2026-01-01 12:00 +0000"
		export GIT_AUTHOR_DATE=$GIT_COMMITTER_DATE
		git update-index --cacheinfo "100644,$(git rev-parse HEAD:file),many/4"
		git rm -q --cached many/5; git commit -qm x'
	grep -q '^# not committed' over.diff
	grep -q '^+++ b/many/4$' over.diff
	same_diff 'for i in {1..600}; do echo x >"n$i"; done; rm many/1'
}

@test "shows of a sparse copy over a template the diff that a whole one has" {
	large
	mkdir "$project"/{in,out}
	for i in in/a in/b out/a out/b; do echo "$i" >"$project/$i"; done
	here add in out
	here commit -q -m sparse
	here sparse-checkout set --cone in
	same_diff 'echo x >>in/a; rm in/b; mkdir -p out; echo other >out/a
		echo new >out/new'
	grep -q '^+other$' over.diff
	run ! grep -q out/b over.diff
}

@test "shows no notice over a template as a change" {
	large
	hiding run
	start one --frozen-fd 7 7<frozen
	inside one 'echo x >>file; git commit -qam x; rm dir/other; echo >new'
	run -0 "$workspace" diff -w "$w"
	[[ $output == *'+++ /dev/null'*'+++ b/new'* ]]
	[[ $output != *'/run'* && $output != *'hidden by policy'* ]]
}

@test "looks for a diff at no file that a session over a template left alone" {
	large
	start one
	inside one 'echo changed >dir/other'
	echo tampered >>"$(told one .below)/file"
	run -0 "$workspace" diff -w "$w"
	[[ $output == *'+changed'* ]]
	[[ $output != *tampered* ]]
}

@test "shows nothing of one session over a template to another" {
	large
	start one
	start two
	inside one 'echo secret >file; echo secret >more; git commit -qam x'
	run -0 inside two 'cat file; ls; git log --oneline | wc -l'
	[[ $output == $'one\ndir\nfile\nrun\n2' ]]
}

@test "keeps a template from a session that wants to write to it" {
	large
	start one
	below=$(told one .below)
	before "${below%/files}"
	printf 'x' >"$below/writable"
	rm "$below/writable"
	run inside one "
		! ls '$below' || echo seen
		! echo x >'$below/file' || echo written
		chmod -R 777 .; touch -d @1 file dir; echo x >>file
		ln file hard; echo x >>hard; mv dir moved
		rm -rf ./* .git .gitignore"
	[[ $output != *seen* && $output != *written* ]]
	run -0 inside one 'ls -A'
	[ -z "$output" ]
	start two
	[ "$(told two .below)" = "$below" ]
	run -0 inside two 'cat file dir/other; git status --porcelain'
	[ "$output" = $'one\ntwo\nmore' ]
}

@test "takes no template that is half made, or is not as it was made" {
	large
	start one
	below=$(told one .below)
	mkdir -p "${below%/*/*}/new/files"
	printf 'half\n' >"${below%/*/*}/new/files/file"
	"$workspace" clear -w "$w"
	for damage in "rm '$below/dir/other'" "echo more >>'$below/file'" \
		"touch '$below/dir/x.o'" "mkdir '$below/dir/empty'" \
		"chmod 777 '$below/file'" "truncate -s 100 '${below%/files}/index'"; do
		eval "$damage"
		start again
		[ "$(told again .below)" = "$below" ]
		run -0 inside again 'cat file dir/other; git status --porcelain'
		[ "$output" = $'one\ntwo\nmore' ]
		"$workspace" clear -w "$w"
	done
	[ ! -e "${below%/*/*}/new" ]
}

# cut N [ARGUMENT...] - a start that is killed, with all that it started, before
# its Nth change
cut() {
	rm -rf cut
	"$helpers/kill-at" "$1" all -- "$workspace" create --session cut \
		--workspace "$PWD/cut" --template-files 1 "${@:2}" "$project" \
		>cut.said 2>&1
}

# each_cut STEP [ARGUMENT...] - wherever one was cut off, the next session begins
# from a template that is whole, as does one beside what that left; with
# CHOCK_CUT_STEP=1 it is each change
each_cut() {
	local n=1 status=0 done=0
	while :; do
		rm -rf "$state"
		[ -z "${2-}" ] || exec 7<frozen
		status=0
		cut "$n" "${@:2}" || status=$?
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		done=$((done + 1))
		[ -z "${2-}" ] || exec 7<frozen
		start next "${@:2}"
		printf '%d: %s\n' "$n" "$(told next .below)"
		[ -n "$(told next .below)" ]
		inside next "$all" | diff whole.files -
		run -0 inside next 'git status --porcelain'
		[ -z "$output" ]
		[ -z "$(find "$state" -name new)" ]
		[ "$(templates)" -eq 1 ]
		"$workspace" clear -w "$w"
		[ ! -e cut/state ] || "$workspace" clear -w "$PWD/cut"
		n=$((n + $1))
	done
	[ "$done" -gt 3 ]
}

@test "begins from a whole template wherever the making of one was cut off" {
	require trace
	large
	start_whole whole
	inside whole "$all" >whole.files
	each_cut "${CHOCK_CUT_STEP-29}"
}

@test "has a hidden file in no template, wherever its making was cut off" {
	require trace
	large
	hiding file
	start_whole whole --frozen-fd 7 7<frozen
	inside whole "$all" >whole.files
	each_cut "${CHOCK_CUT_STEP-53}" --frozen-fd 7
}

@test "takes a template of any index that git writes, with a submodule in it" {
	large
	git init -q --object-format=sha256 -b main sha256
	mkdir -p sha256/a/b sha256/a.c
	touch sha256/a/b/c sha256/a/b.c sha256/a.c/d sha256/a-c sha256/z
	git -C sha256 add .
	git -C sha256 commit -q -m first
	new_super super
	for project in "$PWD/sha256" "$PWD/super"; do
		start one
		below=$(told one .below)
		before "$below"
		start two
		unchanged "$below"
		GIT_INDEX_FILE=${below%/files}/index git -C "$project" \
			update-index --index-version 4
		rm -rf one two
		start one
		unchanged "$below"
		touch "$below/more"
		rm -rf one
		start one
		[ ! -e "$below/more" ]
		rm -rf one
	done
	start one
	touch "$below/sub/more"
	rm -rf one
	start one
	[ ! -e "$below/sub/more" ]
}

@test "begins whole where a template was changed that a session needs" {
	large
	start one
	below=$(told one .below)
	echo more >>"$below/file"
	start two
	[ -z "$(told two .below)" ]
	run -0 inside two 'cat file; git status --porcelain'
	[ "$output" = one ]
	[ "$(tail -n 1 "$below/file")" = more ]
}

@test "keeps two templates that nobody needs, those used last, and all others" {
	large
	start needed
	for ((i = 1; i <= 4; i++)); do
		git -C "$project" commit -q --allow-empty -m "$i"
		start "s$i"
		"$workspace" clear -w "$w"
		touch -d "2000-01-0$i" "$(dirname "$(told "s$i" .below)")"
	done
	git -C "$project" commit -q --allow-empty -m last
	start last
	[ "$(templates)" -eq 4 ]
	[ -e "$(told needed .below)" ]
	[ -e "$(told last .below)" ]
	[ ! -e "$(told s1 .below)" ]
	[ ! -e "$(told s2 .below)" ]
	[ -e "$(told s3 .below)" ]
	[ -e "$(told s4 .below)" ]
	run -0 inside needed 'cat file'
}

@test "copies what is uncommitted over a template as into a whole copy" {
	large
	mkdir "$project/sub"
	echo x >"$project/sub/a"
	echo x >"$project/was-file"
	git -C "$project" add .
	git -C "$project" commit -qm more
	echo dirty >"$project/file"
	rm -r "$project/run" "$project/sub" "$project/was-file"
	mkdir "$project/was-file"
	echo x >"$project/was-file/in"
	echo x >"$project/sub"
	rm -r "$project/dir"
	echo x >"$project/untracked"
	ln -s untracked "$project/link"
	start_whole whole --allow-dirty
	start over --allow-dirty
	[ -n "$(told over .below)" ]
	inside whole "$all" | grep -v '^dir d' >whole.files
	inside over "$all" | grep -v '^dir d' >over.files
	grep -q untracked whole.files
	diff whole.files over.files
	diff <(inside whole 'git status --porcelain') \
		<(inside over 'git status --porcelain')
}

@test "begins whole in place, for few files, without a commit, or by request" {
	large
	run -0 "$workspace" create -s a -w aa --template-files 5 "$project"
	[[ $output != *'"below"'* ]]
	run -0 "$workspace" create -s b -w bb --template-files 4 "$project"
	[[ $output == *'"below"'* ]]
	run -0 "$workspace" create -s c -w cc --template-files 1 --in-place "$project"
	[[ $output != *'"below"'* ]]
	run -0 "$workspace" create -s d -w dd "$project"
	[[ $output != *'"below"'* ]]
	run -0 "$workspace" create -s e -w ee --template-files 0 "$project"
	[[ $output != *'"below"'* ]]
	git init -q none
	run -0 "$workspace" create -s g -w gg --template-files 1 none
	[[ $output != *'"below"'* ]]
	run -100 --separate-stderr "$workspace" create -s h -w hh \
		--template-files some "$project"
	[[ $stderr == *"--template-files"* ]]
}

# hiding PATTERN... - frozen has a policy that hides these
hiding() {
	{
		echo 'include base'
		printf 'hide %s\n' "$@"
	} >hiding
	chock-policy-eval --freeze --policy "$PWD/hiding" --project "$project" >frozen
}

@test "begins from a template of its own where something of the commit is hidden" {
	large
	echo secret-bytes >"$project/dir/key"
	here add dir/key
	here commit -q -m key
	hiding 'dir/k*' run
	start_whole whole --frozen-fd 7 7<frozen
	start over --frozen-fd 7 7<frozen
	[ -z "$(told whole .below)" ]
	below=$(told over .below)
	[ -n "$below" ]
	inside whole "$all" >whole.files
	inside over "$all" >over.files
	diff whole.files over.files
	run -0 inside over 'cat dir/key run; git status --porcelain
		git log --oneline | wc -l; cat file; echo /run/chock/objects*'
	notice='hidden by policy: a commit keeps this file as it was'
	[ "$output" = "$notice"$'\n'"$notice"$'\n1\none\n/run/chock/objects*' ]
	# The bytes are where nothing is hidden, and in nothing of the other.
	start open
	[ "$(told open .below)" != "$below" ]
	grep -rq secret-bytes "$(told open .below)"
	run -1 grep -rq secret-bytes "${below%/files}" "$w/../over"
	run -0 inside over 'git cat-file --batch --batch-all-objects >/dev/null &&
		! git cat-file --batch --batch-all-objects | grep -a secret-bytes'
	run -0 inside open 'git cat-file blob HEAD:dir/key'
	[ "$output" = secret-bytes ]
	hiding run
	start less --frozen-fd 7 7<frozen
	[ "$(templates)" -eq 3 ]
	run -0 inside less 'cat dir/key; head -n 1 run'
	[ "$output" = $'secret-bytes\n'"$notice" ]
}

@test "shares the template of all where nothing hidden is in the commit" {
	large
	start open
	hiding .env
	start over --frozen-fd 7 7<frozen
	[ "$(told over .below)" = "$(told open .below)" ]
	[ "$(told over .bind)" = '[]' ]
	run -0 inside over 'git status --porcelain; git log --oneline | wc -l
		echo new >file; git commit -qam "the work"'
	[ "$output" = 2 ]
	w=$BATS_TEST_TMPDIR/over
	ask
	apply
	[ "$(cat "$project/file")" = new ]
}

@test "takes no template in which a notice is another file" {
	large
	hiding file
	start one --frozen-fd 7 7<frozen
	below=$(told one .below)
	"$workspace" clear -w "$w"
	for damage in "echo one >'$below/file'" "rm '$below/file'" \
		"rm '$below/file'; ln -s '$project/file' '$below/file'"; do
		eval "$damage"
		start again --frozen-fd 7 7<frozen
		[ "$(told again .below)" = "$below" ]
		run -0 inside again 'cat file; git status --porcelain'
		[ "$output" = 'hidden by policy: a commit keeps this file as it was' ]
		"$workspace" clear -w "$w"
	done
}

@test "lands and adopts over a template in which something is hidden" {
	large
	hiding file
	start one --frozen-fd 7 7<frozen
	inside one 'echo changed >dir/other; git commit -qam "the work"; echo x >more'
	ask --frozen-fd 7 7<frozen
	apply
	[ "$(json .landed <<<"$applied")" = true ]
	[ "$(cat "$project/file" "$project/dir/other")" = $'one\nchanged' ]
	[ -z "$(git -C "$project" status --porcelain)" ]
	run -0 "$workspace" adopt -w "$w"
	[ "$(ls "$project/.chock-adopted/one/files")" = $'dir\nmore' ]
}

@test "lets two sessions begin at once, from one template" {
	large
	start one &
	first=$!
	start two
	wait "$first"
	[ "$(told one .below)" = "$(told two .below)" ]
	[ "$(templates)" -eq 1 ]
	run -0 inside one 'git status --porcelain; cat file'
	[ "$output" = one ]
}

@test "adopts and exports what a session over a template did not commit" {
	large
	start one
	inside one 'echo changed >file; rm run; echo x >dir/new'
	"$workspace" adopt -w "$w"
	cd "$project/.chock-adopted/one"
	[ "$(find files -type f | sort)" = $'files/dir/new\nfiles/file' ]
	[ "$(cat deleted)" = run ]
	run -0 bash -o pipefail -c '"$1" export -w "$2" | tar -t | sort' sh \
		"$workspace" "$w"
	[[ $output == *dir/new* && $output == *file* ]]
}

@test "lists templates, clears those that nobody needs, and sweeps old ones" {
	large
	start one
	git -C "$project" commit -q --allow-empty -m more
	start two
	"$workspace" clear -w "$w"
	run -0 chock workspace list
	[ "${#lines[@]}" -eq 2 ]
	[[ $output == *"$project  a checkout that 1 workspace needs"* ]]
	[[ $output == *"$project  a checkout that no workspace needs"* ]]
	[[ ${lines[0]} == 'template   '*KiB*s* ]]
	# What it takes was noted, and is measured where that is lost.
	echo 7516192768 >"$(dirname "$(told one .below)")/size"
	run -0 chock workspace list
	[[ $output == *' 7168MiB '* ]]
	for lost in x '' 99999999999999999999; do
		echo "$lost" >"$(dirname "$(told one .below)")/size"
		run -0 chock workspace list
		[[ ${lines[0]} == *KiB* && ${lines[1]} == *KiB* ]]
	done
	rm "$(dirname "$(told one .below)")/size"
	run -0 chock workspace list
	[[ ${lines[0]} == *KiB* && ${lines[1]} == *KiB* ]]
	run -0 --separate-stderr chock workspace clear --templates
	[[ $output == "cleared a template of $project, "*KiB ]]
	[ "$stderr" = "chock-workspace: a template of $project stays, for 1 workspace needs it" ]
	[ "$(templates)" -eq 1 ]
	run -0 inside one 'cat file'
	touch -d '20 days ago' "$(dirname "$(told one .below)")"
	"$libexec/chock-kept" sweep
	[ "$(templates)" -eq 1 ]
	"$workspace" clear -w "$BATS_TEST_TMPDIR/one"
	touch -d '13 days ago' "$(dirname "$(told one .below)")"
	"$libexec/chock-kept" sweep
	[ "$(templates)" -eq 1 ]
	touch -d '15 days ago' "$(dirname "$(told one .below)")"
	"$libexec/chock-kept" sweep
	[ -z "$(ls "$state")" ]
	run -0 chock workspace list
	[ -z "$output" ]
	run -100 --separate-stderr chock workspace clear --templates --all
	[ "$stderr" = "chock-workspace: clear needs a SESSION, which 'chock workspace list' names, or --all, --landed or --templates" ]
	run -100 --separate-stderr chock workspace list --templates
	[ "$stderr" = 'chock-workspace: list takes no --templates' ]
}

@test "binds over a template what a policy binds, and nothing that is in it" {
	large
	echo ignored >"$project/.git/info/exclude"
	mkdir -p "$project/dir/ignored/in"
	echo there >"$project/dir/ignored/in/f"
	printf 'include base\nbind dir/ignored copy\nbind run read_only\n' >binding
	chock-policy-eval --freeze --policy "$PWD/binding" --project "$project" >frozen
	start one
	"$libexec/chock-bind" list -w "$w" --frozen-fd 7 7<frozen >offers
	"$libexec/chock-bind" make -w "$w" <offers >made
	[ -d "$(told one .copy)/dir/ignored/in" ]
	[ ! -e "$(told one .copy)/run" ]
	run -0 inside one 'cat dir/ignored/in/f dir/other run; git status --porcelain
		echo new >dir/ignored/in/f; rm -r dir/ignored/in; mkdir dir/ignored/in
		echo more >dir/ignored/in/more'
	[ "$output" = $'there\ntwo\nmore\n#!/bin/sh' ]
	"$libexec/chock-bind" gather -w "$w" >gathered
	[ "$(json .differ <gathered)" -eq 2 ]
	printf 'include base\nbind dir/other copy\n' >binding
	chock-policy-eval --freeze --policy "$PWD/binding" --project "$project" >frozen
	run -100 --separate-stderr "$libexec/chock-bind" list -w "$w" --frozen-fd 7 7<frozen
	[[ $stderr == *'the copy has it already, from git or --allow-dirty' ]]
}
