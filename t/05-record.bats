#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# chock-record: any bytes go into a record and come out of it as they were.
#
# Who runs it makes no difference.

load lib/chock

setup() {
	# shellcheck disable=SC2154
	record=$libexec/chock-record
	cd "$BATS_TEST_TMPDIR" || return
}

@test "makes a record of fields in the order of the words" {
	run -0 "$record" make b=1 'a:=[1,{"x":null}]' c=
	[ "$output" = '{"b":"1","a":[1,{"x":null}],"c":""}' ]
}

@test "makes an empty record of no words" {
	run -0 "$record" make
	[ "$output" = '{}' ]
}

@test "puts the words behind -- into argv" {
	run -0 "$record" make tool=run_command -- ls -- '' 'a b'
	[ "$output" = '{"tool":"run_command","argv":["ls","--","","a b"]}' ]
}

@test "takes all that is on standard input, newlines too" {
	run -0 "$record" make text@ <<<$'a\nb'
	[ "$output" = '{"text":"a\nb\n"}' ]
}

@test "brings any bytes back as they were" {
	bytes=$' a\tb\n"\\\xff\xc3\n\n'
	"$record" make v="$bytes" >made
	[ "$(wc -l <made)" -eq 1 ]
	"$record" get v <made >back
	printf %s "$bytes" >expected
	cmp expected back
	head -c 100000 /dev/urandom >random
	"$record" make v@ <random >made
	"$record" get v <made >back
	cmp random back
}

@test "adds no newline to what it gets" {
	"$record" get v <<<'{"v":"x"}' >back
	[ "$(wc -c <back)" -eq 1 ]
	"$record" get v <<<'{"v":"x\n"}' >back
	[ "$(wc -c <back)" -eq 2 ]
}

@test "keeps a record on one line" {
	run -0 "$record" make $'a:={"x":\n\r1}'
	[ "${#lines[@]}" -eq 1 ]
	[ "$(json .a.x <<<"$output")" -eq 1 ]
}

@test "gets by a path of names and indices" {
	in='{"a":{"b":[1,{"c":"x"}]},"":"empty"}'
	run -0 "$record" get a.b.1.c <<<"$in"
	[ "$output" = x ]
	run -0 "$record" get a.b <<<"$in"
	[ "$output" = '[1,{"c":"x"}]' ]
	run -0 "$record" get '' <<<"$in"
	[ "$output" = empty ]
	name=$(printf '%0300d' 0)
	run -0 "$record" get "$name" <<<"{\"$name\":true}"
	[ "$output" = true ]
}

@test "answers no where there is nothing" {
	for path in b a.b a.b.c l.2 l.x l.-1 s.x; do
		run -1 "$record" get "$path" <<<'{"a":1,"l":[1,2],"s":"x"}'
		[ -z "$output" ]
	done
}

# assigned WORD... - what sh has in $v, byte for byte, of the record on input
assigned() {
	local script
	script=$("$record" assign "$@")
	sh -c "$script"'
		printf %s "$v"' >back
}

@test "assigns to variables of sh, whatever the bytes" {
	local bytes
	for bytes in '' x 'a b' "'" "'; touch made; '" '$(touch made)' '`touch made`' \
		$'"\\\n' $'\xff\n\n' '~' '*' '#x' 'a=b' '-n' $'\n'; do
		"$record" make "f=$bytes" | assigned v=f
		printf %s "$bytes" | cmp - back
	done
	[ ! -e made ]
	assigned v=a w=b <<<'{"a":{"b":[1]},"b":2}'
	[ "$(cat back)" = '{"b":[1]}' ]
}

@test "assigns each element of an array as a word" {
	local script
	script=$(
		"$record" assign v='b.*.c' w='b.*' <<'END'
{"b":[{"c":"x y"},{"d":1},{"c":"'; touch made; '"},{"c":""},{"c":"*"}]}
END
	)
	run -0 sh -c "$script"'
		eval "set -- $v" && printf "<%s>" "$@"
		eval "set -- $w" && echo $#'
	[ "$output" = "<x y><><'; touch made; '><><*>5" ]
	[ ! -e made ]
	assigned v='l.*' <<<'{"l":["a",2]}'
	[ "$(cat back)" = 'a 2' ]
}

@test "empties a variable for which there is nothing" {
	for path in b a.b l.2 'a.*' '*' 'x.*' 'b.*.c'; do
		run -0 "$record" assign "v=$path" <<<'{"a":1,"l":[1,2],"s":"x"}'
		[ "$output" = "v=''" ]
	done
	assigned v=a w=none <<<'{"a":"x"}'
	[ "$(cat back)" = x ]
}

@test "refuses to assign to what is no variable" {
	for word in x =a 1a=b 'a b=c' 'a;b=c' 'a$=b' ''; do
		run -100 "$record" assign "$word" <<<'{"b":1}'
		[ "$output" = "chock-record: '$word' is not VARIABLE=PATH" ]
	done
	run -100 "$record" assign a=b <<<'[]'
	run -100 "$record" assign
}

@test "refuses words that are no fields" {
	for word in x =1 :=1 @ a:1 a@b 'a:=' 'a:=x' 'a:=1,"b":2' 'a:=1 2' \
		$'\xff=1' 'a:={"x":1,"x":2}'; do
		run -100 "$record" make "$word"
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == 'chock-record: '* ]]
	done
}

@test "refuses a name that is given twice" {
	run -100 "$record" make a=1 b=2 a=3
	[ "$output" = "chock-record: 'a' is given twice" ]
	run -100 "$record" make argv=1 -- x
	run -100 "$record" make a@ b@ </dev/null
}

@test "refuses what is not one record" {
	for in in '' '[]' '{"a":1,"a":2}' '{"a":1' $'{"a":1}\n{"a":2}' \
		$'{"a":1}\nx'; do
		run -100 "$record" get a <<<"$in"
		[[ $output == 'chock-record: '* ]]
	done
	run -100 "$record" get a </dev/null
	run -100 "$record" get a < <(printf '{"a":1}')
}

@test "makes a record of 1048576 bytes and refuses one more" {
	head -c 1048568 /dev/zero | tr '\0' x >text
	# shellcheck disable=SC2016
	run -0 bash -c '"$1" make v@ <text >made' - "$record"
	[ "$(wc -c <made)" -eq 1048577 ]
	"$record" get v <made >back
	cmp text back
	printf x >>text
	run -100 "$record" make v@ <text
	head -c 1100000 /dev/zero >text
	run -100 "$record" make v@ <text
}

@test "refuses a call that is wrong" {
	run -100 "$record"
	run -100 "$record" get
	run -100 "$record" get a b
	run -100 "$record" put a
	run -100 "$record" --no-such
}
