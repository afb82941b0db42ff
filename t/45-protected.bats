#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# What runs later on the host, and the policy itself, are asked about apart,
# before the apply: a no to either leaves the work where it is
#
#	project/   on branch main, clean
#	w/copy/    with commits of the test, which plays the sandboxed program

load lib/chock
load lib/workspace

setup() {
	in_project
	config=$HOME/.config/chock
	mkdir -p "$config"
	chmod 700 "$config"
	rm -f "$config/policy" "$config/ceiling"
}

# put PATH [TEXT] - a file of the copy, and the directories above it
put() {
	mkdir -p "$(dirname "$copy/$1")"
	printf '%s\n' "${2-x}" >"$copy/$1"
}

commit() {
	copy_git add -A -f
	copy_git commit -q -m work
}

# judged [OPTION...] - what policy answers to each question, in order
judged() {
	chock-policy-eval --project "$project" "$@" <<<"$questions" |
		jq -r '"\(.action) \(.decision)"'
}

@test "asks about each file of the shipped list, before the apply" {
	begin
	for path in .githooks/pre-commit hooks/post-merge .gitmodules \
		.github/workflows/ci.yml .gitlab-ci.yml .envrc \
		.vscode/tasks.json .mcp.json CLAUDE.md AGENTS.md \
		.claude/settings.json .cursor/rules/x; do
		put "$path" ''
		put "near-$path" ''
	done
	put Makefile
	commit
	before "$project"
	ask
	unchanged "$project"
	run -0 asked_apart workspace.protected
	[ "${#lines[@]}" -eq 12 ]
	[[ $output != *near-* && $output != *Makefile* ]]
	[ "${lines[0]}" = 'A .claude/settings.json: a rule names it' ]
	[ "$(jq -r .action <<<"$questions")" = $'workspace.protected\nworkspace.apply' ]
	[[ $(jq -r .summary <<<"$questions") == *'change 12 files that run later on the host'* ]]
	[ "$(judged)" = $'workspace.protected ask\nworkspace.apply ask' ]
}

@test "asks about a link in the place of a directory of the list" {
	begin
	mkdir -p "$copy/tools" "$copy/sub"
	put tools/tasks.json
	for link in .vscode .claude .husky sub/.github vscode; do
		ln -s tools "$copy/$link"
	done
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A .claude: a rule names it
A .husky: a rule names it
A .vscode: a rule names it
A sub/.github: a rule names it
A tools/tasks.json: a link leads to it from what a rule names' ]
}

@test "asks about what a link that was there leads to from a name of the list" {
	mkdir -p "$project/conf" "$project/deep/er" "$project/ci"
	for path in conf/settings.json deep/er/tasks.json ci/x.yml guide near; do
		echo x >"$project/$path"
	done
	ln -s conf "$project/.claude"
	ln -s way "$project/.vscode"
	ln -s "$project/deep/er" "$project/way"
	mkdir "$project/.github"
	ln -s ../ci "$project/.github/workflows"
	ln -s guide "$project/CLAUDE.md"
	ln -s nowhere "$project/AGENTS.md"
	ln -s .husky "$project/.husky"
	here add .
	here commit -q -m links
	begin
	for path in settings.json new; do
		put "conf/$path" changed
	done
	put deep/er/tasks.json changed
	put ci/x.yml changed
	put guide changed
	put near changed
	put confused
	commit
	before "$project"
	ask
	unchanged "$project"
	[ "$(asked_apart workspace.protected)" = 'M ci/x.yml: a link leads to it from what a rule names
A conf/new: a link leads to it from what a rule names
M conf/settings.json: a link leads to it from what a rule names
M deep/er/tasks.json: a link leads to it from what a rule names
M guide: a link leads to it from what a rule names' ]
}

@test "asks about what the project's own git runs or reads" {
	rm -rf "$project/.git/hooks"
	mkdir "$project/.git/hooks"
	ln -s ../../scripts/pre-commit "$project/.git/hooks/pre-commit"
	ln -s /elsewhere/x "$project/.git/hooks/post-merge"
	here config core.hooksPath hk
	here config include.path ../conf/git
	here config alias.lint '!tools/lint --all'
	here config diff.x.textconv 'python3 text.py'
	here config core.pager less
	begin
	all='scripts/pre-commit hk/pre-commit hk/lib/more conf/git tools/lint text.py'
	for path in $all less lint scripts/post-merge conf/other near; do
		put "$path"
	done
	commit
	before "$project"
	ask
	unchanged "$project"
	[ "$(asked_apart workspace.protected | sed -n 's/^A \(.*\): hooks or settings of git lead to it$/\1/p')" = \
		"$(printf '%s\n' $all | sort)" ]
}

@test "asks about what any setting of git has a path to, as a shell might read it" {
	config() { git -C "$project" config "$@"; }
	config gpg.ssh.defaultKeyCommand 'python3 key.py'
	config gc.recentObjectsHook 'sh recent'
	config sendemail.toCmd "sh 'to whom'"
	config imap.tunnel 'sh tunnel'
	config remote.x.url 'ext::tools/transport %S'
	config url.ext::tools/base.insteadOf short:
	config tool.of.nobody '$PWD/tools/a'
	config tool.of.others '"$PWD"/tools/b'
	config tool.of.top '$(git rev-parse --show-toplevel)/tools/c --all'
	config tool.of.default '${X:-tools/d}'
	config tool.of.braces '{tools/e,}'
	config tool.of.option 'sh -ctools/f'
	config tool.of.home '$HOME/project/tools/g'
	config tool.of.quotes '"$HOME"/project/tools/h'
	config tool.of.absolute "$project/tools/i"
	config tool.of.many "/x:$project/tools/j"
	begin
	all='key.py recent tunnel tools/transport tools/base tools/a tools/b
		tools/c tools/d tools/e tools/f tools/g tools/h tools/i tools/j'
	for path in $all python3 sh tools/none; do
		put "$path"
	done
	commit
	HOME=$BATS_TEST_TMPDIR ask
	[ "$(asked_apart workspace.protected | sed -n 's/^A \(.*\): hooks or settings of git lead to it$/\1/p')" = \
		"$(printf '%s\n' $all | sort)" ]
}

@test "asks no more because of settings that lead to nothing in the project" {
	config() { git -C "$project" config "$@"; }
	config remote.origin.url https://example.com/src/main.git
	config remote.near.url ../main
	config remote.far.url git@example.com:me/main.git
	config remote.origin.fetch '+refs/heads/src/*:refs/remotes/origin/*'
	config branch.main.merge refs/heads/src
	config branch.main.description 'what src/main.c does'
	config safe.directory "$project/src"
	config core.editor '/usr/lib/src --wait'
	config core.pager less
	config core.fsmonitor false
	config submodule.x.update rebase
	config alias.all '!git add . && git commit'
	config alias.at '!f() { cd ./ && git show "$1" | /usr/share/src; }; f'
	config alias.lg 'log --date=format:%Y/%m'
	config commit.template "$HOME/.src"
	config tool.of.home '$HOME/src/main.c'
	begin
	for path in main src/main.c src/example.com less rebase main.git; do
		put "$path"
	done
	commit
	ask
	[ "$(jq -r .action <<<"$questions")" = workspace.apply ]
}

@test "asks about what a hook of a linked working tree leads to" {
	here worktree add -q "$BATS_TEST_TMPDIR/linked" -b linked
	mkdir -p "$project/.git/hooks" "$BATS_TEST_TMPDIR/linked/scripts"
	echo x >"$BATS_TEST_TMPDIR/linked/scripts/hook"
	ln -sf "$BATS_TEST_TMPDIR/linked/scripts/hook" "$project/.git/hooks/pre-push"
	project=$BATS_TEST_TMPDIR/linked
	here add .
	here commit -q -m hook
	begin
	put scripts/hook changed
	put scripts/none
	commit
	ask
	[[ $(asked_apart workspace.protected) == 'M scripts/hook: hooks or settings of git lead to it'* ]]
	[ "$(asked_apart workspace.protected | wc -l)" -eq 1 ]
}

@test "asks about what a link leads to that comes with the work, and no more once it is gone" {
	mkdir "$project/conf"
	echo x >"$project/conf/settings.json"
	ln -s conf "$project/.claude"
	here add .
	here commit -q -m links
	begin
	rm "$copy/.claude"
	ln -s dir "$copy/.vscode"
	put conf/settings.json changed
	put dir/tasks.json
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'D .claude: a rule names it
A .vscode: a rule names it
A dir/tasks.json: a link leads to it from what a rule names' ]
}

@test "asks about a directory that becomes a repository without the name of one" {
	begin
	for path in a/b/HEAD a/b/objects/x a/b/refs/x a/b/config a/b/README \
		w/HEAD w/commondir none/HEAD none/objects/x none/config; do
		put "$path"
	done
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A a/b/HEAD: it is of a git repository
A a/b/config: it is of a git repository
A a/b/objects/x: it is of a git repository
A a/b/refs/x: it is of a git repository
A w/HEAD: it is of a git repository
A w/commondir: it is of a git repository' ]
}

@test "asks about the settings of such a directory, and what completes one" {
	mkdir -p "$project/a/objects" "$project/a/refs" "$project/b/objects" \
		"$project/b/refs"
	for path in a/HEAD a/objects/x a/refs/x b/objects/x b/refs/x; do
		echo x >"$project/$path"
	done
	git -C "$project" add -f a b
	git -C "$project" commit -q -m more
	begin
	put a/config
	put a/README
	put b/HEAD
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A a/config: it is of a git repository
A b/HEAD: it is of a git repository' ]
}

@test "asks about names of the list in any case" {
	begin
	for path in .Envrc .VSCode/tasks.json claude.md JENKINSFILE; do
		put "$path"
	done
	commit
	ask
	[ "$(asked_apart workspace.protected | wc -l)" -eq 4 ]
}

@test "asks no more than the apply about what does not run by itself" {
	begin
	work
	put src/main.c
	put .gitattributes '*.png -text'
	chmod +x "$copy/dir/other"
	chmod -x "$copy/dir/other"
	ln -s src/main.c "$copy/link"
	ln -s ../src/./main.c "$copy/src/again"
	commit
	ask
	[ "$(jq -r .action <<<"$questions")" = workspace.apply ]
}

@test "asks about a change and a removal as about what is new" {
	printf 'x\n' >"$project/.envrc"
	printf 'x\n' >"$project/.mcp.json"
	git -C "$project" add -f .envrc .mcp.json
	git -C "$project" commit -q -m more
	begin
	put .envrc changed
	rm "$copy/.mcp.json"
	commit
	ask
	[ "$(asked_apart workspace.protected)" = $'M .envrc: a rule names it\nD .mcp.json: a rule names it' ]
}

@test "asks about files that become executable, and not about those that were" {
	begin
	put tool
	chmod +x "$copy/tool" "$copy/file"
	printf '#!/bin/sh\ntrue\n' >"$copy/run"
	commit
	ask
	[ "$(asked_apart workspace.protected)" = $'M file: it becomes executable\nA tool: it becomes executable' ]
}

@test "asks about links that leave the project, each way out" {
	begin
	mkdir -p "$copy/a/b"
	while read -r at target; do
		ln -s "$target" "$copy/$at"
	done <<-'EOF'
		l1 /etc/passwd
		l2 ..
		a/l3 ../../x
		a/b/l4 ../../../x
		l5 a/../../x
		l6 .git/hooks
		l7 ./.GIT
		l8 l2/x
		a/in1 ../file
		a/b/in2 ../../dir/other
		in3 a/b
		in4 nowhere
	EOF
	commit
	ask
	[ "$(asked_apart workspace.protected | sed 's/^A //; s/: .*//' | tr '\n' ' ')" = \
		'a/b/l4 a/l3 l1 l2 l5 l6 l7 l8 ' ]
	[[ $(asked_apart workspace.protected) == *'l8: it leads out of the project'* ]]
}

@test "takes a link that no link can be, and one of an odd name, for one that leaves" {
	begin
	copy_git config core.symlinks false
	blob=$(head -c 5000 /dev/zero | tr '\0' x | copy_git hash-object -w --stdin)
	empty=$(copy_git hash-object -w --stdin </dev/null)
	inside=$(printf file | copy_git hash-object -w --stdin)
	copy_git update-index --add --cacheinfo "120000,$blob,long"
	copy_git update-index --add --cacheinfo "120000,$empty,empty"
	copy_git update-index --add --cacheinfo "120000,$inside,"$'new\nline'
	copy_git update-index --add --cacheinfo "120000,$inside,plain"
	copy_git commit -q -m links
	ask
	[ "$(asked_apart workspace.protected | grep -c 'leads out')" -eq 3 ]
	[[ $(asked_apart workspace.protected) != *plain* ]]
}

@test "asks about attributes that name a driver, and not about others" {
	begin
	put .gitattributes $'* text=auto eol=lf\n*.png binary\n*.x -filter diff merge -own !other\n# filter=no'
	commit
	ask
	[ "$(jq -r .action <<<"$questions")" = workspace.apply ]
	for driver in '*.x filter=lfs' $'*.x\ttext diff=x' '[attr]m merge=x' \
		'"a b" merge=x' '*.x own' '*.x text own=1'; do
		put .gitattributes "$driver"
		put sub/.gitattributes '* text=auto'
		commit
		ask
		[ "$(asked_apart workspace.protected)" = 'A .gitattributes: it names drivers of git' ]
	done
	put .gitattributes "$(yes '#######' | head -c 1048576)"
	commit
	ask
	[ "$(jq -r .action <<<"$questions")" = workspace.apply ]
	# One of more than 1 MiB is not looked at.
	put .gitattributes "$(yes '#######' | head -c 1048578)"
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A .gitattributes: it names drivers of git' ]
}

@test "asks about at most 200 files, or 32 KiB of their names, at once" {
	begin
	for ((i = 0; i < 201; i++)); do : >"$copy/x$i"; done
	chmod +x "$copy"/x*
	commit
	ask
	[ "$(jq '.effect.files | length' <<<"$questions" | head -n 2)" = $'200\n1' ]
	long=$(printf '%0200d' 0)
	copy_git rm -q 'x*'
	for ((i = 100; i < 264; i++)); do : >"$copy/$long$i"; done
	chmod +x "$copy/$long"*
	commit
	ask
	# Of 203 bytes there are 161 in 32 KiB.
	[ "$(jq '.effect.files | length' <<<"$questions" | head -n 2)" = $'161\n3' ]
}

@test "shows what runs by itself before what can be executed, and all of it" {
	begin
	mkdir "$copy/.aa"
	long=$(printf '%060d' 0)
	for ((i = 100; i < 290; i++)); do : >"$copy/.aa/$long$i"; done
	chmod +x "$copy/.aa"/*
	put .envrc
	put .vscode/tasks.json
	commit
	ask
	[ "$(jq -r .action <<<"$questions")" = $'workspace.protected\nworkspace.apply' ]
	detail=$(jq -r 'select(.action == "workspace.protected") | .detail' <<<"$questions")
	[[ $detail == *$'\n  A .envrc  (a rule names it)\n  A .vscode/tasks.json  (a rule names it)\n  A .aa/'* ]]
	shown=$(grep -c '^  A .aa/' <<<"$detail")
	[[ $detail == *$'\n  and '"$((190 - shown)) more in .aa" ]]
	# A screen has 60 rows and 4096 bytes for it, whatever a name is.
	[ "$(fold -w 74 <<<"$detail" | wc -l)" -le 58 ]
	[ "${#detail}" -le 4096 ]
	# Of what runs by itself nothing is only counted.
	for ((i = 100; i < 190; i++)); do put ".d$i/.envrc"; done
	commit
	ask
	jq -r 'select(.action == "workspace.protected") | .detail' <<<"$questions" >"$BATS_TEST_TMPDIR/detail"
	[ "$(grep -c '^  A .*a rule names it' "$BATS_TEST_TMPDIR/detail")" -eq 92 ]
	[ "$(jq -r .action <<<"$questions" | grep -c protected)" -eq 4 ]
	while read -r detail; do
		detail=$(jq -r . <<<"$detail")
		[ "$(fold -w 74 <<<"$detail" | wc -l)" -le 58 ]
	done < <(jq 'select(.action == "workspace.protected") | .detail' <<<"$questions")
}

@test "asks about the project's policy and what it includes apart" {
	printf 'include ./more.policy\n' >"$project/chock.policy"
	printf 'ask any\n' >"$project/more.policy"
	printf 'x\n' >"$project/other.policy"
	git -C "$project" add .
	git -C "$project" commit -q -m policy
	begin
	put chock.policy 'allow any'
	put more.policy 'allow any'
	put other.policy 'allow any'
	put sub/chock.policy 'allow any'
	commit
	ask
	[ "$(asked_apart workspace.policy | sed 's/:.*//')" = $'M chock.policy\nM more.policy' ]
	[ "$(jq -r .action <<<"$questions")" = $'workspace.policy\nworkspace.apply' ]
}

@test "asks about a policy where there was none" {
	begin
	put chock.policy 'allow any'
	commit
	ask
	[ "$(asked_apart workspace.policy)" = 'A chock.policy: the policy is read from it' ]
}

@test "takes a person's rules for more paths, and answers by them" {
	printf '%s\n' 'include base' 'ask workspace.protected path deploy/**' \
		'deny workspace.protected path .github/**' \
		'allow workspace.protected path .vscode/**' >"$config/policy"
	begin
	put deploy/prod.sh
	put deployment
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A deploy/prod.sh: a rule names it' ]
	[ "$(judged --find-policy)" = $'workspace.protected ask\nworkspace.apply ask' ]
	put .vscode/settings.json
	copy_git rm -q -r --cached deploy
	rm -r "$copy/deploy"
	commit
	ask
	[ "$(judged --find-policy)" = $'workspace.protected allow\nworkspace.apply ask' ]
	put .github/workflows/x
	commit
	ask
	[ "$(judged --find-policy)" = $'workspace.protected deny\nworkspace.apply ask' ]
}

@test "has a deny of workspace.protected mean what is protected, and nothing else" {
	printf '%s\n' 'include base' 'deny workspace.protected' >"$config/policy"
	begin
	work
	ask
	[ "$(jq -r .action <<<"$questions")" = workspace.apply ]
	put .envrc
	commit
	ask
	[ "$(judged --find-policy)" = $'workspace.protected deny\nworkspace.apply ask' ]
}

@test "takes the rules of the options and the policies that were frozen" {
	begin
	put x
	put y
	commit
	chock-policy-eval --freeze --policy base --project "$project" \
		>"$BATS_TEST_TMPDIR/frozen"
	printf '%s\n' 'include base' 'ask workspace.protected path y' \
		>"$config/policy"
	ask --rule 'ask workspace.protected path x' --frozen-fd 7 \
		7<"$BATS_TEST_TMPDIR/frozen"
	[ "$(asked_apart workspace.protected)" = 'A x: a rule names it' ]
	ask
	[ "$(asked_apart workspace.protected)" = 'A y: a rule names it' ]
}

@test "extends the list by a project's policy that nobody trusts" {
	printf 'ask workspace.protected path x\n' >"$project/chock.policy"
	git -C "$project" add .
	git -C "$project" commit -q -m policy
	begin
	put x
	commit
	ask
	[ "$(asked_apart workspace.protected)" = 'A x: a rule names it' ]
}

@test "asks about many files in several records, each of them whole" {
	begin
	blob=$(copy_git rev-parse HEAD:file)
	long=$(printf '%180s' '' | tr ' ' n)
	for ((i = 0; i < 450; i++)); do
		printf '100755 %s\t%s%03d\n' "$blob" "$long" "$i"
	done | copy_git update-index --index-info
	copy_git commit -q -m many
	ask
	[ "$(jq -s 'map(select(.action == "workspace.protected")) | length' <<<"$questions")" -eq 3 ]
	[ "$(asked_apart workspace.protected | sort -u | wc -l)" -eq 450 ]
	[ "$(judged | sort | uniq -c | tr -s ' ')" = $' 1 workspace.apply ask\n 3 workspace.protected ask' ]
}

@test "asks about paths of any bytes" {
	begin
	name=$'.claude/new\nline\xff"'
	put "$name"
	commit
	ask
	[ "$(jq -r 'select(.action == "workspace.protected") | .paths[0].base64' <<<"$questions" |
		base64 -d)" = "$name" ]
	[[ $(jq -r 'select(.action == "workspace.protected") | .detail' <<<"$questions") == *'.claude/new\x0aline\xff"'* ]]
	[ "$(judged)" = $'workspace.protected ask\nworkspace.apply ask' ]
}

# ---- a whole run -------------------------------------------------------------

# one STATUS ARGUMENT... - chock run with nobody there to answer
one() {
	local status=$1
	shift
	cd "$project" || return
	run "-$status" --separate-stderr setsid -w chock run "$@" </dev/null
}

protect='echo x >.envrc && git add -f .envrc && git commit -qm envrc'
widen='echo "allow any" >chock.policy && git add . && git commit -qm policy'

@test "leaves the project alone and keeps the work on a no, whatever --yes says" {
	while IFS='|' read -r command action; do
		before "$project"
		one 0 --yes -- sh -c "$command"
		unchanged "$project"
		[[ $stderr == *"policy has a person asked about $action "* ]]
		[[ $stderr == *"--rule 'allow $action' would allow it"* ]]
		kept=$(sed -n 's/^ *kept *//p' <<<"$stderr")
		[ -d "$kept/copy" ]
		log=$kept.jsonl
		[ "$(jq -r 'select(.kind == "ask") | .action' <"$log")" = "$action" ]
		[ "$(jq -r 'select(.kind == "answer") | .decision' <"$log")" = deny ]
		run -1 grep '"kind":"workspace.apply"' "$log"
	done <<-EOF
		$protect|workspace.protected
		$widen|workspace.policy
	EOF
}

@test "applies after a yes to each" {
	one 0 --yes --rule 'allow workspace.protected' --rule 'allow workspace.policy' \
		-- sh -c "$protect; $widen"
	[ -e "$project/.envrc" ]
	[ -e "$project/chock.policy" ]
}

@test "is not slowed down by questions of hundreds of kilobytes" {
	long=$(printf '%180s' '' | tr ' ' n)
	one 0 --yes --rule 'allow workspace.protected' -- sh -ec "
		for i in \$(seq 1000 2000); do echo x >$long\$i; done
		chmod 755 $long*; git add .; git commit -qm many"
	[ "$(find "$project" -name 'nnn*' | wc -l)" -eq 1001 ]
}

# person WORD... - chock run with a person who is asked what each WORD=ANSWER
# says, and gives that answer
person() {
	local steps=() word
	for word; do
		steps+=("see=action: ${word%=*}" 'see=seconds: ' "type=${word#*=}\r")
	done
	run -0 "$helpers/terminal" "$BATS_TEST_TMPDIR/seen" start "${steps[@]}" -- \
		chock run -- sh -c "$protect; $widen"
}

@test "asks a person about each in turn, and stops at the first no" {
	cd "$project"
	person workspace.policy=y workspace.protected=n
	[ ! -e .envrc ]
	run -1 grep -q workspace.apply "$BATS_TEST_TMPDIR/seen"
	person workspace.policy=y workspace.protected=y workspace.apply=y
	[ -e .envrc ]
}
