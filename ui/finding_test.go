package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"espy/agent/message"
	"espy/ui/internal/script"
)

// talk is a conversation of so many questions and answers.
func talk(n int) []message.Message {
	var all []message.Message
	for i := range n {
		all = append(all,
			message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: fmt.Sprintf("question %d", i)}}},
			message.Message{Role: message.RoleAssistant, Stop: message.StopEnd, Blocks: []message.Block{message.Text{Text: fmt.Sprintf("answer %d\n\n- one\n- two", i)}}})
	}
	return all
}

func TestASearchShowsTheNearestPlaceAndGoesOnFromIt(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened(talk(200)...))
	d.key("ctrl+t", "/")
	d.types("question 7")
	d.shows("question 7")
	d.until("the nearest is shown", func() bool { return strings.Contains(d.screen(), "question 79") })
	d.key("enter", "n")
	d.shows("question 78")
	d.key("N")
	d.shows("question 79")
	if !strings.Contains(d.m.View(), d.m.t.found.Render("question 7")) {
		t.Error("what was found is not marked")
	}
	d.key("esc")
	if d.m.list.picked >= 0 || d.m.list.seek != "" {
		t.Error("esc did not go back to the text")
	}
}

func TestASearchForWhatIsNowhereSaysSoAndStays(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened(talk(20)...))
	d.key("ctrl+t")
	before := d.m.list.picked
	d.key("/")
	d.types("zebra")
	d.shows("is nowhere")
	d.key("esc")
	if d.m.list.picked != before {
		t.Errorf("entry %d is picked, was %d", d.m.list.picked, before)
	}
}

func TestASearchUnfoldsWhatItFindsInside(t *testing.T) {
	call := message.ToolCall{ID: "c", Name: "shell", Args: `{"command":"make"}`}
	d := drive(t, 80, 24, nil, script.Opened(
		message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "build it"}}},
		message.Message{Role: message.RoleAssistant, Blocks: []message.Block{call}},
		message.Message{Role: message.RoleTool, Blocks: []message.Block{message.ToolResult{CallID: "c", Text: strings.Repeat("fine\n", 30) + "the needle\nfine"}}},
	))
	d.key("ctrl+t", "/")
	d.types("needle")
	d.shows("the needle")
}

func TestMessagesArePickedOneByOne(t *testing.T) {
	d := drive(t, 80, 24, nil, script.Opened(talk(30)...))
	d.key("ctrl+t", "[", "[", "[")
	if got := d.m.list.slots[d.m.list.picked].entry.plain(); got != "question 27" {
		t.Errorf("the third message up is %q", got)
	}
	d.key("]")
	if got := d.m.list.slots[d.m.list.picked].entry.plain(); got != "question 28" {
		t.Errorf("one down is %q", got)
	}
}

func TestACodeBlockIsCopiedAsItWasWritten(t *testing.T) {
	long := "x := \"" + strings.Repeat("long ", 60) + "\""
	text := "Do this:\n\n```go\n" + long + "\n\tindented()\n```\n\nor\n\n1. this\n\n   ```sh\n   make\n   ```\n"
	d := drive(t, 60, 24, nil, script.Opened(
		message.Message{Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "how"}}},
		message.Message{Role: message.RoleAssistant, Stop: message.StopEnd, Blocks: []message.Block{message.Text{Text: text}}}))
	copied := make(chan string, 2)
	d.m.o.Copy = func(_ context.Context, text string, _ func(string)) (string, error) {
		copied <- text
		return "clipboard", nil
	}
	d.key("ctrl+t", "c")
	d.shows("copy a code block")
	d.key("enter")
	d.until("it was copied", func() bool { return len(copied) == 1 })
	if got := <-copied; got != long+"\n\tindented()\n" {
		t.Errorf("copied %q", got)
	}
	d.key("c", "down", "enter")
	d.until("the other was copied", func() bool { return len(copied) == 1 })
	if got := <-copied; got != "make\n" {
		t.Errorf("copied %q", got)
	}
}

func TestMarkingWordsChangesNoColumn(t *testing.T) {
	l := &transcript{look: look{t: newTheme("dark", true, false, 0)}, seek: "ab"}
	for _, line := range []string{"abab", "日本ab語", "\x1b[1mxa\x1b[0mb AB ab", "nothing", "aébab"} {
		if got := l.lit(line); ansi.Strip(got) != ansi.Strip(line) {
			t.Errorf("%q became %q", line, ansi.Strip(got))
		}
	}
}
