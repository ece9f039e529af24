package mail

import (
	"regexp"
	"strings"
	"testing"
)

type wanted struct {
	Message
	says  []string
	links int // number of links in the HTML; if 0, any number is right
}

var loads = regexp.MustCompile(`(?i)<(link|script|iframe|object|video)|url\(|@import|\ssrc="(?:[^c]|c[^i])`)

func (want wanted) hold(t *testing.T, name string, got Message) {
	t.Helper()
	if name != "" {
		golden(t, name+".txt", []byte(got.Subject+"\n\n"+got.Text))
		golden(t, name+".html", []byte(got.HTML))
	}
	if want.Subject != "" && got.Subject != want.Subject {
		t.Errorf("subject %q", got.Subject)
	}
	if got.ID != want.ID || got.To != want.To || got.Tag != want.Tag || got.Unsubscribe != want.Unsubscribe {
		t.Errorf("message %+v", got)
	}
	for what, body := range map[string]string{"text": got.Text, "HTML": strings.ReplaceAll(got.HTML, "&amp;", "&")} {
		for _, words := range want.says {
			if !strings.Contains(strings.ReplaceAll(body, "\n", " "), words) {
				t.Errorf("%s lacks %q", what, words)
			}
		}
		if strings.Contains(body, "no value") || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s is wrongly filled:\n%s", what, body)
		}
	}
	if n := strings.Count(got.HTML, "href="); want.links > 0 && n != want.links {
		t.Errorf("%d links, want %d", n, want.links)
	}
	if strings.Contains(got.HTML, "<img") != (len(got.Inline) > 0) {
		t.Errorf("%d pictures", len(got.Inline))
	}
	if found := loads.FindString(got.HTML); found != "" {
		t.Errorf("reading the mail would load something: %s", found)
	}
	for line := range strings.SplitSeq(got.Text, "\n") {
		if len([]rune(line)) > 78 && !strings.Contains(line, "https://") {
			t.Errorf("long line %q", line)
		}
	}
	if _, err := composer(t, "v@verdetto.example").Compose(got); err != nil {
		t.Error(err)
	}
}
