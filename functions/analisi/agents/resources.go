package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/functions/analisi/reference"
	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

// Reading the reference counts towards no quota. Reading a list of cities or routes counts like GET
// /v1/rotte.

const (
	referenceURI = "verdetto://reference"
	coverageURI  = "verdetto://coverage"
)

type Coverage struct {
	Citta []published.Citta `json:"citta"`
	Altre bool              `json:"altre"`
	Rotte string            `json:"rotte"`
}

const maxCovered = 2000

func (s *Service) addResources(server *mcp.Server) {
	server.AddResource(&mcp.Resource{
		URI: referenceURI, Name: "reference", Title: "The service in one page", MIMEType: "text/plain",
		Description: "The endpoints with their quotas, the rules for all of them, and where the full reference is.",
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := reference.InShort(s.api)
		return contents(string(text)), err
	})
	server.AddResource(&mcp.Resource{
		URI: coverageURI, Name: "coverage", Title: "Cities that fares are known from", MIMEType: "application/json",
		Description: "The cities from which fares have been observed, with their IATA codes. altre says " +
			"whether there are more. Reading it counts as watched_routes.",
	}, s.resource(func(ctx context.Context, _ string) (any, error) {
		cities, err := s.Answers.Stored.Covered(ctx, "", maxCovered+1)
		c := Coverage{Citta: []published.Citta{}, Altre: len(cities) > maxCovered, Rotte: coverageURI + "/{origin}"}
		for _, city := range cities[:min(len(cities), maxCovered)] {
			c.Citta = append(c.Citta, published.Citta{Codice: string(city), Nome: places.Name(city, "en")})
		}
		return c, err
	}))
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: coverageURI + "/{origin}", Name: "coverage-from",
		Title: "Destinations that are covered from a city", MIMEType: "application/json",
		Description: "Every destination in the data from a city, given by its IATA code, with the number of observations " +
			"behind each and the time of the newest. Reading it counts as watched_routes.",
	}, s.resource(func(ctx context.Context, uri string) (any, error) {
		return s.Answers.Covered(ctx, originOf(strings.TrimPrefix(uri, coverageURI+"/")), answer.Named{}, "")
	}))
}

func (s *Service) resource(read func(ctx context.Context, uri string) (any, error)) mcp.ResourceHandler {
	return func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		ctx = ctx.Value(exchangeKey{}).(*exchange).ctx
		err := s.api.ConsumeQuota(ctx, "rotte")
		var found any
		if err == nil {
			found, err = read(ctx, request.Params.URI)
		}
		if err != nil {
			p := s.api.ProblemFor(ctx, "rotte", err)
			fault := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: p.Detail}
			if p.Code == httpapi.UnknownCity.Code {
				fault.Code = jsonrpc.CodeInvalidParams
			}
			fault.Data, err = json.Marshal(p)
			if err != nil {
				return nil, fmt.Errorf("write problem: %w", err)
			}
			return nil, fault
		}
		body, err := json.Marshal(found)
		if err != nil {
			return nil, fmt.Errorf("write resource: %w", err)
		}
		return contents(string(body)), nil
	}
}

func contents(text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: text}}}
}
