// Package notify tells subscribers of fares: who is told, what, how often, and
// by which channel. A refresh leaves the news of the routes that somebody has an
// alert for (Leave); a Sender works it off, subscriber by subscriber, in the same
// process or another, then or later. Confirmations asks for the confirmation
// without which there is no alert.
//
//	who          rule.go     which alerts the news of a route meets
//	what         news.go     what a refresh found; picture.go draws it, compose.go writes the mail
//	how often    history.go  what earlier refreshes found: a fare that stays cheap is told of once
//	             pace.go     messages per second, for the whole service
//	by which     send.go     from the news to everyone it concerns; deliver.go, to one of them
//	channel
//	to whom not  suppress.go mailboxes that refused mail, or complained of it
//	links        links.go    pseudonyms, and the signed links that mails hold
//
// Another kind of alert is another rule over the same history, another channel
// is another way to deliver; both begin at deliver.go.
package notify
