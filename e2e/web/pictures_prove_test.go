package web

import (
	"flag"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
)

var update = flag.Bool("update", false, "make the pictures of docs/ again, and record their texts")

// picturesText records what the pages of docs/ said when their pictures were made.
const picturesText = "testdata/pictures.txt"

// docPictures are the pictures of pages in docs/: the page, the pictured element (empty: from the top
// of the page), and the greatest height.
var docPictures = []struct {
	file, path, element string
	height              float64
}{
	{"page.png", "/?da=Milan&a=Bucharest&lang=en", "", 1130},
	{"calendar.png", "/?da=Milan&a=Bucharest&lang=en", ".calendar", 760},
	{"cheap-now.png", "/?da=Milan&mese=2016-05&massimo=60&lang=en", "", 1210},
}

var (
	mainPart = regexp.MustCompile(`(?s)<main.*?</main>`)
	scalable = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	anyTag   = regexp.MustCompile(`<[^>]*>`)
)

// TestProvePictures: the pages say what their pictures in docs/ show. Chromium makes the pictures,
// but only the text of each page is compared.
func TestProvePictures(t *testing.T) {
	base, _ := site(t)
	var said strings.Builder
	for _, p := range docPictures {
		_, body := fixture.Call(t, http.DefaultClient, "GET", base+p.path, "")
		// The address in the printed footer holds the port, which differs in every run.
		body = strings.ReplaceAll(body, base, "https://verdetto.example")
		text := anyTag.ReplaceAllString(scalable.ReplaceAllString(mainPart.FindString(body), ""), "\n")
		lines := strings.FieldsFunc(html.UnescapeString(text), func(r rune) bool { return r == '\n' })
		fmt.Fprintf(&said, "== %s\n%s\n", p.file, strings.Join(lines, "\n"))
	}
	if *update {
		pictureDocs(t, base)
		if err := os.WriteFile(picturesText, []byte(said.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(picturesText)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(recorded), said.String()); diff != "" {
		t.Errorf("the pictures in docs/ show an older page; make them again with\n"+
			"go test ./e2e/web -run TestProvePictures -update\n%s", diff)
	}
}

func pictureDocs(t *testing.T, base string) {
	t.Helper()
	beyond := true // the element may lie below the window
	w := openBrowser(t).open(t, screen{"docs", 760, 900, "light"})
	for _, p := range docPictures {
		w.visit(base + p.path)
		w.wait(`document.querySelector('article h1') && document.fonts.status === 'loaded'`)
		top, height := 0.0, p.height
		if p.element != "" {
			box := `document.querySelector('` + p.element + `').getBoundingClientRect()`
			top = evaluate[float64](w, box+`.top + scrollY`)
			height = min(height, evaluate[float64](w, box+`.height`))
		}
		shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond,
			Clip: &page.Viewport{Y: top, Width: 760, Height: height, Scale: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("..", "..", "docs", p.file), shot.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
