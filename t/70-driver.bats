#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2016,SC2154
# chock: becomes the program that it was built to become, and no other
#
# Tried where it is installed: a build tree is installed into a place with an
# awkward name first, an installation is taken as it is.

load lib/chock

setup_file() {
	export installed="$BATS_FILE_TMPDIR/a place's & | installation"
	if [ -f "$CHOCK_BUILD/Makefile" ]; then
		make -C "$CHOCK_BUILD" -s install prefix="$installed" \
			>"$BATS_FILE_TMPDIR/log" 2>&1 || {
			cat "$BATS_FILE_TMPDIR/log" >&2
			return 1
		}
	else
		installed=$CHOCK_BUILD
	fi
}

chock() {
	"$installed/bin/chock" "$@"
}

@test "becomes the program, on PATH or not, with its words and its status" {
	run -0 chock record make a=$'x y\nz' b=
	[ "$output" = '{"a":"x y\nz","b":""}' ]
	run -1 chock record get b <<<'{"a":1}'
	run -0 chock ask <<<'{"decision":"allow"}'
	[ "$output" = '{"decision":"allow","by":"rule"}' ]
	run -100 --separate-stderr chock ask --nonsense
	[ "$stderr" = "chock-ask: no option --nonsense; see 'chock ask --help'" ]
}

@test "runs from the build tree as well" {
	run -0 "$CHOCK_BUILD/bin/chock" ask --version
	[ "$output" = "$(chock-ask --version)" ]
	run -0 "$CHOCK_BUILD/bin/chock" help
	[[ $output == *'  ask  '* ]]
}

@test "runs nothing that the environment chooses" {
	local evil=$BATS_TEST_TMPDIR/evil name
	mkdir "$evil"
	printf '#!/bin/sh\necho hacked\n' >"$evil/chock-ask"
	chmod +x "$evil/chock-ask"
	for name in chock-evil chock-help chock-record exec printf sed man chock; do
		cp "$evil/chock-ask" "$evil/$name"
	done
	printf 'echo hacked\n' >"$evil/rc"
	chock_in_evil() {
		(cd "$evil" && env PATH="$evil" CDPATH="$evil" IFS=/ ENV="$evil/rc" \
			BASH_ENV="$evil/rc" SHELLOPTS=braceexpand \
			libexec="$evil" bin="$evil" bindir="$evil" libexecdir="$evil" \
			GIT_EXEC_PATH="$evil" CHOCK_EXEC_PATH="$evil" \
			'BASH_FUNC_printf%%=() { echo hacked; }' \
			'BASH_FUNC_command%%=() { echo hacked; }' "$@")
	}
	run -0 --separate-stderr chock_in_evil "$installed/bin/chock" ask --version
	[ "$output" = "$(chock ask --version)" ]
	run -0 --separate-stderr chock_in_evil /bin/bash --posix "$installed/bin/chock" ask --version
	[ "$output" = "$(chock ask --version)" ]
	run -0 --separate-stderr chock_in_evil /bin/bash --posix "$installed/bin/chock" --version
	[ "$output" = "$(chock --version)" ]
	run -100 --separate-stderr chock_in_evil "$installed/bin/chock" evil
	[ "$stderr" = "chock: no command 'evil'; see 'chock help'" ]
	run -0 --separate-stderr chock_in_evil "$installed/bin/chock" help
	[[ $output == *'  ask  '* ]]
	[[ $output != *hacked* ]]
}

@test "names the command that was probably meant" {
	run -100 --separate-stderr chock aks
	[ "$stderr" = "chock: no command 'aks'; did you mean 'chock ask'?" ]
	run -100 --separate-stderr chock help recrod
	[ "$stderr" = "chock: no command 'recrod'; did you mean 'chock record'?" ]
	run -100 --separate-stderr chock log
	[ "$stderr" = "chock: no command 'log'; did you mean 'chock log-append' or 'chock log-verify' or 'chock log-seal'?" ]
	run -100 --separate-stderr chock nonsense
	[ "$stderr" = "chock: no command 'nonsense'; see 'chock help'" ]
}

@test "finds the nearest word, or none" {
	run -0 chock record nearest polcy rule policy $'po\nlicy'
	[ "$output" = policy ]
	run -1 chock record nearest x rule policy
	run -1 chock record nearest x
	run -1 chock record nearest "$(printf '%065d' 0)" "$(printf '%065d' 0)"
	[ -z "$output" ]
	run -100 chock record nearest
}

@test "takes no path, option or foreign byte for a command" {
	local word
	for word in ../bin/chock-ask ask/ --nonsense -x . / 'ask ' 'sh-setup' \
		$'a\e[2Jsk' 'record*' ASK --; do
		run -100 --separate-stderr chock "$word"
		[[ $stderr == "chock: no command '"* ]]
		[[ $stderr != *$'\e'* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -100 --separate-stderr chock
	[ "$stderr" = "usage: chock COMMAND [ARGUMENT...]; see 'chock help'" ]
	run -100 --separate-stderr chock ''
	[ -z "$output" ]
}

@test "is filled in with a path of any bytes" {
	local fill=$BATS_TEST_DIRNAME/../contrib/fill-in bytes
	[ -f "$fill" ] || skip 'nothing measured: it is not installed'
	bytes=$(printf '%b' "$(printf '\\0%03o' {1..255})")
	sh "$fill" 1 "$bytes" "'" $'\n|&' '\1' >"$BATS_TEST_TMPDIR/filled" <<-'END'
		printf '%s' @bindir@/x @pkglibexecdir@ @mandir@ @policiesdir@ @VERSION@
	END
	sh "$BATS_TEST_TMPDIR/filled" >"$BATS_TEST_TMPDIR/out"
	cmp "$BATS_TEST_TMPDIR/out" <(printf '%s' "$bytes/x'"$'\n|&''\11')
}

@test "says its version" {
	run -0 chock --version
	[ "$output" = "chock ${output#chock }" ]
	run -0 chock ask --version
	[ "$output" = "chock-ask $(chock --version | sed 's/chock //')" ]
}

@test "lists each program that is there, with what it says of itself" {
	local file name
	run -0 chock help
	for file in "$installed"/bin/chock-* "$installed"/libexec/chock/chock-*; do
		[ -x "$file" ] || continue
		name=${file##*/chock-}
		want=$("$file" --help | sed -n "s/^chock-$name - //p")
		[ -n "$want" ]
		grep -Fx "$(printf '  %-18s%s' "$name" "$want")" <<<"$output"
	done
	[[ $output != *sh-setup* ]]
	[ "$(chock --help)" = "$output" ]
}

@test "shows the manual of a command or a topic" {
	command -p -v man >/dev/null || skip 'nothing measured: no man here'
	run -0 --separate-stderr env MANPAGER=cat "$installed/bin/chock" help ask
	[[ $output == *'SECURITY CONSIDERATIONS'* ]]
	run -0 --separate-stderr env MANPAGER=cat "$installed/bin/chock" help exit
	[[ $output == *'CHOCK-EXIT(7)'* ]]
	run -0 --separate-stderr env MANPAGER=cat "$installed/bin/chock" help chock
	[[ $output == *'CHOCK(1)'* ]]
}

@test "shows what a program says with --help where there is no manual" {
	local help=$BATS_TEST_TMPDIR/chock-help
	sed "s|^manuals=.*|manuals=/nonexistent|" \
		"$installed/libexec/chock/chock-help" >"$help"
	run -0 sh "$help" ask
	[ "$output" = "$(chock ask --help)" ]
	run -0 sh "$help" chock
	[ "$output" = "$(chock help | sed '/^Topics:/,/^$/d')" ]
}

@test "lists each topic that has a page, and knows pages by their whole name" {
	local page=$BATS_TEST_TMPDIR/man7/chock-thing.7 help=$BATS_TEST_TMPDIR/help
	run -0 chock help
	[[ $output == *$'\nTopics:\n'*$'\n  policy            what a program '* ]]
	mkdir "${page%/*}"
	printf '.Dd x\n.Sh NAME\n.Nm chock-thing\n.Nd some thing\n' >"$page"
	sed "s|^manuals=.*|manuals=$BATS_TEST_TMPDIR|" \
		"$installed/libexec/chock/chock-help" >"$help"
	run -0 sh "$help"
	[[ $output == *$'\nTopics:\n  thing             some thing\n\n'* ]]
	gzip "$page"
	run -0 sh "$help"
	[[ $output == *$'\nTopics:\n  thing             some thing\n\n'* ]]
	sed -i 's|^manuals=.*|manuals=/nonexistent|' "$help"
	run -0 sh "$help" chock-ask
	[ "$output" = "$(chock ask --help)" ]
	run -100 --separate-stderr sh "$help" chock-nonsense
	[ "$stderr" = "chock: no command 'nonsense'; see 'chock help'" ]
}

@test "keeps to --prefix, --bindir, --libexecdir and DESTDIR as they are when it is installed" {
	[ -f "$CHOCK_BUILD/Makefile" ] || skip 'nothing measured: only a build tree can be installed'
	local stage=$BATS_TEST_TMPDIR/stage
	make -C "$CHOCK_BUILD" -s install DESTDIR="$stage" prefix=/opt/x \
		libexecdir=/opt/y >"$BATS_TEST_TMPDIR/log" 2>&1
	grep -Fx "libexec='/opt/y/chock'" "$stage/opt/x/bin/chock"
	grep -Fx "bin='/opt/x/bin'" "$stage/opt/x/bin/chock"
	grep -F "libexecdir='/opt/y/chock'" "$stage/opt/y/chock/chock-sh-setup"
	run -1 grep -rIF "$CHOCK_BUILD" "$stage/opt/x/bin/chock" "$stage/opt/y/chock"
	make -C "$CHOCK_BUILD" -s uninstall DESTDIR="$stage" prefix=/opt/x \
		libexecdir=/opt/y >"$BATS_TEST_TMPDIR/log" 2>&1
	[ -z "$(find "$stage" -name 'chock*' -type f)" ]
}
