package tools

import (
	"context"
	"fmt"
	"strings"

	"espy/agent/guard"
	"espy/agent/message"
)

// Question is what a model asks the person.
type Question struct {
	Text    string   `json:"question"`
	Choices []Choice `json:"choices"`
	Several bool     `json:"several"` // more than one choice may be taken
}

// Choice is one answer that is offered.
type Choice struct {
	Label string `json:"label"`
	About string `json:"about,omitempty"` // what follows from it
}

// Reply is what the person answered: choices, words of their own, or neither where the question was dismissed.
type Reply struct {
	Chosen    []int // indexes of choices, in the order they stand
	Words     string
	Dismissed bool
}

// AskTool is the tool's name.
const AskTool = "ask"

// askTool puts a question to the person. The same choices are always there beside those the model gives: words of
// one's own, and leaving without an answer.
func askTool() Tool {
	return declaration[Question]{
		name: AskTool,
		params: params{
			{name: "question", kind: "string", required: true, about: "One question, with what the user needs to know to answer it."},
			{name: "choices", kind: "array", required: true, about: "2 to 6 answers, the one you would take first. \"Something else\" is always offered beside them.", fields: params{
				{name: "label", kind: "string", required: true, about: "The answer, in a few words."},
				{name: "about", kind: "string", about: "What follows from it."},
			}},
			{name: "several", kind: "boolean", about: "More than one may be chosen."},
		},
		effect: func(_ *Env, q Question) (guard.Effect, error) {
			return guard.Effect{Kind: guard.KindNone, Summary: "asks: " + clip(strings.Join(strings.Fields(q.Text), " "), 100)}, q.check()
		},
		run: runAsk,
	}.tool()
}

func (q Question) check() error {
	if strings.TrimSpace(q.Text) == "" {
		return mistakef("ask: the question is empty")
	}
	if len(q.Text) > maxQuestionText {
		return mistakef("ask: the question has %d bytes and may have %d; say more in your answer and ask briefly", len(q.Text), maxQuestionText)
	}
	if n := len(q.Choices); n < leastChoices || n > mostChoices {
		return mistakef("ask: there are %d choices, and from %d to %d are taken", n, leastChoices, mostChoices)
	}
	seen := make(map[string]bool)
	for i, c := range q.Choices {
		label := strings.ToLower(strings.Join(strings.Fields(c.Label), " "))
		switch {
		case label == "":
			return mistakef("ask: choice %d has no label", i+1)
		case len(c.Label) > maxChoiceText || len(c.About) > maxChoiceText:
			return mistakef("ask: choice %d is longer than %d bytes", i+1, maxChoiceText)
		case seen[label]:
			return mistakef("ask: two choices are labelled %s", quote(clip(c.Label, 60)))
		}
		seen[label] = true
	}
	return nil
}

func runAsk(ctx context.Context, env *Env, call message.ToolCall, q Question) (Outcome, error) {
	if err := q.check(); err != nil {
		return Outcome{}, err
	}
	if env.Ask == nil {
		return Outcome{}, mistakef("ask: nobody is there who could be asked. Decide by yourself what is most likely wanted, and say in your answer what you assumed")
	}
	reply, err := env.Ask(ctx, call, q)
	if err != nil {
		return Outcome{}, err
	}
	text, short := q.answered(reply)
	return answer(text, message.MetaSummary, "asked: "+clip(strings.Join(strings.Fields(q.Text), " "), 60)+" → "+short), nil
}

// answered is what the model reads, and in a few words what the person said.
func (q Question) answered(r Reply) (text, short string) {
	var labels []string
	for _, i := range r.Chosen {
		if i >= 0 && i < len(q.Choices) {
			labels = append(labels, strings.Join(strings.Fields(q.Choices[i].Label), " "))
		}
	}
	words := strings.TrimSpace(strings.ToValidUTF8(r.Words, "\uFFFD"))
	switch chosen := strings.Join(labels, "; "); {
	case len(labels) > 0 && words != "":
		return fmt.Sprintf("The user chose: %s\nand added: %s", chosen, words), chosen + "; " + clip(words, 60)
	case len(labels) > 0:
		return "The user chose: " + chosen, chosen
	case words != "":
		return "The user answered in their own words: " + words, clip(strings.Join(strings.Fields(words), " "), 60)
	case q.Several && !r.Dismissed:
		return "The user chose none of these.", "none of these"
	}
	return "The user dismissed the question without an answer. Do not ask it again: go on with what is most likely wanted and say what you assumed, or stop and say what you need.", "dismissed"
}
