#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The tree itself: it keeps to doc/STYLE, and each check can tell if it did not
#
# A check holds the source tree and the build.  A sample is a tree of one or
# two files in the test's own directory, good at first, then spoilt.
#
# Takes longer than its size suggests.

load lib/chock

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/.." && pwd -P)
	style=$top/contrib/style
	sample=$BATS_TEST_TMPDIR/sample
}

# holds NAME - the check finds nothing in this tree
holds() {
	run "$style/check-$1" "$top" "$CHOCK_BUILD"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

# fine NAME - the check finds nothing in the sample
fine() {
	run "$style/check-$1" "$sample" "$sample/build"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

# finds NAME LINE - that is the first thing that the check finds in the sample
finds() {
	run "$style/check-$1" "$sample" "$sample/build"
	printf '%s\n' "$output"
	[ "$status" -eq 1 ] && [ "${lines[0]}" = "$2" ]
}

# put FILE - write standard input to FILE in the sample
put() {
	mkdir -p "$(dirname "$sample/$1")"
	cat >"$sample/$1"
}

@test "is formatted" { holds format; }
@test "keeps to its layers" { holds layers; }
@test "has short functions and files" { holds functions; }
@test "has headers that stand alone" { holds headers; }
@test "calls no banned function" { holds symbols; }
@test "has a true manual page for each program" { holds manuals; }
@test "ships policies that parse and answer as they should" { holds policies; }
@test "has documents that name only what is there" { holds claims; }
@test "names its licence in each source" { holds licence; }

@test "would see a line that clang-format writes another way" {
	put .clang-format <"$top/.clang-format"
	printf 'int twice(int x)\n{\n\treturn 2 * x;\n}\n' | put lib/base/a.c
	fine format
	sed -i 's/2 \*/2*/' "$sample/lib/base/a.c"
	finds format 'lib/base/a.c:3: clang-format writes it another way'
}

@test "would see a comment that is too wide, and lets a string be" {
	put .clang-format <"$top/.clang-format"
	wide=$(printf 'x%.0s' {1..60})
	printf '/* %s */\nint a(void)\n{\n\t/* %s */\n\treturn 0;\n}\n' \
		"$wide" "$wide" | put lib/base/a.c
	printf 'const char *b =\n\t"%s%s";\n' "$wide" "$wide" | put lib/base/b.c
	fine format
	sed -i "4s,x,xxxxxxxxxx," "$sample/lib/base/a.c"
	finds format 'lib/base/a.c:4: more than 80 columns'
	sed -i "4s,xxxxxxxxxx,x,; 1s,x,\"$wide\"," "$sample/lib/base/a.c"
	finds format 'lib/base/a.c:1: more than 80 columns'
}

@test "would see what shfmt and shellcheck see" {
	put .clang-format <"$top/.clang-format"
	printf '#!/bin/sh\nfor x; do\n\techo "$x"\ndone\n' | put bootstrap
	fine format
	sed -i 's/^\t/  /' "$sample/bootstrap"
	finds format 'bootstrap: shfmt writes it another way'
	sed -i -e 's/^  /\t/' -e '1s/$/\ncd \/nowhere/' "$sample/bootstrap"
	run -1 "$style/check-format" "$sample" "$sample/build"
	[[ ${lines[0]} == bootstrap:2:*SC2164* ]]
}

@test "would see a part that uses a neighbour" {
	put lib/LAYERS <<<$'base:\nlog: base\nask: base'
	put lib/base/a.h <<<''
	put lib/ask/b.h <<<''
	put lib/log/c.c <<<'#include "base/a.h"'
	fine layers
	put lib/log/c.c <<<'#include "ask/b.h"'
	finds layers 'lib/log/c.c: log may not use ask'
	put lib/log/c.c <<<'#include <jansson.h>'
	finds layers 'lib/log/c.c: <jansson.h> is for another part'
	put lib/log/c.c <<<'#include "b.h"'
	finds layers 'lib/log/c.c: "b.h" names no part'
}

@test "would see a cycle of parts, and a part without a line" {
	put lib/LAYERS <<<$'log: ask\nask: log'
	put lib/log/c.c <<<''
	put lib/ask/c.c <<<''
	finds layers 'lib/LAYERS: a part needs itself in the end'
	put lib/LAYERS <<<'log:'
	finds layers 'lib/ask: is not in lib/LAYERS'
}

# body LINES - as many statements
body() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf '\tx++;\n'
	done
}

@test "would see a function, a main() and a file that are too long" {
	{
		printf 'int fits(int x)\n{\n' && body 56 && printf '\treturn x;\n}\n'
	} | put lib/base/a.c
	fine functions
	{
		printf 'int fits(int x)\n{\n' && body 57 && printf '\treturn x;\n}\n'
	} | put lib/base/a.c
	finds functions 'lib/base/a.c:fits: has 61 lines, more than 60'
	{
		printf 'int main(int x)\n{\n' && body 37 && printf '\treturn x;\n}\n'
	} | put lib/base/a.c
	finds functions 'lib/base/a.c:main: has 41 lines, more than 40'
	yes '/* */' | head -n 401 | put lib/base/a.c
	finds functions 'lib/base/a.c: has 401 lines, more than 400'
}

@test "would see a sixth parameter, and an excuse that excuses nothing" {
	put lib/base/a.c <<<'int a(int a, int b, int c, int d, int e, int f) { return a; }'
	finds functions 'lib/base/a.c:a: has 6 parameters, more than 5'
	put contrib/style/functions.except <<<'lib/base/a.c:a the kernel wants six'
	fine functions
	put lib/base/a.c <<<'int a(int a) { return a; }'
	finds functions \
		'contrib/style/functions.except: lib/base/a.c:a needs no excuse'
}

@test "would see a header that needs another one, or has the wrong guard" {
	put build/config.h <<<''
	put lib/base/a.h <<-'END'
		#ifndef CHOCK_BASE_A_H
		#define CHOCK_BASE_A_H
		#include <stddef.h>
		size_t a(void);
		#endif /* CHOCK_BASE_A_H */
	END
	fine headers
	sed -i '/stddef/d' "$sample/lib/base/a.h"
	run -1 "$style/check-headers" "$sample" "$sample/build"
	[[ ${lines[0]} == "lib/base/a.h: does not compile alone: "*size_t* ]]
	printf '#define CHOCK_BASE_A_H\nint a(void);\n' | put lib/base/a.h
	finds headers 'lib/base/a.h: is not guarded by CHOCK_BASE_A_H'
}

# object PATH - standard input, compiled to PATH in the sample's build
object() {
	mkdir -p "$(dirname "$sample/build/$1")"
	cc -x c -O0 -w -c -o "$sample/build/$1" -
}

@test "would see what an object must not call" {
	object lib/base/a.o <<<'int getpid(void); int a(void) { return getpid(); }'
	fine symbols
	object lib/base/a.o <<<'int system(const char *); int a(void) { return system("x"); }'
	finds symbols 'lib/base/a:system: is called, and nothing may'
	object lib/base/a.o <<<'int puts(const char *); int a(void) { return puts("x"); }'
	finds symbols 'lib/base/a:puts: prints or exits, in lib/'
	mv "$sample/build/lib/base/a.o" "$sample/build/lib/base/report.o"
	fine symbols
	object lib/policy/a.o <<<'int open(const char *, int); int a(void) { return open("x", 0); }'
	finds symbols 'lib/policy/a:open: looks outside, in lib/policy'
}

@test "would see a name that two parts define" {
	object lib/ask/a.o <<<'static int a; int b(void) { return a; }'
	object lib/log/a.o <<<'static int a; int c(void) { return a; }'
	fine symbols
	object lib/log/a.o <<<'int b(void) { return 0; }'
	finds symbols 'lib/log/a:b: is defined in lib/ask/a too'
}

@test "would see a banned function in its fortified or versioned name" {
	object libexec/a.o <<<'int __sprintf_chk(void); int a(void) { return __sprintf_chk(); }'
	finds symbols 'libexec/a:sprintf: is called, and nothing may'
	object libexec/a.o <<<'int __isoc99_sscanf(void); int a(void) { return __isoc99_sscanf(); }'
	finds symbols 'libexec/a:sscanf: is called, and nothing may'
}

# A program that answers --help with one option, and a page for it.
small_program() {
	put build/bin/chock-a <<-'END'
		#!/bin/sh
		echo '  -f, --file FILE         read FILE'
	END
	chmod +x "$sample/build/bin/chock-a"
	put libexec/chock-a.c <<<'int main(void) { return EXIT_ALLOW; }'
	put lib/base/exitcode.h <"$top/lib/base/exitcode.h"
	put doc/man/chock-a.1 <<-'END'
		.Dd November 29, 2026
		.Dt CHOCK-A 1
		.Os
		.Sh NAME
		.Nm chock-a
		.Nd read a file
		.Sh SYNOPSIS
		.Nm
		.Op Fl f Ar file
		.Sh DESCRIPTION
		The options are as follows:
		.Bl -tag -width Ds
		.It Fl f Ar file , Fl -file Ar file
		Read
		.Ar file .
		.El
		.Sh EXIT STATUS
		.Bl -tag -width Ds
		.It 0
		It was read.
		.El
		.Sh EXAMPLES
		None is needed.
		.Sh SEE ALSO
		.Xr cat 1
		.Sh SECURITY CONSIDERATIONS
		None.
	END
	page=$sample/doc/man/chock-a.1
}

@test "would see a program without a page" {
	small_program
	fine manuals
	cp "$sample/build/bin/chock-a" "$sample/build/bin/chock-b"
	finds manuals 'doc/man/chock-b.1: is not there, and the program is'
}

@test "would see an option that only the page or only the program has" {
	small_program
	sed -i 's/-file Ar/-flie Ar/' "$page"
	finds manuals 'doc/man/chock-a.1: says nothing of --file'
	[ "${lines[1]}" = 'doc/man/chock-a.1: has --flie, and --help does not' ]
}

@test "would see a page without a status, a section or a true reference" {
	small_program
	put libexec/chock-a.c <<<'int main(void) { return EXIT_SYSTEM; }'
	finds manuals 'doc/man/chock-a.1: EXIT STATUS has no 111'
	small_program
	sed -i 's/Sh SEE ALSO/Sh SEE/' "$page"
	finds manuals 'doc/man/chock-a.1: has no section SEE ALSO'
	small_program
	sed -i 's/Xr cat 1/Xr chock-b 1/' "$page"
	finds manuals \
		'doc/man/chock-a.1: refers to chock-b(1), which is not there'
	small_program
	sed -i 's/^\.El/.Bx/' "$page"
	run -1 "$style/check-manuals" "$sample" "$sample/build"
	[[ ${lines[0]} == *chock-a.1:*WARNING* || ${lines[0]} == *chock-a.1:*ERROR* ]]
}

@test "would see a policy that does not parse, say why, or answer right" {
	mkdir -p "$sample/build/bin"
	ln -s "$CHOCK_BUILD/bin/chock-policy-eval" "$sample/build/bin/"
	put policies/a.policy <<-'END'
		# SPDX-License-Identifier: ISC
		# A program that was fetched may publish what it finds to anybody.
		deny git.push
	END
	put policies/a.cases <<<'git.push -> deny'
	fine policies
	put policies/a.cases <<<'git.push -> allow'
	finds policies 'policies/a.cases: is not what the policy answers'
	rm "$sample/policies/a.cases"
	finds policies 'policies/a.cases: is not there, and the policy is'
	put policies/a.cases <<<'git.push -> deny'
	sed -i 2d "$sample/policies/a.policy"
	finds policies \
		'policies/a.policy: does not open with the threat that it answers'
	sed -i 's/deny/dney/' "$sample/policies/a.policy"
	run -1 "$style/check-policies" "$sample" "$sample/build"
	[[ $output == *'policies/a.policy: does not parse: '*dney* ]]
}

@test "would see a document that names what is not there" {
	small_program
	mkdir -p "$sample/t"
	put README <<<$'Read doc/man/chock-a.1, or run chock-a:\n\n\tchock-a --file x -- --no'
	fine claims
	put README <<<'Read doc/man/chock-b.1, or more.'
	finds claims 'README: doc/man/chock-b.1 is not there'
	put README <<<'Use chock-c for this.'
	finds claims 'README: no program is called chock-c'
	put README <<<'Use chock-c, which is planned, for this.'
	fine claims
	put README <<<$'Run\n\n\tchock a --flie x'
	finds claims 'README: chock-a has no --flie'
	put README <<<$'Run\n\n\tchock b'
	finds claims 'README: chock-b is not built'
}

@test "would see a source without a licence, and one that tells too much" {
	put LICENSE <<<'ISC'
	put lib/base/a.h <<<'/* SPDX-License-Identifier: ISC */'
	put t/run <<<$'#!/bin/sh\n# SPDX-License-Identifier: ISC'
	fine licence
	put lib/base/a.h <<<'int a;'
	finds licence \
		'lib/base/a.h: does not say SPDX-License-Identifier: ISC first'
	printf '/* SPDX-License-Identifier: ISC */\n/* %s: more */\n' TO''DO |
		put lib/base/a.h
	finds licence 'lib/base/a.h:2: does not speak of chock alone'
}
