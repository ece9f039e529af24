package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store/dynamostore/schema"
)

var unnarrowable = []string{"s3:PutObject"}

type grant struct {
	id        string
	actions   []string
	resources []string
	principal bool
	service   string
}

func (h *synthesized) grants() []grant {
	var all []grant
	add := func(id string, document any) {
		for _, s := range asList(at(document, "Statement")) {
			if at(s, "Effect") != "Allow" {
				continue
			}
			g := grant{id: id, principal: at(s, "Principal") != nil}
			for _, a := range asList(at(s, "Action")) {
				g.actions = append(g.actions, a.(string))
			}
			if at(s, "NotAction") != nil || at(s, "NotResource") != nil {
				g.actions = append(g.actions, "*")
			}
			for _, r := range asList(at(s, "Resource")) {
				g.resources = append(g.resources, compact(r))
			}
			g.service = compact(at(s, "Principal"))
			all = append(all, g)
		}
	}
	for id, r := range h.Resources {
		for _, name := range []string{"PolicyDocument", "AssumeRolePolicyDocument", "ResourcePolicy"} {
			if d := at(r.Properties, name); d != nil {
				add(id, d)
			}
		}
		for _, p := range asList(at(r.Properties, "Policies")) {
			add(id, at(p, "PolicyDocument"))
		}
	}
	return all
}

func (g grant) wide() []string {
	var faults []string
	for _, a := range g.actions {
		if strings.Contains(a, "*") {
			faults = append(faults, "action "+a)
		}
	}
	narrow := slices.ContainsFunc(g.actions, func(a string) bool { return !slices.Contains(unnarrowable, a) })
	for _, r := range g.resources {
		if strings.Contains(r, "*") && narrow {
			faults = append(faults, "resource "+r)
		}
	}
	if g.principal && strings.Contains(g.service, "*") {
		faults = append(faults, "principal "+g.service)
	}
	return faults
}

func TestPolicies(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		all := h.grants()
		if len(all) < 30 {
			t.Errorf("%s: only %d statements were looked at", name, len(all))
		}
		for _, g := range all {
			for _, fault := range g.wide() {
				t.Errorf("%s: %s allows by a wildcard: %s", name, g.id, fault)
			}
		}
	}
}

func TestWhoReadsWhichSecret(t *testing.T) {
	h := fixture(t, "example")
	want := map[string][]string{
		"analisi":     {"callers-pepper", "origin-secrets"},
		"pricetrends": {"callers-pepper", "origin-secrets"},
		"compat":      {"callers-pepper", "origin-secrets"},
		"x402":        {"callers-pepper", "origin-secrets", "solana-nodes", "x402-fee-key"},
		"alerts":      {"origin-secrets", "pepper"},
		"pro":         {"origin-secrets", "pepper", "solana-nodes", "stripe-key", "stripe-webhook-secrets"},
		"refresh":     {"pepper", "travelpayouts-token"},
	}
	for _, f := range functions {
		var allowed, named []string
		for _, g := range h.grants() {
			if strings.HasPrefix(g.id, title(f.name)+"Role") &&
				slices.Contains(g.actions, "ssm:GetParameters") {
				for _, r := range g.resources {
					allowed = append(allowed, strings.TrimPrefix(r,
						"arn:aws:ssm:eu-west-1:123456789012:parameter/verdetto/"))
				}
			}
		}
		for _, v := range h.property(title(f.name)+"Function", "Environment", "Variables").(map[string]any) {
			if name, ok := strings.CutPrefix(compact(v), "ssm:/verdetto/"); ok {
				named = append(named, name)
			}
		}
		slices.Sort(allowed)
		slices.Sort(named)
		if diff := cmp.Diff(want[f.name], allowed); diff != "" {
			t.Errorf("%s may read (-want +got):\n%s", f.name, diff)
		}
		if diff := cmp.Diff(want[f.name], named); diff != "" {
			t.Errorf("%s is to read (-want +got):\n%s", f.name, diff)
		}
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	h := fixture(t, "example")
	visitor := []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem",
		"logs:CreateLogStream", "logs:PutLogEvents", "ssm:GetParameters"}
	payer := slices.Concat([]string{"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem"}, visitor)
	worker := []string{"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem",
		"dynamodb:Query", "dynamodb:UpdateItem",
		"logs:CreateLogStream", "logs:PutLogEvents", "ses:SendEmail", "ses:SendRawEmail",
		"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ReceiveMessage", "sqs:SendMessage",
		"ssm:GetParameters"}
	want := map[string][]string{"analisi": visitor, "pricetrends": visitor, "compat": visitor, "x402": payer,
		"pro": worker, "alerts": worker, "refresh": slices.Sorted(slices.Values(append(slices.Clone(worker), "sqs:ChangeMessageVisibility")))}
	for _, f := range functions {
		var may []string
		for _, g := range h.grants() {
			if strings.HasPrefix(g.id, title(f.name)+"Role") && !g.principal {
				may = append(may, g.actions...)
			}
		}
		slices.Sort(may)
		if diff := cmp.Diff(want[f.name], slices.Compact(may)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.name, diff)
		}
	}
}

func TestPartitions(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		for _, f := range functions {
			want := map[string][]string{}
			for _, a := range reads {
				want[a] = schema.ReadBy(f.name)
			}
			for _, a := range f.table {
				want[a] = schema.WrittenBy(f.name)
			}
			got := map[string][]string{}
			for id, r := range h.Resources {
				if id != title(f.name)+"Role" {
					continue
				}
				for _, s := range asList(at(r.Properties, "Policies", 0, "PolicyDocument", "Statement")) {
					var keys []string
					for _, k := range asList(at(s, "Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys")) {
						keys = append(keys, k.(string))
					}
					for _, a := range asList(at(s, "Action")) {
						if action := a.(string); strings.HasPrefix(action, "dynamodb:") {
							if _, twice := got[action]; twice {
								t.Errorf("%s: two statements let %s do %s", name, f.name, action)
							}
							got[action] = keys
						}
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, f.name, diff)
			}
			for action, keys := range got {
				if len(keys) == 0 || slices.Contains(keys, "*") {
					t.Errorf("%s: %s may do %s to all of the table", name, f.name, action)
				}
			}
		}
	}
}

func TestWhoIsKeptFromWhat(t *testing.T) {
	for _, c := range []struct{ function, how, partition string }{
		{"analisi", "write", "CUSTOMER#"}, {"pricetrends", "write", "CUSTOMER#"}, {"compat", "write", "CUSTOMER#"},
		{"alerts", "write", "CUSTOMER#"}, {"refresh", "write", "CUSTOMER#"},
		{"alerts", "read", "CUSTOMER#"}, {"refresh", "read", "CUSTOMER#"},
		{"analisi", "read", "ALERTS#"}, {"pricetrends", "read", "ALERTS#"}, {"compat", "read", "ALERTS#"},
		{"compat", "read", "PENDING#"}, {"compat", "read", "OUTBOX#"}, {"compat", "read", "SECRET"},
		{"compat", "write", "ROUTE#"}, {"x402", "write", "ROUTE#"}, {"x402", "read", "CUSTOMER#"},
		{"x402", "read", "CASHED#"}, {"pro", "write", "PAID#"}, {"analisi", "read", "PAID#"},
		{"pro", "read", "ALERTS#"},
		{"analisi", "read", "PENDING#"}, {"pricetrends", "read", "PENDING#"}, {"pro", "read", "PENDING#"},
		{"refresh", "read", "PENDING#"},
		{"analisi", "read", "OUTBOX#"}, {"pricetrends", "read", "OUTBOX#"}, {"alerts", "read", "OUTBOX#pro"},
		{"pro", "read", "OUTBOX#alerts"},
		{"analisi", "write", "ROUTE#"}, {"pricetrends", "write", "ROUTE#"}, {"pro", "write", "ROUTE#"},
		{"alerts", "write", "ROUTE#"},
		{"analisi", "read", "SECRET"}, {"pro", "read", "SECRET"}, {"alerts", "read", "SECRET"},
		{"refresh", "read", "SECRET"},
	} {
		may := schema.ReadBy(c.function)
		if c.how == "write" {
			may = schema.WrittenBy(c.function)
		}
		if slices.ContainsFunc(may, func(p string) bool { return strings.HasPrefix(p, c.partition) }) {
			t.Errorf("%s may %s %s", c.function, c.how, c.partition)
		}
	}
}
