#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn on a kernel whose Landlock is older: what it lacks is held by
# another layer, and said, or refused by name
#
# helpers/old-landlock stands for the kernel: 2 is the Landlock of Linux 6.1.

load lib/chock
load lib/project

setup() {
	require userns landlock
	old=$helpers/old-landlock
	act=$helpers/act
	[ "$("$act" landlock-abi)" -ge 2 ] || skip "nothing measured: no newer one"
	there=$BATS_TEST_TMPDIR/there
	mkdir -p "$there"/{open,closed}
	echo text >"$there/open/file"
	echo text >"$there/closed/file"
	cd "$there" || return
}

teardown() {
	[ -z "${outside-}" ] || kill -KILL "$outside"
}

# spawn ABI ARGUMENT... - open/ can be written, closed/ only read
spawn() {
	local abi=$1
	shift
	"$old" "$abi" chock-spawn -p base --read "$helpers" \
		--write "$there/open" --read "$there/closed" \
		--report-fd 3 "$@" 3>report
}

# layer NAME - its state and the reason
layer() {
	head -n 1 report | json ".layers[\"$1\"] | .state + \" \" + (.reason // \"\")"
}

@test "runs, and says which layers are absent and what holds instead" {
	spawn 2 -- true </dev/null
	[ "$(layer landlock)" = "on " ]
	[ "$(layer landlock.refer)" = "on " ]
	[ "$(layer landlock.truncate)" = "absent the mount tree holds it" ]
	[ "$(layer landlock.tcp)" = "absent the network namespace holds it" ]
	[ "$(layer landlock.ioctl)" = "absent the mount tree holds it" ]
	[ "$(layer landlock.scope)" = "absent the network and pid namespaces hold it" ]
	can_landlock3 || return 0
	spawn 3 -- true </dev/null
	[ "$(layer landlock.truncate)" = "on " ]
}

@test "lets nothing be emptied that can only be read" {
	chmod 644 closed/file
	run -0 "$act" call truncate "s:$there/closed/file" 4
	run -1 spawn 2 -- "$act" call truncate "s:$there/closed/file" 0 </dev/null
	[ "$output" = EROFS ]
	# 01000 is O_TRUNC
	run -1 spawn 2 -- "$act" call openat -1 "s:$there/closed/file" 512 </dev/null
	[ "$output" = EROFS ]
	[ -s closed/file ]
	run -0 spawn 2 -- "$act" call truncate "s:$there/open/file" 0 </dev/null
	[ ! -s open/file ]
}

@test "refuses by name a standard file that could be emptied" {
	run -0 "$act" call truncate s:/proc/self/fd/0 4 <closed/file
	! can_landlock3 || {
		run -1 spawn 3 -- "$act" call truncate s:/proc/self/fd/0 0 \
			<closed/file
		[ "$output" = EACCES ]
	}
	run -125 --separate-stderr spawn 2 --status-fd 4 -- true \
		<closed/file 4>line
	[[ $stderr == "chock-spawn: layer 'landlock.truncate': standard input is a file"* ]]
	[ "$(json .layer <line)" = landlock.truncate ]
	run -0 spawn 2 --allow-degraded landlock.truncate -- cat <closed/file
	[[ $(layer landlock.truncate) == "waived standard input is a file"* ]]
	[ -s closed/file ]
	run -0 spawn 2 -- cat < <(cat closed/file)
	run -0 --separate-stderr spawn 2 -- true </dev/null >>open/file
}

@test "opens no device that is in what is granted" {
	require root
	mknod open/null c 1 3 2>/dev/null || skip "nothing measured: no device"
	echo x >open/null
	run -1 spawn 2 -- "$act" call openat -1 "s:$there/open/null" 0 </dev/null
	[ "$output" = EACCES ]
	run -0 spawn 2 -- "$act" call openat -1 s:/dev/null 0 </dev/null
}

@test "moves nothing between directories where Landlock cannot grant it" {
	mkdir open/{a,b}
	echo text >open/a/file
	spawn 1 -- true </dev/null
	[ "$(layer landlock.refer)" = \
		"absent nothing can be moved from one directory to another" ]
	run -1 spawn 1 -- "$act" call rename "s:$there/open/a/file" \
		"s:$there/open/b/file" </dev/null
	[ "$output" = EXDEV ]
	run -0 spawn 1 -- "$act" call rename "s:$there/open/a/file" \
		"s:$there/open/a/other" </dev/null
	run -0 spawn 2 -- "$act" call rename "s:$there/open/a/other" \
		"s:$there/open/b/file" </dev/null
}

# children PID
children() {
	ps -o pid= --ppid "$1" | tr -d ' '
}

# pending PID - whether signals wait for it, which it has blocked
pending() {
	grep -Eq '^(Sig|Shd)Pnd:.*[1-9a-f]' "/proc/$1/status"
}

# Below ABI 6 process 1 can be signalled from inside, where scopes do not hold
# it.  A signal is pending once; two of them are one.
@test "loses no signal of its caller behind one from inside" {
	local init pid status
	mkfifo open/ready open/go open/said
	spawn 2 -- bash -c 'trap "echo asked >said; exit 9" TERM; cd open
		echo >ready; read -r _ <go
		kill -TERM 1 && echo sent >said
		while :; do sleep 300 & wait; done' </dev/null &
	pid=$!
	read -r _ <open/ready
	outside=$(children "$(children "$pid")")
	[ "$(cat "/proc/$outside/comm")" = chock-spawn ]
	init=$(children "$outside")
	[ "$(cat "/proc/$init/comm")" = chock-init ]
	# It takes nothing, so that what comes from inside is pending.
	kill -STOP "$init"
	echo go >open/go
	[ "$(cat open/said)" = sent ]
	pending "$init"
	kill -TERM "$outside"
	until ! pending "$outside"; do :; done
	kill -CONT "$init"
	[ "$(timeout 10 cat open/said)" = asked ]
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 9 ]
	unset outside
}

hand='import socket, subprocess, sys
host = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
host.bind("")
host.settimeout(0)
a, b = socket.socketpair(type=getattr(socket, sys.argv[1]))
name = host.getsockname()[1:].decode()
status = subprocess.run(sys.argv[2:] + [name], stdin=a).returncode
try:
	print("got", host.recv(9).decode())
except BlockingIOError:
	print("got nothing")
sys.exit(status)'

# handed TYPE COMMAND... - run it with one of a pair of unix sockets of that
# type as its input; then say what a socket without a path of the host's got
handed() {
	python3 -c "$hand" "$@"
}

send='import errno, socket, sys
try:
	socket.socket(fileno=0).sendto(b"out", b"\0" + sys.argv[1].encode())
	print("sent")
except OSError as e:
	print(errno.errorcode[e.errno])'

@test "takes no unix socket as standard input that could send elsewhere" {
	command -v python3 >/dev/null || skip "nothing measured: no python3"
	run -0 handed SOCK_DGRAM python3 -c "$send"
	[ "$output" = $'sent\ngot out' ]
	run -125 handed SOCK_DGRAM "$old" 2 chock-spawn -p base -- python3 -c "$send"
	[[ $output == "chock-spawn: layer 'landlock.scope': standard input is a unix socket that can send to others of the host"*$'\ngot nothing' ]]
	run -0 handed SOCK_STREAM "$old" 2 chock-spawn -p base -- python3 -c "$send"
	[ "$output" = $'EISCONN\ngot nothing' ]
	can_landlock6 || return 0
	run -0 handed SOCK_DGRAM chock-spawn -p base -- python3 -c "$send"
	[ "$output" = $'EPERM\ngot nothing' ]
	# Without a tree of its own, and before ABI 9, no path is held either.
	run -0 handed SOCK_STREAM chock-spawn --driver landlock -p base -- true
	[ "$("$act" landlock-abi)" -lt 9 ] || return 0
	run -125 handed SOCK_DGRAM chock-spawn --driver landlock -p base -- true
	[[ $output == "chock-spawn: layer 'sockets': standard input is a unix socket"* ]]
}

@test "refuses by name what nothing else would hold" {
	run -125 --separate-stderr spawn 2 --net host -- true </dev/null
	[[ $stderr == "chock-spawn: layer 'landlock.scope': "*"(ABI 2) lacks it" ]]
	run -125 --separate-stderr "$helpers/confine" answer \
		landlock_create_ruleset 38 -- chock-spawn -p base --net host \
		-- true </dev/null
	[[ $stderr == "chock-spawn: layer 'landlock"*"': the kernel has no Landlock in use; 'chock doctor' says why" ]]
	run -0 spawn 2 --net host --allow-degraded landlock.scope -- true </dev/null
	[ "$(layer landlock.tcp)" = "off the network is the host's" ]
}

# Where the kernel is such a one, itself.
@test "has no driver landlock without scopes" {
	local abi kernel=("$old" 5)
	abi=$("$act" landlock-abi)
	[ "$abi" -ge 6 ] || kernel=()
	[ "$abi" -lt 6 ] || abi=5
	run -125 --separate-stderr "${kernel[@]}" chock-spawn \
		--driver landlock -p base --status-fd 4 -- true 4>line
	[ "$stderr" = "chock-spawn: layer 'landlock.scope': the driver 'landlock' needs Landlock ABI 6 (Linux 6.12), and the kernel has $abi" ]
	[ "$(json .layer <line)" = landlock.scope ]
	can_landlock6 || return 0
	run -0 "$old" 6 chock-spawn --driver landlock -p base -- true
}

@test "has chock-doctor say the same" {
	local name
	spawn 2 -- true </dev/null
	run -0 "$old" 2 chock-doctor --json
	for name in landlock landlock.{refer,truncate,tcp,ioctl,scope} run; do
		[ "$(json ".rows[] | select(.name == \"$name\") | .state" \
			<<<"$output")" = "$(
			[ "$name" = run ] && echo on && exit
			head -n 1 report | json ".layers[\"$name\"].state"
		)" ]
	done
	[[ $(json '.rows[] | select(.name == "landlock.truncate") | .cause' \
		<<<"$output") == *"ABI 2, and has none; the mount tree holds it" ]]
}

@test "does a whole job, and its commit comes back" {
	make_project "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return
	run -0 setsid -w "$old" 2 chock run --yes -- sh -c \
		'mkdir sub && mv a sub/a && echo two >>sub/a && git add -A &&
			git commit -qm second' </dev/null
	[ "$(cat sub/a)" = "$(printf 'one\ntwo')" ]
	[ "$(git log --format=%s -1)" = second ]
}
