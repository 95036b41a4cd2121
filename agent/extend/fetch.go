package extend

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/media"
	"espy/providers"
)

const (
	// fetchTimeout bounds one fetch, redirects and body included.
	fetchTimeout = 30 * time.Second
	// fetchDialTimeout bounds one connection attempt.
	fetchDialTimeout = 10 * time.Second
	// mostPage bounds a page's text after decompression, in bytes; what is longer is cut and says so.
	mostPage = 4 << 20
	// mostHTML bounds what is turned into Markdown, in bytes: the converter takes a second or two a megabyte.
	mostHTML = 2 << 20
	// mostSpanned bounds the cells a page's tables may add by spanning; large tables of real pages add hundreds.
	mostSpanned = 5000
	// mostFetched bounds what is read at all: a picture as large as the gate takes, and one byte to tell.
	mostFetched = media.MaxSourceImageBytes + 1
	// mostURL bounds an address, in bytes: longer ones carry data rather than name a page.
	mostURL = 2000
	// mostHeader bounds an answer's headers, in bytes.
	mostHeader = 256 << 10
)

//go:embed fetch.md
var fetchDescription string

// FetchTool is the name of the built-in reader of web pages.
const FetchTool = "fetch"

// FetchOptions say what the built-in reader of web pages may reach.
type FetchOptions struct {
	PrivateHosts []string // HOST or HOST:PORT that may be read although they are not on the public internet
	Timeout      time.Duration
}

// Fetch is the built-in reader of web pages: one GET, read-only, without cookies, keys or a proxy, because only
// then the address dialled is the address judged.
func Fetch(opt FetchOptions) tools.Tool {
	if opt.Timeout == 0 {
		opt.Timeout = fetchTimeout
	}
	d := &declaration{Name: FetchTool, Parameters: map[string]parameter{
		"url": {Type: "string", Required: true, Description: "The whole address, with https:// or http://."},
		"raw": {Type: "boolean", Description: "HTML as it came instead of Markdown."},
	}}
	return tools.Tool{
		Spec:     providers.ToolSpec{Name: d.Name, Description: strings.TrimSpace(fetchDescription), Schema: d.schema()},
		ReadOnly: true,
		Effect: func(_ *tools.Env, args string) (guard.Effect, error) {
			target, _, err := fetchTarget(d, args)
			if err != nil {
				return guard.Effect{}, err
			}
			return guard.Effect{Tool: d.Name, Kind: guard.KindNet, Host: target.Hostname(), Summary: "fetch " + target.Host, Preview: "GET " + target.String()}, nil
		},
		Run: func(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			target, raw, err := fetchTarget(d, call.Args)
			if err != nil {
				return failed(call, err.Error()), nil
			}
			return opt.fetch(ctx, env, call, target, raw)
		},
	}
}

// fetchTarget reads the arguments. Its errors are sentences for the model.
func fetchTarget(d *declaration, text string) (target *url.URL, raw bool, err error) {
	args, err := d.decode(text)
	if err != nil {
		return nil, false, err
	}
	address := args["url"][0]
	target, err = url.Parse(address)
	switch {
	case len(address) > mostURL:
		return nil, false, fmt.Errorf("fetch: the address has %d bytes; at most %d are taken", len(address), mostURL)
	case err != nil:
		return nil, false, fmt.Errorf("fetch: %q is no address", address)
	case target.Scheme != "https" && target.Scheme != "http" || target.Hostname() == "":
		return nil, false, fmt.Errorf("fetch: %q: expected https:// or http:// and a host", address)
	case target.User != nil:
		return nil, false, errors.New("fetch: an address with a user name or password is not read")
	}
	target.Fragment = ""
	return target, len(args["raw"]) > 0 && args["raw"][0] == "true", nil
}

func (o FetchOptions) fetch(ctx context.Context, env *tools.Env, call message.ToolCall, target *url.URL, raw bool) (tools.Outcome, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	resp, err := o.get(ctx, target)
	if err != nil {
		return fetchFailed(outer, call, target, o.Timeout, err)
	}
	defer resp.Body.Close()
	if to, away := redirected(resp); away {
		out := failed(call, fmt.Sprintf("%s redirects to another host: %s. Call fetch with that address if it is wanted.", target.Host, to))
		out.Result.IsError = false
		out.Result.Meta = map[string]string{message.MetaTaint: target.Host, message.MetaSummary: "fetch: redirected away from " + target.Host}
		return out, nil
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return failed(call, fmt.Sprintf("%s answers in the encoding %q, which was not asked for and is not read", target.Host, clipped(encoding))), nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostFetched))
	if err != nil {
		return fetchFailed(outer, call, target, o.Timeout, err)
	}
	p := page{address: resp.Request.URL, status: resp.StatusCode, contentType: resp.Header.Get("Content-Type"), body: body, raw: raw}
	return p.outcome(outer, env, call)
}

// get follows redirects as long as they stay on the host the guard judged.
func (o FetchOptions) get(ctx context.Context, target *url.URL) (*http.Response, error) {
	transport := &http.Transport{DialContext: publicDialer(o.PrivateHosts), DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: fetchDialTimeout, MaxResponseHeaderBytes: mostHeader}
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > mostRedirects {
			return fmt.Errorf("more than %d redirects", mostRedirects)
		}
		if !stays(via[0].URL, next.URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "espy")
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, image/png, image/jpeg, image/webp, image/gif, */*;q=0.5")
	return client.Do(req)
}

// stays reports whether a redirect leads to the host that was judged, and not from TLS to plain text.
func stays(from, to *url.URL) bool {
	return strings.EqualFold(from.Hostname(), to.Hostname()) && (to.Scheme == "https" || to.Scheme == "http" && from.Scheme == "http") && to.User == nil
}

// redirected is where an answer leads that was not followed.
func redirected(resp *http.Response) (string, bool) {
	if resp.StatusCode < 300 || resp.StatusCode > 399 || resp.Header.Get("Location") == "" {
		return "", false
	}
	to, err := resp.Location()
	if err != nil || len(to.String()) > mostURL {
		return "an address that is no address", true
	}
	to.User = nil
	return to.String(), true
}

// fetchFailed says why nothing was read. An interrupt is the turn's to tell.
func fetchFailed(ctx context.Context, call message.ToolCall, target *url.URL, limit time.Duration, err error) (tools.Outcome, error) {
	if ctx.Err() != nil {
		return tools.Outcome{}, ctx.Err()
	}
	var private *privateError
	var dns *net.DNSError
	var outer *url.Error
	switch {
	case errors.As(err, &private):
		return failed(call, "fetch: "+private.Error()), nil
	case errors.Is(err, context.DeadlineExceeded):
		return failed(call, fmt.Sprintf("fetch: %s did not answer whole within %s", target.Host, limit)), nil
	case errors.As(err, &dns):
		return failed(call, fmt.Sprintf("fetch: there is no host %s, or its name cannot be looked up now", target.Hostname())), nil
	case errors.As(err, &outer):
		err = outer.Err
	}
	return failed(call, fmt.Sprintf("fetch: %s: %v", target.Host, err)), nil
}

// clipped keeps a foreign word short enough for a sentence.
func clipped(s string) string {
	const most = 80
	s = guard.Printable(strings.ToValidUTF8(s, ""))
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// pictureOf is what the gate is given of a body.
func pictureOf(name string, body []byte) media.Source {
	return media.Source{Name: name, Bytes: bytes.NewReader(body), Size: int64(len(body))}
}
