package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
)

func list(t testing.TB, s *Store, folder string, most int) []Summary {
	t.Helper()
	all, err := s.List(context.Background(), folder, most)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// talk is a record said some minutes after the start.
func talk(role message.Role, minutes int, blocks ...message.Block) message.MessageRecord {
	return message.MessageRecord{
		Head:    message.NewHead(message.KindMessage, NewID(), "", start().Add(time.Duration(minutes)*time.Minute)),
		Message: message.Message{Role: role, Blocks: blocks},
	}
}

func picture(ref, name string) message.PictureRecord {
	return message.PictureRecord{Head: message.NewHead(message.KindPicture, NewID(), "", start()), Ref: ref, Name: name, Number: 1}
}

func title(text string) message.TitleRecord {
	return message.TitleRecord{Head: message.NewHead(message.KindTitle, NewID(), "", start()), Title: text}
}

func TestTheTitleIsTheTitleRecordsElseTheFirstWordsElseThePicture(t *testing.T) {
	ref := "blobs/" + hashOf("x") + ".png"
	long := strings.Repeat("ä", 100)
	typed := func(text string) message.Record { return talk(message.RoleUser, 1, message.Text{Text: text}) }
	shown := talk(message.RoleUser, 1, imageOf(ref))
	file := talk(message.RoleUser, 1, message.Text{Text: "package x", Origin: message.OriginFile})
	for name, c := range map[string]struct {
		records []message.Record
		want    string
	}{
		"first line":              {[]message.Record{typed("\n  fix the tests \nplease")}, "fix the tests"},
		"first of two":            {[]message.Record{typed("one"), typed("two")}, "one"},
		"shortened":               {[]message.Record{typed(long)}, long[:2*79] + "…"},
		"control characters":      {[]message.Record{typed("a\x1b]0;x\x07b")}, "a ]0;x b"},
		"title record":            {[]message.Record{typed("one"), title("Tests")}, "Tests"},
		"newest title record":     {[]message.Record{title("A"), typed("one"), title("B"), typed("two")}, "B"},
		"picture named before":    {[]message.Record{picture(ref, "shot.png"), shown}, "picture: shot.png"},
		"picture named after":     {[]message.Record{shown, picture(ref, "shot.png"), typed("and?")}, "picture: shot.png"},
		"picture nobody named":    {[]message.Record{shown}, "picture: " + message.BlobName(ref)},
		"words beside a picture":  {[]message.Record{talk(message.RoleUser, 1, imageOf(ref), message.Text{Text: "what is it"})}, "what is it"},
		"a file, then words":      {[]message.Record{file, typed("read it")}, "read it"},
		"only the model has said": {[]message.Record{talk(message.RoleAssistant, 1, message.Text{Text: "hello"})}, untitled},
	} {
		s := Open(t.TempDir())
		session := begin(t, s, "/work")
		if err := session.Append(c.records...); err != nil {
			t.Fatal(err)
		}
		closing(t, session)
		if got := list(t, s, "", 0)[0].Title; got != c.want {
			t.Errorf("%s: %q", name, got)
		}
		os.Remove(filepath.Join(session.Dir(), metaName))
		if got := list(t, s, "", 0)[0].Title; got != c.want {
			t.Errorf("%s, from the log: %q", name, got)
		}
	}
}

func TestASummaryCountsWhatTheLogHoldsWhereverItComesFrom(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work")
	one, two := put(t, session, "png", "one"), put(t, session, "png", "second")
	err := session.Append(
		talk(message.RoleUser, 1, message.Text{Text: "look"}, imageOf(one)),
		picture(one, "a.png"),
		talk(message.RoleAssistant, 2, message.Text{Text: "seen"}),
		message.ResultRecord{Head: message.NewHead(message.KindResult, NewID(), "", start().Add(3*time.Minute)),
			ToolResult: message.ToolResult{CallID: "c", Images: []message.Image{imageOf(two), imageOf(one)}}},
		talk(message.RoleNote, 4, message.Text{Text: "a note"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	live := list(t, s, "", 0)
	closing(t, session)
	closed := list(t, s, "", 0)
	os.Remove(filepath.Join(session.Dir(), metaName))
	rebuilt := list(t, s, "", 0)
	overwrite(t, filepath.Join(session.Dir(), metaName), []byte(`{"v":1,"title":"forged","log_bytes":1}`))
	mended := list(t, s, "", 0)
	info, _ := os.Stat(filepath.Join(session.Dir(), logName))
	want := Summary{
		ID: session.ID(), Folder: "/work", Title: "look", Created: start(), Updated: start().Add(4 * time.Minute),
		Messages: 2, Prompts: 1, Pictures: 2, Bytes: info.Size() + int64(len("one")+len("second")),
	}
	for name, got := range map[string][]Summary{"live": live, "closed": closed, "rebuilt": rebuilt, "mended": mended} {
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}
}

func TestListsAreNewestFirstAndOfOneFolder(t *testing.T) {
	s := Open(t.TempDir())
	var want []string
	for i := range 6 {
		session := begin(t, s, fmt.Sprint("/work", i%2))
		if i < 5 {
			if err := session.Append(talk(message.RoleUser, (i*5)%7+1, message.Text{Text: fmt.Sprint((i * 5) % 7)})); err != nil {
				t.Fatal(err)
			}
		}
		closing(t, session)
	}
	for _, sum := range list(t, s, "", 0) {
		want = append(want, sum.Title)
	}
	if !slices.Equal(want, []string{"6", "5", "3", "1", "0", untitled}) {
		t.Errorf("the order is %v", want)
	}
	if got := list(t, s, "/work0/", 2); len(got) != 2 || got[0].Title != "6" || got[1].Title != "3" {
		t.Errorf("of one folder: %v", got)
	}
	id, err := s.Newest(context.Background(), "/work1")
	if err != nil || id != list(t, s, "/work1", 1)[0].ID {
		t.Errorf("the newest is %q, %v", id, err)
	}
	if id, err := s.Newest(context.Background(), "/elsewhere"); id != "" || err != nil {
		t.Errorf("of an unknown folder: %q, %v", id, err)
	}
}

func TestASessionWithoutAPromptIsNeverTheNewest(t *testing.T) {
	s := Open(t.TempDir())
	closing(t, begin(t, s, "/work"))
	if id, err := s.Newest(context.Background(), "/work"); id != "" || err != nil {
		t.Errorf("%q, %v", id, err)
	}
}

func TestForeignFoldersAndBrokenSessionsDoNotHideTheOthers(t *testing.T) {
	state := t.TempDir()
	s := Open(state)
	if got := list(t, s, "", 0); len(got) != 0 {
		t.Errorf("before there is anything: %v", got)
	}
	closing(t, begin(t, s, "/work", "one"))
	for _, name := range []string{"notes", NewID(), NewID()} {
		os.MkdirAll(filepath.Join(state, sessionsName, name), 0o700)
	}
	os.MkdirAll(filepath.Join(s.Dir(NewID()), logName), 0o700) // a folder where the log should be
	overwrite(t, s.Dir(NewID()), []byte("a file"))
	empty := s.Dir(NewID())
	os.MkdirAll(empty, 0o700)
	overwrite(t, filepath.Join(empty, logName), []byte("no record\n"))
	if got := list(t, s, "/work", 0); len(got) != 1 || got[0].Title != "one" {
		t.Errorf("the list is %v", got)
	}
}

func TestListingDoesNotHoldALongLineAndStillReadsItsHead(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work")
	long := "first line\n" + strings.Repeat("x", 30<<20)
	if err := session.Append(talk(message.RoleUser, 7, message.Text{Text: long})); err != nil {
		t.Fatal(err)
	}
	closing(t, session)
	os.Remove(filepath.Join(session.Dir(), metaName))
	long = ""
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := list(t, s, "", 0)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("listing allocated %d MiB", used>>20)
	}
	if len(got) != 1 || got[0].Title != "first line" || got[0].Prompts != 1 || !got[0].Updated.Equal(start().Add(7*time.Minute)) {
		t.Errorf("the summary is %+v", got)
	}
}

func TestACutLineIsMendedToWhatStandsBeforeTheCut(t *testing.T) {
	whole := `{"v":1,"kind":"message","id":"a","time":"2026-03-04T05:06:07Z","message":{"role":"user","blocks":[` +
		`{"type":"text","text":"one \"two\" \u00e4 ä 👨‍👩‍👧 \\"},{"type":"image","ref":"r","width":3}]}}`
	first := strings.Index(whole, `,"kind"`)
	for cut := first + 1; cut < len(whole); cut++ {
		mended, ok := mend([]byte(whole[:cut]))
		if !ok {
			t.Fatalf("cut at %d: not mended", cut)
		}
		var any map[string]any
		if err := decodeAny(mended, &any); err != nil {
			t.Fatalf("cut at %d: %s: %v", cut, mended, err)
		}
	}
	for _, bad := range []string{"", "x", "[", "{", `{"a`, `{"a":1`, "}{", strings.Repeat("[", 100)} {
		if mended, ok := mend([]byte(bad)); ok {
			t.Errorf("%q became %q", bad, mended)
		}
	}
}

func TestHistoryKeepsTheNewestAndSkipsBadLines(t *testing.T) {
	state := t.TempDir()
	h := OpenHistory(state)
	if got, err := h.Entries("", 0); got != nil || err != nil {
		t.Errorf("before there is any: %v, %v", got, err)
	}
	ctx := context.Background()
	var lines strings.Builder
	for i := range historyRewrite {
		fmt.Fprintf(&lines, `{"text":"%d","folder":"/work"}`+"\n", i)
	}
	overwrite(t, filepath.Join(state, historyName), []byte("garbage\n"+lines.String()+`{"text":"torn`))
	entry := HistoryEntry{Text: "newest <&>", Folder: "/other", Session: "s", Images: nil, Time: start()}
	if err := h.Add(ctx, entry); err != nil {
		t.Fatal(err)
	}
	got, err := h.Entries("", 0)
	if err != nil || len(got) != historyKept || got[0].Text != entry.Text || !got[0].Time.Equal(entry.Time) {
		t.Fatalf("%d entries, newest %+v, %v", len(got), got[0], err)
	}
	if got[1].Text != "1199" || got[999].Text != "201" {
		t.Errorf("kept are %q to %q", got[1].Text, got[999].Text)
	}
	if got, _ := h.Entries("/work", 3); len(got) != 3 || got[0].Text != "1199" || got[2].Text != "1197" {
		t.Errorf("of one folder: %v", got)
	}
	if err := h.Add(ctx, HistoryEntry{Text: strings.Repeat("x", maxPromptBytes+1)}); err == nil {
		t.Error("a prompt without bound was taken")
	}
	if err := h.Clear(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Entries("", 0); len(got) != 0 || err != nil {
		t.Errorf("after clearing: %v, %v", got, err)
	}
}

func TestTheSizeOfASessionCountsWhatFilesHeld(t *testing.T) {
	s := Open(t.TempDir())
	session := begin(t, s, "/work", "hello")
	before := list(t, s, "", 0)[0].Bytes
	held := func(name string, size int) {
		t.Helper()
		at := filepath.Join(session.Dir(), StatesName, "objects", name)
		if err := os.MkdirAll(filepath.Dir(at), dirMode); err != nil {
			t.Fatal(err)
		}
		overwrite(t, at, make([]byte, size))
	}
	check := func(when string, want int64) {
		t.Helper()
		if got := list(t, s, "", 0)[0].Bytes - before; got != want {
			t.Errorf("%s the size is %d bytes more, want %d", when, got, want)
		}
	}
	held("aa/1", 5000)
	check("while it is open", 5000)
	closing(t, session)
	check("once it is closed", 5000)
	os.Remove(filepath.Join(session.Dir(), metaName))
	check("counted anew", 5000)
	again, _ := resume(t, s, session.ID())
	if err := again.Append(prompt("more")); err != nil {
		t.Fatal(err)
	}
	before = list(t, s, "", 0)[0].Bytes - 5000
	held("bb/2", 70)
	check("while it is open again", 5070) // as where it was killed now
	closing(t, again)
	check("closed again", 5070)
}
