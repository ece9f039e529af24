package page

import "net/http"

// The service sells no flights, so the schema.org data contain no Offer, Product or Rating.

type linked map[string]any

func (v *view) Structured() any {
	if v.Base == "" || v.status != http.StatusOK || !v.plain || v.Trip != (trip{}) {
		return nil
	}
	site, here := v.Base+"/", v.Base+v.Itself
	crumbs := []linked{{"@type": "ListItem", "position": 1, "name": "Verdetto", "item": site}}
	crumb := func(name, address string) {
		crumbs = append(crumbs, linked{"@type": "ListItem", "position": len(crumbs) + 1, "name": name,
			"item": v.Base + address})
	}
	lang := ""
	if v.Lang != "" {
		lang = v.T.Code
	}
	if v.To != "" {
		crumb(v.listTitle(v.From), pageAddress(v.AskFrom, "", trip{}, lang, ""))
		crumb(routeName(v.T, v.From, v.To), v.Itself)
	} else if v.From != "" {
		crumb(v.Title, v.Itself)
	}
	page := linked{
		"@type": "WebPage", "@id": here, "url": here, "name": v.Title, "description": v.Description,
		"inLanguage": v.T.Code,
		"isPartOf":   linked{"@id": site + "#site"},
		"breadcrumb": linked{"@type": "BreadcrumbList", "itemListElement": crumbs},
	}
	if v.Verdict != nil {
		page["dateModified"] = v.Verdict.Updated
	}
	return linked{"@context": "https://schema.org",
		"@graph": []linked{{"@type": "WebSite", "@id": site + "#site", "url": site, "name": "Verdetto"}, page}}
}
