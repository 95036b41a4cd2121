package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"espy/agent/guard"
	"espy/agent/message"
	"espy/agent/tools"
	"espy/providers"
)

// tool makes a tool of one the server has.
func (s *server) tool(spec providers.ToolSpec, remote string) tools.Tool {
	readOnly := s.readOnly(remote)
	return tools.Tool{Spec: spec, ReadOnly: readOnly, Source: tools.SourceServer(s.config.Name), Keywords: []string{s.config.Name, "mcp"},
		Effect: func(_ *tools.Env, args string) (guard.Effect, error) {
			given, err := arguments(args)
			if err != nil {
				return guard.Effect{}, fmt.Errorf("%s: %w", spec.Name, err)
			}
			return s.effect(spec.Name, s.config.Name+": "+s.line(remote), pretty(given), readOnly), nil
		},
		Run: func(ctx context.Context, env *tools.Env, call message.ToolCall) (tools.Outcome, error) {
			given, err := arguments(call.Args)
			if err != nil {
				return failed(call, fmt.Sprintf("%s: %v", spec.Name, err)), nil
			}
			return s.call(ctx, env, call, remote, given)
		},
	}
}

// effect is what the guard judges: a program may do anything, another host is talked to. A tool that only looks by
// the person's own word runs unasked, as by a rule of theirs.
func (s *server) effect(tool, summary, preview string, readOnly bool) guard.Effect {
	e := guard.Effect{Tool: tool, Kind: guard.KindExec, Host: s.host(), Summary: summary, Preview: preview}
	if e.Host != "" {
		e.Kind = guard.KindNet
	}
	if readOnly {
		e.Kind = guard.KindNone
	}
	return e
}

// arguments are a call's arguments, which are one JSON object, as the model wrote it.
func arguments(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		text = "{}"
	}
	var object map[string]json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, errors.New("the arguments are no JSON object")
	}
	if decoder.More() {
		return nil, errors.New("the arguments are more than one JSON object")
	}
	return json.RawMessage(text), nil
}

// pretty is a JSON document for a person to read before it is sent.
func pretty(document json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, document, "", "  ") != nil {
		return string(document)
	}
	return b.String()
}

func failed(call message.ToolCall, sentence string) tools.Outcome {
	return tools.Outcome{Result: message.ToolResult{CallID: call.ID, Text: sentence, IsError: true}}
}

// taint marks whatever a server said.
func (s *server) taint() string { return "the MCP server " + s.config.Name }

// failure is an outcome that quotes the server.
func (s *server) failure(call message.ToolCall, sentence string) tools.Outcome {
	out := failed(call, sentence)
	out.Result.Meta = map[string]string{message.MetaTaint: s.taint()}
	return out
}

// call has the server carry out a call.
func (s *server) call(ctx context.Context, env *tools.Env, call message.ToolCall, tool string, args json.RawMessage) (tools.Outcome, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	var result *sdk.CallToolResult
	err := s.exchange(ctx, func(ctx context.Context, l *link) (err error) {
		params := &sdk.CallToolParams{Name: tool, Arguments: args}
		params.SetProgressToken(call.ID)
		defer l.follow(call.ID, func(said string) {
			if env.Progress != nil {
				env.Progress(call.ID, s.line(said))
			}
		})()
		result, err = l.session.CallTool(ctx, params)
		return err
	})
	if outer.Err() != nil {
		return tools.Outcome{}, outer.Err()
	}
	if err != nil {
		return s.blame(ctx, call, err), nil
	}
	return s.outcome(outer, env, call, tool, result)
}

// exchange makes a request on the connection there is, or on a new one where that ended. A session the server forgot
// was not asked anything, so the request is made again on a new one.
func (s *server) exchange(ctx context.Context, request func(context.Context, *link) error) error {
	for again := false; ; again = true {
		l, err := s.up(ctx)
		if err != nil {
			return &unreachable{err}
		}
		err = l.ask(ctx, func(ctx context.Context) error { return request(ctx, l) })
		if errors.Is(err, sdk.ErrSessionMissing) && !again && ctx.Err() == nil {
			s.drop(l)
			continue
		}
		var answered *jsonrpc.Error
		if err != nil && ctx.Err() == nil && !errors.As(err, &answered) && l.ends(err) {
			return &lost{l.because(err)}
		}
		return err
	}
}

// drop has a connection made anew.
func (s *server) drop(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.again, s.asked, s.state = true, true, Connecting
		s.tell()
		s.poke()
	}
}

// unreachable says that a request could not be made at all, lost that the connection ended under it.
type (
	unreachable struct{ err error }
	lost        struct{ err error }
)

func (e *unreachable) Error() string { return e.err.Error() }
func (e *lost) Error() string        { return e.err.Error() }

// blame is the outcome of a call that came to nothing, in a sentence for the model.
func (s *server) blame(ctx context.Context, call message.ToolCall, err error) tools.Outcome {
	name := "The MCP server " + s.config.Name
	var away *unreachable
	var gone *lost
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failed(call, fmt.Sprintf("%s did not answer within %s. The call was cancelled; what it did until then stands.", name, s.timeout()))
	case errors.As(err, &away):
		return s.failure(call, fmt.Sprintf("%s cannot be reached: %s.", name, s.line(err.Error())))
	case errors.As(err, &gone):
		return s.failure(call, fmt.Sprintf("The connection to the MCP server %s ended during the call: %s. What it did until then stands; the next call connects again.", s.config.Name, s.line(err.Error())))
	}
	return s.failure(call, fmt.Sprintf("%s answered with an error: %s", name, s.line(err.Error())))
}

// follow hands on what a call's progress says, until stop is called.
func (l *link) follow(token string, tell func(string)) (stop func()) {
	l.mu.Lock()
	l.progress[token] = tell
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		delete(l.progress, token)
		l.mu.Unlock()
	}
}
