#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Options: what they mean is said once, and a wrong one ends the program
#
# chock-opt is a program with one option of each kind; it prints what it got.
#
# Who runs it makes no difference.

load lib/chock

opt() {
	"$helpers/opt" "$@"
}

@test "takes each kind of option, by letter and by name" {
	[ "$(opt -v -o one -l a -l b -n 7)" = \
		'flag:1 str:one list:a,b, num:7 time:0 fd:-1 rest:' ]
	[ "$(opt --verbose --output one --list=a --list b --number=7)" = \
		'flag:1 str:one list:a,b, num:7 time:0 fd:-1 rest:' ]
}

@test "takes letters in one word, the last of them with its value" {
	[ "$(opt -vofile -l=x)" = 'flag:1 str:file list:=x, num:0 time:0 fd:-1 rest:' ]
	[ "$(opt -vo file)" = 'flag:1 str:file list: num:0 time:0 fd:-1 rest:' ]
}

@test "refuses a second value where only one counts" {
	for words in '-o a --output=b' '-o a -o a' '--output a -vo b'; do
		# shellcheck disable=SC2086
		run -100 --separate-stderr opt $words
		[ "$stderr" = 'chock-opt: --output: given twice, and one value counts' ]
	done
	run -100 --separate-stderr opt -n 1 -n 2
	[ "$stderr" = 'chock-opt: --number: given twice, and one value counts' ]
	run -100 --separate-stderr opt -t 1 --time 1
	[ "$stderr" = 'chock-opt: --time: given twice, and one value counts' ]
	run -100 --separate-stderr opt --status-fd 1 --status-fd=1
	[ "$stderr" = 'chock-opt: --status-fd: given twice, and one value counts' ]
	[ "$(opt -v -v --verbose)" = 'flag:1 str:(none) list: num:0 time:0 fd:-1 rest:' ]
}

@test "takes an empty value, and one that looks like an option" {
	[ "$(opt --output= -l '' -l --verbose)" = \
		'flag:0 str: list:,--verbose, num:0 time:0 fd:-1 rest:' ]
}

@test "ends options at the first other word, at - and behind --" {
	[ "$(opt word -v)" = 'flag:0 str:(none) list: num:0 time:0 fd:-1 rest:word -v' ]
	[ "$(opt -v - -v)" = 'flag:1 str:(none) list: num:0 time:0 fd:-1 rest:- -v' ]
	[ "$(opt -v -- -v)" = 'flag:1 str:(none) list: num:0 time:0 fd:-1 rest:-v' ]
	[ "$(opt -- --)" = 'flag:0 str:(none) list: num:0 time:0 fd:-1 rest:--' ]
}

@test "takes a descriptor that is open and no other" {
	[ "$(opt --status-fd 5 5>&1)" = \
		'flag:0 str:(none) list: num:0 time:0 fd:5 rest:' ]
	run -100 --separate-stderr opt --status-fd 77
	[ "$stderr" = 'chock-opt: --status-fd: cannot use descriptor 77: Bad file descriptor' ]
	for word in x -1 '' 99999999999 ' 1'; do
		run -100 --separate-stderr opt --status-fd="$word"
		[ "$stderr" = "chock-opt: --status-fd: '$word' is not a descriptor" ]
	done
}

@test "takes a number up to its bound" {
	[[ $(opt -n 1000) == *num:1000* ]]
	run -100 --separate-stderr opt -n 1001
	[ "$stderr" = 'chock-opt: --number: 1001 is more than 1000' ]
	run -100 --separate-stderr opt -n 1k
	[ "$stderr" = "chock-opt: --number: '1k' is not a number" ]
}

@test "takes a time with and without a unit, between its bounds" {
	[[ $(opt -t 90) == *time:90* ]]
	[[ $(opt --time=5m) == *time:300* ]]
	[[ $(opt -t 1d) == *time:86400* ]]
	run -100 --separate-stderr opt -t 25h
	[ "$stderr" = 'chock-opt: --time: 25h is more than 86400 seconds' ]
	for word in 0 soon '' -1 5M '5 m' m; do
		run -100 --separate-stderr opt --time="$word"
		[ "$stderr" = "chock-opt: --time: '$word' is not a time, such as 90s" ]
	done
}

@test "names the option that was probably meant" {
	run -100 --separate-stderr opt --ouptut x
	[ "$stderr" = 'chock-opt: no option --ouptut; did you mean --output?' ]
	[ -z "$output" ]
	run -100 --separate-stderr opt --hlep
	[ "$stderr" = 'chock-opt: no option --hlep; did you mean --help?' ]
	run -100 --separate-stderr opt --nothing-like-it=x
	[ "$stderr" = "chock-opt: no option --nothing-like-it; see 'chock opt --help'" ]
}

@test "takes no abbreviation, for it may mean something else tomorrow" {
	run -100 --separate-stderr opt --out x
	[[ $stderr == 'chock-opt: no option --out;'* ]]
}

@test "refuses an unknown letter, a missing value and one too many" {
	run -100 --separate-stderr opt -vx
	[ "$stderr" = "chock-opt: no option -x; see 'chock opt --help'" ]
	run -100 --separate-stderr opt -o
	[ "$stderr" = 'chock-opt: -o needs FILE' ]
	run -100 --separate-stderr opt --output
	[ "$stderr" = 'chock-opt: --output needs FILE' ]
	run -100 --separate-stderr opt --verbose=yes
	[ "$stderr" = 'chock-opt: --verbose takes no value' ]
	run -100 --separate-stderr opt --help=me
	[ "$stderr" = 'chock-opt: --help takes no value' ]
}

@test "shows foreign bytes of a wrong option as question marks, in one line" {
	run -100 --separate-stderr opt $'--\e]0;owned\a\n\xff'
	[ "$stderr" = "chock-opt: no option --?]0;owned???; see 'chock opt --help'" ]
}

@test "prints a help with every option and heading, and the version" {
	run -0 --separate-stderr opt --help
	[ "$output" = "usage: chock-opt [-v] WORD...
       chock-opt --list ITEM
                        [--number N]

chock-opt - print options

  -v, --verbose           say more
  -o, --output FILE       write to FILE
  -l, --list ITEM         one more item
  -n, --number N          a number of at most 1000
  -t, --time TIME         from a second to a day

descriptors:
      --status-fd N       an open descriptor
      --a-name-too-long-for-its-column VALUE
                          takes a line of its own

  -h, --help              print this and exit
      --version           print the version and exit

The manual is chock-opt(1)." ]
	[ "$(opt -vh)" = "$output" ]
	[[ $(opt --version) =~ ^chock-opt\ [0-9]+\.[0-9]+ ]]
}

@test "fails when the help cannot be written" {
	status=0
	opt --help >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 111 ]
	[[ $(cat "$BATS_TEST_TMPDIR/err") == *'cannot write to standard output'* ]]
}

@test "says how it is called when the words are wrong" {
	run -100 --separate-stderr opt misuse
	[ "$stderr" = "usage: chock-opt [-v] WORD...
       chock-opt --list ITEM
                        [--number N]" ]
}
