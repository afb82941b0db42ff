#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: the report says what held the command, and why it ended

load lib/chock

setup() {
	require userns landlock
	cd "$BATS_TEST_TMPDIR" || return
}

spawn() {
	chock-spawn -p base --report-fd 3 "$@" 3>report
}

# opened FIELD, result FIELD - out of the first line, and of the last one
opened() {
	head -n 1 report | json "$1"
}

result() {
	tail -n 1 report | json "$1"
}

@test "is two lines, before the command and after it" {
	mkfifo pipe
	chock-spawn -p base --report-fd 3 -- sh -c 'read -r _; exit 7' \
		<pipe 3>report &
	exec 5>pipe
	until [ -s report ]; do :; done
	[ "$(wc -l <report)" -eq 1 ]
	[ "$(json .kind <report)" = sandbox.open ]
	echo >&5
	status=0
	wait $! || status=$?
	[ "$status" -eq 7 ]
	[ "$(wc -l <report)" -eq 2 ]
	[ "$(result .kind)" = result ]
	[ "$(result .exit)" = 7 ]
}

@test "names the driver and every layer with its state" {
	spawn -- true
	[ "$(opened .driver)" = namespaces ]
	for layer in userns pidns ipcns mountns netns proc landlock \
		landlock.refer landlock.truncate landlock.tcp landlock.ioctl \
		landlock.scope seccomp sockets rlimits keyring; do
		state=$(opened ".layers[\"$layer\"].state")
		[ "$state" = "$(result ".layers[\"$layer\"].state")" ]
		[[ $state == @(on|absent) ]]
	done
	[[ $(opened .layers.cgroup.state) == @(on|absent) ]]
}

@test "has what was limited, and to what" {
	spawn --limit files=99 -- true
	[ "$(opened .limits.files.value)" = 99 ]
	[ "$(result .limits.files.state)" = on ]
	[ "$(result .limits.time.state)" = off ]
	[[ $(result .limits.memory.state) == @(on|partial) ]]
}

@test "holds the command's words, whatever they are" {
	spawn -- printf '%s' $'a\nb' $'\xff' >out
	[ "$(opened '.argv[2]')" = $'a\nb' ]
	[ "$(opened '.argv[3].base64')" = /w== ]
}

@test "says that a signal ended the command" {
	run -137 spawn -- sh -c 'kill -KILL $$'
	[ "$(result .signal)" = 9 ]
	[ "$(result .exit)" = null ]
	[ "$(result .killed)" = null ]
}

@test "names the system call that was the cause, and the program that made it" {
	run -159 spawn -- unshare -U true
	[ "$(result .killed)" = syscall ]
	[ "$(result .call)" = unshare ]
	[ "$(result .program)" = unshare ]
	[ "$(result '.denials | length')" = 1 ]
	[ "$(result '.denials[0] | [.layer, .call, .program, .path, .count] | join(" ")')" = \
		"seccomp unshare unshare $(readlink -f "$(command -v unshare)") 1" ]
	[[ $(result .notice) == *"'unshare' was killed for the system call 'unshare': "* ]]
	spawn --chdir /usr -- true
	[ "$(result .notice)" = null ]
	[ "$(result '.denials | length')" = 0 ]
}

@test "names it without namespaces, and without a procfs, too" {
	if can_landlock6; then
		run -159 spawn --driver landlock -- unshare -U true
		[ "$(result .driver)" = landlock ]
		[ "$(result '[.killed, .call, .program] | join(" ")')" = \
			"syscall unshare unshare" ]
		[ "$(result '.denials[0] | [.layer, .call, .count] | join(" ")')" = \
			"seccomp unshare 1" ]
	fi
	# Without a procfs the program is not to be seen, the call is.
	run -159 "$helpers/confine" answer mount 1 3=14 -- \
		chock-spawn -p base --allow-degraded proc --report-fd 3 -- \
		unshare -U true 3>report
	[ "$(result .layers.proc.state)" = waived ]
	[ "$(result '[.killed, .call] | join(" ")')" = "syscall unshare" ]
	[ "$(result '.denials | length')" = 1 ]
}

@test "names it whoever made it, and however the command ends" {
	run -4 spawn -- sh -c 'unshare -U true; unshare -U true; chroot /; exit 4'
	[ "$(result .killed)" = null ]
	[ "$(result .call)" = null ]
	[ "$(result '.denials | length')" = 2 ]
	[ "$(result '.denials[0] | [.call, .count] | join(" ")')" = "unshare 2" ]
	[ "$(result '.denials[1] | [.call, .program] | join(" ")')" = "chroot chroot" ]
	[[ $(result .notice) == *"'unshare' was killed"*". 'chroot' was killed for the system call 'chroot'"* ]]
	run -159 spawn -- sh -c 'unshare -U true; exit $?'
	[ "$(result .killed)" = null ]
	[[ $(result .notice) != *"may have been killed for a system call"* ]]
}

@test "says in plain words that debuggers cannot run" {
	local tool
	for tool in strace gdb; do
		command -v "$tool" >/dev/null || continue
		run chock-spawn -p base --chdir /usr --explain -- \
			timeout 20 sh -c '[ "$0" = gdb ] && exec gdb --batch -ex run true
				exec strace true' "$tool"
		[[ $output == *"'$tool' was killed for the system call 'ptrace': debuggers and tracers, such as gdb and strace, "* ]]
	done
	[ -n "${output-}" ] || skip "nothing measured: neither gdb nor strace"
}

@test "shows no bytes of a program's that could be taken for others" {
	cp "$helpers/act" "$(printf 'a\033[2J\nb')"
	run -159 spawn --read "$PWD" -- "$(printf './a\033[2J\nb')" call unshare 0
	[ "$(result .program)" = 'a?[2J?b' ]
	[[ $(result .denials[0].path) == */'a?[2J?b' ]]
}

@test "has a row for each call and program, and counts those it has no room for" {
	spawn --read "$helpers" -- sh -c 'i=0; while [ $i -lt 40 ]; do
		cp "$0" /tmp/p$i && /tmp/p$i call unshare 0; i=$((i + 1))
	done 2>/dev/null; true' "$helpers/act"
	[ "$(result '.denials | length')" = 33 ]
	[ "$(result '[.denials[].count // 0] | add')" = 32 ]
	[ "$(result '.denials[32].left_out')" = 8 ]
	[[ $(result .notice) == *"'p2' was killed"*"and so were others, of which the report has 29"* ]]
}

@test "says where kills have no names, and kills none the less" {
	# Who listens already is heard first, and there is one listener at most.
	run -159 "$helpers/confine" listen -- \
		chock-spawn -p base --report-fd 3 -- unshare -U true 3>report
	[[ $(result .layers.seccomp.reason) == "kills have no names: cannot listen "*"busy" ]]
	[ "$(result .layers.seccomp.state)" = on ]
	[ "$(result .killed)" = syscall ]
	[ "$(result .denials[0].layer)" = seccomp ]
	[ "$(result .denials[0].call)" = null ]
	[[ $(result .notice) == *"system call that the sandbox does not have"* ]]
	run -159 "$helpers/confine" listen -- chock-spawn -p base --report-fd 3 -- \
		sh -c 'unshare -U true; exit $?' 3>report
	[[ $(result .notice) == *"may have been killed for a system call"* ]]
}

@test "takes no command's word for what the sandbox did" {
	run -159 spawn --chdir /usr -- sh -c 'exit 159'
	[ "$(result .killed)" = null ]
	[ "$(result '.denials | length')" = 0 ]
	[ "$(result .notice)" = null ]
	run -159 spawn --chdir /usr -- sh -c 'kill -SYS $$'
	[ "$(result .call)" = null ]
	run -153 spawn --chdir /usr -- sh -c 'exit 153'
	[[ $(result .notice) == *"may have written a file"* ]]
}

@test "says what a command that failed may have wanted, by its name" {
	local name
	for name in sudo chown curl java git; do
		printf '#!/bin/sh\nexit ${2-${1-1}}\n' >"$name"
		chmod +x "$name"
	done
	run -1 spawn --chdir /usr --read "$PWD" -- "$PWD/sudo"
	[[ $(result .notice) == "'sudo' may want what a set-uid file "* ]]
	run -1 spawn --chdir /usr --read "$PWD" -- "$PWD/chown"
	[[ $(result .notice) == "'chown' may want to give files "*"another user"* ]]
	run -1 spawn --chdir /usr --read "$PWD" -- "$PWD/curl"
	[[ $(result .notice) == "'curl' may want a network, and there is no route"*"'net host' in a policy, or --net host of chock-spawn"* ]]
	run -1 spawn --chdir /usr --read "$PWD" -- "$PWD/java"
	[[ $(result .notice) == "'java' may want to make machine code "*"'allow sandbox.jit'"* ]]
	run -128 spawn --chdir /usr --read "$PWD" -- "$PWD/git" grep 128
	[[ $(result .notice) == "'git' may want to make machine code "* ]]
	run -1 spawn --chdir /usr --read "$PWD" -- "$PWD/git" grep 1
	[ "$(result .notice)" = null ]
	run -1 spawn --chdir /usr --read "$PWD" --rule 'allow sandbox.jit' -- "$PWD/java"
	[[ $(result .notice) != *"'java'"* ]]
	spawn --chdir /usr --read "$PWD" -- "$PWD/curl" 0
	[ "$(result .notice)" = null ]
	run -1 spawn --chdir /usr -- false
	[ "$(result .notice)" = null ]
}

@test "says of what died by a fault that machine code needs pages for it" {
	local signal
	for signal in TRAP ILL SEGV ABRT BUS; do
		run -$((128 + $(kill -l "$signal"))) spawn --chdir /usr -- \
			sh -c "kill -$signal \$\$"
		[[ $(result .notice) == 'programs that make machine code'*"'allow sandbox.jit'"* ]]
	done
	run -133 spawn --chdir /usr -- sh -c 'exit 133'
	[[ $(result .notice) == *'may end like this'* ]]
	run -133 spawn --chdir /usr --rule 'allow sandbox.jit' -- sh -c 'kill -TRAP $$'
	[[ $(result .notice) != *'does not have'* ]]
	run -137 spawn --chdir /usr -- sh -c 'kill -KILL $$'
	[ "$(result .notice)" = null ]
}

@test "says which limit was the cause" {
	run -153 spawn --limit file-size=1KiB --chdir /tmp -- \
		dd if=/dev/zero of=f bs=4K count=1
	[ "$(result .killed)" = file-size ]
	[[ $(result .notice) == *"file-size limit: it is 1KiB, and '--limit file-size=SIZE' or 'limit file-size SIZE' in a policy raises it" ]]
	run -152 spawn --limit cpu-time=1 -- sh -c 'while :; do :; done'
	[ "$(result .killed)" = cpu-time ]
	[[ $(result .notice) == *"cpu-time limit: it is 1s, and '--limit cpu-time=TIME' "* ]]
	run -124 spawn --timeout 1 -- sleep 300
	[ "$(result .killed)" = time ]
	[[ $(result .notice) == *"time limit ran out"*": it is 1s, and '--timeout TIME', '--limit time=TIME' "* ]]
}

@test "says that what is in memory was full, and which limit that is" {
	local place full='was full: the limit scratch is 1MiB, and '
	# shellcheck disable=SC2016
	for place in /tmp '$TMPDIR' /dev/shm '$HOME' /mnt; do
		run -1 spawn --tmpfs /mnt --limit scratch=1MiB -- \
			sh -c "cat /dev/zero >$place/f"
		[[ $(result .notice) == *"$full'--limit scratch=SIZE' "* ]]
		[ "$(result .killed)" = null ]
	done
	run -1 --separate-stderr chock-spawn -p base --explain \
		--limit scratch=1MiB -- sh -c 'cat /dev/zero >/tmp/f'
	[[ $stderr == *"$full"* ]]
	# So is one that holds next to nothing; whoever is killed is told too.
	run -1 spawn --limit scratch=4KiB -- sh -c 'cat /dev/zero >/tmp/f'
	[[ $(result .notice) == *"the limit scratch is 4KiB"* ]]
	run -143 spawn --limit scratch=1MiB -- \
		sh -c 'cat /dev/zero >/tmp/f; kill $$'
	[[ $(result .notice) == *"$full"* ]]
	# Not where there was room, and not of who got by.
	run -1 spawn --limit scratch=1MiB -- \
		sh -c 'head -c 900K /dev/zero >/tmp/f; exit 1'
	[[ $(result .notice) != *full* ]]
	spawn --limit scratch=1MiB -- sh -c 'cat /dev/zero >/tmp/f; exit 0'
	[[ $(result .notice) != *full* ]]
}

@test "reports the limit that holds, where the caller has a lower one" {
	run -0 bash -c 'ulimit -HSn 700; exec "$@"' bash chock-spawn -p base \
		--limit files=900 --report-fd 3 -- sh -c 'ulimit -n' 3>report
	[ "$output" = 700 ]
	[ "$(opened .limits.files.value)" = 700 ]
	spawn --limit files=60 -- true
	[ "$(opened .limits.files.value)" = 60 ]
}

@test "says that the working directory is elsewhere" {
	spawn -- true
	[[ $(result .notice) == *"working directory is not visible"* ]]
	run -124 spawn --timeout 1 -- sleep 300
	[[ $(result .notice) == "the time limit ran out, "*". the working directory is not visible"* ]]
	# A sentence is a line.
	run -124 --separate-stderr chock-spawn -p base --explain --timeout 1 -- sleep 300
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == "chock-spawn: the time limit ran out, "* ]]
	[[ ${stderr_lines[1]} == "chock-spawn: the working directory is not visible"* ]]
	[ "$(opened .workdir)" = /run/chock/home ]
	spawn --chdir /usr -- true
	[ "$(opened .workdir)" = /usr ]
}

@test "says loudly that the network is the host's" {
	require landlock6
	spawn --net host -- true
	[ "$(opened .net)" = host ]
	[ "$(opened .layers.netns.state)" = off ]
	[[ $(result .notice) == *"the host's own network"* ]]
	spawn -- true
	[ "$(opened .net)" = none ]
}

@test "has the time and the memory that it took" {
	spawn -- sleep 0.2
	[ "$(result '.seconds >= 0.2 and .seconds < 60')" = true ]
	[ "$(result '.max_rss > 100000')" = true ]
}

@test "says why a sandbox could not be built" {
	run -125 spawn --read /no/such -- true
	[ "$(wc -l <report)" -eq 1 ]
	[ "$(result .kind)" = result ]
	[ "$(result .error)" = "--read: cannot find '/no/such': No such file or directory" ]
	run -127 spawn -- no-such
	[ "$(wc -l <report)" -eq 2 ]
	[ "$(result .error)" = "cannot find 'no-such' in the sandbox" ]
}

@test "tells its own failures from the command's imitation of them" {
	run -125 spawn --status-fd 4 -- sh -c \
		'echo "chock-spawn: layer: x" >&2; echo "{}" >&4; exit 125' 4>line
	[ "$(cat line)" = '{"chock":"ran","exit":125}' ]
	[ "$(result .error)" = null ]
}

@test "names a layer that was waived, and refuses one that was not" {
	require landlock6
	# In a user namespace that may have none below it, no sandbox can be.
	limited() {
		unshare --user --map-root-user sh -c \
			'echo "$1" >/proc/sys/user/max_net_namespaces; shift
			exec "$@"' - "$@"
	}
	run -125 --separate-stderr limited 0 chock-spawn -p base -- true
	[ "$stderr" = "chock-spawn: layer 'netns': cannot make the namespace: No space left on device" ]
	run -125 limited 0 chock-spawn -p base --status-fd 4 -- true 4>line
	[ "$(json .layer <line)" = netns ]
	# A name that looks like our own words is a name.
	mkdir "layer 'proc': "
	echo 'read /no/such' >"layer 'proc': /policy"
	run -125 --separate-stderr chock-spawn -p "layer 'proc': /policy" \
		--status-fd 4 -- true 4>line
	[[ $stderr == "chock-spawn: layer 'proc': /policy:1:"* ]]
	[ "$(json .layer <line)" = sandbox ]
	run -0 limited 0 chock-spawn -p base --allow-degraded netns \
		--report-fd 3 -- true 3>report
	[ "$(opened .layers.netns.state)" = waived ]
	[[ $(opened .layers.netns.reason) == *"No space left"* ]]
	run -0 limited 9 chock-spawn -p base --report-fd 3 -- true 3>report
	[ "$(opened .layers.netns.state)" = on ]
}

@test "holds TCP by Landlock where the network namespace was waived" {
	require landlock6
	coproc SERVER { "$helpers/act" serve tcp 40711; }
	read -r line <&"${SERVER[0]}"
	[ "$line" = ready ]
	run -1 unshare --user --map-root-user sh -c \
		'echo 0 >/proc/sys/user/max_net_namespaces; exec "$@"' - \
		chock-spawn -p base --read "$helpers" --allow-degraded netns -- \
		"$helpers/act" connect tcp 40711
	[ "$output" = EACCES ]
	run -0 unshare --user --map-root-user "$helpers/act" connect tcp 40711
	eval "exec ${SERVER[1]}>&-"
}

@test "writes to no descriptor that the command could write to as well" {
	for option in --report-fd --status-fd; do
		for fd in 0 1 2; do
			run -100 --separate-stderr chock-spawn -p base "$option" "$fd" -- true
			[[ $stderr == *"descriptor $fd is the command's own"* ]]
		done
		run -0 chock-spawn -p base "$option" 3 -- true 3>/dev/null
	done
}

# ---- rules that are not held here -------------------------------------------

# unheld_policy - of a person, with rules for what only others ask about
unheld_policy() {
	printf '%s\n' 'include base' 'deny exec.path.ls' 'allow exec.path.cat' \
		'deny sandbox.jit' 'ask fs.read.*' 'deny net.*' 'deny any' \
		'deny git.push' >p.policy
}

@test "says which rules of a policy are not held, and where they stand" {
	unheld_policy
	said="chock-spawn: ./p.policy:2:1: chock-spawn does not hold \
'deny exec.path.ls', 'ask fs.read.*', 'deny any' and 1 more: it asks nobody \
about what the command does; 'chock explain ACTION' says who holds a rule"
	for way in --check --explain ''; do
		run -0 chock-spawn --policy ./p.policy $way -- ls /
		[ "${lines[0]}" = "$said" ]
	done
	run -0 chock-spawn -p base --rule 'deny exec.path.true' -- true
	[[ $output == "chock-spawn: --rule:1:1: chock-spawn does not hold 'deny exec.path.true': "* ]]
}

@test "has the rules that are not held in the report" {
	unheld_policy
	chock-spawn -p ./p.policy --report-fd 3 -- true 3>report
	[ "$(opened '.unheld_count, (.unheld[] | .rule, .action)' |
		tr '\n' ' ')" = "4 ./p.policy:2 exec.path.ls ./p.policy:5 \
fs.read.* ./p.policy:7 any ./p.policy:8 git.push " ]
	for ((i = 0; i < 20; i++)); do
		printf 'deny exec.path.x%d\n' "$i"
	done >>p.policy
	chock-spawn -p ./p.policy --report-fd 3 -- true 3>report
	[ "$(opened '.unheld_count, (.unheld | length)' | tr '\n' ' ')" = '24 16 ' ]
}

@test "says nothing of rules that are held, or that others ask about" {
	mkdir project
	cd project
	run -0 chock-spawn -p ci --rule 'deny sandbox.jit' \
		--rule 'deny net.*' --rule 'allow exec.path.true' -- true
	[ -z "$output" ]
	run -0 chock-spawn -p base --net host --rule 'deny net.*' -- true
	[[ $output == *"does not hold 'deny net.*'"* ]]
	unheld_policy
	chock-policy-eval --policy ./p.policy --freeze >frozen
	chock-spawn --frozen-fd 7 --report-fd 3 -- true 3>report 7<frozen 2>said
	[ ! -s said ]
	[ "$(opened .unheld_count)" = null ]
}
