package providers

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"espy/agent/message"
)

// IDAlnum9 is the IDStyle of servers that take exactly nine letters and digits (Mistral and its templates).
const IDAlnum9 = "alnum9"

// CallIDs maps the call ids of a conversation to ids the server takes. Ids may have been minted by another
// provider, or twice by a careless one. The mapping depends on the conversation's beginning only, never on
// chance: otherwise each request would begin differently and no prompt cache would hold.
type CallIDs struct {
	style string
	used  map[string]bool
	calls []mappedID // of the newest assistant message
}

type mappedID struct {
	from, to string
	answered bool
}

// NewCallIDs starts a mapping for one request.
func NewCallIDs(style string) *CallIDs { return &CallIDs{style: style, used: map[string]bool{}} }

// Assistant maps the calls of an assistant message and returns their ids in order. Results that follow belong
// to these calls.
func (c *CallIDs) Assistant(calls []message.ToolCall) []string {
	c.calls = c.calls[:0]
	ids := make([]string, len(calls))
	for i, call := range calls {
		ids[i] = c.mint(call.ID)
		c.calls = append(c.calls, mappedID{from: call.ID, to: ids[i]})
	}
	return ids
}

// Result is the mapped id of the call that a result answers: the first unanswered one of that id.
func (c *CallIDs) Result(callID string) string {
	for i := range c.calls {
		if m := &c.calls[i]; m.from == callID && !m.answered {
			m.answered = true
			return m.to
		}
	}
	return c.mint(callID) // an unpaired result is for the server to refuse, not for us to hide
}

func (c *CallIDs) mint(id string) string {
	mapped := id
	for n := 0; !c.fits(mapped) || c.used[mapped]; n++ {
		mapped = c.hash(fmt.Sprintf("%s#%d", id, n))
	}
	c.used[mapped] = true
	return mapped
}

func (c *CallIDs) fits(id string) bool {
	if c.style == IDAlnum9 && len(id) != 9 || id == "" || len(id) > maxCallID {
		return false
	}
	for _, r := range id {
		plain := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !plain && (c.style == IDAlnum9 || r != '_' && r != '-') {
			return false
		}
	}
	return true
}

// hash is nine letters and digits made of the text, which is an id that every protocol takes.
func (c *CallIDs) hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	digits := new(big.Int).SetBytes(sum[:]).Text(62)
	return strings.Repeat("0", max(0, 9-len(digits))) + digits[:9]
}

// UniqueID is the id a call of an answer is kept under: the server's own, or "call_N" where it sent none, one
// that an earlier call of the answer has, or one that is no id. used holds the ids so far.
func UniqueID(id string, n int, used map[string]bool) string {
	if len(id) > maxForeignID || strings.ContainsFunc(id, unicode.IsControl) || !utf8.ValidString(id) {
		id = ""
	}
	for ; id == "" || used[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	used[id] = true
	return id
}
