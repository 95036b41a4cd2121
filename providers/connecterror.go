package providers

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// connectError says why no answer came.
func connectError(ctx, watched context.Context, host string, err error, secret []string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var own *Error
	if errors.As(err, &own) {
		return own // the request body could not be read: a blob is gone
	}
	if errors.Is(context.Cause(watched), errStalled) {
		return &Error{Class: ClassNetwork, Picture: -1, Message: host + " went silent while the request was being sent; check the connection", Err: err}
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // the outer words repeat the whole address
	}
	var call *net.OpError
	if errors.As(err, &call) && call.Op == "dial" {
		err = call.Err // and these the host
	}
	var system *os.SyscallError
	if errors.As(err, &system) {
		err = system.Err
	}
	e := &Error{Class: ClassNetwork, Picture: -1, Err: err}
	reason := cleanText(err.Error(), secret)
	var slow net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		e.Advice = AdviceStop // it will be no better in a minute
		e.Message = "the certificate of " + host + " cannot be verified: " + reason
	case strings.Contains(reason, "HTTP response to HTTPS client"):
		e.Advice = AdviceStop
		e.Message = host + " does not speak https; write http:// in base_url"
	case errors.As(err, &slow) && slow.Timeout():
		e.Message = host + " did not answer in time; check that the server runs and that base_url names it"
	case errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET):
		e.Message = host + " closed the connection before it answered; if it does so again the request may be too large for it"
	default:
		e.Message = fmt.Sprintf("could not reach %s: %s; check that the server runs and that base_url names it", host, reason)
	}
	return e
}
