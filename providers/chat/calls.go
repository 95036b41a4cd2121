package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"espy/agent/message"
	"espy/providers"
)

// callList puts tool calls together from their pieces. Servers disagree about what marks a piece: the rules
// are in at.
type callList struct {
	out   *providers.Emission
	calls []*call
}

type call struct {
	index int // as the server numbers it; -1 where it does not
	id    string
	name  string
	args  strings.Builder
	extra json.RawMessage
	shown bool
}

type callPiece struct {
	Index    providers.LooseInt  `json:"index"`
	ID       providers.LooseText `json:"id"`
	Extra    json.RawMessage     `json:"extra_content"`
	Function struct {
		Name      providers.LooseText `json:"name"`
		Arguments json.RawMessage     `json:"arguments"`
	} `json:"function"`
}

// maxCalls bounds the calls of one answer; models ask for some dozens at the very most.
const maxCalls = 1000

func (l *callList) add(raw json.RawMessage) error {
	var pieces []json.RawMessage
	providers.Loosely(raw, &pieces)
	for _, p := range pieces {
		var piece callPiece
		_ = json.Unmarshal(p, &piece) // what did not decode stays empty
		if err := l.addPiece(piece); err != nil {
			return err
		}
	}
	return nil
}

func (l *callList) addPiece(p callPiece) error {
	args := argumentsOf(p.Function.Arguments)
	i := l.at(p, args)
	if i < 0 {
		if len(l.calls) == maxCalls {
			return &providers.Error{Class: providers.ClassUnintelligible, Picture: -1, Message: fmt.Sprintf("the model asked for more than %d tool calls at once", maxCalls)}
		}
		index := -1
		if p.Index.Set {
			index = p.Index.N
		}
		l.calls = append(l.calls, &call{index: index})
		i = len(l.calls) - 1
	}
	c := l.calls[i]
	if c.id == "" {
		c.id = string(p.ID)
	}
	if c.name == "" {
		c.name = string(p.Function.Name)
	}
	if providers.Present(p.Extra) {
		c.extra = p.Extra
		if err := l.out.Keep(len(p.Extra)); err != nil {
			return err
		}
	}
	c.args.WriteString(args)
	name := ""
	if !c.shown {
		name = c.name
		c.shown = name != ""
	}
	return l.out.Call(i, name, args)
}

// at finds the call a piece belongs to, -1 for a new one. A piece belongs to the newest call of its index, or
// to the newest call where it has no index. It starts a call of its own when it brings an id that is not that
// call's (some servers number every call 0), or, having no id, brings a name and arguments while that call's
// arguments are already whole.
func (l *callList) at(p callPiece, args string) int {
	for i := len(l.calls) - 1; i >= 0; i-- {
		c := l.calls[i]
		if p.Index.Set && c.index != p.Index.N {
			continue
		}
		if p.ID != "" && c.id != "" && c.id != string(p.ID) {
			return l.byID(string(p.ID))
		}
		if p.ID == "" && p.Function.Name != "" && args != "" && whole(c.args.String()) {
			return -1
		}
		return i
	}
	return -1
}

func (l *callList) byID(id string) int {
	for i := len(l.calls) - 1; i >= 0; i-- {
		if l.calls[i].id == id {
			return i
		}
	}
	return -1
}

// argumentsOf reads arguments that are a string, as they should be, or an object, as some servers send them.
func argumentsOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// whole reports whether arguments are a complete JSON object.
func whole(args string) bool {
	args = strings.TrimSpace(args)
	return strings.HasPrefix(args, "{") && json.Valid([]byte(args))
}

// unfinished reports whether a call's arguments stop in the middle.
func (l *callList) unfinished() bool {
	for _, c := range l.calls {
		if args := strings.TrimSpace(c.args.String()); args != "" && !whole(args) {
			return true
		}
	}
	return false
}

// blocks are the calls as blocks. A call without a usable id gets one by its place.
func (l *callList) blocks() []message.Block {
	used := map[string]bool{}
	var blocks []message.Block
	for i, c := range l.calls {
		block := message.ToolCall{ID: providers.UniqueID(c.id, i+1, used), Name: c.name, Args: c.args.String()}
		if c.extra != nil {
			block.Opaque = keepExtra(c.extra)
		}
		blocks = append(blocks, block)
	}
	return blocks
}
