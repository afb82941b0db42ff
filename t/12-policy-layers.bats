#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Where policies come from, and who outvotes whom:
#
#	--rule  >  --policy (else project, operator)  >  shipped defaults
#
# and every ceiling, a project's own file among them, lowers what they say.

load lib/chock

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	config=$HOME/.config/chock
	mkdir -p "$config" project
}

# says ANSWER STATUS WORD... - chock-policy-eval WORD... answers so; the rule
# "default" stands for any line of the shipped defaults
says() {
	local want=$1 got
	run "-$2" --separate-stderr chock-policy-eval "${@:3}"
	printf 'got: %s\n%s\n' "$output" "$stderr"
	got=${lines[0]}
	[ "$want" = "${want% default}" ] || got=${got%:*}
	[ "$got" = "$want" ]
}

@test "takes the operator's policy before the shipped defaults" {
	says "allow default" 0 call.write_file
	printf 'deny call.*\n' >"$config/policy"
	says "deny $config/policy:1" 1 call.write_file
	says "allow default" 0 --policy base call.read_file
}

@test "finds the operator's policy where XDG_CONFIG_HOME says" {
	mkdir -p elsewhere/chock
	printf 'deny call.*\n' >elsewhere/chock/policy
	XDG_CONFIG_HOME=$PWD/elsewhere says \
		"deny $PWD/elsewhere/chock/policy:1" 1 call.write_file
}

@test "lets named policies stand in for the operator's, and merges them" {
	printf 'deny any\n' >"$config/policy"
	printf 'allow git.*\n' >a
	printf 'ask git.push\n' >b
	says "allow ./a:1" 0 --policy ./a --policy ./b git.pull
	says "ask ./b:1" 3 --policy ./a --policy ./b git.push
	says "ask ./b:1" 3 --policy ./b --policy ./a git.push
}

@test "takes rules of the command line before everything but ceilings" {
	printf 'deny git.push\n' >a
	says "deny ./a:1" 1 --policy ./a git.push
	says "allow --rule:1" 0 --policy ./a --rule 'allow git.push' git.push
	says "ask --rule:2" 3 --rule 'allow git.*' --rule 'ask git.push' git.push
	printf 'deny any\n' >"$config/ceiling"
	says "deny ceiling:$config/ceiling:1" 1 --rule 'allow git.push' git.push
}

@test "takes nothing but a rule for --rule" {
	for rule in 'alow git.push' 'read /etc' '' 'agent x' $'allow git.push\nallow any' \
		'include base'; do
		run -100 --separate-stderr chock-policy-eval --rule "$rule" git.push
		[ "$output" = "" ]
		[[ $stderr == "chock-policy-eval: --rule"* ]]
		run -100 chock-spawn --check --rule "$rule"
	done
}

# finds FILES OPTION... - beside the defaults, those are the files that are read
finds() {
	run -0 --separate-stderr chock-policy-eval "${@:2}" --files
	[ "$(jq -r '.file + " " + .layer' <<<"$output" | grep -v default)" = "$1" ]
}

@test "takes the person's own policy with --find-policy, or base" {
	finds 'base operator' --find-policy
	finds ''
	finds 'base project' --find-policy --policy base
	printf 'deny call.*\n' >"$config/policy"
	finds "$config/policy operator" --find-policy
	printf 'net wrong\n' >"$config/policy"
	run -100 --separate-stderr chock-spawn --check --find-policy
	[[ $stderr == "chock-spawn: $config/policy:1:5: "* ]]
	chock-spawn --check
	chock-spawn --check --find-policy --policy base
}

@test "fails with the status that chock-spawn fails with" {
	printf 'alow git.push\n' >wrong
	printf 'limit files 0\n' >limit
	ln -s loop loop
	mkdir dir
	for option in --policy={bsae,.,./gone,./dir,./wrong,./limit,./loop,/proc/self/mem} \
		--rule={'alow x','read /etc','sink dir /x'}; do
		run chock-policy-eval "$option" git.push
		[ "$status" -ge 100 ]
		run "-$status" chock-spawn --check "$option"
	done
}

@test "takes a project's own file as a ceiling only" {
	printf 'allow web.search\ndeny git.commit\nallow sandbox.jit\n' >project/chock.policy
	says "ask default" 3 --project project web.search
	says "ask default" 3 --project project sandbox.jit
	says "deny ceiling:$PWD/project/chock.policy:2" 1 --project project git.commit
	says "allow default" 0 git.commit
	says "deny ceiling:$PWD/project/chock.policy:2" 1 --project project \
		--rule 'allow git.commit' git.commit
}

@test "takes the most restrictive of several ceilings" {
	printf 'ask git.*\n' >one
	printf 'deny git.push\n' >two
	printf 'allow git.push\n' >three
	for order in 'one two three' 'three two one' 'two one three'; do
		options=()
		for file in $order; do
			options+=(--ceiling "./$file")
		done
		says "deny ceiling:./two:1" 1 "${options[@]}" \
			--rule 'allow git.*' git.push
		says "ask ceiling:./one:1" 3 "${options[@]}" \
			--rule 'allow git.*' git.pull
	done
}

@test "does not let a ceiling's agents make others known" {
	printf 'agent main\n' >a
	printf 'agent main\nagent guest\n' >"$config/ceiling"
	says "allow default" 0 --policy ./a call.write_file
	says "deny agent" 1 --policy ./a call.write_file agent=guest
	printf 'agent guest\n' >"$config/ceiling"
	says "deny agent" 1 --policy ./a call.write_file
}

@test "cannot read a file of the person's that is there: an error" {
	mkdir "$config/policy"
	run -100 --separate-stderr chock-policy-eval git.push
	[ "$stderr" = "chock-policy-eval: '$config/policy' is not a regular file" ]
}

@test "needs no home directory" {
	unset HOME
	says "allow default" 0 call.write_file
}

@test "reads what a policy includes, and names its lines" {
	mkdir sub
	printf 'include base\ninclude ./sub/more\nallow git.pull\n' >a
	printf '\ndeny git.push\ninclude ./most\n' >sub/more
	printf 'ask git.fetch\n' >sub/most
	says "deny ./sub/more:2" 1 --policy ./a git.push
	says "ask ./sub/most:1" 3 --policy ./a git.fetch
	says "allow ./a:3" 0 --policy ./a git.pull
}

@test "names the place of a mistake in what is included" {
	printf 'include ./b\n' >a
	printf '\nalow git.push\n' >b
	run -100 --separate-stderr chock-policy-eval --policy ./a git.push
	[ "$stderr" = "chock-policy-eval: ./b:2:1: 'alow' is no statement; did you mean 'allow'?" ]
	rm b
	run -100 --separate-stderr chock-policy-eval --policy ./a git.push
	[ "$stderr" = "chock-policy-eval: ./a:1:9: cannot open './b': No such file or directory" ]
}

@test "refuses a policy that includes itself" {
	printf 'include ./b\n' >a
	printf '\ninclude ./a\n' >b
	run -100 --separate-stderr chock-policy-eval --policy ./a git.push
	[ "$stderr" = "chock-policy-eval: ./b:2:9: './a' includes itself" ]
}

@test "counts a file once that two others include" {
	printf 'include ./left\ninclude ./right\n' >a
	printf 'include ./shared\n' >left
	printf 'include ./shared\n' >right
	printf 'deny git.push\nnet none\n' >shared
	says "deny ./shared:1" 1 --policy ./a git.push
	run -0 --separate-stderr chock-policy-eval --policy ./a --files
	[ "$(grep -c '"file":"./shared"' <<<"$output")" -eq 1 ]
}

@test "counts a file once that is named and included, in whatever order" {
	printf 'deny git.push\nnet none\n' >a
	printf 'include ./a\n' >b
	says "deny ./a:1" 1 --policy ./a --policy ./b git.push
	says "deny ./a:1" 1 --policy ./b --policy ./a git.push
	says "deny ./a:1" 1 --policy ./a --policy ./a git.push
}

@test "takes one file as a policy and as a ceiling" {
	printf 'allow git.push\nnet none\n' >a
	says "allow ./a:1" 0 --policy ./a --ceiling ./a git.push
}

@test "holds includes to 16 within each other, and a policy to 64 files" {
	for i in {1..16}; do
		printf 'include ./f%d\n' $((i + 1)) >"f$i"
	done
	printf 'deny git.push\n' >f17
	says "deny ./f17:1" 1 --policy ./f2 git.push
	run -100 --separate-stderr chock-policy-eval --policy ./f1 git.push
	[ "$stderr" = "chock-policy-eval: ./f16:1:1: more than 16 includes within each other" ]
	for i in {1..64}; do
		printf 'include ./g%d\n' "$i" >>many
		: >"g$i"
	done
	run -100 --separate-stderr chock-policy-eval --policy ./many git.push
	[[ $stderr == *": more than 64 policy files" ]]
}

@test "lists the files that it read, with the digests of their bytes" {
	printf 'include ./b\n' >a
	printf 'deny git.push\n' >b
	printf 'deny git.pull\n' >"$config/ceiling"
	run -0 --separate-stderr chock-policy-eval --policy ./a --ceiling ./b --files
	[ "$(jq -r '.file + " " + .layer' <<<"$output" | sort)" = "$(
		sort <<-END
			./a project
			./b project
			./b ceiling
			defaults default
			$config/ceiling ceiling
		END
	)" ]
	sum=$(sha256sum b | cut -d ' ' -f 1)
	[ "$(jq -r 'select(.file == "./b") | .sha256' <<<"$output" | uniq)" = "$sum" ]
	run -100 chock-policy-eval --files git.push
}

@test "says once a file which of its rules nothing asks for by itself" {
	printf 'allow net.listen\nallow nix.build\nallow web.search\n' >a
	run -0 --separate-stderr chock-policy-eval --policy ./a web.search
	[ "$stderr" = "chock-policy-eval: ./a:1:7: 'net.listen' and 1 more are reserved: nothing in this version asks for them by itself" ]
	run -3 --separate-stderr chock-policy-eval web.search
	[ "$stderr" = "" ]
}

@test "explains every candidate, and why each lost" {
	printf 'ask git.*\nallow git.push port 22\nallow git.push agent other\ndeny git.push\n' >a
	printf 'deny any model bad\n' >"$config/ceiling"
	says "deny ./a:4" 1 --policy ./a --explain git.push
	[ "$(grep -c '^  project: ./a:' <<<"$output")" -eq 4 ]
	grep -q './a:1 ask git.\*: loses to ./a:4 deny git.push by its action$' <<<"$output"
	grep -q './a:2 allow git.push port 22: does not match: port$' <<<"$output"
	grep -q './a:3 allow git.push agent other: does not match: agent$' <<<"$output"
	grep -q './a:4 deny git.push: decides$' <<<"$output"
	grep -q 'ceiling: .*: does not match: model$' <<<"$output"
	grep -q 'unnamed in a ceiling lowers nothing$' <<<"$output"
}

@test "explains which reading of what nobody named applied" {
	run -3 --separate-stderr chock-policy-eval --explain call.unheard
	grep -q 'unnamed: an act that no layer names: ask$' <<<"$output"
	grep -q '^ask: asked when it comes up' <<<"$output"
	run -3 --separate-stderr chock-policy-eval --explain sandbox.jit
	grep -q '^ask: .* nobody can be asked: it is a no$' <<<"$output"
}

@test "lists every rule of every layer in the order in which they win" {
	printf 'deny any\nask git.push tool x\n' >"$config/ceiling"
	printf 'agent main\nallow git.*\nallow git.push port 22\ndeny git.push\nread /usr\nnet none\n' >a
	run -0 --separate-stderr chock-policy-eval --policy ./a \
		--rule 'ask git.push' --list
	diff - <(grep -v 'default defaults:' <<<"$output") <<-EOF
		# agents
		agent main                                      # project ./a:1

		# command
		ask git.push                                    # command --rule:1

		# project
		allow git.push port 22                          # project ./a:3
		deny git.push                                   # project ./a:4
		allow git.*                                     # project ./a:2

		# default

		# ceiling
		# ask git.push tool x                           # ceiling $config/ceiling:2
		# deny any                                      # ceiling $config/ceiling:1

		# the sandbox
		read /usr                                       # project ./a:5
		net none                                        # project ./a:6
	EOF
}

@test "lists what reads as a policy, with what one file cannot say twice as a comment" {
	printf 'allow git.push\nnet none\n' >a
	printf 'allow git.push\nnet host\nagent main\n' >$'b\n'
	printf 'agent main\nallow any\n' >c
	run -0 --separate-stderr chock-policy-eval --policy ./a --policy $'./b\n' \
		--ceiling ./c --list
	grep -c git.push <<<"$output" | grep -qx 2
	grep -x '# allow git.push *# project ./[ab?]*:1' <<<"$output"
	grep -x '# net host *# project ./b?:2' <<<"$output"
	grep -x '# agent main *# ceiling ./c:1' <<<"$output"
	grep -x '# allow any *# ceiling ./c:2' <<<"$output"
	printf '%s\n' "$output" >list
	chock-policy-eval --policy ./list --check
	run -0 --separate-stderr chock-policy-eval --policy ./list --files
	says "ask unnamed" 3 --policy ./list nosuch.action
	run -100 chock-policy-eval --list --check
}

@test "knows ~ and @project@ at the start of a rule's path" {
	mkdir -p "p*/deep" pxx
	real=$(realpath "p*")
	printf '%s\n' 'allow fs.write.* path @project@/**' \
		'deny fs.write.* path @project@/*.lock' \
		'deny exec.workspace.* path @project@/vendor/**' \
		'allow fs.read.* path ~/notes/*' >a
	asks() { says "$1" "$2" --policy ./a --project "p*" "${@:3}"; }
	name() { sed 's/\*/%2A/g; s/\./%2E/g' <<<"$1"; }
	asks 'allow ./a:1' 0 "fs.write.$(name "$real/deep/file")"
	asks 'deny ./a:2' 1 "fs.write.$(name "$real/x.lock")"
	# The directory is a name and no pattern.
	asks 'ask unnamed' 3 "fs.write.$(name "$PWD/pxx/file")"
	asks 'ask unnamed' 3 "fs.write.$(name "${real}x/file")"
	# What runs in the project is named by its path in it.
	asks 'deny ./a:3' 1 exec.workspace.vendor/lib/run
	asks 'allow default' 0 exec.workspace.vendored/run
	asks 'allow ./a:4' 0 "fs.read.$(name "$HOME/notes/x")"
	asks 'ask unnamed' 3 "fs.read.$(name "$HOME/notes/x/y")"
	HOME=$HOME/ asks 'allow ./a:4' 0 "fs.read.$(name "$HOME/notes/x")"
	run -0 --separate-stderr chock-policy-eval --policy ./a --project "p*" --list
	[[ $output == *$'\nallow fs.read.* path ~/notes/* '* ]]
}

@test "names the rule that needs a project or a home where there is none" {
	printf 'allow web.search\nallow fs.write.* path @project@/**\n' >a
	printf 'allow fs.read.* path ~/x\n' >b
	printf 'allow fs.read.* path ~x/y\n' >c
	printf 'allow fs.read.* path @project@s/y\n' >d
	while IFS='|' read -r file reason; do
		run -100 --separate-stderr env HOME= chock-policy-eval \
			--policy "./$file" --check
		[[ $stderr == "chock-policy-eval: ./$file:$reason"* ]]
	done <<-'EOF'
		a|2:23: '@project@/**' is a pattern that needs a project, and there is none here
		b|1:22: '~/x' is a pattern that needs a home directory, and there is none here
		c|1:22: '~x/y' is a pattern in which no '/' follows
		d|1:22: '@project@s/y' is a pattern in which no '/' follows
	EOF
	chock-policy-eval --policy ./a --project project --check
	chock-spawn --check --policy ./a --policy ./b
	run -100 --separate-stderr env HOME= chock-spawn --check --policy ./b
	[[ $stderr == "chock-spawn: ./b:1:22: '~/x' is a pattern that needs a home"* ]]
}

@test "bounds the path of a question and the pattern of a rule" {
	printf -v long '%04095d' 0
	says "ask unnamed" 3 "fs.read./$long"
	run -100 --separate-stderr chock-policy-eval "fs.read./0$long"
	[ "$stderr" = "chock-policy-eval: the path is longer than 4096 bytes" ]
	printf 'allow fs.read.* path /%01023d\n' 0 >a
	chock-policy-eval --policy ./a --check
	printf 'allow fs.read.* path /%01024d\n' 0 >b
	run -100 --separate-stderr chock-policy-eval --policy ./b --check
	[[ $stderr == "chock-policy-eval: ./b:1:22: '/0"*"' is a pattern of more than 1024 bytes" ]]
}

@test "bounds the stars of a pattern" {
	printf -v stars '/*%.0s' {1..32}
	printf 'allow fs.read.* path %s\n' "$stars" >a
	chock-policy-eval --policy ./a --check
	printf 'allow fs.read.* path %s*\n' "$stars" >b
	run -100 --separate-stderr chock-policy-eval --policy ./b --check
	[ "$stderr" = "chock-policy-eval: ./b:1:22: '$stars*' is a pattern with more than 32 stars" ]
}
