// Command preflight checks, before anything is created, what can make a first deployment fail:
//
//	go run ./infra/preflight -config verdetto.json
//
// It only reads, and shows no secret. Start reading at questions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/logging"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	file := flag.String("config", "", "`file` with the operator's choices, as make deploy gets them")
	adopt := flag.Bool("adopt", false, "let a new stack take over the table of an earlier one")
	flag.Parse()
	ready, err := run(ctx, *file, *adopt, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "preflight:", err)
	}
	if err != nil || !ready {
		os.Exit(1)
	}
}

type addresses struct{ stripe, fares string }

var public = addresses{stripe: "https://api.stripe.com", fares: "https://api.travelpayouts.com"}

func run(ctx context.Context, file string, adopt bool, out io.Writer) (ready bool, err error) {
	c, err := load(file)
	if err != nil {
		return false, err
	}
	c.adopt = adopt
	// The library would log its search for credentials.
	settings, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithRegion(c.Region), awsconfig.WithLogger(logging.Nop{}))
	if err != nil {
		return false, fmt.Errorf("load AWS configuration: %w", err)
	}
	if _, err := settings.Credentials.Retrieve(ctx); err != nil {
		return false, errors.New("there are no AWS credentials: set AWS_PROFILE, or run aws configure or aws sso login")
	}
	p := newPreflight(c, settings, public)
	return p.report(ctx, out), nil
}

const askTime = 20 * time.Second

type fault struct{ what, do string }

// A question returns faults, or an error if the check could not be made.
type question struct {
	about string
	ask   func(context.Context) ([]fault, error)
}

type preflight struct {
	config  config
	aws     aws.Config
	at      addresses
	client  *http.Client
	secrets map[string]string // by name in the Parameter Store, without the prefix
	note    string
}

func newPreflight(c config, settings aws.Config, at addresses) *preflight {
	return &preflight{config: c, aws: settings, at: at, client: &http.Client{Timeout: askTime},
		secrets: map[string]string{}}
}

// The first check verifies that the credentials are for the right AWS account. The second reads the
// secrets that later checks use.
func (p *preflight) questions() []question {
	questions := []question{
		{"the account", p.account},
		{"parameters", p.parameters},
		{"the origin's secret", p.originSecret},
		{"the bucket of deployments", p.bootstrap},
		{"the stack", p.stack},
		{"the table", p.table},
		{"certificates", p.certificates},
		{"mail", p.mail},
		{"the sender's domain", p.sender},
		{"instances of functions", p.concurrency},
		{"the fare source", p.fares},
	}
	if p.config.StripePrice != "" {
		questions = append(questions, []question{
			{"Stripe's key", p.permissions},
			{"Stripe's price", p.price},
			{"Stripe's webhook", p.webhook},
		}...)
	}
	if p.config.SolanaWallet != "" {
		questions = append(questions, []question{
			{"the chain's nodes", p.nodes},
			{"the wallet", p.wallet},
		}...)
	}
	return questions
}

func (p *preflight) report(ctx context.Context, out io.Writer) bool {
	faults, unasked := 0, 0
	for i, q := range p.questions() {
		asking, cancel := context.WithTimeout(ctx, askTime)
		found, err := q.ask(asking)
		cancel()
		switch {
		case err != nil:
			unasked++
			fmt.Fprintf(out, "?  %s: could not be asked: %v\n", q.about, err)
		case len(found) == 0:
			fmt.Fprintf(out, "ok %s\n", q.about)
		}
		for _, f := range found {
			faults++
			fmt.Fprintf(out, "NO %s: %s\n   -> %s\n", q.about, f.what, f.do)
		}
		if i == 0 && (err != nil || len(found) > 0) {
			fmt.Fprintln(out, "\nnothing else was asked")
			return false
		}
	}
	if p.note != "" {
		fmt.Fprintf(out, "\n!! %s\n", p.note)
	}
	if faults+unasked == 0 {
		fmt.Fprintln(out, "\nready to deploy")
		return true
	}
	fmt.Fprintf(out, "\nnot ready: %d to mend, %d could not be asked; make deploy with ANYWAY=1 deploys in spite of it\n", faults, unasked)
	return false
}
