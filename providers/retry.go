package providers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Policy says how often and how patiently a request is sent again. The zero Policy is the one of bounds.go.
type Policy struct {
	Attempts  int           // in all, the first included
	First     time.Duration // before the second attempt; doubles from there
	Most      time.Duration // longest wait of our own
	ServerMax time.Duration // longest wait a server may ask for

	// For tests: how to wait, and a number from 0 to below 1 for the jitter.
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
}

func (p Policy) withDefaults() Policy {
	if p.Attempts == 0 {
		p.Attempts = retryAttempts
	}
	if p.First == 0 {
		p.First = retryFirst
	}
	if p.Most == 0 {
		p.Most = retryMost
	}
	if p.ServerMax == 0 {
		p.ServerMax = retryServerMost
	}
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	if p.Random == nil {
		p.Random = rand.Float64
	}
	return p
}

// WithRetry sends a request again when waiting may cure its failure: no connection, an overloaded server, a
// full rate, an answer that was cut. A RetryNotice is emitted before each wait. An answer is never spliced:
// what had been emitted is declared void with Restart just before the next attempt, so that a person who
// interrupts the wait still has it. Adapters send once; this is the only place that sends again for failures.
func WithRetry(p Provider, policy Policy) Provider {
	return &retrier{p, policy.withDefaults()}
}

type retrier struct {
	next   Provider
	policy Policy
}

func (r *retrier) Stream(ctx context.Context, req Request, emit func(Delta)) (Response, error) {
	for attempt := 1; ; attempt++ {
		emitted := false
		resp, err := r.next.Stream(ctx, req, func(d Delta) {
			emitted = true
			emit(d)
		})
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return Response{}, ctx.Err()
		}
		var failed *Error
		if !errors.As(err, &failed) {
			return Response{}, err
		}
		if emitted && !failed.Partial {
			partial := *failed
			partial.Partial = true
			failed, err = &partial, &partial
		}
		if !retryable(failed) {
			return Response{}, err
		}
		wait, stop := r.wait(failed, attempt)
		if stop != nil {
			return Response{}, stop
		}
		emit(Delta{Retry: &RetryNotice{Attempt: attempt, Most: r.policy.Attempts, Wait: wait, Cause: failed.Error()}})
		if err := r.policy.Sleep(ctx, wait); err != nil {
			return Response{}, err
		}
		if emitted {
			emit(Delta{Restart: true})
		}
	}
}

func retryable(e *Error) bool {
	switch {
	case e.Class == ClassQuota || e.Advice == AdviceStop:
		return false
	case e.Advice == AdviceRetry:
		return true
	}
	switch e.Class {
	case ClassNetwork, ClassOverloaded, ClassRateLimit, ClassTruncated:
		return true
	}
	return false
}

// wait is how long to wait after the attempt that failed, or the error to stop with.
func (r *retrier) wait(e *Error, attempt int) (time.Duration, error) {
	if attempt >= r.policy.Attempts {
		return 0, fmt.Errorf("%w; gave up after %d attempts", e, attempt)
	}
	if e.RetryAfter > r.policy.ServerMax {
		return 0, fmt.Errorf("%w; the server asks to wait %s, send again after that", e, e.RetryAfter.Round(time.Second))
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, nil
	}
	own := r.policy.First
	for range attempt - 1 {
		own = min(own*2, r.policy.Most)
	}
	return own - time.Duration(r.policy.Random()*retryJitter*float64(own)), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
