#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# --cow: what is written to a directory is kept apart while a run goes on, and
# put in place as a whole or not at all, whatever the run has left there and
# whatever happens meanwhile

load lib/chock

# An overlay with its upper layer in a tmpfs, within a user namespace.
can_cow() {
	mkdir -p "$BATS_TEST_TMPDIR/can"
	chock-spawn -p base --cow "$BATS_TEST_TMPDIR/can" --discard -- true \
		2>/dev/null
}

setup() {
	require userns landlock cow
	cd "$BATS_TEST_TMPDIR" || return
	mkdir p
}

cow() {
	chock-spawn -p base --cow p --chdir "$PWD/p" "$@"
}

# All that a directory holds: type, mode, content, links' texts.
state_of() {
	(
		cd "$1" || exit
		find . -mindepth 1 -printf '%P %y %m %l\n' | sort
		find . -type f -readable -exec sha256sum {} + | sort -k2
	)
}

@test "commits what a command wrote if it ended with status 0" {
	echo old >p/changed
	echo old >p/gone
	cow -- sh -c 'echo new >added; chmod 755 added; echo new >changed
		rm gone; mkdir -p a/b; echo x >a/b/c; chmod 700 a/b'
	[ "$(cat p/added p/changed p/a/b/c)" = $'new\nnew\nx' ]
	[ ! -e p/gone ]
	[ "$(stat -c %a p/added p/a/b)" = $'755\n700' ]
	[ ! -e p/.chock-cow ]
}

@test "keeps the times of what is written" {
	cow -- touch -d '2001-02-03 04:05:06.123456789' f
	[ "$(date -r p/f +%s.%N)" = "$(date -d '2001-02-03 04:05:06.123456789' +%s.%N)" ]
}

@test "changes nothing if the command failed, and hands its status through" {
	echo old >p/f
	before=$(state_of p)
	run -3 cow -- sh -c 'echo new >f; echo new >g; exit 3'
	[ "$(state_of p)" = "$before" ]
	run -143 cow -- sh -c 'echo new >f; kill $$'
	run -124 cow --timeout 1 -- sh -c 'echo new >f; sleep 60'
	run -127 cow -- no-such-command
	[ "$(state_of p)" = "$before" ]
}

@test "writes past the directory without --cow, and not with it" {
	chock-spawn -p base --write p -- sh -c "echo x >'$PWD/p/f'; exit 0"
	[ "$(cat p/f)" = x ]
	run -1 cow -- sh -c 'echo y >f; cat f; exit 1'
	[ "$output" = y ]
	[ "$(cat p/f)" = x ]
}

@test "commits whatever the status with --commit, and never with --discard" {
	run -3 cow --commit -- sh -c 'echo 1 >f; exit 3'
	[ "$(cat p/f)" = 1 ]
	cow --discard -- sh -c 'echo 2 >f'
	[ "$(cat p/f)" = 1 ]
}

@test "commits with --commit what was killed, the whole sandbox too" {
	run -124 cow --commit --timeout 1 --report-fd 3 -- \
		sh -c 'trap "" TERM; echo 1 >f; sleep 60; sleep 60' 3>report
	[ "$(cat p/f)" = 1 ]
	[ "$(tail -n 1 report | json .cow)" = committed ]
	run -124 cow --timeout 1 --report-fd 3 -- \
		sh -c 'trap "" TERM; echo 2 >f; sleep 60; sleep 60' 3>report
	[ "$(cat p/f)" = 1 ]
	[ "$(tail -n 1 report | json .cow)" = discarded ]
	mkfifo said
	while read -r n state holds how; do
		# shellcheck disable=SC2086
		"$CHOCK_BUILD/bin/chock-spawn" -p base --cow p --chdir "$PWD/p" \
			$how --report-fd 3 -- \
			sh -c "echo $n >f; echo; exec sleep 60" \
			>said 3>report 2>err &
		pid=$!
		read -r _ <said
		kill -KILL "$(pgrep -P "$pid")"
		ended=0
		wait "$pid" || ended=$?
		[ "$ended" -ne 0 ]
		[ "$(tail -n 1 report | json .cow)" = "$state" ]
		[ "$(cat p/f)" = "$holds" ]
	done <<-'END'
		3 committed 3 --commit
		4 discarded 3
	END
}

@test "says in the report what became of it" {
	while read -r state status args; do
		# shellcheck disable=SC2086
		run "-$status" cow $args --report-fd 3 -- \
			sh -c "echo x >>f; exit $status" 3>report
		[ "$(tail -n 1 report | json .cow)" = "$state" ]
	done <<-'END'
		committed 0
		discarded 1
		committed 1 --commit
		discarded 0 --discard
		discarded 0 --dry-run
	END
	chock-spawn -p base --report-fd 3 -- true 3>report
	[ "$(tail -n 1 report | json .cow)" = null ]
}

@test "prints that apart from what the command does, if it is asked to" {
	run -0 --separate-stderr cow --dry-run --list-fd 4 -- sh -c \
		'echo said; echo 1 >new; echo A fake >&4; true' 4>list
	[ "$output" = said ]
	[[ $stderr == *'ad file descriptor'* || $stderr == *'4: Bad fd number' ]]
	[ "$(cat list)" = 'A new' ]
	run -111 --separate-stderr cow --dry-run --list-fd 4 -- touch new 4</dev/null
	[[ $stderr == "chock-spawn: cannot list what 'p' would become: "* ]]
}

@test "says that of what --dry-run prints nothing would land, if that is so" {
	run -3 --separate-stderr cow --dry-run -- sh -c ': >new; exit 3'
	[ "$output" = 'A new' ]
	[ "$stderr" = 'chock-spawn: the command did not end with 0, so that none of what would change would be put in place without --commit' ]
	run -0 --separate-stderr cow --dry-run -- sh -c ': >new'
	[ "$output" = 'A new' ]
	[ -z "$stderr" ]
}

@test "prints with --dry-run what would change, and changes nothing" {
	mkdir p/dir p/tree
	echo 1 >p/m
	echo 1 >p/d
	echo 1 >p/mode
	echo 1 >p/same
	echo 1 >p/dir/in
	echo 1 >p/tree/x
	before=$(state_of p)
	run -0 cow --dry-run -- sh -c 'echo 2 >m; rm d; echo 1 >a; chmod 600 mode
		chmod 700 dir; rm -r tree; mkdir -p new/sub; ln -s / new/l
		: >>same; rm dir/in; mkdir dir/in; echo 2 >dir/in/y'
	[ "$output" = "$(
		cat <<-'END'
			A a
			D d
			M dir
			M dir/in
			A dir/in/y
			M m
			M mode
			A new
			A new/l
			A new/sub
			D tree
			D tree/x
		END
	)" ]
	[ "$(state_of p)" = "$before" ]
}

@test "lists a tree that was made anew by what differs in it" {
	mkdir -p p/t
	echo 1 >p/t/gone
	echo 1 >p/t/stays
	run -0 cow --dry-run -- sh -c 'cp -p t/stays /tmp; rm -r t; mkdir t
		cp -p /tmp/stays t; echo 2 >t/new'
	[ "$output" = $'D t/gone\nA t/new' ]
}

@test "writes names of any bytes as they are told, and lands them" {
	name=$'a b\nc\rd\\e\xff\x1b[0m%'
	mkdir "p/$name"
	echo 1 >"p/$name/$name"
	run -0 cow --dry-run -- sh -c 'for d in *; do echo 2 >"$d/$d"; done'
	escaped='a b\012c\015d\\e\377\033[0m%'
	[ "$output" = "M $escaped/$escaped" ]
	cow --dry-run -z -- sh -c 'for d in *; do echo 2 >"$d/$d"; done' >list
	printf 'M %s\0' "$name/$name" | cmp - list
	cow -- sh -c 'for d in *; do echo 2 >"$d/$d"; mv "$d/$d" "$d/+$d"; done'
	[ "$(cat "p/$name/+$name")" = 2 ]
	[ ! -e "p/$name/$name" ]
}

@test "shows one merged tree, by relative and absolute paths" {
	mkdir -p p/old
	echo below >p/old/f
	run -0 cow -- sh -c 'mkdir -p old/new && cd old/new && pwd && echo x >g &&
		cat "$PWD/../f" ../f "$PWD/g"'
	[ "$output" = "$PWD/p/old/new"$'\nbelow\nbelow\nx' ]
}

@test "opens nothing of a file that was removed" {
	echo secret >p/f
	run -1 --separate-stderr cow --commit -- sh -c 'rm f; exec cat f'
	[ -z "$output" ]
	[[ $stderr == *"No such file"* ]]
	[ ! -e p/f ]
}

@test "moves directories as outside" {
	mkdir -p p/full/d p/other/x
	echo 1 >p/full/d/f
	echo 1 >p/file
	cow -- sh -ec 'mv full moved
		! mv -T moved other 2>/tmp/e; grep -q "not empty" /tmp/e
		! mv -T moved file 2>/tmp/e; grep -q "non-directory" /tmp/e
		! mv -T file moved 2>/tmp/e; grep -q "directory" /tmp/e'
	[ "$(cat p/moved/d/f)" = 1 ]
	[ ! -e p/full ]
	[ -d p/other/x ]
}

@test "makes exclusively what is not there, and only that" {
	echo 1 >p/below
	cow -- sh -ec 'set -C
		if (: >below) 2>/dev/null; then exit 1; fi
		: >above
		if (: >above) 2>/dev/null; then exit 1; fi
		rm below
		echo 2 >below'
	[ "$(cat p/below)" = 2 ]
}

@test "follows no link, neither when it is written nor when it lands" {
	echo outside >out
	mkdir outdir
	ln -s ../out p/l
	ln -s ../outdir p/ld
	echo 1 >p/f
	mkdir p/dir
	echo 1 >p/dir/g
	run -1 cow --commit -- sh -c 'cat l || cat ld/x'
	run -2 cow --commit -- sh -c 'echo x >ld/x'
	cow -- sh -ec '(echo x >l) 2>/dev/null || :; ln -sf ../out f; rm -r dir; ln -s ../outdir dir; ln -s / n'
	[ "$(readlink p/f p/dir p/n)" = $'../out\n../outdir\n/' ]
	[ "$(cat out)" = outside ]
	[ -z "$(ls outdir)" ]
	# What stood in a directory does not land in what a link of its name names.
	cow -- sh -ec 'rm dir; mkdir dir; echo 2 >dir/h'
	[ -z "$(ls outdir)" ]
	[ "$(cat p/dir/h)" = 2 ]
}

@test "leaves out FIFOs, sockets and chock's own name, and says so" {
	mkfifo p/fifo
	mkdir p/d
	run -0 --separate-stderr timeout 20 chock-spawn -p base --cow p \
		--chdir "$PWD/p" -- sh -c 'chmod 600 fifo; mkfifo new d/new
		echo x >f; mkdir .chock-cow; echo x >.chock-cow/journal
		mkdir tree; mkfifo tree/fifo
		mkdir d/.chock-cow tree/.chock-cow; echo x >d/.chock-cow/journal
		echo x >tree/.chock-cow/journal
		exec 3<>fifo'
	[ "$stderr" = "$(
		cat <<-'END'
			chock-spawn: '.chock-cow' is a name of chock's own, and is not committed
			chock-spawn: 'd/.chock-cow' is a name of chock's own, and is not committed
			chock-spawn: 'd/new' is a FIFO, and is not committed
			chock-spawn: 'fifo' is a FIFO, and is not committed
			chock-spawn: 'new' is a FIFO, and is not committed
			chock-spawn: 'tree/.chock-cow' is a name of chock's own, and is not committed
			chock-spawn: 'tree/fifo' is a FIFO, and is not committed
		END
	)" ]
	[ "$(find p | sort)" = $'p\np/d\np/f\np/fifo\np/tree' ]
}

@test "lands no set-id bit and no sticky one" {
	cp /bin/true p/t
	chmod 6755 p/t
	cow -- sh -ec 'touch t; mkdir d; chmod 1777 d; test -k d; test -u t'
	[ "$(stat -c %a p/t p/d)" = $'755\n777' ]
}

@test "keeps the other bits of a directory whose mode it changes" {
	mkdir p/d
	chmod 2775 p/d
	cow -- chmod 00700 d
	[ "$(stat -c %a p/d)" = 2700 ]
}

@test "lands in directories and from files that nobody may read" {
	cow -- sh -ec 'echo x >f; chmod 0 f; mkdir d; echo y >d/g; chmod 0 d'
	[ "$(stat -c %a p/f p/d)" = $'0\n0' ]
	chmod 700 p/f p/d
	[ "$(cat p/f p/d/g)" = $'x\ny' ]
	chmod 500 p/d
	cow -- sh -ec 'chmod 700 d; echo z >d/h; rm d/g'
	[ "$(cat p/d/h)" = z ]
	chmod 500 p/d
	cow -- sh -ec 'chmod 700 d; rm -r d'
	[ ! -e p/d ]
	mkdir -p p/d/e
	cow -- sh -ec 'mkdir d/n; chmod 500 d/n; chmod 111 d/e; chmod 0 d'
	[ "$(stat -c %a p/d)" = 0 ]
	chmod 700 p/d
	[ "$(stat -c %a p/d/e p/d/n)" = $'111\n500' ]
}

@test "keeps holes, and hard links as files of their own" {
	cow -- sh -ec 'truncate -s 300M sparse; echo end >>sparse; echo 1 >a; ln a b'
	[ "$(stat -c %s p/sparse)" = 314572804 ]
	[ "$(du -k p/sparse | cut -f 1)" -lt 1024 ]
	[ "$(tail -n 1 p/sparse)" = end ]
	[ "$(cat p/a p/b)" = $'1\n1' ]
	[ "$(stat -c %h p/a)" = 1 ]
}

@test "holds a run to its quota, through one descriptor too" {
	run -1 chock-spawn -p base --read "$helpers" --cow p --chdir "$PWD/p" \
		--limit cow=2MiB -- "$helpers/act" write-file f 4194304
	[ "$output" = ENOSPC ]
	chock-spawn -p base --read "$helpers" --cow p --chdir "$PWD/p" \
		--limit cow=8MiB -- "$helpers/act" write-file f 4194304
	[ "$(stat -c %s p/f)" = 4194304 ]
	run -2 --separate-stderr cow --limit cow=1MiB -- sh -c \
		'i=0; while [ $i -lt 400 ]; do : >$i; i=$((i+1)); done'
	[[ $stderr == *"No space left on device"* ]]
}

@test "says that its quota was used up, in bytes or in files" {
	local full='what --cow keeps apart was full: the limit cow is '
	run -1 cow --limit cow=2MiB --report-fd 3 -- \
		sh -c 'cat /dev/zero >f' 3>report
	[[ $(tail -n 1 report | json .notice) == *"${full}2MiB, and '--limit cow=SIZE' "* ]]
	run -2 --separate-stderr cow --limit cow=1MiB --explain -- sh -c \
		'i=0; while [ $i -lt 400 ]; do : >$i; i=$((i+1)); done'
	[[ $stderr == *"${full}1MiB"* ]]
	run -1 --separate-stderr cow --limit cow=2MiB --explain -- \
		sh -c 'head -c 1M /dev/zero >f; exit 1'
	[[ $stderr != *full* ]]
}

@test "does not count what is read" {
	truncate -s 8M p/big
	cow --limit cow=1MiB -- sh -ec 'cat big big >/dev/null; echo x >f'
	[ "$(cat p/f)" = x ]
}

# meanwhile OUTSIDE INSIDE [OPTION]... - run INSIDE with a copy on write of p;
# where it calls `pause`, OUTSIDE is done before it goes on
meanwhile() {
	local outside=$1 inside=$2 pid ended=0
	shift 2
	mkfifo said go
	cow "$@" -- sh -ec "pause() { echo; read -r line; }; $inside" \
		<go >said 2>err 3>&- &
	pid=$!
	exec 8>go 9<said
	read -r _ <&9
	eval "$outside"
	echo >&8
	exec 8>&- 9<&-
	wait "$pid" || ended=$?
	rm said go
	return "$ended"
}

@test "stops if a file that it changes was changed meanwhile, and keeps both" {
	echo old >p/f
	echo old >p/other
	run -111 meanwhile 'echo outside >p/f' 'echo in >f; echo in >other; pause'
	[ "$(cat err)" = "chock-spawn: cannot commit to '$PWD/p', the work is kept in its '.chock-cow': 'f' was changed from outside; 'chock-spawn --recover DIR --commit' replaces it, and --discard throws the work away" ]
	[ "$(cat p/f p/other)" = $'outside\nold' ]
	run -125 --separate-stderr cow -- true
	[[ $stderr == *"waits for the work of an earlier run"* ]]
	run -111 --separate-stderr chock-spawn --recover p
	[[ $stderr == *"'f' was changed from outside; 'chock-spawn --recover DIR --commit' replaces it, and "* ]]
	[ "$(cat p/f p/other)" = $'outside\nold' ]
	chock-spawn --recover p --commit
	[ "$(cat p/f p/other)" = $'in\nin' ]
	[ ! -e p/.chock-cow ]
}

@test "throws kept work away if it is told to" {
	echo old >p/f
	run -111 meanwhile 'echo outside >p/f' 'echo in >f; pause'
	chock-spawn --recover p --discard
	[ "$(cat p/f)" = outside ]
	[ ! -e p/.chock-cow ]
	chock-spawn --recover p
	cow -- sh -c 'echo in >f'
	[ "$(cat p/f)" = in ]
}

@test "shows work that waits to no other run" {
	echo old >p/f
	run -111 meanwhile 'echo outside >p/f' 'echo in >f; pause'
	[ "$(ls p/.chock-cow)" = $'journal\nnew-0' ]
	run -0 chock-spawn -p base --write p --bind p:/q -- sh -c "
		cat '$PWD/p/.chock-cow/journal' /q/.chock-cow/new-0
		rm -rf '$PWD/p/.chock-cow' /q/.chock-cow/* 2>/dev/null
		mv '$PWD/p/.chock-cow' '$PWD/p/x' 2>/dev/null
		echo neighbour >'$PWD/p/g'"
	[ "$output" = "cat: $PWD/p/.chock-cow/journal: Permission denied"$'\ncat: /q/.chock-cow/new-0: Permission denied' ]
	[ "$(ls p/.chock-cow)" = $'journal\nnew-0' ]
	[ "$(cat p/g)" = neighbour ]
	for option in --read --write; do
		run -125 --separate-stderr chock-spawn -p base \
			"$option" p/.chock-cow/new-0 -- true
		[ "$stderr" = "chock-spawn: $option: cannot grant '$PWD/p/.chock-cow/new-0': '.chock-cow' is chock's own" ]
	done
	run -125 --separate-stderr chock-spawn -p base --driver landlock \
		--write p -- true
	[[ $stderr == *"cannot grant '$PWD/p' and cover '$PWD/p/.chock-cow'"* ]]
	rm -r p/.chock-cow
	chock-spawn -p base --driver landlock --write p -- true
}

@test "shows it to nobody who is granted a directory above, either" {
	mkdir -p above/q other
	mv p above/q/p
	ln -s above/q/p p
	echo old >p/f
	run -111 meanwhile 'echo outside >p/f' 'echo in >f; pause'
	[ "$(ls p/.chock-cow)" = $'journal\nnew-0' ]
	for grant in "--write above" "--read above" "--bind above:/w" "--cow above --discard"; do
		# shellcheck disable=SC2086
		run -0 chock-spawn -p base $grant -- bash -c "
			for at in '$PWD/above' /w; do
				[ -d \$at ] || continue
				! cat \$at/q/p/.chock-cow/journal || exit
				! rm -rf \$at/q/p/.chock-cow || exit
				! mv \$at/q/p \$at/q/x || exit
				cat \$at/q/p/f
			done"
		[[ $output == *"/journal: Permission denied"* ]]
		[ "${lines[-1]}" = outside ]
	done
	[ "$(ls above/q/p/.chock-cow)" = $'journal\nnew-0' ]
	run -125 --separate-stderr chock-spawn -p base --driver landlock \
		--write above -- true
	[[ $stderr == *"cannot grant '$PWD/above' and cover '$PWD/above/q/p/.chock-cow'"* ]]
	# Nothing is held any more once nothing waits.
	chock-spawn --recover p --discard
	[ -z "$(ls "$HOME/.local/state/chock/cow-waits")" ]
	chock-spawn -p base --driver landlock --write above -- true
	chock-spawn -p base --write above -- mv "$PWD/above/q/p" "$PWD/above/q/x"
	[ -e above/q/x/f ]
}

@test "keeps no list of directories in which nothing waits" {
	cow -- sh -c 'echo in >f'
	[ "$(cat p/f)" = in ]
	[ -z "$(ls "$HOME/.local/state/chock/cow-waits")" ]
}

@test "sees each way in which what it changes can be changed" {
	while IFS='|' read -r outside inside; do
		rm -rf p
		mkdir -p p/d/e
		echo old >p/f
		echo old >p/d/e/g
		echo old >p/d/h
		run -111 meanwhile "$outside" "$inside; pause"
		[[ $(cat err) == *"was changed from outside; "* ]] ||
			[[ $(cat err) == *"no longer in the directory"* ]]
		[ -d p/.chock-cow ]
	done <<-'END'
		touch -d 2001-01-01 p/f|echo in >>f
		chmod 600 p/f|rm f
		rm p/f|echo in >>f
		mv p/f p/x|echo in >>f
		echo x >p/n; mv p/n p/f|echo in >>f
		echo x >p/new|echo in >new
		mkdir p/new|echo in >new
		echo x >p/d/e/new|rm -r d
		echo x >p/d/e/g|rm -r d
		rm p/d/e/g|rm -r d
		echo x >p/d/e/g|rm -r d; mkdir d; echo y >d/x
		mv p/d p/x|echo in >>d/h
		mv p/d p/x; ln -s x p/d|echo in >>d/h
		mv p/d p/x; mkdir p/d|echo in >d/h; rm d/e/g
	END
}

@test "lets other files be changed meanwhile" {
	mkdir p/d
	echo old >p/f
	echo old >p/d/g
	meanwhile 'echo out >p/other; echo out >p/d/g; echo out >p/d/h' \
		'echo in >f; echo in >n; mkdir d/m; echo in >d/i; pause'
	[ "$(cat p/f p/n p/d/i p/other p/d/g p/d/h)" = $'in\nin\nin\nout\nout\nout' ]
}

@test "writes over no mode of a directory that was changed meanwhile" {
	mkdir -m 755 p/d p/e
	run -111 meanwhile 'chmod 711 p/d' 'echo in >d/f; pause'
	[[ $(cat err) == *"'d' was changed from outside; "* ]]
	[ "$(stat -c %a p/d)" = 711 ]
	chock-spawn --recover p --discard
	[ "$(stat -c %a p/d)" = 711 ]
	meanwhile 'chmod 711 p/e' 'echo in >f; chmod 700 d; pause'
	[ "$(stat -c %a p/d p/e)" = $'700\n711' ]
}

@test "lands what was moved at the top of the directory" {
	mkdir p/d
	echo old >p/a
	echo old >p/d/in
	cow -- sh -c 'mv a b; mv d e'
	[ "$(ls p)" = $'b\ne' ]
	[ "$(cat p/b p/e/in)" = $'old\nold' ]
	run -111 meanwhile 'rm p/b' 'touch b; echo in >>b; pause'
	[[ $(cat err) == *"'b' was changed from outside; "* ]]
}

@test "does not land through a link that was put there meanwhile" {
	mkdir p/d outdir
	run -111 meanwhile 'rmdir p/d; ln -s ../outdir p/d' 'echo in >d/f; pause'
	[ -z "$(ls outdir)" ]
	[ -L p/d ]
	chock-spawn --recover p --commit
	[ -z "$(ls outdir)" ]
	[ ! -L p/d ]
	[ "$(cat p/d/f)" = in ]
}

@test "has a directory to itself while it runs" {
	meanwhile 'run -125 --separate-stderr cow -- true' 'echo in >f; pause'
	[ "$stderr" = "chock-spawn: --cow: '$PWD/p' has a copy on write that is in use: one run at a time" ]
	[ "$(cat p/f)" = in ]
	meanwhile 'run -111 --separate-stderr chock-spawn --recover p' 'pause'
	[[ $stderr == *"in use"* ]]
}

# A project of every kind of change, and what becomes of it.
fresh() {
	rm -rf p
	mkdir -p p/gone/sub p/dir p/mode p/anew
	echo 1 >p/changed
	echo 1 >p/removed
	echo 1 >p/gone/sub/x
	echo 1 >p/dir/changed
	echo 1 >p/mode/x
	echo 1 >p/anew/x
	echo 1 >p/kind
	ln -s changed p/link
}
changes='echo 2 >changed; rm removed; rm -r gone; echo 2 >dir/changed
	echo 2 >dir/added; chmod 711 mode; rm -r anew; mkdir anew; echo 2 >anew/y
	rm kind; mkdir kind; ln -sf dir link; mkdir -p new/sub; echo 2 >new/sub/f
	chmod 500 new'

# whole - whether p is all as it was, or all as it is to be; says which
whole() {
	[ ! -e p/.chock-cow ] || return
	case $(state_of p) in
	"$before") echo before ;;
	"$after") echo after ;;
	*)
		state_of p
		return 1
		;;
	esac
}

# in_memory FUNCTION - call it where p is in a tmpfs, for what comes to the disk
# is waited for, and that many commits are a long wait
in_memory() {
	mkdir mem
	export CHOCK_BUILD changes
	unshare --user --map-root-user --mount bash -euc "
		$(declare -f cow state_of fresh whole at run_at untouched "$1")
		mount -t tmpfs cow mem
		cd mem
		fresh
		before=\$(state_of p)
		cow -- sh -ec \"\$changes\"
		after=\$(state_of p)
		[ \"\$before\" != \"\$after\" ]
		$1"
}

# at N[ ERRNUM] COMMAND... - COMMAND with its Nth change cut off, or failed;
# $at becomes its status
at() {
	at=0
	# shellcheck disable=SC2086
	"$helpers/kill-at" $1 -- "${@:2}" >/dev/null 2>err || at=$?
}

run_at() {
	fresh
	at "$1" "$CHOCK_BUILD/bin/chock-spawn" -p base --cow p \
		--chdir "$PWD/p" -- sh -ec "$changes"
}

kill_each() {
	: >states
	for ((n = 1; ; n++)); do
		run_at "$n"
		[ "$at" -ne 251 ] || break
		[ "$at" -eq 250 ]
		chock-spawn --recover p
		whole >>states
	done
	[ "$(whole)" = after ]
	[ "$(uniq states)" = $'before\nafter' ]
	[ "$n" -gt 40 ]
}

kill_recoveries() {
	for n in 58 68; do
		for ((m = 1; ; m++)); do
			run_at "$n"
			[ "$at" -eq 250 ]
			at "$m" "$CHOCK_BUILD/bin/chock-spawn" --recover p
			[ "$at" -ne 251 ] || break
			[ "$at" -eq 250 ]
			chock-spawn --recover p
			whole
		done
		whole
	done
}

# untouched - whether p is as it was, but for what is kept
untouched() {
	rm -rf q
	cp -a p q
	rm -rf q/.chock-cow
	[ "$(state_of q)" = "$before" ]
}

fail_each() {
	: >states
	for ((n = 1; ; n++)); do
		run_at "$n 28"
		case $at in
		251) break ;;
		0) [ "$(whole)" = after ] ;;
		125)
			chock-spawn --recover p
			[ "$(whole)" = before ]
			;;
		111)
			grep -q '^chock-spawn: ' err
			if ! grep -q 'is committed, but' err; then
				grep -q 'the work is kept' err
				untouched
			fi
			chock-spawn --recover p
			[ "$(whole)" = after ]
			;;
		*) false ;;
		esac
		echo "$at" >>states
	done
	[ "$(sort -u states)" = $'0\n111\n125' ]
}

@test "is whole after it was killed at any change, once it is recovered" {
	in_memory kill_each
}

@test "is whole after the recovery was killed at any change as well" {
	in_memory kill_recoveries
}

@test "loses nothing if any change fails, and finishes when it is told to" {
	[ "$(uname -m)" = x86_64 ] || skip "nothing measured: no way to fail a call"
	in_memory fail_each
}

@test "keeps work elsewhere for which the file system has no room" {
	# shellcheck disable=SC2016
	unshare --user --map-root-user --mount sh -ec '
		mount -t tmpfs -o size=1m cow p
		echo old >p/f
		head -c 800000 /dev/zero >p/room
		status=0
		chock-spawn -p base --cow p --chdir "$PWD/p" -- sh -c "
			echo new >f; head -c 400000 /dev/zero >big" 2>err || status=$?
		[ "$status" -eq 111 ]
		grep -q "No space left on device" err
		grep -q "the work is kept in .$HOME/.local/state/chock/cow/[0-9.:-]*. for .chock-spawn --recover" err
		[ "$(cat "$HOME"/.local/state/chock/cow/*/path)" = "$PWD/p" ]
		[ "$(ls -A p | tr "\n" " ")" = "f room " ]
		[ "$(cat p/f)" = old ]
		! chock-spawn -p base --cow p -- true 2>/dev/null
		! chock-spawn --recover p 2>err
		grep -q "No space left on device" err
		rm p/room
		chock-spawn --recover p
		[ "$(cat p/f)" = new ]
		[ "$(stat -c %s p/big)" = 400000 ]
		[ "$(ls -A p | sort | tr "\n" " ")" = "big f " ]
		[ -z "$(ls "$HOME/.local/state/chock/cow")" ]
		chock-spawn -p base --cow p -- true'
}

# kept WHAT - WHAT, in a tmpfs p/t that had no room for the work of a run there
kept() {
	unshare --user --map-root-user --mount bash -euc "
		HOME=$PWD/home
		mkdir -p \$HOME
		mount -t tmpfs -o size=1m cow p
		mkdir p/t
		head -c 800000 /dev/zero >p/room
		! chock-spawn -p base --cow p/t --chdir \$PWD/p/t -- sh -c '
			head -c 400000 /dev/zero >big' 2>err
		grep -q 'is kept in' err
		rm p/room
		work=\$(echo \$HOME/.local/state/chock/cow/*)
		$1"
}

@test "gives kept work to no other directory" {
	# What knows its birth has a name that no other one gets.
	kept 'stat -c %w p/t | grep -q : || exit 0
		mv p/t p/moved
		! chock-spawn -p base --cow p/moved -- true 2>err
		grep -q "the work in .$work. is of .$PWD/p/t., which is now this one" err
		! chock-spawn --recover p/moved 2>err
		grep -q "the work in .$work. is of .$PWD/p/t., which is now this one" err
		[ -z "$(ls p/moved)" ]
		chock-spawn --recover p/moved --commit
		[ "$(stat -c %s p/moved/big)" = 400000 ]
		[ ! -e "$work" ]'
	# Another directory of the number of one that is gone.
	kept 'mkdir p/other
		birth=${work##*/}
		inode=$(stat -c %i p/other)
		mv "$work" "${work%/*}/$inode-${birth#*-}"
		case $birth in *:*) no=! ;; *) no= ;; esac
		eval "$no chock-spawn -p base --cow p/other -- true" 2>err
		eval "$no chock-spawn --recover p/other --commit" 2>err
		[ -z "$(ls -A p/other)" ]
		[ -e "${work%/*}/$inode-${birth#*-}/journal" ]'
}

@test "removes what a run that was killed left of no work" {
	mkdir -m 700 p/.chock-cow
	cow -- sh -c 'echo x >f'
	[ "$(ls -A p)" = f ]
	mkdir -m 700 p/.chock-cow
	echo part >p/.chock-cow/new-0
	run -0 --separate-stderr cow --dry-run -- true
	[ -z "$stderr$output" ]
	cow -- true
	[ "$(ls -A p)" = f ]
	# Nothing that is not ours.
	mkdir p/.chock-cow
	chmod 770 p/.chock-cow
	run -125 --separate-stderr cow -- true
	[[ $stderr == *"'.chock-cow' is not a directory of the caller's alone" ]]
	[ -d p/.chock-cow ]
}

@test "refuses by name a directory in which something is mounted" {
	mkdir p/sub
	# shellcheck disable=SC2016
	run -125 --separate-stderr unshare --user --map-root-user --mount sh -c '
		mount -t tmpfs cow p/sub && exec chock-spawn -p base --cow p -- true'
	[ "$stderr" = "chock-spawn: --cow: a file system is mounted in '$PWD/p', at '$PWD/p/sub', and no copy on write goes over it" ]
}

@test "works over a tmpfs and over another overlay" {
	# shellcheck disable=SC2016
	unshare --user --map-root-user --mount sh -ec '
		mount -t tmpfs cow p
		mkdir p/l p/u p/w p/m
		echo old >p/l/f
		mount -t overlay -o userxattr,lowerdir=p/l,upperdir=p/u,workdir=p/w o p/m
		for dir in p/l p/m; do
			chock-spawn -p base --cow $dir --chdir "$PWD/$dir" -- \
				sh -c "echo $dir >>f; mkdir -p d; echo $dir >d/g"
			[ "$(tail -n 1 $dir/f)" = $dir ]
			[ "$(cat $dir/d/g)" = $dir ]
		done'
}

@test "writes to the copy where another grant is of the same place" {
	echo old >p/f
	mkdir p/sub
	printf 'write @project@\nwrite @project@/sub\nlimit cow 2MiB\n' >policy
	mkdir -p home/.config/chock home/.local/state/chock home/.local/share/chock
	run -1 cow -p ./policy --project p --write . --write p -- \
		sh -c 'echo in >f; echo in >sub/g; exit 1'
	[ "$(cat p/f)" = old ]
	[ ! -e p/sub/g ]
	run -0 chock-spawn -p base -p ./policy --project p --cow p \
		--read "$helpers" -- sh -c "cd '$PWD/p' && '$helpers/act' write-file g 4194304 || :"
	[ "$output" = ENOSPC ]
	while IFS='|' read -r option message; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr cow $option -- true
		[ "$stderr" = "chock-spawn: $message of '$PWD/p'" ]
	done <<-END
		--bind p/sub:/x|--bind: '$PWD/p/sub' would be written to past the copy on write
		--bind .:/x|--bind: '$PWD' would be written to past the copy on write
	END
	cow --bind p/sub:/x:ro -- test -d /x
}

@test "hides in the copy what is hidden" {
	echo secret >p/f
	run -1 cow --hide "$PWD/p/f" --commit -- sh -c 'cat f 2>/dev/null || rm -f f'
	[ "$(cat p/f)" = secret ]
}

@test "refuses wrong calls with 100 and one line" {
	while IFS='|' read -r words message; do
		eval "set -- $words"
		run -100 --separate-stderr chock-spawn -p base "$@"
		[ "${stderr%%$'\n'*}" = "chock-spawn: $message" ]
	done <<-'END'
		--commit -- true|--commit, --discard and --dry-run want a directory: --cow or --recover
		--cow p --commit --discard -- true|of --commit, --discard and --dry-run only one can be done
		--cow p --recover p|--recover runs nothing: no --cow goes with it
		--recover p --dry-run|--recover has no --dry-run
		--cow p -z -- true|-z goes with --dry-run only
		--cow p --list-fd 1 -- true|--list-fd goes with --dry-run only
		--cow p --limit cow=none -- true|--limit: limit cow: cannot be 'none'
		--cow p --limit cow=1KiB -- true|--limit: limit cow: '1KiB' is less than 1MiB
	END
	run -100 chock-spawn --recover p -- true
	run -125 --separate-stderr chock-spawn -p base --cow none -- true
	[ "$stderr" = "chock-spawn: --cow: cannot open '$PWD/none': No such file or directory" ]
	: >file
	run -125 --separate-stderr chock-spawn -p base --cow file -- true
	[ "$stderr" = "chock-spawn: --cow: cannot open '$PWD/file': Not a directory" ]
	run -100 --separate-stderr chock-spawn --recover none
	[ "$stderr" = "chock-spawn: cannot open 'none': No such file or directory" ]
}

@test "says before the run that a directory cannot be written" {
	# shellcheck disable=SC2016
	run -125 --separate-stderr unshare --user --map-root-user --mount sh -c '
		mount --bind p p && mount -o remount,bind,ro p &&
			chock-spawn -p base --cow p --dry-run -- true &&
			exec chock-spawn -p base --cow p -- true'
	[ "$stderr" = "chock-spawn: --cow: cannot write to '$PWD/p': Read-only file system" ]
}

@test "believes no stage that no run of the caller's made" {
	echo old >p/f
	echo mine >p/precious
	run -111 meanwhile 'echo outside >p/f' 'echo in >f; pause'
	# Its neighbour has the same bytes, and nobody knows of it.
	mkdir q
	echo mine >q/precious
	mkdir -m 700 q/.chock-cow
	# shellcheck disable=SC2046,SC2183 # words are wanted
	printf 'chock-cow 1 9999999999 0\nswap clean 0 0 %s %d %s %s %d precious\nend 1\n' \
		$(stat -c '%i' q/precious) "0x$(stat -c %f q/precious)" \
		$(stat -c '%s %Y' q/precious) \
		"$((10#$(date -r q/precious +%N)))" >q/.chock-cow/journal
	for option in '' --discard; do
		run -111 --separate-stderr chock-spawn --recover q $option
		[ "$stderr" = "chock-spawn: no run of this user is known to have left 'q/.chock-cow': remove it, or 'chock-spawn --recover DIR --commit' does what it says" ]
		[ "$(cat q/precious)" = mine ]
		[ -e q/.chock-cow/journal ]
	done
	chock-spawn --recover q --commit
	[ "$(ls -A q)" = '' ]
	chock-spawn --recover p --commit
	[ "$(cat p/f p/precious)" = $'in\nmine' ]
}

@test "recovers by no journal that leads out of the directory, or is not whole" {
	echo outside >out
	ln -s .. p/l
	while IFS='|' read -r line message; do
		rm -rf p/.chock-cow
		mkdir -m 700 p/.chock-cow
		echo hostile >p/.chock-cow/new-0
		printf 'chock-cow 1 1 1\n%b' "${line//INODE/$(stat -c %i p/.chock-cow/new-0)}" \
			>p/.chock-cow/journal
		run --separate-stderr chock-spawn --recover p --commit
		[ "$status" -ne 0 ]
		[[ $stderr == *"$message"* ]]
		[ "$(cat out)" = outside ]
	done <<-'END'
		swap clean INODE 33188 0 0 0 0 0 ../out\nend 1\n|line 2: the path is none of the directory's
		swap clean INODE 33188 0 0 0 0 0 l/out\nend 1\n|no longer in the directory
		swap clean INODE 33188 0 0 0 0 0 f\n|its end is missing
		swap clean 1 33188 0 0 0 0 0 f\nend 1\n|cannot put 'f' in place
	END
	chmod 770 p/.chock-cow
	run -111 --separate-stderr chock-spawn --recover p
	[[ $stderr == *"not a directory of the caller's alone" ]]
	rm -rf p/.chock-cow
	ln -s .. p/.chock-cow
	run --separate-stderr chock-spawn --recover p
	[ "$status" -ne 0 ]
	[ "$(cat out)" = outside ]
}

# deep N... - go where as many directories are within each other, made if need
# be; a path names up to 2000 at once
deep() {
	for n; do
		path=$(printf 'd/%.0s' $(seq "$n"))
		echo "mkdir -p $path; cd -P $path"
	done
}

# depth_of DIR - how many directories are within each other below it
depth_of() {
	find "$1" -mindepth 1 -type d -printf x | wc -c
}

@test "commits a tree as deep as a path can name" {
	cow -- sh -ec "$(deep 300); echo x >f"
	[ "$(depth_of p)" = 300 ]
	cow -- sh -ec "$(deep 300); echo y >f" # where there is one
	[ "$(find p -name f -exec cat {} +)" = y ]
	cow -- sh -ec "rm -r d; $(deep 1000); echo z >f"
	[ "$(depth_of p)" = 1000 ]
	[ "$(find p -name f -execdir cat {} +)" = z ]
	cow -- sh -ec 'rm -r d/d; mkdir d/e'
	[ "$(find p | sort)" = $'p\np/d\np/d/e' ]
}

@test "leaves out what is deeper, says so, and commits the rest" {
	ulimit -n 16384 2>refused ||
		skip "nothing measured: $(ulimit -Hn) descriptors are all that may be"
	run -0 --separate-stderr cow -- sh -ec "echo x >kept; $(deep 1500 600)"
	[[ $stderr == *"d/...' is a path too long, and is not committed" ]]
	[ "${#stderr_lines[@]}" = 1 ]
	[ "$(cat p/kept)" = x ]
	[ "$(depth_of p)" = 2048 ]
	rm -r p
	mkdir p
	# With few descriptors it is as deep as those reach.
	(
		ulimit -n 200
		run -0 --separate-stderr cow -- sh -ec "echo x >kept; $(deep 100)"
		[[ $stderr == *"d/d' is a directory too deep, and is not committed" ]]
		run -0 --separate-stderr cow --dry-run -- sh -ec "mv d e; $(deep 100)"
		[[ $stderr == *"d/d' is a directory too deep, and is not committed" ]]
	)
	[ "$(cat p/kept)" = x ]
	[ "$(depth_of p)" = 34 ]
}

@test "starts as fast over a large tree, and goes through none of it" {
	mkdir -p p/{0..5}/{0..5}
	for d in p/*/*; do
		(cd "$d" && printf '%s\n' {1..50} | xargs touch)
	done
	cow -- sh -c 'echo x >5/5/50; rm -r 0; echo y >new'
	[ ! -e p/0 ]
	[ "$(cat p/5/5/50 p/new)" = $'x\ny' ]
	# No call that reads a directory of it: the overlay does nothing ahead.
	require trace
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 \
		strace -f -e trace=getdents64 -o calls "$CHOCK_BUILD/bin/chock-spawn" \
		-p base --cow p -- true
	[ "$(grep -c getdents64 calls)" -lt 10 ]
}
