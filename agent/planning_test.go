package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"espy/agent/guard"
)

func TestPlanModeEndsOnlyWithAnApprovedPlan(t *testing.T) {
	plan := callOf("1", "exit_plan", `{"plan":"# Plan\n1. write new.txt"}`)
	write := callOf("2", "write", `{"path":"new.txt","content":"x"}`)
	for choice, want2 := range map[guard.Choice]guard.Mode{guard.ChoiceOnce: guard.ModeAsk, guard.ChoiceSession: guard.ModeAuto, guard.ChoiceDeny: guard.ModePlan} {
		h := watch(newHouse(t, guard.ModePlan, want(write), want(plan), want(write), say("done")))
		h.send("do it")
		refused := await[CallFinished](h, "the write's refusal", nil)
		if !strings.Contains(refused.Result.Text, "exit_plan") {
			t.Errorf("the refusal does not say how to go on: %s", refused.Result.Text)
		}
		asked := await[PermissionAsked](h, "the question about the plan", nil)
		if asked.Effect.Kind != guard.KindPlan || !strings.Contains(asked.Effect.Preview, "write new.txt") || len(asked.Decision.Offer) > 0 {
			t.Fatalf("asked %+v", asked)
		}
		h.agent.Send(Answer{ID: asked.ID, Choice: choice, Reason: "too short"})
		shown := await[CallFinished](h, "the plan's result", nil)
		if approved := choice != guard.ChoiceDeny; shown.Result.IsError == approved || approved != strings.Contains(shown.Result.Text, "approved") {
			t.Errorf("after %s the model reads %q", choice, shown.Result.Text)
		}
		if mode := h.guard.Mode(); mode != want2 {
			t.Errorf("after %s the mode is %s, want %s", choice, mode, want2)
		}
		if choice == guard.ChoiceOnce {
			asked := await[PermissionAsked](h, "the question about the write", nil)
			h.agent.Send(Answer{ID: asked.ID, Choice: guard.ChoiceOnce})
		}
		await[TurnEnded](h, "the end", nil)
		if _, err := os.Stat(filepath.Join(h.dir, "new.txt")); errors.Is(err, os.ErrNotExist) != (choice == guard.ChoiceDeny) {
			t.Errorf("after %s the file: %v", choice, err)
		}
	}
}

func TestOutsidePlanModeThereIsNothingToApprove(t *testing.T) {
	h := watch(newHouse(t, guard.ModeAsk, want(callOf("1", "exit_plan", `{"plan":"# Plan"}`)), say("done")))
	h.send("do it")
	if r := await[CallFinished](h, "the result", nil).Result; r.IsError || !strings.Contains(r.Text, "No plan mode") {
		t.Errorf("the model reads %q", r.Text)
	}
	await[TurnEnded](h, "the end", nil)
}
