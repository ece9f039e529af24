package notify

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"verdetto/shared/fare"
)

var update = flag.Bool("update", false, "write the golden files")

func TestPicture(t *testing.T) {
	n := someNews(t)
	short := n
	clear(short.Lows[:weeks-3])
	flat := news{Route: route, Day: asOf, Price: 1}
	huge := n
	huge.Lows[3] = fare.MaxPrice
	for _, c := range []struct {
		name string
		news news
	}{{"lows", n}, {"short", short}, {"flat", flat}, {"huge", huge}} {
		t.Run(c.name, func(t *testing.T) {
			got, err := drawPicture(c.news)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := png.Decode(bytes.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			if size := decoded.Bounds().Size(); size.X != 2*pictureWidth || size.Y != 2*pictureHeight {
				t.Errorf("size %v", size)
			}
			if len(got) > 8<<10 {
				t.Errorf("%d bytes", len(got))
			}
			path := filepath.Join("testdata", c.name+".png")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			for y := range decoded.Bounds().Dy() { // compare pixels: the compressed bytes may change
				for x := range decoded.Bounds().Dx() {
					if decoded.At(x, y) != want.At(x, y) {
						t.Fatalf("%s: pixel %d,%d is another", path, x, y)
					}
				}
			}
		})
	}
}
