#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Every error that the readers of policies and of questions can make is made by
# a test: its text is taken out of the source and looked for in the tests.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	top=$BATS_TEST_DIRNAME/..
}

# messages FILE - its strings of several words, as Perl patterns: what is put
# into one stands for any text
messages() {
	perl -0777 -ne '
		while (m{/\*.*?\*/ | \x27(?:\\.|[^\x27\\])\x27 |
				^\#[^\n]* | ((?:"(?:[^"\\\n]|\\.)*"\s*)+)}gmsx) {
			my $text = $1 // next;
			$text =~ s/\s+$//;
			$text =~ s/"\s*"//g;
			$text =~ s/^"|"$//g;
			next unless $text =~ / [^ ]/;
			$text =~ s/\\(.)/$1/g;
			$text = quotemeta $text;
			$text =~ s/\\%(?:\\\.\\\*)?(?:s|d|u|zu)/.*/g;
			$text =~ s/\\%\\%/%/g;
			$text =~ s/^(?:\.\*\\:)+\\ //;
			print "$text\n";
		}' "$1"
}

@test "makes every message of the readers" {
	cat "$data/policy/errors" "$top"/t/1*.bats >tests
	count=0
	for part in policy/{words,shape,type,ruleline,attributes,agent,policy,network} \
		policy/{path,host,action,asked,url,field} call/cases; do
		messages "$top/lib/$part.c" >patterns
		while IFS= read -r pattern; do
			count=$((count + 1))
			grep -qP -e "$pattern" tests ||
				printf '%s: %s\n' "$part" "$pattern" >>unmade
		done <patterns
	done
	touch unmade
	cat unmade
	[ ! -s unmade ]
	[ "$count" -gt 100 ]
}
