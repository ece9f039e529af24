package web

// A text must have a contrast of 4.5 with the page, and a mark a contrast of 3 (WCAG 2.2, 1.4.3 and
// 1.4.11).
const contrasts = `(() => {
	const parts = c => c.match(/[\d.]+/g).map(Number);
	const light = c => c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const page = parts(getComputedStyle(document.body).backgroundColor);
	const contrast = (c, opacity) => {
		const alpha = (c[3] ?? 1) * opacity, mixed = c.slice(0, 3).map((v, i) => v * alpha + page[i] * (1 - alpha));
		const [a, b] = [light(mixed), light(page)].sort((a, b) => b - a);
		return (a + .05) / (b + .05);
	};
	const seen = [...document.querySelectorAll('figure svg.chart')].filter(s => s.getBoundingClientRect().height > 0)
		.flatMap(s => [...s.querySelectorAll('text, rect, path, circle')])
		.filter(e => !e.matches('.tap, .shade, .grid'));
	const faults = new Set(seen.flatMap(e => {
		const s = getComputedStyle(e), text = e.matches('text');
		const colours = (text ? [s.fill] : [s.fill, s.stroke]).filter(c => c !== 'none').map(parts);
		const most = Math.max(...colours.map(c => contrast(c, Number(s.opacity))));
		return most >= (text ? 4.5 : 3) ? [] : [e.tagName + '.' + e.getAttribute('class') + ' ' + most.toFixed(2)];
	}));
	return {Seen: seen.length, Faults: [...faults]};
})()`

func (w *tab) contrast(what string) int {
	w.t.Helper()
	found := evaluate[struct {
		Seen   int
		Faults []string
	}](w, contrasts)
	if len(found.Faults) > 0 {
		w.t.Errorf("%s, %s: of %d texts and marks these are too faint: %q", w.name, what, found.Seen, found.Faults)
	}
	return found.Seen
}
