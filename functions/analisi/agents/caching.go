package agents

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stripCacheHints removes the cache lifetime from results for clients of protocol revisions before
// 2026-07-28. Such clients do not state their revision in each request.
func stripCacheHints(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if _, keeps := result.(mcp.CacheableResult); !keeps || err != nil {
			return result, err
		}
		if p := request.GetParams(); p != nil {
			if _, named := p.GetMeta()[mcp.MetaKeyProtocolVersion]; named {
				return result, nil
			}
		}
		return withoutCacheHints{result}, nil
	}
}

type withoutCacheHints struct{ mcp.Result }

func (u withoutCacheHints) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(u.Result)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	delete(fields, "ttlMs")
	delete(fields, "cacheScope")
	return json.Marshal(fields)
}
