// The Lambda executable of functions/analisi.
package main

import (
	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/functions/wiring/serving"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func main() {
	var site config.Public
	var fares config.Publication
	var bot config.Telegram // only the bot's name is set for this function
	var offer config.Offer
	p := serving.Load(&site, &fares, &bot, &offer)
	p.API.AllFares, p.API.PaidCalls, p.API.Pages = fares.All(), offer.MentionsPaid(), page.Problems
	api, records := httpapi.New(p.API), store.Fares{Table: p.Table}
	verdicts := &analisi.Service{
		Reader: answer.NewReader(records, p.Now, p.Log), Score: records,
		BaseURL: site.BaseURL, Telegram: bot.Bot != "",
	}
	verdicts.Register(api)
	trends := &view.Reader{Reader: verdicts.Reader, AllFares: fares.All()}
	(&agents.Service{Answers: verdicts.Answers(), Pages: verdicts.Pages(), Trends: trends, Log: p.Log}).Register(api)
	lambdahttp.Main(api)
}
