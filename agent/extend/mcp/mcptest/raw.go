package mcptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// request is what a hand-written stand-in reads.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

func (r request) token() string {
	if len(r.Params.Meta.Token) == 0 {
		return "0"
	}
	return string(r.Params.Meta.Token)
}

// Text is the variable that holds what the "steers" stand-in says everywhere.
const Text = "ESPY_MCP_TEXT"

func text() string { return os.Getenv(Text) }

// quotedIn is a template with texts in it as JSON.
func quotedIn(template string, texts ...string) string {
	quoted := make([]any, len(texts))
	for i, t := range texts {
		encoded, _ := json.Marshal(t)
		quoted[i] = string(encoded)
	}
	return fmt.Sprintf(template, quoted...)
}

// raw is a server written by hand, which does not keep to the protocol.
func raw(kind string) {
	switch kind {
	case "quits":
		fmt.Fprintln(os.Stderr, "Error: no licence found in "+os.Getenv("ESPY_MCP_KEY")+Hostile)
		os.Exit(3)
	case "mute": // never answers, and does not end when its input does
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(time.Hour)
	case "deaf": // never reads
		time.Sleep(time.Hour)
	case "babble":
		for {
			if _, err := fmt.Println("I like to hear myself talk"); err != nil {
				return
			}
		}
	}
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		answer(out, kind, r)
		if out.Flush() != nil {
			return
		}
	}
}

// answer answers a request as the kind does.
func answer(out io.Writer, kind string, r request) {
	reply := func(result string) { fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", r.ID, result) }
	switch r.Method {
	case "initialize":
		if kind == "chatty" {
			fmt.Fprint(out, "standin listening on stdio\n\n{\"log\":\"not a message\"}\n[1,2]\n{half a\n")
		}
		more := ""
		if kind == "steers" {
			more = `,"prompts":{},"resources":{}`
		}
		reply(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}` + more + `},"serverInfo":` + quotedIn(`{"name":%s,"version":"1"}`, "raw"+text()) + `}`)
	case "tools/list":
		reply(toolList(kind))
	case "tools/call":
		call(out, kind, r, reply)
	case "prompts/list":
		reply(`{"prompts":[` + quotedIn(`{"name":%s,"description":%s}`, "prompt"+text(), text()) + `]}`)
	case "resources/list":
		reply(`{"resources":[` + quotedIn(`{"uri":"x:///a","name":%s,"description":%s}`, text(), text()) + `]}`)
	case "ping":
		reply("{}")
	default:
		if len(r.ID) > 0 {
			fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}\n", r.ID)
		}
	}
}

func toolList(kind string) string {
	tool := func(name, about string) string {
		encoded, _ := json.Marshal(map[string]any{"name": name, "description": about, "inputSchema": map[string]any{"type": "object"}})
		return string(encoded)
	}
	switch kind {
	case "steers":
		return `{"tools":[` + tool("says"+text(), "says it "+text()) + `,` + tool("fails", text()) + `]}`
	case "names":
		return `{"tools":[` + strings.Join([]string{tool("a.b", "one"), tool("a/b", "two"), tool(strings.Repeat("long", 40), "long"), tool("bild/öffnen", "letters"), tool("", "none"),
			tool("a.b", "again"), tool("esc\x1b[31m", "\x1b]0;OWNED\x07escape"), `{"name":"odd","inputSchema":{"type":"object"},"description":"` + strings.Repeat("d", 5000) + `"}`,
			`{"name":"heavy","inputSchema":{"type":"object","x":"` + strings.Repeat("s", 70000) + `"}}`}, ",") + `]}`
	case "many":
		var all []string
		for i := range 400 {
			all = append(all, tool(fmt.Sprintf("tool%d", i), strings.Repeat("d", 100)))
		}
		return `{"tools":[` + strings.Join(all, ",") + `]}`
	case "endless":
		return `{"tools":[` + tool("one", "one") + `],"nextCursor":"` + fmt.Sprint(time.Now().UnixNano()) + `"}`
	case "wrong":
		return `{"tools":"none"}`
	}
	return `{"tools":[` + tool("go", "goes") + `]}`
}

func call(out io.Writer, kind string, r request, reply func(string)) {
	const ok = `{"content":[{"type":"text","text":"fine"}]}`
	switch kind {
	case "steers":
		fmt.Fprintln(os.Stderr, text())
		if r.Params.Name == "fails" {
			fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32000,\"message\":%s}}\n", r.ID, quotedIn("%s", "it failed "+text()))
			return
		}
		fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1,\"message\":%s}}\n", r.token(), quotedIn("%s", text()))
		reply(`{"content":[` + quotedIn(`{"type":"text","text":%s},{"type":%s},{"type":"resource_link","uri":"x:///b","name":%s}`, text(), text(), text()) + `]}`)
	case "strange":
		reply(`{"content":[{"type":"text","text":"first"},{"type":"video","data":"AAAA"},7,{"type":"image","data":"***","mimeType":"image/png"},{"type":"text","text":5},{"type":"text","text":"last"}]}`)
	case "wrong":
		reply(`5`)
	case "error":
		said, _ := json.Marshal("it broke " + Hostile)
		fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32000,\"message\":%s}}\n", r.ID, said)
	case "other": // answers what nobody asked
		fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}\n")
		reply(ok)
	case "batch":
		fmt.Fprintf(out, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"},{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}]\n", r.ID, ok)
	case "asks":
		fmt.Fprint(out, "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[],\"maxTokens\":1}}\n{\"jsonrpc\":\"2.0\",\"id\":\"e1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"your password?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}\n")
		reply(ok)
	case "huge":
		fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", r.ID)
		part := bytes.Repeat([]byte("x"), 1<<20)
		for range 64 {
			if _, err := out.Write(part); err != nil {
				return
			}
		}
		fmt.Fprint(out, "\"}]}}\n")
	case "floods":
		for {
			if _, err := fmt.Fprint(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"); err != nil {
				return
			}
		}
	case "shouts":
		for range 20000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 40))
		}
		reply(ok)
	case "silent":
	default:
		reply(ok)
	}
}
