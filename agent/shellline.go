package agent

import (
	"context"
	"encoding/json"
	"strings"

	"espy/agent/message"
	"espy/agent/tools"
)

// TypedCall is the ID of the call that carries a "!" line of the person's own.
const TypedCall = "typed"

// shellLine is the command of a prompt that is a "!" line and nothing else.
func shellLine(p Prompt) (string, bool) {
	if len(p.Text) != 1 || p.Text[0].Origin != message.OriginShell {
		return "", false
	}
	line, ok := strings.CutPrefix(strings.TrimSpace(p.Text[0].Text), "!")
	line = strings.TrimSpace(line)
	return line, ok && line != ""
}

// runShellLine runs what the person typed themselves, which needs nobody's leave, and writes the output down
// as part of the conversation. The model is not asked; it reads the output with the next request.
func (a *Agent) runShellLine(ctx context.Context, line string) error {
	tool, ok := a.opt.Tools.Lookup("shell")
	if !ok {
		return nil
	}
	args, err := json.Marshal(map[string]any{"command": line, "outside_sandbox": true}) // as in the person's own shell
	if err != nil {
		return err
	}
	call := message.ToolCall{ID: TypedCall, Name: "shell", Args: string(args)}
	a.events.put(CallStarted{Call: call, Summary: "shell: " + line})
	outcome, err := tool.Run(ctx, a.env, call)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err != nil {
		outcome = tools.Outcome{Result: message.ToolResult{Text: "Interrupted by the user.", IsError: true}}
	}
	outcome.Result.CallID = call.ID
	outcome.Result.Text = strings.ToValidUTF8(outcome.Result.Text, "\uFFFD")
	text := message.Text{Text: outcome.Result.Text, Origin: message.OriginShell}
	if _, err := a.writeMessage(message.Message{Role: message.RoleUser, Blocks: []message.Block{text}}); err != nil {
		return err
	}
	a.events.put(CallFinished{Call: call, Result: outcome.Result})
	if ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}
