package ui

import (
	"fmt"
	"strings"
	"sync"
)

// action names what a key does; the names are the keys of the [keys] table of the settings.
type action string

const (
	actScrollUp   action = "scroll-up"
	actScrollDown action = "scroll-down"
	actTop        action = "scroll-top"
	actBottom     action = "scroll-bottom"
	actDetails    action = "details"
	actTranscript action = "transcript"
	actMode       action = "cycle-mode"
	actHelp       action = "help"
	actModels     action = "models"
	actSessions   action = "sessions"
	actRedraw     action = "redraw"
	actSuspend    action = "suspend"
	actCancel     action = "cancel"

	actSend        action = "send"
	actNewline     action = "newline"
	actSteer       action = "steer"
	actInterrupt   action = "interrupt"
	actUnqueue     action = "edit-queued"
	actPaste       action = "paste"
	actEditor      action = "editor"
	actComplete    action = "complete"
	actUnfold      action = "unfold"
	actSearch      action = "search-history"
	actHistoryBack action = "history-back"
	actHistoryOn   action = "history-on"
	actEnd         action = "delete-or-quit"
	actLeft        action = "left"
	actRight       action = "right"
	actUp          action = "up"
	actDown        action = "down"
	actWordLeft    action = "word-left"
	actWordRight   action = "word-right"
	actLineStart   action = "line-start"
	actLineEnd     action = "line-end"
	actTextStart   action = "text-start"
	actTextEnd     action = "text-end"
	actDelLeft     action = "delete-left"
	actDelRight    action = "delete-right"
	actDelWordLeft action = "delete-word-left"
	actDelWord     action = "delete-word-right"
	actKillEnd     action = "kill-to-end"
	actKillStart   action = "kill-to-start"
	actYank        action = "yank"
	actUndo        action = "undo"
	actRedo        action = "redo"

	actVimCommands action = "vim-commands"

	actRowLeft   action = "row-left"
	actRowRight  action = "row-right"
	actRowRemove action = "row-remove"
	actRowDetail action = "row-detail"
	actRowLook   action = "row-look"
	actRowLeave  action = "row-leave"

	actViewIn       action = "view-in"
	actViewOut      action = "view-out"
	actViewAll      action = "view-all"
	actViewLeft     action = "view-left"
	actViewRight    action = "view-right"
	actViewUp       action = "view-up"
	actViewDown     action = "view-down"
	actViewMark     action = "view-rectangle"
	actViewStep     action = "view-step"
	actViewWider    action = "view-wider"
	actViewNarrower action = "view-narrower"
	actViewTaller   action = "view-taller"
	actViewShorter  action = "view-shorter"
	actViewCrop     action = "view-crop"
	actViewBlack    action = "view-black-out"
	actViewUndo     action = "view-undo"
	actViewCopy     action = "view-copy-path"
	actViewOpen     action = "view-open"
	actViewLeave    action = "view-leave"

	actItemUp      action = "item-up"
	actItemDown    action = "item-down"
	actItemFold    action = "item-fold"
	actItemCopy    action = "item-copy"
	actItemFirst   action = "item-first"
	actItemLast    action = "item-last"
	actItemLeave   action = "item-leave"
	actItemFind    action = "item-find"
	actItemNext    action = "item-find-older"
	actItemBefore  action = "item-find-newer"
	actItemCode    action = "item-copy-code"
	actItemLook    action = "item-look"
	actMessageUp   action = "message-up"
	actMessageDown action = "message-down"

	actChoose   action = "choose"
	actNext     action = "choice-next"
	actPrevious action = "choice-previous"
	actPageUp   action = "page-up"
	actPageDown action = "page-down"
	actDismiss  action = "dismiss"

	actAllowOnce    action = "allow-once"
	actAllowSession action = "allow-session"
	actAllowAlways  action = "allow-always"
	actDeny         action = "deny"
	actDenyReason   action = "deny-with-reason"

	actNumber     action = "choice-number"
	actMarkChoice action = "choice-mark"
	actOwnWords   action = "choice-own-words"

	actTodos      action = "task-list"
	actBackground action = "to-background"
)

// place is where a key holds.
type place string

const (
	inAll        place = "everywhere"
	inComposer   place = "composer"
	inVim        place = "composer with vim's keys, while writing"
	inRow        place = "attachment row"
	inViewer     place = "picture viewer"
	inTranscript place = "transcript"
	inDialog     place = "lists and panels"
	inQuestion   place = "permission question"
	inAsk        place = "question with choices"
)

// binding is one row of the key table.
type binding struct {
	action action
	in     place
	keys   []string
	about  string
}

// bindings is the one table of keys: the program, the settings, the help and docs/keys.md are made from it.
var bindings = sync.OnceValue(func() []binding {
	return []binding{
		{actSend, inComposer, []string{"enter"}, "send; while a turn runs, put into the queue"},
		{actNewline, inComposer, []string{"shift+enter", "alt+enter", "ctrl+j"}, "begin a new line"},
		{actSteer, inComposer, []string{"ctrl+s"}, "send into the running turn"},
		{actInterrupt, inComposer, []string{"esc"}, "interrupt, stop waiting, close a list; twice: /rewind"},
		{actUnqueue, inComposer, []string{"alt+up"}, "take the newest queued message back to edit it"},
		{actPaste, inComposer, []string{"ctrl+v", "alt+v", "ctrl+alt+v"}, "paste: a picture from the clipboard if there is one, else its text"},
		{actComplete, inComposer, []string{"tab"}, "complete a path or a command"},
		{actEditor, inComposer, []string{"ctrl+g"}, "write in $VISUAL or $EDITOR"},
		{actUnfold, inComposer, []string{"alt+u"}, "unfold the pasted text at the cursor"},
		{actHistoryBack, inComposer, []string{"ctrl+p"}, "the message sent before this one"},
		{actHistoryOn, inComposer, []string{"ctrl+n"}, "the message sent after this one"},
		{actSearch, inComposer, []string{"ctrl+r"}, "search what was sent before"},
		{actUp, inComposer, []string{"up"}, "a line up; on the first line the attachment row, then history"},
		{actDown, inComposer, []string{"down"}, "a line down; on the last line history"},
		{actLeft, inComposer, []string{"left", "ctrl+b"}, "a character left"},
		{actRight, inComposer, []string{"right", "ctrl+f"}, "a character right"},
		{actWordLeft, inComposer, []string{"alt+left", "ctrl+left", "alt+b"}, "a word left"},
		{actWordRight, inComposer, []string{"alt+right", "ctrl+right", "alt+f"}, "a word right"},
		{actLineStart, inComposer, []string{"home", "ctrl+a"}, "start of the line"},
		{actLineEnd, inComposer, []string{"end", "ctrl+e"}, "end of the line"},
		{actTextStart, inComposer, []string{"alt+<"}, "start of the text"},
		{actTextEnd, inComposer, []string{"alt+>"}, "end of the text"},
		{actDelLeft, inComposer, []string{"backspace", "ctrl+h"}, "delete the character before the cursor"},
		{actDelRight, inComposer, []string{"delete"}, "delete the character at the cursor"},
		{actEnd, inComposer, []string{"ctrl+d"}, "delete the character at the cursor; quit when there is no text"},
		{actDelWordLeft, inComposer, []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, "delete the word before the cursor"},
		{actDelWord, inComposer, []string{"alt+d", "alt+delete", "ctrl+delete"}, "delete the word after the cursor"},
		{actKillEnd, inComposer, []string{"ctrl+k"}, "cut to the end of the line"},
		{actKillStart, inComposer, []string{"ctrl+u"}, "cut to the start of the line"},
		{actYank, inComposer, []string{"ctrl+y"}, "put back what was cut"},
		{actUndo, inComposer, []string{"ctrl+_", "alt+z"}, "undo"},
		{actRedo, inComposer, []string{"ctrl+shift+z", "alt+Z"}, "redo what was undone"},

		{actVimCommands, inVim, []string{"esc"}, "leave writing: letters are vim's commands"},

		{actRowLeft, inRow, []string{"left", "shift+tab"}, "the picture to the left"},
		{actRowRight, inRow, []string{"right", "tab"}, "the picture to the right"},
		{actRowRemove, inRow, []string{"backspace", "delete", "x"}, "remove the picture"},
		{actRowDetail, inRow, []string{"d"}, "change its detail: low, auto, high, original"},
		{actRowLook, inRow, []string{"enter", "space"}, "look at it, crop it or black parts out"},
		{actRowLeave, inRow, []string{"esc", "down", "ctrl+c"}, "back to the text"},

		{actViewIn, inViewer, []string{"+", "="}, "zoom in"},
		{actViewOut, inViewer, []string{"-"}, "zoom out"},
		{actViewAll, inViewer, []string{"0"}, "all of the picture"},
		{actViewLeft, inViewer, []string{"left", "h"}, "pan left, or move the rectangle"},
		{actViewRight, inViewer, []string{"right", "l"}, "pan right, or move the rectangle"},
		{actViewUp, inViewer, []string{"up", "k"}, "pan up, or move the rectangle"},
		{actViewDown, inViewer, []string{"down", "j"}, "pan down, or move the rectangle"},
		{actViewMark, inViewer, []string{"m", "space"}, "put a rectangle on the picture, or take it away"},
		{actViewStep, inViewer, []string{"tab"}, "move and size the rectangle by 1, 10 or 100 pixels"},
		{actViewWider, inViewer, []string{"shift+right", "L"}, "make the rectangle wider"},
		{actViewNarrower, inViewer, []string{"shift+left", "H"}, "make the rectangle narrower"},
		{actViewTaller, inViewer, []string{"shift+down", "J"}, "make the rectangle taller"},
		{actViewShorter, inViewer, []string{"shift+up", "K"}, "make the rectangle shorter"},
		{actViewCrop, inViewer, []string{"c"}, "crop to the rectangle; without one, no crop"},
		{actViewBlack, inViewer, []string{"x"}, "black the rectangle out, for good once the viewer is left"},
		{actViewUndo, inViewer, []string{"u"}, "undo the last crop or blacking out"},
		{actViewCopy, inViewer, []string{"y"}, "copy the picture's path"},
		{actViewOpen, inViewer, []string{"o"}, "open it in the system's viewer"},
		{actViewLeave, inViewer, []string{"esc", "q", "enter", "ctrl+c"}, "take the rectangle away, or go back and keep what was done"},

		{actItemUp, inTranscript, []string{"up", "k"}, "the entry above"},
		{actItemDown, inTranscript, []string{"down", "j"}, "the entry below"},
		{actItemFold, inTranscript, []string{"enter", "space"}, "unfold or fold the entry"},
		{actItemCopy, inTranscript, []string{"y"}, "copy the entry"},
		{actItemCode, inTranscript, []string{"c"}, "copy a code block of the entry"},
		{actItemLook, inTranscript, []string{"v"}, "look at a picture of the entry"},
		{actMessageUp, inTranscript, []string{"[", "shift+up"}, "the message you wrote before"},
		{actMessageDown, inTranscript, []string{"]", "shift+down"}, "the message you wrote after"},
		{actItemFind, inTranscript, []string{"/", "ctrl+f"}, "search the transcript"},
		{actItemNext, inTranscript, []string{"n"}, "the next place found, upwards"},
		{actItemBefore, inTranscript, []string{"N"}, "the next place found, downwards"},
		{actItemFirst, inTranscript, []string{"g"}, "the first entry"},
		{actItemLast, inTranscript, []string{"G"}, "the last entry"},
		{actItemLeave, inTranscript, []string{"esc", "q", "ctrl+c"}, "back to the text"},

		{actAllowOnce, inQuestion, []string{"y"}, "allow this once"},
		{actAllowSession, inQuestion, []string{"s"}, "allow the rule shown for this session"},
		{actAllowAlways, inQuestion, []string{"a"}, "allow the rule shown always"},
		{actDeny, inQuestion, []string{"n", "esc"}, "deny"},
		{actDenyReason, inQuestion, []string{"r"}, "deny and say why"},

		{actNumber, inAsk, []string{"1", "2", "3", "4", "5", "6"}, "take that choice; where several may be taken, mark it"},
		{actMarkChoice, inAsk, []string{"space"}, "mark or unmark the choice, where several may be taken"},
		{actOwnWords, inAsk, []string{"o"}, "something else: answer in your own words"},

		{actNext, inDialog, []string{"down", "ctrl+n", "tab"}, "the next choice"},
		{actPrevious, inDialog, []string{"up", "ctrl+p", "shift+tab"}, "the choice before"},
		{actChoose, inDialog, []string{"enter"}, "take the choice"},
		{actPageUp, inDialog, []string{"pgup"}, "scroll up"},
		{actPageDown, inDialog, []string{"pgdown"}, "scroll down"},
		{actDismiss, inDialog, []string{"esc", "ctrl+c"}, "close"},

		{actScrollUp, inAll, []string{"pgup"}, "scroll the transcript up"},
		{actScrollDown, inAll, []string{"pgdown"}, "scroll the transcript down"},
		{actTop, inAll, []string{"ctrl+home", "alt+home"}, "the beginning of the transcript"},
		{actBottom, inAll, []string{"ctrl+end", "alt+end"}, "the end of the transcript"},
		{actDetails, inAll, []string{"ctrl+o"}, "unfold or fold all calls and reasoning"},
		{actTranscript, inAll, []string{"ctrl+t"}, "move in the transcript"},
		{actTodos, inAll, []string{"alt+t"}, "the whole task list, or its present item"},
		{actBackground, inAll, []string{"ctrl+b"}, "while a command runs: send it to the background, where it goes on as a job"},
		{actMode, inAll, []string{"shift+tab"}, "next permission mode: plan, ask, auto"},
		{actModels, inAll, []string{"alt+m"}, "choose a model"},
		{actSessions, inAll, []string{"alt+s"}, "choose a session"},
		{actHelp, inAll, []string{"f1"}, "help"},
		{actRedraw, inAll, []string{"ctrl+l"}, "draw the screen again"},
		{actSuspend, inAll, []string{"ctrl+z"}, "suspend espy"},
		{actCancel, inAll, []string{"ctrl+c"}, "clear the text, or stop what runs; twice quits"},
	}
})

// places is the order of the help and of the page.
func places() []place {
	return []place{inComposer, inVim, inRow, inViewer, inTranscript, inQuestion, inAsk, inDialog, inAll}
}

// KeysPage is docs/keys.md, made from the table.
func KeysPage() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nThis page is made from the table in `ui/keys.go`. Every action can be given other keys in the settings:\n\n" +
		"```toml\n[keys]\nsend = \"enter\"\nnewline = [\"shift+enter\", \"ctrl+j\"]\n```\n\n" +
		"Keys typed within 300 ms of another key, or before a question was on the screen, never answer it; nor does a paste.\n\n" +
		"tmux keeps `ctrl+b` for itself unless its prefix is another key: press it twice there.\n")
	for _, in := range places() {
		fmt.Fprintf(&b, "\n## %s\n\n| keys | action | what it does |\n|---|---|---|\n", heading(string(in)))
		for _, row := range bindings() {
			if row.in == in {
				fmt.Fprintf(&b, "| %s | `%s` | %s |\n", pageKeys(row.keys), row.action, row.about)
			}
		}
	}
	return b.String()
}

func pageKeys(keys []string) string {
	named := make([]string, len(keys))
	for i, key := range keys {
		named[i] = "`" + keyName(key) + "`"
	}
	return strings.Join(named, ", ")
}

func heading(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
