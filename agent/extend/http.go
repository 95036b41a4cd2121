package extend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

const (
	// mostAnswer bounds an HTTP tool's answer, in bytes.
	mostAnswer = 4 << 20
	// mostRedirects is how many redirects are followed, all of them on the declared host.
	mostRedirects = 5
)

// secretVariable is ${env:NAME} in a header.
var secretVariable = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

// httpTool makes a tool of an http declaration: scheme and host are fixed, arguments fill path, query and a JSON
// body, percent-encoded or as JSON strings. Answers are capped, cut to named fields, and count as untrusted.
func httpTool(d declaration) (tools.Tool, error) {
	base, err := d.checkHTTP()
	if err != nil {
		return tools.Tool{}, err
	}
	return tools.Tool{
		Spec:     providers.ToolSpec{Name: d.Name, Description: strings.TrimSpace(d.Description), Schema: d.schema()},
		ReadOnly: d.ReadOnly && !d.project && d.method() == http.MethodGet,
		Effect: func(_ *tools.Env, text string) (guard.Effect, error) {
			target, body, err := d.target(text)
			if err != nil {
				return guard.Effect{}, err
			}
			preview := d.method() + " " + target
			if body != "" {
				preview += "\n\n" + body
			}
			return guard.Effect{Tool: d.Name, Kind: guard.KindNet, Host: base.Hostname(), Summary: d.Name + ": " + d.method() + " " + base.Host, Preview: preview}, nil
		},
		Run: func(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			return d.request(ctx, env, call)
		},
	}, nil
}

func (d *declaration) method() string {
	if d.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(d.Method)
}

// checkHTTP says what is wrong with an http declaration.
func (d *declaration) checkHTTP() (*url.URL, error) {
	head, _, _ := strings.Cut(d.URL, "?")
	base, err := url.Parse(placeholder.ReplaceAllString(head, "x"))
	switch {
	case d.URL == "":
		return nil, errors.New("url is missing")
	case err != nil:
		return nil, fmt.Errorf("url %q: %w", d.URL, err)
	case base.Scheme != "https" && base.Scheme != "http" || base.Host == "" || base.User != nil:
		return nil, fmt.Errorf("url %q: expected https:// or http:// with a host and no user name", d.URL)
	case strings.Contains(d.URL[:len(d.URL)-len(strings.TrimPrefix(d.URL, base.Scheme+"://"+base.Host))], "{"), !strings.HasPrefix(d.URL, base.Scheme+"://"+base.Host):
		return nil, fmt.Errorf("url %q: scheme and host take no argument of the model", d.URL)
	case strings.Contains(d.URL, "?"):
		return nil, errors.New("url holds a query; write it as [query]")
	case d.method() != http.MethodGet && d.method() != http.MethodPost:
		return nil, fmt.Errorf("method %q: expected GET or POST", d.Method)
	case d.Output != "" && d.Output != "text" && d.Output != "envelope" && d.Output != "picture":
		return nil, fmt.Errorf("output %q: expected text, envelope or picture", d.Output)
	case d.Output != "" && d.Output != "text" && len(d.Fields) > 0:
		return nil, fmt.Errorf("fields cut a JSON answer to words; with output = %q there are none", d.Output)
	case d.Body != "" && d.method() == http.MethodGet:
		return nil, errors.New("a GET request has no body; set method = \"POST\"")
	}
	templates := []string{d.URL, d.Body}
	for _, v := range d.Query {
		templates = append(templates, v)
	}
	for _, t := range templates {
		if err := d.checkTemplate(t); err != nil {
			return nil, err
		}
	}
	return base, nil
}

// target fills the URL and the body. A query entry that names an absent argument is left out.
func (d *declaration) target(text string) (target, body string, err error) {
	args, err := d.decode(text)
	if err != nil {
		return "", "", err
	}
	target, ok := fill(d.URL, args, url.PathEscape)
	if !ok {
		return "", "", fmt.Errorf("%s: an argument that stands in the address is missing", d.Name)
	}
	query := url.Values{}
	for name, template := range d.Query {
		if value, ok := fill(template, args, func(s string) string { return s }); ok {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	if d.Body == "" {
		return target, "", nil
	}
	if body, ok = fill(d.Body, args, jsonInside); !ok {
		return "", "", fmt.Errorf("%s: an argument that stands in the body is missing", d.Name)
	}
	if !json.Valid([]byte(body)) {
		return "", "", fmt.Errorf("%s: its body template is no JSON once it is filled", d.Name)
	}
	return target, body, nil
}

// jsonInside escapes a value to stand inside the quotes of a JSON string.
func jsonInside(s string) string {
	encoded := compactJSON(s)
	return encoded[1 : len(encoded)-1]
}

func (d *declaration) request(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
	target, body, err := d.target(call.Args)
	if err != nil {
		return failed(call, err.Error()), nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, d.method(), target, strings.NewReader(body))
	if err != nil {
		return failed(call, err.Error()), nil
	}
	secrets, missing := d.setHeaders(req)
	if missing != "" {
		return failed(call, fmt.Sprintf("%s needs the variable %s, which is not set; the user can export it", d.Name, missing)), nil
	}
	answer, status, err := send(req, d.mostAnswer())
	if err != nil {
		return failed(call, scrub(fmt.Sprintf("%s: %v", d.Name, err), secrets)), nil
	}
	if d.pictures() && status < 400 {
		return d.show(ctx, env, call, answer, secrets, req.URL)
	}
	text := scrub(d.cut(answer), secrets)
	shown, ref, err := tools.Spill(ctx, env, text)
	if err != nil {
		return tools.Outcome{}, err
	}
	meta := map[string]string{message.MetaTaint: req.URL.Host, message.MetaSummary: fmt.Sprintf("%s: HTTP %d, %d characters", d.Name, status, len([]rune(text)))}
	if ref != "" {
		meta[message.MetaBlob] = ref
	}
	if status >= 400 {
		shown = fmt.Sprintf("%s answered HTTP %d:\n%s", req.URL.Host, status, shown)
	}
	return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: shown, IsError: status >= 400, Meta: meta}}, nil
}

// setHeaders fills ${env:NAME} at call time. It returns the secret values, to be scrubbed from whatever comes back.
func (d *declaration) setHeaders(req *http.Request) (secrets []string, missing string) {
	for name, template := range d.Headers {
		value := secretVariable.ReplaceAllStringFunc(template, func(v string) string {
			variable := secretVariable.FindStringSubmatch(v)[1]
			secret, ok := os.LookupEnv(variable)
			if !ok || secret == "" {
				missing = variable
				return ""
			}
			secrets = append(secrets, secret)
			return secret
		})
		req.Header.Set(name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "espy")
	}
	if d.Body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return secrets, missing
}

// send makes one request and reads at most so many bytes of the answer. Redirects stay on the host, so that a header's secret never goes elsewhere.
func send(req *http.Request, most int) (answer []byte, status int, err error) {
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ResponseHeaderTimeout: 30 * time.Second},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if next.URL.Host != req.URL.Host || next.URL.Scheme != req.URL.Scheme {
				return fmt.Errorf("the server redirects to %s, and this tool stays on %s", next.URL.Host, req.URL.Host)
			}
			if len(via) >= mostRedirects {
				return fmt.Errorf("more than %d redirects", mostRedirects)
			}
			return nil
		},
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	if err != nil {
		return nil, 0, err
	}
	if len(answer) > most {
		answer = append(answer[:most:most], []byte(fmt.Sprintf("\n[cut after %d bytes]", most))...)
	}
	return answer, resp.StatusCode, nil
}

// scrub takes secret values out of a text, as they are and percent-encoded.
func scrub(text string, secrets []string) string {
	for _, s := range secrets {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			text = strings.ReplaceAll(text, form, "[secret]")
		}
	}
	return text
}

// cut keeps the named fields of a JSON answer; any other answer stays as it is.
func (d *declaration) cut(answer []byte) string {
	if len(d.Fields) == 0 {
		return string(answer)
	}
	var v any
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return string(answer)
	}
	var lines []string
	for _, group := range groupFields(d.Fields) {
		for _, item := range pick(v, group.list) {
			var entry []string
			for _, field := range group.fields {
				for _, found := range pick(item, field) {
					text, ok := found.(string)
					if !ok {
						text = compactJSON(found)
					}
					entry = append(entry, strings.Join(field, ".")+": "+text)
				}
			}
			if len(entry) > 0 {
				lines = append(lines, strings.Join(entry, "\n"))
			}
		}
	}
	if len(lines) == 0 {
		return "(the answer holds none of " + strings.Join(d.Fields, ", ") + ")"
	}
	return strings.Join(lines, "\n\n")
}

// fieldGroup is fields of the entries of one list, so that what belongs to one entry stands together.
type fieldGroup struct {
	list   []string   // the path to the list, its last element with []
	fields [][]string // paths inside an entry
}

func groupFields(fields []string) []*fieldGroup {
	var groups []*fieldGroup
	byList := make(map[string]*fieldGroup)
	for _, field := range fields {
		path := strings.Split(field, ".")
		cut := 0
		for i, name := range path {
			if strings.HasSuffix(name, "[]") {
				cut = i + 1
			}
		}
		key := strings.Join(path[:cut], ".")
		if byList[key] == nil {
			byList[key] = &fieldGroup{list: path[:cut]}
			groups = append(groups, byList[key])
		}
		byList[key].fields = append(byList[key].fields, path[cut:])
	}
	return groups
}

// pick follows a path like web.results[].title; [] goes through a list.
func pick(v any, path []string) []any {
	if len(path) == 0 {
		return []any{v}
	}
	name, isList := strings.CutSuffix(path[0], "[]")
	if name != "" {
		object, ok := v.(map[string]any)
		if !ok || object[name] == nil {
			return nil
		}
		v = object[name]
	}
	if !isList {
		return pick(v, path[1:])
	}
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var found []any
	for _, item := range list {
		found = append(found, pick(item, path[1:])...)
	}
	return found
}
