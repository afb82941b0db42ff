#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The bind statements of a policy: what git ignores, carried into the copy, and
# back only where a mode and an answer say so
#
#	project/   a, build.sh (git); ignored: env, deps/, tool
#	p          a policy that binds

# shellcheck disable=SC2238 # env is a file here

load lib/chock
load lib/project

setup() {
	require userns landlock
	project=$BATS_TEST_TMPDIR/project
	p=$BATS_TEST_TMPDIR/p
	bind=$libexec/chock-bind
	make_project "$project"
	cd "$project" || return
	printf 'env\ndeps\ntool\nlink\n*.tmp\n' >.git/info/exclude
	echo old >env
	mkdir -p deps/in
	echo old >deps/in/f
	echo old >deps/gone
	echo old >tool
}

# policy LINE... - p is base and these
policy() {
	printf 'include base\n' >"$p"
	printf '%s\n' "$@" >>"$p"
}

# run_chock STATUS ARGUMENT... - chock run by p with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run -p "$p" "$@" \
		</dev/null
}

yes='--rule=allow workspace.bind.*'

# parts - the project's ignored files and their bytes
parts() {
	manifest "$project" | grep -v '^\.git'
}

unchanged() {
	parts >"$BATS_TEST_TMPDIR/before"
	"$@"
	parts >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "leaves out what git ignores unless something binds it" {
	policy
	run_chock 0 -- sh -c 'test ! -e env && test ! -e deps && cat a'
	[ "$output" = one ]
}

@test "shows a file and a directory read-only" {
	policy 'bind env read_only' 'bind deps read_only'
	unchanged run_chock 0 "$yes" -- sh -c 'cat env deps/in/f
		echo new 2>&1 >env; echo new 2>&1 >deps/in/f
		rm -f deps/gone 2>&1; echo new >a && cat a'
	[[ $output == $'old\nold\n'*'Read-only file system'*$'\nnew' ]]
	[ "$(grep -c 'Read-only file system' <<<"$output")" -eq 3 ]
}

@test "writes a file through, and only that one" {
	policy 'bind env write'
	run_chock 0 "$yes" -- sh -c 'echo new >env; echo new >tool; echo x >a'
	[ "$(cat env)" = new ]
	[ "$(cat tool)" = old ]
	[ "$(cat a)" = one ]
}

@test "refuses to write to a directory, a file that runs later, or one of two names" {
	chmod 700 tool
	ln env other.tmp
	mkdir -p .vscode
	echo '{}' >.vscode/tasks.json
	echo '# nothing' >chock.policy
	while IFS='|' read -r name reason; do
		policy "bind $name write"
		unchanged run_chock 100 "$yes" -- true
		[[ $stderr == *"$p:2:1: cannot bind '$name': $reason"* ]]
	done <<-'END'
		deps|it is a directory, and what runs later on the host
		.vscode/tasks.json|workspace.protected names it
		chock.policy|workspace.protected names it, or the policy is read
		env|it has more than one name (hard links)
		tool|it can be executed, and would run later on the host
	END
	# The neighbour: the same file, while nobody can execute it.
	chmod 600 tool
	policy 'bind tool write'
	run_chock 0 "$yes" -- sh -c 'echo new >tool'
	[ "$(cat tool)" = new ]
}

@test "asks apart about what git runs or reads of what comes back" {
	git config core.fsmonitor deps/in/monitor
	git config core.hooksPath deps/hooks
	mkdir deps/hooks
	printf '#!/bin/sh\n' | tee deps/in/monitor >deps/hooks/pre-commit
	chmod 755 deps/in/monitor deps/hooks/pre-commit
	policy 'bind deps copy'
	for path in in/monitor hooks/pre-commit; do
		unchanged run_chock 0 "$yes" --yes -- sh -c "echo 'touch $BATS_TEST_TMPDIR/ran' >>deps/$path"
		[[ $stderr == *"policy has a person asked about workspace.protected "* ]]
		run_chock 0 "$yes" --yes -- sh -c "echo new >deps/in/f; cat deps/$path"
		[ "$(cat deps/in/f)" = new ]
		echo old >deps/in/f
		# Without the question the person's next command runs it.
		run_chock 0 "$yes" --yes --rule 'allow workspace.protected' -- \
			sh -c "echo 'touch $BATS_TEST_TMPDIR/ran' >>deps/$path"
		git status --short
		git commit -q --allow-empty -m next
		[ -e "$BATS_TEST_TMPDIR/ran" ]
		rm "$BATS_TEST_TMPDIR/ran"
		printf '#!/bin/sh\n' >"deps/$path"
	done
}

@test "refuses to write to what git reads, or a link leads to from such a name" {
	git config include.path ../deps/in/f
	echo x >deps/conf
	ln -s deps/conf .envrc
	for name in deps/in/f deps/conf; do
		policy "bind $name write"
		unchanged run_chock 100 "$yes" -- true
		[[ $stderr == *"$p:2:1: cannot bind '$name': workspace.protected names it"* ]]
	done
	# The neighbour.
	policy 'bind deps/gone write'
	run_chock 0 "$yes" -- sh -c 'echo new >deps/gone'
	[ "$(cat deps/gone)" = new ]
}

@test "refuses to write to what became executable after the question" {
	begin 'bind env write'
	chmod 711 env
	run -111 --separate-stderr "$bind" make -w "$w" \
		<"$BATS_TEST_TMPDIR/offers"
	[ "$stderr" = "chock-bind: cannot bind 'env': it can be executed by now" ]
	chmod 644 env
	run -0 "$bind" make -w "$w" <"$BATS_TEST_TMPDIR/offers"
}

@test "leaves nothing executable behind of what a session wrote through" {
	policy 'bind env write' 'bind tool write'
	# Without what end does it is executable: the session sees so itself.
	run_chock 0 "$yes" -- sh -c 'printf "#!/bin/sh\necho ran\n" >env
		chmod 755 env; ./env; echo new >tool; chmod 640 tool'
	[ "$output" = ran ]
	[[ $stderr == *"'env' was made executable during the session, and is not any more; a bind by 'copy' asks about that"* ]]
	[ "$(stat -c %a env tool)" = $'644\n640' ]
	[ "$(cat tool)" = new ]
	log=$(sed -n 's/^  log       //p' <<<"$stderr")
	run -0 jq -c 'select(.ended) | .ended.taken' "$log"
	[ "$output" = '["env"]' ]
}

@test "takes nothing off what is another file by now, and follows no link" {
	local swap
	for swap in 'rm env; touch env; chmod 755 env' 'mv env was; ln -s was env'; do
		anew
		begin 'bind env write'
		chmod 755 env
		eval "$swap"
		run -0 --separate-stderr "$bind" end -w "$w"
		[ -z "$stderr" ]
		[ "$(jq -c .taken <<<"$output")" = '[]' ]
		[ "$(stat -L -c %a env)" = 755 ]
	done
	anew
	begin 'bind env write'
	chmod 111 env
	run -0 "$bind" end -w "$w"
	[ "$(stat -c %a env)" = 0 ]
}

# writing LINE - chock run is writing through env, which LINE was done with, and
# then waits to be ended; sets run_pid
writing() {
	policy 'bind env write'
	rm -rf "$HOME/.local" "$BATS_TEST_TMPDIR"/{ready,said}
	mkfifo "$BATS_TEST_TMPDIR"/{ready,said}
	exec {said_fd}<>"$BATS_TEST_TMPDIR/said"
	chock run -p "$p" "$yes" -- sh -c "$1; echo up; exec sleep 86399" \
		</dev/null >"$BATS_TEST_TMPDIR/ready" \
		2>"$BATS_TEST_TMPDIR/said" 3>&- {said_fd}<&- &
	run_pid=$!
	read -r line <"$BATS_TEST_TMPDIR/ready"
	[ "$line" = up ]
	state=$HOME/.local/state/chock/sessions
	log=$(find "$state" -name '*.jsonl')
	w=${log%.jsonl}
}

# over SIGNAL - end it; sets said when none of its processes is left
over() {
	exec {fd}<"$BATS_TEST_TMPDIR/said"
	exec {said_fd}<&-
	kill "-$1" "$run_pid"
	said=$(timeout 60 cat <&"$fd")
	exec {fd}<&-
}

@test "leaves nothing executable behind however the session is ended" {
	local signal
	for signal in HUP TERM KILL; do
		writing 'chmod 755 env'
		[ "$(stat -c %a env)" = 755 ]
		[ -e "$w/written" ]
		over "$signal"
		[ "$(stat -c %a env)" = 644 ]
		[ ! -e "$w/written" ]
		[[ $said == *"'env' was made executable during the session"* ]]
		run -0 jq -c 'select(.ended) | .ended.taken' "$log"
		[ "$output" = '["env"]' ]
	done
	# What a person does afterwards is his.
	chmod 700 env
	run -0 chock workspace clear --yes "${w##*/}"
	[ "$(stat -c %a env)" = 700 ]
}

@test "removes no workspace before what was written through is ended" {
	local verb
	for verb in "$libexec/chock-workspace clear -w @w@" \
		'chock workspace clear --yes @id@' "$libexec/chock-kept sweep"; do
		writing 'chmod 755 env'
		rm -rf "$BATS_TEST_TMPDIR/kept"
		cp -a "$w" "$BATS_TEST_TMPDIR/kept"
		over KILL
		# As if everything had been killed, and it as well.
		cp "$BATS_TEST_TMPDIR/kept/written" "$w"
		chmod 755 env
		printf 1 >"$w/expires"
		verb=${verb/@w@/$w}
		run -0 ${verb/@id@/${w##*/}}
		[ ! -e "$w" ]
		[ "$(stat -c %a env)" = 644 ]
	done
}

@test "goes on after a file that it cannot mend, and fails at the end" {
	begin 'bind env write' 'bind tool write'
	chmod 755 env tool
	# Nothing that is on it can be changed: it is the same file all the same.
	mending=(unshare -rm sh -c 'mount --bind "$1" "$1" &&
		mount -o remount,ro,bind "$1" && shift && exec "$@"' sh env)
	run -111 --separate-stderr "${mending[@]}" "$bind" end -w "$w"
	[ "${stderr_lines[0]}" = "chock-bind: cannot see to it that nobody executes 'env', which a session could write to: Read-only file system" ]
	[[ ${stderr_lines[1]} == "chock-bind: 'tool' was made executable"* ]]
	[ "$(jq -c '[.taken, .left]' <<<"$output")" = '[["tool"],["env"]]' ]
	[ "$(stat -c %a env tool)" = $'755\n644' ]
	# Nobody loses what it is known by.
	run -111 --separate-stderr "${mending[@]}" \
		"$libexec/chock-workspace" clear -w "$w"
	[[ $stderr == *"cannot remove '$w': cannot see to it that nobody executes 'env'"* ]]
	[ -e "$w/written" ]
	run -0 --separate-stderr "$bind" end -w "$w"
	[ "$(stat -c %a env)" = 644 ]
	[ ! -e "$w/written" ]
	run -0 "$libexec/chock-workspace" clear -w "$w"
}

@test "says in words what a yes to a bind means, and for programs as an effect" {
	begin 'bind env write deny' 'bind deps temp_copy' 'bind tool copy'
	run -0 jq -r .detail "$BATS_TEST_TMPDIR/offers"
	[ "$output" = "session monday would have env, 1 name, 4 bytes, shown as it is, and written in the project at once
the bind statement says deny at most
nobody is asked again about what the session writes to it
session monday would have deps, 4 names, 8 bytes, copied, and thrown away afterwards
nothing in the project changes
session monday would have tool, 1 name, 4 bytes, copied, and brought back once that is permitted
what differs afterwards is a question of its own" ]
	run -0 jq -r '.effect | [.session, .path, .mode, .names, .bytes] | @csv' \
		"$BATS_TEST_TMPDIR/offers"
	[ "${lines[1]}" = '"monday","deps","temp_copy",4,8' ]
}

@test "copies, and throws away what becomes of it" {
	policy 'bind env temp_copy' 'bind deps temp_copy'
	unchanged run_chock 0 "$yes" --yes -- \
		sh -c 'echo new >>env; rm -r deps/in; cat env'
	[ "$output" = $'old\nnew' ]
}

@test "brings a copy back with a yes: changed, new and removed" {
	policy 'bind env copy' 'bind deps copy'
	run_chock 0 "$yes" --yes -- sh -c 'echo new >env; echo new >deps/new
		rm deps/gone; mkdir deps/d; echo new >deps/d/f'
	[[ $stderr == *'bind      5 files written back'* ]]
	[ "$(cat env deps/new deps/d/f)" = $'new\nnew\nnew' ]
	[ ! -e deps/gone ]
	[ "$(cat deps/in/f tool a)" = $'old\nold\none' ]
}

@test "brings nothing back without a yes, and keeps it" {
	policy 'bind env copy'
	unchanged run_chock 0 "$yes" -- sh -c 'echo new >env'
	[[ $stderr == *'file not written back: '* ]]
	[[ $stderr == *'--yes, or --rule '*'would allow it'* ]]
	session=$(sed -n 's/^chock-run: session //p' <<<"$stderr")
	run -0 --separate-stderr setsid -w chock run --kept "$session" \
		--yes -p "$p" </dev/null
	[ "$(cat env)" = new ]
}

# session - the name of the session that run_chock had
session() {
	sed -n 's/^chock-run: session //p' <<<"$stderr"
}

# kept STATUS VERB ARGUMENT... - what chock workspace does with it
kept() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock workspace "$@" \
		</dev/null
}

@test "speaks of the work's refusal and of the binds' each in its own words" {
	policy 'bind env copy'
	run_chock 0 "$yes" --yes --rule 'deny workspace.protected' -- \
		sh -c 'echo x >.envrc; git add -A; git commit -q -m m; echo new >env'
	[[ $stderr == *'refused   policy refuses workspace.protected'* ]]
	[[ $stderr == *'bind      1 file written back'* ]]
	[[ $stderr != *'refused by you'* ]]
	[ "$(cat env)" = new ]
}

@test "says nothing of records where a kept session committed nothing" {
	policy
	run_chock 0 -- sh -c 'echo new >a'
	s=$(session)
	kept 1 apply "$s"
	[[ $stderr == *'commits   none'* ]]
	[[ $stderr != *chock-record* ]]
	policy 'bind env copy'
	run_chock 0 "$yes" --apply park -- sh -c 'echo new >env'
	s=$(session)
	kept 1 apply "$s"
	[[ $stderr == *'not written back'* ]]
	[[ $stderr != *chock-record* ]]
	kept 0 apply "$s" --yes
	[ "$(cat env)" = new ]
}

@test "shows, adopts and exports what was bound and is not brought back" {
	policy 'bind env copy' 'bind deps copy'
	unchanged run_chock 0 "$yes" -- sh -c 'echo new >env; echo new >deps/new
		rm deps/gone; echo b >b'
	s=$(session)
	[[ $stderr == *"apply     chock workspace apply $s"* ]]
	[[ $stderr != *'removed after a day'* ]]
	kept 0 diff "$s"
	[[ $output == '# not committed, and not applied'*+b* ]]
	[ "$(tail -n 3 <<<"$output" | sort)" = $'A deps/new\nD deps/gone\nM env' ]
	run -0 bash -c "chock workspace export $s | tar -xO files/env files/deps/new deleted"
	[ "$output" = $'new\nnew\ndeps/gone' ]
	kept 0 adopt "$s"
	cd ".chock-adopted/$s"
	[ "$(cat files/env files/deps/new files/b deleted)" = $'new\nnew\nb\ndeps/gone' ]
	[ ! -e files/deps/in ]
}

@test "gives what was bound though it was changed or removed underneath" {
	local change
	for change in 'echo other >env' 'rm -f env'; do
		echo old >env
		policy 'bind env copy'
		run_chock 0 "$yes" -- sh -c 'echo new >env'
		s=$(session)
		eval "$change"
		kept 0 diff "$s"
		[ "$output" = 'M env' ]
		kept 0 adopt "$s"
		[ "$(cat ".chock-adopted/$s/files/env")" = new ]
	done
}

@test "makes nothing again that both have removed" {
	begin 'bind deps copy'
	rm "$w/copy/deps/in/f"
	rm -r deps/in
	"$bind" gather -w "$w" >"$BATS_TEST_TMPDIR/gathered"
	[ "$(jq .differ "$BATS_TEST_TMPDIR/gathered")" -eq 0 ]
	run -1 --separate-stderr "$libexec/chock-overlay" question \
		-w "$w/binds" --apply files
	[ ! -e deps/in ]
}

# begin BIND... - a workspace w of the project, with these copied in
begin() {
	w=$BATS_TEST_TMPDIR/w
	rm -rf "$w"
	"$libexec/chock-workspace" create -s monday -w "$w" . >/dev/null
	policy "$@"
	chock-policy-eval --freeze --policy "$p" --project . >"$BATS_TEST_TMPDIR/frozen"
	"$bind" list -w "$w" --frozen-fd 7 7<"$BATS_TEST_TMPDIR/frozen" \
		>"$BATS_TEST_TMPDIR/offers"
	"$bind" make -w "$w" <"$BATS_TEST_TMPDIR/offers" >"$BATS_TEST_TMPDIR/made"
}

# question STATUS - what the binds in w come to
question() {
	"$bind" gather -w "$w" >"$BATS_TEST_TMPDIR/gathered"
	run "-$1" --separate-stderr "$libexec/chock-overlay" question \
		-w "$w/binds" --apply files
}

@test "writes nothing at all where anything it writes was changed underneath" {
	local change
	for change in 'echo other >env' 'rm env' 'chmod 600 env' 'rm -r deps' \
		'echo other >deps/new' 'rm -r deps/in' \
		'rm -r deps; ln -s /tmp deps'; do
		rm -rf env deps
		mkdir -p deps/in
		echo old | tee env deps/in/f >deps/gone
		begin 'bind env copy' 'bind deps copy'
		echo new | tee "$w/copy/env" "$w/copy/deps/in/f" >"$w/copy/deps/new"
		eval "$change"
		parts >"$BATS_TEST_TMPDIR/before"
		echo "$change"
		case $change in
		rm*)
			run -111 --separate-stderr "$bind" gather -w "$w"
			[[ $stderr == *'changed underneath since the session began: '* ]]
			;;
		*)
			question 1
			[[ $output == *'"obstacle":"changed underneath'* ]]
			;;
		esac
		parts >"$BATS_TEST_TMPDIR/after"
		diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	done
	# The neighbour: something else was changed, and that stays.
	rm -rf env deps
	mkdir deps
	echo old | tee env >deps/gone
	begin 'bind env copy' 'bind deps copy'
	echo new >"$w/copy/env"
	echo other >deps/gone
	question 0
	run -0 "$libexec/chock-overlay" apply -w "$w/binds" \
		--tree "$(tail -n 1 <<<"$output" | jq -r .effect.tree)"
	[ "$(cat env deps/gone)" = $'new\nother' ]
}

@test "leaves all or nothing behind wherever an apply is killed" {
	local n=0 status=0 now
	while [ "$status" -ne 251 ]; do
		n=$((n + 7))
		echo old | tee env >deps/gone
		rm -f deps/new
		begin 'bind env copy' 'bind deps copy'
		echo new | tee "$w/copy/env" >"$w/copy/deps/new"
		rm "$w/copy/deps/gone"
		question 0
		tree=$(tail -n 1 <<<"$output" | jq -r .effect.tree)
		status=0
		"$helpers/kill-at" "$n" -- "$libexec/chock-overlay" apply \
			-w "$w/binds" --tree "$tree" >/dev/null 2>&1 || status=$?
		[ "$status" -eq 250 ] || [ "$status" -eq 251 ]
		again=0
		"$libexec/chock-overlay" question -w "$w/binds" --apply files \
			>"$BATS_TEST_TMPDIR/again" || again=$?
		[ "$again" -le 1 ] # 1: it has landed, and nothing is left
		"$libexec/chock-overlay" apply -w "$w/binds" --tree "$tree"
		now=$(
			cat env deps/new
			ls deps
		)
		[ "$now" = $'new\nnew\nin\nnew' ]
	done
	[ "$n" -gt 20 ]
}

@test "binds what a pattern matches and git does not have" {
	mkdir -p sub/deep .git/x.tmp
	touch sub/deep/one.tmp two.tmp sub/other .git/three.tmp
	begin 'bind **/*.tmp temp_copy'
	[ "$(jq -r .action <"$BATS_TEST_TMPDIR/offers" | sort)" = \
		$'workspace.bind.sub/deep/one%2Etmp\nworkspace.bind.two%2Etmp' ]
	[ -e "$w/copy/two.tmp" ]
	[ -e "$w/copy/sub/deep/one.tmp" ]
	[ ! -e "$w/copy/sub/other" ]
	begin 'bind b* temp_copy'
	[ ! -s "$BATS_TEST_TMPDIR/offers" ]
}

@test "takes a pattern with a slash behind for the directories it fits" {
	mkdir one.tmp
	touch one.tmp/f
	begin 'bind *.tmp/ temp_copy'
	[ -e "$w/copy/one.tmp/f" ]
}

@test "passes over a directory that cannot be read, and names it" {
	[ "$(id -u)" -ne 0 ] || skip "nothing measured: root reads all"
	mkdir closed
	touch two.tmp
	chmod 0 closed
	begin 'bind **/*.tmp temp_copy' 2>"$BATS_TEST_TMPDIR/said"
	chmod 700 closed
	[[ $(cat "$BATS_TEST_TMPDIR/said") == *"'closed' cannot be read, and nothing in it is bound"* ]]
	[ -e "$w/copy/two.tmp" ]
}

# names_to COUNT - as many in deps/many
names_to() {
	(cd deps/many && seq "$(($(ls | wc -l) + 1))" "$1" | xargs touch)
}

# In a tmpfs, as that many take a disk their time.
@test "looks at 200000 names for each pattern by itself, and at no more" {
	mkdir deps/many
	begin 'bind th*.tmp temp_copy' 'bind tw*.tmp temp_copy'
	export bind w
	run --separate-stderr unshare --user --map-root-user --mount bash -euc "
		$(declare -f names_to)"'
		mount -t tmpfs many deps/many
		list() { "$bind" list -w "$w" --frozen-fd 7 7<"$1"; }
		touch two.tmp three.tmp
		names_to 100100
		list "$1" | jq -r .action
		names_to 200000
		list "$1"' - "$BATS_TEST_TMPDIR/frozen"
	[ "$status" -eq 100 ]
	[ "$output" = $'workspace.bind.three%2Etmp\nworkspace.bind.two%2Etmp' ]
	[ "$stderr" = "chock-bind: $p:2:1: cannot bind 'th*.tmp': more than 200000 names are to be looked through" ]
}

@test "refuses a pattern that matches more than 256 names" {
	local i
	for ((i = 0; i < 257; i++)); do : >"$i.tmp"; done
	policy 'bind *.tmp temp_copy'
	run_chock 100 "$yes" -- true
	[[ $stderr == *"$p:2:1: cannot bind '*.tmp': more than 256 names match"* ]]
	rm 0.tmp
	run_chock 0 "$yes" -- sh -c 'ls *.tmp | wc -l'
	[ "$output" = 256 ]
}

@test "refuses what leads out of the project or into its repository" {
	while IFS='|' read -r name reason; do
		policy "bind $name read_only"
		run_chock 100 "$yes" -- true
		[[ $stderr == *"$p:2:6: '$name' is $reason"* ]]
	done <<-'END'
		../x|a path with '.' or '..' in it
		deps/../../x|a path with '.' or '..' in it
		/etc/passwd|not a path below the project
		~/x|not a path below the project
		.git/config|a path in a repository of git
		deps/.GIT/config|a path in a repository of git
	END
	ln -s deps link
	ln -s /etc/passwd deps/out
	for name in link link/gone deps/out; do
		for mode in read_only write copy temp_copy; do
			policy "bind $name $mode"
			run_chock 100 "$yes" -- true
			[[ $stderr == *"$p:2:1: cannot bind '$name': a symbolic link is on the way to it"* ]]
		done
	done
}

@test "says what is not there, and goes on" {
	policy 'bind nothing read_only' 'bind env read_only'
	run_chock 0 "$yes" -- cat env
	[ "$output" = old ]
	[[ $stderr == *"there is no 'nothing' to bind"* ]]
}

@test "asks about each, and the narrower of statement and rule holds" {
	local row statement rule status
	while IFS='|' read -r statement rule status; do
		policy "bind env read_only $statement"
		run_chock "$status" "--rule=$rule workspace.bind.env" -- cat env
	done <<-'END'
		|allow|0
		allow|allow|0
		allow|deny|1
		allow|ask|1
		ask|allow|1
		deny|allow|1
		ask deny allow|allow|1
	END
	log=$(sed -n 's/^  log       //p' <<<"$stderr")
	run -0 jq -r 'select(.action=="workspace.bind.env") | .decision' "$log"
	[ "$output" = deny ]
	policy 'bind env read_only'
	run_chock 1 -- cat env
	[[ $stderr == *'not bound (read_only): policy has a person asked about workspace.bind.env '* ]]
}

@test "takes the first mode that is permitted, in the order of the statement" {
	policy 'bind env write read_only'
	run_chock 0 "$yes" -- sh -c 'echo new >env'
	policy 'bind env read_only write'
	run_chock 2 "$yes" -- sh -c 'echo newer >env'
	[ "$(cat env)" = new ]
}

@test "never shows what is hidden" {
	policy 'hide env' 'hide deps/gone' 'bind env read_only' 'bind deps temp_copy'
	run_chock 0 "$yes" -- sh -c 'test ! -s env || ! grep old env; cat deps/in/f; ls deps'
	[ "$output" = $'old\nin' ]
	[[ $stderr == *"'env' is hidden, and not bound"* ]]
	policy 'hide deps/gone' 'bind deps read_only'
	run_chock 100 "$yes" -- true
	[[ $stderr == *"cannot bind 'deps': something in it is hidden"* ]]
}

@test "carries back nothing of a copy in which something hidden was made" {
	policy 'hide deps/gone' 'bind deps copy' 'allow workspace.apply'
	unchanged run_chock 111 "$yes" -- sh -c 'echo new >deps/gone; echo new >deps/in/f'
	[[ $stderr == *"what was copied is not carried back: 'deps/gone' is hidden, and the session changes it"* ]]
	unchanged run_chock 111 "$yes" -- rm -r deps
	[[ $stderr == *"'deps/gone' is hidden"* ]]
	run_chock 0 "$yes" -- sh -c 'echo new >deps/in/f'
	[ "$(cat deps/in/f deps/gone)" = $'new\nold' ]
}

@test "binds nothing for a project that nobody trusts" {
	printf 'bind env read_only allow\nbind deps temp_copy allow\n' >chock.policy
	run -1 --separate-stderr setsid -w chock run "$yes" -- cat env </dev/null
	[[ $stderr == *'is not trusted'* ]]
	mv chock.policy "$p"
	sed -i '1i include base' "$p"
	run_chock 0 "$yes" -- cat env
}

@test "copies where a driver shows nothing elsewhere, and refuses the rest" {
	policy 'bind env temp_copy'
	run_chock 0 "$yes" --driver landlock -- cat "env"
	[ "$output" = old ]
	policy 'bind env read_only'
	run_chock 100 "$yes" --driver landlock -- true
	[[ $stderr == *"cannot bind 'env': this driver shows nothing at another path"* ]]
}

@test "has no mode but copy where there is no git" {
	require overlay
	rm -rf .git
	policy 'bind env read_only'
	unchanged run_chock 100 "$yes" -- true
	[[ $stderr == *"$p:2:1: cannot bind 'env': the project is in no git"* ]]
	policy 'bind env copy'
	unchanged run_chock 0 "$yes" -- sh -c 'echo new >env; cat env'
	[ "$output" = new ]
}

# shown STATUS BIND COMMAND... - in a sandbox on the copy in w, with BIND
shown() {
	local status=$1 bind=$2
	shift 2
	run "-$status" --separate-stderr chock-spawn -p base \
		--project "$project" --copy "$w/copy" --bind "$bind" -- "$@"
}

# made - the bind that make has printed
made() {
	jq -r '.bind[0]' <"$BATS_TEST_TMPDIR/made"
}

# What puts something else in the place of env, or of deps.
swaps='mv env was; echo swapped >env
rm env; echo swapped >env
echo swapped >other; mv other env
echo swapped >other; ln -sf other env
mv env was; mkdir env
mv deps was; cp -r was deps
rm -r deps; mkdir deps
mv deps was; mkdir other; ln -s other deps'

# anew - the files as setup makes them
anew() {
	rm -rf env deps was other
	mkdir -p deps/in
	echo old | tee env deps/in/f >deps/gone
}

@test "shows what was put in the place of a path that nothing else identifies" {
	local swap
	while IFS= read -r swap; do
		anew
		[[ $swap != *env* ]] || begin 'bind env read_only'
		[[ $swap != *deps* ]] || begin 'bind deps read_only'
		eval "$swap"
		spec=$(made)
		# A link leads what it is shown at elsewhere as well.
		case $swap in
		*'ln -s'*) ;;
		*swapped*)
			shown 0 "${spec%:is=*}" cat "$project/env"
			[ "$output" = swapped ]
			;;
		'rm -r deps; mkdir deps')
			shown 0 "${spec%:is=*}" ls "$project/deps"
			[ -z "$output" ]
			;;
		esac
	done <<<"$swaps"
}

@test "shows what was asked about, and nothing that was put in its place" {
	local swap name mode measured=0
	while IFS= read -r swap; do
		name='env'
		[[ $swap != *deps* ]] || name=deps
		for mode in read_only write; do
			[ "$name $mode" != 'deps write' ] || continue
			anew
			begin "bind $name $mode"
			eval "$swap"
			echo "$mode: $swap"
			shown 125 "$(made)" true
			[ "$stderr" = "chock-spawn: --bind: cannot grant \
'$project/$name': it is another file by now than was judged" ]
			code=111
			[[ $swap != *'ln -s'* ]] || code=100 # a link is never followed
			run "-$code" --separate-stderr "$bind" make -w "$w" \
				<"$BATS_TEST_TMPDIR/offers"
			[[ $stderr == "chock-bind: cannot "*"'$name': "* ]]
			measured=$((measured + 1))
		done
	done <<<"$swaps"
	[ "$measured" -eq 13 ]
}

@test "shows what was asked about though it was written and renamed" {
	local mode
	for mode in read_only write; do
		anew
		begin "bind env $mode"
		echo more >>env
		chmod 600 env
		mv env was
		mv was env
		shown 0 "$(made)" cat "$project/env"
		[ "$output" = $'old\nmore' ]
	done
	shown 0 "$(made)" sh -c "echo inside >>$project/env"
	[ "$(cat env)" = $'old\nmore\ninside' ]
	anew
	begin 'bind deps read_only'
	echo more >deps/more
	shown 0 "$(made)" cat "$project/deps/more"
	[ "$output" = more ]
}

@test "takes a line for a mount from list alone, with what it is" {
	begin 'bind env read_only'
	jq -c 'del(.effect.identity)' <"$BATS_TEST_TMPDIR/offers" \
		>"$BATS_TEST_TMPDIR/less"
	run -100 --separate-stderr "$bind" make -w "$w" \
		<"$BATS_TEST_TMPDIR/less"
	[ "$stderr" = "chock-bind: a line is no bind that 'list' printed" ]
	for is in '' 1 1.2.3 1.2.3.4. 1.2.3.4.5 1.2.3.x -1.2.3.4; do
		shown 100 "$project/env:/x:ro:is=$is" true
		[ "$stderr" = "chock-spawn: --bind: 'is=$is' identifies no file" ]
	done
}
