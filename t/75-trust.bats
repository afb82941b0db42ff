#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2154
# A project's own policy is a stranger's until a person says yes to its bytes:
#
#	foreign    it narrows, and cannot permit, grant or lift a limit
#	trusted    it is the project's layer, with all that it says
#	changed    by one byte, a link, a move: as if nobody had said anything
#
# and what chock takes for the person's own, nobody else can have written.

load lib/chock
load lib/project

setup() {
	project=$BATS_TEST_TMPDIR/project
	config=$HOME/.config/chock
	store=$HOME/.local/share/chock/trust
	mkdir -p "$project/sub" "$config" "$BATS_TEST_TMPDIR/granted"

	cd "$project" || return
	printf 'include base\ninclude ./sub/more\nallow web.search\n' >chock.policy
	printf 'allow secret.use.token\ndeny git.commit\nread %s/granted\n' \
		"$BATS_TEST_TMPDIR" >sub/more
	echo granted >"$BATS_TEST_TMPDIR/granted/file"
}

# digest FILE... - what chock trust calls these files
digest() {
	LC_ALL=C sha256sum "$@" | sha256sum | cut -d ' ' -f 1
}

# trust - say yes to the project as it is
trust() {
	chock trust --digest "$(digest chock.policy sub/more)" . 2>/dev/null
}

# person STEP... - chock trust, with a person at the terminal
person() {
	"$helpers/terminal" "$BATS_TEST_TMPDIR/transcript" "$@" -- \
		"$libexec/chock-trust" . </dev/null
}

# says ANSWER ACTION OPTION... - what chock-policy-eval answers
says() {
	run --separate-stderr chock-policy-eval --project "$project" "${@:3}" "$2"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	[ "${output%% *}" = "$1" ]
}

# foreign - the policy narrows, and nothing else
foreign() {
	says ask web.search
	says ask secret.use.token
	says deny git.commit
	says allow git.add
}

# trusted - it permits what it says
trusted() {
	says allow web.search
	says allow secret.use.token
	says deny git.commit
	says allow git.add
}

# changed - somebody trusted it, and it is not that any more
changed() {
	foreign
	[[ $stderr == *"$project/chock.policy changed since it was trusted on 20"*": it narrows only; 'chock trust' shows the difference"* ]]
	run -3 chock trust --check .
}

@test "lets a policy that nobody trusted narrow and not widen" {
	foreign
	[[ $stderr != *trusted* ]]
	run -1 chock trust --check .
}

@test "lets a trusted one say all that it says, and its neighbour nothing" {
	trust
	trusted
	[[ $stderr != *trusted* ]]
	run -0 chock trust --check .
	cp -r "$project" ../neighbour
	project=$BATS_TEST_TMPDIR/neighbour
	foreign
}

@test "binds, grants and reads in the sandbox only when it is trusted" {
	require userns
	run -0 --separate-stderr chock-spawn --find-policy --project . --read "$BATS_TEST_TMPDIR/granted" -- \
		cat "$BATS_TEST_TMPDIR/granted/file"
	[ "$output" = granted ]
	run -1 --separate-stderr chock-spawn --find-policy --project . -- \
		cat "$BATS_TEST_TMPDIR/granted/file"
	[[ $stderr == *"No such file or directory"* ]]
	trust
	run -0 --separate-stderr chock-spawn --find-policy --project . -- \
		cat "$BATS_TEST_TMPDIR/granted/file"
	[ "$output" = granted ]
	run -1 --separate-stderr chock-spawn --find-policy --project . -- \
		cat "$project/chock.policy"
	[[ $stderr == *"No such file or directory"* ]]
	printf '#\n' >>sub/more
	run -1 --separate-stderr chock-spawn --find-policy --project . -- \
		cat "$BATS_TEST_TMPDIR/granted/file"
	[[ $stderr == *"changed since it was trusted"* ]]
}

@test "gives up W^X for a trusted policy only" {
	require userns
	local wx=("$helpers/act" call mmap 0 4096 7 34 -1 0)
	"${wx[@]}"
	printf 'include jit\n' >chock.policy
	: >sub/more
	run -0 chock-spawn --policy jit --read "$helpers" -- "${wx[@]}"
	run -1 chock-spawn --find-policy --project . --read "$helpers" -- "${wx[@]}"
	[ "$output" = EPERM ]
	chock trust --digest "$(digest chock.policy)" .
	run -0 chock-spawn --find-policy --project . --read "$helpers" -- "${wx[@]}"
}

@test "trusts nothing that differs by a byte, is missing, linked or elsewhere" {
	cp -r "$project" "$BATS_TEST_TMPDIR/as-it-was"
	for change in 'printf \\n >>chock.policy' 'printf \\n >>sub/more' \
		'sed -i s/web.search/any/ chock.policy' \
		'echo >sub/new; echo include ./new >>sub/more' \
		'mv chock.policy x; ln -s x chock.policy' \
		'mv sub/more sub/x; ln -s x sub/more' \
		'mv sub x; ln -s x sub'; do
		trust
		trusted
		eval "$change"
		changed
		rm -r "$project"
		cp -r "$BATS_TEST_TMPDIR/as-it-was" "$project"
		cd "$project"
		trusted
	done
	mv "$project" ../moved
	project=$BATS_TEST_TMPDIR/moved
	foreign
	ln -s moved ../project
	project=$BATS_TEST_TMPDIR/project
	foreign
}

@test "says what is wrong where an include is gone, trusted or not" {
	trust
	rm sub/more
	run -100 --separate-stderr chock-policy-eval --project . web.search
	[[ $stderr == *"/chock.policy:2:9: cannot open "* ]]
	run -3 chock trust --check .
	run -100 chock trust --show .
}

@test "does not compare the shipped policies that are included" {
	trust
	run -0 grep -c '^file ' "$store"/*=trusted
	[ "$output" = 2 ]
}

@test "lets a named policy stand in for a trusted one, not for a stranger's" {
	printf 'allow git.commit\n' >"$BATS_TEST_TMPDIR/named"
	says deny git.commit --policy "$BATS_TEST_TMPDIR/named"
	trust
	says allow git.commit --policy "$BATS_TEST_TMPDIR/named"
	says ask web.search --policy "$BATS_TEST_TMPDIR/named"
	says allow git.commit --rule 'allow git.commit'
}

@test "puts a trusted policy before the person's own and below the ceiling" {
	printf 'deny web.search\ndeny git.add\n' >"$config/policy"
	trust
	says allow web.search
	says deny git.add
	printf 'deny web.search\n' >"$config/ceiling"
	says deny web.search
}

@test "lets a trusted policy lower a limit of the person's and not raise it" {
	require userns
	printf 'include base\nlimit files 100\n' >"$config/policy"
	while IFS='|' read -r limit want; do
		printf 'limit files %s\n' "$limit" >chock.policy
		chock trust --digest "$(digest chock.policy)" . 2>/dev/null
		run -0 --separate-stderr chock-spawn --find-policy --project "$project" -- sh -c 'ulimit -n'
		[ "$output" = "$want" ]
		[ "$limit" != 200 ] || [ "$stderr" = "chock-spawn: $project/chock.policy:1:1: limit files 200 is above the 100 of $config/policy:2: 100 holds" ]
	done <<-'END'
		50|50
		200|100
	END
}

@test "trusts when the person says y, and shows first what that means" {
	person 'see=Answer: ' 'type=y\r'
	trusted
	transcript=$(tr -d '\r' <"$BATS_TEST_TMPDIR/transcript")
	[[ $transcript == *"chock.policy:3: allow web.search  (now: ask)"* ]]
	[[ $transcript == *"sub/more:1: allow secret.use.token  (now: ask)"* ]]
	[[ $transcript == *"sub/more:3: read $BATS_TEST_TMPDIR/granted"* ]]
	[[ $transcript != *"sub/more:2: deny git.commit"*"The files:"* ]]
	[[ $transcript == *"The files:"*"file: sub/more"*"2: deny git.commit"* ]]
}

# means - what chock trust shows of what trust would mean, without the files
means() {
	run -0 --separate-stderr chock trust --show .
	printf 'got: %s\n' "$output"
	meaning=${output%%The files:*}
}

@test "shows a rule that widens for one agent, tool, model or attribute alone" {
	cat >"$config/policy" <<-'END'
		agent main
		agent reviewer parent main
		allow git.push
		deny git.push agent reviewer
		allow net.fetch.com.x
		deny net.fetch.com.x port 443
		allow exec.path.ls
		deny exec.path.* tool x
		allow git.tag
		ask git.* model m
		allow git.fetch model m
		allow git.pull
	END
	cat >chock.policy <<-'END'
		agent main
		agent reviewer parent main
		agent evil
		allow git.push
		allow net.fetch.com.x
		allow exec.path.ls
		allow git.tag
		allow git.fetch
		allow git.pull
		agent_review git.merge agent main
	END
	means
	[[ $meaning == *"chock.policy:3: agent evil"* ]]
	[[ $meaning == *"chock.policy:4: allow git.push  (now for some: deny)"* ]]
	[[ $meaning == *"chock.policy:5: allow net.fetch.com.x  (now for some: deny)"* ]]
	# Of what is less exact nothing is left for a name in full.
	for same in 'agent main' 'agent reviewer' 'allow exec' 'allow git.tag' 'allow git.pull'; do
		[[ $meaning != *": $same"* ]]
	done
	[[ $meaning == *"chock.policy:8: allow git.fetch  (now: "* ]]
	[[ $meaning == *"chock.policy:10: agent_review git.merge agent main"* ]]

	for answer in deny allow; do
		while read -r action attribute; do
			run --separate-stderr chock-policy-eval \
				--project "$project" "$action" "$attribute"
			[ "${output%% *}" = "$answer" ]
		done <<-'END'
			git.push agent=reviewer
			git.push agent=evil
			net.fetch.com.x port=443
		END
		chock trust --digest "$(digest chock.policy)" .
	done
}

@test "shows what a more general rule says where no rule of the person's does" {
	printf 'deny any tool x\nallow git.push tool y\n' >"$config/policy"
	printf 'allow git.push\n' >chock.policy
	means
	[[ $meaning == *"chock.policy:1: allow git.push  (now"* ]]
	printf 'allow git.push\ndeny git.*\ndeny any agent a\n' >"$config/policy"
	means
	[[ $meaning == *"beyond what holds now:"*nothing* ]]
}

@test "takes yes in either case for yes" {
	for typed in 'Y\r' 'yes\r' 'YES\r'; do
		person 'see=Answer: ' "type=$typed"
		run -0 chock trust --check .
		chock trust --revoke .
	done
}

@test "shows all of what was never trusted as new" {
	run -0 --separate-stderr chock trust --diff .
	[[ $output == *'trusted: never'*'It was never trusted, so all of it is new:'*'  +1: '* ]]
	[[ $output != *'since then'* ]]
}

@test "takes everything but y and yes for no" {
	for typed in '\r' 'n\r' 'no\r' 'yess\r' ' y\r' '\003' '\004'; do
		run -1 person 'see=Answer: ' "type=$typed"
		run -1 chock trust --check .
	done
	[ ! -e "$store" ]
}

@test "shows the difference from what was trusted, and asks again" {
	for i in {1..20}; do
		printf '# line %d\n' "$i"
	done >>chock.policy
	trust
	sed -i 's/^# line 15$/allow git.push/; /^# line 2$/d' chock.policy
	run -0 --separate-stderr chock trust --diff .
	[[ $output == *"  -5: # line 2"* ]]
	[[ $output == *"  +17: allow git.push"* ]]
	[[ $output == *"   16: # line 14"* ]]
	[[ $output != *"# line 9"* ]]
	person 'see=+17: allow git.push' 'see=Answer: ' 'type=y\r'
	says allow git.push
}

@test "asks nobody without a terminal, and trusts nothing" {
	run -3 --separate-stderr setsid -w chock trust . </dev/null
	[[ $output == *"3: allow web.search"*"digest: $(digest chock.policy sub/more)"* ]]
	[[ $stderr == "chock-trust: nobody can be asked here: "* ]]
	run -1 chock trust --check .
	[ ! -e "$store" ]
}

@test "trusts by digest just what has it" {
	run -1 --separate-stderr chock trust --digest "$(digest chock.policy)" .
	[[ $stderr == *"is not what was named"* ]]
	run -1 chock trust --digest '' .
	foreign
	trust
	trusted
}

@test "lets nothing that a policy holds act on the terminal" {
	printf 'allow web.search # \xe2\x80\xae evil\n' >chock.policy
	run -1 person 'see=Answer: ' 'type=n\r'
	grep -q 'u{202e} evil' "$BATS_TEST_TMPDIR/transcript"
	run -1 grep -q $'\xe2\x80\xae' "$BATS_TEST_TMPDIR/transcript"
	printf 'allow web.search # \033[2J\n' >chock.policy
	run -100 --separate-stderr person
	[[ $stderr == *"chock.policy:1:"* ]]
}

@test "does not ask about what it cannot show whole" {
	printf 'allow web.search #%4100sallow git.push\n' '' >chock.policy
	run -100 --separate-stderr person
	[[ $stderr == *"cannot show a line of the policy whole"* ]]
	[ ! -e "$store" ]
}

@test "takes trust back, also where the project is gone" {
	trust
	run -0 chock trust --revoke .
	foreign
	run -1 --separate-stderr chock trust --revoke .
	trust
	cd ..
	rm -r "$project"
	run -0 chock trust --list
	[[ $output == "  gone "*": $project" ]]
	run -0 chock trust --revoke "$project"
	run -0 chock trust --list
	[ "$output" = "" ]
}

@test "lists what is trusted" {
	trust
	run -0 chock trust --list
	[ "$output" = "  trusted $(date -u +%F): $project" ]
	printf '\n' >>sub/more
	run -0 chock trust --list
	[ "$output" = "  changed $(date -u +%F): $project" ]
}

@test "keeps a record to the person, whole, at any length of path" {
	deep=$BATS_TEST_TMPDIR
	for i in {1..8}; do
		deep=$deep/$(printf '%0100d+' "$i")
	done
	mkdir -p "$deep"
	mv chock.policy sub "$deep"
	cd "$deep"
	(umask 0 && trust)
	project=$deep trusted
	run -0 find "$store" ! -perm 700 -type d -o -type f ! -perm 600
	[ "$output" = "" ]
	run -0 find "$store" -type f
	[[ $output == *=trusted ]]
	run -0 chock trust --list
	[[ $output == "  trusted "*": $deep" ]]
}

@test "refuses a store or a record that others can write, by name" {
	trust
	for path in "$store" "$store"/*=trusted; do
		for mode in g+w o+w; do
			chmod "$mode" "$path"
			run -100 --separate-stderr chock-policy-eval --project . web.search
			[[ $stderr == *"'$path' can be written by others; 'chmod go-w $path' mends it" ]]
			run -100 chock-spawn --check --project .
			run -100 chock trust .
			chmod go-w "$path"
		done
	done
	trusted
}

@test "refuses a person's policy or ceiling that others can write, by name" {
	printf 'include ./more\n' >"$config/policy"
	printf 'deny web.search\n' >"$config/ceiling"
	: >"$config/more"
	for path in "$config/policy" "$config/ceiling" "$config/more" "$config"; do
		for mode in g+w o+w; do
			chmod "$mode" "$path"
			run -100 --separate-stderr chock-policy-eval web.search
			[[ $stderr == *"'$path' can be written by others; 'chmod go-w $path' mends it" ]]
			run -100 chock-spawn --check --find-policy
			chmod go-w "$path"
		done
	done
	run -1 chock-policy-eval web.search
	rm "$config/ceiling"
	chmod go+w chock.policy sub/more
	trust
	trusted
}

@test "refuses a person's policy that belongs to another user" {
	require root
	printf 'deny web.search\n' >"$config/policy"
	chown 12345 "$config/policy"
	run -100 --separate-stderr chock-policy-eval web.search
	[ "$stderr" = "chock-policy-eval: '$config/policy' belongs to user 12345, who is neither you nor root; chown mends it" ]
}

@test "takes a damaged record for an error, and makes it anew" {
	trust
	record=$(echo "$store"/*=trusted)
	cp "$record" whole
	for damage in 's/^chock-trust 1/chock-trust 2/' 's/^file 12 /file 99999 /' '$d' \
		'$s/$/x/' 's/^chock.policy$/other.policy/' 's/^project .*/project 99999999999999999999/'; do
		sed "$damage" whole >"$record"
		run -100 --separate-stderr chock-policy-eval --project . web.search
		[[ $stderr == *" is damaged; 'chock trust' makes it anew" ]]
		run -0 chock trust --list
		[[ $output == "  damaged "* ]]
		trust
		trusted
	done
	sed "s|^$project\$|${project%?}x|" whole >"$record"
	run -100 --separate-stderr chock-policy-eval --project . web.search
	[[ $stderr == *" is of another project" ]]
}

@test "holds what may be trusted to 4 MiB" {
	for i in 1 2 3 4 5; do
		{
			printf 'deny git.push #'
			head -c 900000 /dev/zero | tr '\0' x | fold -w 10000 | sed 's/^/# /'
			printf '\n'
		} >"sub/big$i"
		printf 'include ./sub/big%d\n' "$i"
	done >chock.policy
	run -100 --separate-stderr chock trust --digest "$(digest chock.policy sub/big?)" .
	[[ $stderr == *"the policy and what it includes have more than 4194304 bytes" ]]
	[ ! -e "$store" ] || [ -z "$(find "$store" -type f)" ]
}

@test "needs no project, no policy and no home for nothing" {
	rm chock.policy
	run -100 --separate-stderr chock trust .
	[ "$stderr" = "chock-trust: there is no chock.policy in '$PWD': nothing to trust" ]
	run -100 --separate-stderr chock trust --show .
	[[ $stderr == *': nothing to trust' ]]
	run -100 chock trust ./gone
	run -100 chock trust --show --diff
	run -100 chock trust . .
	run -100 chock trust --list .
	printf 'allow web.search\n' >chock.policy
	HOME='' says ask web.search
	HOME='' run -100 chock trust --digest "$(digest chock.policy)" .
}

# run_chock STATUS WORD... - chock run with nobody there to answer
run_chock() {
	local status=$1
	shift
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

# open_project - a git project that chock run can copy
open_project() {
	rm chock.policy
	make_project "$project"
}

@test "says at the start of a run, once, that the policy is not trusted" {
	require userns
	open_project
	run_chock 0 -- true
	[[ $stderr != *trust* ]]
	printf 'deny git.push\n' >chock.policy
	run_chock 0 -- true
	[ "$(grep -c 'trust' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"chock-run: $project/chock.policy is not trusted: it narrows only; 'chock trust' shows it and asks"* ]]
	chock trust --digest "$(digest chock.policy)" .
	run_chock 0 -- true
	[[ $stderr != *trust* ]]
	printf '\n' >>chock.policy
	run_chock 0 -- true
	[ "$(grep -c 'trust' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"$project/chock.policy changed since it was trusted on 20"* ]]
}

@test "says at the start, in the log and in the doctor which rule widens" {
	require userns
	open_project
	run_chock 0 -- true
	[[ $stderr != *'allows sandbox.jit'* ]]
	run jq -r 'select(.kind == "session.start").widened' "$HOME"/.local/state/chock/sessions/*/*.jsonl
	[ "$output" = '' ]
	rm -r "$HOME/.local"
	run -0 chock-doctor --json
	[ "$(jq -c .widened <<<"$output")" = '[]' ]
	printf 'allow sandbox.jit\nallow workspace.integrate\ninclude base\n' >"$config/policy"
	run_chock 0 -- true
	[[ $stderr == *"chock-run: $config/policy:1 allows sandbox.jit: the command may have pages that are writable and executable"* ]]
	[[ $stderr == *"chock-run: $config/policy:2 allows workspace.integrate: "* ]]
	run -0 jq -r 'select(.kind == "session.start").widened' "$HOME"/.local/state/chock/sessions/*/*.jsonl
	[ "$output" = 'sandbox.jit workspace.integrate' ]
	run -0 jq -r 'select(.kind == "sandbox.open").jit' "$HOME"/.local/state/chock/sessions/*/*.jsonl
	[ "$output" = true ]
	run -0 chock-doctor
	[[ $output == *"sandbox.jit is allowed by $config/policy:1: "* ]]
	run -0 chock-doctor --json
	[ "$(jq -c '[.widened[].action]' <<<"$output")" = '["sandbox.jit","workspace.integrate"]' ]
	printf 'alow x\n' >"$config/policy"
	run -0 chock-doctor
	[[ $output == *"The policies here cannot be used: $config/policy:1:1: "* ]]
}

@test "judges a whole run by the policies of its start" {
	require userns
	open_project
	local meet=$BATS_TEST_TMPDIR/meet sum
	mkdir "$meet"
	mkfifo "$meet/started" "$meet/go"
	printf 'include base\nwrite %s\ndeny workspace.apply\n' "$meet" >"$config/policy"
	sum=$(sha256sum "$config/policy" | cut -d ' ' -f 1)
	setsid -w chock run -- sh -c "echo >$meet/started; read -r go <$meet/go
		echo new >a; git commit -qam new" </dev/null 2>"$BATS_TEST_TMPDIR/said" &
	run -0 timeout 60 cat "$meet/started"
	sed -i s/deny/allow/ "$config/policy"
	echo >"$meet/go"
	wait $!
	grep -q "policy refuses workspace.apply: $config/policy:3 says so" "$BATS_TEST_TMPDIR/said"
	[ "$(cat a)" = one ]
	run -0 jq -r 'select(.kind == "session.start").policies[] | select(.layer == "operator" and (.file | contains("/"))).sha256' \
		"$HOME"/.local/state/chock/sessions/*/*.jsonl
	[ "$output" = "$sum" ]
	run_chock 0 -- sh -c 'echo new >a; git commit -qam new'
	[ "$(cat a)" = new ]
}

@test "answers from frozen policies as from the files, however those change" {
	printf 'ask git.pull\n' >"$config/policy"
	printf 'deny git.fetch\n' >"$config/ceiling"
	trust
	chock-policy-eval --project . --ceiling ./sub/more --freeze >"$BATS_TEST_TMPDIR/frozen"
	run -0 --separate-stderr chock-policy-eval --project . --ceiling ./sub/more --files
	local files=$output
	rm -r chock.policy sub "$config" "$store"
	run -0 chock-policy-eval --project . --frozen-fd 5 --files 5<"$BATS_TEST_TMPDIR/frozen"
	[ "$output" = "$files" ]
	while read -r want action; do
		want=${want/\?/ }
		run --separate-stderr chock-policy-eval --project . --frozen-fd 5 "$action" 5<"$BATS_TEST_TMPDIR/frozen"
		[ "$output" = "$want" ]
	done <<-END
		allow?$project/chock.policy:3 web.search
		deny?$project/sub/more:2 git.commit
		ask?$config/policy:1 git.pull
		deny?ceiling:$config/ceiling:1 git.fetch
	END
}

@test "takes nothing for frozen policies that is not, and no other beside it" {
	chock-policy-eval --freeze >"$BATS_TEST_TMPDIR/frozen"
	for damage in '$d' '1s/1/2/' 's/^root .*/root 99/' 's/^file 3 8 /file 3 99999999 /' '$s/$/x/'; do
		sed "$damage" "$BATS_TEST_TMPDIR/frozen" >"$BATS_TEST_TMPDIR/damaged"
		run -100 --separate-stderr chock-policy-eval --frozen-fd 5 git.push 5<"$BATS_TEST_TMPDIR/damaged"
		[ "$output" = '' ]
		[[ $stderr == *'is not what --freeze prints' ]]
		run -100 chock-spawn --check --frozen-fd 5 5<"$BATS_TEST_TMPDIR/damaged"
	done
	for option in '--policy base' '--ceiling base' --find-policy; do
		# shellcheck disable=SC2086
		run -100 chock-policy-eval --frozen-fd 5 $option git.push 5<"$BATS_TEST_TMPDIR/frozen"
	done
	run -100 chock-spawn --check --policy base --frozen-fd 5 5<"$BATS_TEST_TMPDIR/frozen"
	run -100 chock-policy-eval --frozen-fd 77 git.push
	head -c 33554433 /dev/zero >"$BATS_TEST_TMPDIR/damaged"
	run -100 --separate-stderr chock-policy-eval --frozen-fd 5 git.push 5<"$BATS_TEST_TMPDIR/damaged"
	[ "$stderr" = 'chock-policy-eval: cannot read the policies: more than 33554432 bytes' ]
}

@test "freezes what no pipe holds at once" {
	require userns
	open_project
	{
		printf 'include base\n'
		printf 'allow exec.workspace.some-name-that-makes-the-file-long-%s\n' {1..4000}
		printf 'deny exec.path.true\n'
	} >"$BATS_TEST_TMPDIR/long"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/long")" -gt 200000 ]
	run_chock 0 --policy "$BATS_TEST_TMPDIR/long" -- echo ran
	[ "$output" = ran ]
	run_chock 126 --policy "$BATS_TEST_TMPDIR/long" -- true
	[[ $stderr == *"/long:4002"* ]]
}
