// Package page renders the service for people, in the reader's language. The page at / shows a
// verdict, calendar or deals. Cards (PNG), charts (SVG), feeds and sitemaps have their own addresses.
// Package published computes the answers. Start reading at home.
package page

import (
	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	*published.Answers
	Cities   *answer.CoveredCities // needed by Register, not by Addresses
	BaseURL  string
	Telegram bool
}

func (s *Service) Register(api *httpapi.API) {
	s.registerHome(api)
	s.registerCard(api)
	s.registerFeeds(api)
	s.registerSitemaps(api)
	registerAssets(api)
}
