#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2016,SC2154,SC2317
# chock-sh-setup: a program in sh reads options as one in C does, in every sh,
# and no value changes on its way
#
# A program is written for each test and run by each shell that is here.

load lib/chock

shells=(dash 'bash --posix' 'busybox sh' sh)

setup() {
	script=$BATS_TEST_TMPDIR/chock-try
}

# program BODY... - the program to be tried, with four options
program() {
	printf '%s\n' \
		'program=chock-try' \
		"usage='[-p FILE] [--] WORD..." \
		"--list'" \
		"about='try what a program in sh can do'" \
		"options='p,policy,FILE,hold it to FILE, and nothing else" \
		'	r,rule,RULE...,add one rule' \
		'	,allow-dirty,,also what is not committed' \
		"	q,a-rather-long-name-it-is,VALUE,one that needs two lines'" \
		". '$libexec/chock-sh-setup'" \
		'read_options "$@"; shift "$options_taken"' "$@" >"$script"
}

# each COMMAND... - run COMMAND SHELL... for each shell that there is
each() {
	local shell count=0
	for shell in "${shells[@]}"; do
		command -v "${shell%% *}" >/dev/null || continue
		count=$((count + 1))
		echo "with $shell"
		# shellcheck disable=SC2086
		"$@" $shell
	done
	[ "$count" -ge 2 ]
}

# refused TEXT SHELL... WORDS come from $words
refused() {
	local text=$1
	shift
	run -100 --separate-stderr "$@" "$script" "${words[@]}"
	[ "$stderr" = "chock-try: $text" ]
	[ -z "$output" ]
}

@test "prints --help as the programs in C do" {
	program
	want() {
		diff <("$@" "$script" --help) - <<-'END'
			usage: chock-try [-p FILE] [--] WORD...
			       chock-try --list

			chock-try - try what a program in sh can do

			  -p, --policy FILE       hold it to FILE, and nothing else
			  -r, --rule RULE         add one rule
			      --allow-dirty       also what is not committed
			  -q, --a-rather-long-name-it-is VALUE
			                          one that needs two lines
			  -h, --help              print this and exit
			      --version           print the version and exit

			The manual is chock-try(1).
		END
		diff <("$@" "$script" -h) <("$@" "$script" --help)
		diff <("$@" "$script" --allow-dirty -p x -h) <("$@" "$script" --help)
	}
	each want
	# The same of a program in C, so that one cannot drift from the other.
	run -0 chock-ask --help
	printf '%s\n' 'program=chock-ask' \
		"usage='[--yes ACTION]... [--timeout TIME] [--log LOG] <RECORDS'" \
		"about='put what the policy leaves open to a person'" \
		"options='y,yes,ACTION...,answer yes where ACTION is asked" \
		"t,timeout,TIME,take no answer in TIME for a no (5m; 0: wait)" \
		"l,log,LOG,keep no answer for another question; LOG has all of each'" \
		". '$libexec/chock-sh-setup'" 'read_options "$@"' >"$script"
	[ "$(sh "$script" --help)" = "$output" ]
	run -0 chock-ask --version
	[ "$(sh "$script" --version)" = "$output" ]
}

@test "reads flags, values and values that are repeated" {
	program 'printf "<%s>" "$opt_policy" "$opt_allow_dirty" "$opt_a_rather_long_name_it_is"' \
		'eval "set -- $opt_rule -- \"\$@\""' 'printf "[%s]" "$@"'
	want() {
		[ "$("$@" "$script" a -p b)" = '<><><>[--][a][-p][b]' ]
		[ "$("$@" "$script" --policy=3 --allow-dirty --allow-dirty x)" = \
			'<3><yes><>[--][x]' ]
		[ "$("$@" "$script" -r1 --rule 2 --rule= --rule=a=b -- -r 3)" = \
			'<><><>[1][2][][a=b][--][-r][3]' ]
		[ "$("$@" "$script" -p --allow-dirty - -r)" = \
			'<--allow-dirty><><>[--][-][-r]' ]
		[ "$("$@" "$script" -q '' '')" = '<><><>[--][]' ]
	}
	each want
	export opt_allow_dirty=yes opt_rule='$(touch hacked)'
	want() {
		[ "$("$@" "$script")" = '<><><>[--]' ]
	}
	each want
}

@test "answers a wrong option as the programs in C do" {
	program 'printf "not reached"'
	words=(--polcy x) && each refused 'no option --polcy; did you mean --policy?'
	words=(--hlep) && each refused 'no option --hlep; did you mean --help?'
	words=(--nonsense=1) && each refused "no option --nonsense; see 'chock try --help'"
	words=(-x) && each refused "no option -x; see 'chock try --help'"
	words=(-p) && each refused '-p needs FILE'
	words=(--policy) && each refused '--policy needs FILE'
	words=(--allow-dirty=1) && each refused '--allow-dirty takes no value'
	words=(--help=1) && each refused '--help takes no value'
	words=(-p 1 --policy=1) && each refused '--policy: given twice, and one value counts'
	words=(-p '' -p '') && each refused '--policy: given twice, and one value counts'
	words=(--pol x) && each refused "no option --pol; see 'chock try --help'"
	words=($'--\e[2J') && each refused "no option --?[2J; see 'chock try --help'"
	words=('--*') && each refused "no option --*; see 'chock try --help'"
}

@test "says how it is called" {
	program 'misuse'
	want() {
		run -100 --separate-stderr "$@" "$script"
		[ "$stderr" = $'usage: chock-try [-p FILE] [--] WORD...\n       chock-try --list' ]
	}
	each want
}

@test "prints one line, with nothing in it that a terminal would obey" {
	program 'die 111 "$1"'
	want() {
		local locale
		for locale in C C.UTF-8; do
			LC_ALL=$locale run -111 --separate-stderr "$@" "$script" \
				$'a\e]0;x\a\nb\377c\302\233d\tz\n'
			[ "$stderr" = 'chock-try: a?]0;x??b?c??d?z?' ]
		done
	}
	each want
}

@test "lets every byte through an option, a quoted word and a capture" {
	local bytes
	bytes=$(
		printf '%b' "$(printf '\\0%03o' {1..255})"
		printf .
	)
	bytes=${bytes%.}$'\n\n'
	printf '%s' "$bytes" >"$BATS_TEST_TMPDIR/bytes"
	[ "$(wc -c <"$BATS_TEST_TMPDIR/bytes")" -eq 257 ]
	program 'show() { printf "%s" "$opt_policy"; }' 'capture text show' \
		'sh_quote "$text" "$1"' \
		'eval "set -- $quoted $opt_rule"' 'printf "%s" "$#" "$@"'
	want() {
		local locale
		for locale in C C.UTF-8; do
			LC_ALL=$locale "$@" "$script" -p "$bytes" -r "$bytes" \
				--rule="$bytes" "$bytes" >"$BATS_TEST_TMPDIR/out"
			cmp "$BATS_TEST_TMPDIR/out" <(printf 4 &&
				printf '%s' "$bytes" "$bytes" "$bytes" "$bytes")
		done
	}
	each want
}

@test "captures what a command prints, and its status" {
	program 'fails() { printf "x\n\n"; return 7; }' \
		'capture text fails || status=$?' 'printf "%s<%s>" "$text" "$status"' \
		'capture text true' 'printf "[%s]" "$text"' \
		'capture text false' 'printf "not reached"'
	want() {
		run -1 "$@" "$script"
		[ "$output" = $'x\n\n<7>[]' ]
	}
	each want
}

@test "finds the programs of its own chock, wherever PATH leads" {
	program 'find_program chock-record; printf "%s\n" "$found"' \
		'find_program chock-ask; printf "%s\n" "$found"' \
		'find_program chock-nonsense'
	want() {
		run -111 --separate-stderr env PATH="$BATS_TEST_TMPDIR:/usr/bin:/bin" "$@" "$script"
		[ "$output" = "$libexec/chock-record"$'\n'"$CHOCK_BUILD/bin/chock-ask" ]
		[ "$stderr" = "chock-try: cannot find 'chock-nonsense' of this chock" ]
	}
	each want
}

@test "takes no function, separator or start-up file out of the environment" {
	program 'for word in $1; do printf "<%s>" "$word"; done'
	printf 'printf hacked\n' >"$BATS_TEST_TMPDIR/rc"
	want() {
		run -0 --separate-stderr env IFS=x ENV="$BATS_TEST_TMPDIR/rc" BASH_ENV="$BATS_TEST_TMPDIR/rc" \
			CDPATH=/ 'BASH_FUNC_printf%%=() { echo hacked; }' "$@" "$script" 'axb c'
		[ "$output" = '<axb><c>' ]
	}
	each want
}

@test "ends with 111 when its help cannot be written" {
	program
	want() {
		run -111 --separate-stderr bash -c '"$@" --help >/dev/full' - "$@" "$script"
		[ "${stderr_lines[-1]}" = 'chock-try: cannot write to standard output' ]
	}
	each want
}

@test "takes the values of a record into variables as they are" {
	"$libexec/chock-record" make $'a=x\n\n' 'b:=["1 2",{"c":"'"'"'"}]' >"$BATS_TEST_TMPDIR/record"
	program 'values "$(cat "$1")" a=a b="b.*" c=none' \
		'printf "%s|%s|%s|" "$a" "$b" "$c"' \
		'values "not a record" a=a c=c && exit 1' \
		'printf "%s|%s" "$a" "$c"'
	words=("$BATS_TEST_TMPDIR/record")
	taken() {
		run -0 --separate-stderr "$@" "$script" "${words[@]}"
		[ "$output" = $'x\n\n|\'1 2\' \'{"c":"\'\\\'\'"}\'||'"|" ]
	}
	each taken
}
