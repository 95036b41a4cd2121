package jpeg

const (
	maxPixels   = 1 << 28  // px: eight times what the gate admits; bounds the work whatever the header says
	maxScans    = 100      // scans read; a progressive picture of a camera or a browser has about 10, the fullest legal script under 100
	maxWarnings = 8        // clauses reported at most
	headBytes   = 68 << 10 // buffer of the segment reader: the longest segment, 65,535 bytes, and its marker fit in
	scanBytes   = 8 << 10  // buffer of each scan of a picture with several
	fastBits    = 10       // bits looked up at once: nine in ten codes of a photo, most with their value, in 4 KiB a table
	minBits     = 32       // bits held before a code is read: the longest code, 16, and the longest value, 15, fit in
	lowZigzag   = 9        // the last coefficient, in zigzag order, that lies in the first four diagonals
)

// The last coefficient, in zigzag order, that a reduced transform reads: of 4x4, 2x2 and 1x1 coefficients.
const (
	lastOfHalf    = 24
	lastOfQuarter = 4
	lastOfEighth  = 0
)

// Markers, ITU-T T.81 table B.1: the second byte, behind 0xff.
const (
	markTEM   = 0x01
	markSOF0  = 0xc0
	markSOF1  = 0xc1
	markSOF2  = 0xc2
	markDHT   = 0xc4
	markJPG   = 0xc8
	markDAC   = 0xcc
	markSOF9  = 0xc9 // sequential, arithmetic
	markSOF10 = 0xca // progressive, arithmetic
	markSOFF  = 0xcf
	markRST0  = 0xd0
	markRST7  = 0xd7
	markSOI   = 0xd8
	markEOI   = 0xd9
	markSOS   = 0xda
	markDQT   = 0xdb
	markDNL   = 0xdc
	markDRI   = 0xdd
	markAPP0  = 0xe0
	markAPPE  = 0xee
	markCOM   = 0xfe
)
