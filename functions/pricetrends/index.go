package pricetrends

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

type Index struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Version     string     `json:"version"`
	Endpoints   []Endpoint `json:"endpoints"`
	Auth        Auth       `json:"auth"`
	Cache       Cache      `json:"cache"`
	License     License    `json:"license"`
	Pro         Pro        `json:"pro"`
}

type Endpoint struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Alias  string `json:"alias"`
	Free   string `json:"free,omitempty" doc:"Quota without a key, per IP address"`
	Pro    string `json:"pro,omitempty" doc:"Quota with a key"`
}

type Auth struct {
	Header string `json:"header"`
	Free   string `json:"free"`
	Pro    string `json:"pro"`
}

type Cache struct {
	FreeSeconds    int    `json:"freeSeconds" doc:"Seconds for which a shared cache keeps a free answer of price-trends"`
	ProSeconds     int    `json:"proSeconds" doc:"Seconds for which an answer of price-trends to a key is kept"`
	RefreshSeconds int    `json:"refreshSeconds" doc:"Most seconds between two refreshes of a route"`
	Note           string `json:"note"`
}

type License struct {
	Fares string `json:"fares"`
	Names string `json:"names"`
	Rates string `json:"rates"`
}

type Pro struct {
	Card    string `json:"card,omitempty"`
	Crypto  string `json:"crypto,omitempty"`
	Recover string `json:"recover"`
}

func (s *Service) registerIndex(api *httpapi.API) {
	bodies := map[bool][]byte{}
	for _, all := range []bool{false, true} {
		body, err := json.Marshal(index(all))
		if err != nil {
			panic(fmt.Sprintf("pricetrends: the index cannot be written: %v", err))
		}
		bodies[all] = body
	}
	httpapi.JSON(api, "index", httpapi.JSONDoc{
		Summary: "Index of the API",
		Answer:  Index{},
	}, nil, func(ctx context.Context, in *indexInput) (*httpapi.Tagged, error) {
		return httpapi.Tag(in.IfNoneMatch, "application/json", bodies[httpapi.AllFares(ctx)]), nil
	})
}

type indexInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that you already have"`
}

// Unless all is true, index leaves out the endpoints that show single fares.
func index(all bool) Index {
	i := Index{
		Name: "Verdetto",
		Description: "Says whether today's cheapest fare on a flight route is cheap, compared with that " +
			"route's own observed history. Also shows price trends and popular destinations of an " +
			"origin. No bookable offers.",
		Version: httpapi.Version,
		Auth: Auth{
			Header: httpapi.KeyHeader,
			Free:   "no key and no signup; counted by address, an IPv6 address with its /64, and all of a /48 together",
			Pro:    "a key in the header, or in Authorization: Bearer; a key that is unknown, replaced or whose plan has ended is refused with 401, never taken for none",
		},
		Cache: Cache{
			RefreshSeconds: 7 * 24 * 60 * 60,
			Note:           "a cache of fares that were found, not a live-price feed; updatedAt and aggiornatoIl say how old it is",
		},
		License: License{
			Fares: "observed fares, for information only",
			Names: "OpenTravelData and GeoNames, CC BY 4.0; OurAirports, public domain",
			Rates: "European Central Bank, euro foreign exchange reference rates",
		},
		Pro: Pro{Recover: "POST /api/v1/pro/recupera"},
	}
	unsold := routes.NothingSold.Load()
	if !unsold {
		i.Pro.Card, i.Pro.Crypto = "POST /api/v1/pro/checkout", "GET /v1/pro/cripta"
	}
	for _, r := range routes.Table {
		if paths := r.Paths(); len(paths) == 2 && (all || !r.SingleFares) && !(unsold && r.Sells()) { // only the API's own endpoints have an alias
			i.Endpoints = append(i.Endpoints, Endpoint{r.Method, paths[0], paths[1], r.Free.String(), r.Pro.String()})
		}
		if r.Name == "price-trends" {
			i.Cache.FreeSeconds, i.Cache.ProSeconds = int(r.Edge.Free/time.Second), int(r.Edge.Pro/time.Second)
		}
	}
	return i
}
