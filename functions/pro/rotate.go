package pro

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

func (s *Service) registerKey(api *httpapi.API) {
	httpapi.JSON(api, "pro-chiave", httpapi.JSONDoc{
		Summary: "Look at a key",
		Description: "Returns the plan of the key in X-Api-Key, its end, its payments, and the calls " +
			"made in this minute and today, including this one.",
		Problems: []httpapi.ProblemType{httpapi.BadKey},
	}, nil, s.key)
	httpapi.JSON(api, "pro-ruota", httpapi.JSONDoc{
		Summary: "Replace a key with a new one",
		Description: "Returns a new key for the one in X-Api-Key, which is refused from then on. With an " +
			"Idempotency-Key, a lost answer can be repeated for 10 minutes: send the old key and the " +
			"same Idempotency-Key.",
		Problems: []httpapi.ProblemType{httpapi.BadKey, httpapi.PlanEnded, httpapi.TooMany},
	}, nil, s.rotate)
}

type keyInput struct {
	Key string `header:"X-Api-Key" doc:"Your current key"`
}

type rest struct {
	Source string    `json:"by" enum:"card,usdc,operator"`
	Until  time.Time `json:"until" doc:"End, UTC. By card, it includes 3 days of grace"`
}

type keyOutput struct {
	Body struct {
		Plan      string    `json:"plan" enum:"pro"`
		ExpiresAt time.Time `json:"expiresAt" doc:"End of the plan unless it is renewed, UTC"`
		IssuedAt  time.Time `json:"issuedAt" doc:"Time at which the key was issued, UTC"`
		RestsOn   []rest    `json:"restsOn" doc:"The payments and grants behind the plan, the latest end first"`
		Guarded   bool      `json:"guarded" doc:"Whether a recovery first mails a link, and a key only once it is confirmed there"`
		Usage     []usage   `json:"usage" doc:"Calls with the key, by endpoint. A tool of /mcp counts under the endpoint with the same answer"`
	}
}

type usage struct {
	Path      string `json:"path" example:"/v1/analisi"`
	Minute    int64  `json:"minute" doc:"Calls made in this minute; of /v1/pro/portale, in this hour" example:"3"`
	PerMinute int64  `json:"perMinute" doc:"Calls that a minute allows; of /v1/pro/portale, an hour" example:"120"`
	Today     int64  `json:"today" doc:"Calls made today (UTC)" example:"57"`
}

func refusedKey() error {
	return httpapi.BadKey.Problem("The header X-Api-Key holds no valid key. Request a new one with POST "+
		"/api/v1/pro/recupera.").
		With("WWW-Authenticate", "ApiKey")
}

func (s *Service) key(ctx context.Context, in *keyInput) (*keyOutput, error) {
	c, err := s.customerOf(ctx, in.Key, "")
	if err != nil {
		return nil, err
	}
	out := &keyOutput{}
	used, err := httpapi.UsedByCaller(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range used {
		out.Body.Usage = append(out.Body.Usage, usage{u.Route.Path, u.Window, u.Cap.Calls, u.Today})
	}
	out.Body.RestsOn = []rest{}
	for _, r := range c.Sources() {
		out.Body.RestsOn = append(out.Body.RestsOn, rest(r))
	}
	out.Body.Plan, out.Body.ExpiresAt, out.Body.IssuedAt = "pro", c.Plan().Until, c.IssuedAt
	out.Body.Guarded = c.Guarded(s.Now())
	return out, nil
}

type rotateInput struct {
	Key string `header:"X-Api-Key" doc:"Your current key"`
	httpapi.Repeatable
}

type rotateOutput struct {
	Body struct {
		APIKey    string    `json:"apiKey" doc:"The new key"`
		Plan      string    `json:"plan" enum:"pro"`
		ExpiresAt time.Time `json:"expiresAt" doc:"End of the plan unless it is renewed, UTC"`
	}
}

// perKey counts only calls with a current or a recently replaced key, so that strangers without a key
// cannot use up the limit.
var perKey = limit.Limit{Name: "pro-ruota-key", Calls: 20, Window: time.Hour}

// With an Idempotency-Key, a retry returns the same new key, which a leaked old key alone does not
// reveal.
func (s *Service) rotate(ctx context.Context, in *rotateInput) (*rotateOutput, error) {
	shown, ok := apikey.Parse(in.Key)
	if !ok {
		return nil, refusedKey()
	}
	now := s.Now()
	lookup, known := s.Refused.Begin("rotation", shown, now)
	if known {
		return nil, refusedKey()
	}
	c, err := s.Keys.Customer(ctx, shown.Customer)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !c.HasKey(shown) && !c.HasRotated(shown, now):
		s.Refused.Add(lookup, "rotation", shown, now)
		return nil, refusedKey()
	case err != nil:
		return nil, err
	case !c.Plan().Live(now):
		return nil, httpapi.PlanEnded.Problem(
			"The plan of this key ended on "+c.Plan().Until.UTC().Format(time.DateOnly)+
				". Renew it with POST /api/v1/pro/checkout or GET /v1/pro/cripta.").With("WWW-Authenticate", "ApiKey")
	}
	if err := httpapi.ConsumeLimit(ctx, perKey, string(c.ID),
		"This key was rotated too often. Wait for the seconds in Retry-After."); err != nil {
		return nil, err
	}
	text, hash, err := apikey.Mint(in.Random(ctx, s.Random, "pro rotated key", in.Key), c.ID)
	if err != nil {
		return nil, err
	}
	c, err = s.Keys.Rotate(ctx, shown, hash, now)
	if errors.Is(err, store.ErrNotHeld) {
		return nil, refusedKey()
	}
	if err != nil {
		return nil, err
	}
	out := &rotateOutput{}
	out.Body.APIKey, out.Body.Plan, out.Body.ExpiresAt = text, "pro", c.Plan().Until
	return out, nil
}
