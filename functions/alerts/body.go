package alerts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/url"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// readBody returns the fields of a request as text, and their faults. The fields are nil if the
// body is malformed.
func readBody(contentType string, body []byte) (map[string]string, []fault) {
	if isForm(contentType) {
		return readForm(body)
	}
	return readJSON(contentType, body)
}

const usualDrop = "10"

func isForm(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/x-www-form-urlencoded"
}

// readForm accepts empty fields, because browsers send them too.
func readForm(body []byte) (map[string]string, []fault) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, []fault{{field: "body", text: "not_form"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, all := range values {
		switch {
		case !slices.Contains(fields, name):
			faults = append(faults, unknownField(name))
		case len(all) > 1:
			faults = append(faults, fault{field: name, text: "repeated"})
		default:
			given[name] = all[0]
		}
	}
	if given["kind"] == store.Drop && given["percent"]+given["amount"] == "" {
		given["percent"] = usualDrop
	}
	readAmounts(given)
	return given, faults
}

// readAmounts rewrites the amounts of a form as the API takes them. People type 45 €, $50 or
// 1.234,50. The currency of an amount becomes that of the form. Other texts stay.
func readAmounts(given map[string]string) {
	in, err := fare.ParseCurrency(cmp.Or(given["currency"], euro))
	if err != nil {
		return
	}
	from, to, _ := strings.Cut(given["route"], "-")
	for _, name := range amounts {
		price, ok := answer.ParsePrice(given[name], in, from, to)
		if !ok {
			continue
		}
		given[name] = fare.Money{Amount: price.Amount}.Short()
		if price.Currency != in {
			given["currency"] = strings.TrimSuffix(price.Currency.String(), euro)
		}
	}
}

// amounts are the numeric fields that may have decimals. numbers are all numeric fields.
var (
	amounts = []string{"threshold", "amount", "paid"}
	numbers = append([]string{"days", "percent"}, amounts...)
)

func readJSON(contentType string, body []byte) (map[string]string, []fault) {
	if kind, _, err := mime.ParseMediaType(contentType); contentType != "" &&
		(err != nil || kind != "application/json") {
		return nil, []fault{{field: "body", text: "content_type"}}
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil || raw == nil {
		return nil, []fault{{field: "body", text: "not_json"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, value := range raw {
		null := bytes.Equal(value, []byte("null"))
		switch {
		case !slices.Contains(fields, name):
			faults = append(faults, unknownField(name))
		case null && name != "route": // null means absent
		case slices.Contains(numbers, name):
			if first := value[0]; first != '-' && (first < '0' || first > '9') {
				faults = append(faults, fault{field: name, text: name})
			}
			given[name] = string(value)
		case name == "nonstop":
			if value[0] == '"' {
				faults = append(faults, fault{field: name, text: name})
			}
			given[name] = string(value)
		default:
			var text string
			if err := json.Unmarshal(value, &text); err != nil || null {
				faults = append(faults, fault{field: name, text: "not_text"})
			}
			given[name] = text
		}
	}
	return given, faults
}
