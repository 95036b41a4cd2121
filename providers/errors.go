package providers

import (
	"errors"
	"fmt"
	"time"
)

// Class says what a failure means for the loop. Every error a Provider returns, other than ctx.Err(), is or
// wraps an *Error.
type Class string

const (
	ClassNetwork        Class = "network"        // could not connect, reset, timed out: retried
	ClassOverloaded     Class = "overloaded"     // 5xx, 529: retried
	ClassRateLimit      Class = "rate_limit"     // 429 that a wait cures: retried
	ClassQuota          Class = "quota"          // out of credit: waiting does not help
	ClassAuth           Class = "auth"           // 401, 403: the key
	ClassNotFound       Class = "not_found"      // 404: the model or the path
	ClassBadRequest     Class = "bad_request"    // the request itself, not a picture
	ClassPicture        Class = "picture"        // one picture was refused; see Error.Picture
	ClassBlind          Class = "blind"          // the model or server takes no pictures at all
	ClassMissingBlob    Class = "missing_blob"   // a blob could not be opened, found before any byte left; see Error.Ref
	ClassTooLarge       Class = "too_large"      // 413: the body
	ClassOverflow       Class = "overflow"       // the context window
	ClassTruncated      Class = "truncated"      // the stream ended before its end mark
	ClassUnintelligible Class = "unintelligible" // not the protocol that was asked for: HTML, plain JSON of another kind
)

// Error is a failure of a request, in words for a person and data for the loop.
type Error struct {
	Class      Class
	Status     int           // HTTP status; 0 where none was received
	Message    string        // the server's own words, bounded and cleaned, or ours
	Code       string        // the server's machine-readable code, where it gave one
	RequestID  string        // to quote to the provider
	Picture    int           // ClassPicture: index among the request's pictures, counted along its messages; -1 unknown
	Ref        string        // ClassMissingBlob: the blob
	RetryAfter time.Duration // what the server asked to wait; 0 where it did not say
	Advice     Advice        // whether the server said to try again
	Partial    bool          // something had been emitted before it failed
	Err        error
}

func (e *Error) Error() string {
	text := e.Message
	if text == "" && e.Err != nil {
		text = e.Err.Error()
	}
	if e.Status != 0 {
		text = fmt.Sprintf("%s (HTTP %d)", text, e.Status)
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error a Provider returned, and "" for any other error.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

// Advice is what a server said about sending the same request again (x-should-retry). It outranks the class.
type Advice string

const (
	AdviceRetry Advice = "retry"
	AdviceStop  Advice = "stop"
)

// RetryNotice says that a request will be sent again, for the countdown on the screen.
type RetryNotice struct {
	Attempt int           // the attempt that failed, from 1
	Most    int           // how many attempts there are
	Wait    time.Duration // until the next
	Cause   string        // one sentence
}
