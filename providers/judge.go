package providers

import (
	"net/http"
	"regexp"
	"strings"
)

// judge turns what a server said into an error of a class. The order matters: an empty account and a full rate
// are told apart first, because their words mention tokens and limits; then pictures, because their refusals
// come with every status; then the window; and the status decides the rest.
func (s serverError) judge(status int, ex Exchange) *Error {
	e := &Error{Status: status, Message: cleanText(s.message, ex.Secret), Code: cleanText(s.code, ex.Secret), RequestID: s.id, Picture: -1}
	if e.Code == "" {
		e.Code = cleanText(s.kind, ex.Secret)
	}
	text := strings.ToLower(s.message + " " + s.code + " " + s.kind)
	picture, named := s.picture(ex.Body)
	refusal := status == 0 || status >= 400 && status != http.StatusUnauthorized && status != http.StatusTooManyRequests
	switch {
	case ex.carriesPictures() && matches(text, peakWords()): // worded as a full rate, but no wait makes the request smaller
		e.Class = ClassTooLarge
	case status == http.StatusPaymentRequired || matches(text, quotaWords()) && !strings.Contains(text, "resource_exhausted"): // Google words a full minute as an empty account
		e.Class = ClassQuota
	case status == http.StatusTooManyRequests || matches(text, rateWords()):
		e.Class = ClassRateLimit
	case refusal && ex.carriesPictures() && matches(text, blindWords()):
		e.Class = ClassBlind
	case matches(text, allPicturesWords()):
		e.Class = ClassTooLarge
	case refusal && ex.carriesPictures() && matches(text, pictureWords()), named && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		e.Class, e.Picture = ClassPicture, picture
	case matches(text, overflowWords()):
		e.Class = ClassOverflow
	default:
		e.Class = classOfStatus(status)
	}
	return e
}

// picture is the index of the picture the error speaks of, and whether a place in the error named it.
func (s serverError) picture(body *Body) (int, bool) {
	if body == nil {
		return -1, false
	}
	for _, way := range s.ways() {
		if i := body.PictureAt(way); i >= 0 && len(way) > 1 {
			return i, true
		}
	}
	if body.Pictures() == 1 {
		return 0, false
	}
	return -1, false
}

func (ex Exchange) carriesPictures() bool { return ex.Body != nil && ex.Body.Pictures() > 0 }

func classOfStatus(status int) Class {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ClassAuth
	case status == http.StatusNotFound:
		return ClassNotFound
	case status == http.StatusRequestEntityTooLarge:
		return ClassTooLarge
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status >= 500 || status == 0:
		return ClassOverloaded
	}
	return ClassBadRequest
}

func matches(text string, words []string) bool {
	for _, w := range words {
		if regexp.MustCompile(w).MatchString(text) {
			return true
		}
	}
	return false
}

// The lists are regular expressions over lower-case text. They are read only when a request failed, so they
// are compiled then.

// quotaWords: no wait helps.
func quotaWords() []string {
	return []string{
		`insufficient_quota`, `exceeded your current quota`, `billing_error`, `billing_hard_limit`,
		`credit balance is too low`, `insufficient (balance|credits?|funds)`, `insufficient_(balance|credits?)`,
		`spend(ing)?[ -](cap|limit)`, `payment required`, `(monthly|specified api) usage limit`, `requires more credits`,
	}
}

// peakWords: OpenAI's answer of 429 to pictures that are too large for a busy hour.
func peakWords() []string { return []string{`maximum usage size allowed during peak load`} }

// rateWords: a wait helps. They are looked for before the overflow words, which they resemble.
func rateWords() []string {
	return []string{
		`too many (tokens|requests), please wait`, `rate[ _]limit(_error|_exceeded)`, `throttlingexception`,
		`resource_exhausted`,
	}
}

// blindWords: the model or its server takes no pictures at all. Only these may mark a model as blind.
func blindWords() []string {
	return []string{
		`only 'text' content type is supported`, `image_url is not supported`, `image_url is only supported by certain models`,
		`image (content|input) is not supported`, `images? (is|are) not supported`,
		`multimodal (content |input )?is not supported`, `vision (input )?is not supported`,
		`does(n't| not) support (images?|image inputs?|multimodal|vision)`, `unexpected item type in content`,
		`image_url'\. expected`, "unknown variant `image_url`, expected `text`", `no endpoints found that support image input`,
		`provide the mmproj`, `untagged enum chatcompletionrequestcontent`,
	}
}

// allPicturesWords: not one picture is at fault but all of them together.
func allPicturesWords() []string {
	return []string{
		`total image size is [0-9.]+mb`, `too many images`, `at most \d+ images?`, `exceeds? the maximum number of images`,
	}
}

// pictureWords: one picture was refused.
func pictureWords() []string {
	return []string{
		`image exceeds [0-9.]+ ?mb maximum`, `image dimensions exceed max allowed size`, `image dimensions [0-9x]+ exceed`,
		`image_dimensions_too_large`, `could not process image`, `image does not match the provided media type`,
		`image was specified using the`, `input should be 'image/jpeg', 'image/png'`,
		`all content must be type "text" if "is_error"`, `uploaded an unsupported image`, `invalid_image(_format|_url)?\b`,
		`invalid_base64_image`, `image_too_(large|small)`, `image_parse_error`, `image_file_too_large`,
		`unsupported_image_media_type`, `empty_image_file`, `failed_to_download_image`, `image_content_policy_violation`,
		`sanitizer_server_error`, `requires \d+ patches after processing`, `does not represent a valid image`,
		`prepare image failed`, `failed to decode image`, `failed to load image`, `invalid image (input|data)`,
		`(height|width|height/width) must be larger than`, `image_url.*invalid base64`, `cannot identify image file`,
	}
}

// overflowWords: the context window is full.
func overflowWords() []string {
	return []string{
		`prompt is too long`, `exceeds the context window`, `context_length_exceeded`, `maximum context length`,
		`model_context_window_exceeded`, `input token count.*exceeds`, `exceeds the available context size`,
		`greater than the context length`, `exceeded model token limit`, `maximum prompt length is`,
		`reduce the length of the (messages|prompt)`, `context window exceeds limit`, `input is too long for requested model`,
		`input length.*exceeds? .*context`, `prompt too long`, `too large for model with \d+ maximum context`,
	}
}
