package headless

import (
	"espy/agent"
	"espy/agent/guard"
	"espy/agent/message"
)

// eventsVersion is written into every line of --events. Fields and types are only ever added.
const eventsVersion = 1

// line is one object of --events. Which fields are set depends on the type; docs/events.md lists them.
type line map[string]any

// eventLine is what --events prints for an event; nil for what only a screen needs.
func eventLine(e agent.Event, session string) line {
	l := line{"v": eventsVersion, "session": session}
	put := func(kind string, fields line) line {
		l["type"] = kind
		for k, v := range fields {
			l[k] = v
		}
		return l
	}
	switch e := e.(type) {
	case agent.TurnStarted:
		return put("turn_started", line{"id": e.User.ID})
	case agent.TextDelta:
		return put("text", line{"delta": e.Text})
	case agent.ThinkingDelta:
		return put("thinking", line{"delta": e.Text})
	case agent.AnswerRestarted:
		return put("notice", line{"kind": "restarted", "sentence": "The answer broke off; its text so far is void."})
	case agent.CallStarted:
		return put("call_started", line{"id": e.Call.ID, "name": e.Call.Name, "args": e.Call.Args})
	case agent.CallFinished:
		call := finishedCall(e)
		fields := line{"id": call.ID, "name": call.Name, "ok": call.OK, "summary": call.Summary}
		if len(call.Blobs) > 0 {
			fields["blob"], fields["blobs"] = call.Blobs[0], call.Blobs
		}
		if task := e.Result.Meta[message.MetaTask]; task != "" {
			fields["task"] = task
		}
		return put("call_finished", fields)
	case agent.PermissionSettled:
		decision := guard.Deny
		if e.Allowed {
			decision = guard.Allow
		}
		return put("permission", ofTask(e.Task, line{"id": e.Call.ID, "name": e.Call.Name, "args": e.Call.Args, "decision": decision, "reason": e.Reason}))
	case agent.JobChanged:
		fields := line{"id": e.Job.ID, "command": e.Job.Command, "running": e.Job.Running()}
		if !e.Job.Running() {
			fields["ok"], fields["how"] = e.Job.OK, e.Job.How
		}
		return put("job", fields)
	case agent.Notice:
		return put("notice", ofTask(e.Task, line{"kind": e.Kind, "sentence": e.Sentence}))
	case agent.UsageChanged:
		return put("usage", ofTask(e.Task, line{"input": e.Usage.Input, "output": e.Usage.Output, "cached": e.Usage.CacheRead, "cache_written": e.Usage.CacheWrite, "cost": e.Meter.Cost}))
	case agent.TaskStarted:
		return put("task_started", line{"id": e.CallID, "task": e.State.Task, "title": e.State.Title, "model": e.State.Model})
	case agent.TaskChanged:
		if e.Step == nil {
			return nil // text and usage of a task have no lines of their own
		}
		return put("task_call", line{"id": e.CallID, "task": e.State.Task, "n": e.Step.N, "name": e.Step.Name, "summary": e.Step.Summary, "state": e.Step.State})
	case agent.Rejected:
		return put("error", line{"sentence": e.Err.Error()})
	case agent.TurnEnded:
		fields := line{"reason": e.Reason}
		if e.Err != nil {
			fields["error"] = e.Err.Error()
		}
		return put("turn_ended", fields)
	}
	return nil
}

// ofTask says which call's task a line is about; lines of the conversation itself do not have the field.
func ofTask(call string, fields line) line {
	if call != "" {
		fields["of_task"] = call
	}
	return fields
}
