package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestProveAnswer_IsShort(t *testing.T) {
	const path = "/?da=DXB&a=NYC&lang=en"
	now := func() time.Time { return time.Date(2026, 8, 21, 12, 0, 0, 0, time.UTC) }
	o := onemachine.Options{Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example",
		LocalURL: fixture.LocalURL, Now: now}
	source, _, err := onemachine.OpenSource(t.Context(),
		"csv:"+filepath.Join(testenv.Data(t), "fares", "travelpayouts_daily_2025_2026.csv.gz"), "price", &o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.Source, o.Table = source, fixture.Unlimited{Table: fixture.Bolt(t, now)}
	if report, err := o.Refresh(t.Context(), nil); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	api := fixture.New(t, o).API
	server := httptest.NewServer(edge.Config{}.Handler(api, nil, now))
	t.Cleanup(server.Close)

	sent := func(coding, path string) int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", coding)
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(path, answer.Status, err)
		}
		return len(body)
	}
	least := time.Hour
	for range 5 { // the minimum of five runs counts, because other programs use the processor too
		const calls = 40
		began := processorTime(t)
		for range calls {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		}
		least = min(least, (processorTime(t)-began)/calls)
	}
	w := openBrowser(t).open(t, screen{"answer", 390, 844, "light"})
	_, html := w.visit(server.URL + path)
	w.picture("page")
	height := evaluate[float64](w, `document.documentElement.scrollHeight`)
	price := evaluate[float64](w, `document.querySelector('.sum').getBoundingClientRect().bottom`)
	files := regexp.MustCompile(`/assets/[a-z0-9.-]+`).FindAllString(html, -1)
	slices.Sort(files)
	zipped, all := sent("gzip", path), sent("br", path)
	for _, file := range slices.Compact(files) {
		all += sent("br", file)
	}
	t.Logf("%.0f px folded, price until %.0f px, %d bytes with gzip, %d with all files and Brotli, %v of processor", height, price,
		zipped, all, least)
	if height > 1900 || price > 420 || zipped > 12_000 || all > 40_000 {
		t.Error("more than 1900 px, 420 px, 12000 or 40000 bytes")
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
