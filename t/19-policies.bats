#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# The policies that people start from: a real program does its work under each,
# and what each promises to keep away is there without it and not with it.
#
# Where a toolchain is missing that is too large to be a package of the tests,
# its test is skipped by name; what its policy answers is asked anyway.

load lib/chock

setup() {
	policies=$BATS_TEST_DIRNAME/../policies
	act=$helpers/act
	mkdir "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return
}

teardown() {
	[ -z "${server-}" ] || {
		kill "$server" 2>/dev/null
		wait "$server" 2>/dev/null
	}
	return 0
}

# need PROGRAM... - skip where one is not on this machine
need() {
	local program
	for program; do
		command -v "$program" >/dev/null ||
			skip "nothing measured: there is no $program on this machine"
	done
}

# by POLICY WORD... - the command WORD... in a sandbox by POLICY, in the project
by() {
	chock-spawn --policy "$1" -- "${@:2}"
}

# refused POLICY PATH - inside there is no PATH, which there is outside
refused() {
	run -0 cat "$2"
	run -1 by "$1" cat "$2"
	[[ $output == *"$2: No such file or directory" ]]
}

# kept POLICY PATH - nor does a grant of the whole home bring it back
kept() {
	refused "$1" "$2"
	run -1 chock-spawn --policy "$1" --read "$HOME" -- cat "$2"
	[[ $output == *"$2: Permission denied" || $output == *"$2: No such file or directory" ]]
	printf 'other\n' >"$HOME/other"
	run -0 chock-spawn --policy "$1" --read "$HOME" -- cat "$HOME/other"
	[ "$output" = other ]
}

# unchanged POLICY FILE - it can be read inside, and written outside only
unchanged() {
	run -0 by "$1" cat "$2"
	run -1 by "$1" cp /etc/passwd "$2"
	[[ $output == *"$2': Read-only file system" ]]
	touch "$2"
}

# serve_tcp - a server of this machine's, on $port, until the end of the test
serve_tcp() {
	local try
	for try in $(shuf -i 20000-32000 -n 20); do
		run "$act" bind tcp "$try"
		[ "$status" -ne 0 ] || break
	done
	port=$try
	coproc SERVER { exec "$act" serve tcp "$port"; }
	server=$SERVER_PID
	read -r -u "${SERVER[0]}" ready
	[ "$ready" = ready ]
}

# unreached POLICY - what listens outside; the sandbox's own loopback is there
unreached() {
	serve_tcp
	run -0 "$act" connect tcp "$port"
	run -1 chock-spawn --policy "$1" --read "$helpers" -- "$act" connect tcp "$port"
	[ "$output" = ECONNREFUSED ]
	run -0 chock-spawn --policy "$1" --read "$helpers" -- "$act" bind tcp "$port"
}

# jit_refused STATUS WORD... - what compiles while it runs ends by base so
jit_refused() {
	run "-$1" chock-spawn --policy base --write "$PWD" -- "${@:2}"
}

# person_home - that of whoever runs the tests, where toolchains may be
person_home() {
	getent passwd "$(id -u)" | cut -d : -f 6
}

# says POLICY DECISION ACTION [FIELD=VALUE]...
says() {
	run chock-policy-eval --policy "$1" "${@:3}"
	[[ $output == "$2 "* || $output == *$'\n'"$2 "* ]]
}

# ---- the language -----------------------------------------------------------

@test "puts the home and the project into a variable" {
	require userns landlock
	printf '%s\n' 'include base' 'env A=~/x:/y:@project@' 'env B=-I~/x' >../p
	run -0 by ../p /usr/bin/printenv A B
	[ "${lines[0]}" = "$HOME/x:/y:$PWD" ]
	[ "${lines[1]}" = '-I~/x' ]
	run -100 env -u HOME chock-spawn --policy ../p -- true
	[[ $output == *"../p:2:1: there is no home directory here" ]]
	printf 'env A=~/../x\n' >../p
	run -100 by ../p true
	[[ $output == *"'A=~/../x' is a path with '.' or '..' in it"* ]]
}

@test "has in the one PATH of all languages that of the sandbox, last" {
	require userns landlock
	run -0 by base /usr/bin/printenv PATH
	usual=$output
	run -0 chock-spawn --policy base --policy userpath -- /usr/bin/printenv PATH
	[[ $output == "$HOME/"*":$usual" ]]
}

# ---- all of them ------------------------------------------------------------

@test "takes every two of them together" {
	names=()
	for file in "$policies"/*.policy; do
		file=${file##*/}
		names+=("${file%.policy}")
	done
	[ "${#names[@]}" -ge 17 ]
	for one in "${names[@]}"; do
		for other in "${names[@]}"; do
			[[ $one < $other ]] || continue
			chock-spawn --policy "$one" --policy "$other" --check
			chock-spawn --policy "$other" --policy "$one" --check
			chock-policy-eval --policy "$one" --policy "$other" \
				--files >../files 2>/dev/null
			grep -q "\"file\":\"$one\"" ../files
			grep -q "\"file\":\"$other\"" ../files
		done
	done
}

@test "sets no variable, and no network, in two ways" {
	run awk '$1 == "env" { split($2, part, "="); name = part[1]; value = $2 }
		$1 == "net" { name = $1; value = $2 }
		$1 == "env" || $1 == "net" {
			if (name in is && is[name] != value)
				print FILENAME ": " name
			is[name] = value
		}
		END { for (name in is) count++; print count + 0 }' "$policies"/*.policy
	[ "${#lines[@]}" -eq 1 ]
	[ "$output" -ge 8 ]
}

@test "answers for two together by the stricter of equal rules" {
	says offline deny net.fetch.com.example
	printf 'allow net.fetch.*\n' >../p
	run -0 chock-policy-eval --policy ../p net.fetch.com.example
	run -1 chock-policy-eval --policy ../p --policy offline net.fetch.com.example
	run -0 chock-policy-eval --policy ../p --policy base net.fetch.com.example
}

@test "grants nothing of a home but toolchains and what was fetched for them" {
	run -0 awk '($1 == "read" || $1 == "write") && $2 ~ /^~/ { print $2 }' \
		"$policies"/*.policy
	[ "$(sort <<<"$output")" = "$(
		sort <<-'END'
			~/.cargo/bin
			~/.cargo/git
			~/.cargo/registry
			~/.m2/repository
			~/.pyenv
			~/.rustup
			~/.sdkman/candidates
			~/go/pkg/mod
		END
	)" ]
}

# ---- ci, offline ------------------------------------------------------------

c_project() {
	printf 'int two(void) { return 2; }\n' >two.c
	printf 'int two(void);\nint main(void) { return two() != 2; }\n' >test.c
	printf 'test: two.o test.o\n\t$(CC) -o $@ two.o test.o\n' >Makefile
	printf 'check: test\n\t./test && echo "passed $$CI"\n' >>Makefile
}

@test "builds and tests a project in C by ci" {
	require userns landlock
	c_project
	run -0 by ci make -s check
	[ "$output" = 'passed true' ]
	[ -x test ]
}

@test "writes by ci in the project only" {
	require userns landlock
	touch ../neighbour "$HOME/neighbour"
	run -1 by ci touch "$HOME/neighbour" /usr/neighbour
	[[ ${lines[0]} == *"/home/neighbour': No such file or directory" ]]
	[[ ${lines[1]} == *"'/usr/neighbour': Read-only file system" ]]
	run -1 by ci rm ../neighbour
	[ -e ../neighbour ]
	run -0 by ci touch inside
	[ -e inside ]
}

@test "reaches by ci nothing that listens on the runner" {
	require userns landlock
	unreached ci
}

@test "runs by ci under limits that a runner wants" {
	require userns landlock
	run -0 chock-spawn --policy ci --report-fd 3 -- \
		bash -c 'ulimit -n; ulimit -f; ulimit -t' 3>../report
	[ "${lines[*]}" = '4096 2097152 1800' ]
	run -0 jq -r 'select(.kind == "sandbox.open").limits.time.value' ../report
	[ "$output" = 1800 ]
}

@test "runs a downloaded script by offline, and keeps nothing of it" {
	require userns landlock
	printf 'secret\n' >"$HOME/key"
	cat >fetched <<-END
		cat $HOME/key
		mkdir -p $PWD
		echo x >$PWD/kept && echo written
	END
	run -0 sh ./fetched
	[ "$output" = $'secret\nwritten' ]
	rm kept
	run -0 by offline sh -s <fetched
	[ "${lines[0]}" = "cat: $HOME/key: No such file or directory" ]
	[ "${lines[1]}" = written ]
	[ ! -e kept ]
	refused offline "$PWD/fetched"
	run -0 chock-spawn --policy offline --write "$PWD" -- touch "$PWD/left"
	[ -e left ]
}

@test "reaches by offline nothing that listens outside" {
	require userns landlock
	unreached offline
	says base ask net.connect.com.example
	says offline deny net.connect.com.example
}

# ---- languages --------------------------------------------------------------

@test "runs the tests of a project by node" {
	require userns landlock
	need node
	printf 'const t = require("node:test"), a = require("node:assert");
		t("adds", () => a.equal(1 + 1, 2));\n' >add.test.js
	run -0 by node node --test
	[[ $output == *'pass 1'* ]]
	jit_refused 133 node --test
}

@test "runs npm by node, which says at once that it is offline" {
	require userns landlock
	need npm
	printf 'process.exit(require("fs").existsSync("package.json") ? 0 : 1)\n' >test.js
	printf '{"name":"n","version":"1.0.0","scripts":{"test":"node test.js"}}' \
		>package.json
	run -0 by node npm test
	rm test.js
	run -1 by node npm test
	run -1 by node timeout 20 npm install left-pad
	[[ $output == *ENOTCACHED* ]]
}

@test "keeps the token of npm, and the network, from node" {
	require userns landlock
	printf '//registry.example/:_authToken=secret\n' >"$HOME/.npmrc"
	kept node "$HOME/.npmrc"
	unreached node
}

@test "makes an environment, and installs into it, by python" {
	require userns landlock
	need /usr/bin/python3
	/usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null ||
		skip 'nothing measured: this python3 makes no environments'
	mkdir -p wheels
	/usr/bin/python3 - <<-'END'
		import zipfile
		wheel = zipfile.ZipFile("wheels/two-1-py3-none-any.whl", "w")
		info = "two-1.dist-info/"
		wheel.writestr("two.py", "def two(): return 2\n")
		wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: two\nVersion: 1\n")
		wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		wheel.writestr(info + "RECORD", "two.py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n")
		wheel.close()
	END
	run -0 by python sh -c '/usr/bin/python3 -m venv .venv &&
		.venv/bin/pip install -q --find-links wheels two &&
		.venv/bin/python -c "import two; print(two.two())"'
	[ "${lines[-1]}" = 2 ]
	run -1 by python timeout 20 .venv/bin/pip install left
	[[ $output == *'No matching distribution found for left'* ]]
}

@test "runs pytest by python" {
	require userns landlock
	/usr/bin/python3 -m pytest --version >/dev/null 2>&1 ||
		skip 'nothing measured: this python3 has no pytest'
	printf 'def test_adds():\n    assert 1 + 1 == 2\n' >test_add.py
	run -0 by python /usr/bin/python3 -m pytest -q
	[[ $output == *'1 passed'* ]]
}

@test "finds by python what pyenv keeps in the home, and does not change it" {
	require userns landlock
	need /usr/bin/python3
	mkdir -p "$HOME/.pyenv/shims"
	printf '#!/bin/sh\nexec /usr/bin/python3 -c "print(\\"shim\\")"\n' \
		>"$HOME/.pyenv/shims/python3"
	chmod +x "$HOME/.pyenv/shims/python3"
	run -0 by python python3
	[ "$output" = shim ]
	unchanged python "$HOME/.pyenv/shims/python3"
}

@test "keeps the token of PyPI, and the network, from python" {
	require userns landlock
	printf '[pypi]\npassword = secret\n' >"$HOME/.pypirc"
	kept python "$HOME/.pypirc"
	unreached python
}

# link_cargo - let the test's home have the toolchains of the person's
link_cargo() {
	local person
	person=$(person_home)
	mkdir -p "$HOME/.cargo"
	[ ! -d "$person/.rustup" ] || ln -s "$person/.rustup" "$HOME/.rustup"
	[ ! -d "$person/.cargo/bin" ] || ln -s "$person/.cargo/bin" "$HOME/.cargo/bin"
	export CARGO_HOME=$HOME/.cargo RUSTUP_HOME=$HOME/.rustup
}

# crate_index - in ../index a registry that has the crate two, in ../dl
crate_index() {
	mkdir -p ../index/3/t ../dl ../two-0.1.0/src
	printf '[package]\nname = "two"\nversion = "0.1.0"\nedition = "2021"\n' \
		>../two-0.1.0/Cargo.toml
	printf 'pub fn two() -> i32 { 2 }\n' >../two-0.1.0/src/lib.rs
	tar -C .. -czf ../dl/two-0.1.0.crate two-0.1.0
	jq -nc --arg sum "$(sha256sum <../dl/two-0.1.0.crate | cut -d ' ' -f 1)" \
		'{name: "two", vers: "0.1.0", deps: [], cksum: $sum, features: {},
		yanked: false}' >../index/3/t/two
	jq -n --arg dl "file://$BATS_TEST_TMPDIR/dl/{crate}-{version}.crate" \
		'{dl: $dl, api: null}' >../index/config.json
	git init -q ../index
	git -C ../index add .
	git -C ../index commit -qm index
	mkdir -p .cargo
	printf '[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "file://%s/index"\n' \
		"$BATS_TEST_TMPDIR" >.cargo/config.toml
}

@test "builds and tests by rust what cargo fetched before" {
	require userns landlock
	need cargo
	link_cargo
	crate_index
	mkdir -p src
	printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ntwo = "0.1"\n' >Cargo.toml
	printf 'fn main() { println!("{}", two::two()) }\n#[test]\nfn is_two() { assert_eq!(two::two(), 2) }\n' \
		>src/main.rs
	cargo fetch -q
	run -0 by rust cargo run -q
	[ "$output" = 2 ]
	run -0 by rust cargo test -q
	[[ $output == *'1 passed'* ]]
	unchanged rust "$(find "$HOME/.cargo/registry/src" -name lib.rs)"
}

@test "keeps the token of crates.io, and the network, from rust" {
	require userns landlock
	mkdir -p "$HOME/.cargo/registry"
	printf '[registry]\ntoken = "secret"\n' | tee "$HOME/.cargo/credentials" \
		>"$HOME/.cargo/credentials.toml"
	kept rust "$HOME/.cargo/credentials.toml"
	kept rust "$HOME/.cargo/credentials"
	printf 'known\n' >"$HOME/.cargo/registry/known"
	run -0 by rust cat "$HOME/.cargo/registry/known"
	unreached rust
}

# module_proxy - in ../proxy the module example.org/two
module_proxy() {
	mkdir -p ../proxy/example.org/two/@v
	/usr/bin/python3 - ../proxy/example.org/two/@v <<-'END'
		import sys, zipfile
		here = sys.argv[1] + "/"
		mod = "module example.org/two\n\ngo 1.19\n"
		open(here + "v1.0.0.mod", "w").write(mod)
		open(here + "v1.0.0.info", "w").write('{"Version":"v1.0.0"}')
		open(here + "list", "w").write("v1.0.0\n")
		with zipfile.ZipFile(here + "v1.0.0.zip", "w") as archive:
		    top = "example.org/two@v1.0.0/"
		    archive.writestr(top + "go.mod", mod)
		    archive.writestr(top + "two.go", "package two\n\nfunc Two() int { return 2 }\n")
	END
}

@test "builds and tests by go what was downloaded before" {
	require userns landlock
	need go /usr/bin/python3
	module_proxy
	printf 'module example.org/app\n\ngo 1.19\n\nrequire example.org/two v1.0.0\n' >go.mod
	printf 'package main\n\nimport "example.org/two"\n\nfunc main() { println(two.Two()) }\n' >main.go
	printf 'package main\n\nimport "testing"\n\nfunc TestRuns(t *testing.T) { main() }\n' >main_test.go
	GOPROXY=file://$BATS_TEST_TMPDIR/proxy GONOSUMDB='*' GOFLAGS=-mod=mod \
		go mod tidy 2>/dev/null
	run -0 by go go run .
	[ "$output" = 2 ]
	run -0 by go go test ./...
	[[ $output == ok* ]]
	unchanged go "$HOME/go/pkg/mod/cache/download/example.org/two/@v/v1.0.0.mod"
	chmod -R u+w "$HOME/go"
}

@test "keeps the rest of the home, and the network, from go" {
	require userns landlock
	mkdir -p "$HOME/go/pkg/mod" "$HOME/.config/go"
	printf 'GOFLAGS=-x\n' >"$HOME/.config/go/env"
	refused go "$HOME/.config/go/env"
	printf 'known\n' >"$HOME/go/pkg/mod/known"
	run -0 by go cat "$HOME/go/pkg/mod/known"
	unreached go
}

@test "compiles and runs by java" {
	require userns landlock
	need java javac
	printf 'class Two { public static void main(String[] a) { System.out.println(1 + 1); } }\n' >Two.java
	run -0 by java sh -c 'javac Two.java && java Two'
	[ "$output" = 2 ]
	jit_refused 1 java Two
}

@test "finds by java what the local repository has, by maven" {
	require userns landlock
	need mvn
	parent=$HOME/.m2/repository/org/example/parent/1
	mkdir -p "$parent"
	printf '<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version><packaging>pom</packaging></project>' \
		>"$parent/parent-1.pom"
	printf '<project><modelVersion>4.0.0</modelVersion><parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version></parent><artifactId>a</artifactId><packaging>pom</packaging></project>' >pom.xml
	offline=(mvn -B -o -q -Dmaven.repo.local="$HOME/.m2/repository" validate)
	run -0 by java "${offline[@]}"
	unchanged java "$parent/parent-1.pom"
	rm "$parent/parent-1.pom"
	run -1 by java "${offline[@]}"
	[[ $output == *'org.example:parent:pom:1'* ]]
}

@test "keeps the passwords of maven, and the network, from java" {
	require userns landlock
	mkdir -p "$HOME/.m2/repository"
	printf '<settings/>\n' | tee "$HOME/.m2/settings.xml" \
		>"$HOME/.m2/settings-security.xml"
	kept java "$HOME/.m2/settings.xml"
	kept java "$HOME/.m2/settings-security.xml"
	unreached java
}

# ---- coding agents ----------------------------------------------------------

# judged POLICY RECORD - what the hook would be told, "ACTIONS DECISION"
judged() {
	chock-policy-eval --policy "$1" --project "$PWD" 2>/dev/null <<<"$2" |
		jq -r '"\(.actions | join(" ")) \(.decision)"'
}

# call ARGV... - a call of run_command
call() {
	printf '%s\n' "$@" | jq -Rsc '{id: "1", agent: ["main"],
		tool: "run_command", args: {argv: split("\n")[:-1]}}'
}

# runs POLICY WORD... - a command of the agent's: judged, and if it is allowed
# run as a harness would
runs() {
	[[ $(judged "$1" "$(call "${@:2}")") == *' allow' ]] && by "$@"
}

@test "lets an agent work, by the policies for agents" {
	require userns landlock
	git init -q .
	for policy in coding-agent claude-code codex; do
		run -0 runs "$policy" make --version
		printf '#!/bin/sh\necho built\n' >build.sh
		chmod +x build.sh
		run -0 runs "$policy" ./build.sh
		[ "$output" = built ]
		[ "$(judged "$policy" '{"tool":"write_file","args":{"path":"a.c"}}')" = \
			'call.write_file allow' ]
		[ "$(judged "$policy" '{"tool":"edit_file","args":{"path":"a.c"}}')" = \
			'call.edit_file allow' ]
		[ "$(judged "$policy" '{"tool":"fetch_url","args":{"url":"https://example.com/x"}}')" = \
			'net.fetch.com.example ask' ]
		[ "$(judged "$policy" '{"tool":"fetch_url","args":{"url":"http://169.254.169.254/latest"}}')" = \
			'net.fetch.ip deny' ]
		[ "$(judged "$policy" '{"tool":"mcp.github.create_issue","args":{}}')" = \
			'mcp.github.tool.create_issue ask' ]
		[[ $(judged "$policy" "$(call bash -c 'curl x | sh')") == *' ask' ]]
		by "$policy" git -c user.name=a -c user.email=b commit -q \
			--allow-empty -m "$policy"
		by "$policy" bash -c 'echo made >made'
	done
	[ "$(git log --oneline | wc -l)" -eq 3 ]
	[ "$(cat made)" = made ]
}

@test "asks about every program of an agent that has no sandbox" {
	for policy in coding-agent claude-code codex; do
		for action in exec.path.make exec.workspace.x exec.system./bin/sh \
			exec.unparsed; do
			run -3 chock-policy-eval --policy "$policy" \
				--rule 'ask exec.*' "$action"
		done
		run -0 chock-policy-eval --policy "$policy" \
			--rule 'ask exec.*' call.read_file
	done
}

@test "holds a copy of the project as it holds the project" {
	require userns landlock
	git init -q .
	echo one >file
	git add file
	git commit -qm one
	for policy in ci python coding-agent; do
		run -0 chock run --policy "$policy" -- \
			bash -c 'cat file; echo two >file; git diff --stat'
		[[ $output == *one* && $output == *'1 insertion'* ]]
		[ "$(cat file)" = one ]
	done
	run -1 chock run --policy coding-agent -- touch .git/hooks/post-commit
	[[ $output == *"'.git/hooks/post-commit': "* ]]
}

@test "runs python for an agent" {
	require userns landlock
	need /usr/bin/python3
	printf 'print(1 + 1)\n' >two.py
	for policy in claude-code codex; do
		run -0 by "$policy" /usr/bin/python3 two.py
		[ "$output" = 2 ]
	done
}

@test "plants no hook for git, by the policies for agents" {
	require userns landlock
	git init -q .
	run -0 bash -c 'echo true >.git/hooks/pre-commit'
	rm .git/hooks/pre-commit
	for policy in coding-agent claude-code codex; do
		run -1 by "$policy" bash -c 'echo true >.git/hooks/pre-commit'
		run ! by "$policy" mv .git/hooks .git/other
		[ ! -e .git/hooks/pre-commit ]
		[ -d .git/hooks ]
		run -0 by "$policy" bash -c 'echo x >.git/description'
	done
}

@test "keeps a harness's own settings from its commands" {
	require userns landlock
	mkdir .claude .codex
	printf '{"hooks":{}}\n' >.claude/settings.local.json
	printf 'x\n' >.codex/config.toml
	printf 'x\n' >.claude/notes
	run -0 cat .claude/settings.local.json .codex/config.toml
	run -1 by claude-code bash -c 'echo {} >.claude/settings.local.json'
	run -1 by codex bash -c 'echo y >.codex/config.toml'
	[ "$(cat .claude/settings.local.json .codex/config.toml)" = \
		$'{"hooks":{}}\nx' ]
	run -0 by claude-code cat .claude/notes
	run -0 by codex cat .claude/notes
}

@test "keeps every secret that it names, also where the home is granted" {
	require userns landlock
	mkdir -p "$HOME/.config"
	hidden=$(awk '$1 == "hide" { sub("~/", "", $2); print $2 }' \
		"$policies/secrets.policy")
	[ "$(wc -l <<<"$hidden")" -gt 40 ]
	while IFS= read -r name; do
		mkdir -p "$(dirname "$HOME/$name")"
		case $name in
		.ssh | .gnupg | .aws | .kube | .mozilla | .claude | .codex)
			mkdir -p "$HOME/$name"
			printf 'secret\n' >"$HOME/$name/key"
			;;
		*) printf 'secret\n' >"$HOME/$name" ;;
		esac
	done <<<"$hidden"
	printf 'other\n' >"$HOME/other"
	printf 'read ~\ninclude base\n' >../p
	run -0 by ../p grep -rl secret "$HOME"
	[ "${#lines[@]}" -ge "$(wc -l <<<"$hidden")" ]
	for policy in secrets coding-agent; do
		run -2 chock-spawn --policy ../p --policy "$policy" -- grep -rls secret "$HOME"
		[ -z "$output" ]
		run -0 chock-spawn --policy ../p --policy "$policy" -- cat "$HOME/other"
	done
}

@test "denies tools what it hides from commands" {
	awk '$1 == "hide" { sub("~", "", $2); print $2 }' \
		"$policies/secrets.policy" >../hidden
	[ "$(wc -l <../hidden)" -gt 40 ]
	while IFS= read -r name; do
		printf '{"action":"fs.read./home/me%s"}\n' "${name//./%2E}"
		printf '{"action":"fs.write./home/me%s"}\n' "${name//./%2E}"
	done <../hidden >../questions
	chock-policy-eval --policy coding-agent <../questions 2>/dev/null >../answers
	[ "$(wc -l <../answers)" -eq "$(($(wc -l <../hidden) * 2))" ]
	run -0 jq -r 'select(.decision != "deny").action' ../answers
	[ "$output" = fs.write./home/me/snap/firefox ]
}

# ---- ceilings ---------------------------------------------------------------

generous='include jit
net host
allow any
allow policy.widen
allow net.connect.*
allow device.*
allow secret.use.*
limit files 65536
limit time 12h'

@test "lowers a generous policy by strict" {
	printf '%s\n' "$generous" >../p
	for action in policy.widen sandbox.jit net.connect.com.example \
		device.usb.1d50.6018 secret.use.TOKEN web.search git.push; do
		run -0 chock-policy-eval --policy ../p "$action"
		run -1 chock-policy-eval --policy ../p --ceiling strict "$action"
	done
	for action in exec.unparsed fs.write./x workspace.apply mcp.a.tool.b; do
		run -0 chock-policy-eval --policy ../p "$action"
		run -3 chock-policy-eval --policy ../p --ceiling strict "$action"
	done
	for action in call.read_file exec.path.gcc git.commit workspace.integrate; do
		run -0 chock-policy-eval --policy ../p --ceiling strict "$action"
	done
}

# under CEILING - let the person have it as their ceiling
under() {
	mkdir -p "$HOME/.config/chock"
	printf 'include %s\n' "$1" >"$HOME/.config/chock/ceiling"
}

@test "holds a sandbox to strict" {
	require userns landlock
	printf '%s\n' "$generous" >../p
	printf 'secret\n' >"$HOME/.netrc"
	run -0 chock-spawn --policy ../p --read "$HOME" -- \
		bash -c "ulimit -n; cat $HOME/.netrc"
	[ "$output" = $'65536\nsecret' ] || [ "${lines[-1]}" = secret ]
	under strict
	run -0 --separate-stderr chock-spawn --policy ../p --report-fd 3 -- \
		bash -c 'ulimit -n' 3>../report
	[ "$output" = 4096 ]
	run -0 jq -r 'select(.kind == "sandbox.open").limits.time.value' ../report
	[ "$output" = 3600 ]
	run -1 chock-spawn --policy ../p --read "$HOME" -- cat "$HOME/.netrc"
	[[ $output == *'Permission denied' || $output == *'No such file or directory' ]]
}

@test "opens no network under no-network, whoever says host" {
	require userns landlock
	printf 'include base\nnet host\n' >../p
	serve_tcp
	run -0 chock-spawn --policy ../p --read "$helpers" -- "$act" connect tcp "$port"
	run -0 chock-policy-eval --policy ../p --rule 'allow net.connect.*' net.connect.com.example
	under no-network
	for how in '--policy ../p' '--policy base --net host'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr chock-spawn $how --read "$helpers" -- \
			"$act" connect tcp "$port"
		[ "$output" = ECONNREFUSED ]
	done
	run -1 chock-policy-eval --rule 'allow net.connect.*' net.connect.com.example
	run -0 --separate-stderr chock-spawn --policy ../p --read "$helpers" -- \
		"$act" bind tcp "$port"
	run -0 chock-policy-eval exec.path.gcc
	rm "$HOME/.config/chock/ceiling"
	run -1 --separate-stderr chock-spawn -p base --net host \
		--ceiling no-network --read "$helpers" -- "$act" connect tcp "$port"
	[ "$output" = ECONNREFUSED ]
	run -0 --separate-stderr chock-spawn -p base --net host -p no-network \
		--read "$helpers" -- "$act" connect tcp "$port"
	[[ $stderr == *"'no-network' is a ceiling, "*"'--ceiling no-network' does" ]]
}

@test "says so where a ceiling is named as a policy, and of no other" {
	local file name said
	for file in "$BATS_TEST_DIRNAME"/../policies/*.policy; do
		name=$(basename "$file" .policy)
		said=
		! sed -n 2p "$file" | grep -q ' - a ceiling: ' ||
			said="--policy: '$name' is a ceiling, and binds neither"
		run -0 --separate-stderr chock-spawn -p "$name" --check
		[ "$stderr" = "${said:+chock-spawn: $said options nor other policies this way; '--ceiling $name' does}" ]
		run -0 --separate-stderr chock-policy-eval --policy "$name" --files
		if [ -n "$said" ]; then
			[[ $stderr == *"chock-policy-eval: $said rules nor other policies this way; '--ceiling $name' does"* ]]
		else
			[[ $stderr != *ceiling* ]]
		fi
		run -0 --separate-stderr chock-spawn --ceiling "$name" --check
		[ -z "$stderr" ]
	done
	run -100 --separate-stderr chock-spawn --frozen-fd 0 --ceiling strict --check </dev/null
	[ "$stderr" = 'chock-spawn: --frozen-fd is all policies: neither --policy nor --ceiling nor --find-policy goes with it' ]
	run -100 --separate-stderr chock-spawn --ceiling strikt --check
	[ "$stderr" = "chock-spawn: no policy 'strikt' is shipped; did you mean 'strict'?" ]
}

@test "grants nothing by a ceiling that is named" {
	require userns landlock
	printf 'read %s\nlimit files 40\nallow sandbox.jit\n' "$PWD" >../c
	echo here >file
	run -1 chock-spawn -p base --ceiling ../c --chdir / -- cat "$PWD/file"
	run -0 --separate-stderr chock-spawn -p base --ceiling ../c --report-fd 3 \
		-- sh -c 'ulimit -n' 3>../report
	[ "$output" = 40 ]
	run -0 jq -r 'select(.kind == "sandbox.open").jit' ../report
	[ "$output" = false ]
}
