package extend

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/agent/tools/toolstest"
	"espy/providers"
)

// site serves pages for fetch and allows them by name.
func site(t *testing.T, handler http.HandlerFunc) (server *httptest.Server, tool tools.Tool) {
	t.Helper()
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server, Fetch(FetchOptions{PrivateHosts: []string{strings.TrimPrefix(server.URL, "http://")}})
}

func urlArgs(address string) string { return fmt.Sprintf(`{"url":%q}`, address) }

func serve(contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write(body)
	}
}

func TestFetchTurnsAPageIntoMarkdownAndMarksItUntrusted(t *testing.T) {
	page := `<html><head><title>T</title><style>p{}</style><script>evil()</script></head><body><h1>Head</h1><p>See <a href="more?x=1">this</a> and <code>x</code>.</p>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`
	server, tool := site(t, serve("text/html; charset=utf-8", []byte(page)))
	effect, err := tool.Effect(nil, urlArgs(server.URL+"/docs/start"))
	if err != nil || effect.Kind != guard.KindNet || effect.Host != "127.0.0.1" || effect.Tool != "fetch" {
		t.Errorf("the guard is told %+v (%v)", effect, err)
	}
	got := run(t, toolstest.New(t).Env, tool, urlArgs(server.URL+"/docs/start")).Result
	for _, want := range []string{"# Head", "[this](" + server.URL + "/docs/more?x=1)", "`x`", "| a | b |", "untrusted"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%q is missing in:\n%s", want, got.Text)
		}
	}
	if got.IsError || strings.Contains(got.Text, "evil") || got.Meta[message.MetaTaint] == "" {
		t.Errorf("error %t, taint %q, text:\n%s", got.IsError, got.Meta[message.MetaTaint], got.Text)
	}
	if raw := run(t, toolstest.New(t).Env, tool, fmt.Sprintf(`{"url":%q,"raw":true}`, server.URL)).Result; !strings.Contains(raw.Text, "<h1>Head</h1>") {
		t.Errorf("raw gives\n%s", raw.Text)
	}
}

func TestFetchReadsWhatIsTextAndNamesWhatIsNot(t *testing.T) {
	for _, c := range []struct{ name, kind, body, want string }{
		{"JSON stays as it is", "application/json", `{"a":[1]}`, `{"a":[1]}`},
		{"another charset is decoded", "text/plain; charset=iso-8859-1", "caf\xe9", "café"},
		{"no declared type but text", "", "just words", "just words"},
		{"HTML that says its charset itself", "text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8</p>", "При"},
		{"a document is named", "application/pdf", "%PDF-1.7\n\x00", "is not read"},
		{"an empty page says so", "text/html", "", "(empty)"},
		{"bytes are refused", "application/octet-stream", "\x00\x01\x02", "is not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, tool := site(t, serve(c.kind, []byte(c.body)))
			if got := run(t, toolstest.New(t).Env, tool, urlArgs(server.URL)).Result; !strings.Contains(got.Text, c.want) {
				t.Errorf("got %q, want %q in it", got.Text, c.want)
			}
		})
	}
}

func TestAFetchedPicturePassesTheGate(t *testing.T) {
	server, tool := site(t, serve("image/png", testPNG(40, 30)))
	world := toolstest.New(t)
	got := run(t, world.Env, tool, urlArgs(server.URL+"/shot.png"))
	if len(got.Result.Images) != 1 || got.Result.Images[0].Width != 40 || got.Result.Images[0].Height != 30 || got.Result.Images[0].MediaType != "image/png" || len(got.Pictures) != 1 || got.Pictures[0].Name != "shot.png" {
		t.Errorf("got %+v", got)
	}
	world.Route = providers.Route{Model: providers.Model{ID: "blind", ImageInput: providers.Unsupported}}
	if blind := run(t, world.Env, tool, urlArgs(server.URL)); len(blind.Result.Images) != 0 || !strings.Contains(blind.Result.Text, "cannot see") {
		t.Errorf("a blind model got %+v", blind.Result)
	}
	broken, tool := site(t, serve("image/png", testPNG(40, 30)[:50]))
	if got := run(t, world.Env, tool, urlArgs(broken.URL)); len(got.Result.Images) != 0 {
		t.Error("a broken picture passed")
	}
}

func TestFetchNeverReachesWhatIsNotPublic(t *testing.T) {
	var asked bool
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer server.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	tool := Fetch(FetchOptions{Timeout: 5 * time.Second})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.",
		"169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "10.0.0.1", "192.168.1.1", "[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"} {
		got := run(t, toolstest.New(t).Env, tool, urlArgs("http://"+host+":"+port+"/")).Result
		if !got.IsError || asked {
			t.Errorf("%s: asked %t, %q", host, asked, got.Text)
		}
	}
	for address, want := range map[string]bool{"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true, "::ffff:10.0.0.1": false, "198.18.0.1": false, "224.0.0.1": false, "255.255.255.255": false} {
		if public(netip.MustParseAddr(address)) != want {
			t.Errorf("public(%s) is not %t", address, want)
		}
	}
}

func TestARedirectIsJudgedAgainAndLeavesNoHost(t *testing.T) {
	var inside bool
	hidden := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside = true }))
	defer hidden.Close()
	server, tool := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/port":
			http.Redirect(w, r, hidden.URL, http.StatusFound) // the same host by name, another port
		case "/away":
			http.Redirect(w, r, "http://user:pw@169.254.169.254/latest/meta-data", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		default:
			fmt.Fprint(w, "arrived at "+r.URL.Path)
		}
	})
	for path, want := range map[string]string{"/port": "not on the public internet", "/away": "redirects to another host: http://169.254.169.254/latest", "/loop": "more than", "/here": "arrived at /there"} {
		if got := run(t, toolstest.New(t).Env, tool, urlArgs(server.URL+path)).Result; !strings.Contains(got.Text, want) || inside {
			t.Errorf("%s: inside %t, got %q, want %q in it", path, inside, got.Text, want)
		}
	}
}

func TestFetchCapsSizeAndTime(t *testing.T) {
	zipped := func(size int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(bytes.Repeat([]byte("a line of a page\n"), size/17))
		z.Close()
		return b.Bytes()
	}
	hold := make(chan struct{})
	server, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			fmt.Fprint(w, "first words")
			w.(http.Flusher).Flush()
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		case "/odd":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		default:
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			size := 170
			if r.URL.Path == "/bomb" {
				size = 24 << 20 // six times what is read
			}
			w.Write(zipped(size))
		}
	})
	defer close(hold)
	tool := Fetch(FetchOptions{PrivateHosts: []string{"127.0.0.1"}, Timeout: 3 * time.Second})
	world := toolstest.New(t)
	if got := run(t, world.Env, tool, urlArgs(server.URL+"/slow")).Result; !got.IsError || !strings.Contains(got.Text, "did not answer whole") {
		t.Errorf("a slow body: %q", got.Text)
	}
	if got := run(t, world.Env, tool, urlArgs(server.URL+"/odd")).Result; !got.IsError {
		t.Errorf("an encoding nobody asked for: %q", got.Text)
	}
	if got := run(t, world.Env, tool, urlArgs(server.URL+"/small")).Result; got.IsError || strings.Count(got.Text, "a line of a page") != 10 {
		t.Errorf("gzip: %q", got.Text)
	}
	long := Fetch(FetchOptions{PrivateHosts: []string{"127.0.0.1"}})
	if got := run(t, world.Env, long, urlArgs(server.URL+"/bomb")).Result; len(got.Text) > 40_000 || got.Meta[message.MetaBlob] == "" || !strings.Contains(got.Text, "the page goes on") {
		t.Errorf("a huge body shows %d characters, blob %q", len(got.Text), got.Meta[message.MetaBlob])
	}
}

func TestAnInterruptedFetchEnds(t *testing.T) {
	arrived := make(chan struct{})
	server, tool := site(t, func(w http.ResponseWriter, r *http.Request) { close(arrived); <-r.Context().Done() })
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	if _, err := tool.Run(ctx, toolstest.New(t).Env, message.ToolCall{ID: "c", Args: urlArgs(server.URL)}); err != context.Canceled {
		t.Errorf("ended with %v", err)
	}
}

func TestFetchTakesOnlyWholeAddresses(t *testing.T) {
	tool := Fetch(FetchOptions{})
	for _, args := range []string{`{}`, `{"url":""}`, urlArgs("example.org"), urlArgs("file:///etc/passwd"), urlArgs("https://u:p@example.org"), urlArgs("https://"), urlArgs("https://x/" + strings.Repeat("a", 3000)), `{"url":7}`} {
		if _, err := tool.Effect(nil, args); err == nil {
			t.Errorf("%.80s was taken", args)
		}
	}
}

func TestSpansOfATableAreBounded(t *testing.T) {
	address, err := url.Parse("https://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	p := page{address: address, contentType: "text/html", body: []byte("<table><tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3</table><table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>x", 500) + "</table>")}
	text, err := p.text()
	if err != nil || len(text) > 200_000 || !strings.Contains(text, "| 1 | 2 | 3 |") {
		t.Errorf("%d bytes of Markdown (%v), beginning %.200q", len(text), err, text)
	}
}

// No page may bring the converter down.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"<p>x", "<table><tr><td colspan=9>a<td>b", "<ul><li><ol><li><pre>a", strings.Repeat("<b>", 600) + "x", "<a href='::'>x</a><img src=data:x>", "</html><!--"} {
		f.Add(seed)
	}
	address, err := url.Parse("https://example.org/a/b")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p := page{address: address, contentType: "text/html; charset=utf-8", body: []byte(source)}
		_, _ = p.text()
	})
}

func BenchmarkMarkdown(b *testing.B) {
	address, err := url.Parse("https://example.org/a/b")
	if err != nil {
		b.Fatal(err)
	}
	for name, unit := range map[string]string{"words": "<p>some words and <a href=x>a link</a></p>", "cells": "<table><tr><td>a<td>b</table>", "deep": strings.Repeat("<blockquote>", 100) + "x" + strings.Repeat("</blockquote>", 100), "list": "<ul><li>a<ul><li>b</ul></ul>", "open": "<div><span>", "row": "<tr><td>x", "colspan": "<table><tr><td colspan=1000>a</table>"} {
		b.Run(name, func(b *testing.B) {
			body := []byte(strings.Repeat(unit, (1<<20)/len(unit)))
			if name == "row" {
				body = append([]byte("<table>"), body...)
			}
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, err := page{address: address, contentType: "text/html; charset=utf-8", body: body}.text()
				_ = err
			}
		})
	}
}
