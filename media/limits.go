package media

import "time"

// The gate's limits. All are inclusive and are judged on the source as it was given, before anything is allocated
// for it; docs/pictures.md tells them to people.
const (
	// MaxSourceImageBytes is the largest picture file read, in bytes: every phone photo and screenshot is far below.
	MaxSourceImageBytes = 20 << 20
	// MaxImageDimension is the longest side, in pixels: one provider refuses 8001 and more, none shows more than 6000.
	MaxImageDimension = 8192
	// MaxImagePixels is the largest area, in pixels: 8192 by 4096.
	MaxImagePixels = 33_554_432
	// MaxDecodeAllocBytes is what live memory may rise by while pictures are in the gate, in bytes, all decodes together.
	MaxDecodeAllocBytes = 64 << 20
	// MaxWireImageBytes is the largest picture sent, in bytes of its base64 text: providers say "5 MB an image"
	// without saying of what, and this is the reading that is always safe.
	MaxWireImageBytes = 5 << 20
)

// Longest side of a rendition for each Detail, in pixels.
const (
	sideLow  = 1024
	sideAuto = 2048
	sideHigh = 4096
)

// Header reading.
const (
	sniffFirst  = 4096     // bytes of the first read: every signature and most headers are inside
	sniffNext   = 512      // bytes of each later read
	sniffBudget = 64 << 10 // bytes read at most before a header counts as missing
	mostParts   = 1 << 14  // chunks or segments stepped over in search of one: a real file has some thousands
)

// Memory inside MaxDecodeAllocBytes, in bytes.
const (
	resultCeiling = 36 << 20 // the scaled picture: exactly 4096x3072 RGB or 4096x2304 RGBA; what the encoder needs beside it fits in the rest
	leastResult   = 4 << 20  // a decode beside which not even this fits is refused; 1448x966 RGB
	wireOverhead  = 8 << 20  // the encoded bytes as they grow, encoder tables
	scalerSlack   = 3 << 20  // rows the scaler keeps, and rows on their way to it
	settleFrom    = 20 << 20 // a result from which what is garbage is given back before it is encoded: none of detail auto is
	growthFrom    = 1 << 20  // encoded bytes from which their buffer grows to its limit at once
	profileMax    = 1 << 20  // an ICC profile, inflated; a printer's is about 500 KiB
)

// Rows on their way from the decoder to the scaler, which works beside it.
const (
	relayBatches = 3         // one being filled, one being worked off, one between
	relayBytes   = 128 << 10 // of a batch: some dozen rows, so that handing over costs nothing beside them
	relayRows    = 1 << 10   // of a batch, where rows are short
)

// Encoding.
const (
	flatForPNG    = 0.1 // share of pixels equal to their left neighbour from which a lossless source stays PNG
	shrinkStep    = 0.8 // factor between two rounds of the ladder
	smallestRound = 64  // px: below this longest side the ladder gives up
	shrinkRounds  = 24  // rounds at most: 0.8^24 takes 8192 below smallestRound
)

// A file that is still being written gets one more look.
const (
	rewriteWait   = 150 * time.Millisecond // long enough for a screenshot tool to finish, too short to be felt
	rewriteRecent = 5 * time.Second        // a file untouched for longer is not being written
)
