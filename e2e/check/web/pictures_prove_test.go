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

const picturesText = "testdata/pictures.txt"

// If element is empty, the picture begins at the top of the page.
type docPicture struct {
	file, path, element string
	height              float64
}

var docPictures = []docPicture{
	{"page.png", "/?da=Milan&a=Bucharest&lang=en", "", 1130},
	{"calendar.png", "/?da=Milan&a=Bucharest&lang=en", ".calendar", 760},
	{"cheap-now.png", "/?da=Milan&mese=2016-05&massimo=60&lang=en", "", 1210},
	{"score.png", "/pagella?lang=en", "", 930},
}

var docCards = []struct {
	file, tool, scheme string
	arguments          map[string]any
}{
	{"card-light.png", "flight_price_verdict", "light",
		map[string]any{"origin": "Milan", "destination": "London", "departure": "2016-04-14"}},
	{"card-dark.png", "fare_calendar", "dark", map[string]any{"origin": "Milan", "destination": "London"}},
}

var (
	mainPart = regexp.MustCompile(`(?s)<main.*?</main>`)
	scalable = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	anyTag   = regexp.MustCompile(`<[^>]*>`)
)

// Chromium makes the pictures, but only the texts of pages and cards are compared with recorded
// texts.
func TestProvePictures(t *testing.T) {
	main, _ := site(t)
	score := scoreSite(t, scoredSource(t))
	var texts strings.Builder
	for _, p := range docPictures {
		base := p.base(main, score)
		_, body := fixture.Call(t, http.DefaultClient, "GET", base+p.path, "")
		// The printed footer holds the port, which may differ in each run.
		body = strings.ReplaceAll(body, base, "https://verdetto.example")
		text := anyTag.ReplaceAllString(scalable.ReplaceAllString(mainPart.FindString(body), ""), "\n")
		lines := strings.FieldsFunc(html.UnescapeString(text), func(r rune) bool { return r == '\n' })
		fmt.Fprintf(&texts, "== %s\n%s\n", p.file, strings.Join(lines, "\n"))
		if p.file == "page.png" {
			describesPage(t, strings.Join(lines, "\n"))
		}
	}
	pictureCards(t, &texts)
	if *update {
		pictureDocs(t, main, score)
		if err := os.WriteFile(picturesText, []byte(texts.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(picturesText)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(recorded), texts.String()); diff != "" {
		t.Errorf("the pictures in docs/ show an older page; make them again with\n"+
			"go test ./e2e/check/web -run TestProvePictures -update\n%s", diff)
	}
}

func (p docPicture) base(main, score string) string {
	if strings.HasPrefix(p.path, "/pagella") {
		return score
	}
	return main
}

var (
	altOfPage = regexp.MustCompile(`<img src="docs/page.png"[^>]* alt="([^"]*)"`)
	inEuros   = regexp.MustCompile(`€([0-9.]+)`)
)

func describesPage(t *testing.T, page string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	alt := altOfPage.FindSubmatch(readme)
	if alt == nil {
		t.Fatal("README.md has no picture of the page")
	}
	for _, fact := range []string{`(?m)^Fares are .* right now\.$`, `€[0-9]+\.[0-9]{2}`, `(?:High|Medium|Low) certainty`} {
		want := inEuros.ReplaceAllString(regexp.MustCompile(fact).FindString(page), "$1 euro")
		if want == "" || !strings.Contains(string(alt[1]), want) {
			t.Errorf("README.md describes the picture of the page as %q, without %q", alt[1], want)
		}
	}
}

func pictureCards(t *testing.T, texts *strings.Builder) {
	t.Helper()
	b := openBrowser(t)
	for _, p := range docCards {
		c := showCard(t, b, screen{"docs", 392, 900, p.scheme}, p.tool, p.arguments, `{serverTools: {}, openLinks: {}}`)
		text := evaluate[string](c.tab, inside+`.querySelector('main').innerText`)
		fmt.Fprintf(texts, "== %s\n%s\n", p.file, text)
		if *update {
			box := `document.querySelector('iframe').getBoundingClientRect()`
			c.saveClip(p.file, page.Viewport{X: evaluate[float64](c.tab, box+`.x`), Y: evaluate[float64](c.tab, box+`.y`),
				Width: evaluate[float64](c.tab, box+`.width`), Height: evaluate[float64](c.tab, box+`.height`), Scale: 1})
		}
	}
}

func (w *tab) saveClip(file string, clip page.Viewport) {
	w.t.Helper()
	beyond := true
	shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot,
		page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond, Clip: &clip})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "..", "docs", file), shot.Data, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func pictureDocs(t *testing.T, main, score string) {
	t.Helper()
	w := openBrowser(t).open(t, screen{"docs", 760, 900, "light"})
	for _, p := range docPictures {
		w.visit(p.base(main, score) + p.path)
		w.wait(`document.querySelector('article h1') && document.fonts.status === 'loaded'`)
		top, height := 0.0, p.height
		if p.element != "" {
			w.unfold()
			box := `document.querySelector('` + p.element + `').getBoundingClientRect()`
			top = evaluate[float64](w, box+`.top + scrollY`)
			height = min(height, evaluate[float64](w, box+`.height`))
		}
		w.saveClip(p.file, page.Viewport{Y: top, Width: 760, Height: height, Scale: 1})
	}
}
