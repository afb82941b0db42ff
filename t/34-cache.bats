#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock cache: what sessions of a project find again in their home

load lib/chock
load lib/project

setup() {
	require userns
	project="$BATS_TEST_TMPDIR/the: project"
	caches=$HOME/.local/share/chock/caches
	make_project "$project"
	cd "$project" || return
}

commit_all() {
	git add -A
	git commit -q -m more
}

# session STATUS SCRIPT [OPTION...] - a session that runs SCRIPT in its home
session() {
	local status=$1 script=$2
	shift 2
	run "-$status" --separate-stderr setsid -w chock run "$@" -- \
		sh -c "cd && $script" </dev/null
}

@test "finds again what the last session of the project cached, and nothing else" {
	session 0 'echo kept >.cache/pip/a; for f in .gitconfig .npmrc .bashrc .cargo/config.toml .cache/b; do echo x >$f; done'
	session 0 'cat .cache/pip/a; ls -d .gitconfig .npmrc .bashrc .cargo/config.toml .cache/b 2>/dev/null | wc -l'
	[ "$output" = $'kept\n0' ]
	[ -z "$(git status --porcelain)" ]
	[ "$(find "$caches" -name a -type f | wc -l)" -eq 1 ]
}

@test "shows it to no other project, and under no other policy" {
	session 0 'echo kept >.cache/pip/a'
	session 1 'test -e .cache/pip/a' --rule 'allow git.push'
	policy=$BATS_TEST_TMPDIR/p
	echo 'limit files 256' >"$policy"
	session 0 'echo kept >.cache/pip/a' --policy base --policy "$policy"
	session 0 'cat .cache/pip/a' --policy base --policy "$policy"
	echo '# another byte' >>"$policy"
	session 1 'test -e .cache/pip/a' --policy base --policy "$policy"
	mv "$project" "$project.old"
	make_project "$project"
	cd "$project"
	session 1 'test -e .cache/pip/a'
	cd "$project.old"
	session 1 'test -e .cache/pip/a'
}

@test "takes no project for another that had its path and inode" {
	local i number again
	session 0 'echo kept >.cache/pip/a'
	session 0 'test -e .cache/pip/a'
	number=$(stat -c %i "$project")
	cd "$BATS_TEST_TMPDIR"
	rm -r "$project"
	# Some hundred of those that come before it are taken.
	for ((i = 0; i < 20; i++)); do
		again=$(mkdir {0..299} && stat -c '%i %n' {0..299} |
			sed -n "s/^$number //p")
		[ -z "$again" ] || break
		mkdir "used-$i"
		mv {0..299} "used-$i"
	done
	[ -n "$again" ] ||
		skip 'nothing measured: this file system uses no inode again'
	mv "$again" "$project"
	make_project "$project"
	[ "$(stat -c %i "$project")" = "$number" ]
	cd "$project"
	session 1 'test -e .cache/pip/a'
}

@test "keeps what a policy names, and not what one denies" {
	rule='allow cache.keep path .cache/mine:x'
	session 0 'echo kept >.cache/mine:x/a' --rule "$rule"
	session 0 'cat .cache/mine:x/a' --rule "$rule"
	[ "$output" = kept ]
	session 1 'test -e .cache/pip || test -e .cache/mine:x' --rule "$rule" \
		--rule 'deny cache.keep'
	session 1 'test -e .cache/pip' --rule 'deny cache.keep path .cache/pip'
	session 0 'test -e .cache/yarn' --rule 'deny cache.keep path .cache/pip'
	for path in '.cache/*' /etc .cache/pip/x; do
		session 0 'test ! -e .cache/pip' --rule "allow cache.keep path $path"
		[[ $stderr == *'no cache of this project is kept'* ]]
	done
}

@test "keeps nothing that a pattern, or a directory above, denies" {
	local path
	session 0 'test -e .cache/pip && test -e .cache/yarn'
	for path in '.cache/*' '**' '.cache/p*' .cache/pip/ .cache '.cache/' '*'; do
		session 1 'test -e .cache/pip' \
			--rule "deny cache.keep path $path"
	done
	session 1 'test -e .cache/pip' --rule 'ask cache.keep path .cache/* agent x'
	for path in .cache/pip/x '.cache/pi' '*.x' .cach; do
		session 0 'test -e .cache/pip' \
			--rule "deny cache.keep path $path"
	done
}

@test "refuses a cache that is to be kept for some agents, tools or models" {
	local who
	for who in 'agent nosuch' 'tool run_command' 'model m'; do
		session 0 'test ! -e .cache/zz' \
			--rule "allow cache.keep path .cache/zz $who"
		[[ $stderr == *"cannot keep '.cache/zz'"*'the rule is of some'* ]]
	done
}

@test "follows no link that a session left" {
	mkdir "$BATS_TEST_TMPDIR/out"
	session 0 "ln -s '$BATS_TEST_TMPDIR/out' .cache/pip/l; ! rmdir .cache/pip 2>/dev/null; chmod 777 .cache/pip"
	session 2 'echo x >.cache/pip/l/x'
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/out")" ]
	[ -z "$(find "$caches" -mindepth 1 -type d -perm /077)" ]
	entry=$(ls -d "$caches"/*)
	rm -r "$entry/%2Ecache%2Fpip"
	ln -s "$BATS_TEST_TMPDIR/out" "$entry/%2Ecache%2Fpip"
	session 0 'test ! -e .cache/pip'
	[[ $stderr == *'no cache of this project is kept'* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/out")" ]
}

@test "gives one session at a time the caches, and clears none that it has" {
	session 0 'echo kept >.cache/pip/a'
	exec 6<"$(ls -d "$caches"/*)"
	run -0 chock cache hold --fd 6
	session 1 'test -e .cache/pip/a' 6<&-
	[[ $stderr == *'another session has the caches'* ]]
	run -0 chock cache list
	[[ $output == *'(in use)' ]]
	run -111 --separate-stderr chock cache clear --yes
	[ "$stderr" = "chock-cache: the caches of '$project' are in use" ]
	exec 6<&-
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
}

@test "has nobody wait, or go without, for who only looks" {
	session 0 'echo kept >.cache/pip/a'
	entry=$(ls -d "$caches"/*)
	# Who looks has it shared, for a moment; here until the other asks.
	exec 6<"$entry"
	flock -s 6
	run -0 chock cache list
	[[ $output == *"$project" ]]
	run -1 chock cache hold --fd 7 7<"$entry"
	flock -u 6
	run -0 chock cache hold --fd 7 7<"$entry"
	# What a list does first is to let go; then it looks at a million names.
	mkdir "$entry/%2Ecache%2Fpip/many"
	(cd "$entry/%2Ecache%2Fpip/many" && seq 1 60000 | xargs touch)
	chock cache list >"$BATS_TEST_TMPDIR/listed" 6<&- 3>&- &
	looking=$!
	until [[ $(readlink "/proc/$looking/fd/"* 2>/dev/null) == *"$entry"* ]] ||
		! kill -0 "$looking" 2>/dev/null; do :; done
	for _ in 1 2 3 4 5; do
		run -0 chock cache hold --fd 7 7<"$entry"
	done
	wait "$looking"
}

@test "clears the caches of the project that a directory is in" {
	session 0 'echo kept >.cache/pip/a'
	mkdir sub
	cd sub
	run -100 --separate-stderr chock cache clear --yes nosuch
	[ "$stderr" = "chock-cache: cannot find the project 'nosuch': No such file or directory" ]
	[ -n "$(ls "$caches")" ]
	run -0 --separate-stderr chock cache clear --yes
	[ -z "$stderr" ]
	[ -z "$(ls "$caches")" ]
}

@test "lists and clears what is there, however it is made" {
	session 0 'cd .cache/pip; d=$(printf "new\nline"); mkdir "$d"; cd "$d"; i=0; while [ $i -lt 1200 ]; do mkdir deep; cd deep; i=$((i+1)); done; echo >f'
	run -0 chock cache list --json
	[ "$(jq -r '.project, .there, .running' <<<"$output")" = "$project"$'\ntrue\nfalse' ]
	[ "$(jq .bytes <<<"$output")" -gt 0 ]
	run -1 --separate-stderr setsid -w chock cache clear </dev/null
	[[ $stderr == *'--yes would' ]]
	run -0 --separate-stderr chock cache clear --yes /
	[ "$stderr" = "chock-cache: no cache of '/' is kept" ]
	[ -n "$(ls "$caches")" ]
	mkdir "$(ls -d "$caches"/*)/closed"
	chmod 0 "$caches"/*/closed
	run -0 chock cache clear --all --yes
	[ -z "$(ls "$caches")" ]
	run -0 --separate-stderr chock cache clear
	[ "$stderr" = "chock-cache: no cache of '$project' is kept" ]
}

# fill KIB FILE... - in a session: files of that size each
fill() {
	local kib=$1 file
	shift
	for file; do
		printf 'dd if=/dev/zero of=%s bs=1024 count=%s status=none;' "$file" "$kib"
	done
}

@test "drops the largest caches where they have more than the limit, and says so" {
	session 0 "$(fill 40 .cache/pip/a .cargo/git/a) $(fill 400 .cache/yarn/a)" \
		--limit cache=200KiB
	[[ $stderr == *"  cache     .cache/yarn (404KiB) is dropped: the caches of this project have 492KiB; the limit cache is 200KiB, and '--limit cache=SIZE' or 'limit cache SIZE' in a policy raises it"* ]]
	[[ $stderr == *"  cache     88KiB kept for the next session"* ]]
	session 0 'ls .cache/pip/a .cargo/git/a; test ! -e .cache/yarn/a'
	log=$(logs | tail -n 2 | head -n 1)
	run -0 jq -c 'select(.kind == "cache.give").caches.dropped[] | [.path, .bytes]' "$log"
	[ "$output" = '[".cache/yarn",413696]' ]
	echo 'limit cache 64KiB' >"$BATS_TEST_TMPDIR/p"
	session 0 "$(fill 100 .cache/pip/a)" --policy base \
		--policy "$BATS_TEST_TMPDIR/p"
	[[ $stderr == *'.cache/pip (104KiB) is dropped: '* ]]
	session 1 'test -e .cache/pip/a' --policy base \
		--policy "$BATS_TEST_TMPDIR/p"
	session 0 "$(fill 100 .cache/pip/a)" --limit cache=none
	[[ $stderr != *'is dropped'* ]]
}

# logs - those of all sessions, in the order in which they started
logs() {
	find "$HOME/.local/state/chock/sessions" -name '*.jsonl' | sort
}

@test "keeps nothing, and shows nothing of what is kept, with a limit of 0" {
	session 0 'echo kept >.cache/pip/a'
	session 0 'test ! -e .cache/pip; mkdir -p .cache/pip; echo >.cache/pip/b' \
		--limit cache=0
	session 0 'ls -A .cache/pip'
	[ "$output" = a ]
	echo 'limit cache 0' >"$BATS_TEST_TMPDIR/p"
	session 0 'test ! -e .cache/pip' --policy base \
		--policy "$BATS_TEST_TMPDIR/p"
	[ "$(ls "$caches" | wc -l)" -eq 1 ]
}

@test "counts what a session writes to a cache as written to disks" {
	session 137 'yes >.cache/pip/a' --limit disk=8MiB --limit file-size=none
	[[ $stderr == *'the disk limit was exceeded'* ]]
}

# other DAYS SIZE - an entry of a project that is gone; sets other
other() {
	other=$caches/$(printf "$1%.0s" {1..64} | head -c 64)
	mkdir -m 700 "$other" "$other/x"
	echo -n "/gone/$1" >"$other/project"
	echo -n "$2" >"$other/bytes"
	touch -d "-$1 days" "$other"
}

@test "drops what was not used for 30 days, and the least recently used over 8 GiB" {
	session 0 'echo kept >.cache/pip/a'
	other 31 0
	old=$other
	other 20 8589934592
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
	[[ $stderr == *"the caches of '/gone/31' are dropped: no session had them for 30 days"* ]]
	[[ $stderr == *"the caches of '/gone/20' are dropped: all projects' have more than 8GiB together"* ]]
	[ "$(ls "$caches" | wc -l)" -eq 1 ]
	other 29 4096
	session 0 'cat .cache/pip/a'
	[[ $stderr != *'are dropped'* ]]
	[ -e "$other" ]
}

@test "keeps nothing that it cannot look through" {
	[ "$(id -u)" -ne 0 ] || skip 'nothing measured: root looks through all'
	session 0 'mkdir .cache/pip/d; echo >.cache/pip/d/f; chmod 0 .cache/pip/d; echo kept >.cache/yarn/a'
	[[ $stderr == *'.cache/pip ('*') is dropped: it cannot be looked through'* ]]
	session 0 'test ! -e .cache/pip/d; cat .cache/yarn/a'
	[ "$output" = kept ]
}

@test "leads to the caches by links with the driver landlock" {
	require landlock6
	session 0 'echo kept >.cache/pip/a; echo x >.npmrc' --driver landlock
	session 0 'cat .cache/pip/a; ls -A' --driver landlock
	[[ $output == kept$'\n'* && $output != *.npmrc* ]]
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
	session 2 "ls '$caches'" --driver landlock
	session 2 'rm -r .cache; : >"$HOME/../x"' --driver landlock
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
}

# ---- what real tools do with it

@test "has ccache find what it compiled" {
	[ -x /usr/bin/ccache ] && [ -x /usr/bin/gcc ] ||
		skip 'nothing measured: no ccache, or no gcc'
	echo 'int x;' >a.c
	commit_all
	for hits in 0 1; do
		session 0 "ccache -z >/dev/null; ccache gcc -c '$project/a.c' -o /tmp/a.o; ccache --print-stats | grep direct_cache_hit"
		[ "$output" = "direct_cache_hit	$hits" ]
	done
}

@test "has go find what it built" {
	[ -x /usr/bin/go ] || skip 'nothing measured: no go in /usr/bin'
	printf 'package main\nfunc main() { println(1) }\n' >a.go
	commit_all
	for compiles in 1 0; do
		session 0 "go build -x -o /dev/null '$project/a.go' 2>&1 | grep -c -- '/compile -o.*-p main'; true"
		[ "$output" = "$compiles" ]
	done
}

@test "has npm find the package that it got" {
	[ -x /usr/bin/npm ] || skip 'nothing measured: no npm in /usr/bin'
	mkdir package
	echo '{"name":"demo","version":"1.0.0"}' >package/package.json
	tar -czf demo-1.0.0.tgz package
	commit_all
	session 0 "npm cache add --offline '$project/demo-1.0.0.tgz'" -p node
	session 0 'npm cache ls' -p node
	[[ $output == *demo-1.0.0.tgz* ]]
}

@test "has pip find the wheel that it built" {
	/usr/bin/python3 -c 'import setuptools, wheel, pip' 2>/dev/null ||
		skip 'nothing measured: no pip with setuptools and wheel in /usr/bin'
	mkdir -p demo-1.0/demo
	echo 'from setuptools import setup; setup(name="demo", version="1.0", packages=["demo"])' >demo-1.0/setup.py
	: >demo-1.0/demo/__init__.py
	tar -czf demo-1.0.tar.gz demo-1.0
	commit_all
	for said in 'Building wheel for demo' 'Using cached demo-1.0'; do
		session 0 "/usr/bin/python3 -m pip install --no-index --no-build-isolation --find-links '$project' --target /tmp/x demo"
		[[ $output == *"$said"* ]]
	done
}

@test "knows whose a cache is, and its size, whenever the writing is cut off" {
	require trace
	session 0 'echo kept >.cache/pip/a'
	chock-policy-eval --freeze --project . >"$BATS_TEST_TMPDIR/frozen"
	"$libexec/chock-cache" take --frozen-fd 3 . 3<"$BATS_TEST_TMPDIR/frozen" \
		>"$BATS_TEST_TMPDIR/taken"
	entry=$(json .dir <"$BATS_TEST_TMPDIR/taken")
	echo kept >"$entry/%2Ecache%2Fpip/a"
	for ((n = 1; ; n++)); do
		run "$helpers/kill-at" "$n" -- "$libexec/chock-cache" take \
			--frozen-fd 3 . 3<"$BATS_TEST_TMPDIR/frozen"
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		[ "$(<"$entry/project")" = "$PWD" ]
	done
	for ((n = 1; ; n++)); do
		echo -n 7777777 >"$entry/bytes"
		run "$helpers/kill-at" "$n" -- "$libexec/chock-cache" give --fd 3 \
			--most none 3<"$entry"
		[ "$status" -ne 251 ] || break
		[ "$status" -eq 250 ]
		[ -s "$entry/bytes" ]
	done
	[ "$n" -gt 3 ]
	[ "$(<"$entry/bytes")" -lt 7777777 ]
}
