package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
)

// tasked is a closed session with a picture and a task that was handed it and made another one.
func tasked(t *testing.T, s *Store) (id, taskID, shared, made string) {
	t.Helper()
	ctx := context.Background()
	session := begin(t, s, "/work")
	shared = put(t, session, "png", "a picture")
	if err := session.Append(talk(message.RoleUser, 1, imageOf(shared), message.Text{Text: "look"})); err != nil {
		t.Fatal(err)
	}
	task, err := session.Task(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := task.LinkFrom(ctx, session, shared); err != nil {
		t.Fatal(err)
	}
	made = put(t, task, "png", "made by the task")
	if err := task.Append(talk(message.RoleUser, 1, imageOf(shared), message.Text{Text: "the assignment"}), talk(message.RoleUser, 2, imageOf(made))); err != nil {
		t.Fatal(err)
	}
	err = session.Append(message.TaskRecord{Head: message.NewHead(message.KindTask, NewID(), "", start()), Call: "c1", Task: task.ID(), Title: "Look"})
	if err != nil {
		t.Fatal(err)
	}
	if task.OuterID() != session.ID() {
		t.Errorf("the task says it belongs to %q", task.OuterID())
	}
	closing(t, task)
	closing(t, session)
	return session.ID(), task.ID(), shared, made
}

// readTask is what a task's log says.
func readTask(t *testing.T, s *Store, id, taskID string) Loaded {
	t.Helper()
	loaded, err := s.Read(context.Background(), id+"/"+taskID)
	if err != nil || loaded.Damaged != 0 {
		t.Fatalf("reading the task: %v, %d damaged", err, loaded.Damaged)
	}
	return loaded
}

func TestATaskIsReadByItsSessionsNameAndItsOwn(t *testing.T) {
	s := Open(t.TempDir())
	id, taskID, shared, made := tasked(t, s)
	if got := texts(readTask(t, s, id, taskID)); !slices.Equal(got, []string{"the assignment", ""}) {
		t.Errorf("it says %q", got)
	}
	for _, ref := range []string{shared, made} {
		f, err := s.OpenBlob(id+"/"+taskID, ref)
		if err != nil {
			t.Fatalf("its picture: %v", err)
		}
		f.Close()
	}
	for _, bad := range []string{id + "/", id + "/..", id + "/" + taskID + "/x", "../" + taskID, taskID + "/" + id, "/" + taskID} {
		if _, err := s.Read(context.Background(), bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	list, err := s.List(context.Background(), "", 0)
	if err != nil || len(list) != 1 {
		t.Errorf("a task is no session of its own in lists: %+v, %v", list, err)
	}
}

func TestASessionsSizeCountsItsTasksAndSharedPicturesOnce(t *testing.T) {
	s := Open(t.TempDir())
	id, taskID, _, _ := tasked(t, s)
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(s.Dir(id), name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	want := size(logName) + size(filepath.Join(tasksName, taskID, logName)) + int64(len("a picture")+len("made by the task"))
	for _, how := range []string{"as it was counted", "counted anew"} {
		list, err := s.List(context.Background(), "", 0)
		if err != nil || list[0].Bytes != want {
			t.Errorf("%s the session has %d bytes, want %d (%v)", how, list[0].Bytes, want, err)
		}
		if err := os.Remove(filepath.Join(s.Dir(id), metaName)); err != nil {
			t.Fatal(err)
		}
	}
	session, _ := resume(t, s, id)
	closing(t, session)
	if list, err := s.List(context.Background(), "", 0); err != nil || list[0].Bytes != want {
		t.Errorf("after a resume it has %d bytes, want %d (%v)", list[0].Bytes, want, err)
	}
}

func TestAForkTakesItsTasksAlongAndTheyOutliveTheSource(t *testing.T) {
	s := Open(t.TempDir())
	id, taskID, shared, made := tasked(t, s)
	fork, _ := forkOf(t, s, id, "")
	if err := s.Remove(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if exists(s.Dir(id)) {
		t.Error("something of the removed session stayed")
	}
	if got := texts(readTask(t, s, fork, taskID)); len(got) != 2 {
		t.Errorf("the fork's task says %q", got)
	}
	for _, ref := range []string{shared, made} {
		f, err := s.OpenBlob(fork+"/"+taskID, ref)
		if err != nil {
			t.Fatalf("the fork's task lost a picture: %v", err)
		}
		f.Close()
	}
}

func TestARunningTaskIsForkedAsFarAsItGot(t *testing.T) {
	ctx := context.Background()
	s := Open(t.TempDir())
	session := begin(t, s, "/work")
	defer closing(t, session)
	task, err := session.Task(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, task)
	if err := task.Append(talk(message.RoleUser, 1, message.Text{Text: "so far"})); err != nil {
		t.Fatal(err)
	}
	err = session.Append(talk(message.RoleUser, 1, message.Text{Text: "go"}),
		message.TaskRecord{Head: message.NewHead(message.KindTask, NewID(), "", start()), Task: task.ID()})
	if err != nil {
		t.Fatal(err)
	}
	fork, _ := forkOf(t, s, session.ID(), "")
	if err := task.Append(talk(message.RoleUser, 2, message.Text{Text: "and further"})); err != nil {
		t.Fatal(err)
	}
	if got := texts(readTask(t, s, fork, task.ID())); !slices.Equal(got, []string{"so far"}) {
		t.Errorf("the fork's task says %q", got)
	}
}

func TestPruningCountsAndRemovesTasksAndKeepsWhatTheyName(t *testing.T) {
	ctx := context.Background()
	s := Open(t.TempDir())
	id, taskID, shared, made := tasked(t, s)
	session, _ := resume(t, s, id)
	stray, err := session.Task(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stray.Append(talk(message.RoleUser, 1, message.Text{Text: "its session was killed before it said so"})); err != nil {
		t.Fatal(err)
	}
	closing(t, stray)
	closing(t, session)
	orphan := filepath.Join(s.Dir(id), tasksName, taskID, "blobs", strings.Repeat("ab", 32)+".txt")
	overwrite(t, orphan, []byte("orphan"))

	century := 24 * 365 * 100 * time.Hour
	got, err := s.Prune(ctx, PruneOptions{OlderThan: century, Now: time.Now()})
	if err != nil || len(got) != 1 || got[0].Unnamed != 2 {
		t.Fatalf("a task nobody names and a file nobody names should go: %+v, %v", got, err)
	}
	if exists(stray.Dir()) || exists(orphan) {
		t.Error("what nothing names stayed")
	}
	readTask(t, s, id, taskID)
	for _, name := range []string{shared, filepath.Join(tasksName, taskID, shared), filepath.Join(tasksName, taskID, made)} {
		if !exists(filepath.Join(s.Dir(id), name)) {
			t.Errorf("%s is named and went", name)
		}
	}

	got, err = s.Prune(ctx, PruneOptions{OlderThan: 0, Keep: 0, Now: time.Now().Add(time.Hour), DryRun: true})
	var want int64
	pictures := map[string]bool{}
	_ = filepath.Walk(s.Dir(id), func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && !(strings.Contains(path, "blobs") && pictures[info.Name()]) {
			pictures[info.Name()] = strings.Contains(path, "blobs")
			want += info.Size()
		}
		return err
	})
	if err != nil || len(got) != 1 || got[0].Freed != want {
		t.Errorf("removing the session would free %d bytes, each picture once, and says %+v, %v", want, got, err)
	}
	if err := s.Remove(ctx, id); err != nil || exists(s.Dir(id)) {
		t.Errorf("removing: %v", err)
	}
}

func TestATornTaskLogIsReadUpToTheTear(t *testing.T) {
	s := Open(t.TempDir())
	id, taskID, _, _ := tasked(t, s)
	log := filepath.Join(s.Dir(id), tasksName, taskID, logName)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, log, text[:len(text)-20])
	overwrite(t, filepath.Join(s.Dir(id), tasksName, taskID, "blobs", ".part-1"), []byte("half"))
	session, _ := resume(t, s, id)
	closing(t, session)
	loaded, err := s.Read(context.Background(), id+"/"+taskID)
	if err != nil || loaded.Damaged != 1 || len(loaded.Records) != 1 {
		t.Errorf("%v, %d damaged, %d records", err, loaded.Damaged, len(loaded.Records))
	}
	if exists(filepath.Join(s.Dir(id), tasksName, taskID, "blobs", ".part-1")) {
		t.Error("what a crash left in the task's folder stayed")
	}
}

func TestATaskThatNeverBeganLeavesNothing(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work")
	defer closing(t, session)
	task, err := session.Task(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	put(t, task, "png", "handed over and never used")
	closing(t, task)
	if exists(task.Dir()) {
		t.Error("its folder stayed")
	}
}
