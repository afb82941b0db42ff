#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# A directory without git: what a session writes to it lands in the workspace,
# and in the directory on a yes, all of it or nothing, and never over something
# that was changed underneath
#
#	plain/     f, gone, dir/in, link -> f
#	w/         a workspace of it, as chock run makes one

load lib/chock
load lib/project

setup() {
	require userns landlock overlay
	plain="$BATS_TEST_TMPDIR/a plain 'dir'"
	state=$HOME/.local/state/chock
	overlay=$libexec/chock-overlay
	w=$BATS_TEST_TMPDIR/w
	fresh
	cd "$plain" || return
}

teardown() {
	[ -z "${run_pid-}" ] || kill -KILL "$run_pid" 2>/dev/null || :
	# What was made unreadable, and what a kill left, for who cleans up.
	find "$BATS_TEST_TMPDIR" -type d ! -perm -700 -exec chmod u+rwx {} \;
}

fresh() {
	rm -rf "$plain"
	mkdir -p "$plain/dir"
	echo old >"$plain/f"
	echo old >"$plain/gone"
	echo old >"$plain/dir/in"
	ln -s f "$plain/link"
}

unchanged() {
	manifest "$plain" >"$BATS_TEST_TMPDIR/before"
	"$@"
	manifest "$plain" >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

# run_chock STATUS ARGUMENT... - chock run with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

# session SCRIPT - run it over the directory, with layers in w
session() {
	rm -rf "$w"
	"$overlay" create -s monday -w "$w" "$plain" >/dev/null
	chock-spawn -p base --cow "$plain" --layers "$w/layers" \
		--chdir "$plain" -- sh -ec "$1"
}

question() {
	"$overlay" question -w "$w" >"$BATS_TEST_TMPDIR/question"
}

effect() {
	tail -n 1 "$BATS_TEST_TMPDIR/question" | jq -r ".effect.$1"
}

# apply [STATUS] - what the question was about
# shellcheck disable=SC2120
apply() {
	run "-${1:-0}" --separate-stderr "$overlay" apply -w "$w" \
		--tree "$(effect tree)"
}

write='echo new >f; rm gone; echo x >added; echo 2 >>dir/in'

@test "hands through what the command prints, and its status" {
	unchanged run_chock 37 -- sh -c 'pwd; cat f; exit 37'
	[ "$output" = "$plain"$'\nold' ]
	[[ $stderr == *'files     0:'* ]]
	[ -z "$(find "$state" -name layers)" ]
}

@test "changes nothing after a no: no byte, mode, time or name" {
	unchanged run_chock 0 -- sh -c "$write; chmod 700 dir; rm link"
	[[ $stderr == *'files     6: 1 added, 3 changed, 2 removed'* ]]
	[[ $stderr == *"refused   policy has a person asked about workspace.apply"* ]]
	[[ $stderr == *'kept      '* ]]
	unchanged run_chock 0 -- sh -c 'rm -rf ./* .[!.]*'
	unchanged run_chock 0 --rule 'deny workspace.apply' --yes -- \
		sh -c "$write"
	[[ $stderr == *"policy refuses workspace.apply"* ]]
}

@test "puts all of it in place after a yes" {
	run_chock 0 --yes --rule 'allow workspace.protected' -- \
		sh -c "$write; chmod 750 dir; mkdir -p n/m
		ln -s /nowhere n/l; chmod 755 added
		touch -d '2001-02-03 04:05:06.123456789' added"
	[ "$(cat f added dir/in)" = $'new\nx\nold\n2' ]
	[ ! -e gone ]
	[ "$(stat -c %a added dir)" = $'755\n750' ]
	[ "$(readlink n/l)" = /nowhere ]
	[ "$(date -r added +%s.%N)" = "$(date -d '2001-02-03 04:05:06.123456789' +%s.%N)" ]
	[ "$(ls -A)" = $'added\ndir\nf\nlink\nn' ]
	[[ $stderr == *"work      in "* ]]
	[[ $stderr == *"undo      none: what 4 files held before is not kept"* ]]
	[ -z "$(find "$state" -name layers)" ]
}

@test "says how to undo what was only added, and of nothing when nothing landed" {
	run_chock 0 --yes -- sh -c 'echo x >added'
	[[ $stderr == *"undo      by removing what was added: 1 file"* ]]
	[ "$(cat added)" = x ]
	run_chock 0 --yes --apply park -- sh -c 'echo x >more'
	[[ $stderr != *"undo "* ]]
	session 'echo x >last'
	question
	[[ $(jq -r .detail "$BATS_TEST_TMPDIR/question") != *'no way back'* ]]
}

@test "has the question and the answer in the log before anything is done" {
	run_chock 0 --yes -- sh -c "$write"
	log=$(find "$state" -name '*.jsonl')
	[ "$(jq -r .kind "$log" | grep -v ^cache | tr '\n' ' ')" = "session.start decision workspace.open sandbox.open result ask answer workspace.apply workspace.integrate session.end " ]
	[ "$(jq -r 'select(.kind == "workspace.apply").tree' "$log")" = \
		"$(jq -r 'select(.kind == "ask").effect.tree' "$log")" ]
	[ "$(jq -r 'select(.kind == "workspace.integrate").done.landed' "$log")" = true ]
	chock-log-verify "$log"
}

@test "asks with all that it means, in words and for programs" {
	session "$write; mkdir new; mkfifo new/fifo"
	unchanged question
	[ "$(jq -r .action "$BATS_TEST_TMPDIR/question")" = workspace.apply ]
	[ "$(jq -r .source "$BATS_TEST_TMPDIR/question")" = workspace ]
	[ "$(jq -r .summary "$BATS_TEST_TMPDIR/question")" = "apply 5 files to $plain" ]
	[ "$(jq -r .detail "$BATS_TEST_TMPDIR/question")" = "all of it, in another terminal:
  chock overlay diff -w $w
all of the files change, or none
what those hold now that change or go is not kept: the way back is a copy that you make before a yes
left out: new/fifo: a FIFO
5 files, 2 added, 2 changed, 1 removed:
  A added
  M dir/in
  M f
  D gone
  A new" ]
	[ "$(effect 'files | map(.status + " " + .path) | join(",")')" = \
		'A added,M dir/in,M f,D gone,A new' ]
	[ "$(jq -r '.effect | "\(.session) \(.landing) \(.file_count) \(.added) \(.changed) \(.removed) \(.left_count) \(.stale_count)"' \
		"$BATS_TEST_TMPDIR/question")" = \
		'monday files 5 2 2 1 1 0' ]
}

# below N - go where N directories of 201 bytes each are within each other
below() {
	local path
	path=$(printf "$(printf 'n%.0s' {1..200})/%.0s" $(seq "$1"))
	echo "mkdir -p $path; cd -P $path"
}

@test "parks all of it, by name, if something lies deeper than a path can name" {
	unchanged run_chock 0 --yes -- \
		sh -ec "$write; $(below 12); $(below 9); echo deep >n"
	[[ $stderr == *"waits     all lands or nothing does, and this cannot: nnn"*"...: a path too long"* ]]
	[[ $stderr == *'files     2'[0-9]': '*'kept      '* ]]
	# The rest comes out by hand, and what does not is said.
	run -0 --separate-stderr "$overlay" adopt \
		-w "$(find "$state" -name layers -printf '%h')"
	[ "$(cat .chock-adopted/*/files/f)" = new ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"' is a path too long, and is left out" ]]
	run_chock 0 --yes -- sh -ec "$(below 12); $(below 8); echo deep >n"
	[ "$(find . -name n -exec cat {} +)" = deep ]
}

# asked_apart - what is asked before the apply
asked_apart() {
	jq -r 'select(.action != "workspace.apply") | .action as $a |
		.effect.files[] | "\($a) \(.path): \(.why)"' \
		"$BATS_TEST_TMPDIR/question"
}

@test "asks apart about policy files, and about what runs later on the host" {
	printf '#!/bin/sh\n' >tool
	chmod 755 tool
	ln -s "$BATS_TEST_TMPDIR" own
	session 'echo "allow *" >chock.policy; echo x >.envrc
		mkdir .claude; echo {} >.claude/settings.json
		echo true >run; chmod 755 run; echo true >>tool
		echo "* filter=x" >.gitattributes
		ln -s /etc/passwd dir/out; ln -s f fine; ln -s ../f dir/fine
		ln -s ../own/x dir/by; ln -s by dir/chain; ln -s round round
		echo fine >n'
	unchanged question
	[ "$(asked_apart)" = 'workspace.policy chock.policy: the policy is read from it
workspace.protected .claude/settings.json: a rule names it
workspace.protected .envrc: a rule names it
workspace.protected .gitattributes: it names drivers of git
workspace.protected dir/by: it leads out of the project
workspace.protected dir/chain: it leads out of the project
workspace.protected dir/out: it leads out of the project
workspace.protected round: it leads out of the project
workspace.protected run: it becomes executable' ]
	[ "$(jq -s -r 'map(.action) | join(" ")' "$BATS_TEST_TMPDIR/question")" = \
		'workspace.policy workspace.protected workspace.apply' ]
	[ "$(jq -s -r 'map(.effect.tree) | unique | length' "$BATS_TEST_TMPDIR/question")" = 1 ]
}

@test "asks about what a link that is there leads to from a name of the list" {
	mkdir conf
	echo x >conf/settings.json
	ln -s "$plain/conf" .claude
	ln -s dir/../conf .vscode
	session 'echo y >conf/settings.json; echo y >f; ln -s dir .husky
		echo y >dir/pre-commit'
	unchanged question
	[ "$(asked_apart)" = 'workspace.protected .husky: a rule names it
workspace.protected conf/settings.json: a link leads to it from what a rule names
workspace.protected dir/pre-commit: a link leads to it from what a rule names' ]
}

@test "asks about what the person's own git runs in a directory that is in none" {
	git config --global core.hooksPath "$plain/dir"
	git config --global core.fsmonitor "$plain/f"
	session 'echo y >dir/in; echo y >f; echo y >gone'
	unchanged question
	[ "$(asked_apart)" = 'workspace.protected dir/in: hooks or settings of git lead to it
workspace.protected f: hooks or settings of git lead to it' ]
}

@test "holds an apply to what policies say of such files" {
	for act in 'echo x >.envrc' 'ln -s /etc/passwd l' 'echo x >x; chmod +x x' \
		'mkdir .claude; echo {} >.claude/settings.json'; do
		unchanged run_chock 0 --yes --rule 'deny workspace.protected' -- \
			sh -ec "echo new >f; $act"
		[[ $stderr == *'refused   policy refuses workspace.protected'* ]]
		unchanged run_chock 0 --yes -- sh -ec "echo new >f; $act"
		[[ $stderr == *'policy has a person asked about workspace.protected'* ]]
	done
	unchanged run_chock 0 --yes --rule 'deny workspace.policy' -- \
		sh -ec 'echo "allow *" >chock.policy'
	[[ $stderr == *'policy refuses workspace.policy'* ]]
	run_chock 0 --yes --rule 'allow workspace.protected path .envrc' -- \
		sh -ec 'echo x >.envrc'
	[ "$(cat .envrc)" = x ]
	rm -rf "$state"
	run_chock 0 --yes --rule 'allow workspace.protected' \
		--rule 'allow workspace.policy' -- \
		sh -ec 'echo "ask fs.read" >chock.policy; rm .envrc'
	[ ! -e .envrc ]
	log=$(find "$state" -name '*.jsonl')
	[ "$(jq -r 'select(.kind == "decision") | "\(.actions[0]) \(.paths)"' "$log" | tail -n 2)" = \
		'workspace.policy ["chock.policy"]
workspace.protected [".envrc"]' ]
	[ "$(jq -r 'select(.kind == "answer").actions[0]' "$log")" = workspace.apply ]
}

@test "asks nothing where nothing differs" {
	session 'echo old >f; touch -r /proc/self/stat x; rm x; true'
	touch -r f "$w/layers/upper/f"
	run -1 "$overlay" question -w "$w"
	[ "$(json .effect.file_count <<<"$output")" = 0 ]
	[ "$(json .action <<<"$output")" = null ]
}

@test "lands where only others were changed underneath" {
	session "$write"
	echo outside >other
	echo outside >dir/other
	question
	apply
	[ "$(json .landed <<<"$output")" = true ]
	[ "$(cat f other dir/other)" = $'new\noutside\noutside' ]
}

@test "lands what was moved at the top of the directory" {
	session 'mv f moved; mv dir/in dir/out'
	question
	apply
	[ "$(json .landed <<<"$output")" = true ]
	[ "$(ls)" = $'dir\ngone\nlink\nmoved' ]
	[ "$(cat moved dir/out)" = $'old\nold' ]
}

@test "shows modes that widen, and none that does not" {
	local line wanted=(
		'M (mode 0700 to 0777) shut'
		'M (mode 0600 to 0666) shut/secret'
		'M narrow'
		'M same'
		'A new'
	)
	mkdir -m 700 shut
	echo secret >shut/secret
	echo x >same
	echo x >narrow
	chmod 600 shut/secret
	chmod 644 same narrow
	session 'chmod 777 shut; chmod 666 shut/secret; chmod 600 narrow
		echo y >same; echo y >new'
	question
	run -0 "$overlay" diff -w "$w"
	for line in "${wanted[@]}"; do
		grep -qxF "$line" <<<"$output"
		jq -r .detail "$BATS_TEST_TMPDIR/question" | grep -qxF "  $line"
	done
	apply
	[ "$(stat -c %a shut shut/secret narrow)" = $'777\n666\n600' ]
}

@test "keeps a mode that a directory was given underneath" {
	session 'echo 2 >dir/more'
	chmod 711 dir
	unchanged run -1 "$overlay" question -w "$w"
	[[ $(json .effect.obstacle <<<"$output") == *"changed underneath since the session began: 'dir'" ]]
	[ "$(stat -c %a dir)" = 711 ]
}

# stage_of NAME FILE - an apply of a session NAME, which writes the file NAME,
# killed at the first change after which its stage has FILE
stage_of() {
	local name=$1 file=$2 n tree
	w=$BATS_TEST_TMPDIR/w-$name
	rm -rf "$w"
	"$overlay" create -s "$name" -w "$w" "$plain" >/dev/null
	chock-spawn -p base --cow "$plain" --layers "$w/layers" \
		--chdir "$plain" -- sh -c "echo $name >$name"
	question
	tree=$(effect tree)
	for ((n = 1; n < 60; n++)); do
		cp -a "$w" "$w.first"
		run -250 "$helpers/kill-at" "$n" -- "$overlay" apply -w "$w" \
			--tree "$tree"
		if [ -e ".chock-cow/$file" ]; then
			rm -rf "$w.first"
			return
		fi
		rm -rf .chock-cow "$w"
		mv "$w.first" "$w"
	done
	return 1
}

@test "goes on with an apply that was cut off for its own session alone" {
	stage_of a new-0
	[ "$(jq .landing "$w/state")" = true ]
	[ ! -e .chock-cow/journal ]
	mv .chock-cow "$BATS_TEST_TMPDIR/of-a"
	tree=$(effect tree)
	stage_of c journal
	for verb in question "apply --tree $tree" diff adopt; do
		# shellcheck disable=SC2086
		unchanged run -111 --separate-stderr "$overlay" $verb \
			-w "$BATS_TEST_TMPDIR/w-a"
		[ "$stderr" = "chock-overlay: cannot use '$plain': an apply of session 'c' was cut off there, and 'chock workspace apply c' or 'chock-spawn --recover' goes on with it" ]
	done
	[ "$(jq .landed "$BATS_TEST_TMPDIR/w-a/state")" = false ]
	run -0 "$overlay" apply -w "$w" --tree "$(effect tree)"
	[ "$(cat c)" = c ]
	[ ! -e a ]
	run -0 "$overlay" apply -w "$BATS_TEST_TMPDIR/w-a" --tree "$tree"
	[ "$(cat a c)" = $'a\nc' ]
	[ ! -e .chock-cow ]
}

@test "goes on with no apply of another session of its name" {
	stage_of a new-0
	mv "$w" "$w.other"
	mv .chock-cow "$BATS_TEST_TMPDIR/of-a"
	stage_of a journal
	unchanged run -111 --separate-stderr "$overlay" question -w "$w.other"
	[[ $stderr == *"an apply of session 'a' was cut off there"* ]]
}

@test "neither lands nor throws away what a run of chock-spawn kept" {
	stage_of a new-0
	rm -rf .chock-cow
	mkfifo "$BATS_TEST_TMPDIR/go"
	exec 8<>"$BATS_TEST_TMPDIR/go"
	chock-spawn -p base --cow . -- \
		sh -c 'echo kept >f; echo; read -r line' <&8 8>&- 2>err |
		{ read -r _ && echo outside >f && echo >&8; }
	exec 8>&-
	[[ $(cat err) == *"the work is kept in its '.chock-cow'"* ]]
	rm err
	unchanged run -111 --separate-stderr "$overlay" apply -w "$w" \
		--tree "$(effect tree)"
	[ "$stderr" = "chock-overlay: cannot use '$plain': it waits for the work of an earlier run ('chock-spawn --recover')" ]
	chock-spawn --recover . --commit
	[ "$(cat f)" = kept ]
}

@test "applies nothing where one of them was, names it, and keeps the work" {
	for act in 'echo outside >f' 'touch f' 'chmod 600 f' 'rm f' \
		'rm gone; mkdir gone' 'echo outside >added' 'rm -r dir' \
		'mv dir moved; mkdir dir; echo other >dir/in'; do
		fresh
		cd "$plain"
		session "$write"
		eval "$act"
		unchanged run -1 "$overlay" question -w "$w"
		[ "$(json .effect.landing <<<"$output")" = parked ]
		[[ $(json .effect.obstacle <<<"$output") == "changed underneath since the session began: '"* ]]
		[ "$(json .action <<<"$output")" = null ]
		echo "$output" >"$BATS_TEST_TMPDIR/question"
		unchanged apply
		[ "$(json .landed <<<"$output")" = false ]
		[[ $(json .reason <<<"$output") == "changed underneath"* ]]
		[ "$(cat "$w/layers/upper/f")" = new ]
	done
}

@test "parks what was changed while the command ran, and says which" {
	mkfifo "$BATS_TEST_TMPDIR/go" "$BATS_TEST_TMPDIR/said"
	"$overlay" create -s two -w "$w" "$plain" >/dev/null
	"$CHOCK_BUILD/bin/chock-spawn" -p base --cow "$plain" \
		--layers "$w/layers" --chdir "$plain" -- \
		sh -ec 'echo new >f; echo; read -r _' \
		<"$BATS_TEST_TMPDIR/go" >"$BATS_TEST_TMPDIR/said" 3>&- &
	run_pid=$!
	exec 5>"$BATS_TEST_TMPDIR/go"
	read -r _ <"$BATS_TEST_TMPDIR/said"
	echo outside >f
	echo go >&5
	exec 5>&-
	wait "$run_pid"
	run_pid=
	run -1 "$overlay" question -w "$w"
	[ "$(json '.effect.stale[0]' <<<"$output")" = f ]
	[ "$(cat f)" = outside ]
}

@test "applies nothing that was changed between question and answer" {
	session "$write"
	question
	echo outside >gone
	unchanged apply
	[ "$(json .landed <<<"$output")" = false ]
	[[ $(json .reason <<<"$output") == *"'gone'" ]]
	session "$write"
	question
	echo other >"$w/layers/upper/added"
	unchanged apply 100
	[[ $stderr == *'is not what was shown' ]]
	unchanged run -100 "$overlay" apply -w "$w" --tree 0
}

@test "keeps what is to be parked, and asks nothing" {
	unchanged run_chock 0 --apply park --yes -- sh -ec "$write"
	[[ $stderr == *'waits     it is to be parked, and stays where it is'* ]]
	id=${stderr#*session }
	id=${id%%$'\n'*}
	echo 'apply park' >"$BATS_TEST_TMPDIR/parking.policy"
	echo 'include base' >>"$BATS_TEST_TMPDIR/parking.policy"
	unchanged run_chock 0 --policy "$BATS_TEST_TMPDIR/parking.policy" \
		--yes -- sh -ec "$write"
	[[ $stderr == *'waits     it is to be parked'* ]]
	# Whoever takes it up wants it.
	run_chock 0 --policy "$BATS_TEST_TMPDIR/parking.policy" --kept "$id" --yes
	[ "$(cat f)" = new ]
}

@test "refuses ways of git where there is none, before anything is made" {
	for words in '--apply merge' '--apply rebase' '--apply squash' \
		'--apply ask' --allow-dirty; do
		# shellcheck disable=SC2086
		run_chock 100 $words -- true
		[[ $stderr == "chock-run: $words: there is no git here"* ]]
	done
	[ ! -e "$HOME/.local" ]
}

@test "brings names of any bytes through" {
	name=$'-a b\nc\td"\'\\e\xff\x1b[0m%'
	long=$(printf '%0255d' 7)
	rm -rf "$w"
	"$overlay" create -s monday -w "$w" "$plain" >/dev/null
	# shellcheck disable=SC2016
	chock-spawn -p base --cow "$plain" --layers "$w/layers" --chdir "$plain" \
		-- sh -ec 'mkdir -- "$1"; echo 1 >"./$1/$1"; echo 2 >"$2"' sh \
		"$name" "$long"
	question
	[ "$(effect 'files[0].path.base64' | base64 -d)" = "$name" ]
	apply
	[ "$(cat "./$name/$name" "$long")" = $'1\n2' ]
	[[ $(jq -r .detail "$BATS_TEST_TMPDIR/question") != *$'\x1b'* ]]
}

@test "follows no link, neither inside nor when it lands" {
	mkdir "$BATS_TEST_TMPDIR/out"
	echo outside >"$BATS_TEST_TMPDIR/out/in"
	session "rm -r dir; ln -s '$BATS_TEST_TMPDIR/out' dir"
	question
	apply
	[ "$(readlink dir)" = "$BATS_TEST_TMPDIR/out" ]
	# A directory that became a link underneath leads nowhere.
	fresh
	cd "$plain"
	session 'echo new >dir/in; echo new >dir/more'
	rm -r dir
	ln -s "$BATS_TEST_TMPDIR/out" dir
	run -1 "$overlay" question -w "$w"
	[[ $(json .effect.obstacle <<<"$output") == *"'dir'"* ]]
	echo "$output" >"$BATS_TEST_TMPDIR/question"
	apply
	[ "$(json .landed <<<"$output")" = false ]
	[ "$(ls "$BATS_TEST_TMPDIR/out")" = in ]
	[ "$(cat "$BATS_TEST_TMPDIR/out/in")" = outside ]
}

@test "brings in nothing of a git repository, where settings run programs" {
	for act in 'mkdir .git; echo x >.git/config' 'mkdir -p a/.GIT/hooks' \
		'echo gitdir: /tmp >dir/.git' \
		'mkdir -p b/objects b/refs; echo x >b/HEAD' \
		'mkdir b; echo x >b/HEAD; echo /x >b/commondir' \
		'mkdir objects refs; echo x >HEAD'; do
		session "echo new >f; $act"
		unchanged run -1 "$overlay" question -w "$w"
		[[ $(json .effect.obstacle <<<"$output") == *"is of a git repository, and what is in one can run programs" ]]
	done
	session 'echo x >.gitignore; mkdir git objects; echo x >HEAD'
	question
	mkdir -p b/objects b/refs
	session 'echo x >b/README'
	question
	session 'echo x >b/HEAD'
	unchanged run -1 "$overlay" question -w "$w"
}

@test "lands what was made unreadable inside" {
	session 'mkdir -p s/t; echo x >s/t/u; echo y >v; chmod 0 s/t/u v s/t s'
	question
	[ "$(effect file_count)" = 4 ]
	apply
	[ "$(json .landed <<<"$output")" = true ]
	[ "$(stat -c %a s v)" = $'0\n0' ]
	chmod 700 s
	chmod 700 s/t
	chmod 600 s/t/u
	[ "$(cat s/t/u)" = x ]
}

@test "parks what is too deep for it to land, by name" {
	path=$(printf 'd/%.0s' {1..36})
	session "mkdir -p $path"
	(
		ulimit -n 200
		run -1 question
		[ "$(effect left_count)" = 1 ]
		[ "$(effect 'left[0]')" = "${path:0:69}: a directory too deep" ]
		[ "$(effect obstacle)" = "all lands or nothing does, and this cannot: ${path:0:69}: a directory too deep" ]
		apply
		[ "$(json .landed <<<"$output")" = false ]
		[ ! -e d ]
	)
	question
	apply
	[ "$(json .landed <<<"$output")" = true ]
	[ -d "$path" ]
}

@test "shows a hidden path neither its bytes nor its removal" {
	printf 'include base\nhide @project@/gone\n' >"$BATS_TEST_TMPDIR/hiding.policy"
	run_chock 0 --policy "$BATS_TEST_TMPDIR/hiding.policy" --yes -- \
		sh -c 'cat gone; rm -rf gone; echo new >f; true'
	[[ $output != *old* ]]
	[ "$(cat gone f)" = $'old\nnew' ]
}

@test "keeps to one run at a time, and applies nothing meanwhile" {
	session "$write"
	question
	mkfifo "$BATS_TEST_TMPDIR/said" "$BATS_TEST_TMPDIR/go"
	exec 5<>"$BATS_TEST_TMPDIR/go"
	rm -rf "$w.2"
	"$overlay" create -s two -w "$w.2" "$plain" >/dev/null
	"$CHOCK_BUILD/bin/chock-spawn" -p base --cow "$plain" \
		--layers "$w.2/layers" -- sh -c 'echo; read -r _' \
		<&5 >"$BATS_TEST_TMPDIR/said" 3>&- 5>&- &
	run_pid=$!
	read -r _ <"$BATS_TEST_TMPDIR/said"
	unchanged apply 111
	[[ $stderr == *'one run at a time' ]]
	unchanged run_chock 125 -- true
	[[ $stderr == *'one run at a time'* ]]
	kill "$run_pid"
	wait "$run_pid" || [ $? -ne 0 ]
	run_pid=
	apply
	[ "$(cat f)" = new ]
}

@test "refuses by name where there can be no overlay, and says what would help" {
	run_chock 100 --driver landlock -- true
	[ "$stderr" = "chock-run: a directory without git is shown by an overlay, and the driver 'landlock' has none; 'git init' and a commit make it a project that can be copied" ]
	[ ! -e "$HOME/.local" ]
	cd "$HOME"
	run_chock 100 -- true
	[[ $stderr == *'a workspace never lies in its project; '* ]]
	mkdir "$plain/.git"
	cd "$plain"
	run_chock 100 -- true
	[[ $stderr == *"it has a .git, and git does not take that for a repository" ]]
	rmdir .git
	run -100 --separate-stderr "$overlay" create -s x -w "$w" "$BATS_TEST_TMPDIR/none"
	[[ $stderr == *'No such file or directory' ]]
	[ ! -e "$w" ]
}

@test "takes away what a layer holds with the workspace" {
	session 'mkdir -p a/b; echo x >a/b/c; chmod 0 a/b a'
	[ "$(json .cleared <<<"$("$overlay" clear -w "$w")")" = "$w" ]
	[ ! -e "$w" ]
	run -100 "$overlay" clear -w "$plain"
	[ -e f ]
}

@test "holds what is written to the limit of disks" {
	run -137 --separate-stderr chock-spawn -p base --cow "$plain" --layers "$(
		"$overlay" create -s big -w "$w" "$plain" | json .layers
	)" --chdir "$plain" --limit disk=16MiB \
		--report-fd 3 -- sh -c '
		i=0; while :; do head -c 8388608 /dev/zero >$i; i=$((i + 1)); done' 3>"$BATS_TEST_TMPDIR/report"
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/report" | json .killed)" = disk ]
	[ "$(ls -A)" = $'dir\nf\ngone\nlink' ]
}

@test "takes --layers with --cow or --copy alone" {
	while IFS='|' read -r words message; do
		eval "set -- $words"
		run -100 --separate-stderr chock-spawn -p base "$@"
		[ "${stderr%%$'\n'*}" = "chock-spawn: $message" ]
	done <<-'END'
		--layers w -- true|--layers goes with --cow or --copy only
		--cow . --layers w --commit -- true|--layers keeps what is written: no --commit, --discard or --dry-run goes with it
		--cow . --layers w --dry-run -- true|--layers keeps what is written: no --commit, --discard or --dry-run goes with it
	END
	run -125 --separate-stderr chock-spawn -p base --cow . --layers none -- true
	[[ $stderr == "chock-spawn: --layers: cannot open '$plain/none': No such file or directory" ]]
	mkdir "$BATS_TEST_TMPDIR/l"
	unchanged chock-spawn -p base --cow . --layers "$BATS_TEST_TMPDIR/l" \
		--chdir . --report-fd 3 -- sh -c 'echo x >f' 3>"$BATS_TEST_TMPDIR/report"
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/report" | json .cow)" = kept ]
	[ "$(cat "$BATS_TEST_TMPDIR/l/upper/f")" = x ]
	rm -r "$BATS_TEST_TMPDIR/l"
}

@test "says how all of it is seen, also where there is too much to show" {
	session 'for i in $(seq 1000 1700); do echo x >"$i$(printf %0200d 0)"; done'
	run -0 "$overlay" question -w "$w"
	detail=$(json .detail <<<"$output")
	[[ $detail == $'all of it, in another terminal:\n'"  chock overlay diff -w $w"$'\n'*' more' ]]
	run -0 chock overlay diff -w "$w"
	[ "${#lines[@]}" -ge 701 ]
}

@test "is told from a workspace of a git project by name" {
	session "$write"
	for verb in diff question; do
		run -100 --separate-stderr "$libexec/chock-workspace" "$verb" -w "$w"
		[ "$stderr" = "chock-workspace: cannot use '$w': it is a workspace of a directory without git, which 'chock overlay' is for" ]
	done
}

@test "says of many files how many are not shown, behind what has to be known" {
	session "echo 1 >f; mkdir many; touch $(echo many/{10..99})"
	question
	detail=$(jq -r .detail "$BATS_TEST_TMPDIR/question")
	[ "${#detail}" -le 4096 ]
	[[ $detail == *$'\nwhat those hold now '*$'\n92 files, '*$'\n  and 52 more' ]]
	[ "$(grep -c '^  [AM] ' <<<"$detail")" = 40 ]
}

@test "refuses wrong calls of chock-overlay with 100 and one line" {
	while IFS='|' read -r words message; do
		eval "set -- $words"
		run -100 --separate-stderr "$overlay" "$@"
		[ "${stderr%%$'\n'*}" = "chock-overlay: $message" ]
	done <<-'END'
		create -s a|create needs --workspace W
		create -w w|create needs --session ID
		create -s ../a -w w|'../a' cannot name a session
		question|question needs --workspace W
		apply -w w|apply needs --tree TREE
		clear -w w --tree x|clear takes no --tree
		diff -w none|cannot use 'none': it is not a workspace of chock with an overlay
	END
	run -100 "$overlay" bogus
}

@test "has the layer on the disk before it asks, and the state before its name" {
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: no way to fail a call"
	session "$write"
	run -111 --separate-stderr "$helpers/kill-at" 1 5 -- \
		"$overlay" question -w "$w"
	[ "$stderr" = "chock-overlay: cannot write out '$w/layers/upper': Input/output error" ]
	[ "$(json .error <<<"$output")" = "${stderr#chock-overlay: }" ]
	run -251 "$helpers/kill-at" 2 5 -- "$overlay" question -w "$w"
	# A directory, the layers, and twice a file: it, its bytes, those on the
	# disk, its name, that on the disk.  Nothing is removed before.
	for n in {1..12}; do
		rm -rf "$w"
		run -111 --separate-stderr "$helpers/kill-at" "$n" 5 -- \
			"$overlay" create -s monday -w "$w" "$plain"
		[[ $stderr == *': Input/output error' ]]
		[ ! -e "$w" ]
	done
	run -251 "$helpers/kill-at" 13 5 -- \
		"$overlay" create -s monday -w "$w" "$plain"
}

# ---- cut off, or failed, at any step ------------------------------------

state_of() {
	(
		cd "$1" || exit
		find . -mindepth 1 -printf '%P %y %m %l\n' | sort
		find . -type f -readable -exec sha256sum {} + | sort -k2
	)
}

# whole - says whether all is as it was, or as it is to be
whole() {
	[ ! -e "$plain/.chock-cow" ] || return
	case $(state_of "$plain") in
	"$before") echo before ;;
	"$after") echo after ;;
	*) return 1 ;;
	esac
}

# prepare - a session as it waits to be applied, to be copied for each try
prepare() {
	before=$(state_of "$plain")
	session 'echo 2 >f; rm gone; rm -r dir; mkdir dir; echo 2 >dir/y
		ln -sf dir link; mkdir -p new/sub; echo 2 >new/sub/f
		chmod 500 new'
	tree=$("$overlay" question -w "$w" | jq -r .effect.tree)
	cp -a "$w" "$w.first"
	"$overlay" apply -w "$w" --tree "$tree" >said
	after=$(state_of "$plain")
	[ "$before" != "$after" ]
}

# again - all as before, but for the number and the time of the directory
again() {
	local now
	fresh
	rm -rf "$w"
	cp -a "$w.first" "$w"
	now=$(stat -c %.9Z "$w")
	jq -c --argjson ino "$(stat -c %i "$plain")" \
		--argjson seconds "${now%.*}" --arg rest "${now#*.}" \
		'.inode = $ino | .since = {seconds: $seconds,
			nanoseconds: ($rest | sub("^0+(?=.)"; "") | tonumber)}' \
		"$w.first/state" >"$w/state"
}

# at N[ ERRNUM] - an apply with its Nth change cut off, or failed; sets at
at() {
	at=0
	# shellcheck disable=SC2086
	"$helpers/kill-at" $1 -- "$overlay" apply -w "$w" --tree "$tree" \
		>said 2>err || at=$?
}

finish() {
	"$overlay" apply -w "$w" --tree "$tree" >said
	[ "$(jq .landed said)" = true ]
	[ "$(whole)" = after ]
}

# in_memory FUNCTION - call it where all is in a tmpfs, for what comes to the
# disk is waited for, and that many are a long wait
in_memory() {
	mkdir "$BATS_TEST_TMPDIR/mem"
	export CHOCK_BUILD
	unshare --user --map-root-user --mount bash -euc "
		$(declare -f fresh session state_of whole prepare again at finish "$1")
		mount -t tmpfs overlay '$BATS_TEST_TMPDIR/mem'
		cd '$BATS_TEST_TMPDIR/mem'
		overlay=$overlay plain=\$PWD/p w=\$PWD/w
		fresh
		prepare
		$1"
}

kill_each() {
	: >states
	for ((n = 1; ; n++)); do
		again
		at "$n"
		[ "$at" -ne 251 ] || break
		[ "$at" -eq 250 ]
		[ -e p/.chock-cow ] || whole >>states
		finish
	done
	[ "$(sort -u states)" = $'after\nbefore' ]
	[ "$n" -gt 50 ]
}

recover_each() {
	for n in 20 35 44 50; do
		again
		at "$n"
		[ "$at" -eq 250 ]
		chock-spawn --recover p
		finish
	done
}

fail_each() {
	undone=0
	for ((n = 1; ; n++)); do
		again
		at "$n 28"
		[ "$at" -ne 251 ] || break
		[ "$at" -eq 0 ] || grep -q '^chock-overlay: ' err
		[ -e p/.chock-cow ] || whole >/dev/null
		! grep -q 'nothing is applied: cannot put .* in place' err ||
			undone=$n
		finish
	done
	[ "$n" -gt 50 ]
	# What somebody changes after that is told from what was put back.
	again
	at "$undone 28"
	[ "$(whole)" = before ]
	echo mine >p/f
	"$overlay" apply -w "$w" --tree "$tree" >said
	[ "$(jq -r .reason said)" = "changed underneath since the session began: 'f'" ]
	[ "$(cat p/f)" = mine ]
}

@test "is whole after an apply was killed at any step, once it is done again" {
	in_memory kill_each
}

@test "is whole after chock-spawn recovered what was cut off as well" {
	in_memory recover_each
}

@test "applies all or nothing if any step fails" {
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: no way to fail a call"
	in_memory fail_each
}
