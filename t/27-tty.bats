#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn --tty: the command has a terminal of its own, and who started it
# has theirs back, whatever happens
#
#	t/helpers/terminal ── caller's terminal ── chock-spawn ── [ its own ── command ]
#
# t/helpers/terminal plays the person: it types, waits for what it sees, and
# fails with 99 if the terminal has other settings at the end than at the start.
# Where jobs are stopped, a shell is between the two.

load lib/chock
load lib/project

setup() {
	require userns landlock
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	transcript=$BATS_TEST_TMPDIR/transcript
	# What a person types is echoed, so no text that is waited for is typed.
	spawn='chock-spawn -p base --write . --tty'
}

teardown() {
	# What there was to see, of a test that failed.
	[ -n "${BATS_TEST_COMPLETED-}" ] || tail -n 30 "$transcript" | cat -v
}

# person STEP... -- COMMAND... - COMMAND on a terminal, and the person before it
person() {
	timeout 30 "$helpers/terminal" "$transcript" standard=012 "$@"
}

# job COMMAND... - a script ./job that runs COMMAND in a sandbox
job() {
	printf '#!/bin/bash\nexec %s -- %s\n' "$spawn" "${*@Q}" >job
	chmod +x job
}

# at_shell STEP... - the person is at the prompt of a shell
at_shell() {
	person 'see=prompt:' "$@" see=prompt: 'type=exit\r' -- \
		env PS1=prompt: bash --norc --noprofile --noediting -i
}

# shows TEXT - that was on the terminal
shows() {
	grep -qF -- "$1" "$transcript"
}

CTRL_C='type=\3' CTRL_D='type=\4' CTRL_Z='type=\32'

@test "gives the command a terminal that has a name" {
	run -0 person -- $spawn -- sh -c '
		tty; tty </dev/tty; ps -o tty= -p $$; readlink /proc/self/fd/2'
	[ "$(tr -d '\r' <"$transcript")" = "/dev/pts/0
/dev/tty
pts/0
/dev/pts/0" ]
}

@test "leaves no descriptor of the caller's terminal inside" {
	outer='stat -Lc %d:%i /proc/self/fd/0'
	run -0 person -- sh -c "$outer >outer
		${spawn% --tty} -- $outer >passed
		$spawn -- $outer >own
		$spawn -- stat -Lc %d:%i /proc/self/fd/1 /proc/self/fd/2"
	cmp outer passed
	run -1 cmp -s outer own
	run -1 grep -qxF "$(cat outer)" <(tr -d '\r' <"$transcript")
}

# Three: without the layer the command changes the caller's terminal; with it
# it cannot; its own it can.
@test "keeps the settings of the caller's terminal from the command" {
	run -99 person -- ${spawn% --tty} -- stty -echo -opost
	run -0 person -- $spawn -- sh -c 'stty -echo -opost; stty -a'
	shows '-opost'
	shows '-echo '
}

@test "lets nobody type into the terminal that they have" {
	run -0 person -- $spawn --read "$helpers" -- sh -c "
		for request in $((0x5412)) $((1 << 32 | 0x5412)) $((0x541c)); do
			'$helpers/act' call ioctl 0 \$request s:x
		done; '$helpers/act' call ioctl 0 $((0x5413)) page"
	[ "$(tr -d '\r' <"$transcript")" = "EPERM
EPERM
EPERM
ok" ]
	if [ "$(cat /proc/sys/dev/tty/legacy_tiocsti)" = 1 ]; then
		run -0 person -- "$helpers/act" call ioctl 0 $((0x5412)) s:x
	fi
}

@test "has the settings and the size of the caller's terminal" {
	run -0 person size=41x103 start see=end -- sh -c "
		stty erase ^H intr ^G -ixon
		stty -a >outer; $spawn -- stty -a >inner; cmp outer inner && echo end
		stty erase '^?' intr ^C ixon"
	grep -q 'rows 41; columns 103' inner
}

@test "says when the terminal has another size" {
	run -0 person see=ready size=50x120 see='50 120' -- $spawn -- bash -c '
		trap "stty size; exit" WINCH
		echo ready; while :; do sleep 300 & wait; done'
}

@test "makes a signal of ^C, and an end of ^D, inside" {
	run -130 person see=ready "$CTRL_C" -- $spawn -- sh -c '
		echo ready; exec sleep 300'
	run -7 person see=ready "$CTRL_C" see=caught -- $spawn -- bash -c '
		trap "echo caught; exit 7" INT; echo ready; while :; do sleep 300 & wait; done'
	run -0 person see=ready 'type=one\r' see=one see=one "$CTRL_D" see=over -- \
		$spawn -- sh -c 'echo ready; cat; echo over'
}

@test "ends a command that only sees ^C as a byte when that ends it" {
	run -0 person see=ready "$CTRL_C" see=003 -- $spawn -- sh -c '
		stty raw -echo; echo ready; head -c 1 | od -An -to1'
}

@test "hands on the signals that are sent to it" {
	for signal in 1 2 3 15; do
		run -9 person see=ready "kill=$signal" "see=got $signal" -- \
			$spawn -- bash -c "trap 'echo got $signal; exit 9' $signal
			echo ready; while :; do sleep 300 & wait; done"
	done
}

@test "stops with its command, and goes on with it" {
	job sh -c 'echo ready; read -r line; echo "got $line"; stty -a >inner'
	run -0 at_shell 'type=stty -g >before\r' see=prompt: 'type=./job\r' \
		see=ready "$CTRL_Z" see=Stopped see=prompt: \
		'type=stty -g >stopped\r' see=prompt: 'type=fg\r' see=job \
		raw 'type=hello\r' 'see=got hello'
	cmp before stopped
	grep -q ' icanon ' inner
	grep -q ' echo ' inner
}

# Nobody sees to its limits while chock-spawn is stopped.
@test "stops everything inside when the command stops itself, and goes on" {
	cp "$(command -v sleep)" napper
	spawn+=' --timeout 60'
	job sh -c './napper 300 & kill -STOP $$; echo "went on"
		kill $! && wait; echo ended'
	run -0 at_shell 'type=./job\r' see=Stopped see=prompt: \
		'type=until ps -C napper -o stat= | grep -q T; do :; done; echo he""ld\r' \
		see=held see=prompt: 'type=fg\r' 'see=went on' see=ended
}

@test "counts the time that it was stopped, and ends when it goes on" {
	spawn+=' --timeout 1'
	job sh -c 'sleep 300 & kill -STOP $$; wait; sleep 300'
	run -0 at_shell 'type=./job\r' see=Stopped see=prompt: \
		'type=sleep 1.5; fg; echo status=$?\r' see=status=124
}

@test "stops the others of its job too" {
	job sh -c 'echo ready >/dev/tty; read -r line </dev/tty; echo "got $line"'
	run -0 at_shell 'type=./job | cat\r' see=ready raw "$CTRL_Z" see=Stopped \
		see=prompt: 'type=fg\r' see=cat raw 'type=hello\r' 'see=got hello'
}

@test "goes on in the background, and stops when it wants the terminal" {
	mkfifo go
	job sh -c 'read -r line; echo "read"; read -r x <go; echo "wrote $line"
		read -r line; echo "got $line"'
	run -0 at_shell 'type=./job\r' raw 'type=one\r' see=read "$CTRL_Z" \
		see=Stopped see=prompt: 'type=bg; echo >go; wait %1\r' \
		'see=wrote one' 'see=Stopped' see=prompt: 'type=fg\r' see=job raw \
		'type=two\r' 'see=got two'
}

@test "stops in the background of a shell, as any program that reads" {
	job sh -c 'read -r line; echo "got $line"; stty -a >inner'
	run -0 at_shell 'type=stty -g >before; ./job & wait %1\r' see=Stopped \
		see=prompt: 'type=stty -g >stopped; fg\r' see=job raw \
		'type=hello\r' 'see=got hello'
	cmp before stopped
	grep -q ' icanon ' inner
}

@test "needs no terminal in the background if it does not read" {
	job sh -c 'echo "done with it"'
	run -0 at_shell 'type=./job & wait %1\r' 'see=done with it'
	run -1 shows Stopped
}

@test "does not stop where nobody could let it go on" {
	run -0 person see=ready "$CTRL_Z" 'type=hello\r' 'see=got hello' -- \
		$spawn -- sh -c 'echo ready; read -r line; echo "got $line"'
}

@test "stops and goes on by signals from outside" {
	mkfifo go
	job sh -c 'echo ready; echo >go; read -r line; echo "got $line"'
	sed -i '1a echo $$ >pid; (read -r x <go; kill -TSTP $$) &' job
	run -0 at_shell 'type=./job\r' see=Stopped see=prompt: \
		'type=bg; wait %1\r' see=Stopped \
		see=prompt: 'type=fg\r' see=job raw 'type=hello\r' 'see=got hello'
	shows ready
}

@test "leaves jobs to a shell inside" {
	printf '#!/bin/sh\necho started\nread -r line\necho "got $line"' >inner
	chmod +x inner
	run -0 person see=prompt: 'type=./inner\r' see=started "$CTRL_Z" \
		see=Stopped see=prompt: 'type=jobs; fg\r' see=Stopped see=inner \
		'type=hello\r' 'see=got hello' see=prompt: 'type=./inner\r' \
		see=started "$CTRL_C" see=prompt: 'type=exit 0\r' -- \
		$spawn --env PS1=prompt: -- bash --norc --noprofile --noediting -i
	run -1 shows 'no job control'
}

@test "leaves the keys to the others of a pipeline" {
	mkfifo go
	run -0 person see=ready 'type=hello\r' 'see=key hello' see=out -- sh -c "
		$spawn -- sh -c 'echo out; read x <go' | {
			read -r out; echo ready; read -r key </dev/tty
			echo key \$key; echo >go; echo \$out; }"
}

@test "gives a command in a pipeline the terminal when it wants it" {
	run -0 person see=piped see=ready raw 'type=hello\r' 'see=got hello' -- \
		sh -c "echo piped | $spawn -- sh -c 'cat; echo ready
			read -r line </dev/tty; echo got \$line'"
	run -0 person see=ready raw 'type=x' 'see=170' -- \
		sh -c "$spawn -- sh -c 'stty -icanon; echo ready >/dev/tty
			head -c 1' | od -An -to1"
}

# restores STATUS [OPTION...] -- STEP... -- COMMAND...
restores() {
	local wanted=$1 options=() steps=()
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	while [ "$1" != -- ]; do steps+=("$1") && shift; done
	run "-$wanted" person "${steps[@]}" -- $spawn "${options[@]}" "$@"
}

@test "puts the caller's terminal back at every end" {
	busy=(sh -c 'stty raw; echo ready; exec sleep 300')
	restores 0 -- -- true
	restores 7 -- -- sh -c 'exit 7'
	restores 127 -- -- /no/such/command
	restores 126 -- -- /etc/passwd
	restores 125 --chdir /no/such/directory -- -- true
	restores 143 -- see=ready raw kill=15 -- "${busy[@]}"
	restores 129 -- see=ready raw kill=1 -- "${busy[@]}"
	restores 124 --timeout 1 -- see=ready raw -- "${busy[@]}"
	restores 137 -- see=ready -- sh -c 'echo ready; kill -KILL $$'
	restores 159 -- see=ready -- sh -c 'echo ready; exec unshare -U true'
}

@test "puts it back when it is killed itself, and leaves nobody behind" {
	mkfifo held
	cat held >rest &
	reader=$!
	run -137 person see=ready raw kill=9 restored -- sh -c \
		"exec $spawn -- sh -c 'echo ready; exec sleep 300' 7>held"
	wait "$reader"
}

@test "leaves the terminal alone if somebody changed it since" {
	run -0 person see=ready raw see=changed -- sh -c "
		before=\$(stty -g); exec 3<&0
		$spawn -- sh -c 'echo ready; exec sleep 300' <&3 & pid=\$!
		while stty -a | grep -q ' icanon '; do :; done
		guardian=\$(pgrep -P \$pid -x chock-terminal)
		stty sane -echo; kill -KILL \$pid; wait \$pid
		while kill -0 \$guardian; do :; done 2>/dev/null
		stty -a | grep -q -- '-echo ' && echo changed
		stty \"\$before\""
}

@test "ends everything when the caller's terminal hangs up" {
	mkfifo held
	cat held >rest &
	reader=$!
	run -129 person see=ready hangup -- sh -c \
		"exec $spawn -- sh -c 'echo ready; exec sleep 300' 7>held"
	wait "$reader"
	cat held >rest &
	reader=$!
	# The command does not listen, and one in a session of its own does.
	cat >deaf <<-'EOF'
		setsid bash -c 'trap "echo told >told" HUP; echo ready
			while :; do sleep 300 & wait; done' &
		trap "" HUP
		sleep 301; sleep 302
	EOF
	run -137 person see=ready hangup -- sh -c \
		"exec $spawn --report-fd 6 -- sh ./deaf 7>held 6>report"
	wait "$reader"
	[ "$(cat told)" = told ]
	[[ $(jq -r 'select(.kind == "result").notice' report) == *'terminal hung up'* ]]
}

@test "passes every byte, both ways" {
	printf "$(printf '\\%03o' {0..255})" >bytes
	run -0 person see=ready paste=bytes see=end -- $spawn -- sh -c '
		stty raw -echo; echo ready; head -c 256 >got; cat got; echo end'
	cmp bytes got
	tail -c +7 "$transcript" | head -c 256 | cmp - bytes
}

@test "takes a large paste while as much comes back" {
	head -c 1048576 /dev/urandom >bytes
	run -0 person see=ready raw paste=bytes see=the-end -- $spawn -- sh -c '
		stty raw -echo; echo ready; head -c 1048576 | tee got; echo the-end'
	cmp bytes got
	size=$(stat -c %s "$transcript")
	[ "$size" -ge 1048576 ]
}

@test "loses no line of what was written last" {
	for count in 1 20 20000; do
		run -0 person "see=$count" -- $spawn -- seq "$count"
		cmp <(seq "$count") <(tr -d '\r' <"$transcript")
	done
	run -0 person see=the-end -- $spawn -- sh -c '
		setsid seq 20000 & seq 20000; wait; echo the-end'
	[ "$(grep -c . "$transcript")" -eq 40001 ]
}

@test "waits for a terminal that takes no output, and can be ended" {
	run -0 person stop start kill=28 go see=20000 -- $spawn -- seq 20000
	[ "$(grep -c . "$transcript")" -eq 20000 ]
	run -0 person -- $spawn --timeout 30 -- true
	run -143 person stop start raw kill=15 go -- $spawn -- sleep 300
}

@test "says that there is no terminal" {
	run -100 --separate-stderr chock-spawn -p base --tty -- true </dev/null \
		3>&- 4>&-
	[ "$stderr" = "chock-spawn: --tty: none of standard input, output and error is a terminal" ]
}

@test "relays one terminal, and refuses a second" {
	run -100 script -qec "'$helpers/terminal' /dev/null standard=01 -- \
		$spawn -- true" /dev/null
	[[ $output == *"standard error is another terminal than standard input"* ]]
}

@test "has terminals of its own inside" {
	run -0 person see=/dev/pts/ -- $spawn -- script -qec tty /dev/null
	run -0 person see=/dev/pts/ -- $spawn -- python3 -c \
		'import pty, sys; sys.exit(pty.spawn(["tty"]))'
}

@test "does all of it without namespaces" {
	require landlock6
	spawn="$spawn --driver landlock"
	run -0 person -- $spawn -- sh -c 'tty; [ "$(tty </dev/tty)" = /dev/tty ] && ps -o tty= -p $$'
	[[ "$(tr -d '\r' <"$transcript")" == /dev/pts/*pts/* ]]
	run -0 person -- sh -c "stat -Lc %t:%T /proc/self/fd/0 >outer
		$spawn -- stat -Lc %t:%T /proc/self/fd/0 /proc/self/fd/1"
	run -1 grep -qxF "$(cat outer)" <(tr -d '\r' <"$transcript")
	job sh -c 'echo ready; read -r line; echo "got $line"'
	run -0 at_shell 'type=./job\r' see=ready raw "$CTRL_Z" see=Stopped \
		see=prompt: 'type=fg\r' see=job raw 'type=hello\r' 'see=got hello'
	restores 137 -- see=ready raw kill=9 restored -- sh -c \
		'echo ready; exec sleep 300'
	run -129 person see=ready hangup -- $spawn -- sh -c \
		'echo ready; exec sleep 300'
}

@test "is what chock run does on a terminal, and its questions come after" {
	make_project "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project"
	run -137 person 'see=it is /dev/pts/0' 'see=Answer within' \
		'see=seconds: ' 'type=y\r' -- chock run -- sh -c '
		stty raw -echo; echo "it is $(tty)"; echo two >>a
		git commit -qam second; printf "\033[?25l"; exec kill -KILL $$'
	[ "$(git log --format=%s -1)" = second ]
	log=$(find "$HOME/.local/state/chock" -name "*.jsonl")
	[ "$(jq -r 'select(.kind == "result").tty' "$log")" = true ]
	run -0 setsid -w chock run -- sh -c '! tty' </dev/null
}

@test "leaves the terminal in order when chock run is killed" {
	make_project "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project"
	run -143 person see=ready raw kill=15 restored -- chock run -- sh -c '
		stty raw -echo; echo ready; exec sleep 300'
}

@test "is in the report" {
	run -0 person -- sh -c "$spawn --report-fd 3 -- true 3>report"
	[ "$(jq -r .tty report)" = "true
true" ]
	chock-spawn -p base --report-fd 3 -- true 3>report </dev/null
	[ "$(jq -r .tty report)" = "false
false" ]
}
