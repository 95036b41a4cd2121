package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

func TestAnInterruptedRunStillPrintsItsObject(t *testing.T) {
	loop := script.NewLoop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	loop.Push(agent.Opened{Session: "s1"}, agent.AnswerDone{Message: message.Message{Role: message.RoleAssistant, Blocks: []message.Block{message.Text{Text: "half an"}}}},
		agent.TurnEnded{Reason: agent.EndInterrupted})
	var out, errs bytes.Buffer
	code := Run(ctx, late{loop}, RunOptions{JSON: true}, Output{Out: &out, Err: &errs})
	var got summary
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	if code != ExitInterrupted || got.Session != "s1" || got.Answer != "half an" || got.Error != "interrupted" {
		t.Errorf("code %d, %+v", code, got)
	}
}

// late answers as the loop does: nothing more once the context has ended.
type late struct{ *script.Loop }

func (l late) Next(ctx context.Context) ([]agent.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.Loop.Next(ctx)
}
