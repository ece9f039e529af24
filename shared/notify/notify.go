// Package notify decides who is notified about which fare, how often, and by which channel.
//
// A refresh calls StoreNews to store what it found on a subscribed route. A Sender later notifies
// the subscribers, in the same process or another. Start reading at rule.go.
//
// To add a kind of alert, start with Watch.meets in rule.go. To add a channel, implement Carrier.
package notify
