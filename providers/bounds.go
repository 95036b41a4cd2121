package providers

import "time"

// Numbers that bound a request or an answer. Times with a vendor's name follow what its own client does.
const (
	// MaxEventBytes bounds one server-sent event, one line of it, and a whole answer that comes as plain JSON.
	// It holds the largest answer that is admitted, twice: the last event of a Responses stream repeats it all.
	MaxEventBytes = 64 << 20

	// MaxAnswerBytes bounds the text, reasoning and call arguments of one answer. A million tokens are about 4 MiB.
	MaxAnswerBytes = 24 << 20

	// maxErrorBody bounds what is read of an error answer. Real ones are under 4 KiB; web pages are longer.
	maxErrorBody = 64 << 10

	// maxErrorText bounds a server's words as a person sees them, in bytes.
	maxErrorText = 600

	// connectTimeout is for one TCP connection and for one TLS handshake: far servers answer within 3 s.
	connectTimeout = 20 * time.Second

	// headerTimeout is from the last byte sent to the first byte of the answer. Local servers load a model
	// and read the whole prompt before they answer.
	headerTimeout = 5 * time.Minute

	// idleTimeout is between any two bytes. Pings and comments count, so silence this long is a dead line.
	idleTimeout = 5 * time.Minute

	// tailTimeout is what a server gets to finish its stream after it said that the answer is finished.
	tailTimeout = 15 * time.Second

	// expectAbove is the body length, in bytes, from which the server is asked before the body is sent: a server
	// that refuses by length answers and closes, and its words are lost under a body that is still being sent.
	// Smaller bodies are sent sooner than an answer comes.
	expectAbove = 4 << 20

	// expectTimeout is how long that answer is awaited. Servers that do not know the question get the body then.
	expectTimeout = 700 * time.Millisecond

	// maxRedirects within one host; a canonicalising server needs one.
	maxRedirects = 3

	// blobChunk is how much of a picture is in memory while it is sent, in raw bytes; divisible by three so
	// that base64 needs padding at the end only.
	blobChunk = 48 << 10

	// Retry: five attempts in all, 0.5 s doubling to 30 s, less up to a quarter at random so that clients
	// that failed together do not come back together. The official clients start at 0.5 s too, and stop at 8 s.
	retryAttempts = 5
	retryFirst    = 500 * time.Millisecond
	retryMost     = 30 * time.Second
	retryJitter   = 0.25

	// retryServerMost is the longest wait asked by a server that is honoured; beyond it a person decides.
	retryServerMost = 60 * time.Second

	// maxForeignID is the longest call id that is kept as a server minted it, in bytes; real ones are under 100.
	maxForeignID = 256

	// maxCallID is the longest call id every protocol takes (OpenAI 40, Responses 64, Anthropic unbounded).
	maxCallID = 40

	// maxTraced bounds what a trace keeps of one answer, in bytes: many times the longest real one.
	maxTraced = 4 << 20
)
