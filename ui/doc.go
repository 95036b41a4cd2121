// Package ui is the full-screen program: the transcript, the composer with the attachment row over it,
// dialogs and the status line, on Bubble Tea v1.
//
// Contract: Update decides and never waits, View draws from state; neither does I/O, decodes a picture or
// measures the whole transcript. Work runs in commands (work.go) and comes back as messages. A region is a
// type with its own state; the model only routes and lays out. Keys are looked up by action in one table
// (keys.go), looks come from one theme (theme.go), and every bit of text from outside passes ui/screen.
//
// Cost: a key costs what the window shows, whatever the length of the conversation. An idle program writes
// nothing and has no timer running. Bubble Tea runs the model and draws nothing: frames go to the painter
// (painting.go), which never holds Update up.
//
// The package sees the agent as a Loop and an Intake (options.go). It must not know how a model is called,
// a picture decoded, a session stored or a rule judged, and no Bubble Tea type appears outside it.
package ui
