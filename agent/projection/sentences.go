package projection

import (
	"fmt"
	"strings"

	"espy/agent/message"
)

// notSeen follows every sentence about a picture that is not in the request.
const notSeen = " You cannot see it; do not describe it."

func elidedSentence(i message.Image, w way) string {
	return "[elided image: " + i.Facts() + "]" + notSeen + w.again(i.Ref)
}

func evictedSentence(i message.Image, keep int, w way) string {
	return fmt.Sprintf("[evicted image: %s: only the newest %d stay in context]", i.Facts(), keep) + notSeen + w.again(i.Ref)
}

func summarisedSentence(i message.Image, w way) string {
	return "[summarised image: " + i.Facts() + "]" + notSeen + w.again(i.Ref)
}

func blindSentence(i message.Image) string {
	return "[withheld image: " + i.Facts() + ": this model cannot see images]" + notSeen
}

func protocolSentence(i message.Image, protocol string) string {
	return fmt.Sprintf("[withheld image: %s: %s cannot carry it here]", i.Facts(), protocol) + notSeen
}

func leftOutSentence(i message.Image, limit string, w way) string {
	return fmt.Sprintf("[left out image: %s: the request would pass %s]", i.Facts(), limit) + notSeen + w.again(i.Ref)
}

func retiredSentence(i message.Image, reason string) string {
	return fmt.Sprintf("[retired image: %s: the provider refused it: %s]", i.Facts(), oneLine(reason)) + notSeen
}

func droppedSentence(i message.Image) string {
	return "[dropped image: " + i.Facts() + ": the user removed it]" + notSeen
}

func missingSentence(i message.Image) string {
	return "[missing image: " + i.Facts() + ": the file is gone]" + notSeen
}

// reasonLimit bounds a provider's words inside a sentence, in bytes.
const reasonLimit = 300

// oneLine makes foreign words fit into a bracketed sentence: one line, bounded, no closing bracket.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "]", ")")), " ")
	if len(s) > reasonLimit {
		s = strings.ToValidUTF8(s[:reasonLimit], "") + "…"
	}
	return s
}

// elidedText stands for tool text that left the context. It is recognised by its opening, so that a stub
// stays as it is on a second pass.
func elidedText(what, text, blob string) string {
	if isElided(text) {
		return text
	}
	stub := fmt.Sprintf("%s%s: %d characters, %d lines.]", elidedOpening, what, len([]rune(text)), 1+strings.Count(text, "\n"))
	if blob != "" {
		return stub + fmt.Sprintf(" The whole output is %s; read it if you need it.", message.BlobName(blob))
	}
	return stub + " Ask for it again if you need it."
}

const elidedOpening = "[elided "

func isElided(text string) bool { return strings.HasPrefix(text, elidedOpening) }
