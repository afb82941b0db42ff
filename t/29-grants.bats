#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-spawn: a grant is what it says, whoever has written there before
#
#	$there/project/            granted, writable
#	$there/project/data        granted beside it, read-only
#	$there/secret              not granted

load lib/chock

setup() {
	require userns landlock
	there=$BATS_TEST_TMPDIR/there
	mkdir -p "$there/project/sub" "$there/plain"
	echo kept >"$there/secret"
	echo data >"$there/project/data"
	cd "$there/project" || return
	policy=$BATS_TEST_TMPDIR/policy
}

teardown() {
	local server
	touch "$BATS_TEST_TMPDIR/enough"
	for server in "${servers[@]}"; do
		kill "$server"
	done
}

# with STATEMENT... -- COMMAND... - under base and these statements
with() {
	while [ "$1" != -- ]; do
		printf '%s\n' "$1"
		shift
	done >"$policy"
	shift
	chock-spawn -p base -p "$policy" "${options[@]}" -- "$@"
}

# -- links that a run has left

@test "follows no link that an earlier run may have put in a grant's place" {
	with 'write @project@' -- ln -sf ../secret data
	run -125 --separate-stderr with 'write @project@' \
		'read @project@/data' -- cat data
	[[ $stderr == *"policy:2:1: cannot follow the link '$there/project/data', which a run may have put there"* ]]
	# Where nobody may write, it is the person's own link.
	run -0 with 'read @project@' 'read @project@/data' -- cat data
	[ "$output" = kept ]
}

@test "follows none on the way to a grant, nor to where one is to stand" {
	rmdir sub
	ln -s "$there/plain" sub
	echo x >"$there/plain/file"
	for statement in 'read @project@/sub/file' 'write @project@/sub' \
		'read @project@/sub/none optional' 'tmpfs @project@/sub/x'; do
		run -125 --separate-stderr with 'write @project@' \
			"$statement" -- true
		[[ $stderr == *"cannot follow the link '$there/project/sub'"* ]]
	done
	options=(--bind "$there/secret:$there/project/sub/file")
	run -125 --separate-stderr with 'write @project@' -- true
	[[ $stderr == *"--bind: cannot follow the link '$there/project/sub'"* ]]
	options=()
	with 'write @project@' "read $there/plain/file" -- cat "$there/plain/file"
}

@test "follows none in a place that has another name" {
	rm data
	ln -s ../secret data
	mkdir "$there/other"
	run -125 unshare --user --map-root-user --mount sh -c '
		mount --bind "$1/project" "$1/other" &&
		exec chock-spawn -p base --write "$1/project" \
			--read "$1/other/data" -- true' - "$there"
	[[ $output == *"cannot follow the link '$there/other/data'"* ]]
}

@test "follows a person's link that stands where no run writes" {
	ln -s "$there/project" "$there/short"
	run -0 chock-spawn -p base --write "$there/short" --chdir "$there/short" \
		-- cat data
	[ "$output" = data ]
}

@test "shows no file through a link that takes its place during the start" {
	file=$BATS_TEST_TMPDIR/replaced/file
	mkdir "${file%/*}"
	echo 0 >"$file"
	(
		while [ ! -e "$BATS_TEST_TMPDIR/enough" ]; do
			ln -sf "$there/secret" "$file.new" && mv "$file.new" "$file"
			echo 1 >"$file.new" && mv "$file.new" "$file"
		done
	) 3>&- &
	for _ in {1..40}; do
		run chock-spawn -p base --write "${file%/*}" --read "$file" -- \
			cat "$file"
		[[ $output != *kept* ]]
		[[ $output == [01] || $output == *link* || $status -eq 1 ||
			$output == *"'$file' was replaced"* ]]
	done
	touch "$BATS_TEST_TMPDIR/enough"
	wait
}

@test "keeps the link to what is hidden, which stays hidden" {
	echo token >"$there/plain/token"
	ln -s ../plain/token .env
	run -0 with 'write @project@' "read $there/plain" -- cat .env
	[ "$output" = token ]
	run -1 with 'write @project@' "read $there/plain" 'hide .env' -- cat .env
	[[ $output == *'Permission denied'* ]]
	for act in 'rm -f .env' 'mv .env x' 'ln -sfn data .env'; do
		run -1 with 'write @project@' 'hide .env' -- sh -c "$act"
		[[ $output == *'resource busy'* ]]
	done
	run -0 with 'write @project@' 'hide .env' -- sh -c 'ln -s data new; cat new'
	[ "$output" = data ]
	[ "$(readlink .env)" = ../plain/token ]
	[ "$(cat .env)" = token ]
}

@test "never covers anything outside, whatever becomes of a hidden path meanwhile" {
	(
		while [ ! -e "$BATS_TEST_TMPDIR/enough" ]; do
			ln -sf "$there/secret" new && mv new .env
			echo token >new && mv new .env
		done
	) 3>&- &
	for _ in {1..40}; do
		run with 'write @project@' 'hide .env' -- cat .env
		[[ $output != *kept* && $status -ne 125 ]]
		[ "$(cat "$there/secret")" = kept ]
	done
	touch "$BATS_TEST_TMPDIR/enough"
	wait
	run -1 grep -F "$there" /proc/self/mountinfo
}

# -- what somebody outside does meanwhile

# meanwhile ACT STATEMENT... - the status of a sandbox that waits while ACT is
# done outside, and then reads and writes; a line at descriptor 5 lets it go on
meanwhile() {
	local act=$1
	shift
	options=(--limit time=60 --report-fd 4)
	with "write $there/plain" "$@" -- sh -c "cd '$there/project'
		echo >../plain/ready; read -r _ <../plain/go
		cat sub/.env; echo written >ro/f" >out 2>err 4>report &
	read -r _ <"$there/plain/ready"
	eval "$act"
	wait $!
}

setup_meanwhile() {
	mkfifo "$there/plain/ready" "$there/plain/go"
	exec 5<>"$there/plain/go"
	mkdir ro
	echo mine >ro/f
	echo token >sub/.env
}

@test "ends at once when what is hidden is replaced, moved or removed outside" {
	setup_meanwhile
	for grant in write read; do
		for act in 'ln sub/.env link; echo x >new; mv new sub/.env' \
			'ln sub/.env gone; rm sub/.env link gone' \
			'mv sub/.env old' 'mv sub old; mkdir sub' \
			'echo x >new; chock-spawn -p base --write . -- mv new sub/.env'; do
			rm -rf old
			echo token >sub/.env
			run -137 meanwhile "$act" "$grant @project@" 'hide sub/.env'
			[ ! -s out ]
			line="policy:3:1: '$there/project/sub/.env' was replaced, moved or removed outside, and everything in the sandbox was ended"
			[[ $(cat err) == "chock-spawn: "*"$line" ]]
			[ "$(tail -n 1 report | json .killed)" = tree ]
			[[ $(tail -n 1 report | json .notice) == *"$line" ]]
		done
	done
	# By nobody's policy, the new one is read.
	run -0 with 'write @project@' -- cat sub/.env
}

@test "ends at once when a lesser grant in a greater one is" {
	setup_meanwhile
	for act in 'mv ro old; cp -r old ro' \
		'mkdir new; rm ro/f; mv -T new ro; echo mine >ro/f'; do
		rm -rf old
		run -137 meanwhile "$act" 'write @project@' 'read @project@/ro'
		[[ $(cat err) == *"policy:3:1: '$there/project/ro' was replaced"* ]]
		[ "$(tail -n 1 report | json .killed)" = tree ]
		[ "$(cat ro/f)" = mine ]
	done
	# A greater one in a lesser one is lost, and nothing more can be done.
	run -2 meanwhile 'mv ro new; mkdir ro; echo >&5' \
		'read @project@' 'write @project@/ro'
	[[ $(cat err) == *'Read-only file system'* ]]
}

@test "goes on when other files are replaced, moved and removed" {
	setup_meanwhile
	run -2 meanwhile 'echo x >sub/a; mv sub/a sub/b; mv sub/b sub/a; rm sub/a
		mkdir new; mv new sub/new; mv sub/new new; rmdir new
		echo x >data; mv data ro; mv ../project ../moved
		mv ../moved ../project; echo >&5' \
		'write @project@' 'hide sub/.env' 'read @project@/ro'
	[[ $(cat err) == *'sub/.env: Permission denied'*'Read-only file system'* ]]
	[ "$(tail -n 1 report | json .killed)" = null ]
	[ "$(cat ro/f)" = mine ]
}

# -- whose call it is

@test "grants to the calls of a tool and of an agent what is said of them" {
	statements=('write @project@ tool write_file' "read @project@ tool web.*"
		"read $there/plain agent builder")
	echo x >"$there/plain/file"
	run -1 with "${statements[@]}" -- cat "$there/project/data"
	run -1 with "${statements[@]}" -- cat "$there/plain/file"
	options=(--tool write_file)
	run -0 with "${statements[@]}" -- \
		sh -c "echo new >$there/project/new && cat $there/project/data"
	[ "$output" = data ]
	run -1 with "${statements[@]}" -- cat "$there/plain/file"
	for tool in web.search web.fetch.page; do
		options=(--tool "$tool" --agent builder)
		run -0 with "${statements[@]}" -- \
			cat "$there/project/data" "$there/plain/file"
		run -2 with "${statements[@]}" -- sh -c "echo >$there/project/x"
	done
	for tool in web webs.x write_file.x; do
		options=(--tool "$tool")
		run -1 with "${statements[@]}" -- cat "$there/project/data"
	done
	# Without either it is a call of run_command by main.
	options=()
	run -0 with 'read @project@ tool run_command agent main' -- cat data
	[ "$output" = data ]
	# The name of a tool may be a word of the language.
	options=(--tool noexec)
	printf '#!/bin/sh\n' >run && chmod 755 run
	run -0 with 'read @project@ tool noexec' -- ./run
	options=(--tool agent --agent tool)
	run -0 with 'read @project@ agent tool noexec tool agent' -- cat data
	run -126 with 'read @project@ agent tool noexec tool agent' -- ./run
}

@test "follows no link that the call of another tool may have left" {
	rm data
	ln -s ../secret data
	run -125 with 'write @project@ tool another' 'read @project@/data' -- true
	[[ $output == *"cannot follow the link '$there/project/data'"* ]]
	run -0 with 'read @project@ tool another' 'read @project@/data' -- cat data
	[ "$output" = kept ]
}

@test "asks about machine code for the tool and agent whose call it is" {
	jit=("$helpers/act" call mmap 0 4096 7 34 -1 0)
	options=(--read "$helpers")
	run -1 with 'allow sandbox.jit agent builder' -- "${jit[@]}"
	[ "$output" = EPERM ]
	options=(--read "$helpers" --agent builder)
	run -0 with 'allow sandbox.jit agent builder' -- "${jit[@]}"
	run -1 with 'allow sandbox.jit' 'deny sandbox.jit tool run_command' -- \
		"${jit[@]}"
	options+=(--tool build)
	run -0 with 'allow sandbox.jit' 'deny sandbox.jit tool run_command' -- \
		"${jit[@]}"
}

@test "refuses a tool or an agent that can be none" {
	long=$(printf '%0129d' 0)
	while IFS='|' read -r option word message; do
		options=("--$option" "$word")
		run -100 --separate-stderr with 'agent builder' -- true
		[ "$stderr" = "chock-spawn: --$option: $message" ]
	done <<-END
		tool||'' is empty
		tool|a.*|'a.*' is not a name
		agent|$long|'$long' is longer than 128 bytes
		agent|bulder|no policy that declares agents knows 'bulder'
	END
	options=(--agent builder)
	with 'agent builder' -- true
	options=(--agent anything)
	with 'read /usr' -- true
}

# -- who the user is

# as NUMBER COMMAND... - with that number for a user and one more for a group
as() {
	unshare --user --map-user="$1" --map-group=$(($1 + 1)) "${@:2}"
}

@test "names a user that the host has no row for, and keeps the rows it has" {
	[ -z "$(getent passwd 54242)" ] || skip "nothing measured: 54242 is somebody"
	run -1 as 54242 id -un
	run -0 as 54242 env USER=ada chock-spawn -p base -- \
		sh -c 'id -un; id -gn; getent passwd ada; getent group 54243
			echo x >~/x && cat ~/x; getent passwd root'
	[ "${lines[0]}" = ada ]
	[ "${lines[1]}" = ada ]
	[ "${lines[2]}" = ada:x:54242:54243::/run/chock/home:/bin/sh ]
	[ "${lines[3]}" = ada:x:54243: ]
	[ "${lines[4]}" = x ]
	[ "${lines[5]}" = "$(getent -s files passwd root)" ]
	run -0 as 54242 env USER=root chock-spawn -p base -- id -un
	[ "$output" = uid54242 ]
	run -0 as 54242 env -u USER chock-spawn -p base -- id -gn
	[ "$output" = gid54243 ]
	# Who has a row has the host's file.
	run -0 chock-spawn -p base -- cat /etc/passwd
	[ "$output" = "$(cat /etc/passwd)" ]
}

@test "names no user where the file is not granted, hidden, or somebody's own" {
	[ -z "$(getent passwd 54242)" ] || skip "nothing measured: 54242 is somebody"
	echo 'mine:x:1:1::/:/bin/sh' >mine
	run -0 as 54242 chock-spawn -p base --bind "$PWD/mine:/etc/passwd:ro" \
		-- cat /etc/passwd
	[ "$output" = "$(cat mine)" ]
	run -1 as 54242 chock-spawn -p base --hide /etc/passwd -- cat /etc/passwd
	[[ $output == *'Permission denied'* ]]
	run -1 as 54242 chock-spawn --read /usr --read /bin --read /lib \
		--read /lib64 -- cat /etc/passwd
	[[ $output == *'No such file'* ]]
	# It can be changed no more than the host's.
	run -0 as 54242 chock-spawn -p base --read /etc -- sh -c \
		'id -un; ! echo >>/etc/passwd; ! rm /etc/passwd'
	[[ ${lines[0]} == uid54242 || ${lines[0]} == "$USER" ]]
}

# -- sockets of the host

# listen PATH [COMMAND...] - a server at PATH, until the end of the test
listen() {
	local ready
	[ -p "$BATS_TEST_TMPDIR/ready" ] ||
		mkfifo "$BATS_TEST_TMPDIR/ready" "$BATS_TEST_TMPDIR/end"
	"${@:2}" "$helpers/act" serve unix "$1" <>"$BATS_TEST_TMPDIR/end" \
		>"$BATS_TEST_TMPDIR/ready" 3>&- &
	servers+=("$!")
	read -r ready <"$BATS_TEST_TMPDIR/ready"
	[ "$ready" = ready ]
}

connects() {
	run chock-spawn -p base --read "$helpers" "${options[@]}" -- \
		"$helpers/act" connect unix "$1"
}

@test "opens no socket with the directory that it is in" {
	mkdir -p run/podman run/user/gnupg
	options=(--read run)
	for socket in docker.sock podman/podman.sock user/bus user/gnupg/S.gpg-agent \
		tmux 'with blank'; do
		listen "$PWD/run/$socket"
		run -0 "$helpers/act" connect unix "$PWD/run/$socket"
		for options in --read --write; do
			options=("$options" run)
			connects "$PWD/run/$socket"
			[ "$output" = EACCES ]
		done
	done
	# By its own path it is granted, with the directory or without it.
	options=(--write run --write run/docker.sock)
	connects "$PWD/run/docker.sock"
	[ "$output" = ok ]
	connects "$PWD/run/tmux"
	[ "$output" = EACCES ]
	options=(--write run/docker.sock)
	connects "$PWD/run/docker.sock"
	[ "$output" = ok ]
	options=(--bind "$PWD/run/docker.sock:/srv/docker.sock")
	connects /srv/docker.sock
	[ "$output" = ok ]
	options=(--bind "$PWD/run:/srv/run")
	connects /srv/run/docker.sock
	[ "$output" = EACCES ]
	options=(--read run --read run/docker.sock)
	connects "$PWD/run/docker.sock"
	[ "$output" = EACCES ]
}

@test "opens none that has another name, or is in another network under a known one" {
	mkdir run other
	listen "$PWD/run/any"
	run -1 unshare --user --map-root-user --mount sh -c '
		mount --bind run other && exec chock-spawn -p base --read "$0" \
			--read other -- "$0/act" connect unix "$1/other/any"' \
		"$helpers" "$PWD"
	[ "$output" = EACCES ]
	export XDG_RUNTIME_DIR=$PWD/run
	listen "$PWD/run/docker.sock" unshare --user --map-root-user --net
	run -0 "$helpers/act" connect unix "$PWD/run/docker.sock"
	options=(--read run)
	connects "$PWD/run/docker.sock"
	[ "$output" = EACCES ]
}

@test "opens those that are made in a sandbox" {
	run -0 chock-spawn -p base --read "$helpers" --write sub -- bash -c '
		coproc S { exec "$0/act" serve unix sub/s; }
		read -r -u "${S[0]}" ready
		"$0/act" connect unix sub/s
		kill "$S_PID"' "$helpers"
	[ "$output" = ok ]
	[ -S sub/s ]
}

@test "shows other things for what they are: FIFOs, files, sockets by bind" {
	mkfifo fifo
	(echo through >fifo) 3>&- &
	servers+=("$!")
	run -0 chock-spawn -p base --bind "$PWD/fifo:/srv/fifo" -- cat /srv/fifo
	[ "$output" = through ]
	servers=()
	wait
	run -0 chock-spawn -p base --bind "$PWD/data:/srv/a/b/data:ro" -- \
		sh -c 'cat /srv/a/b/data; ls /srv/a'
	[ "$output" = $'data\nb' ]
}

# -- what a program is told

@test "passes of the environment what is listed, and what is asked for" {
	secrets=(AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
		AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS GH_TOKEN
		GITHUB_TOKEN GITLAB_TOKEN CI_JOB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN
		PYPI_TOKEN CARGO_REGISTRY_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY
		HF_TOKEN SLACK_TOKEN STRIPE_SECRET_KEY DATABASE_URL PGPASSWORD
		MYSQL_PWD REDIS_URL VAULT_TOKEN KUBECONFIG DOCKER_AUTH_CONFIG
		SSH_AUTH_SOCK SSH_ASKPASS GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS
		XDG_RUNTIME_DIR LD_PRELOAD_PATH BASH_ENV ENV CI)
	for name in "${secrets[@]}"; do
		export "$name=canary"
	done
	export LANG=C.UTF-8 LC_TIME=C TZ=UTC TERM=dumb CHOCK_SESSION=s1
	run -0 chock-spawn -p base -- env
	[[ $output != *canary* ]]
	names=$(cut -d = -f 1 <<<"$output" | sort | tr '\n' ' ')
	[ "$names" = 'CHOCK CHOCK_SESSION HOME LANG LC_ALL LC_TIME LSAN_OPTIONS PATH PWD TERM TMPDIR TZ XDG_CACHE_HOME ' ]
	[[ $output == *"HOME=/run/chock/home"* && $output == *"CHOCK_SESSION=s1"* ]]
	run -0 chock-spawn -p base --env GH_TOKEN=given -- env
	[[ $output == *GH_TOKEN=given* && $output != *canary* ]]
}

@test "has the time zone that the host has" {
	[ -e /etc/localtime ] || skip "nothing measured: no /etc/localtime"
	unset TZ
	run -0 chock-spawn -p base -- date -d @0 +%Z%z
	[ "$output" = "$(date -d @0 +%Z%z)" ]
	export TZ=Asia/Kolkata
	run -0 chock-spawn -p base -- date -d @0 +%Z%z
	[ "$output" = "$(date -d @0 +%Z%z)" ]
}

@test "shows with base nothing of /etc that names or keeps a secret" {
	run -0 chock-spawn -p base -- sh -c \
		'find -L /etc -readable 2>/dev/null | sort; ls -A /etc'
	for secret in shadow shadow- gshadow gshadow- sudoers sudoers.d \
		ssl/private ssh security/opasswd machine-id krb5.keytab \
		pki/tls/private letsencrypt wireguard NetworkManager cron.d; do
		[[ $output != *"/etc/$secret"* ]]
	done
	[[ $output == */etc/passwd* ]]
	# Root owns them, so that what is not there is all that keeps them.
	for secret in shadow gshadow sudoers; do
		[ -e "/etc/$secret" ] || continue
		run -1 chock-spawn -p base -- cat "/etc/$secret"
		[[ $output == *'No such file'* ]]
	done
	run -1 chock-spawn -p base -- \
		sh -c 'find -L /etc -type f -exec grep -l "PRIVATE KEY-----" {} +'
	[ -z "$output" ]
}

# -- devices
#
# In a mount namespace of the test's own, /sys and /dev are drawn: a USB device,
# whose node is the host's /dev/full, and one whose node nobody may open.

drawn() {
	local at=$BATS_TEST_TMPDIR/drawn
	mkdir -p "$at/sys/bus/usb/devices"/{1-1,1-2,1-3} "$at/dev"/{pts,shm,bus}
	local number=6018 node
	for node in 1-1 1-2 1-3; do
		echo 1d50 >"$at/sys/bus/usb/devices/$node/idVendor"
		echo $number >"$at/sys/bus/usb/devices/$node/idProduct"
		echo 1:7 >"$at/sys/bus/usb/devices/$node/dev"
		echo "DEVNAME=bus/$node" >"$at/sys/bus/usb/devices/$node/uevent"
		number=$((number + 1))
	done
	touch "$at/dev"/{null,zero,full,random,urandom,tty,bus/1-1,bus/1-2,bus/1-3}
	unshare --user --map-root-user --mount sh -c '
		cd "$1/dev" && shift
		for node in null zero full random urandom tty; do
			mount --bind "/dev/$node" "$node" || exit
		done
		mount --bind /dev/full bus/1-1 && mount --bind /dev/null bus/1-2 &&
			mount --rbind "$PWD" /dev && mount --rbind ../sys /sys &&
			cd - >/dev/null && exec "$@"' - "$at" "$@"
}

devices=('device device.usb.1d50.6018' 'allow device.usb.1d50.6018')

@test "grants a device by what it is, and no other" {
	printf '%s\n' "${devices[@]}" >"$policy"
	run -1 drawn chock-spawn -p base --read "$helpers" -- \
		"$helpers/act" call openat -1 s:/dev/bus/1-1 2
	[ "$output" = ENOENT ]
	run -0 drawn chock-spawn -p base -p "$policy" --read "$helpers" -- \
		"$helpers/act" call openat -1 s:/dev/bus/1-1 2
	run -1 drawn chock-spawn -p base -p "$policy" -- \
		sh -c 'head -c 1 /dev/zero >/dev/bus/1-1'
	[[ $output == *'No space left on device'* ]]
	run -0 drawn chock-spawn -p base -p "$policy" -- ls /dev/bus
	[ "$output" = 1-1 ]
	# All that is not nodev is the device and those that are always there.
	run -0 drawn chock-spawn -p base -p "$policy" -- \
		awk '$6 !~ /nodev/ { print $5 }' /proc/self/mountinfo
	[[ $output == */dev/bus/1-1* ]]
	run -1 drawn chock-spawn -p base -p "$policy" --read "$helpers" -- \
		"$helpers/act" call chmod s:/dev/bus/1-1 438
	[ "$output" = EROFS ]
}

@test "refuses a device that is not there, not allowed, or not the one" {
	while IFS='|' read -r status first second message; do
		printf '%s\n' "$first" "$second" >"$policy"
		run "-$status" --separate-stderr drawn chock-spawn -p base \
			-p "$policy" -- true
		[ "$stderr" = "chock-spawn: $policy:1:1: $message" ]
	done <<-'END'
		100|device device.usb.1d50.6018|read /usr|cannot grant 'device.usb.1d50.6018': the policy answers ask, and nobody can be asked; 'allow device.usb.1d50.6018' grants it
		100|device device.usb.1d50.6018|deny device.*|cannot grant 'device.usb.1d50.6018': the policy answers deny, and nobody can be asked; 'allow device.usb.1d50.6018' grants it
		125|device device.usb.ffff.0001|allow device.*|cannot grant 'device.usb.ffff.0001': no such device; there is device.usb.1d50.6018, device.usb.1d50.6019, device.usb.1d50.6020
		125|device device.gpu.*|allow device.*|cannot grant 'device.gpu.*': no such device that is allowed; there is device.usb.1d50.6018, device.usb.1d50.6019, device.usb.1d50.6020
		125|device device.usb.1d50.6019|allow device.*|cannot grant '/dev/bus/1-2': it is no longer the device that was found there
		125|device device.usb.1d50.6020|allow device.*|cannot grant '/dev/bus/1-3': it is no longer the device that was found there
	END
	chmod 0 "$BATS_TEST_TMPDIR/drawn/dev/bus/1-3"
	run -125 --separate-stderr drawn chock-spawn -p base -p "$policy" -- true
	[ "$stderr" = "chock-spawn: $policy:1:1: cannot grant a device: cannot open '/dev/bus/1-3': Permission denied" ]
}

@test "grants of a class what the policy allows, and by a ceiling no more" {
	printf 'device device.usb.*\nallow device.usb.1d50.6018\n' >"$policy"
	run -0 drawn chock-spawn -p base -p "$policy" -- ls /dev/bus
	[ "$output" = 1-1 ]
	mkdir ceiling
	echo 'deny device.usb.*' >ceiling/chock.policy
	run -125 drawn chock-spawn -p base -p "$policy" --project "$PWD/ceiling" \
		-- true
	[[ $output == *"no such device that is allowed"* ]]
}

# -- layouts

# layout SCRIPT COMMAND... - on a root of its own, which SCRIPT fills
#
# It has the programs of this machine at /usr, and chock where it is.
layout() {
	unshare --user --map-root-user --mount sh -c '
		set -e
		mount -t tmpfs root "$1" && cd "$1"
		mkdir etc run old
		for dir in /usr /proc /dev "$2" "$3" "$4"; do
			mkdir -p ".$dir"
			mount --rbind "$dir" ".$dir"
		done
		eval "$5"
		pivot_root . old && cd / && umount -l old
		shift 5 && exec "$@"' sh "$BATS_TEST_TMPDIR/root" \
		"$(cd "$BATS_TEST_DIRNAME/.." && pwd)" "$CHOCK_BUILD" \
		"$BATS_TEST_TMPDIR" "$@"
}

setup_layout() {
	mkdir -p "$BATS_TEST_TMPDIR/root"
	[ -d /usr/bin ] && [ -d /usr/lib ] && [ -L /bin ] ||
		skip 'nothing measured: this machine has no merged /usr to lay out'
}

# In all of them a program runs, finds its libraries, and sees what base names.
seen='ls -d /bin /lib64 /etc/resolv.conf; cat /etc/resolv.conf; stat -c %F /bin'

@test "runs programs where /bin and /lib are links into /usr" {
	setup_layout
	run -0 layout 'for dir in bin sbin lib lib64; do
			[ ! -e "/usr/$dir" ] || ln -s "usr/$dir" "$dir"
		done
		mkdir -p run/systemd && echo "nameserver ::1" >run/systemd/resolv.conf
		ln -s ../run/systemd/resolv.conf etc/resolv.conf' \
		chock-spawn -p base -- sh -c "$seen"
	[[ $output == *'nameserver ::1'*'symbolic link' ]]
}

@test "runs programs where /bin and /lib are directories, and none is linked" {
	setup_layout
	run -0 layout 'for dir in bin sbin lib lib64; do
			[ ! -e "/usr/$dir" ] || { mkdir "$dir"; mount --rbind "/usr/$dir" "$dir"; }
		done
		echo "nameserver ::2" >etc/resolv.conf' \
		chock-spawn -p base -- sh -c "$seen"
	[[ $output == *'nameserver ::2'*directory ]]
}

@test "runs programs where links lead over links, and some lead nowhere" {
	setup_layout
	run -0 layout 'ln -s usr/bin bin && ln -s usr/lib lib
		ln -s usr/lib64 real64 && ln -s /real64 lib64
		ln -s /nowhere/resolv.conf etc/resolv.conf' \
		chock-spawn -p base -- sh -c 'ls -d /lib64/. /bin/sh; cat /etc/resolv.conf || echo none'
	[[ $output == *none ]]
}

# -- a home is no project

@test "takes no home for the project that a policy grants" {
	HOME=$there/home
	mkdir -p "$HOME/.ssh" "$HOME/work"
	echo secret >"$HOME/.ssh/key"
	ln -s "$HOME" "$BATS_TEST_TMPDIR/link"
	for word in read write; do
		for at in "$HOME" "$there" "$BATS_TEST_TMPDIR/link"; do
			cd "$at"
			run -100 with "$word @project@" -- cat "$HOME/.ssh/key"
			[ "$output" = "chock-spawn: $policy:1:1: the project would be \
'$(pwd -P)', which has the whole home in it; run it in a directory below \
'$HOME', or say --project if it is meant" ]
		done
	done
	# Who names it means it, and below it is no home.
	cd "$HOME"
	options=(--project "$HOME")
	run -0 with 'read @project@' -- cat .ssh/key
	options=(--read "$HOME")
	run -0 with -- cat .ssh/key
	options=()
	run -0 with 'read @project@ tool other' -- true
	cd work
	run -0 with 'write @project@' -- touch new
	[ -e new ]
}
