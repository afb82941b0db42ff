#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Strings for a shell, and wrappers: what actions they come to.
#
# t/data/shell/*.cases has a string and its actions in each line.  The last
# test holds the reader against shells themselves: for strings that it claims to
# have read whole, these run no program and write no file that it has not named.
# The one before it holds the table of wrappers against the wrappers.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p proj/sub out
}

# string STRING - the call that has a shell run it
string() {
	jq -cn --arg s "$1" '{tool: "run_command", args: {command: $s}}'
}

# escaped NAME - as a component of an action
escaped() {
	local LC_ALL=C i byte
	for ((i = 0; i < ${#1}; i++)); do
		byte=${1:i:1}
		[[ $byte == [A-Za-z0-9_/+@:-] ]] || printf -v byte '%%%02X' "'$byte"
		printf %s "$byte"
	done
}

# check_cases FILE COUNT - every line of it: a string as printf %b has it, " => ",
# and the actions in alphabetical order, or "-"; @ is the project.  There are at
# least COUNT of them.
check_cases() {
	grep -v '^#' "$data/shell/$1.cases" | grep . >rows
	mapfile -t texts < <(sed 's/\(.*\) => .*/\1/' rows)
	printf '%b\036' "${texts[@]//@/$PWD/proj}" | jq -Rsc 'split("\u001e")[:-1][] |
		{tool: "run_command", args: {command: .}}' >calls
	chock-policy-eval --project "$PWD/proj" <calls |
		jq -r '.error // (.actions | sort | join(" "))' >got
	sed -e 's/^.* => //' -e 's/^-$//' \
		-e "s,@,$(escaped "$PWD/proj"),g" rows >wanted
	[ "$(wc -l <got)" -eq "$(wc -l <rows)" ]
	[ "$(wc -l <rows)" -ge "$2" ]
	paste -d '\n' rows got >both
	diff wanted got || {
		awk 'NR % 2 { row = $0; next }
			{ want = row; sub(/^.* => /, "", want)
				if (want == "-") want = ""
				if (want != $0) print row "\n    got: " $0 }' both
		return 1
	}
}

# answers OPTION... - the decisions on all the cases, behind their actions
answers() {
	for name in plain unparsed wrappers files field git; do
		check_cases "$name" 1
		cat calls
	done >all
	chock-policy-eval --project "$PWD/proj" "$@" <all |
		jq -r '"\(.actions | join(" ")) \(.decision)"'
}

@test "takes a string for the simple commands that it is" {
	check_cases plain 60
}

@test "adds exec.unparsed where a string may be more" {
	check_cases unparsed 60
}

@test "looks behind wrappers" {
	check_cases wrappers 60
}

@test "asks about files outside of the project" {
	check_cases files 20
}

@test "answers the cases that people have met" {
	check_cases field 40
}

@test "names what git is told to do" {
	check_cases git 90
}

@test "lets a rule on a command of git hold however that is written" {
	check_cases git 90
	chock-policy-eval --project "$PWD/proj" --rule 'allow any' \
		--rule 'deny git.push' --rule 'deny git.branch.delete' <calls |
		jq -r .decision >decisions
	paste -d ' ' wanted decisions >both
	run -0 awk '{ deny = / git\.push | git\.branch\.delete /
		if (($NF == "deny") != !!deny) { print; bad = 1 } }
		END { exit bad }' both
	[ "$(grep -c 'deny$' decisions)" -ge 30 ]
}

@test "knows all commands of git" {
	[[ $(git --version) == 'git version 2.39'* ]] ||
		skip 'nothing measured: the list is that of git 2.39'
	git --list-cmds=main >names
	[ "$(wc -l <names)" -ge 140 ]
	sed 's/^/git /' names |
		jq -Rc '{tool: "run_command", args: {command: .}}' |
		chock-policy-eval | jq -r '"\(.args.command[4:]) \(.actions | join(" "))"' >got
	# A package of another project brings these.
	run -1 grep ' git.unknown' <(grep -v '^clang-format' got)
	run -0 awk '!index($0 " ", " git." $1 " ") { print; bad = 1 } END { exit bad }' got
}

# git_project - a project whose branches differ, and a program that leaves a mark
git_project() {
	git init -q -b main given
	git -C given config user.name Tester
	git -C given config user.email tester@example.org
	printf '#!/bin/sh\n: >"%s/ran"\nexit 1\n' "$PWD" >git-merge-mark
	chmod 755 git-merge-mark
	cp git-merge-mark given/mark
	printf 'a diff=x\n' >given/.gitattributes
	git -C given config diff.x.command "$PWD/git-merge-mark"
	for text in one two; do
		echo "$text" >given/a
		git -C given add .
		git -C given commit -qm "$text"
	done
	git -C given checkout -qb side HEAD^
	git -C given commit -qm three --allow-empty
}

@test "asks wherever an option has git run a program" {
	git_project
	count=0
	while IFS= read -r line; do
		rm -rf ran work
		cp -a given work
		if (cd work && PATH=$BATS_TEST_TMPDIR:$PATH bash -c "$line") \
			>said 2>&1 </dev/null; then
			echo "$line" >>succeeded
		fi
		[ -e ran ]
		string "$line" >call
		run -0 chock-policy-eval --project "$PWD/work" --rule 'allow git.*' <call
		[ "$(jq -r .decision <<<"$output")" = ask ]
		[[ $(jq -r '.actions | join(" ")' <<<"$output") == *exec.unparsed* ]]
		count=$((count + 1))
	done <<-'END'
		git grep -nO./mark one
		git grep --open=./mark one
		git rebase -x ./mark HEAD^
		git rebase --exe=./mark HEAD^
		git ls-remote --upload-pa=./mark .
		git fetch --upload-pa ./mark .
		git pull --upload-pack=./mark .
		git clone -qu ./mark . x
		git push --receive-p=./mark . side:new
		git push --exec ./mark . side:new
		git archive --remote=. --exec=./mark HEAD
		git merge -s mark main
		git merge -qsmark main
		git cherry-pick --strategy=mark main
		git -c alias.x='!./mark' x
		git log -p --ext-diff main
		git difftool -yx ./mark HEAD main
		git bisect start main side; git bisect run ./mark
		git config protocol.ext.allow always; git fetch 'ext::./mark x'
	END
	[ "$count" -eq 19 ]
}

@test "lets a rule that denies a program hold wherever that is written" {
	answers --rule 'allow any' --rule 'deny exec.path.rm' >decisions
	run -0 awk '{ wanted = / exec\.path\.rm / ? "deny" : "allow" }
		$NF != wanted { print; bad = 1 } END { exit bad }' <(sed 's/^/ /' decisions)
	[ "$(grep -c 'deny$' decisions)" -ge 100 ]
}

@test "never allows what may be more than what is written" {
	answers --rule 'allow exec.path.*' --rule 'allow exec.workspace.*' \
		--rule 'allow exec.system.*' --rule 'allow fs.*' >decisions
	[ "$(grep -c 'exec\.unparsed.* allow$' decisions)" -eq 0 ]
	[ "$(grep -c 'exec\.unparsed.* ask$' decisions)" -ge 150 ]
	[ "$(grep -c ' allow$' decisions)" -ge 150 ]
}

@test "says why it did not read all of a string" {
	string 'ls; x=$(rm y)' >call
	run -0 chock-policy-eval --explain <call
	[ "$(jq '.why | index("  asked for: byte 6: a command substitution") != null' \
		<<<"$output")" = true ]
	string 'find . -delete' >call
	run -0 chock-policy-eval --explain <call
	[ "$(jq '.why | index("  asked for: find -delete") != null' <<<"$output")" = true ]
}

@test "reads a string and an argument vector as the same programs" {
	for argv in 'env rm' 'timeout 5 rm' 'find . -delete' 'nice sh -c rm'; do
		string "$argv" >call
		# shellcheck disable=SC2086
		jq -cn '{tool: "run_command", args: {argv: $ARGS.positional}}' \
			--args -- $argv >>call
		chock-policy-eval <call | jq -c .actions | sort -u >both
		[ "$(wc -l <both)" -eq 1 ]
	done
}

@test "asks where a call runs outside of the project, or with variables" {
	call='{"tool":"run_command","args":{"command":"ls","cwd":"DIR","env":{"NAME":"C"}}}'
	for row in 'sub LANG allow' '/ LANG ask' "$HOME LANG ask" '../x LANG ask' \
		"$PWD/proj LANG allow" "$PWD/proj/sub LANG allow" \
		"$PWD/proj-evil LANG ask" 'sub PATH ask' 'sub FOO ask'; do
		read -r dir name decision <<<"$row"
		text=${call/DIR/"$dir"}
		run -0 chock-policy-eval --project "$PWD/proj" <<<"${text/NAME/"$name"}"
		[ "$(jq -r .decision <<<"$output")" = "$decision" ]
	done
}

@test "denies a program behind more commands than it keeps apart" {
	for text in "$(printf 'true;%.0s' {1..60})rm x" \
		"$(printf '$(%.0s' {1..1000})rm x" \
		"$(printf 'env %.0s' {1..1000})rm x" \
		"$(printf '(%.0s' {1..1000})rm x"; do
		string "$text" >call
		run -0 chock-policy-eval --rule 'deny exec.path.rm' <call
		[ "$(jq -r .decision <<<"$output")" = deny ]
	done
}

@test "answers no call with more actions or programs than it keeps" {
	string "$(printf 'p%s;' {1..1023})rm" >call
	run -0 chock-policy-eval --rule 'deny exec.path.rm' <call
	[ "$(jq -r .decision <<<"$output")" = deny ]
	string "$(printf 'p%s;' {1..1024})rm" >call
	run -100 chock-policy-eval --rule 'allow any' <call
	[ "$(jq -r .error <<<"$output")" = \
		'it comes to more than 1024 actions, 16384 programs, 262144 words or 2097152 bytes' ]
	string "$(printf 'env env env env env;%.0s' {1..4000})rm" >call
	run -100 chock-policy-eval --rule 'allow any' <call
	[ "$(jq -r 'has("decision")' <<<"$output")" = false ]
}

# repeated START PART - a call of START and PART again and again, in call; what
# looks at it has two seconds of the processor's time
repeated() {
	{
		printf %s "$1"
		yes -- "$2" | tr -d '\n' | head -c 700000
	} | jq -Rsc '{tool: "run_command", args: {command: .}}' >call
	ulimit -t 2
}

@test "asks about a string that is too long, in a time that is bounded" {
	for part in 'true;' '$(' '(' "'" 'a|' '`' '<<E;'; do
		repeated '' "$part"
		run -0 chock-policy-eval --rule 'allow exec.path.*' <call
		[ "$(jq -r .decision <<<"$output")" = ask ]
	done
}

@test "answers no call for which more words and bytes are looked at than it may" {
	while IFS=: read -r start part; do
		(
			repeated "$start" "$part"
			run -100 chock-policy-eval --rule 'allow any' <call
			[ "$(jq -r 'has("decision")' <<<"$output")" = false ]
			[[ $(jq -r .error <<<"$output") == *' 262144 words or 2097152 bytes' ]]
		)
	done <<-'END'
		:a 
		:nice --x nice 
		:sudo --x sudo 
		:eval 
		:parallel 
		:xargs 
		find :-exec find 
		fd :-x fd 
		:env A=1 
		:>f 
		:LANG=C 
	END
	# As much as that of one program is looked at.
	repeated 'ls ' 'abcd '
	run -0 chock-policy-eval --rule 'allow any' <call
	[ "$(jq -r .decision <<<"$output")" = allow ]
}

# ran STRING SHELL - what SHELL, with its options, really does for STRING, as
# actions, in did
# shellcheck disable=SC2086
ran() {
	# What an earlier string left behind writes to a record of its own.
	record=record.$((++records))
	: >"$record"
	: "$(cd proj && env -i PATH="$bin" ROOT="$PWD" \
		RECORD="$PWD/../$record" HOME="$PWD" timeout 10 $2 -c "$1" \
		9>&1 >/dev/null 2>&1 </dev/null)"
	mapfile -t did <"$record"
	for file in out/*; do
		[ ! -e "$file" ] || did+=("fs.write.$(escaped "$PWD/$file")")
		rm -f "$file"
	done
}

# make_programs - stubs that record that they ran, and real wrappers
make_programs() {
	bin=$PWD/bin
	mkdir bin
	cat >stub <<-'END'
		#!/bin/sh
		case $0 in
		"$PATH"/*) name=exec.path.${0##*/} ;;
		"$ROOT"/*) name=exec.workspace.${0#"$ROOT"/} ;;
		*) name=$PWD/${0#./} name=exec.workspace.${name#"$ROOT"/} ;;
		esac
		printf '%s\n' "$name" >>"$RECORD"
	END
	chmod 755 stub
	for name in alfa bravo charlie delta; do
		cp stub "bin/$name"
	done
	for name in env timeout nice nohup stdbuf setsid xargs bash busybox; do
		! command -v "$name" >where || ln -s "$(cat where)" "bin/$name"
	done
	ln -s "$(command -v dash)" bin/sh
	cp stub proj/here && cp stub proj/sub/there
}

# wrapper_calls - a call in each line of calls.list, its words with tabs between,
# for each option of the wrappers that are here, with what could be its argument
wrapper_calls() {
	local operand wrapper operands option rest value all
	: >options
	for wrapper in env nice timeout stdbuf setsid ionice chrt taskset linux64 \
		xargs time flock; do
		if command -v "$wrapper" >where; then
			"$helpers/wrapper-options" "$wrapper" >>options
			[ -e "wbin/$wrapper" ] || ln -s "$(cat where)" "wbin/$wrapper"
		else
			echo "# no $wrapper here" >&3
		fi
	done
	while read -r wrapper operands option rest; do
		operand=
		case $wrapper in
		chrt) operand=0$'\t' ;;
		timeout) operand=5$'\t' ;;
		taskset) operand=1$'\t' ;;
		flock) operand=lock$'\t' ;;
		esac
		option=${option%.}
		for value in 1 KILL; do
			all=$wrapper$'\t'$option
			printf '%s\n' "$all"$'\t'"$value"$'\t'"$operand"$'alfa\tbravo' \
				"$all$value"$'\t'"$operand"$'alfa\tbravo' \
				"$all=$value"$'\t'"$operand"$'alfa\tbravo'
		done
		printf '%s\n' "$all"$'\t'"$operand"$'alfa\tbravo' \
			"$all"$'\t--\t'"$operand"$'alfa\tbravo'
	done <options
}

@test "takes for options what wrappers take for them" {
	mkdir wbin
	printf '#!/bin/sh\nprintf "%%s\\n" "exec.path.${0##*/}" >>"%s/did"\n' "$PWD" >stub
	chmod 755 stub
	for name in alfa bravo 1 5 0 KILL lock --; do
		cp stub "wbin/$name"
	done
	wrapper_calls | sort -u >calls.list
	jq -Rc '{tool: "run_command", args: {argv: split("\t")}}' calls.list |
		chock-policy-eval | jq -r '.error // (.actions | join(" "))' >answers
	[ "$(wc -l <calls.list)" -eq "$(wc -l <answers)" ]
	started=0 clear=0
	while IFS=$'\t' read -r -a words && read -r named <&4; do
		: >did
		: "$(cd wbin && env -i PATH="$PWD" /usr/bin/env timeout -k 1 5 \
			"./${words[0]}" "${words[@]:1}" 9>&1 >/dev/null 2>&1 <<<x)"
		mapfile -t did <did
		[ "${#did[@]}" -gt 0 ] || continue
		started=$((started + 1))
		# What it ran is named, and where we are sure nothing else is.
		wanted="exec.path.${words[0]} ${did[0]}"
		[[ " $named " == *" ${did[0]} "* ]]
		[[ $named == *exec.unparsed* ]] || {
			clear=$((clear + 1))
			[ "$named" = "$wanted" ]
		}
	done <calls.list 4<answers
	printf '%s started, %s of them clear\n' "$started" "$clear"
	[ "$started" -ge 200 ]
	[ "$clear" -ge 100 ]
}

@test "names every program that shells run for what it has read whole" {
	declare -A busybox=([busybox]=' sh')
	seed=${CHOCK_SEED:-$RANDOM} count=${CHOCK_STRINGS:-300} records=0
	printf 'CHOCK_SEED=%s CHOCK_STRINGS=%s\n' "$seed" "$count"
	make_programs
	shells=()
	for name in bash dash zsh busybox mksh; do
		if command -v "$name" >where; then
			shells+=("$(cat where)${busybox[$name]}")
		else
			echo "# no $name here" >&3
		fi
	done
	"$helpers/strings" "$seed" "$count" "$PWD/out" >drawn
	mapfile -d $'\036' -t strings <drawn
	[ "${#strings[@]}" -eq "$count" ]
	jq -Rsc 'split("\u001e")[:-1][] |
		{tool: "run_command", args: {command: .}}' drawn >calls
	chock-policy-eval --project "$PWD/proj" <calls |
		jq -r '.error // (.actions | join(" "))' >answers
	whole=0 started=0 number=0
	while IFS= read -r named; do
		text=${strings[number++]}
		[[ " $named " != *' exec.unparsed '* ]] || continue
		whole=$((whole + 1))
		for shell in "${shells[@]}"; do
			ran "$text" "$shell"
			started=$((started + ${#did[@]}))
			for action in "${did[@]}"; do
				[[ " $named " != *" $action "* ]] || continue
				printf '%s %q\nran: %s\nnamed: %s\n' "$shell" \
					"$text" "$action" "$named"
				return 1
			done
		done
	done <answers
	printf '%s whole, %s started\n' "$whole" "$started"
	[ "$number" -eq "$count" ]
	[ "$whole" -ge $((count / 8)) ]
	[ "$started" -ge $((whole / 2)) ]
}
