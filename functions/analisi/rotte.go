package analisi

import (
	"context"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type routesInput struct {
	Origine      string `query:"origine" doc:"Only routes from this city (name or IATA code)" example:"Milano"`
	Destinazione string `query:"destinazione" doc:"Only routes to this city (name or IATA code)"`
	Page         string `query:"page" pattern:"^([A-Z]{3})?$" patternDescription:"what an earlier answer gave as successiva" doc:"Where to go on: successiva of the page before"`
}

type routesOutput struct{ Body published.Routes }

func (s *Service) registerRoutes(api *httpapi.API) {
	httpapi.JSON(api, "rotte", httpapi.JSONDoc{
		Summary:     "The routes that are covered",
		Description: "Which routes a verdict can be asked for, how many observations each rests on, and how fresh they are.",
		Problems:    []httpapi.ProblemType{httpapi.UnknownCity},
	}, nil, s.routes)
}

func (s *Service) routes(ctx context.Context, in *routesInput) (*routesOutput, error) {
	listed, err := s.Answers().Covered(ctx, answer.Named{Parameter: "origine", Name: in.Origine}, answer.Named{Parameter: "destinazione", Name: in.Destinazione}, in.Page)
	return &routesOutput{listed}, err
}
