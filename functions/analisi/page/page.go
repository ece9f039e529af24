// Package page is the service for people: the page at /, with its verdict, calendar or
// deals; the cards, pictures, feeds and sitemaps that go with it; and the parts of it
// that clients of AI agents show. Package published answers; here the answers are
// written in the reader's language. Start reading at home.
package page

import (
	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

// Service writes pages.
type Service struct {
	*published.Answers
	Cities   *answer.CoveredCities // for Register; parts are made without it
	BaseURL  string                // where the service is reached, for what must be linked to in full; empty: not known
	Telegram bool                  // alerts can come there
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	s.registerHome(api)
	s.registerCard(api)
	s.registerFeeds(api)
	s.registerSitemaps(api)
	registerAssets(api)
}
