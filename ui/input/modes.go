package input

// Setup is what a terminal is told when the program takes it, after the alternate screen was entered: at the start and again
// after a suspension or another program ([Writer] sees to all three).
//
//   - CSI ?7l: no automatic wrapping. Where an emoji is wider than the painter counts, a line would wrap and scroll the
//     whole screen; without wrapping it is cut.
//   - CSI >5u: kitty's keyboard protocol, "disambiguate" and "alternate keys", so that shift+enter is a key of its own and
//     shortcuts work on every keyboard layout. Terminals that do not know it ignore it.
//   - CSI >4;1m: xterm's modifyOtherKeys for the others.
//   - CSI ?2004h: marks around what is pasted.
const Setup = "\x1b[?7l\x1b[>5u\x1b[>4;1m\x1b[?2004h"

// Teardown undoes [Setup] and everything else that changes what the terminal sends, before the alternate screen is left:
// kitty keeps keyboard flags for each screen apart. It ends a frame that was begun, turns off clipboard events (5522), paste
// marks, mouse and focus reports, and lets the terminal wrap again.
const Teardown = "\x1b[?2026l" +
	"\x1b[<u\x1b[>4;0m" +
	"\x1b[?5522l\x1b[?2004l" +
	"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l" +
	"\x1b[?7h"

const (
	// wholeScreen makes a screen empty and takes back what another program may have left: a scroll region, a style.
	wholeScreen = "\x1b[r\x1b[m\x1b[2J\x1b[H\x1b[?25l"
	showCursor  = "\x1b[?25h\x1b[m"
)

// EnableClipboardEvents asks for pastes as OSC 5522 events, which can carry pictures, even over ssh. Only for terminals whose
// [Caps] say so; [Teardown] turns it off.
const EnableClipboardEvents = "\x1b[?5522h"
