package tools

import (
	"context"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

type exitPlanArgs struct {
	Plan string `json:"plan"`
}

// exitPlanTool shows a plan. It is offered in every mode, so that the list of tools never changes; approving and
// leaving plan mode is the loop's, which does not run it then.
func exitPlanTool() Tool {
	return declaration[exitPlanArgs]{
		name:   "exit_plan",
		params: params{{name: "plan", kind: "string", required: true, about: "The whole plan, in Markdown."}},
		effect: func(_ *Env, a exitPlanArgs) (guard.Effect, error) {
			if strings.TrimSpace(a.Plan) == "" {
				return guard.Effect{}, mistakef("exit_plan: the plan is empty")
			}
			return guard.Effect{Kind: guard.KindPlan, Summary: "the plan", Preview: a.Plan}, nil
		},
		run: func(context.Context, *Env, message.ToolCall, exitPlanArgs) (Outcome, error) {
			return answer("No plan mode is on, so nothing had to be approved. Go on with the work."), nil
		},
	}.tool()
}
