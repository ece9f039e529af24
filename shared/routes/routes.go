// Package routes is the one table of what the service answers: method, path,
// the function that answers, and what callers and the edge may do with it. The
// Lambda functions, the process on a desk, the edge's behaviours and the
// published description are all made from it. It holds data only.
package routes

// Route is one endpoint. Paths are written under /v1; each also answers under /api/v1.
type Route struct {
	Name     string // stable, used as the operation id
	Method   string
	Path     string
	Function string // the folder in functions/ that answers
}

// Table lists every endpoint.
var Table = []Route{
	{Name: "analisi", Method: "GET", Path: "/v1/analisi", Function: "analisi"},
}

// Alias is the prefix under which every path answers as well.
const Alias = "/api"

// Named returns the route of that name and panics when there is none: names are written in code, not given by callers.
func Named(name string) Route {
	for _, r := range Table {
		if r.Name == name {
			return r
		}
	}
	panic("routes: no route is named " + name)
}
