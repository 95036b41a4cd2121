package headless

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"espy/agent/message"
	"espy/agent/projection"
	"espy/agent/tools"
	"espy/store"
)

// Blobs opens stored pictures.
type Blobs func(ref string) (io.ReadSeekCloser, error)

// ExportOptions say how a session is written out.
type ExportOptions struct {
	Format   string // md, html or jsonl
	Pictures bool   // carry the pictures inside; else each is its sentence
	Out      string // a file that is not there yet; "" is standard output
}

// exportFormats are what --format takes.
var exportFormats = []string{"md", "html", "jsonl"}

// ExportSession writes a session's conversation as one self-contained document.
func ExportSession(ctx context.Context, s *store.Store, id string, opt ExportOptions, out Output) (err error) {
	if !slices.Contains(exportFormats, opt.Format) {
		return fmt.Errorf("--format %s: expected %s", oneLine(opt.Format), strings.Join(exportFormats, ", "))
	}
	loaded, err := s.Read(ctx, id)
	if err != nil {
		return err
	}
	if loaded.Damaged > 0 {
		fmt.Fprintf(out.Err, "espy: %d damaged lines of this session's log were skipped\n", loaded.Damaged)
	}
	w := out.Out
	if opt.Out != "" {
		f, err := os.OpenFile(opt.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s exists; name another file with --out", oneLine(opt.Out))
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	var blobs Blobs
	if opt.Pictures {
		blobs = func(ref string) (io.ReadSeekCloser, error) { return s.OpenBlob(id, ref) }
	}
	messages := projection.NewHistory(loaded.Records).Conversation().Messages
	switch opt.Format {
	case "html":
		return WriteHTML(w, id, messages, blobs)
	case "jsonl":
		return writeLines(w, messages, blobs)
	}
	return WriteMarkdown(w, messages, blobs)
}

// page writes a document; after an error it writes no more.
type page struct {
	w     io.Writer
	blobs Blobs
	err   error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// picture writes a picture as a data URL between two texts and reports whether it did. One that is gone is left to
// its sentence.
func (p *page) picture(i message.Image, before, after string) bool {
	if p.blobs == nil || p.err != nil || !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, i.MediaType) {
		return false
	}
	f, err := p.blobs(i.Ref)
	if err != nil {
		return false
	}
	defer f.Close()
	p.printf("%sdata:%s;base64,", before, i.MediaType)
	if p.err == nil {
		enc := base64.NewEncoder(base64.StdEncoding, p.w)
		_, p.err = io.Copy(enc, f)
		p.err = errors.Join(p.err, enc.Close())
	}
	p.printf("%s", after)
	return true
}

const htmlHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>espy session %s</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
article { border-top: 1px solid #8888; padding: .5rem 0 } h2 { font-size: 1rem; opacity: .7 }
pre { white-space: pre-wrap; overflow-wrap: anywhere } pre.call, pre.result { font-size: .85rem; opacity: .85; border-left: 3px solid #8888; padding-left: .7rem }
img { max-width: 100%%; height: auto }
</style></head><body>
`

// WriteHTML writes a conversation as one HTML page that asks nothing of a network and runs nothing. All text is
// escaped.
func WriteHTML(w io.Writer, id string, messages []message.Message, blobs Blobs) error {
	p := &page{w: w, blobs: blobs}
	p.printf(htmlHead, escaped(id))
	for _, m := range messages {
		p.printf("<article class=%q><h2>%s, %s</h2>\n", string(m.Role), escaped(heading(m)), m.Time.Local().Format(time.DateTime))
		for _, b := range m.Blocks {
			p.htmlBlock(b)
		}
		p.printf("</article>\n")
	}
	p.printf("</body></html>\n")
	return p.err
}

func (p *page) htmlBlock(b message.Block) {
	switch b := b.(type) {
	case message.Text:
		p.printf("<pre>%s</pre>\n", escaped(b.Text))
	case message.Image:
		p.htmlPicture(b)
	case message.ToolCall:
		b = tools.Meant(b)
		p.printf("<pre class=\"call\">%s %s</pre>\n", escaped(oneLine(b.Name)), escaped(b.Args))
	case message.ToolResult:
		p.printf("<pre class=\"result\">%s</pre>\n", escaped(b.Text))
		for _, i := range b.Images {
			p.htmlPicture(i)
		}
	}
}

func (p *page) htmlPicture(i message.Image) {
	alt := escaped(i.StandIn())
	if !p.picture(i, fmt.Sprintf("<p><img alt=\"%s\" width=\"%d\" src=\"", alt, i.Width), "\"></p>\n") {
		p.printf("<p>%s</p>\n", alt)
	}
}

func escaped(s string) string { return html.EscapeString(terminalText(s)) }

// writeLines writes each message as a line of JSON in the form of the log. With pictures, a line of kind "blob"
// with base64 data stands before the first message that shows one.
func writeLines(w io.Writer, messages []message.Message, blobs Blobs) error {
	p := &page{w: w, blobs: blobs}
	shown := make(map[string]bool)
	for _, m := range messages {
		for _, i := range m.Images() {
			if !shown[i.Ref] {
				shown[i.Ref] = true
				p.picture(i, fmt.Sprintf(`{"v":1,"kind":"blob","ref":%q,"url":"`, i.Ref), "\"}\n")
			}
		}
		record := message.MessageRecord{Head: message.NewHead(message.KindMessage, m.ID, m.Parent, m.Time), Message: m}
		line, err := message.Encode(record)
		if err != nil {
			return err
		}
		p.printf("%s\n", line)
	}
	return p.err
}
