#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The policy language: a mistake is one error with its place, and nothing of
# a file with a mistake is in force.
#
# Who runs it makes no difference.

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

@test "takes every statement that this version holds, in each of its forms" {
	cat >p <<-'END'
		agent main
		agent reviewer parent main
		read /opt/toolchain
		read ~/.cargo noexec
		read /lib64 optional
		write @project@
		write @project@/build noexec optional
		write "/with blank/and \"quote\" and \\" # a comment
		hide .env
		hide secrets/**
		hide **/*.pem
		hide ~/.netrc
		hide @project@/key
		tmpfs /tmp
		env LANG=C.UTF-8
		env EMPTY=
		net host
		limit scratch 4GiB
		limit processes 50%
		limit time 120s
		limit core 0
		limit data none
		apply squash
		driver namespaces
		subagents width 6 depth 0
		expires 9999-12-31
		include base
	END
	accepts
}

# The message shows that the form is right: a wrong one is said first.
@test "lets nobody enforce what this version does not hold, by name and place" {
	while IFS='|' read -r statement column what; do
		printf '# one\n%s\n' "$statement" >p
		run -100 --separate-stderr chock-spawn --policy ./p --check
		[ "$stderr" = "chock-spawn: ./p:2:$column: this version cannot $what" ]
		printf '# one\n%s\n' "$statement" >chock.policy
		run -100 --separate-stderr chock-spawn --project . --check
		[[ $stderr == *"/chock.policy:2:$column: this version cannot $what" ]]
		run -3 --separate-stderr chock-policy-eval --policy ./p call.unheard
		[[ $stderr == "chock-policy-eval: ./p:2:1: nothing in this version holds '"* ]]
	done <<-'END'
		publish 8080|1|hold 'publish'
		publish 127.0.0.1:8080|1|hold 'publish'
		publish [::1]:8080|1|hold 'publish'
		nat64 64:ff9b::/96|1|hold 'nat64'
		secret GITHUB_TOKEN to exec.path.gh tool run_command|1|hold 'secret'
		credential openai env:OPENAI_API_KEY|1|hold 'credential'
		auth net.http.com.openai.api bearer openai|1|hold 'auth'
		auth net.http.com.example basic user password cleartext yes|1|hold 'auth'
		auth net.http.com.example header X-Key key|1|hold 'auth'
		auth net.http.com.example query key key|1|hold 'auth'
		syscalls deny sysv_ipc|10|hold 'syscalls deny'
		budget USD 5|1|hold 'budget'
		reviewer ask-a-model --fast "two words"|1|hold 'reviewer'
		sink dir /var/log/chock|1|hold 'sink'
		sink syslog /dev/log|1|hold 'sink'
		ca-bundle /etc/ssl/certs/ca-certificates.crt|1|hold 'ca-bundle'
		mcp time mcp-server-time --local|1|hold 'mcp'
		net filtered|5|hold 'net filtered'
	END
}

@test "refuses a limit whose value is none" {
	for limit in 'files 0' 'core 50%' 'scratch none' 'cow none' 'disk 50%' 'memory 1MiB' 'cpu 2s' 'cache 5%'; do
		printf '\nlimit %s\n' "$limit" >p
		run -100 --separate-stderr chock-policy-eval --policy ./p git.push
		[[ $stderr == "chock-policy-eval: ./p:2:1: limit ${limit%% *}: "* ]]
	done
}

@test "names in one line a file what of it nobody holds, and counts the rest" {
	printf 'include ./q\nauth net.http.x bearer n\nauth net.http.y bearer n\nmcp a b\nnet filtered\nsink dir /x\nreviewer a\nbudget USD 5\n' >p
	printf 'syscalls deny ptrace\n' >q
	run -3 --separate-stderr chock-policy-eval --policy ./p net.listen
	[ "$(sort <<<"$stderr")" = "chock-policy-eval: ./p:2:1: nothing in this version holds 'auth', 'mcp', 'net filtered', 'sink' and 2 more: do not rely on it
chock-policy-eval: ./q:1:1: nothing in this version holds 'syscalls deny': do not rely on it" ]
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
	refuses "'./p': more than 1048576 bytes"
}

@test "holds a file to 4096 statements" {
	seq -f 'read /a%g' 4096 >p
	accepts
	printf 'read /one-more\n' >>p
	refuses './p:4097:1: more than 4096 statements'
}

@test "holds a line to 16 KiB and a file of one line to the same" {
	printf 'tmpfs  /%s\n' "$(head -c 16376 /dev/zero | tr '\0' x)" >p
	accepts
	printf 'tmpfs  /%s\n' "$(head -c 16377 /dev/zero | tr '\0' x)" >p
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
	refuses "no policy 'bsae' is shipped; did you mean 'base'?" bsae
	refuses "no policy 'my.policy' is shipped; a file is named by a path with a slash, such as ./my.policy" my.policy
	refuses "no policy '.' is shipped; a file is named by a path with a slash" .
	refuses "cannot open './gone': No such file or directory" ./gone
	mkdir dir
	refuses "'./dir' is not a regular file" ./dir
	mkfifo fifo
	refuses "'./fifo' is not a regular file" ./fifo
}

@test "says nothing of a file's names that could move a terminal" {
	bad=$'./x\e]0;owned\a'
	printf 'zzz\n' >"$bad"
	refuses "./x?]0;owned?:1:1: 'zzz' is no statement" "$bad"
}

# apart MESSAGE OPTION... - these do not go together
apart() {
	run -100 --separate-stderr chock-policy-eval "${@:2}" </dev/null
	printf 'got: %s\n' "$stderr"
	[ "$output" = "" ]
	[ "$stderr" = "chock-policy-eval: $1" ]
}

@test "refuses two things to do at once, and names both" {
	apart '--files does not go with --list' --list --files
	apart '--cases does not go with --check' --check --cases ./t
	apart '--freeze does not go with an action' --freeze git.push
	apart '--list does not go with --format openai' --format openai --list
	apart '--format mcp does not go with an action' --format mcp git.push
}

@test "refuses options that mean nothing for what is to be done, and names both" {
	apart '--state does not go with --list' --list --state ./log
	apart '--suffixes does not go with records' --suffixes ./s
	apart '--explain does not go with --cases' --cases ./t --explain
	apart '--explain does not go with --format openai' --explain --format openai
	apart '--filter does not go with an action' --filter git.push
	apart '--filter does not go with --format openai' --filter --format openai
	apart '--refused-fd does not go with --files' --files --refused-fd 2
	apart '--refused-fd does not go with records without --filter' --refused-fd 2
	apart '--control-fd does not go with --format openai' --format openai --control-fd 0
	apart '--control-fd does not go with an action' --control-fd 0 git.push
	apart '--server does not go with records' --server x
	apart '--timeout does not go with --format mcp' --format mcp --server x \
		--refused-fd 2 --timeout 2s
	apart '--format mcp needs --server' --format mcp --refused-fd 2
	apart '--format mcp needs --refused-fd' --format mcp --server x
	for option in --policy --ceiling; do
		apart "--frozen-fd is all policies: $option does not go with it" \
			--frozen-fd 0 "$option" base git.push
	done
	apart '--frozen-fd is all policies: --find-policy does not go with it' \
		--frozen-fd 0 --find-policy git.push
}

@test "refuses a project that is not there" {
	for how in --check '--list' 'web.search'; do
		run -100 --separate-stderr chock-policy-eval --project typo "$how"
		[ "$stderr" = "chock-policy-eval: cannot find the project 'typo': No such file or directory" ]
	done
	run -100 --separate-stderr chock-policy-eval --project /dev/null web.search
	[ "$stderr" = "chock-policy-eval: the project '/dev/null' is no directory" ]
}
