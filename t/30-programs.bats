#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# Real programs run inside as outside: they print the same and end the same.
# Where they cannot, the report says that the sandbox was the cause.
#
# What is missing on a machine is skipped by its name.  Under CHOCK_REQUIRE=all
# that is a failure for what ./bootstrap installs; compilers of other languages
# and the like are too large to be a package of the tests.

load lib/chock

setup() {
	require userns landlock
	PATH=$PATH:/usr/sbin:/sbin
	mkdir "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return
	options=()
	# Of a caller's words a sandbox passes few, so outside has no more.
	words=("PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
		"HOME=$HOME" "TMPDIR=$BATS_TEST_TMPDIR" "LANG=C.UTF-8")
}

# need PROGRAM... - skip where one is not on this machine
need() {
	local program
	for program; do
		[ -z "$(env -i "${words[@]}" sh -c 'command -v "$0"' "$program")" ] ||
			continue
		lacking "$program"
	done
}

lacking() {
	case ${CHOCK_REQUIRE-}:$1 in
	all:gcc | all:make | all:git | all:perl | all:python3 | all:node | \
		all:cmake | all:gdb | all:strace | all:redis-check-rdb | \
		all:redis-cli | all:zsh | all:clang | all:fc-list)
		printf 'there is no %s on this machine\n' "$1" >&2
		return 1
		;;
	esac
	skip "nothing measured: there is no $1 on this machine"
}

# by POLICY COMMAND... - in a sandbox that may write to the project
by() {
	timeout 60 chock-spawn -p "$1" --write "$PWD" "${options[@]}" \
		--report-fd 4 -- "${@:2}" </dev/null 4>../report
}

notice() {
	tail -n 1 ../report | json .notice
}

# same POLICY COMMAND... - COMMAND in the project outside, and inside in the
# same project anew; what it printed is in $output
same() {
	local outside ended
	cp -a . ../anew
	run env -i "${words[@]}" timeout 60 "${@:2}" </dev/null
	outside=$output ended=$status
	find . -mindepth 1 -delete
	cp -a ../anew/. .
	rm -rf ../anew
	run by "$@"
	diff <(printf '%s\n' "$outside") <(printf '%s\n' "$output")
	[ "$status" -eq "$ended" ]
	[ -n "$output" ]
}

# until_up COMMAND... - the words of a script that wait until COMMAND works
until_up() {
	printf 'up=0
	while [ $up -lt 2000 ] && ! %s >/dev/null 2>&1; do
		up=$((up + 1))
		read -r -t 0.02 <>rest
	done\n' "$*"
}

# ---- compilers --------------------------------------------------------------

c_project() {
	printf 'int two(void) { return 2; }\n' >two.c
	printf '#include <stdio.h>\nint two(void);\nint main(void)\n{\n\tprintf("%%d\\n", two());\n\treturn two() + 1;\n}\n' >main.c
	printf 'main: main.o two.o\n\t$(CC) -o $@ main.o two.o\n' >Makefile
}

@test "builds with gcc and make, and says what fails" {
	need gcc make
	c_project
	same base sh -c 'make -j2 --no-print-directory -Otarget CC=gcc 2>&1 | sort
		./main; echo $?; make CC=gcc; sha256sum main'
	[[ $output == *$'\n2\n3\n'*'is up to date'* ]]
	printf 'int x = y;\n' >two.c
	same base make --no-print-directory CC=gcc main
	[[ $output == *"undeclared"* ]]
	[ "$status" -eq 2 ]
}

@test "compiles and runs in /tmp, which is gone afterwards" {
	need gcc
	c_project
	same base sh -c 'd=$(mktemp -d /tmp/chock-XXXXXX) &&
		gcc -o "$d/main" main.c two.c && "$d/main"; echo $?; rm -r "$d"'
	[ "$output" = $'2\n3' ]
	by base touch /tmp/chock-left
	[ ! -e /tmp/chock-left ]
}

# leaky - prints, and with an argument uses what it gave back
leaky() {
	printf '#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v)\n{\n\tvolatile char *p = malloc(2);\n\t(void)v;\n\tp[0] = 7;\n\tprintf("%%d\\n", p[0]);\n\tfflush(stdout);\n\tfree((void *)p);\n\treturn c > 1 ? p[0] : 0;\n}\n' >use.c
}

@test "finds with AddressSanitizer what is found outside" {
	need gcc
	leaky
	gcc -g -fsanitize=address,undefined use.c -o probe 2>/dev/null ||
		skip "nothing measured: this gcc has no AddressSanitizer"
	rm probe
	same base sh -c 'gcc -g -fsanitize=address,undefined use.c -o use && ./use
		./use 1 2>err; echo $?; grep -o "heap-use-after-free" err | head -n 1
		grep -o "use.c:[0-9]*" err'
	[[ $output == $'7\n7\n1\nheap-use-after-free\nuse.c:11\n'* ]]
}

@test "ends what looks for leaks with an error, and does not hang it" {
	need gcc
	leaky
	gcc -g -fsanitize=address use.c -o use 2>/dev/null ||
		skip "nothing measured: this gcc has no AddressSanitizer"
	run -0 env LSAN_OPTIONS=detect_leaks=1 ./use
	[ "$output" = 7 ]
	options=(--env LSAN_OPTIONS=detect_leaks=1)
	run -1 by base ./use
	[[ $output == *'LeakSanitizer has encountered a fatal error'* ]]
	[ "$(tail -n 1 ../report | json '.denials | length')" -eq 0 ]
}

@test "configures, builds and tests with cmake" {
	need cmake gcc make
	c_project
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(two C)\nadd_executable(two main.c two.c)\nenable_testing()\nadd_test(NAME two COMMAND two)\nset_tests_properties(two PROPERTIES WILL_FAIL TRUE)\n' \
		>CMakeLists.txt
	same base sh -c 'cmake -S . -B b >log && cmake --build b && cd b &&
		ctest | sed "s/[0-9.]* sec//"'
	[[ $output == *'100% tests passed'* ]]
}

@test "builds and runs with cargo and rustc" {
	need_rust
	mkdir src
	printf '[package]\nname = "two"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
	printf 'fn main() { println!("{}", 2); std::process::exit(3) }\n' >src/main.rs
	same rust sh -c 'cargo run -q; echo $?; rustc --version'
	[[ $output == $'2\n3\nrustc '* ]]
}

# need_rust - cargo, of the machine or of whoever runs the tests
need_rust() {
	local person
	person=$(getent passwd "$(id -u)" | cut -d : -f 6)
	if [ -x "$person/.cargo/bin/cargo" ]; then
		mkdir -p "$HOME/.cargo"
		ln -s "$person/.cargo/bin" "$HOME/.cargo/bin"
		ln -s "$person/.rustup" "$HOME/.rustup"
		words[0]+=:$HOME/.cargo/bin
	fi
	need cargo rustc
}

@test "builds and runs with go" {
	need go
	printf 'module example.org/two\n\ngo 1.19\n' >go.mod
	printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(2) }\n' >main.go
	same go sh -c 'go build -o two . && ./two'
	[ "$output" = 2 ]
}

# ---- tools ------------------------------------------------------------------

@test "commits, branches, merges and looks with git" {
	need git
	same base sh -c '
		export GIT_AUTHOR_DATE="1700000000 +0000" GIT_COMMITTER_DATE="1700000000 +0000"
		git init -q -b main && git config user.name T && git config user.email t@example.org
		echo one12 >f; git add f; git commit -qm one; git checkout -q -b b
		echo two >>f; git commit -qam two; git checkout -q main; git merge -q --no-edit b
		git gc -q; git fsck; git log --format="%H %s"; git grep -nE "on+e"; git status; git stash 2>&1
		git worktree add -q ../project/w b~1; git -C w status --short; git diff --stat b~1'
	[[ $output == *'nothing to commit'* ]]
}

@test "says of git grep that its patterns want machine code" {
	need git
	git init -q
	echo one12 >f
	git add f
	same jit git grep -P 'on+e\d'
	[ "$output" = f:one12 ]
	run by base git grep -P 'on+e\d'
	if [ "$status" -eq 0 ]; then # newer ones do without
		[ "$output" = f:one12 ]
		return
	fi
	[ "$status" -eq 128 ]
	[[ $(notice) == *"'git' may want to make machine code"*"'allow sandbox.jit'"* ]]
	run -1 by base git grep -E 'n+othere'
	[ "$(notice)" = null ]
	same base sh -c "grep -P 'on+e\\d' f"
}

@test "runs perl, with its modules and a pipe" {
	need perl
	same base perl -MDigest::SHA=sha256_hex -MPOSIX -e '
		print sha256_hex("x"), "\n"; open my $p, "-|", "echo", "piped";
		print <$p>; print POSIX::strftime("%Y", gmtime 0), "\n"; exit 3'
	[ "$status" -eq 3 ]
}

@test "has here-documents of 200 kB, whatever TMPDIR says" {
	local shell
	printf 'x=$(head -c 200000 /dev/zero | tr "\\0" x)\nwc -c <<E\n$x\nE\n' >h
	for shell in bash zsh; do
		need "$shell"
		same base sh -c "$shell h; unset TMPDIR; $shell h
			TMPDIR=/nonexistent $shell h"
		[ "$output" = $'200001\n200001\n200001' ]
	done
}

@test "has the time, the languages and the fonts that there are outside" {
	need fc-list
	same base sh -c 'date +%Z; locale -a; fc-list | sort'
}

@test "moves and links between directories" {
	same base sh -c 'mkdir a b && echo x >a/f && mv a/f b/f && ln b/f a/g &&
		mv b c && cat a/g && stat -c %h c/f'
	[ "$output" = $'x\n2' ]
}

@test "has a /proc in which programs find themselves" {
	same base sh -c 'readlink /proc/self/fd/0 /proc/self/exe
		head -n 1 /proc/self/maps | grep -o "/.*"
		ls /proc/self/task | wc -l; cat /proc/self/comm'
	[[ $output == $'/dev/null\n'* ]]
}

@test "says of gdb, strace and sudo why they do not run" {
	need gdb strace
	run -159 by base strace -f true
	[[ $(notice) == *"'strace' was killed for the system call 'ptrace': debuggers"* ]]
	run by base gdb -batch -ex run --args true
	[[ $output == *'terminated with signal SIGSYS'* ]]
	[[ $(notice) == *"'gdb' was killed for the system call 'ptrace': debuggers"* ]]
	need sudo
	run -1 by base sudo -n true
	[[ $(notice) == "'sudo' may want what a set-uid file "* ]]
}

# ---- interpreters -----------------------------------------------------------

@test "runs python with processes, a terminal and a database" {
	need python3
	cat >p.py <<-'END'
		import multiprocessing, os, pty, sqlite3, subprocess, tempfile
		from multiprocessing import shared_memory
		from concurrent.futures import ProcessPoolExecutor
		if __name__ == "__main__":
		    with ProcessPoolExecutor(2) as pool:
		        print(list(pool.map(abs, [-1, -2])))
		    queue = multiprocessing.Queue()
		    worker = multiprocessing.Process(target=queue.put, args=("queued",))
		    worker.start(); print(queue.get()); worker.join()
		    block = shared_memory.SharedMemory(create=True, size=9)
		    print(len(block.buf) >= 9); block.close(); block.unlink()
		    print(pty.spawn(["tty", "-s"]))
		    base = sqlite3.connect("base.db")
		    base.execute("pragma journal_mode=wal")
		    base.execute("create table t(a)")
		    base.executemany("insert into t values(?)", [(i,) for i in range(100)])
		    base.commit(); print(base.execute("select sum(a) from t").fetchone())
		    with tempfile.NamedTemporaryFile() as f: print(os.path.exists(f.name))
		    print(subprocess.run(["sh", "-c", "exit 5"]).returncode)
	END
	same base /usr/bin/python3 p.py
	[[ $output == $'[1, 2]\nqueued\nTrue\n0\n(4950,)\n'* ]]
}

@test "runs node with little memory, and npm" {
	need node
	options=(--limit memory=512MiB)
	same node node -e 'fetch("http://127.0.0.1:9").catch(e => console.log(e.name, e.cause.code || e.cause.message))'
	[[ $output == TypeError* ]]
	printf 'const {Worker, isMainThread, parentPort} = require("worker_threads");
		if (isMainThread) new Worker(__filename).on("message", m => console.log(m));
		else parentPort.postMessage(require("crypto").createHash("sha256").update("x").digest("hex"))\n' >w.js
	same node node w.js
	need npm
	mkdir dep
	printf '{"name":"dep","version":"1.0.0","bin":{"dep":"d.js"}}' >dep/package.json
	printf '#!/usr/bin/env node\nconsole.log("dep ran")\n' >dep/d.js
	printf '{"name":"n","version":"1.0.0","dependencies":{"dep":"file:dep"},"scripts":{"test":"dep"}}' >package.json
	same node sh -c 'npm install --silent --no-audit --no-fund && npm ci --silent && npm test --silent'
	[ "$output" = 'dep ran' ]
}

@test "runs java with little memory, and says without jit what it wants" {
	need java
	options=(--limit memory=512MiB)
	same java java -Xmx128m -version
	run -1 by base java -Xmx128m -version
	[[ $(notice) == *"'java' may want to make machine code"*"'allow sandbox.jit'"* ]]
	need javac
	printf 'class Two { public static void main(String[] a) { System.out.println(Runtime.version().feature() > 0 ? 2 : 1); System.exit(3); } }\n' >Two.java
	same java sh -c 'javac -J-Xmx128m Two.java && java -Xmx128m Two'
	[ "$output" = 2 ]
	[ "$status" -eq 3 ]
}

# ---- servers ----------------------------------------------------------------

# ask_redis PORT - what is said to a redis of our own
ask_redis() {
	printf 'mkfifo rest\n(exec -a redis-server redis-check-rdb --port %s --save "" >log) &\n' "$1"
	until_up redis-cli -p "$1" ping
	printf 'ask() { redis-cli -p %s "$@"; }
		ask set key value; ask get key; ask incr n; ask keys "*" | sort
		ask shutdown nosave; wait $!; echo $?\n' "$1"
}

@test "serves with redis on a loopback of its own" {
	need redis-check-rdb redis-cli
	ask_redis $((20000 + $$ % 10000)) >ask
	same base bash ask
	[[ $output == $'OK\nvalue\n1\nkey\nn\n'*0 ]]
}

@test "serves with nginx" {
	need nginx curl
	local port=$((20000 + $$ % 10000))
	mkdir www run
	echo hello >www/index.html
	{
		[ "$(id -u)" -ne 0 ] || echo 'user root;'
		cat <<-END
			daemon off; worker_processes 2; pid run/pid; error_log log;
			events { worker_connections 64; }
			http {
				access_log off;
				client_body_temp_path run/b; proxy_temp_path run/p;
				fastcgi_temp_path run/f; uwsgi_temp_path run/u;
				scgi_temp_path run/s;
				server { listen 127.0.0.1:$port; root www; }
			}
		END
	} >conf
	{
		printf 'mkfifo rest\nnginx -p "$PWD/" -e log -c "$PWD/conf" &\n'
		until_up curl -sf "http://127.0.0.1:$port/"
		printf 'curl -s http://127.0.0.1:%s/\ncurl -so /dev/null -w "%%{http_code}\\n" http://127.0.0.1:%s/none\n' "$port" "$port"
		printf 'kill -QUIT "$(cat run/pid)"; wait; ls run\n'
	} >ask
	same base bash ask
	[[ $output == $'hello\n404\n'* ]]
}

@test "makes and serves a database with postgres" {
	local bin port=$((20000 + $$ % 10000))
	bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | tail -n 1)
	[ -x "$bin/initdb" ] || lacking postgres
	[ "$(id -u)" -ne 0 ] ||
		skip "nothing measured: postgres does not run as root"
	cat >ask <<-END
		PATH=$bin:\$PATH
		initdb -D "\$PWD/d" -A trust -N >log 2>&1 || cat log
		pg_ctl -D "\$PWD/d" -w -l log -o "-F -k '' -p $port -c listen_addresses=127.0.0.1" start >/dev/null || cat log
		psql -h 127.0.0.1 -p $port -d postgres -Atc 'create table t as select generate_series(1, 100) a; select sum(a) from t'
		pg_ctl -D "\$PWD/d" -m fast stop
	END
	same base bash ask
	[[ $output == $'SELECT 100\n5050\n'* ]]
}

@test "prints with chromium the title that a script has made" {
	need chromium-headless-shell
	printf '<title>two</title><script>document.title += [1, 2].map(x => 2 * x)</script>\n' >page.html
	same jit sh -c 'chromium-headless-shell --no-sandbox --disable-gpu --dump-dom \
		"file://$PWD/page.html" 2>/dev/null | grep -o "<title>.*</title>"'
	[ "$output" = '<title>two2,4</title>' ]
}

# ---- places -----------------------------------------------------------------

@test "hides 4000 files in the time of a few" {
	mkdir data
	(cd data && seq -f '%g.txt' 4000 | xargs touch)
	run -0 by base sh -c 'cat data/1.txt data/4000.txt && echo read'
	[ "$output" = read ]
	options=(--hide 'data/**')
	run -1 by base cat data/1.txt data/4000.txt
	[ "${#lines[@]}" -eq 2 ]
	TIMEFORMAT='%U %S'
	read -r user system < <({ time by base sh -c 'echo hi' >/dev/null; } 2>&1)
	awk -v used="$user + $system" 'BEGIN { split(used, t, " + "); exit t[1] + t[2] >= 1 }'
	run -0 by base sh -c 'env | wc -c; cat /proc/$$/cmdline | wc -c'
	few=$output
	options=()
	run -0 by base sh -c 'env | wc -c; cat /proc/$$/cmdline | wc -c'
	[ "$output" = "$few" ]
}

@test "leaves files that are their owner's, who can remove them" {
	run -0 by base sh -c 'mkdir d && touch d/f && ln -s f d/l'
	run -0 stat -c %u:%g d d/f d/l
	[ "$(sort -u <<<"$output")" = "$(id -u):$(id -g)" ]
	rm -r d
}

@test "works in a home that is a link, and hides by both names" {
	mkdir -p real/project "$HOME"
	rmdir "$HOME"
	ln -s "$PWD/real" "$HOME"
	echo key >real/x
	cd "$HOME/project" || return
	git init -q
	run -0 chock-spawn -p base --write "$PWD" -- sh -c 'pwd; touch ok; git status --short'
	[ "$output" = "$HOME/project"$'\n?? ok' ]
	run -0 chock-spawn -p base --write "$PWD" -- sh -c "cd $PWD && pwd && rm ok && touch ok"
	[ "$output" = "$HOME/project" ]
	[ -e "$HOME/project/ok" ]
	for spelt in "$HOME/x" "$BATS_TEST_TMPDIR/project/real/x"; do
		run -0 chock-spawn -p base --read "$BATS_TEST_TMPDIR/project/real" \
			--read "$HOME" -- cat "$HOME/x"
		for path in "$HOME/x" "$BATS_TEST_TMPDIR/project/real/x"; do
			run -1 chock-spawn -p base --read "$BATS_TEST_TMPDIR/project/real" \
				--read "$HOME" --hide "$spelt" -- cat "$path"
			[[ $output == *'Permission denied' ]]
		done
	done
}

@test "starts in long paths, and says of one that is too long what it is" {
	local long
	long=$(printf 'x%.0s' {1..150})
	mkdir -p "$long/$long"
	cd "$long/$long" || return
	export TMPDIR=$PWD
	run -0 chock-spawn -p base --write "$PWD" -- sh -c 'touch f; pwd'
	[ "$output" = "$PWD" ]
	for _ in {1..40}; do
		mkdir "$long"
		cd -P "$long" 2>/dev/null || break
	done
	run -100 chock-spawn -p base --write . -- true
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"longer than"* ]]
}

@test "replaces no file that is granted by itself, and can write to it" {
	echo old >../t.toml
	options=(--write "$BATS_TEST_TMPDIR/t.toml")
	run -1 by base sh -c 'echo new >/tmp/t && mv /tmp/t ../t.toml'
	[ "$(cat ../t.toml)" = old ]
	run -0 by base sh -c 'echo new >../t.toml'
	[ "$(cat ../t.toml)" = new ]
}

@test "ends with timeout(1), and everything in it" {
	mkfifo alive
	timeout 1 chock-spawn -p base --write "$PWD" -- sh -c '
		(while :; do :; done) 3>alive & while :; do :; done' &
	run -0 timeout 20 cat alive # until nobody has it open
	status=0
	wait $! || status=$?
	[ "$status" -eq 124 ]
}
