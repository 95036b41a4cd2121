package input

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// Bits of a mouse event's button number, as xterm defines them.
const (
	mouseShift  = 4
	mouseAlt    = 8
	mouseCtrl   = 16
	mouseMotion = 32
	mouseWheel  = 64
	mouseExtra  = 128
	mouseButton = 3
)

// mouse decodes "button;x;y" of the SGR form, nil when it is not that.
func mouse(body string, release bool) tea.Msg {
	parts := strings.Split(body, ";")
	if len(parts) != 3 {
		return nil
	}
	var v [3]int
	for i, s := range parts {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return nil
		}
		v[i] = int(n)
	}
	event := mouseEvent(v[0], v[1], v[2])
	if release && event.Action == tea.MouseActionPress && v[0]&mouseWheel == 0 {
		event.Action = tea.MouseActionRelease
	}
	return tea.MouseMsg(event)
}

// mouseEvent is the event of a button number at a column and row counted from 1.
func mouseEvent(b, x, y int) tea.MouseEvent {
	event := tea.MouseEvent{
		X: max(x-1, 0), Y: max(y-1, 0),
		Shift: b&mouseShift != 0, Alt: b&mouseAlt != 0, Ctrl: b&mouseCtrl != 0,
	}
	n := tea.MouseButton(b & mouseButton)
	switch {
	case b&mouseExtra != 0:
		event.Button = tea.MouseButtonBackward + n
	case b&mouseWheel != 0:
		event.Button = tea.MouseButtonWheelUp + n
	case n == mouseButton:
		event.Action = tea.MouseActionRelease
	default:
		event.Button = tea.MouseButtonLeft + n
	}
	if b&mouseMotion != 0 && b&mouseWheel == 0 {
		event.Action = tea.MouseActionMotion
	}
	return event
}

// oldMouse decodes CSI M and three bytes, each a value plus 32, which terminals without SGR reports send.
func (d *decoder) oldMouse(b []byte) int {
	const size = 6
	if len(b) < size {
		return 0
	}
	d.emit(tea.MouseMsg(mouseEvent(int(b[3])-32, int(b[4])-32, int(b[5])-32)))
	return size
}
