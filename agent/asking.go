package agent

import (
	"context"

	"espy/agent/message"
	"espy/agent/tools"
	"espy/store"
)

// askQuestion puts a question of the model's to the person and waits for the answer, or for ctx.
func (a *Agent) askQuestion(ctx context.Context, call message.ToolCall, q tools.Question) (tools.Reply, error) {
	id, waiting := store.NewID(), make(chan tools.Reply, 1)
	a.mu.Lock()
	a.questions[id] = waiting
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.questions, id)
		a.mu.Unlock()
		a.events.put(QuestionSettled{ID: id, Call: call})
	}()
	a.events.put(QuestionAsked{ID: id, Call: call, Question: q})
	select {
	case reply := <-waiting:
		return reply, nil
	case <-ctx.Done():
		return tools.Reply{}, ctx.Err()
	}
}

// reply hands an answer to the question that waits for it; a late one is ignored.
func (a *Agent) reply(r Reply) {
	a.mu.Lock()
	waiting := a.questions[r.ID]
	delete(a.questions, r.ID)
	a.mu.Unlock()
	if waiting != nil {
		waiting <- r.Reply // buffered
	}
}
