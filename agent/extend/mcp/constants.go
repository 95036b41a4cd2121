package mcp

import (
	"time"

	"espy/media"
)

const (
	// defaultTimeout bounds one request to a server where the settings say nothing: joining it, listing what it has,
	// a call. A first `npx` fetches packages meanwhile.
	defaultTimeout = 60 * time.Second
	// streamTimeout is how long a server may take to open the stream of its own messages, which it need not have.
	streamTimeout = 5 * time.Second
	// partingTimeout is how long a server gets to be told that a session over HTTP ends.
	partingTimeout = time.Second
	// inputGrace is how long a program gets to end by itself once its input is closed, as the protocol has it.
	inputGrace = 300 * time.Millisecond
	// endGrace is how long after a connection broke its end may take to be seen.
	endGrace = 2 * time.Second
	// relistPause is how long lists that were just taken again stand, however often a server says that they changed.
	relistPause = time.Second
	// restartPause is how long after a failed attempt to reach a server the next call may try again.
	restartPause = 2 * time.Second

	// mostMessage bounds one message of a server, in bytes: a picture as large as the gate takes, in base64, and
	// room for words beside it.
	mostMessage = media.MaxSourceImageBytes/3*4 + 4<<20
	// mostChatter bounds, in bytes, what a program may print between two messages that is none: notices of package
	// managers and lines of a log are some kilobytes.
	mostChatter = 1 << 20
	// unaskedBurst and unaskedPerSecond bound the messages a server sends by itself. One that sends more is cut off.
	unaskedBurst     = 1000
	unaskedPerSecond = 100
	// mostRemembered bounds what is kept of a program's own log, in bytes, to say why it failed.
	mostRemembered = 4 << 10

	// mostTools, mostPrompts and mostResources bound what is taken of a server's lists; the largest public servers
	// offer about a hundred tools.
	mostTools     = 256
	mostPrompts   = 128
	mostResources = 1000
	// mostPages bounds the pages of one list.
	mostPages = 50
	// mostDescription bounds a tool's description, in bytes, mostSchema its arguments' schema: each request carries them.
	mostDescription = 2 << 10
	mostSchema      = 64 << 10
	// mostName bounds a tool's name, in bytes: services take 64.
	mostName = 64
	// mostURI bounds a resource's address, in bytes.
	mostURI = 2000
	// mostPictures bounds the pictures of one result.
	mostPictures = 16
	// mostText bounds the text of one result, in bytes; what is longer is cut and says so.
	mostText = 16 << 20
	// mostSaid bounds what a server says of an error or of itself in a sentence, in characters.
	mostSaid = 300
	// mostListed bounds the resources one answer lists.
	mostListed = 200

	// mostRedirects is how many redirects are followed, all of them on the host of the settings.
	mostRedirects = 5
	// mostHeader bounds an answer's headers, in bytes.
	mostHeader = 256 << 10
)
