// Package notify decides who is notified about which fare, how often, and by which channel.
//
// A refresh calls StoreNews to store news of each route that has alerts. A Sender later sends that
// news to the subscribers, in the same process or another. Confirmations mails the links with which
// new alerts are confirmed. Start reading at rule.go.
//
//	who        rule.go           which alerts the news of a route meets
//	           mailbox.go        how many mails a mailbox gets, and when it gets none
//	what       news.go           what a refresh found
//	           outlook.go        the verdict on the departure date of a fare
//	           message.go        the content of a message, and the interface of carriers
//	           alert_message.go  composes messages, with texts.go, what_changed.go and picture.go
//	           mails.go          composes mails
//	how often  history.go        what refreshes found, so that a fare that stays cheap is not sent again
//	           send_rate.go      the rate limit of each channel
//	channel    work.go           from the news of all routes to the subscribers of each
//	           deliver.go        one message to one subscriber, with retries
//	           confirmations.go  the mails that callers can request
//	           network_turns.go  whose turn it is if many callers request mails
//	           digest.go         the weekly digest
//	links      links.go          pseudonyms of subscribers, and the links in mails
//	           page_links.go     links to the page about a fare
//
// To add a kind of alert, start with Watch.meets in rule.go. To add a channel, implement Carrier
// (message.go).
package notify
