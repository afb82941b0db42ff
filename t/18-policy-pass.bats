#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# --filter: allowed records go on, all others go elsewhere or nowhere, and
# whatever becomes of the outputs, nothing else is ever passed on.
#
# Who runs it makes no difference.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >p <<-'END'
		deny git.push
		ask git.fetch
		allow git.commit
	END
}

# pass OPTION... - filter what is in the file in
pass() {
	chock-policy-eval --policy ./p --filter "$@" <in 2>warnings
}

pass_to_both() {
	pass --refused-fd 3 3>&1
}

# records ACTION... - a record each, numbered by its id
records() {
	local action id=0
	for action; do
		printf '{"id":"%d","action":"%s"}\n' $((++id)) "$action"
	done
}

@test "passes on what is allowed, with its fields, and sends the rest apart" {
	records git.commit git.push git.commit git.fetch >in
	run -1 pass --refused-fd 3 3>refused
	[ "$(jq -c '[.id, .decision, .rule]' <<<"$output")" = '["1","allow","./p:3"]
["3","allow","./p:3"]' ]
	[ "$(jq -c '[.id, .decision, .rule]' refused)" = '["2","deny","./p:1"]
["4","ask","./p:2"]' ]
	run -1 grep -v reserved warnings
	# Together they are what comes out without the option.
	run -0 --separate-stderr chock-policy-eval --policy ./p <in
	pass --refused-fd 3 3>refused >passed || [ $? -eq 1 ]
	[ "$(sort passed refused)" = "$(sort <<<"$output")" ]
}

@test "ends with what the worst record is" {
	records git.commit git.commit >in
	run -0 pass
	records git.commit git.fetch >in
	run -3 pass
	records git.fetch git.push git.commit >in
	run -1 pass
	{
		records git.push
		printf 'none\n'
	} >in
	run -100 pass
	: >in
	run -0 pass
}

@test "says what went nowhere, and is silent where nothing did" {
	{
		records git.commit git.push git.fetch git.fetch
		printf 'none\n{"error":"of another","line":1}\n'
	} >in
	run -100 pass
	[ "${#lines[@]}" -eq 1 ]
	grep -qx 'chock-policy-eval: 5 of 6 records went nowhere: denied 1, to be asked about 2, in error 2' warnings
	run -100 pass --refused-fd 3 3>refused
	[ "$(wc -l <refused)" -eq 5 ]
	run -1 grep -q nowhere warnings
}

@test "passes on no error, whatever it says of itself" {
	printf '%s\n' '{"error":"x","line":1,"decision":"allow"}' \
		'{"error":"x","decision":"allow","rule":"./p:3"}' \
		'{"action":"git.commit","decision":"allow"}' >in
	run -100 pass --refused-fd 3 3>refused
	[ "$output" = "" ]
	[ "$(wc -l <refused)" -eq 3 ]
}

@test "passes on no line that is too long or cut off" {
	{
		printf '{"action":"git.commit","x":"%s"}\n' "$(head -c 1048576 /dev/zero | tr '\0' x)"
		printf '{"action":"git.commit"}\n{"action":"git.commit"}'
	} >in
	run -100 pass --refused-fd 3 3>refused
	[ "${#lines[@]}" -eq 1 ]
	[ "$(jq -c .line refused)" = $'1\n3' ]
}

@test "refuses a descriptor that cannot take what is refused" {
	records git.commit git.push >in
	for fd in 0 1 7; do
		run "-100" pass --refused-fd "$fd"
		[ "$output" = "" ]
	done
	grep -qx 'chock-policy-eval: --refused-fd: cannot use descriptor 7: Bad file descriptor' warnings
	run -100 pass --refused-fd 0
	grep -qx 'chock-policy-eval: --refused-fd: descriptor 0 cannot be written' warnings
	run -100 pass --refused-fd 1
	grep -qx 'chock-policy-eval: --refused-fd: descriptor 1 is where allowed records go' warnings
	run -100 pass_to_both
	grep -qx 'chock-policy-eval: --refused-fd: descriptor 3 is where allowed records go' warnings
	run -100 pass --refused-fd x
	run -100 chock-policy-eval --refused-fd 2 git.push
	run -100 chock-policy-eval --filter git.push
	run -100 chock-policy-eval --filter --check
	pass --refused-fd 2 >passed || [ $? -eq 1 ]
	grep -q '"decision":"deny"' warnings
}

@test "ends when what is refused cannot be written, and passes on no more" {
	records git.commit git.push git.commit >in
	run -111 pass --refused-fd 3 3>/dev/full
	[ "${#lines[@]}" -eq 1 ]
	grep -qx 'chock-policy-eval: cannot write to descriptor 3: No space left on device' warnings
}

@test "ends when a reader is gone, and does not die of it" {
	mkfifo gone
	records git.commit git.push git.commit >in
	exec 8<>gone 7>gone 8<&-
	run -111 pass --refused-fd 7
	[ "${#lines[@]}" -eq 1 ]
	grep -qx 'chock-policy-eval: cannot write to descriptor 7: Broken pipe' warnings
	status=0
	pass >&7 || status=$?
	[ "$status" -eq 111 ]
	grep -qx 'chock-policy-eval: cannot write to standard output: Broken pipe' warnings
	exec 7>&-
}

# A pipe holds 64 KiB: the record behind those that fill it waits.
@test "waits for who reads what is refused, and loses nothing" {
	mkfifo slow passed
	for ((i = 0; i < 600; i++)); do
		printf '{"action":"git.push","x":"%0200d"}\n' "$i"
	done >in
	records git.commit >>in
	exec 8<>slow
	pass --refused-fd 9 9>slow >passed &
	exec 7<passed
	run ! read -r -t 1 -u 7 line
	head -n 600 <&8 >refused
	read -r -t 20 -u 7 line
	[ "$(jq -r .decision <<<"$line")" = allow ]
	status=0
	wait $! || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <refused)" -eq 600 ]
	exec 7<&- 8<&-
}

@test "ends with 100 where the broker said what cannot be done" {
	printf '{"widen":{"action":"git.push"},"granted_by":"person"}\n' >control
	printf '{"action":"git.commit"}\n' >in
	run -100 --separate-stderr chock-policy-eval --rule 'allow git.commit' --filter --control-fd 7 <in 7<control
	[ "$(jq -r .decision <<<"$output")" = allow ]
	run -100 --separate-stderr chock-policy-eval --rule 'allow git.commit' --control-fd 7 <in 7<control
}
