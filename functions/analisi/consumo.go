package analisi

import (
	"context"

	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type usageInput struct{}

type usageOutput struct{ Body published.Consumo }

func registerUsage(api *httpapi.API) {
	httpapi.JSON(api, "consumo", httpapi.JSONDoc{
		Summary:     "What you have left",
		Description: "The caps of who calls, with a key or without, what was used of them and what is left, until when the plan lasts and what it rests on. It tells nothing of anybody else.",
	}, nil, func(ctx context.Context, _ *usageInput) (*usageOutput, error) {
		u, err := published.UsageOf(ctx)
		return &usageOutput{u}, err
	})
}
