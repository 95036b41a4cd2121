package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/media"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func readTool() Tool {
	return declaration[readArgs]{
		name: "read",
		params: params{
			{name: "path", kind: "string", required: true, about: "File or folder, relative to the workspace or absolute; or blob:NAME."},
			{name: "offset", kind: "integer", least: 0, most: 1 << 30, about: "First line to show, from 1."},
			{name: "limit", kind: "integer", least: 1, most: 1 << 30, about: "How many lines to show; at most 2000."},
		},
		readOnly: true,
		effect: func(env *Env, a readArgs) (guard.Effect, error) {
			return lookEffect(env, "read", a.Path)
		},
		run: runRead,
	}.tool()
}

// lookEffect is the effect of a tool that only looks at a path or a blob.
func lookEffect(env *Env, verb, name string) (guard.Effect, error) {
	if strings.HasPrefix(name, blobPrefix) {
		return guard.Effect{Kind: guard.KindNone, Summary: verb + " " + clip(name, 40)}, nil
	}
	if err := checkName(name); err != nil {
		return guard.Effect{}, err
	}
	path := effectPath(env, name)
	return guard.Effect{Kind: guard.KindRead, Paths: []string{path}, Summary: verb + " " + path}, nil
}

func runRead(ctx context.Context, env *Env, call message.ToolCall, a readArgs) (Outcome, error) {
	if !strings.HasPrefix(a.Path, blobPrefix) {
		at, err := locate(env, a.Path)
		if err != nil {
			return Outcome{}, err
		}
		if at.info.IsDir() {
			return readFolder(ctx, env, at)
		}
	}
	src, err := open(env, a.Path)
	if err != nil {
		return Outcome{}, err
	}
	defer src.Close()
	head, err := src.head()
	if err != nil {
		return Outcome{}, err
	}
	kind, name := sniff(head)
	switch kind {
	case kindPicture:
		return readPicture(ctx, env, call, src, name)
	case kindBinary:
		return answer(fmt.Sprintf("%s is not text but %s, %s.%s", src.label, name, size(src.size), binaryHint(name)),
			message.MetaPath, src.file.Abs, message.MetaSummary, src.label+": "+name), nil
	}
	return readText(ctx, env, src, head, a)
}

func binaryHint(kind string) string {
	switch {
	case strings.Contains(kind, "PDF"):
		return " Turn it into text or pictures with a command such as pdftotext or pdftoppm, if there is one."
	case strings.Contains(kind, "archive"):
		return " List or unpack it with a shell command."
	}
	return ""
}

func readText(ctx context.Context, env *Env, src *source, head []byte, a readArgs) (Outcome, error) {
	first := max(a.Offset, 1)
	limit := maxShownLines
	if a.Limit > 0 {
		limit = min(a.Limit, maxShownLines)
	}
	whole := src.size <= maxSource(env)
	sum := sha256.New()
	var text io.Reader = io.TeeReader(src, sum)
	if !whole {
		text = src
	}
	if utf16Order(head) != 0 {
		if !whole {
			return Outcome{}, mistakef("%s is UTF-16 text of %s, and up to %s of it is decoded; convert it to UTF-8 with a shell command", src.label, size(src.size), size(maxSource(env)))
		}
		data, err := io.ReadAll(io.LimitReader(text, maxSource(env)))
		if err != nil {
			return Outcome{}, src.unreadable(err)
		}
		text = strings.NewReader(decodeUTF16(data))
	} else if strings.HasPrefix(string(head), utf8Mark) {
		if _, err := io.CopyN(io.Discard, text, int64(len(utf8Mark))); err != nil {
			return Outcome{}, src.unreadable(err)
		}
	}
	p, err := readPage(ctx, text, first, limit, whole)
	if err != nil {
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		return Outcome{}, src.unreadable(err)
	}
	if src.ref == "" {
		s := stampOf(src.file.info, nil)
		if whole {
			s.hash = hex.EncodeToString(sum.Sum(nil))
		}
		env.Ledger.note(src.file.Abs, s)
	}
	return showPage(src, p)
}

// utf8Mark is the byte order mark some programs put before UTF-8.
const utf8Mark = "\ufeff"

func showPage(src *source, p page) (Outcome, error) {
	shown := p.last - p.first + 1
	if shown == 0 && p.total == 0 {
		return answer(withNote("("+src.label+" is empty)", src.file.note), message.MetaPath, src.file.Abs, message.MetaSummary, src.label+" is empty"), nil
	}
	if shown == 0 {
		if p.total < 0 {
			return Outcome{}, mistakef("%s has no line %s", src.label, thousands(p.first))
		}
		return Outcome{}, mistakef("%s has %s; offset %s is past its end", src.label, plural(p.total, "line"), thousands(p.first))
	}
	text := p.text
	switch {
	case p.total < 0:
		text += fmt.Sprintf("[lines %d to %d of a file of %s; go on with offset %d]\n", p.first, p.last, size(src.size), p.last+1)
	case p.last < p.total:
		text += fmt.Sprintf("[lines %d to %d of %s; go on with offset %d]\n", p.first, p.last, thousands(p.total), p.last+1)
	}
	summary := fmt.Sprintf("read %s of %s", plural(shown, "line"), src.label)
	return answer(withNote(text, src.file.note), message.MetaPath, src.file.Abs, message.MetaSummary, summary), nil
}

func withNote(text, note string) string {
	if note == "" {
		return text
	}
	return strings.TrimSuffix(text, "\n") + "\n" + note + "\n"
}

// readPicture shows a picture to a model that can see, and describes it in words to one that cannot.
func readPicture(ctx context.Context, env *Env, call message.ToolCall, src *source, kind string) (Outcome, error) {
	if env.Route().Sees() {
		return look(ctx, env, call, src, []media.Options{{}})
	}
	facts := kind
	if header, err := media.Probe(src.readerAt(), src.size); err == nil {
		w, h := header.Upright()
		facts += fmt.Sprintf(", %dx%d pixels", w, h)
	}
	text := fmt.Sprintf("%s is %s, %s. The model in use cannot see pictures, so this is all that can be told of it; the person can switch to a vision-capable model with /model.", src.label, facts, size(src.size))
	return answer(withNote(text, src.file.note), message.MetaPath, src.file.Abs, message.MetaSummary, src.label+": "+kind), nil
}
