package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
	"espy/store"
)

var _ tools.Blobs = (*store.Session)(nil)

func TestToolsWorkOnARealSession(t *testing.T) {
	w := toolstest.New(t)
	session, err := store.Open(t.TempDir()).Create(context.Background(), w.Dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	w.Env.Blobs = session
	out := w.Call("shell", map[string]any{"command": "seq 1 50000"})
	ref := out.Result.Meta[message.MetaBlob]
	info, err := os.Stat(filepath.Join(session.Dir(), filepath.FromSlash(ref)))
	if err != nil || info.Size() != 288_894 {
		t.Fatalf("the blob of the whole output: %v, %v", info, err)
	}
	if got := w.Call("read", map[string]any{"path": message.BlobName(ref), "offset": 49_999}).Result.Text; got != " 49999\t49999\n 50000\t50000\n" {
		t.Errorf("the end of the blob reads %q", got)
	}
	w.Write("shot.png", string(pngOf(t, 2200, 200)))
	small := w.Call("read", `{"path":"shot.png"}`).Result.Images[0]
	closer := w.Call("read_media", map[string]any{"path": message.BlobName(small.Ref), "crop": map[string]int{"x": 2100, "y": 100, "width": 100, "height": 100}})
	if closer.Result.IsError || closer.Result.Images[0].Width != 100 || !strings.Contains(closer.Result.Text, "crop    100x100 at 2100,100") {
		t.Errorf("looking closer through a blob name: %s", closer.Result.Text)
	}
}
