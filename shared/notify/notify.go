// Package notify notifies subscribers of fares: who is notified, of what, how
// often, and by which channel. A refresh leaves news of the routes that somebody
// has an alert for (Leave); a Sender sends it to the subscribers, in the same
// process or another, then or later. Confirmations asks for the confirmation
// without which there is no alert.
//
//	who        rule.go      which alerts the news of a route meets
//	           suppress.go  how long mailboxes that refused mail, or complained of it, get none
//	what       news.go      what a refresh found
//	           outlook.go   what is to be expected of the departure
//	           message.go   what a message says, and the interface of carriers
//	           compose.go   messages and mails, with picture.go
//	how often  history.go   what earlier refreshes found: a fare that stays cheap is sent once
//	           pace.go      messages per second, for the whole service
//	channel    send.go      from the news of all routes to the subscribers of each
//	           deliver.go   to one subscriber, until it is known what became of it
//	           confirm.go   the mail that asks for confirmation
//	           digest.go    once a week, all that a subscriber watches so
//	links      links.go     pseudonyms of subscribers, and the signed links that mails hold
//
// Another kind of alert is another case of meets in rule.go, another channel
// another Carrier (message.go).
package notify
