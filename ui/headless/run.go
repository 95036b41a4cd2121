package headless

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"espy/agent"
	"espy/agent/message"
)

// windUp is how long an interrupted turn may take to end in order.
const windUp = 2 * time.Second

// RunOptions say how a turn is shown.
type RunOptions struct {
	Prompt agent.Prompt
	Events bool // one JSON line an event
	JSON   bool // one object at the end
}

// summary is what --json prints.
type summary struct {
	Session  string        `json:"session"`
	Answer   string        `json:"answer"`
	Pictures []pictureLine `json:"pictures"`
	Calls    []callLine    `json:"calls"`
	Usage    usageLine     `json:"usage"`
	Cost     *float64      `json:"cost"`
	Refused  []refusedLine `json:"refused"`
	Error    string        `json:"error,omitempty"`
}

type pictureLine struct {
	Ref       string `json:"ref"`
	MediaType string `json:"media_type"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
}

type callLine struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Summary string   `json:"summary"`
	Blobs   []string `json:"blobs,omitempty"`
}

type usageLine struct {
	Input  int `json:"input"`
	Output int `json:"output"`
	Cached int `json:"cached"`
}

type refusedLine struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Run sends one prompt and follows the turn to its end. It returns the exit code.
func Run(ctx context.Context, loop Loop, opt RunOptions, out Output) int {
	r := runner{opt: opt, out: out, sum: summary{Pictures: []pictureLine{}, Calls: []callLine{}, Refused: []refusedLine{}}}
	loop.Send(agent.Submit{Prompt: opt.Prompt})
	ended := false // the person gave up
	for {
		events, err := loop.Next(ctx)
		if err != nil && ctx.Err() != nil && !ended {
			ended = true
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), windUp) // the loop still says how far it came
			defer cancel()
			continue
		}
		if err != nil {
			if ended || errors.Is(err, agent.ErrClosed) {
				return r.end(agent.TurnEnded{Reason: agent.EndInterrupted})
			}
			out.Fail(err)
			return ExitFailed
		}
		for _, e := range events {
			if code, done := r.take(e); done {
				return code
			}
		}
	}
}

type runner struct {
	opt RunOptions
	out Output
	sum summary
}

// take notes one event and reports whether the turn is over.
func (r *runner) take(e agent.Event) (code int, done bool) {
	switch e := e.(type) {
	case agent.Opened:
		r.sum.Session = e.Session
	case agent.TurnStarted:
		r.addPictures(e.User.Images())
	case agent.AnswerDone:
		r.sum.Answer = answerText(e.Message)
	case agent.CallFinished:
		r.sum.Calls = append(r.sum.Calls, finishedCall(e))
		r.addPictures(e.Result.Images)
		if reason := e.Result.Meta[message.MetaRefused]; reason != "" {
			r.sum.Refused = append(r.sum.Refused, refusedLine{e.Call.Name, reason})
		}
	case agent.PermissionSettled:
		if e.Task != "" && !e.Allowed {
			r.sum.Refused = append(r.sum.Refused, refusedLine{e.Call.Name, e.Reason})
		}
	case agent.UsageChanged:
		r.sum.Usage = usageLine{r.sum.Usage.Input + e.Usage.Input, r.sum.Usage.Output + e.Usage.Output, r.sum.Usage.Cached + e.Usage.CacheRead}
		r.sum.Cost = e.Meter.Cost
	case agent.Notice:
		if !r.opt.Events && !r.opt.JSON {
			fmt.Fprintln(r.out.Err, "espy: "+oneLine(e.Sentence))
		}
	}
	if r.opt.Events {
		if line := eventLine(e, r.sum.Session); line != nil {
			if err := printJSON(r.out.Out, line); err != nil {
				r.out.Fail(err)
				return ExitFailed, true
			}
		}
	}
	if end, ok := e.(agent.TurnEnded); ok {
		return r.end(end), true
	}
	return 0, false
}

func (r *runner) addPictures(images []message.Image) {
	for _, i := range images {
		r.sum.Pictures = append(r.sum.Pictures, pictureLine{i.Ref, i.MediaType, i.Width, i.Height})
	}
}

func finishedCall(e agent.CallFinished) callLine {
	line := callLine{ID: e.Call.ID, Name: e.Call.Name, OK: !e.Result.IsError, Summary: callSummary(e.Result)}
	for _, i := range e.Result.Images {
		line.Blobs = append(line.Blobs, i.Ref)
	}
	if len(line.Blobs) == 0 && e.Result.Meta[message.MetaBlob] != "" {
		line.Blobs = []string{e.Result.Meta[message.MetaBlob]}
	}
	return line
}

// callSummary is one line about a result.
func callSummary(r message.ToolResult) string {
	if s := r.Meta[message.MetaSummary]; s != "" {
		return oneLine(s)
	}
	first, _, _ := strings.Cut(r.Text, "\n")
	return oneLine(first)
}

func answerText(m message.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		if t, ok := b.(message.Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (r *runner) end(e agent.TurnEnded) int {
	code := map[agent.EndReason]int{agent.EndDone: ExitDone, agent.EndRefused: ExitRefused, agent.EndInterrupted: ExitInterrupted}
	exit, known := code[e.Reason]
	if !known {
		exit = ExitFailed
	}
	switch {
	case e.Err != nil:
		r.sum.Error = e.Err.Error()
	case e.Reason == agent.EndInterrupted:
		r.sum.Error = "interrupted"
	}
	switch {
	case r.opt.JSON:
		if err := printJSON(r.out.Out, r.sum); err != nil {
			r.out.Fail(err)
			return ExitFailed
		}
	case !r.opt.Events && r.sum.Answer != "":
		fmt.Fprintln(r.out.Out, terminalText(r.sum.Answer))
	}
	if e.Err != nil && !r.opt.JSON {
		r.out.Fail(e.Err)
	}
	return exit
}
