package providers

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"espy/agent/message"
)

// turns is a provider that answers with its outcomes one after another, emitting text before a failure.
type turns struct {
	outcomes []error
	partial  string
	calls    int
}

func (p *turns) Stream(ctx context.Context, _ Request, emit func(Delta)) (Response, error) {
	err := p.outcomes[p.calls]
	p.calls++
	if err != nil && p.partial != "" {
		emit(Delta{Text: p.partial})
	}
	if err != nil {
		return Response{}, err
	}
	return Response{Blocks: []message.Block{message.Text{Text: "done"}}}, nil
}

func testPolicy(slept *[]time.Duration) Policy {
	return Policy{
		Sleep:  func(ctx context.Context, d time.Duration) error { *slept = append(*slept, d); return ctx.Err() },
		Random: func() float64 { return 0 },
	}
}

func fail(class Class) *Error { return &Error{Class: class, Picture: -1, Message: string(class)} }

func TestOnlyWhatAWaitMayCureIsSentAgain(t *testing.T) {
	for class, again := range map[Class]bool{
		ClassNetwork: true, ClassOverloaded: true, ClassRateLimit: true, ClassTruncated: true,
		ClassQuota: false, ClassAuth: false, ClassNotFound: false, ClassBadRequest: false, ClassPicture: false, ClassBlind: false,
		ClassMissingBlob: false, ClassTooLarge: false, ClassOverflow: false, ClassUnintelligible: false,
	} {
		var slept []time.Duration
		p := &turns{outcomes: []error{fail(class), nil}}
		_, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {})
		if got := p.calls == 2; got != again || (err == nil) != again {
			t.Errorf("%s: sent again %v (error %v), want %v", class, got, err, again)
		}
	}
}

func TestTheServersAdviceOutranksTheClass(t *testing.T) {
	stop, again := fail(ClassOverloaded), fail(ClassBadRequest)
	stop.Advice, again.Advice = AdviceStop, AdviceRetry
	var slept []time.Duration
	p := &turns{outcomes: []error{stop}}
	if _, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {}); err == nil || p.calls != 1 {
		t.Errorf("a server that said x-should-retry: false was asked %d times", p.calls)
	}
	p = &turns{outcomes: []error{again, nil}}
	if _, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {}); err != nil {
		t.Errorf("a server that said x-should-retry: true was not asked again: %v", err)
	}
}

func TestWaitsDoubleToACapAndGiveUpAfterFiveAttempts(t *testing.T) {
	var slept []time.Duration
	e := fail(ClassOverloaded)
	p := &turns{outcomes: []error{e, e, e, e, e, nil}}
	_, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {})
	want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
	if !reflect.DeepEqual(slept, want) || p.calls != 5 {
		t.Errorf("waited %v over %d attempts, want %v over 5", slept, p.calls, want)
	}
	if ClassOf(err) != ClassOverloaded || !strings.Contains(err.Error(), "5 attempts") {
		t.Errorf("the last error is %v; want the server's, with the number of attempts", err)
	}
	slept = nil
	policy := testPolicy(&slept)
	policy.Attempts, policy.Random = 12, func() float64 { return 0.999 }
	p = &turns{outcomes: []error{e, e, e, e, e, e, e, e, e, e, e, e}}
	WithRetry(p, policy).Stream(t.Context(), Request{}, func(Delta) {})
	for i, d := range slept {
		full := min(retryFirst<<i, retryMost)
		if d > full || d < full*74/100 {
			t.Errorf("wait %d is %v; want %v less at most a quarter", i+1, d, full)
		}
	}
}

func TestTheServersWaitIsHonouredUpToAMinute(t *testing.T) {
	var slept []time.Duration
	e := fail(ClassRateLimit)
	e.RetryAfter = 42 * time.Second
	p := &turns{outcomes: []error{e, nil}}
	if _, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {}); err != nil || slept[0] != 42*time.Second {
		t.Errorf("waited %v (%v), want the server's 42s", slept, err)
	}
	long := fail(ClassRateLimit)
	long.RetryAfter = time.Hour
	p = &turns{outcomes: []error{long, nil}}
	_, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(Delta) {})
	if p.calls != 1 || err == nil || !strings.Contains(err.Error(), "1h0m0s") {
		t.Errorf("a wait of an hour gave %v after %d calls; want a sentence naming it and no second call", err, p.calls)
	}
}

func TestAPartialAnswerIsDeclaredVoidBeforeTheNextAttempt(t *testing.T) {
	var slept []time.Duration
	var seen []string
	p := &turns{outcomes: []error{fail(ClassTruncated), nil}, partial: "half"}
	_, err := WithRetry(p, testPolicy(&slept)).Stream(t.Context(), Request{}, func(d Delta) {
		switch {
		case d.Restart:
			seen = append(seen, "restart")
		case d.Retry != nil:
			seen = append(seen, "retry")
		default:
			seen = append(seen, d.Text)
		}
	})
	if want := []string{"half", "retry", "restart"}; err != nil || !reflect.DeepEqual(seen, want) {
		t.Errorf("emitted %v (%v), want %v", seen, err, want)
	}
}

func TestALostAnswerSaysThatPartOfItHadBeenShown(t *testing.T) {
	var slept []time.Duration
	policy := testPolicy(&slept)
	policy.Attempts = 1
	p := &turns{outcomes: []error{fail(ClassTruncated)}, partial: "half"}
	_, err := WithRetry(p, policy).Stream(t.Context(), Request{}, func(Delta) {})
	var e *Error
	if !errors.As(err, &e) || !e.Partial {
		t.Errorf("got %#v, want an error marked Partial", err)
	}
}

func TestAnInterruptEndsTheCountdown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := fail(ClassRateLimit)
	e.RetryAfter = time.Minute
	p := &turns{outcomes: []error{e, nil}}
	_, err := WithRetry(p, Policy{}).Stream(ctx, Request{}, func(d Delta) {
		if d.Retry != nil {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || p.calls != 1 {
		t.Errorf("got %v after %d calls, want context.Canceled after one", err, p.calls)
	}
}

func TestEveryFormOfRetryAfterIsUnderstood(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value string
		want          time.Duration
	}{
		{"retry-after-ms", "300", 300 * time.Millisecond},
		{"retry-after", "2", 2 * time.Second},
		{"retry-after", " 2 ", 2 * time.Second},
		{"retry-after", "1.5", 1500 * time.Millisecond},
		{"retry-after", "3600", time.Hour},
		{"retry-after", now.Add(7 * time.Second).Format(http.TimeFormat), 7 * time.Second},
		{"retry-after", now.Add(-7 * time.Second).Format(http.TimeFormat), 0},
		{"retry-after", "1796115609", 9 * time.Second},
		{"retry-after", "1796115609000", 9 * time.Second},
		{"retry-after", "1m30s", 90 * time.Second},
		{"retry-after", "-5", 0},
		{"retry-after", "NaN", 0},
		{"retry-after", "1e300", 365 * 24 * time.Hour},
		{"retry-after", "soon", 0},
		{"retry-after", "", 0},
	} {
		h := http.Header{}
		h.Set(c.header, c.value)
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("%s: %s gave %v, want %v", c.header, c.value, got, c.want)
		}
	}
	both := http.Header{"Retry-After-Ms": {"300"}, "Retry-After": {"9"}}
	if got := retryAfter(both, now); got != 300*time.Millisecond {
		t.Errorf("both headers gave %v, want the more precise", got)
	}
}
