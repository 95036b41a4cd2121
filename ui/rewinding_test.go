package ui

import (
	"strings"
	"testing"
	"time"

	"espy/agent"
	"espy/agent/message"
	"espy/ui/internal/script"
)

// lastCommand is the newest command the loop got.
func lastCommand(d *driver) agent.Command {
	all := d.loop.Commands()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func rewinding(t *testing.T) *driver {
	points := []agent.Point{{ID: "u1", Text: "first question"}, {ID: "u2", Text: "second question", Pictures: 1, Files: 2}}
	return drive(t, 80, 24, func(o *Options) { o.Points = func() []agent.Point { return points } }, script.Opened())
}

func TestEscTwiceWithNothingWrittenOffersEarlierMessages(t *testing.T) {
	d := rewinding(t)
	d.key("esc")
	d.quick("esc")
	d.until("the messages are offered", func() bool { return d.m.dialog != nil })
	d.shows("second question")
	d.shows("1 picture")
	d.shows("2 files changed since")
	d.shows("first question")
	d.key("enter")
	d.shows("the conversation and the files")
	d.key("enter")
	if got, ok := lastCommand(d).(agent.Rewind); !ok || got.To != "u2" || got.What != agent.RewindBoth {
		t.Errorf("the loop is sent %+v", lastCommand(d))
	}
}

func TestEscTwiceSlowlyOrOverTextDoesNothing(t *testing.T) {
	d := rewinding(t)
	d.key("esc")
	d.now = d.now.Add(2 * time.Second)
	d.key("esc")
	d.types("words")
	d.key("esc")
	d.quick("esc")
	if d.m.dialog != nil {
		t.Error("a panel came up")
	}
}

func TestWhatWentBackIsDrawnAnewAndStandsInTheComposer(t *testing.T) {
	d := rewinding(t)
	d.push(agent.Rewound{Conversation: true, CanRedo: true, Prompt: agent.Prompt{Text: []message.Text{{Text: "second question"}},
		Attachments: []agent.Attachment{{Image: message.Image{Ref: "blobs/x.png", MediaType: "image/png", Width: 10, Height: 10}, Record: message.PictureRecord{Ref: "blobs/x.png", Number: 1, Name: "shot.png"}}}},
		Messages: []message.Message{{ID: "u1", Role: message.RoleUser, Blocks: []message.Block{message.Text{Text: "first question"}}}},
		Files:    []agent.RestoredFile{{Path: "a.go"}}}, agent.TurnEnded{Reason: agent.EndDone})
	d.until("the composer is filled", func() bool { return strings.Contains(d.m.comp.buf.text(), "second question") })
	d.shows("first question")
	d.shows("shot.png")
	d.shows("the conversation and 1 file went back; /redo goes forward again")
	if len(d.m.row.pictures) != 1 || d.m.talk.busy {
		t.Errorf("%d pictures on the row, busy %v", len(d.m.row.pictures), d.m.talk.busy)
	}
}

func TestFilesOfSomebodyElsesAreAskedAbout(t *testing.T) {
	d := rewinding(t)
	d.push(agent.RewindAsked{Rewind: agent.Rewind{To: "u2"}, Files: []agent.FileConflict{{Path: "a.go", Why: "it was changed outside espy since"}}})
	d.until("the question", func() bool { return d.m.dialog != nil })
	d.shows("a.go: it was changed outside")
	d.shows("leave everything as it is")
	d.key("down", "enter")
	if got, ok := lastCommand(d).(agent.Rewind); !ok || got.To != "u2" || got.Conflicts != agent.ConflictKeep {
		t.Errorf("the loop is sent %+v", lastCommand(d))
	}
}
