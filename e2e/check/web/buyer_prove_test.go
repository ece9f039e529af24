package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/web/httpapi"
)

var phone = screen{"phone", 360, 740, "light"}

func (s shop) works(t *testing.T, key string) int {
	t.Helper()
	return s.call(t, "GET", "/v1/pro/chiave", key, nil)
}

func (s shop) call(t *testing.T, method, path, key string, answer any) int {
	t.Helper()
	response, body := fixture.Call(t, http.DefaultClient, method, s.base+path, "", httpapi.KeyHeader, key)
	if answer != nil {
		if err := json.Unmarshal([]byte(body), answer); err != nil {
			t.Fatalf("%s %v", body, err)
		}
	}
	return response.StatusCode
}

func (s shop) processor(t *testing.T, what string) {
	t.Helper()
	_, page := fixture.Call(t, http.DefaultClient, "GET", s.Payments.StripeURL+"/", "")
	form := url.Values{"subscription": {regexp.MustCompile(`sub_\w+`).FindString(page)}, "do": {what}}
	done, _ := fixture.Call(t, http.DefaultClient, "POST", s.Payments.StripeURL+"/", form.Encode(), "Content-Type",
		fixture.Form)
	if done.StatusCode != 200 {
		t.Fatalf("%s: %s", what, done.Status)
	}
}

func shownKey(w *tab) string {
	w.t.Helper()
	w.wait(`document.querySelector('code.key')`)
	return w.text("code.key")
}

type words struct{ tag, price, every, shown, erased string }

var spoken = map[string]words{
	"it": {"it", "12,99", "al mese", "La chiave è già stata mostrata", "I tuoi dati sono cancellati"},
	"en": {"en-GB", "12.99", "a month", "The key was already shown", "Your data are erased"},
}

func TestProveBuyerByCard(t *testing.T) {
	b := openBrowser(t)
	for lang, says := range spoken {
		t.Run(lang, func(t *testing.T) {
			s := openShop(t)
			w := b.open(t, screen{"buyer-card-" + lang, phone.width, phone.height, phone.scheme})
			w.language(says.tag)
			w.visit(s.base + "/")
			w.do(click(".pro a.go"))
			w.wait(`document.querySelector('#card-email')`)
			if price := w.text(".price"); !strings.Contains(price, says.price) || !strings.Contains(price, says.every) {
				t.Errorf("the price before the address is asked: %q", price)
			}
			w.check("offer")
			w.do(typeIn("#card-email", "ada@example.com"), click("form[data-send] button"))
			w.wait(`document.title === 'Invented checkout'`)
			w.do(click(`button[value=pay]`))
			key := shownKey(w)
			if status := s.works(t, key); status != 200 {
				t.Fatalf("the key that was shown is answered with %d", status)
			}
			w.wait(`document.querySelector('button.copy').hidden === false`)
			w.do(click(`button.copy`))
			w.wait(`document.querySelector('button.copy').nextElementSibling.textContent || getSelection().toString()`)
			w.check("key")

			at := evaluate[string](w, `location.href`)
			if status, _ := w.visit(at); status != 200 || shownKey(w) != key {
				t.Errorf("reloaded: %d", status)
			}
			s.later.Add(int64(10 * time.Minute))
			if status, html := w.visit(at); status != 409 || !strings.Contains(html, says.shown) ||
				strings.Contains(html, key) {
				t.Errorf("after ten minutes: %d %s", status, html)
			}
			w.check("key-shown")

			w.do(click("main a.go"))
			w.wait(`document.querySelector('#email')`)
			w.check("recover")
			w.do(typeIn("#email", "ada@example.com"), click("main form button"))
			w.wait(`!document.querySelector('#email')`)
			w.check("recovering")
			fresh := mailed(t, s.mails, fixture.KeyPattern)
			w.wait(`true`)
			for end := time.Now().Add(time.Minute); s.works(t, fresh) != 200 && time.Now().Before(end); {
				w.wait(`true`)
			}
			if s.works(t, key) != 401 || s.works(t, fresh) != 200 {
				t.Errorf("after the recovery the old key is answered with %d, the fresh one with %d", s.works(t, key),
					s.works(t, fresh))
			}
			var rotated struct{ APIKey string }
			if status := s.call(t, "POST", "/v1/pro/chiave/ruota", fresh, &rotated); status != 200 ||
				s.works(t, fresh) != 401 {
				t.Errorf("rotated: %d", status)
			}

			w.visit(s.base + "/v1/pro/gestione?lang=" + lang)
			w.check("manage")
			w.do(typeIn("#chiave", rotated.APIKey), click("form[action*=portale] button"))
			w.wait(`document.querySelector('main a.go')`)
			w.check("portal")
			w.do(click("main a.go"))
			w.wait(`document.title === 'Invented subscriptions'`)
			w.do(click("form button[value=cancel]"))
			w.wait(`document.body.textContent.includes(', cancelled')`)
			if status := s.works(t, rotated.APIKey); status != 200 {
				t.Errorf("cancelled, and paid for, the key is answered with %d", status)
			}
			w.visit(s.base + "/v1/pro/gestione?lang=" + lang)
			w.do(typeIn("#email", "ada@example.com"), click("form[action*=gestione] button"))
			w.wait(`!document.querySelector('#email')`)
			w.check("manage-asked")
			link := mailed(t, s.mails, regexp.MustCompile(regexp.QuoteMeta(s.base)+`/v1/pro/gestione/piano\S*`))
			w.visit(link)
			w.check("plan")

			s.processor(t, "end")
			s.later.Add(int64(40 * 24 * time.Hour))
			var ended struct{ Code string }
			if status := s.call(t, "GET", "/v1/pro/chiave", rotated.APIKey, &ended); status != 401 ||
				ended.Code != "piano-scaduto" {
				t.Errorf("ended: %d %s", status, ended.Code)
			}
			if status, _ := w.visit(link); status != 410 {
				t.Errorf("the link after its hour: %d", status)
			}
			w.check("link-gone")

			w.visit(s.base + "/v1/pro/gestione?lang=" + lang)
			w.do(typeIn("#email", "ada@example.com"), click("form[action*=gestione] button"))
			w.wait(`!document.querySelector('#email')`)
			var newest string
			fixture.Mail(t, s.mails, func(m maildir.Mail) bool {
				newest = regexp.MustCompile(regexp.QuoteMeta(s.base) + `/v1/pro/gestione/piano\S*`).FindString(m.Text)
				return newest != "" && newest != link
			})
			w.visit(newest)
			w.check("plan-ended")
			w.do(click("#conferma"), click("button.danger"))
			w.wait(`document.querySelector('h1').textContent === '` + says.erased + `'`)
			w.check("erased")
			if status := s.works(t, rotated.APIKey); status != 401 {
				t.Errorf("erased, the key is answered with %d", status)
			}
			w.quiet("the server responded with a status of 409", "the server responded with a status of 410")
		})
	}
}

func (s shop) payShown(w *tab) {
	w.t.Helper()
	link, err := url.Parse(evaluate[string](w, `document.querySelector('.pay a.go').getAttribute('href')`))
	if err != nil || link.Scheme != "solana" || link.Opaque != onemachine.StandInWallet {
		w.t.Fatalf("the link is %v: %v", link, err)
	}
	q := link.Query()
	units, err := pay.ParseUnits(q.Get("amount"))
	if err != nil || q.Get("reference") == "" || q.Get("memo") == "" {
		w.t.Fatalf("%v: %v", q, err)
	}
	s.Payments.Node.Pay(playmoney.Transfer{
		Wallet: link.Opaque, Mint: q.Get("spl-token"), Units: uint64(units), Memo: q.Get("memo"),
		Reference: q.Get("reference"),
	})
}

func TestProveBuyerInUSDC(t *testing.T) {
	b := openBrowser(t)
	for lang, says := range spoken {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			w := b.open(t, screen{"buyer-usdc-" + lang, phone.width, phone.height, phone.scheme})
			w.language(says.tag)
			w.visit(s.base + "/v1/pro?lang=" + lang)
			w.do(typeIn("#usdc-email", "ada@example.com"),
				click("form[action='/v1/pro/cripta'] button"))
			w.wait(`document.querySelector('.qr svg')`)
			w.wait(`document.querySelector('button.copy[value=memo]').hidden === false`)
			w.check("usdc")
			s.payShown(w)
			key := shownKey(w)
			w.check("usdc-key")
			if status := s.works(t, key); status != 200 {
				t.Errorf("the key is answered with %d", status)
			}
			s.later.Add(int64(30 * 24 * time.Hour))
			var ended struct{ Code string }
			if status := s.call(t, "GET", "/v1/pro/chiave", key, &ended); status != 401 ||
				ended.Code != "piano-scaduto" {
				t.Errorf("after 30 days: %d %s", status, ended.Code)
			}
			w.quiet()
		})
	}
}

func TestProveUSDCWithoutAScript(t *testing.T) {
	b := openBrowser(t)
	s := openShop(t)
	w := b.open(t, screen{"noscript-usdc", 1280, 800, "light"})
	w.visit(s.base + "/v1/pro/cripta")
	w.do(typeIn("#usdc-email", "ada@example.com"), click("main form button"))
	w.wait(`document.querySelector('.qr svg')`)
	w.do(click("form[data-watch] button"))
	w.wait(`location.pathname.endsWith('/attesa') && document.querySelector('.qr svg')`)
	w.check("waiting")
	s.payShown(w)
	w.do(click("form[data-watch] button"))
	first := shownKey(w)
	w.check("key")
	w.visit(s.base + "/v1/pro/cripta?lang=en")
	w.do(typeIn("#usdc-email", "bob@example.com"), click("main form button"))
	w.wait(`document.querySelector('.qr svg')`)
	signature := s.Payments.Node.Pay(playmoney.Transfer{Wallet: onemachine.StandInWallet, Mint: pay.DevnetUSDC,
		Units: fixture.Price}).String()
	w.do(click("summary"), typeIn("#signature", signature), click("details button"))
	if second := shownKey(w); second == first || s.works(t, first) != 200 || s.works(t, second) != 200 {
		t.Error("two buyers have not two keys that work")
	}
	w.quiet()
}

func TestProveBuyingPages(t *testing.T) {
	b := openBrowser(t)
	s := openShop(t)
	for i, lang := range []string{"it", "en"} {
		on := apart[i]
		w := b.open(t, screen{"pages-" + lang + "-" + on.name, on.width, on.height, on.scheme})
		w.t = t
		for _, p := range []struct{ name, path string }{
			{"offer", "/v1/pro?"}, {"usdc-ask", "/v1/pro/cripta?"},
			{"usdc-pay", "/v1/pro/cripta?email=ada%40example.com&t=000102030405060708090a0b0c0d0e0f&"},
			{"recover", "/v1/pro/recupera?"}, {"manage", "/v1/pro/gestione?"},
			{"terms", "/v1/termini?"}, {"privacy", "/v1/privacy?"}, {"contact", "/v1/contatti?"},
			{"imprint", "/v1/note-legali?"},
		} {
			status, html := w.visit(s.base + p.path + "lang=" + lang)
			if status != 200 || !strings.Contains(html, `<html lang="`+lang+`"`) {
				t.Errorf("%s in %s: %d", p.name, lang, status)
			}
			w.weigh(s.base, html)
			w.check(p.name)
		}
		w.quiet()
	}
}
