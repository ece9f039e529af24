package tasks

import "strings"

func document(rows, transcript string) []byte {
	return []byte(`# What a traveller wants to know

Each of 20 tasks is done by one call of the API, by one call of an agent's tool, and on the page in one to three steps: a form that is sent,
or a link that is followed. ` + "`make test PKG=./e2e/tasks`" +
		` does them over the invented world as of 1 March 2016, checks that it answers the
question, that programs and agents get the same answer and that the page shows it, and writes this document.

| task | call | tool | page | what it comes to |
|---|---|---|---|---|
` + rows + `
The caller picks a weekend from the days of a calendar: no endpoint knows days of the week. The calendar of the page has fares in
whole euros; a day leads to its exact fare. For returns the page wants two days and keeps the nights between them: where the first day has
no fare, it links to days near it that have one.

## An agent at work

Five of them as the official client of the protocol (the Go SDK's) had them from ` + "`/mcp`" +
		`. After the prompt sign stands the call, below it the text
of the answer; the structured answer beside it is that of the endpoint.

` + strings.TrimRight(transcript, "\n") + "\n")
}
