package mail

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
)

// reader prints the parts of a message. Python's email package cannot share a mistake with
// Composer.
const reader = `
import base64, email, email.policy, json, sys
message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
parts, defects = [], [repr(d) for d in message.defects]
for header in message.values():
    defects += [repr(d) for d in getattr(header, "defects", [])]
for part in message.walk():
    defects += [repr(d) for d in part.defects]
    content = None
    if not part.is_multipart():
        content = part.get_content()
        if isinstance(content, bytes):
            content = "base64:" + base64.b64encode(content).decode()
        content = content.replace("\r\n", "\n") # lines of a mail end so
    parts.append({"type": part.get_content_type(), "id": part["Content-ID"], "name": part.get_filename(), "content": content})
body = message.get_body(("html", "plain"))
print(json.dumps({
    "headers": [[k, str(v)] for k, v in message.items() if not k.startswith("Content-")],
    "from": [[a.display_name, a.addr_spec] for a in message["From"].addresses],
    "to": [[a.display_name, a.addr_spec] for a in message["To"].addresses],
    "date": message["Date"].datetime.isoformat(),
    "preferred": body.get_content_type(),
    "parts": parts, "defects": defects,
}))
`

type pythonPart struct {
	Type    string
	ID      *string
	Name    *string
	Content *string
}

type pythonMessage struct {
	Headers   [][2]string
	From, To  [][2]string
	Date      string
	Preferred string
	Parts     []pythonPart
	Defects   []string
}

func readByPython(t *testing.T, raw []byte) pythonMessage {
	t.Helper()
	python := testenv.Command(t, "python3", "apt-get install python3")
	command := exec.CommandContext(t.Context(), python, "-c", reader)
	var faults bytes.Buffer
	command.Stdin, command.Stderr = bytes.NewReader(raw), &faults
	out, err := command.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, &faults)
	}
	var got pythonMessage
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestProvePythonReadsWhatWasMeant(t *testing.T) {
	const from = "v@verdetto.example"
	headers := func(subject, sender string, more ...[2]string) [][2]string {
		all := [][2]string{
			{"Date", "Sun, 01 Mar 2026 07:05:00 +0000"}, {"From", sender}, {"To", "ada@example.com"},
			{"Subject", subject}, {"Message-Id", "<abababababababababababababababab@verdetto.example>"},
		}
		return append(append(all, more...), [2]string{"Auto-Submitted", "auto-generated"},
			[2]string{"Mime-Version", "1.0"})
	}
	part := func(contentType, content string) pythonPart { return pythonPart{Type: contentType, Content: &content} }
	text := func(s string) *string { return &s }
	full := whole()

	for _, c := range []struct {
		name, from string
		message    Message
		want       pythonMessage
	}{
		{"text", from, Message{To: "ada@example.com", Subject: "Hello", Text: "Hello.\n"}, pythonMessage{
			Headers: headers("Hello", from), From: [][2]string{{"", from}}, Preferred: "text/plain",
			Parts: []pythonPart{part("text/plain", "Hello.\n")},
		}},
		{"subject like an encoded word", "Già <" + from + ">",
			Message{To: "ada@example.com", Subject: "=?utf-8?q?a?= b", Text: "t\n"}, pythonMessage{
				Headers: headers("=?utf-8?q?a?= b", "Già <"+from+">"), From: [][2]string{{"Già", from}},
				Preferred: "text/plain",
				Parts:     []pythonPart{part("text/plain", "t\n")},
			}},
		{"long subject of emoji", from, Message{To: "ada@example.com", Subject: strings.Repeat("✈️🏷️", 18),
			Text: "t\n"}, pythonMessage{
			Headers: headers(strings.Repeat("✈️🏷️", 18), from), From: [][2]string{{"", from}}, Preferred: "text/plain",
			Parts: []pythonPart{part("text/plain", "t\n")},
		}},
		{"long ASCII subject", from, Message{To: "ada@example.com",
			Subject: strings.TrimSpace(strings.Repeat("word ", 49)), Text: "t\n"}, pythonMessage{
			Headers: headers(strings.TrimSpace(strings.Repeat("word ", 49)), from), From: [][2]string{{"", from}},
			Preferred: "text/plain",
			Parts:     []pythonPart{part("text/plain", "t\n")},
		}},
		{"whole", `"Verdetto, già «caro»" <` + from + `>`, full, pythonMessage{
			Headers: headers(full.Subject, `"Verdetto, già «caro»" <`+from+`>`,
				[2]string{"List-Unsubscribe", "<" + full.Unsubscribe + ">"},
				[2]string{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}),
			From: [][2]string{{"Verdetto, già «caro»", from}}, Preferred: "text/html",
			Parts: []pythonPart{
				{Type: "multipart/related"}, {Type: "multipart/alternative"},
				part("text/plain", full.Text), part("text/html", full.HTML),
				{"image/png", text("<prezzi.1@verdetto>"), text("prezzi più bassi.png"),
					text("base64:" + base64.StdEncoding.EncodeToString(full.Inline[0].Data))},
				{"image/svg+xml", text("<due>"), nil, text("base64:")},
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := composer(t, c.from).Compose(c.message)
			if err != nil {
				t.Fatal(err)
			}
			c.want.To = [][2]string{{"", "ada@example.com"}}
			c.want.Date = "2026-03-01T07:05:00+00:00"
			c.want.Defects = []string{}
			if diff := cmp.Diff(c.want, readByPython(t, raw)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Python's MIME parser finds exactly the content of a mail with a picture and an unsubscribe link.
func TestProvePythonReadsAPicture(t *testing.T) {
	m := Message{ID: "20160301-MIL-BUH-abc", To: "ada@example.com", Subject: "Milano–Bucarest: ora 14,99\u00a0€",
		Text: "14,99\u00a0€\n", HTML: `<img src="cid:lows@verdetto" alt="14,99 €">`, Tag: AlertTag,
		Inline: []Attachment{{ContentID: "lows@verdetto", ContentType: "image/png", Name: "verdetto.png",
			Data: []byte("\x89PNG\r\n\x1a\n")}},
		Unsubscribe: "https://verdetto.example/v1/alerts/unsubscribe?t=a"}
	raw, err := composer(t, "Verdetto <v@verdetto.example>").Compose(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(raw))
	id, name := "<lows@verdetto>", "verdetto.png"
	picture := "base64:" + base64.StdEncoding.EncodeToString(m.Inline[0].Data)
	want := pythonMessage{
		Headers: [][2]string{
			{"Date", "Sun, 01 Mar 2026 07:05:00 +0000"}, {"From", "Verdetto <v@verdetto.example>"}, {"To", m.To},
			{"Subject", m.Subject}, {"Message-Id", "<" + m.ID + "@verdetto.example>"},
			{"List-Unsubscribe", "<" + m.Unsubscribe + ">"}, {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
			{"Auto-Submitted", "auto-generated"}, {"Mime-Version", "1.0"},
		},
		From: [][2]string{{"Verdetto", "v@verdetto.example"}}, To: [][2]string{{"", m.To}},
		Date: "2026-03-01T07:05:00+00:00", Preferred: "text/html", Defects: []string{},
		Parts: []pythonPart{{Type: "multipart/related"}, {Type: "multipart/alternative"},
			{Type: "text/plain", Content: &m.Text}, {Type: "text/html", Content: &m.HTML},
			{Type: "image/png", ID: &id, Name: &name, Content: &picture}},
	}
	if diff := cmp.Diff(want, readByPython(t, raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProvePythonReadsAConfirmation(t *testing.T) {
	got, err := ConfirmMail(aConfirm())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := composer(t, "Verdetto <v@verdetto.example>").Compose(got)
	if err != nil {
		t.Fatal(err)
	}
	read := readByPython(t, raw)
	if len(read.Defects) > 0 || len(read.Parts) != 3 || read.Preferred != "text/html" ||
		read.To[0][1] != "ada@example.com" {
		t.Fatalf("read as %+v", read)
	}
	if *read.Parts[1].Content != got.Text || *read.Parts[2].Content != got.HTML {
		t.Error("what was read is not what was written")
	}
	for _, h := range read.Headers {
		if h[0] == "Subject" && h[1] != got.Subject {
			t.Errorf("subject %q, want %q", h[1], got.Subject)
		}
	}
}
