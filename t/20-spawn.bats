#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: how it is called, what it says, and whose status it gives

load lib/chock

setup() {
	require userns landlock
	cd "$BATS_TEST_TMPDIR" || return
}

spawn() {
	chock-spawn --policy base "$@"
}

# deeper - go where no path can lead to
deeper() {
	local name i
	name=$(printf 'd%.0s' {1..200})
	mkdir deep
	cd deep || return
	for i in {1..22}; do
		mkdir "$name"
		cd -P "./$name" || return
	done
}

@test "hands the command's status through" {
	spawn -- true
	run -1 spawn -- false
	run -37 spawn -- sh -c 'exit 37'
}

@test "hands through statuses that are its own for other callers" {
	for status in 63 100 111 124 125 126; do
		run "-$status" spawn --status-fd 3 -- sh -c "exit $status" 3>line
		[ "$(cat line)" = "{\"chock\":\"ran\",\"exit\":$status}" ]
	done
}

@test "gives 128 and the signal for a command that died of one" {
	run -137 spawn --status-fd 3 -- sh -c 'kill -KILL $$' 3>line
	[ "$(cat line)" = '{"chock":"ran","signal":9}' ]
	run -139 spawn -- sh -c 'kill -SEGV $$'
}

@test "gives 127 for a command that is not there" {
	run -127 --separate-stderr spawn --status-fd 3 -- no-such-command 3>line
	[ "$stderr" = "chock-spawn: cannot find 'no-such-command' in the sandbox" ]
	[ "$(json .layer <line)" = command ]
	run -127 spawn -- /usr/bin/no-such-command
}

@test "gives 126 for a command that cannot be executed" {
	run -126 --separate-stderr spawn --status-fd 3 -- /etc/passwd 3>line
	[ "$stderr" = "chock-spawn: cannot run '/etc/passwd': Permission denied" ]
	[ "$(json .chock <line)" = failed ]
}

@test "tells who listens that nothing was begun, and why" {
	message="no policy 'bas' is shipped; did you mean 'base'?"
	for check in '' --check; do
		# shellcheck disable=SC2086
		run -100 chock-spawn --status-fd 3 --report-fd 4 $check -p bas \
			-- true 3>line 4>report
		[ "$(cat line)" = "{\"chock\":\"failed\",\"layer\":\"call\",\"error\":\"$message\"}" ]
		[ "$(cat report)" = "{\"kind\":\"result\",\"error\":\"$message\"}" ]
	done
	for words in --raed ''; do
		# shellcheck disable=SC2086
		run -100 chock-spawn --status-fd 3 $words 3>line
		[ "$(json '"\(.chock) \(.layer)"' <line)" = 'failed call' ]
	done
	# One that is known only behind the mistake gets nothing.
	run -100 chock-spawn --raed --status-fd 3 3>line
	[ ! -s line ]
	run -125 spawn --status-fd 3 --cow "$PWD/no" -- true 3>line
	[ "$(json '"\(.chock) \(.layer)"' <line)" = 'failed sandbox' ]
	run -100 --separate-stderr chock-spawn -p base --status-fd 1 -- true
	[ -z "$output" ]
}

@test "says that the interpreter of a script is missing, not the script" {
	printf '#!/no/such/interpreter\n' >script
	chmod 755 script
	run -127 --separate-stderr spawn --read "$PWD" -- ./script
	[[ $stderr == *"interpreter that it names is not visible"* ]]
}

@test "says where a command is that was looked for elsewhere" {
	printf '#!/bin/sh\n' >s.sh
	chmod 755 s.sh
	run -127 --separate-stderr spawn -- ./s.sh
	[ "$stderr" = "chock-spawn: cannot find './s.sh' in the sandbox; the working directory, where it is, is not visible there: '--read .' shows it" ]
	run -127 --separate-stderr spawn -- s.sh
	[[ $stderr == *"'--read .' shows it; did you mean './s.sh'?" ]]
	run -127 --separate-stderr spawn --read . -- s.sh
	[ "$stderr" = "chock-spawn: cannot find 's.sh' in the sandbox; did you mean './s.sh'?" ]
	run -0 spawn --read . -- ./s.sh
	run -127 --separate-stderr spawn -- ./none
	[ "$stderr" = "chock-spawn: cannot find './none' in the sandbox" ]
}

@test "shows nothing without a policy, and says what would" {
	run -127 --separate-stderr chock-spawn -- true
	[ "$stderr" = "chock-spawn: cannot find 'true': the system's programs are not granted; '--policy base' makes them readable" ]
	run -127 --separate-stderr chock-spawn --policy strict --read /etc/passwd -- true
	[[ $stderr == *"'--policy base' makes them readable" ]]
	run -0 chock-spawn --policy strict --policy base -- true
	run -127 --separate-stderr chock-spawn --policy base -- no-such
	[ "$stderr" = "chock-spawn: cannot find 'no-such' in the sandbox" ]
}

@test "finds the command along the sandbox's own PATH" {
	mkdir bin
	printf '#!/bin/sh\necho mine\n' >bin/true
	chmod 755 bin/true
	run -0 env PATH="$PWD/bin:$PATH" chock-spawn -p base --read bin -- true
	[ -z "$output" ]
	run -0 spawn --read bin --env "PATH=$PWD/bin" -- true
	[ "$output" = mine ]
}

@test "passes arguments as they are" {
	run -0 spawn -- printf '%s|' '' 'a b' $'new\nline' $'\xff' '*' -x
	[ "$output" = $'|a b|new\nline|\xff|*|-x|' ]
}

@test "refuses wrong calls with 100 and one line" {
	while IFS='|' read -r words message; do
		eval "set -- $words"
		run -100 --separate-stderr chock-spawn "$@"
		[ "$stderr" = "chock-spawn: $message" ]
		[ -z "$output" ]
	done <<-'END'
		--raed /usr -- true|no option --raed; did you mean --read?
		--policy bas -- true|no policy 'bas' is shipped; did you mean 'base'?
		--rule 'allow' -- true|--rule:1:6: 'allow' needs an action
		--net filtered -- true|--net: this build cannot hold 'filtered', only none and host
		--net full -- true|--net: 'full' is neither none nor host
		--net none --net=host -- true|--net: given twice, and one value counts
		--project typo -- true|cannot find the project 'typo': No such file or directory
		--project typo --check|cannot find the project 'typo': No such file or directory
		--project '' --check|an empty path names nothing
		--project /dev/null -- true|the project '/dev/null' is no directory
		--limit memory -- true|--limit: 'memory' is not KEY=VALUE
		--limit memory=2G -- true|--limit: limit memory: '2G' is not a size, such as 512MiB, or none; did you mean '2GiB'?
		--limit memory=64mb -- true|--limit: limit memory: '64mb' is not a size, such as 512MiB, or none; did you mean '64MiB'?
		--limit scratch=2kib -- true|--limit: limit scratch: '2kib' is not a size, such as 512MiB; did you mean '2KiB'?
		--limit scratch=2X -- true|--limit: limit scratch: '2X' is not a size, such as 512MiB
		--limit mem=5 -- true|--limit: no limit 'mem', only core, data, files, file-size, cpu-time, processes, memory, cpu, disk, scratch, cow, cache and time
		--read= -- true|--read: an empty path names nothing
		--write= -- true|--write: an empty path names nothing
		--limit time=5x -- true|--limit: limit time: '5x' is not a time, such as 90s, or none
		--limit cpu=2s -- true|--limit: limit cpu: '2s' is not a number of processors, or none
		--limit files=many -- true|--limit: limit files: 'many' is not a number, or none
		--limit files=3 -- true|--limit: limit files: '3' is less than 4
		--limit memory=7MiB -- true|--limit: limit memory: '7MiB' is less than 8MiB
		--limit scratch=4095 -- true|--limit: limit scratch: '4095' is less than 4KiB
		--limit time=0 -- true|--limit: limit time: '0' is less than 1s
		--limit cpu=0 -- true|--limit: limit cpu: '0' is less than 1
		--limit disk=99999999TiB -- true|--limit: limit disk: '99999999TiB' is too much
		--env 1A=b -- true|--env: '1A=b' is not NAME=VALUE
		--env A.B=b -- true|--env: 'A.B=b' is not NAME=VALUE
		--env FOO -- true|--env: 'FOO' is not NAME=VALUE
		--env =x -- true|--env: '=x' is not NAME=VALUE
		--timeout 0 -- true|--timeout: '0' is not a time, such as 90s
		--timeout soon -- true|--timeout: 'soon' is not a time, such as 90s
		--driver vm -- true|--driver: no driver 'vm'
		--allow-degraded landlok -- true|--allow-degraded: no layer 'landlok'; did you mean 'landlock'?
		--allow-degraded mountns -- true|--allow-degraded: the driver 'namespaces' never goes without 'mountns'
		--bind /usr -- true|--bind: '/usr' is not SOURCE:PATH or SOURCE:PATH:ro, with an absolute PATH
		--bind /usr:x -- true|--bind: '/usr:x' is not SOURCE:PATH or SOURCE:PATH:ro, with an absolute PATH
		--bind /usr:/x:rw -- true|--bind: '/usr:/x:rw' is not SOURCE:PATH or SOURCE:PATH:ro, with an absolute PATH
		--hide '/etc/*.d' -- true|--hide: cannot hide the pattern '/etc/*.d', only a path or DIR/**; a pattern is hidden in the copy that 'chock run' makes of a project in git
		--report-fd 77 -- true|--report-fd: cannot use descriptor 77: Bad file descriptor
	END
	run -100 chock-spawn --
}

@test "refuses by name and place what nobody holds in this version" {
	mkdir project
	while IFS='|' read -r statement message; do
		printf '# one\n%s\n' "$statement" >policy
		run -100 --separate-stderr chock-spawn -p ./policy -- true
		[ "$stderr" = "chock-spawn: ./policy:2:$message" ]
		cp policy project/chock.policy
		run -100 --separate-stderr chock-spawn -p base --project project -- true
		[[ $stderr == chock-spawn:*"/project/chock.policy:2:$message" ]]
	done <<-'END'
		publish 8080|1: this version cannot hold 'publish'
		net filtered|5: this version cannot hold 'net filtered'
		sink dir /var/log|1: this version cannot hold 'sink'
		reviewer true|1: this version cannot hold 'reviewer'
		budget USD 5|1: this version cannot hold 'budget'
		mcp time server|1: this version cannot hold 'mcp'
	END
}

@test "refuses a limit that there is not, from a policy and as an option" {
	echo 'limit caches 4GiB' >policy
	run -100 --separate-stderr chock-spawn -p ./policy -- true
	[[ $stderr == "chock-spawn: ./policy:1:7: 'caches' cannot stand here; did you mean 'cache'?"* ]]
	run -100 --separate-stderr chock-spawn --limit caches=4GiB -- true
	[ "$stderr" = "chock-spawn: --limit: no limit 'caches'; did you mean 'cache'?" ]
	run -0 spawn --limit files=64 -- sh -c 'ulimit -n'
	[ "$output" = 64 ]
}

@test "fails with 125 where a grant leads nowhere, unless it may" {
	run -125 --separate-stderr spawn --read /no/such/path --status-fd 3 -- \
		true 3>line
	[ "$stderr" = "chock-spawn: --read: cannot find '/no/such/path': No such file or directory" ]
	[ "$(json .chock <line)" = failed ]
	echo 'read /no/such/path' >policy
	run -125 --separate-stderr spawn -p ./policy -- true
	[[ $stderr == "chock-spawn: ./policy:1:1: cannot find"* ]]
	echo 'read /no/such/path optional' >policy
	spawn -p ./policy -- true
}

@test "runs in the working directory if it is there, else in the home" {
	mkdir here
	cd here
	run -0 spawn --read "$PWD" -- pwd
	[ "$output" = "$PWD" ]
	run -0 --separate-stderr spawn --explain -- pwd
	[ "$output" = /run/chock/home ]
	[[ $stderr == *"working directory is not visible"* ]]
	run -0 spawn --chdir /usr/bin -- pwd
	[ "$output" = /usr/bin ]
	run -125 --separate-stderr spawn --chdir /no/such -- pwd
	[ "$stderr" = "chock-spawn: cannot enter '/no/such': No such file or directory" ]
}

@test "keeps the name of its working directory, by whatever link that is" {
	mkdir -p data/u/project/sub
	ln -s data/u person
	real=$PWD/data/u/project
	cd person/project/sub
	called=$PWD
	# pwd is the shell's word for it, pwd -P the kernel's.
	for grant in "$real" "${called%/sub}"; do
		run -0 spawn --write "$grant" -- \
			sh -c 'pwd; pwd -P; echo "$PWD"; : >ok'
		[ "${lines[0]}" = "$called" ]
		[ "${lines[1]}" = "$real/sub" ]
		[ "${lines[2]}" = "$called" ]
		rm "$real/sub/ok"
	done
	run -0 spawn --write "$real" -- printenv PWD
	[ "$output" = "$called" ]
	# A link alone shows nothing of what it leads to.
	run -1 spawn --explain -- test -e "$called"
	[[ $output == *"working directory is not visible"* ]]
	run -1 spawn -- readlink "$BATS_TEST_TMPDIR/person"
	# Nor does a name that is not a plain one stay.
	run -0 spawn --write "$real" --chdir ../sub/. -- printenv PWD
	[ "$output" = "$real/sub" ]
	run -0 spawn -- printenv PWD
	[ "$output" = /run/chock/home ]
	run -0 spawn --env PWD=/mine -- printenv PWD
	[ "$output" = /mine ]
}

@test "hides by either name of a directory that is called by a link" {
	mkdir -p data/u/project
	ln -s data/u person
	echo token >data/u/project/key
	cd person/project
	for hidden in "$PWD/key" "$BATS_TEST_TMPDIR/data/u/project/key"; do
		run -1 spawn --write . --hide "$hidden" -- cat key
		[[ $output == *"Permission denied"* ]]
		run -1 spawn --write . --hide "$hidden" -- cat "$PWD/key"
		run -1 spawn --write . --hide "$hidden" -- \
			cat "$BATS_TEST_TMPDIR/data/u/project/key"
	done
	run -0 spawn --write . -- cat "$PWD/key"
}

@test "says exactly why its working directory has no name" {
	mkdir gone
	cd gone
	rmdir "$PWD"
	lost='the working directory was removed'
	run -0 --separate-stderr spawn --explain -- pwd
	[ "$output" = /run/chock/home ]
	[ "$stderr" = "chock-spawn: $lost, so the command started in /run/chock/home" ]
	run -100 --separate-stderr spawn --write . -- true
	[ "$stderr" = "chock-spawn: '.' is relative, and $lost" ]
	run -100 --separate-stderr spawn --hide x -- true
	[ "$stderr" = "chock-spawn: --hide: no project for 'x': $lost" ]
	run -0 spawn --chdir /usr -- pwd
	[ "$output" = /usr ]
	cd "$BATS_TEST_TMPDIR"
	deeper
	lost='the path of the working directory is longer than 4095 bytes'
	run -0 --separate-stderr spawn --explain -- pwd
	[ "$stderr" = "chock-spawn: $lost, so the command started in /run/chock/home" ]
	run -100 --separate-stderr spawn --write . -- true
	[ "$stderr" = "chock-spawn: '.' is relative, and $lost" ]
	cd "$BATS_TEST_TMPDIR"
	rm -r deep
	run -0 unshare --user --map-current-user --keep-caps --mount \
		--propagation private \
		sh -c 'mount -t tmpfs none /mnt && cd /mnt && umount -l /mnt &&
			chock-spawn -p base --explain -- pwd'
	[[ $output == *"the working directory is outside of the root directory, so"* ]]
}

@test "works in a directory with a space, a newline and a foreign byte" {
	dir=$BATS_TEST_TMPDIR/$'a b\nc\xff:d'
	mkdir "$dir"
	cd "$dir"
	run -0 spawn --write "$dir" -- sh -c 'pwd; echo x >file'
	[ "$output" = "$dir" ]
	[ "$(cat file)" = x ]
}

@test "passes nothing of the caller's environment but language and terminal" {
	# A build with sanitizers is not static, and says what it cannot preload.
	run -0 --separate-stderr env -i HOME="$HOME" PATH="$PATH" LANG=C.UTF-8 LC_TIME=POSIX \
		TZ=UTC TERM=dumb NO_COLOR=1 SECRET=x LD_PRELOAD=/x GIT_DIR=/x \
		chock-spawn -p base --chdir /usr --env A=1 --env A=2 -- env
	[ "$(sort <<<"$output" | grep -v '^_=')" = "$(
		sort <<-'END'
			A=2
			CHOCK=1
			HOME=/run/chock/home
			LANG=C.UTF-8
			LC_TIME=POSIX
			LSAN_OPTIONS=detect_leaks=0
			PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
			PWD=/usr
			TERM=dumb
			NO_COLOR=1
			TMPDIR=/run/chock/tmp
			TZ=UTC
			XDG_CACHE_HOME=/run/chock/home/.cache
		END
	)" ]
}

@test "takes variables from a policy, and the command line's over them" {
	printf 'env A=policy\nenv B=policy\n' >policy
	run -0 spawn -p ./policy --env B=option \
		-- sh -c 'echo $A $B'
	[ "$output" = "policy option" ]
}

@test "lets a ceiling narrow and never widen" {
	mkdir -p "$HOME/.config/chock" dir
	printf 'limit files 50\nnet none\nread %s\nhide %s\n' "$PWD/dir" \
		/usr/bin/env >"$HOME/.config/chock/ceiling"
	run -0 spawn --limit files=100 -- sh -c 'ulimit -n'
	[ "${lines[-1]}" = 50 ]
	run -0 --separate-stderr spawn --limit files=100 -- true
	[ "$stderr" = "chock-spawn: $HOME/.config/chock/ceiling:1:1: the ceiling says 'limit files 50', so what --limit says does not hold" ]
	run -0 spawn --limit files=40 -- sh -c 'ulimit -n'
	[ "$output" = 40 ]
	run -0 --separate-stderr spawn --net host -- sh -c 'ls /sys/class/net ||
		wc -l </proc/net/dev'
	[ "$output" = 3 ]
	[[ $stderr == *"ceiling says 'net none'"* ]]
	run -1 spawn -- sh -c "[ -e '$PWD/dir' ]"
	run -126 spawn -- env
}

@test "gives pages that are writable and executable to who may have them" {
	# PROT_READ, PROT_WRITE and PROT_EXEC; MAP_PRIVATE and MAP_ANONYMOUS
	wx=("$helpers/act" call mmap 0 4096 7 34 -1 0)
	"${wx[@]}"
	run -1 spawn --read "$helpers" -- "${wx[@]}"
	[ "$output" = EPERM ]
	run -1 spawn --read "$helpers" --rule 'ask sandbox.jit' -- "${wx[@]}"
	[ "$output" = EPERM ]
	run -0 spawn --read "$helpers" --rule 'allow sandbox.jit' -- "${wx[@]}"
	[ "$output" = ok ]
	mkdir -p "$HOME/.config/chock"
	echo 'deny sandbox.jit' >"$HOME/.config/chock/ceiling"
	run -1 spawn --read "$helpers" --rule 'allow sandbox.jit' -- "${wx[@]}"
	[ "$output" = EPERM ]
}

@test "reads a project's own policy as a ceiling" {
	mkdir project
	printf 'limit files 33\nread /etc/shadow\n' >project/chock.policy
	run -0 spawn --project project -- \
		sh -c 'ulimit -n; [ ! -e /etc/shadow ]'
	[ "$output" = 33 ]
}

@test "starts with standard descriptors closed" {
	run -0 spawn -- true <&- >&- 2>&-
	spawn -- sh -c 'echo x >&2' >&- 2>out
	[ "$(cat out)" = x ]
	run -0 bash -c 'chock-spawn -p base -- cat <&-'
	[ -z "$output" ]
}

@test "lets no descriptor above 2 through" {
	run -0 spawn -- sh -c 'ls /proc/self/fd' 7</etc/passwd 9</etc
	# ls itself has one for the directory.
	[ "$output" = $'0\n1\n2\n3' ]
}

@test "refuses a directory as a standard descriptor" {
	run -125 --separate-stderr spawn -- true </
	[ "$stderr" = "chock-spawn: standard input is a directory, and would lead out of the sandbox" ]
}

@test "refuses a socket of the host's network as a standard descriptor" {
	require landlock6
	coproc LISTEN { "$helpers/act" serve tcp 40713; }
	read -r line <&"${LISTEN[0]}"
	[ "$line" = ready ]
	exec 5<>/dev/tcp/127.0.0.1/40713
	run -125 --separate-stderr spawn --status-fd 3 -- true <&5 3>line
	[[ $stderr == *"standard input is a network socket of the host"* ]]
	[ "$(json .layer <line)" = netns ]
	spawn --net host -- true <&5
	exec 5>&-
	eval "exec ${LISTEN[1]}>&-"
}

@test "works for a caller with threads and without clone3" {
	"$helpers/caller" "$(command -v chock-spawn)" -p base -- true
	run -37 "$helpers/caller" "$(command -v chock-spawn)" -p base -- \
		sh -c 'exit 37'
}

@test "starts the command with no signal ignored or blocked" {
	run -0 "$helpers/caller" "$(command -v chock-spawn)" -p base -- \
		grep -E '^Sig(Blk|Ign)' /proc/self/status
	diff <(printf 'Sig%s:\t0000000000000000\n' Blk Ign) <(echo "$output")
	run -0 spawn -- sh -c 'yes | head -n 1'
	[ "$output" = y ]
}

@test "works in somebody else's user namespace" {
	unshare --user --map-current-user chock-spawn -p base -- true
	unshare --user --map-root-user chock-spawn -p base -- true
}

@test "refuses by name where no procfs can be had, unless that is waived" {
	masked() {
		unshare --user --map-root-user --mount sh -c \
			'mount -t tmpfs none /proc/sys && exec "$@"' - "$@"
	}
	run -125 --separate-stderr masked chock-spawn -p base -- true
	[[ $stderr == "chock-spawn: layer 'proc': "*"Operation not permitted" ]]
	run -0 masked chock-spawn -p base --allow-degraded proc --report-fd 3 \
		-- ls -A /proc 3>report
	[ -z "$output" ]
	[ "$(head -n 1 report | json .layers.proc.state)" = waived ]
}

@test "writes nothing into the home or the project" {
	mkdir project
	cd project
	spawn --write "$PWD" -- true
	[ -z "$(find "$HOME" "$PWD" -mindepth 1)" ]
}

@test "reads policies and options without running anything" {
	run -0 spawn --check -- sh -c 'echo ran'
	[ -z "$output" ]
	run -100 spawn --check --limit files=many -- true
}
