#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The policy language: a mistake is one error with its place, and nothing of
# a file with a mistake is in force.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# refuses MESSAGE [FILE] - evaluating by FILE ends with just that message
refuses() {
	run -100 --separate-stderr chock-policy-eval --policy "${2-./p}" git.push
	printf 'got: %s\n' "$stderr"
	[ "$output" = "" ]
	[ "$stderr" = "chock-policy-eval: $1" ]
}

# accepts - evaluating by ./p gives an answer
accepts() {
	run -3 --separate-stderr chock-policy-eval --policy ./p call.unheard
	[ "$output" = "ask unnamed" ]
}

@test "names the place of a mistake, and the nearest right word" {
	while IFS= read -r line; do
		case $line in '# '*) continue ;; esac
		printf '%s\n' "$line"
		printf '%b' "${line%% => *}" >p
		refuses "./p:${line#* => }"
	done <"$data/policy/errors"
}

@test "takes every statement in each of its forms" {
	cat >p <<-'END'
		agent main
		agent reviewer parent main
		read /opt/toolchain
		read ~/.cargo noexec tool run_command agent reviewer
		read /lib64 optional
		write @project@
		write @project@/build noexec optional
		write "/with blank/and \"quote\" and \\" # a comment
		hide .env
		hide secrets/**
		tmpfs /tmp
		bind scripts/release copy write ask
		bind node_modules read_only
		device device.usb.1d50.6018
		env LANG=C.UTF-8
		env EMPTY=
		net filtered
		publish 8080
		publish 127.0.0.1:8080
		publish [::1]:8080
		nat64 64:ff9b::/96
		secret GITHUB_TOKEN to exec.path.gh tool run_command
		credential openai env:OPENAI_API_KEY
		auth net.http.com.openai.api bearer openai
		auth net.http.com.example basic user password cleartext yes
		auth net.http.com.example header X-Key key
		auth net.http.com.example query key key
		limit memory 4GiB
		limit processes 50%
		limit time 120s
		limit core 0
		limit data none
		syscalls strict
		syscalls deny sysv_ipc
		subagents width 6 depth 0
		budget USD 5
		apply park
		reviewer ask-a-model --fast "two words"
		sink dir /var/log/chock
		sink syslog /dev/log
		expires 2028-02-29
		driver namespaces
		ca-bundle /etc/ssl/certs/ca-certificates.crt
		mcp time mcp-server-time --local
		include base
	END
	accepts
}

@test "takes an empty file, and one of comments" {
	: >p
	accepts
	printf '# nothing\n\n\t \n' >p
	accepts
}

@test "holds a file to 1 MiB" {
	line=$(printf '#%.0s' {1..127})
	yes "$line" | head -c 1048576 >p
	accepts
	printf '\n' >>p
	refuses "policy './p': './p': more than 1048576 bytes"
}

@test "holds a file to 4096 statements" {
	seq -f 'read /a%g' 4096 >p
	accepts
	printf 'read /one-more\n' >>p
	refuses './p:4097:1: more than 4096 statements'
}

@test "holds a line to 16 KiB and a file of one line to the same" {
	printf 'reviewer %s\n' "$(head -c 16375 /dev/zero | tr '\0' x)" >p
	accepts
	printf 'reviewer %s\n' "$(head -c 16376 /dev/zero | tr '\0' x)" >p
	refuses './p:1:16385: the line is longer than 16 KiB'
}

@test "holds a line to 256 words" {
	printf 'reviewer%s\n' "$(printf ' x%.0s' {1..255})" >p
	accepts
	printf 'reviewer%s\n' "$(printf ' x%.0s' {1..256})" >p
	refuses './p:1:520: more than 256 words'
}

@test "holds a label to 128 bytes" {
	label=$(printf 'x%.0s' {1..128})
	printf 'agent %s\nallow any agent %s\n' "$label" "$label" >p
	run -1 chock-policy-eval --policy ./p call.unheard
	printf 'allow any tool %sx\n' "$label" >p
	refuses './p:1:16: a name longer than 128 bytes'
	printf 'agent %sx\n' "$label" >p
	refuses './p:1:7: a kind longer than 128 bytes'
	printf 'credential %sx env:A\n' "$label" >p
	refuses "./p:1:12: '${label}x' is longer than 128 bytes; it is written: credential NAME SOURCE"
}

@test "holds a policy to 256 agents" {
	seq -f 'agent a%g' 256 >p
	run -1 chock-policy-eval --policy ./p call.unheard
	printf 'agent one-more\n' >>p
	refuses './p:257:1: more than 256 agents'
}

@test "names a policy that is not there, and the nearest that is" {
	refuses "policy 'bsae': no policy 'bsae' is shipped; did you mean 'base'?" bsae
	refuses "policy 'my.policy': no policy 'my.policy' is shipped; a file is named by a path with a slash, such as ./my.policy" my.policy
	refuses "policy './gone': cannot open './gone': No such file or directory" ./gone
	mkdir dir
	refuses "policy './dir': './dir' is not a regular file" ./dir
	mkfifo fifo
	refuses "policy './fifo': './fifo' is not a regular file" ./fifo
}

@test "says nothing of a file's names that could move a terminal" {
	bad=$'./x\e]0;owned\a'
	printf 'zzz\n' >"$bad"
	refuses "./x?]0;owned?:1:1: 'zzz' is no statement" "$bad"
}
