#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn --driver landlock: a sandbox without any namespace, in the host's
# own tree, for kernels and containers that give nobody one
#
# An act works outside, is refused inside by its errno, and the neighbouring one
# still works.  Where namespaces are off is played by helpers/confine, which
# answers clone(2) with CLONE_NEWUSER as such a kernel does.

load lib/chock
load lib/project

setup() {
	require landlock6
	mkdir "$BATS_TEST_TMPDIR/work" "$BATS_TEST_TMPDIR/tmp"
	cd "$BATS_TEST_TMPDIR/work" || return
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	act=$helpers/act
	mkfifo ready held
}

teardown() {
	[ -z "${victim-}" ] || ! kill -0 "$victim" || kill "$victim"
	# Nothing that was made for a sandbox outlives it.
	[ -z "$(find "$BATS_TEST_TMPDIR/tmp" -mindepth 1 -name 'chock-*')" ]
}

spawn() {
	chock-spawn --driver landlock -p base --read "$helpers" \
		--write "$PWD" "$@"
}

# no_userns COMMAND... - where no user namespace can be made, by clone(2): what
# is born into a cgroup needs --cgroup none for it, as clone3(2) cannot be told
# apart by a filter
no_userns() {
	"$helpers/confine" answer clone 1 268435456 -- "$@"
}

# start_victim - a process of ours that no sandbox has, and no stronger than
# one inside; sets victim
start_victim() {
	weak sh -c 'echo >ready; exec sleep 300' >/dev/null 2>&1 3>&- &
	victim=$!
	read -r _ <ready
}

# start COMMAND... - in a sandbox in the background, its output on descriptor
# 8, which ends when everything that inherited it is gone
start() {
	chock-spawn --driver landlock -p base --write "$PWD" --status-fd 4 \
		"${options[@]}" -- "$@" >held 4>line 8<&- 2>err &
	pid=$!
	exec 8<held
}

await() {
	local line
	read -r line <&8
	[ "$line" = "$1" ]
}

ends() {
	local status=0
	wait "$pid" || status=$?
	[ "$status" -eq "$1" ]
}

gone() {
	timeout 10 cat <&8 >rest
}

# ---- what it is ---------------------------------------------------------

@test "says in the report who built it, and that there are no namespaces" {
	spawn --report-fd 3 -- true 3>report
	[ "$(head -n 1 report | json .driver)" = landlock ]
	for name in userns pidns ipcns mountns netns proc; do
		[ "$(head -n 1 report | json ".layers.$name.state")" = off ]
	done
	for name in landlock landlock.refer landlock.truncate landlock.tcp \
		landlock.ioctl landlock.scope seccomp sockets rlimits; do
		[ "$(head -n 1 report | json ".layers[\"$name\"].state")" = on ]
	done
	[ "$(head -n 1 report | json .limits.scratch.state)" = off ]
	[ "$(json .exit <<<"$(tail -n 1 report)")" = 0 ]
}

@test "makes no namespace, and runs where nobody can make one" {
	for name in user pid ipc mnt net uts cgroup; do
		run -0 spawn -- readlink "/proc/self/ns/$name"
		[ "$output" = "$(readlink "/proc/self/ns/$name")" ]
	done
	run -0 no_userns chock-spawn --driver landlock -p base -- echo ran
	[ "$output" = ran ]
	run -125 --separate-stderr no_userns chock-spawn --cgroup none -p base \
		-- echo ran
	[[ $stderr == "chock-spawn: layer 'userns': "*"Operation not permitted; 'chock doctor' says what withholds it" ]]
}

@test "hands the command's status through" {
	run -37 spawn -- sh -c 'exit 37'
	run -137 spawn -- sh -c 'kill -KILL $$'
	run -127 spawn -- no-such-command
	run -126 spawn -- /etc/passwd
}

@test "goes on without no layer but the keyring" {
	for layer in mountns landlock landlock.scope seccomp sockets; do
		run -100 --separate-stderr spawn --allow-degraded "$layer" -- true
		[ "$stderr" = "chock-spawn: --allow-degraded: the driver 'landlock' never goes without '$layer'" ]
	done
	run -0 spawn --allow-degraded keyring -- true
}

# ---- auto ---------------------------------------------------------------

@test "is taken by auto where there is no user namespace, which is said" {
	require userns
	chock-spawn --driver auto -p base --report-fd 3 -- true 3>report
	[ "$(head -n 1 report | json .driver)" = namespaces ]
	[ "$(head -n 1 report | json .fallback)" = null ]
	run -0 --separate-stderr no_userns chock-spawn --driver auto -p base \
		--report-fd 3 --explain -- true 3>report
	[ "$(head -n 1 report | json .driver)" = landlock ]
	[[ $(head -n 1 report | json .fallback) == "cannot make a user namespace: Operation not permitted" ]]
	[[ $(tail -n 1 report | json .notice) == *"the driver 'landlock' built the sandbox, which holds less"* ]]
	[[ $stderr == *"the driver 'landlock' built the sandbox"* ]]
}

@test "is taken by auto where a user namespace can be had and is worth nothing" {
	require userns
	run -0 "$helpers/confine" answer clone 28 268435456 -- chock-spawn \
		--driver auto -p base --report-fd 3 -- true 3>report
	[ "$(head -n 1 report | json .driver)" = landlock ]
	[[ $(head -n 1 report | json .fallback) == *"No space left on device" ]]
}

# As AppArmor leaves it: it can be made, and nothing can be done in it.  2 is
# the flags of openat(2), which then refuses whatever is opened to be written.
@test "names the user namespace, not what it would have been for" {
	require userns
	local no_pidns=("$helpers/confine" answer clone 1 536870912 --)
	local spawn=(chock-spawn --cgroup none -p base)
	run -125 --separate-stderr "${no_pidns[@]}" "${spawn[@]}" -- true
	[[ $stderr == "chock-spawn: layer 'pidns': "*"Operation not permitted" ]]
	run -125 --separate-stderr "${no_pidns[@]}" "$helpers/confine" answer \
		openat 1 2=524289 -- "${spawn[@]}" -- true
	[[ $stderr == "chock-spawn: layer 'userns': cannot write '/proc/self/uid_map': Operation not permitted"* ]]
}

@test "is chosen by a policy, which an option and a ceiling overrule" {
	require userns
	echo 'driver landlock' >p
	echo 'driver namespaces' >q
	for words in '-p ./p|landlock' '-p ./p --driver namespaces|namespaces' \
		'-p ./q|namespaces' '|namespaces'; do
		# shellcheck disable=SC2086
		chock-spawn -p base ${words%|*} --report-fd 3 -- true 3>report
		[ "$(head -n 1 report | json .driver)" = "${words#*|}" ]
	done
	mkdir project
	cp q project/chock.policy
	run -0 --separate-stderr chock-spawn -p base -p ./p --project project \
		--report-fd 3 -- true 3>report
	[ "$(head -n 1 report | json .driver)" = namespaces ]
	[[ $stderr == *"namespaces holds"* ]]
}

@test "names the nearest driver" {
	run -100 --separate-stderr chock-spawn --driver landlok -p base -- true
	[ "$stderr" = "chock-spawn: --driver: no driver 'landlok'; did you mean 'landlock'?" ]
}

# ---- what it cannot express ---------------------------------------------

@test "refuses by name what it cannot express, before anything is made" {
	mkdir -p a/b elsewhere
	: >a/secret
	while IFS='|' read -r status words message; do
		eval "set -- $words"
		run "-$status" --separate-stderr chock-spawn --driver landlock \
			-p base "$@" -- sh -c ': >a/made'
		[[ $stderr == "chock-spawn: "$message ]]
		[ ! -e a/made ]
	done <<-'END'
		100|--tmpfs /mnt|--tmpfs: cannot make a tmpfs at '/mnt': the driver 'landlock' has none; '--driver namespaces' can
		100|--bind "$PWD/a:/mnt"|--bind: cannot show '*/a' at '/mnt': the driver 'landlock' leaves everything at its own path; '--driver namespaces' can
		100|--bind "$PWD/a:/run/chock/home/../b"|--bind: cannot show '*/a' at '/run/chock/home/../b': *
		100|--bind "$PWD/a:/run/chock/home"|--bind: cannot show '*/a' at '/run/chock/home': *
		100|--limit scratch=1GiB|--limit: cannot hold 'limit scratch': the driver 'landlock' has no scratch space with a cap; '--driver namespaces' can
		100|--cow a|--cow: cannot keep apart what is written to '*/a': the driver 'landlock' has no overlay; '--driver namespaces' can
		125|--write a --hide a/secret|layer 'landlock': --write: cannot grant '*/a' and cover '*/a/secret', which is hidden, *: the driver 'landlock' covers nothing; '--driver namespaces' can
		125|--write a --hide "$PWD"|layer 'landlock': --write: cannot grant '*/a' and cover '*/work', *
		125|--write a --read a/b|layer 'landlock': --read: cannot grant less of '*/a/b' than --write grants of '*/a', above it, with the driver 'landlock'; '--driver namespaces' can
	END
	echo 'limit scratch 9MiB' >p
	run -100 --separate-stderr chock-spawn --driver landlock -p ./p -- true
	[[ $stderr == "chock-spawn: ./p:1:1: cannot hold 'limit scratch': "* ]]
	echo 'tmpfs /mnt' >p
	run -100 --separate-stderr chock-spawn --driver landlock -p ./p -- true
	[[ $stderr == "chock-spawn: ./p:1:1: cannot make a tmpfs at '/mnt': "* ]]
	echo 'tmpfs /mnt optional' >p
	run -0 chock-spawn --driver landlock -p base -p ./p --write a -- \
		sh -c ": >$PWD/a/made"
	rm a/made
	# What is not in a grant, or not there, needs no cover.
	run -0 chock-spawn --driver landlock -p base --write a --hide elsewhere \
		--hide a/missing -- sh -c ": >$PWD/a/made"
}

@test "leads by a link to what is bound in its home, for reading or writing" {
	mkdir a b
	echo text >b/file
	run -0 chock-spawn --driver landlock -p base --write a \
		--bind "$PWD/a:/run/chock/home/new/a" \
		--bind "$PWD/b:/run/chock/home/b:ro" -- sh -c \
		'cd && cat b/file && : >new/a/made && rm -r new'
	[ "$output" = text ]
	[ -e a/made ]
	run -2 --separate-stderr chock-spawn --driver landlock -p base \
		--bind "$PWD/b:/run/chock/home/b:ro" -- sh -c 'cd && : >b/made'
	[ "$stderr" = "sh: 1: cannot create b/made: Permission denied" ]
	[ ! -e b/made ]
	run -125 --separate-stderr chock-spawn --driver landlock -p base \
		--bind "$PWD/a:/run/chock/home/x" --bind "$PWD/b:/run/chock/home/x" \
		-- sh -c ': >~/x/made'
	[[ $stderr == *"cannot link 'x': File exists"* ]]
}

@test "refuses a grant above a directory of chock's own, or at one" {
	mkdir -p "$HOME/.config/chock" "$HOME/other"
	run -125 --separate-stderr chock-spawn --driver landlock -p base \
		--read "$HOME" -- true
	[[ $stderr == "chock-spawn: layer 'landlock': --read: cannot grant '$HOME' and cover '$HOME/.config/chock', which is "* ]]
	run -125 --separate-stderr chock-spawn --driver landlock -p base \
		--read "$HOME/.config/chock" -- true
	[[ $stderr == *"which is chock's own" ]]
	run -0 chock-spawn --driver landlock -p base --read "$HOME/other" -- true
}

# ---- files --------------------------------------------------------------

@test "reads, writes and executes what is granted, and nothing else" {
	mkdir read write exec none
	for dir in read write none; do echo text >"$dir/file"; done
	cp /bin/true none/true
	cp /bin/true exec/true
	echo "read $PWD/read noexec" >p
	cp /bin/true read/true
	here() {
		chock-spawn --driver landlock -p base -p ./p --read "$helpers" \
			--write "$PWD/write" --read "$PWD/exec" -- "$@"
	}
	# Outside all of it works; 577 is O_WRONLY, O_CREAT and O_TRUNC.
	run -0 "$act" call openat -1 "s:$PWD/none/file" 0
	run -0 "$act" call openat -1 "s:$PWD/read/new" 577 384
	run -0 none/true
	for path in none/file none read/new; do
		run -1 here "$act" call openat -1 "s:$PWD/$path" \
			"$([ "$path" = read/new ] && echo 577 || echo 0)" 384
		[ "$output" = EACCES ]
	done
	run -1 here "$act" call unlink "s:$PWD/read/file"
	[ "$output" = EACCES ]
	run -1 here "$act" call truncate "s:$PWD/read/file" 0
	[ "$output" = EACCES ]
	run -126 here "$PWD/none/true"
	run -126 here "$PWD/read/true"
	run -0 here "$act" call openat -1 "s:$PWD/read/file" 0
	run -0 here "$act" call openat -1 "s:$PWD/write/new" 577 384
	run -0 here "$act" call unlink "s:$PWD/write/file"
	run -0 here "$PWD/exec/true"
}

@test "moves and links within what it may write, and not out of it" {
	mkdir -p in/a in/b out
	for call in rename link; do
		echo text >in/a/file
		rm -f in/b/file
		run -0 chock-spawn --driver landlock -p base --read "$helpers" \
			--write "$PWD/in" -- "$act" call "$call" \
			"s:$PWD/in/a/file" "s:$PWD/in/b/file"
		echo text >in/a/file
		run -1 chock-spawn --driver landlock -p base --read "$helpers" \
			--write "$PWD/in" -- "$act" call "$call" \
			"s:$PWD/in/a/file" "s:$PWD/out/file"
		[ "$output" = EACCES ] || [ "$output" = EXDEV ]
	done
}

@test "opens what its standard input stands for, as far as that is open" {
	chmod 600 ready
	echo text >file
	here() {
		chock-spawn --driver landlock -p base --read "$helpers" -- "$@"
	}
	run -0 here cat /dev/stdin <file
	[ "$output" = text ]
	run -1 here "$act" call openat -1 s:/dev/stdin 1 <file
	[ "$output" = EACCES ]
	run -0 here sh -c 'echo text | cat /dev/stdin; echo >/dev/null'
}

@test "changes no mode, owner, time or attribute of what it may not write" {
	mkdir outside
	echo text >outside/file
	here() {
		chock-spawn --driver landlock -p base --read "$helpers" \
			--read "$PWD/outside" -- "$@"
	}
	run -0 "$act" call chmod "s:$PWD/outside/file" 384
	run -0 "$act" call fchmodat -1 "s:$PWD/outside/file" 384
	run -0 "$act" call lchown "s:$PWD/outside/file" "$(id -u)" "$(id -g)"
	run -0 "$act" call utimensat -1 "s:$PWD/outside/file" 0 0
	run -0 "$act" call setxattr "s:$PWD/outside/file" s:user.a s:b 1 0 ||
		[ "$output" = EOPNOTSUPP ]
	for call in "chmod s:$PWD/outside/file 511" "fchmod 0 511" \
		"fchmodat -1 s:$PWD/outside/file 511" \
		"fchmodat2 -1 s:$PWD/outside/file 511 0" \
		"chown s:$PWD/outside/file $(id -u) $(id -g)" \
		"lchown s:$PWD/outside/file $(id -u) $(id -g)" \
		"fchown 0 $(id -u) $(id -g)" \
		"fchownat -1 s:$PWD/outside/file $(id -u) $(id -g) 0" \
		"utimensat -1 s:$PWD/outside/file 0 0" \
		"utimensat 0 0 0 0" "futimesat -1 s:$PWD/outside/file 0" \
		"utimes s:$PWD/outside/file 0" "utime s:$PWD/outside/file 0"; do
		# shellcheck disable=SC2086
		run -1 here "$act" call $call <outside/file
		[ "$output" = EPERM ]
	done
	for call in "setxattr s:$PWD/outside/file s:user.a s:c 1 0" \
		"removexattr s:$PWD/outside/file s:user.a" \
		"fsetxattr 0 s:user.a s:c 1 0"; do
		# shellcheck disable=SC2086
		run -1 here "$act" call $call <outside/file
		[ "$output" = EOPNOTSUPP ]
	done
	# FS_IOC_SETFLAGS, which the owner may use on what is open to read
	run -1 here "$act" call ioctl 0 1074292226 page <outside/file
	[ "$output" = ENOTTY ]
	[ "$(stat -c %a outside/file)" = 600 ]
}

@test "changes mode, owner and times of what it may write, and only there" {
	require trace
	echo text >file
	echo text >victim
	mkdir in
	echo text >in/file
	ln -s ../victim in/link
	here() {
		chock-spawn --driver landlock -p base --read "$helpers" \
			--write "$PWD/in" --chdir in -- "$@"
	}
	for call in "chmod s:$PWD/in/file 420" "chmod s:file 420" \
		"fchmod 0 420" "fchmodat 4294967196 s:file 420" \
		"fchmodat2 4294967196 s:file 420 256" "fchmodat2 0 s: 420 4096" \
		"chown s:file $(id -u) $(id -g)" "lchown s:link $(id -u) $(id -g)" \
		"fchown 0 $(id -u) $(id -g)" "fchownat 0 s: -1 -1 4096" \
		"utimensat 0 0 0 0" "utimensat 4294967196 s:link 0 256" \
		"futimesat 4294967196 s:file 0" "utimes s:file page" \
		"utime s:file page" "chmod s:/proc/self/fd/0 420"; do
		# shellcheck disable=SC2086
		run -0 here "$act" call $call <in/file
	done
	[ "$(stat -c '%a %Y' in/file)" = '644 0' ]
	chmod 600 victim
	for call in 'chmod s:link 511' "chmod s:$PWD/in/../victim 511" \
		'chmod s:../victim 511' 'fchmodat 4294967196 s:link 511' \
		'utimensat 4294967196 s:link 0 0' 'chmod s:file 2541' \
		'chmod s:/proc/1/root 511' 'chmod s:/proc/self/cwd/../victim 511'; do
		# shellcheck disable=SC2086
		run -1 here "$act" call $call
		[[ $output == EPERM || $output == EACCES || $output == ELOOP ]]
	done
	[ "$(stat -c %a victim)" = 600 ]
	run -1 here "$act" call chmod s:none 511
	[ "$output" = ENOENT ]
	run -1 here "$act" call fchmod 77 511
	[ "$output" = EBADF ]
	run -1 here "$act" call chmod 0 511
	[ "$output" = EFAULT ]
	run -1 here "$act" call fchmodat2 4294967196 s:file 511 1
	[ "$output" = EINVAL ]
}

@test "changes nothing outside, however a link is turned while it is asked to" {
	command -v python3 >/dev/null || skip "nothing measured: no python3"
	mkdir in
	echo text >in/file
	echo text >victim
	chmod 600 victim
	run -0 chock-spawn --driver landlock -p base --write "$PWD/in" --chdir in \
		-- python3 -c '
import os
if os.fork() == 0:
    for i in range(3000):
        for to in ("file", "../victim"):
            os.symlink(to, "new"); os.rename("new", "link")
    os._exit(0)
done = 0
for i in range(300):
    try:
        os.chmod("link", 0o666); done += 1
    except OSError: pass
os.wait()
print("changed" if done else "nothing measured")'
	[ "$output" = changed ] || skip "nothing measured: never in time"
	[ "$(stat -c %a victim)" = 600 ]
	[ "$(stat -c %a in/file)" = 666 ]
}

# Landlock's rules are about what was there when they were made.
@test "changes nothing of what was put in the place of a grant, as Landlock" {
	require trace
	mkdir in
	echo text >in/file
	chock-spawn --driver landlock -p base --read "$helpers" \
		--read "$PWD/ready" --write "$PWD/in" -- sh -c "cd / &&
		echo ready && read -r line <$PWD/ready; cat $PWD/in/file
		'$act' call chmod s:$PWD/in/file 438
		'$act' call chmod s:$PWD/in 511
		'$act' call chmod s:$PWD/was/file 438 && echo changed" \
		>held 2>err 8<&- &
	pid=$!
	exec 8<held
	await ready
	mv in was
	mkdir in
	(umask 077 && echo secret >in/file)
	echo go >ready
	ends 0
	gone
	[ "$(cat rest)" = "$(printf 'EPERM\nEPERM\nok\nchanged')" ]
	[[ $(cat err) == *"Permission denied" ]]
	[ "$(stat -c %a in/file)" = 600 ]
	[ "$(stat -c %a was/file)" = 666 ]
}

@test "changes no mode at all where nobody can listen" {
	require trace
	: >file
	run -1 "$helpers/confine" answer seccomp 16 1 -- chock-spawn \
		--driver landlock -p base --read "$helpers" --write "$PWD" \
		--report-fd 3 -- "$act" call chmod "s:$PWD/file" 511 3>report
	[ "$output" = EPERM ]
	[[ $(tail -n 1 report | json .layers.seccomp.reason) == "kills have no names: "* ]]
	run -0 spawn -- "$act" call chmod "s:$PWD/file" 420
}

@test "builds and installs a program" {
	require trace
	command -v gcc >/dev/null || skip "nothing measured: no gcc"
	echo 'int main(void) { return 7; }' >a.c
	run -7 spawn -- sh -c 'gcc -o a a.c && install -m 755 a b && ./b'
}

@test "hears nothing of files in directories that it may not list" {
	mkdir outside
	exec 7<>ready
	inotify() {
		"$@" sh -c "exec '$act' call inotify_add_watch 3 's:$PWD/outside' 256" 3<outside/. 2>&1
	}
	# EINVAL: it may, but 3 is no such descriptor
	run -1 inotify env
	[ "$output" = EINVAL ]
	run -1 spawn -- "$act" call inotify_add_watch 0 "s:$PWD/outside" 256 </dev/null
	[ "$output" = EACCES ]
}

# ---- other processes ----------------------------------------------------

@test "signals, schedules and limits its own processes and no other" {
	start_victim
	while IFS='|' read -r call own; do
		# shellcheck disable=SC2086
		run -0 weak "$act" call ${call//PID/$victim}
		# shellcheck disable=SC2086
		run -1 spawn -- "$act" call ${call//PID/$victim}
		[ "$output" = EPERM ]
		# shellcheck disable=SC2086
		run -0 spawn -- "$act" call $own
	done <<-'END'
		kill PID 0|kill 0 0
		tkill PID 0|getpid 0
		setpriority 0 PID 19|setpriority 0 0 19
		ioprio_set 1 PID 16391|ioprio_set 1 0 16391
		sched_setscheduler PID 3 x:00000000|sched_setscheduler 0 3 x:00000000
		sched_setaffinity PID 8 s:aaaaaaaa|sched_setaffinity 0 8 s:aaaaaaaa
		prlimit64 PID 7 0 page|prlimit64 0 7 0 page
	END
	run -0 spawn -- sh -c "sleep 100 & '$act' call kill \$! 15"
	kill -0 "$victim"
}

@test "cannot signal all at once but itself" {
	start_victim
	run -143 spawn -- sh -c 'sleep 100 & kill -TERM -1; wait; kill -TERM $$'
	kill -0 "$victim"
}

@test "reads no environment and no map of another process" {
	start_victim
	for file in environ maps; do
		run -0 weak "$act" call openat -1 "s:/proc/$victim/$file" 0
		run -1 spawn -- "$act" call openat -1 "s:/proc/$victim/$file" 0
		[ "$output" = EACCES ]
		run -0 spawn -- "$act" call openat -1 "s:/proc/self/$file" 0
	done
	# What this driver does not hold, as chock-doctor and the manual say.
	run -0 spawn -- cat "/proc/$victim/comm"
	[ "$output" = sleep ]
}

@test "reads no memory of another process" {
	start_victim
	(weak "$act" call openat -1 "s:/proc/$victim/mem" 0) ||
		skip 'nothing measured: nobody here opens the memory of another process (ptrace_scope)'
	run -1 spawn -- "$act" call openat -1 "s:/proc/$victim/mem" 0
	[ "$output" = EACCES ]
	run -0 spawn -- "$act" call openat -1 s:/proc/self/mem 0
}

@test "can do nothing to its keeper" {
	for call in 'kill PID 9' 'tkill PID 9' 'openat -1 s:/proc/PID/environ 0' \
		'openat -1 s:/proc/PID/mem 0' 'prlimit64 PID 7 0 page'; do
		run -1 spawn -- sh -c "exec '$act' call ${call//PID/\$PPID}"
		[ "$output" = EPERM ] || [ "$output" = EACCES ]
	done
	run -0 spawn -- sh -c 'cat /proc/$PPID/comm; tr "\0" " " </proc/$PPID/cmdline'
	[[ ${lines[0]} == chock-init ]]
	[[ $output != *--driver* ]]
}

@test "shares no queue, semaphore or memory with the host" {
	for call in 'msgget 305419896 0' 'semget 305419896 0 0' \
		'shmget 305419896 0 0' 'mq_open s:chock-none 0'; do
		# shellcheck disable=SC2086
		run -1 "$act" call $call
		[ "$output" = ENOENT ]
		# shellcheck disable=SC2086
		run -1 spawn -- "$act" call $call
		[ "$output" = ENOSYS ]
	done
	run -1 spawn -- "$act" call openat -1 s:/dev/shm 65536
	[ "$output" = EACCES ]
	run -0 spawn -- "$act" call mmap 0 4096 3 33 -1 0
}

# ---- network ------------------------------------------------------------

@test "has no network, and with the host's what that has" {
	coproc server { exec "$act" serve tcp 0; }
	eval "exec 7>&${server[1]}"
	local pid=$server_PID line port
	read -r line <&"${server[0]}"
	[ "$line" = ready ]
	port=$(ss -Htlnp 2>/dev/null | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pid=$pid,.*/\1/p")
	[ -n "$port" ] || skip "nothing measured: no port found"
	run -0 "$act" connect tcp "$port"
	run -1 spawn -- "$act" connect tcp "$port"
	[ "$output" = EAFNOSUPPORT ]
	for family in 2 10 16; do
		run -1 spawn -- "$act" call socket "$family" 2 0
		[ "$output" = EAFNOSUPPORT ]
	done
	run -0 spawn --net host -- "$act" connect tcp "$port"
	exec 7>&-
}

@test "reaches no unix socket of the host, with a path or without" {
	coproc server { exec "$act" serve unix "$PWD/socket"; }
	eval "exec 7>&${server[1]}"
	local line
	read -r line <&"${server[0]}"
	run -0 "$act" connect unix "$PWD/socket"
	run -1 spawn --net host -- "$act" connect unix "$PWD/socket"
	[ "$output" = EACCES ]
	exec 7>&-
	coproc server { exec "$act" serve abstract "chock-$$"; }
	eval "exec 7>&${server[1]}"
	read -r line <&"${server[0]}"
	run -0 "$act" connect abstract "chock-$$"
	run -1 spawn --net host -- "$act" connect abstract "chock-$$"
	[ "$output" = EACCES ] || [ "$output" = EPERM ]
	exec 7>&-
	run -0 spawn -- "$act" call socketpair 1 1 0 page
	[ "$("$act" landlock-abi)" -lt 9 ] || return 0
	# One of a datagram pair can be sent to any path.
	run -0 "$act" call socketpair 1 2 0 page
	for type in 2 3 524290; do
		run -1 spawn -- "$act" call socketpair 1 "$type" 0 page
		[ "$output" = EACCES ]
	done
}

# ---- the end ------------------------------------------------------------

@test "ends daemons with the command" {
	start sh -c '(setsid sleep 301 &) ; nohup sleep 302 2>/dev/null &
		(sleep 303 &) ; echo ready; exit 5'
	await ready
	ends 5
	gone
}

@test "ends what forks as fast as it can" {
	start sh -c 'f() { (f &) ; }
		i=0; while [ $i -lt 20 ]; do
			(while :; do (setsid sh -c : &); done) & i=$((i + 1)); done
		echo ready; exit 5'
	await ready
	ends 5
	gone
}

@test "ends everything when it is killed" {
	start sh -c '(setsid sleep 301 &); trap "" TERM; : >"$TMPDIR/x"
		echo ready; sleep 302'
	await ready
	kill -KILL "$pid"
	ends 137
	gone
	# The keeper removes the home last; it holds the FIFO no longer.
	timeout 10 bash -c 'while [ -n "$(ls -A "$TMPDIR")" ]; do :; done'
}

@test "ends everything when its keeper is killed" {
	start sh -c '(setsid sleep 301 &); trap "" TERM; echo $PPID >&2
		echo ready; sleep 302'
	await ready
	kill -KILL "$(cat err)"
	ends 125
	gone
}

# The shell becomes chock-spawn, and a child of the one is one of the other.
@test "ends what a killed keeper leaves, and no child that was there before" {
	sh -c 'sleep 300 >/dev/null 2>&1 3>&- 4>&- 8<&- & echo $! >sleeper
		exec chock-spawn --driver landlock -p base --write "$PWD" -- "$@"' \
		sh sh -c '(setsid sleep 301 &); trap "" TERM; echo $PPID >&2
		echo ready; sleep 302' >held 8<&- 2>err &
	pid=$!
	exec 8<held
	await ready
	victim=$(cat sleeper)
	kill -0 "$victim"
	kill -KILL "$(cat err)"
	ends 125
	gone
	kill -0 "$victim"
	run -0 sh -c 'sleep 300 >/dev/null 2>&1 3>&- & echo $! >other
		exec chock-spawn --driver landlock -p base -- true'
	kill "$(cat other)"
}

# Of a kernel without CONFIG_PROC_CHILDREN: the file is not there.  A cgroup
# would end what is left all the same.
@test "says that something may be left where it cannot see its children" {
	require userns
	# What looks for leaks in a build with sanitizers looks there too.
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 \
		unshare --user --map-root-user --mount sh -c '
		mount -t tmpfs tmpfs "/proc/$$/task" &&
		exec chock-spawn --driver landlock --cgroup none -p base \
			--write "$PWD" -- "$@"' \
		sh sh -c 'setsid sleep 301 >/dev/null 2>&1 3>&- & echo $! $PPID $$ >pids
		echo ready; exec sleep 302 >/dev/null' >held 8<&- 2>err &
	pid=$!
	exec 8<held
	await ready
	read -r victim keeper command <pids
	kill -KILL "$keeper"
	ends 125
	grep 'what the command left may run on: .*CONFIG_PROC_CHILDREN' err
	# It is so.
	kill "$command"
}

@test "ends everything when its time is over, whatever it ignores" {
	options=(--timeout 1)
	start sh -c 'trap "" TERM; (setsid sleep 301 &); echo ready
		while :; do sleep 302; done'
	await ready
	ends 124
	gone
}

# clerk - the process that changes modes, of the sandbox whose keeper is in err
clerk() {
	pgrep -P "$(cat err)" -x chock-clerk
}

# A clerk that waits for a file does what one does that is stopped: nothing.
@test "ends everything in time while its clerk is held up" {
	options=(--timeout 2 --read "$helpers")
	: >file
	start sh -c 'trap "" TERM; echo $PPID >&2; echo ready; read -r line <ready
		exec "$1" call chmod s:file 438' - "$act"
	await ready
	kill -STOP "$(clerk)"
	echo go >ready
	SECONDS=0
	ends 124
	gone
	[ "$SECONDS" -lt 10 ]
	[ "$(stat -c %a file)" != 666 ]
}

@test "ends everything when it is killed while its clerk is held up" {
	start sh -c 'echo $PPID >&2; echo ready; trap "" TERM; sleep 302'
	await ready
	kill -STOP "$(clerk)"
	kill -KILL "$pid"
	ends 137
	gone
	timeout 10 bash -c 'while [ -n "$(ls -A "$TMPDIR")" ]; do :; done'
}

@test "ends everything when its time is over and its keeper hangs" {
	options=(--timeout 1 --report-fd 5)
	start sh -c '(setsid sleep 301 &); trap "" TERM; echo $PPID >&2
		echo ready; sleep 302' 5>report
	await ready
	kill -STOP "$(cat err)"
	ends 124
	gone
	[ "$(tail -n 1 report | json .killed)" = time ]
	[ "$(tail -n 1 report | json .signal)" = 9 ]
}

@test "changes no mode any more, and goes on, when its clerk is killed" {
	options=(--read "$helpers")
	: >file
	start sh -c 'echo $PPID >&2; echo ready; read -r line <ready
		"$1" call chmod s:file 438; "$1" call chmod s:file 438; exit 5' - "$act"
	await ready
	kill -KILL "$(clerk)"
	echo go >ready
	ends 5
	gone
	[ "$(cat rest)" = "$(printf 'ENOSYS\nENOSYS')" ]
}

# ---- its own place ------------------------------------------------------

@test "has a home of its own, which goes with everything in it" {
	run -0 spawn -- sh -c 'echo "$HOME"; stat -c %a "$HOME" "$HOME/.."
		: >"$HOME/file" && : >"$TMPDIR/file" && pwd
		mkdir -p "$TMPDIR/a/b" && chmod 0 "$TMPDIR/a" 2>/dev/null; true'
	[[ ${lines[0]} == "$BATS_TEST_TMPDIR"/tmp/chock-nest-*/home ]]
	[ "${lines[1]}" = 700 ]
	[ "${lines[2]}" = 700 ]
	[ -z "$(ls -A tmp 2>/dev/null)" ]
	run -2 spawn -- sh -c 'ls "$HOME/.."'
	run -1 spawn -- "$act" call mkdir "s:$TMPDIR/mine" 448
	[ "$output" = EACCES ]
}

@test "holds its home to the limit of what is written to disks" {
	chock-spawn --driver landlock -p base --limit disk=10MiB --report-fd 3 \
		-- true 3>report
	[ "$(head -n 1 report | json .limits.disk.state)" = partial ]
	options=(--limit disk=4MiB --report-fd 5)
	# On a slow machine it is ended before it has written all.
	start sh -c 'head -c 64M /dev/zero >"$HOME/file"
		while :; do sleep 1; done' 5>report
	ends 137
	gone
	[ "$(tail -n 1 report | json .killed)" = disk ]
	# The neighbouring act works.
	run -0 chock-spawn --driver landlock -p base --limit disk=1GiB -- \
		sh -c 'head -c 64M /dev/zero >"$HOME/file"'
}

@test "removes no more than its home, whatever links are in it" {
	mkdir "$BATS_TEST_TMPDIR/precious"
	echo text >"$BATS_TEST_TMPDIR/precious/file"
	run -0 spawn -- sh -c "ln -s '$BATS_TEST_TMPDIR/precious' \"\$HOME/link\"
		ln -s '$BATS_TEST_TMPDIR/precious' \"\$TMPDIR/link\"
		ln -s / \"\$HOME/root\""
	[ "$(cat "$BATS_TEST_TMPDIR/precious/file")" = text ]
}

@test "makes no home where others could replace it" {
	mkdir open
	chmod 777 open
	TMPDIR=$PWD/open run -125 --separate-stderr spawn -- true
	[ "$stderr" = "chock-spawn: cannot make a home: cannot put a home into '$PWD/open': others could replace it; name another place by TMPDIR" ]
	chmod 1777 open
	TMPDIR=$PWD/open run -0 spawn -- true
	[ -z "$(ls -A open)" ]
}

@test "starts in the working directory if that is granted, else at home" {
	mkdir in out
	cd out
	run -0 --separate-stderr chock-spawn --driver landlock -p base --explain \
		-- pwd
	[[ $output == */home ]]
	[[ $stderr == *"the command started in $output"* ]]
	run -125 --separate-stderr chock-spawn --driver landlock -p base \
		--chdir . -- pwd
	[[ $stderr == *"is not granted" ]]
	run -0 chock-spawn --driver landlock -p base --read . -- pwd
	[ "$output" = "$PWD" ]
}

@test "reports the limit that was asked for, and lets others not use it up" {
	spawn --limit processes=100 --report-fd 3 -- bash -c 'ulimit -u' 3>report >soft
	[ "$(head -n 1 report | json .limits.processes.value)" -eq 100 ]
	[ "$(cat soft)" -gt 100 ]
	spawn --limit processes=18446744073709551614 -- true &&
		return 1
	spawn --limit processes=9223372036854775807 -- bash -c 'ulimit -u' >soft
}

@test "leaves the accounts of a user who has none as they are" {
	require userns
	local spawn=(chock-spawn --driver landlock -p base --read /etc --)
	run -0 unshare --user --map-user=54321 "${spawn[@]}" cat /etc/passwd
	[ "$output" = "$(cat /etc/passwd)" ]
}

# ---- with chock run -----------------------------------------------------

@test "does a whole job on the copy, at the copy's own path" {
	require trace
	make_project "$PWD/project"
	cd project
	run -0 --separate-stderr setsid -w chock run --driver landlock --yes \
		--rule 'allow workspace.protected' -- \
		sh -c 'pwd && mkdir sub && git mv a sub/a && echo two >>sub/a &&
			chmod +x sub/a && git add -A && git commit -qm second' \
		</dev/null
	[[ $output == "$HOME"/.local/state/chock/sessions/*/copy ]]
	[ "$(cat sub/a)" = "$(printf 'one\ntwo')" ]
	[ -x sub/a ]
	[ "$(git log --format=%s -1)" = second ]
	[ -z "$(find "$HOME/.local/state/chock/sessions" -name copy)" ]
}

@test "does it where nobody can make a namespace, if auto may choose" {
	# The inner shell expands it.
	# shellcheck disable=SC2016
	local no_cgroup=(--user --map-current-user --mount --keep-caps sh -c
		'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh)
	make_project "$PWD/project"
	cd project
	require userns
	run -125 setsid -w unshare "${no_cgroup[@]}" "$helpers/confine" \
		answer clone 1 268435456 -- chock run --yes -- true </dev/null
	run -0 setsid -w unshare "${no_cgroup[@]}" "$helpers/confine" \
		answer clone 1 268435456 -- chock run --driver auto --yes -- sh -c \
		'echo two >>a && git commit -qam second' </dev/null
	[ "$(cat a)" = "$(printf 'one\ntwo')" ]
	[ "$(git log --format=%s -1)" = second ]
	grep -q '"fallback":"cannot make a user namespace: ' \
		"$HOME"/.local/state/chock/sessions/*/*.jsonl
}

@test "says which driver would be taken" {
	run -0 chock-spawn -p base --check --print-driver
	[ "$output" = namespaces ]
	run -0 no_userns chock-spawn -p base --driver auto --check --print-driver
	[ "$output" = landlock ]
}

@test "has the copy's own hidden files refused, and not shown" {
	mkdir -p project/.git copy
	: >project/.env
	: >copy/.env
	run -125 --separate-stderr chock-spawn --driver landlock -p base \
		--project project --copy copy --hide .env -- cat copy/.env
	[[ $stderr == *"cannot grant '$PWD/copy' and cover '$PWD/copy/.env'"* ]]
	rm copy/.env
	run -0 chock-spawn --driver landlock -p base --project project \
		--copy copy --hide .env --chdir project -- pwd
	[ "$output" = "$PWD/copy" ]
}
