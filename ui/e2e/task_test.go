//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"espy/providers/strict"
	"espy/ui/terminal"
)

// callTask is a line that has the offline model run a task.
func callTask(title, prompt string, pictures ...string) string {
	args, _ := json.Marshal(map[string]any{"description": title, "prompt": prompt, "pictures": pictures})
	return "call task " + string(args)
}

// tasks are the names of the session's tasks, oldest first, as `sessions show` takes them.
func tasks(t *testing.T, w *world) (names []string) {
	t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(w.session(), "tasks", "*"))
	slices.Sort(dirs)
	for _, dir := range dirs {
		names = append(names, sessionID(w)+"/"+filepath.Base(dir))
	}
	if len(names) == 0 {
		t.Fatalf("the session has no tasks:\n%s", w.tree())
	}
	return names
}

func TestAPictureHandedToATaskArrivesThereWithTheSameFourFields(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 640, 400, 1))
	w.ask("--attach", "shot.png", "look")
	show := w.run("sessions", "show", sessionID(w)).stdout
	ref := refOf(t, show)
	name := "blob:" + strings.TrimPrefix(ref, "blobs/")[:12]
	r := w.run("run", "--resume", sessionID(w), "--events", callTask("Look at it", "check blobs", name, "shot.png"))
	if r.code != 0 {
		t.Fatalf("it ended with %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	task := tasks(t, w)[0]
	seen := w.run("sessions", "show", task)
	if seen.code != 0 || strings.Count(seen.stdout, "- image: image/png, 640x400, "+ref) != 1 || !strings.Contains(seen.stdout, "bytes, image/png") {
		t.Errorf("the task should have received one picture, %s, and opened it:\n%s%s", ref, seen.stdout, seen.stderr)
	}
	if again := w.run("sessions", "show", sessionID(w)).stdout; !strings.Contains(again, "espy sessions show "+task+"  Look at it") {
		t.Errorf("the session does not say how to see its task:\n%s", again)
	}
	if html := w.run("sessions", "export", task, "--format", "html", "--pictures"); html.code != 0 || !strings.Contains(html.stdout, "data:image/png;base64,") {
		t.Errorf("a task's export: %d %s", html.code, html.stderr)
	}
	types := documented(t)
	var order []string
	for line := range strings.Lines(r.stdout) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		kind, _ := event["type"].(string)
		for field := range event {
			if !slices.Contains(types[kind], field) {
				t.Errorf("the page does not list the field %q of %q", field, kind)
			}
		}
		order = append(order, kind)
	}
	if !slices.Contains(order, "task_started") {
		t.Errorf("no line says that the task began: %v", order)
	}
	noPictures(t, "the events", r.stdout)
}

func TestATaskWithoutAScreenIsRefusedWhatWouldAsk(t *testing.T) {
	w := newWorld(t)
	prompt := callTask("Write it", callWrite)
	r := w.run("run", "--json", prompt)
	var sum struct {
		Refused []struct{ Name, Reason string }
	}
	if err := json.Unmarshal([]byte(r.stdout), &sum); err != nil || r.code != 3 || len(sum.Refused) != 1 || sum.Refused[0].Name != "write" {
		t.Errorf("it ended with %d, %v:\n%s", r.code, err, r.stdout)
	}
	if _, there := written(w, "x.txt"); there {
		t.Error("the file was written")
	}
	if r := w.run("run", "--mode", "auto", prompt); r.code != 0 {
		t.Errorf("with a wider mode it ended with %d: %s", r.code, r.stderr)
	}
	if text, _ := written(w, "x.txt"); text != "hi\n" {
		t.Errorf("the file holds %q", text)
	}
}

func TestTwoTasksAskOneAfterTheOtherOnTheScreenAndEachAnswerGoesToItsOwn(t *testing.T) {
	w := newWorld(t)
	term := w.opened()
	send(term, callTask("First", `call write {"path":"one.txt","content":"1"}`)+"\x1b\r"+callTask("Second", `call write {"path":"two.txt","content":"2"}`))
	s := term.WaitFor(waits)
	allow, deny := "First", "Second"
	if s.Contains("for the task Second") {
		allow, deny = deny, allow
	}
	term.WaitFor("for the task " + allow)
	term.Send("y")
	term.WaitFor("for the task " + deny)
	term.WaitFor(waits)
	term.Send("n")
	term.Until("both results", func(s terminal.Screen) bool { return strings.Count(s.String(), "result of task") == 2 })
	files := map[string]string{"First": "one.txt", "Second": "two.txt"}
	if _, there := written(w, files[allow]); !there {
		t.Errorf("what was allowed for %s did not happen", allow)
	}
	if _, there := written(w, files[deny]); there {
		t.Errorf("what was denied for %s happened", deny)
	}
	quit(t, term)
	wellFormed(t, w)
}

// taskScript is a turn with two tasks that write, look and speak.
const taskScript = `
[[answer]]
when = "do it all"
steps = [ { text = "I divide it. " , piece = 2, delay_ms = 5 }, { call = "task", id = "t1", args = '{"description":"Left part","prompt":"LEFT side"}' }, { call = "task", id = "t2", args = '{"description":"Right part","prompt":"RIGHT side","pictures":["shot.png"]}' } ]

[[answer]]
when = "LEFT"
steps = [ { thinking = "left first" }, { call = "write", args = '{"path":"a.txt","content":"one\n"}' }, { call = "read", args = '{"path":"a.txt"}' } ]

[[answer]]
when = "RIGHT"
steps = [ { text = "right then", piece = 1, delay_ms = 5 }, { call = "shell", args = '{"command":"echo two > b.txt; cat b.txt"}' }, { call = "read_media", args = '{"path":"shot.png"}' } ]

[[answer]]
repeat = -1
steps = [ { text = "all is done", piece = 1, delay_ms = 5 } ]
`

func TestAKillAtAnyMomentOfATaskLeavesASessionThatCanBeGoneOnWith(t *testing.T) {
	for _, moment := range []string{"I div", "Left part", "a.txt", "b.txt", "look at shot.png", "answering", "all is d"} {
		t.Run(moment, func(t *testing.T) {
			w := newWorld(t)
			w.script(taskScript)
			w.write("shot.png", shot(t, 300, 200, 1))
			term := w.opened("--mode", "auto")
			send(term, "do it all")
			term.Until(moment, func(s terminal.Screen) bool {
				return s.Contains(moment) || s.Contains("all is done") || s.Contains(asksShell)
			})
			term.Signal(syscall.SIGKILL)
			term.Wait()

			again := w.opened("--continue")
			send(again, "go on")
			again.Until("an answer", func(s terminal.Screen) bool {
				_, after, found := strings.Cut(s.String(), "▌ go on")
				return found && strings.Contains(after, "all is done")
			})
			again.WaitFor(ready)
			quit(t, again)
			records(t, w)
			dirs, _ := filepath.Glob(filepath.Join(w.session(), "tasks", "*", "transcript.jsonl"))
			for _, log := range append(dirs, w.session()) {
				name := sessionID(w)
				if log != w.session() {
					name += "/" + filepath.Base(filepath.Dir(log))
				}
				if bad := w.run("sessions", "show", name); bad.code != 0 {
					t.Errorf("%s cannot be shown: %s", name, bad.stderr)
				}
			}
		})
	}
}

func TestAServiceTakesASessionThatWasKilledInATask(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.SayTurn(strict.Turn{Text: "I divide it.", Calls: []strict.Call{{ID: "call_a", Name: "task", Args: `{"description":"Wait","prompt":"wait here"}`}}})
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "shell", Args: `{"command":"echo $$ > pid; exec sleep 3600"}`}}})
	term := w.opened()
	send(term, "hello there")
	running(t, w, term)
	term.Signal(syscall.SIGKILL)
	term.Wait()
	again := w.opened("--continue")
	send(again, "go on")
	again.Until("the answer", func(s terminal.Screen) bool { return contains(s, "ok") })
	quit(t, again)
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
}

func TestAServiceGetsATasksPictureAsTheSamePNGAndItsAnswerAsTheResult(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key, Model: "strict-1"})
	w := newWorld(t).serve(server.URL)
	picture := shot(t, 640, 400, 1)
	w.write("shot.png", picture)
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "task", Args: `{"description":"Look","prompt":"What is in it?","pictures":["shot.png"]}`}}})
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "glob", Args: `{"pattern":"*.png"}`}}})
	server.SayTurn(strict.Turn{Text: "rows of text"})
	server.SayTurn(strict.Turn{Text: "It shows rows of text."})
	if got := w.ask("what does shot.png show?"); !strings.Contains(got, "It shows rows of text.") {
		t.Errorf("the answer is %q", got)
	}
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
	requests := server.Requests()
	if len(requests) != 4 {
		t.Fatalf("there were %d requests", len(requests))
	}
	if !bytes.Equal(pictureOf(t, requests[1]), pictureOf(t, requests[2])) || bytes.Contains(requests[3].Raw, []byte("base64,")) {
		t.Error("the picture is the task's, in each of its requests, and none of the session's")
	}
	if !bytes.Contains(requests[3].Raw, []byte("rows of text")) || !bytes.Contains(requests[3].Raw, []byte("[image: image/png, 640x400, blobs/")) {
		t.Errorf("the session's model should read the answer and of the picture:\n%.2000s", requests[3].Raw)
	}
	for name, text := range everything(t, w.session()) {
		if strings.HasSuffix(name, ".jsonl") && strings.Contains(text, "iVBORw0KGgo") {
			t.Errorf("%s holds picture bytes", name)
		}
	}
}

func TestAServiceTakesTwoTasksAtOnceEachWithACallOfItsOwn(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key, Model: "strict-1"})
	w := newWorld(t).serve(server.URL)
	w.write("notes.txt", []byte("some notes\n"))
	server.SayTurn(strict.Turn{Calls: []strict.Call{
		{ID: "call_a", Name: "task", Args: `{"description":"One","prompt":"first part"}`},
		{ID: "call_b", Name: "task", Args: `{"description":"Two","prompt":"second part","tools":["read"]}`}}})
	for range 2 {
		server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "read", Args: `{"path":"notes.txt"}`}}})
	}
	if got := w.ask("divide it"); !strings.Contains(got, "ok") {
		t.Errorf("the answer is %q", got)
	}
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
	if n := len(server.Requests()); n != 6 {
		t.Errorf("two tasks of two requests each and two of the session are 6 requests, and there were %d", n)
	}
	if names := tasks(t, w); len(names) != 2 {
		t.Errorf("the session has the tasks %v", names)
	}
}

func TestEscStopsATaskInACommandAndAServiceTakesTheSessionAfterwards(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "task", Args: `{"description":"Wait","prompt":"wait here"}`}}})
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "shell", Args: `{"command":"echo $$ > pid; exec sleep 3600"}`}}})
	term := w.opened()
	send(term, "hello there")
	command := running(t, w, term)
	term.Send(terminal.Esc)
	term.WaitFor("interrupted; what was done so far is kept")
	ended(t, command)
	send(term, "go on")
	term.Until("the answer", func(s terminal.Screen) bool { return contains(s, "ok") })
	quit(t, term)
	if refused := server.Refusals(); len(refused) > 0 {
		t.Errorf("the service refused: %v", refused)
	}
	if shown := w.run("sessions", "show", tasks(t, w)[0]).stdout; !strings.Contains(shown, "interrupted by the person") {
		t.Errorf("the task's log should say how its command ended:\n%s", shown)
	}
}

func TestATaskWhoseServiceRefusesIsACallThatFailedWithItsWords(t *testing.T) {
	server := strict.New(t, strict.Rules{Key: key})
	w := newWorld(t).serve(server.URL)
	server.SayTurn(strict.Turn{Calls: []strict.Call{{ID: "call_a", Name: "task", Args: `{"description":"Work","prompt":"do it"}`}}})
	server.Say(strict.Answer{Status: 404, Body: `{"error":{"message":"no such model here"}}`})
	server.SayTurn(strict.Turn{Text: "then I do it myself"})
	if got := w.ask("divide it"); !strings.Contains(got, "then I do it myself") {
		t.Errorf("the answer is %q", got)
	}
	if last := server.Last(); !bytes.Contains(last.Raw, []byte("The task failed: ")) || !bytes.Contains(last.Raw, []byte("no such model here")) {
		t.Errorf("the session's model should read why:\n%.3000s", last.Raw)
	}
}

func TestRemovingASessionRemovesItsTasksAndAForkKeepsThem(t *testing.T) {
	w := newWorld(t)
	w.write("shot.png", shot(t, 300, 200, 1))
	w.ask(callTask("Look at it", "what is it", "shot.png"))
	id := sessionID(w)
	task := strings.TrimPrefix(tasks(t, w)[0], id+"/")
	fork := strings.TrimSpace(w.run("sessions", "fork", id).stdout)
	if r := w.run("sessions", "rm", id); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if _, err := os.Stat(filepath.Join(w.root, "state/espy/sessions", id)); err == nil {
		t.Error("something of the session stayed")
	}
	if r := w.run("sessions", "show", fork+"/"+task); r.code != 0 || !strings.Contains(r.stdout, "image/png, 300x200") {
		t.Errorf("the fork's task: %d %s%s", r.code, r.stdout, r.stderr)
	}
}
