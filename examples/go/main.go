// Command verdict requests a verdict with a generated API client. The package client is not
// committed, so generate it first, from the service's OpenAPI description:
//
//	mkdir client
//	go tool oapi-codegen -config oapi-codegen.yaml openapi.json
//	go run . URL ORIGIN DESTINATION
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"verdict/client"
)

func main() {
	c, err := client.NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	answer, err := c.AnalisiWithResponse(context.Background(), &client.AnalisiParams{Origine: os.Args[2], Destinazione: os.Args[3]})
	switch {
	case err != nil:
		log.Fatal(err)
	case answer.JSON200 != nil:
		var a client.Analysis // JSON200 is a union, because with the parameter campi the answer is only a part of an Analysis
		if err := json.Unmarshal(answer.Body, &a); err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.Origine, a.Destinazione, a.Verdetto.Livello, a.Verdetto.Campione, a.Osservazioni)
	case answer.ApplicationproblemJSON404 != nil:
		fmt.Println(answer.ApplicationproblemJSON404.Code)
	default:
		log.Fatal(answer.Status())
	}
}
