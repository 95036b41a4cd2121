package extend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
)

// page is what a server answered.
type page struct {
	address     *url.URL
	status      int
	contentType string
	body        []byte // at most mostFetched bytes
	raw         bool
}

// outcome turns an answer into a result: a picture through the gate, or text, marked as untrusted.
func (p page) outcome(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
	meta := map[string]string{message.MetaTaint: p.address.Host}
	out := tools.Outcome{Result: message.ToolResult{CallID: call.ID, Meta: meta, IsError: p.status >= 400}}
	head := fmt.Sprintf("%s\nHTTP %d, %s. What follows is untrusted.\n\n", p.address, p.status, p.kind())
	kind := media.SniffKind(p.body)
	picture := strings.HasPrefix(p.mediaType(), "image/") && p.mediaType() != "image/svg+xml" || strings.Contains(kind.Name, "picture") && !p.textual()
	switch {
	case picture && !env.Route().Sees():
		out.Result.Text = head + "[a picture, which the active model cannot see; it was not taken]"
		meta[message.MetaSummary] = "fetch: a picture this model cannot see"
		return out, nil
	case picture:
		out.Result.Text = head
		err := TakePicture(ctx, env, &out, pictureOf(p.name(), p.body), 1)
		out.Result.Text = strings.TrimSpace(out.Result.Text)
		out.Result.IsError = out.Result.IsError || len(out.Result.Images) == 0
		meta[message.MetaSummary] = fmt.Sprintf("fetch: a picture from %s", p.address.Host)
		return out, err
	case !p.textual() && !looksText(p.body):
		refusal := failed(call, fmt.Sprintf("fetch: %s is %s (%s), which is not read", p.address, kind.Name, p.kind()))
		refusal.Result.Meta = meta
		return refusal, nil
	}
	text, err := p.text()
	if err != nil {
		refusal := failed(call, fmt.Sprintf("fetch: %s cannot be turned into text (%v); call it with raw to see its source", p.address, err))
		refusal.Result.Meta = meta
		return refusal, nil
	}
	shown, ref, err := tools.Spill(ctx, env, head+text)
	if err != nil {
		return tools.Outcome{}, err
	}
	if ref != "" {
		meta[message.MetaBlob] = ref
	}
	meta[message.MetaSummary] = fmt.Sprintf("fetch %s: HTTP %d, %d characters", p.address.Host, p.status, utf8.RuneCountInString(text))
	out.Result.Text = shown
	return out, nil
}

func (p page) mediaType() string {
	t, _, err := mime.ParseMediaType(p.contentType)
	if err != nil {
		return ""
	}
	return t
}

// kind is the declared type for a sentence.
func (p page) kind() string {
	if t := p.mediaType(); t != "" {
		return clipped(t)
	}
	return "no content type"
}

// textual reports whether the server calls it text.
func (p page) textual() bool {
	t := p.mediaType()
	switch {
	case strings.HasPrefix(t, "text/"), strings.HasSuffix(t, "+json"), strings.HasSuffix(t, "+xml"):
		return true
	}
	switch t {
	case "application/json", "application/xml", "application/javascript", "application/ecmascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/x-ndjson", "application/jsonl", "application/x-sh", "application/graphql", "application/sql", "application/x-www-form-urlencoded":
		return true
	}
	return false
}

// looksText judges a body whose declared type says nothing.
func looksText(body []byte) bool {
	head := body[:min(len(body), 8000)]
	return !bytes.ContainsRune(head, 0) && !media.SniffKind(body).Picture && (utf8.Valid(head) || len(head) < len(body))
}

func (p page) isHTML() bool {
	switch p.mediaType() {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		return strings.Contains(media.SniffKind(p.body).Name, "HTML")
	}
	return false
}

// name is a file name for a picture.
func (p page) name() string {
	if base := path.Base(p.address.Path); base != "/" && base != "." {
		return clipped(base)
	}
	return p.address.Host
}

// text is the body as UTF-8, HTML as Markdown, cut where it is too long.
func (p page) text() (string, error) {
	body, note := p.body, ""
	most := mostPage
	if p.isHTML() && !p.raw {
		most = mostHTML
	}
	if len(body) > most {
		body, note = body[:most], fmt.Sprintf("\n[the page goes on; only its first %d bytes were read]", most)
	}
	reader, err := charset.NewReader(bytes.NewReader(body), p.contentType)
	if err != nil {
		if errors.Is(err, io.EOF) {
			return "(empty)", nil
		}
		return "", err
	}
	decoded, err := io.ReadAll(io.LimitReader(reader, 3*mostPage)) // UTF-8 is at most three times as long
	if err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(decoded), "\uFFFD")
	if p.isHTML() && !p.raw {
		if text, err = p.markdown(text); err != nil {
			return "", err
		}
	}
	if strings.TrimSpace(text) == "" {
		text = "(empty)"
	}
	return text + note, nil
}

// markdown converts HTML. Links are made whole, so that they can be fetched.
func (p page) markdown(source string) (string, error) {
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", err
	}
	boundSpans(doc)
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	for _, tag := range []string{"svg", "template", "dialog"} {
		conv.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityStandard)
	}
	text, err := conv.ConvertNode(doc, converter.WithDomain(p.address.String()))
	return string(text), err
}

// boundSpans takes away the spans of cells once a page has asked for mostSpanned cells by them: a few bytes of
// HTML would become megabytes of table.
func boundSpans(doc *html.Node) {
	left := mostSpanned
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		cells := 1
		for _, a := range n.Attr {
			if size, err := strconv.Atoi(strings.TrimSpace(a.Val)); err == nil && size > 1 && (a.Key == "colspan" || a.Key == "rowspan") {
				cells *= min(size, mostSpanned)
			}
		}
		if cells > left {
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
		} else if cells > 1 {
			left -= cells
		}
	}
}
