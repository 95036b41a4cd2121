// Package input stands between the terminal and the Bubble Tea program: it reads what the terminal sends, and turns every
// byte of it into a message. It also holds what is written to the terminal to get the input wanted, and to undo it.
//
// Bubble Tea v1 has a reader of its own that falls short for this program. It rescans a paste from its start with every 256
// bytes, types the terminal's answers into the program as keys, does not know shift+enter, and takes an Alt chord that
// arrives in two pieces for Escape and a letter. [Reader] is given to it in place of standard input and hands it no bytes at
// all: keys, pastes, mouse, focus and answers all go through one send function, in the order they came. Reading costs time
// linear in what is read, however it is split.
//
// Everything a terminal sends is taken for hostile: pastes and answers are bounded, made valid UTF-8, and never turn into
// keys. What a [PasteMsg] or [ReplyMsg] carries still holds any other character and must pass ui/screen before it is shown.
//
// The package knows nothing of the program's model, its key bindings or its looks.
package input

import "time"

const (
	// maxPaste bounds a paste, in bytes: more than any source file, little enough to keep in memory twice.
	maxPaste = 16 << 20

	// maxReply bounds an answer of the terminal, in bytes. The longest asked for are clipboard texts in base64 (OSC 52);
	// clipboard pictures (OSC 5522) come in pieces of 4096.
	maxReply = 16 << 20

	// maxCSI bounds a control sequence, in bytes. The longest known, kitty's keys with text, stay under 64.
	maxCSI = 256

	// readSize is how much is read at once, in bytes; a terminal's own buffer is 4 KiB.
	readSize = 64 << 10

	// chordWait is how long a lone Escape is held for the rest of an Alt chord: foot was seen to write the two apart. People
	// do not notice it, and no two keys a person types come this close.
	chordWait = 10 * time.Millisecond

	// staleAfter is how old the beginning of a sequence may be when more bytes come before they are taken for something new:
	// far longer than a network splits a packet for. The beginning itself is dropped then, never typed.
	staleAfter = 2 * time.Second

	// abandonAfter is how long a paste must have been silent before ctrl+c ends it. Control characters inside a paste come
	// without such a pause.
	abandonAfter = time.Second

	// burstSize is how many bytes of plain text in one read are a paste by a terminal without bracketed paste. Nobody types
	// this far ahead of a program.
	burstSize = 160

	// burstWait is how long such a burst may pause between two reads.
	burstWait = 20 * time.Millisecond
)

// PasteMsg is one paste, whole. An empty Text means that a paste key was pressed while the clipboard holds no text: on
// several terminals that is how a picture on the clipboard shows. A paste ends at the first end marker, as it does for every
// program: text that itself contains ESC [201~ ends there and the rest of it is typed.
type PasteMsg struct {
	Text       string // valid UTF-8, line ends are "\n"
	Cut        int    // bytes that were left off at the end because the paste was longer than 16 MiB
	Unfinished bool   // the end marker never came and the person gave up on it with ctrl+c
}

// KeyMsg is a key that Bubble Tea v1 has no value for, by its canonical name, for example "shift+enter".
type KeyMsg struct{ Name string }

// String returns the name, as tea.KeyMsg does.
func (k KeyMsg) String() string { return k.Name }

// ClosedMsg says that the terminal is gone: nothing will ever be read again and the program should end.
type ClosedMsg struct{ Err error }

// Kind tells answers of the terminal apart.
type Kind int

// The answers that something in this program asks for; all others are Other.
const (
	Other      Kind = iota
	Background      // OSC 11: "rgb:1e1e/1e1e/2e2e"
	Clipboard       // OSC 52: "c;BASE64"
	Paste           // OSC 5522: "type=read:status=DATA:mime=B64;B64"
	Graphics        // APC G: "i=1;OK"
	Mode            // DECRPM: "2026;1"
	Device          // DA1: "62;4;52"
	Version         // XTVERSION: "kitty(0.46.2)"
	Cursor          // CPR: "12;40"
	Keyboard        // kitty's keyboard flags: "1"
	Scheme          // a change of light and dark: "997;1"
)

// ReplyMsg is an answer of the terminal, or a notice it sends by itself.
type ReplyMsg struct {
	Kind Kind
	Data string // without introducer, number and terminator; of kind Other it is the whole body with its introducer's letter
	Cut  bool   // the answer was longer than 16 MiB
}
