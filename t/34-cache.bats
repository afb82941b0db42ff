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
	kept=$(find "$caches" | sort)
	for path in '.cache/*' /etc .cache/pip/x; do
		session 0 'test ! -e .cache/pip' --rule "allow cache.keep path $path"
		[[ $stderr == *'no cache of this project is kept'* ]]
	done
	long=$(printf 'x%.0s' {1..80})
	session 0 'true' --rule "allow cache.keep path x$long"
	[[ $stderr == *'it is a path of more than 80 bytes'* ]]
	[ "$(find "$caches" | sort)" = "$kept" ]
	session 0 "echo kept >$long/a" --rule "allow cache.keep path $long"
	session 0 "cat $long/a" --rule "allow cache.keep path $long"
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

# open_entry - for the policies in force here, which are in $frozen; sets entry
open_entry() {
	frozen=$BATS_TEST_TMPDIR/frozen
	chock-policy-eval --freeze --project . >"$frozen"
	run -0 "$libexec/chock-cache" open --frozen-fd 3 . 3<"$frozen"
	entry=$(jq -r .dir <<<"$output")
}

# take STATUS - the caches in $entry, for as long as that takes
take() {
	run "-$1" --separate-stderr "$libexec/chock-cache" take --fd 7 \
		--frozen-fd 3 . 7<"$entry" 3<"$frozen"
}

@test "takes caches only in what has its lock and is the entry still" {
	open_entry
	[ -z "$(ls -A "$entry")" ]
	exec 6<"$entry"
	# Another session ends meanwhile, and drops it.
	rmdir "$entry"
	run -111 --separate-stderr "$libexec/chock-cache" take --fd 6 \
		--frozen-fd 3 . 3<"$frozen"
	[ "$stderr" = "chock-cache: cannot look at '$entry': No such file or directory" ]
	mkdir -m 700 "$entry"
	run -111 --separate-stderr "$libexec/chock-cache" take --fd 6 \
		--frozen-fd 3 . 3<"$frozen"
	[ "$stderr" = "chock-cache: cannot use '$entry': what is open is another" ]
	[ -z "$(ls -A "$entry")" ]
	take 0
	[ -d "$entry/%2Ecache%2Fpip" ]
	[ "$(<"$entry/project")" = "$project" ]
	# Who has taken it has the lock while its descriptor is open.
	exec 6<"$entry"
	run -0 "$libexec/chock-cache" take --fd 6 --frozen-fd 3 . 3<"$frozen"
	take 1
	run -1 --separate-stderr flock -n "$entry" true
	exec 6<&-
	take 0
}

@test "gives one session at a time the caches, and clears none that it has" {
	session 0 'echo kept >.cache/pip/a'
	entry=$(ls -d "$caches"/*)
	exec 6<"$entry"
	flock -n 6
	# Nothing in it is touched: who has it may be about to read it.
	chmod 711 "$entry"/%2Ecache%2Fpip
	touch -d '3 days ago' "$entry"
	before=$(stat -c '%n %a %Y %i' "$entry" "$entry"/*)
	session 1 'test -e .cache/pip/a' 6<&-
	[[ $stderr == *'another session has the caches'* ]]
	[ "$(stat -c '%n %a %Y %i' "$entry" "$entry"/*)" = "$before" ]
	run -0 chock cache list
	[[ $output == *'(in use)' ]]
	run -111 --separate-stderr chock cache clear --yes
	[ "$stderr" = "chock-cache: the caches of '$project' are in use" ]
	exec 6<&-
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
}

@test "has nobody wait, or go without, for who only looks" {
	open_entry
	take 0
	# Who looks has it shared, for a moment; here until the other asks.
	exec 6<"$entry"
	flock -s 6
	run -0 chock cache list
	[[ $output == *"$project" ]]
	take 1
	flock -u 6
	take 0
	# What a list does first is to let go; then it looks at a million names.
	mkdir "$entry/%2Ecache%2Fpip/many"
	(cd "$entry/%2Ecache%2Fpip/many" && seq 1 60000 | xargs touch)
	chock cache list >"$BATS_TEST_TMPDIR/listed" 6<&- 3>&- &
	looking=$!
	until [[ $(readlink "/proc/$looking/fd/"* 2>/dev/null) == *"$entry"* ]] ||
		! kill -0 "$looking" 2>/dev/null; do :; done
	for _ in 1 2 3 4 5; do
		take 0
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
	[[ $output =~ ^'cleared '[0-9a-f]{12}', '[0-9]+KiB$ ]]
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
	other 20 4294967296
	last=$other
	other 10 4294967296
	session 0 'cat .cache/pip/a'
	[ "$output" = kept ]
	[[ $stderr == *"the caches of '/gone/31' are dropped: no session had them for 30 days"* ]]
	[[ $stderr == *"the caches of '/gone/20' are dropped: all projects' have more than 8GiB together"* ]]
	[ ! -e "$old" ] && [ ! -e "$last" ] && [ -e "$other" ]
	other 29 4096
	session 0 'cat .cache/pip/a'
	[[ $stderr != *'are dropped'* ]]
	[ -e "$other" ]
}

# of_project NUMBER PROJECT DAYS GIB - an entry of PROJECT; sets other
of_project() {
	other=$caches/$(printf '%064d' "$1")
	mkdir -m 700 "$other" "$other/x"
	echo -n "$2" >"$other/project"
	echo -n "$(($4 << 30))" >"$other/bytes"
	touch -d "-$3 days" "$other"
}

@test "has no project push out the caches of all others" {
	session 0 'echo kept >.cache/pip/a'
	of_project 1 /other 20 3
	small=$other
	# The policies of one project have 12 GiB, all of them used later.
	for n in 2 3 4; do of_project "$n" /many $((10 - n)) 4; done
	session 0 'cat .cache/pip/a'
	[ "$(grep -c "caches of '/many' are dropped, of the policies that it had longest ago: a project has 4GiB together" <<<"$stderr")" -eq 2 ]
	[[ $stderr != *"'/other'"* ]]
	[ -e "$small" ]
	[ -e "$other" ]
	# Also while its sessions run, which have what nobody can drop.
	rm -r "$other"
	for n in 2 3; do of_project "$n" /many $((10 - n)) 4; done
	exec 6<"$caches/$(printf '%064d' 2)" 7<"$other"
	flock -s 6
	flock -s 7
	session 0 'cat .cache/pip/a' 6<&- 7<&-
	[[ $stderr != *'dropped'* ]]
	[ -e "$small" ]
	[ -e "$other" ]
	# One more leaves no room: the least recently used goes.
	of_project 5 /more 1 3
	session 0 'cat .cache/pip/a' 6<&- 7<&-
	[[ $stderr == *"the caches of '/other' are dropped: all projects' have more than 8GiB together"* ]]
	[ ! -e "$small" ]
	[ -e "$other" ]
}

@test "keeps no more of a project than its share, whatever the limit" {
	session 0 'echo kept >.cache/pip/a'
	entry=$(ls -d "$caches"/*)
	fallocate -l 4097MiB "$entry/%2Ecache%2Fyarn/a" 2>/dev/null ||
		skip 'nothing measured: no room for 4 GiB, or no fallocate'
	run -0 "$libexec/chock-cache" give --fd 7 --most none 7<"$entry"
	[ "$(jq -r '.dropped[].path' <<<"$output")" = .cache/yarn ]
	[[ $output == *'a project has 4GiB, whatever the limit'* ]]
	[ "$(<"$entry/%2Ecache%2Fpip/a")" = kept ]
}

@test "keeps nothing that it cannot look through" {
	[ "$(id -u)" -ne 0 ] || skip 'nothing measured: root looks through all'
	session 0 'mkdir .cache/pip/d; echo >.cache/pip/d/f; chmod 0 .cache/pip/d; echo kept >.cache/yarn/a'
	[[ $stderr == *'.cache/pip ('*') is dropped: it cannot be looked through'* ]]
	session 0 'test ! -e .cache/pip/d; cat .cache/yarn/a'
	[ "$output" = kept ]
}

@test "takes caches that cannot be listed for no missing ones" {
	local entry
	session 0 'echo kept >.cache/pip/a'
	entry=$(echo "$caches"/*)
	run -111 --separate-stderr "$helpers/unlisted" "$libexec/chock-cache" list
	[ "$stderr" = "chock-cache: cannot list '$caches': Input/output error" ]
	run -111 --separate-stderr "$helpers/unlisted" "$libexec/chock-cache" \
		give --fd 5 --most none 5<"$entry"
	[ -e "$(find "$entry" -name a)" ]
	run -111 --separate-stderr "$helpers/unlisted" "$libexec/chock-cache" \
		clear --all --yes
	[[ $stderr != *'no cache is kept'* ]]
	run -0 "$libexec/chock-cache" give --fd 5 --most none 5<"$entry"
	[ -e "$(find "$entry" -name a)" ]
	rm -r "$caches"
	run -0 chock cache list
	[ ! -e "$caches" ]
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
	open_entry
	take 0
	echo kept >"$entry/%2Ecache%2Fpip/a"
	for ((n = 1; ; n++)); do
		run "$helpers/kill-at" "$n" -- "$libexec/chock-cache" take \
			--fd 7 --frozen-fd 3 . 7<"$entry" 3<"$frozen"
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
