// Package notify decides who is notified about which fare, how often, and by which channel.
//
// A refresh calls StoreNews to store news of every route that has alerts. A Sender later sends that
// news to the subscribers, in the same process or another. Confirmations mails the confirmation
// link that every new alert needs. Start reading at rule.go.
//
//	who        rule.go      which alerts the news of a route meets
//	           suppress.go  how long a mailbox gets no mail after a refusal or a complaint
//	what       news.go      what a refresh found
//	           outlook.go   the verdict on the departure date of a fare
//	           message.go   the content of a message, and the interface of carriers
//	           look.go      composes messages and mails, with picture.go
//	how often  history.go   what earlier refreshes found: a fare that stays cheap is sent once
//	           send_rate.go      the rate limit of each channel
//	channel    send.go      from the news of all routes to the subscribers of each
//	           deliver.go   one message to one subscriber, with retries
//	           confirmations.go the mail that asks for confirmation
//	           network_turns.go     whose turn it is, if many callers ask for such mails
//	           digest.go    the weekly digest
//	links      links.go     pseudonyms of subscribers, and the signed links in mails
//
// To add a kind of alert, add a case to Watch.meets in rule.go. To add a channel, implement Carrier
// (message.go).
package notify
