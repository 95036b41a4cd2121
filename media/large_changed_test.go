package media

import (
	"image"
	"os"
	"testing"
)

// largeChanged are pictures of which more is asked than to be scaled: to be turned upright or brought to sRGB, which takes a
// second copy of the result, or to be found inside an animation.
func largeChanged() []large {
	turned := func(o byte) func([]byte, image.Point) []byte {
		return func(jpeg []byte, _ image.Point) []byte { return withEXIF(jpeg, exif("MM", o)) }
	}
	wide := func(jpeg []byte, _ image.Point) []byte { return withProfile(jpeg, displayP3()) }
	turnedWide := func(jpeg []byte, size image.Point) []byte { return turned(8)(wide(jpeg, size), size) }
	first := func(still []byte, size image.Point) []byte { return animated(still, size.X, size.Y, 0) }
	return []large{
		{"jpeg-444-turned.jpg", changed(cjpeg("-sample 1x1"), turned(6))},
		{"jpeg-444-progressive-turned.jpg", changed(cjpeg("-sample 1x1 -progressive"), turned(5))},
		{"jpeg-420-display-p3.jpg", changed(cjpeg("-sample 2x2"), wide)},
		{"jpeg-444-display-p3-turned.jpg", changed(cjpeg("-sample 1x1"), turnedWide)},
		{"jpeg-cmyk-turned.jpg", changed(convertedBy("-colorspace CMYK -quality 85"), turned(7))},
		{"rgba8-turned.png", changed(veiledPNG.make, func(png []byte, _ image.Point) []byte { return insertChunk(png, pngChunk("eXIf", exif("II", 5))) })},
		{"rgb8-display-p3.png", changed(pagePNG.make, func(png []byte, _ image.Point) []byte { return insertChunk(png, iccp(displayP3())) })},
		{"webp-lossy-animated.webp", changed(cwebp("-q 85 -m 2", photoPNG), first)},
		{"webp-lossless-animated.webp", changed(cwebp("-lossless -z 1", pagePNG), first)},
	}
}

// changed makes a picture and changes its bytes.
func changed(make func(testing.TB, image.Point, string) error, change func([]byte, image.Point) []byte) func(testing.TB, image.Point, string) error {
	return func(t testing.TB, size image.Point, path string) error {
		if err := make(t, size, path); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(data, size), 0o600)
	}
}
