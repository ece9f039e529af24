package page

import (
	"net/http"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// The names of assets contain a hash of the content, so browsers may cache assets for a year.
func registerAssets(api *httpapi.API) {
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, contentType, ok := page.File(r.PathValue("file"))
		if !ok {
			httpapi.UnknownPath.Problem("There is no such file; it may be of an older page. Load the "+
				"page again.").Write(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodHead {
			_, _ = w.Write(data)
		}
	}), "assets")
}
