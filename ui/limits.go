package ui

import "time"

// The numbers that may be tuned, each with its unit and its reason.
const (
	// deltaPause lets pieces of an answer gather before the screen is drawn again.
	deltaPause = 40 * time.Millisecond
	// spinnerPause moves the sign of work and what is said beside it: four times a second is alive and can be read.
	// Nothing ticks while the program is idle.
	spinnerPause = 250 * time.Millisecond
	// worthTelling is from when on the time of a running call is shown.
	worthTelling = 2 * time.Second
	// draftPause is how long the composer rests before its draft is saved.
	draftPause = 700 * time.Millisecond
	// grace is how long a question must have stood, and how long the keyboard must have rested, before a key
	// may answer it: people type ahead.
	grace = 300 * time.Millisecond
	// longCommand is from when on a running command is worth the hint that it can go to the background.
	longCommand = 5 * time.Second
	// jobsPause is how often an open list of jobs looks again, tailLines how many lines of a job it shows.
	jobsPause = time.Second
	tailLines = 400
	// quitWindow is within which a second ctrl+c quits.
	quitWindow = 2 * time.Second
	// answerTime is within which of the start a terminal may still be answering, and answerPatience how long quitting waits
	// for it then: a slow line takes 200 ms.
	answerTime, answerPatience = 3 * time.Second, 300 * time.Millisecond
	// stopTime is how long the system may take to stop espy on ctrl+z before espy goes on.
	stopTime = 400 * time.Millisecond
	// awayAfter is how long the keyboard must have rested before a person counts as turned away, longTurn how long a turn
	// must have taken to be worth a notification, notifyCells how wide one may be.
	awayAfter   = 8 * time.Second
	longTurn    = 15 * time.Second
	notifyCells = 120
	// clipPatience is how long a terminal may take to send its clipboard: kitty took 0.7 s for 4 MB, a slow line takes more.
	clipPatience = 60 * time.Second
	// mostClipBytes is the most that is taken through the terminal, the size of a picture the gate takes; mostClipTypes
	// bounds the list of what there is.
	mostClipBytes, mostClipTypes = 20 << 20, 1000
	// farewell is how long Run waits for commands that are still under way when the program ends.
	farewell = 2 * time.Second

	// foldLines and foldBytes are what a paste may have before it becomes a chip.
	foldLines = 10
	foldBytes = 1000
	// unfoldBytes is the most the composer takes as text one can move in; more stays a chip.
	unfoldBytes = 200 << 10
	// pathPasteBytes is the longest paste that can be a list of paths (the intake's own bound).
	pathPasteBytes = 16 << 10
	// mostVimCount bounds the number before a command of vim.
	mostVimCount = 9999
	// undoSteps bounds what is kept for undo.
	undoSteps = 200
	// composerShare is the part of the screen the composer may grow to: one third.
	composerShare = 3

	// measure is the most columns a line of the conversation takes: longer lines are hard to read.
	measure = 120
	// keepItems is how many transcript items on either side of the window keep their drawn lines.
	keepItems = 150
	// wheelLines is how far one notch of the wheel scrolls.
	wheelLines = 3
	// foldedDiff is how many lines of an edit show while its call is folded.
	foldedDiff = 12
	// typedLines is how many lines of what a person's own shell line printed show at once.
	typedLines = 24
	// fewNewest and mostNewest are how many of its newest output lines a running call shows, the latter where the screen is
	// tall or the call unfolded.
	fewNewest, mostNewest = 3, 5
	// mostSteps is how many of its newest calls a task shows; its log holds all.
	mostSteps = 200
	// openLines is how many lines of a result an unfolded call draws: more than what a tool hands the model (30,000
	// characters) has, unless it is all line ends.
	openLines = 4000
	// argBytes bounds how much of a call's arguments is drawn.
	argBytes = 16 << 10

	// popupRows is the most lines of a completion list.
	popupRows = 8
	// completions is how many paths are asked for, and fuzzyPool how many are searched by letters.
	completions = 50
	fuzzyPool   = 4000
	// rowLines is the most lines the attachment row takes.
	rowLines = 3
	// queueLines is the most lines the queue takes.
	queueLines = 3
	// noticeLines is the most lines a sentence above the composer takes.
	noticeLines = 4
	// narrowWidth is the width in columns below which a rule does not fit beside its choice.
	narrowWidth = 70
	// smallHeight is the height in lines below which the screen shows only what is needed.
	smallHeight = 14

	// cellPixelsX and cellPixelsY are the pixels a cell of a picture is given where the terminal draws it: more than most
	// cells have, so that nothing is enlarged.
	cellPixelsX, cellPixelsY = 12, 24
	// mostCells is the most columns or rows of a drawing: as many as there are combining characters that name them.
	mostCells = 250
	// mostDrawings is how many drawings of pictures are kept; kitty's numbers allow 255.
	mostDrawings = 160
	// decodesAtOnce is how many previews are decoded at once: the gate serves attaching first.
	decodesAtOnce = 2
	// cardLines is how many lines a picture on the row takes where there is room, cardCols how wide it is at most, in
	// columns, and thumbCols its drawing.
	cardLines, cardCols, thumbCols = 3, 56, 10
	// previewRows and previewCols bound a picture in the transcript, in cells; previewRowsSmall on a screen of fewer
	// than tallHeight lines.
	previewRows, previewRowsSmall, previewCols = 10, 6, 44
	// tallHeight is the height in lines from which pictures in the transcript are drawn at their full size.
	tallHeight = 30
	// mostZoom is how often what shows of a picture can be halved, leastShown the fewest pixels of it that are worth
	// showing, panShare the part of what shows that a key pans by.
	mostZoom, leastShown, panShare = 8, 8, 8
	// sideFactsWidth is the width in columns from which what is known of a picture stands beside it, in factsCols.
	sideFactsWidth, factsCols = 100, 44
)
