package headless

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
	"espy/store"
)

const pictureBytes = "\x89PNG\r\n\x1a\n not quite a picture"

// hostileSession is a closed session whose texts try to leave the document they are put into.
func hostileSession(t *testing.T, s *store.Store) (id, ref string) {
	t.Helper()
	session, err := s.Create(context.Background(), "/work", "test")
	if err != nil {
		t.Fatal(err)
	}
	if ref, err = session.PutBlob(context.Background(), "png", strings.NewReader(pictureBytes)); err != nil {
		t.Fatal(err)
	}
	image := message.Image{Ref: ref, MediaType: "image/png", Width: 40, Height: 30}
	parent := ""
	add := func(kind message.Kind, make func(message.Head) message.Record) {
		head := message.NewHead(kind, store.NewID(), parent, time.Now())
		parent = head.ID
		if err := session.Append(make(head)); err != nil {
			t.Fatal(err)
		}
	}
	says := func(m message.Message) {
		add(message.KindMessage, func(h message.Head) message.Record { return message.MessageRecord{Head: h, Message: m} })
	}
	says(message.Message{Role: message.RoleUser, Blocks: []message.Block{image, message.Text{Text: "look at <script>alert(1)</script> \x1b]0;x\x07"}}})
	says(message.Message{Role: message.RoleAssistant, Model: "m\"><b>", Stop: message.StopTools,
		Blocks: []message.Block{message.Text{Text: "I </pre> see"}, message.ToolCall{ID: "c1", Name: "read", Args: `{"path":"<x>"}`}}})
	add(message.KindResult, func(h message.Head) message.Record {
		return message.ResultRecord{Head: h, ToolResult: message.ToolResult{CallID: "c1", Text: "```\n</pre>\n````", Images: []message.Image{image}}}
	})
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	return session.ID(), ref
}

func exported(t *testing.T, s *store.Store, id string, opt ExportOptions) string {
	t.Helper()
	var out, errs bytes.Buffer
	if err := ExportSession(context.Background(), s, id, opt, Output{Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAnExportHoldsEveryWordAndNoBytesUnlessAsked(t *testing.T) {
	s := store.Open(t.TempDir())
	id, ref := hostileSession(t, s)
	encoded := base64.StdEncoding.EncodeToString([]byte(pictureBytes))
	for _, format := range exportFormats {
		plain := exported(t, s, id, ExportOptions{Format: format})
		if !strings.Contains(plain, "see") || strings.Contains(plain, encoded) || strings.Contains(plain, "\x1b") {
			t.Errorf("%s: %s", format, plain)
		}
		if format != "jsonl" && strings.Count(plain, "[image: image/png, 40x30, "+ref+"]") != 2 {
			t.Errorf("%s: a picture stands as nothing: %s", format, plain)
		}
		with := exported(t, s, id, ExportOptions{Format: format, Pictures: true})
		if !strings.Contains(with, "data:image/png;base64,"+encoded) {
			t.Errorf("%s: the picture is not inside: %s", format, with)
		}
		for line := range strings.Lines(with) {
			if format == "jsonl" && !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %s", line)
			}
		}
	}
}

func TestAnHTMLExportRunsNothing(t *testing.T) {
	s := store.Open(t.TempDir())
	id, _ := hostileSession(t, s)
	page := exported(t, s, id, ExportOptions{Format: "html", Pictures: true})
	for _, bad := range []string{"<script", "</pre> see", "<b>", "http://", "https://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if strings.Count(page, "<pre") != strings.Count(page, "</pre>") {
		t.Error("a text left its place")
	}
}

func TestAnExportNeverWritesOverAFile(t *testing.T) {
	s := store.Open(t.TempDir())
	id, _ := hostileSession(t, s)
	file := filepath.Join(t.TempDir(), "out.md")
	os.WriteFile(file, []byte("mine"), 0o600)
	err := ExportSession(context.Background(), s, id, ExportOptions{Format: "md", Out: file}, Output{})
	if data, _ := os.ReadFile(file); err == nil || string(data) != "mine" {
		t.Errorf("%v, the file holds %q", err, data)
	}
}

func TestPruningSaysWhatGoesAndGoesOnlyWhenTold(t *testing.T) {
	s := store.Open(t.TempDir())
	id, _ := hostileSession(t, s)
	opt := store.PruneOptions{Now: time.Now().Add(48 * time.Hour), OlderThan: 24 * time.Hour, DryRun: true}
	var out, errs bytes.Buffer
	if err := PruneSessions(context.Background(), s, opt, Output{Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "would remove "+id) || !strings.Contains(out.String(), "KiB freed") || !strings.Contains(errs.String(), "--yes") {
		t.Errorf("it says %q, %q", out.String(), errs.String())
	}
	opt.DryRun = false
	if err := PruneSessions(context.Background(), s, opt, Output{Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(context.Background(), id); err == nil {
		t.Error("it is still there")
	}
}

func TestAListCanBeSearched(t *testing.T) {
	s := store.Open(t.TempDir())
	id, _ := hostileSession(t, s)
	for search, finds := range map[string]bool{"": true, "LOOK at": true, "work": true, strings.ToLower(id[20:]): true, "nothing like it": false} {
		var out, errs bytes.Buffer
		if err := ListSessions(context.Background(), s, ListOptions{Search: search}, Output{Out: &out, Err: &errs}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), id) != finds {
			t.Errorf("searching %q prints %q, %q", search, out.String(), errs.String())
		}
	}
}

func TestAgesAreReadInUnitsPeopleUse(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "2w": 336 * time.Hour, "6mo": 4320 * time.Hour, "0h": 0, "1y": 8760 * time.Hour} {
		if got, err := ParseAge(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "30", "-1d", "30 d", "9999999999999999999d", "999999y", "1.5d"} {
		if got, err := ParseAge(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
