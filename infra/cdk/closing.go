package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsssm"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"
)

// With "freeTier": "budget" calls without a key are refused at the edge from the
// moment that the account's month costs more than its budget: the alarm OverBudget has
// a runbook of Systems Manager change the set of patterns that the firewall's rule
// asks. No function is called for it. It stays closed until somebody opens it.
//
// A budget of AWS cannot do it by itself: its actions take permissions away, or stop
// servers and databases. Its notices go to a topic, where a function would have to
// wait for them; the alarm watches the same sum, which AWS publishes every few hours.

// What the set holds: no path is empty, and every path begins with a slash.
const (
	noPath    = "^$"
	everyPath = "^/"
)

// overBudget is the alarm's id.
const overBudget = "OverBudget"

// newClosing makes what closes the free tier, and gives the statement that matches once it has.
func newClosing(stack awscdk.Stack, c config) *awswafv2.CfnWebACL_StatementProperty {
	named := c.Name + "-closed"
	set := awswafv2.NewCfnRegexPatternSet(stack, jsii.String("ClosedPaths"), &awswafv2.CfnRegexPatternSetProps{
		Name: jsii.String(named), Scope: jsii.String("CLOUDFRONT"), RegularExpressionList: list(noPath),
		Description: jsii.String("Paths that calls without a key are refused at. How to open them is in docs/operations.md, OverBudget"),
	})
	ours := map[string]any{"StringEquals": map[string]string{"aws:SourceAccount": c.Account}}
	role := func(id, service, description string, statements ...awsiam.PolicyStatement) awsiam.Role {
		made := awsiam.NewRole(stack, jsii.String(id), &awsiam.RoleProps{
			AssumedBy:   awsiam.NewServicePrincipal(jsii.String(service), &awsiam.ServicePrincipalOpts{Conditions: &ours}),
			Description: jsii.String(description),
		})
		name(made, id)
		for _, s := range statements {
			made.AddToPolicy(s)
		}
		return made
	}
	allow := func(action []string, resources ...*string) awsiam.PolicyStatement {
		return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{Actions: list(action...), Resources: &resources})
	}
	closer := role("CloseRole", "ssm.amazonaws.com", "What closing the free tier may do",
		allow([]string{"wafv2:GetRegexPatternSet", "wafv2:UpdateRegexPatternSet"}, set.AttrArn()))
	of := map[string]any{"Service": "wafv2", "Name": named, "Scope": "CLOUDFRONT", "Id": set.AttrId()}
	step := func(id, api string, more map[string]any) map[string]any {
		inputs := map[string]any{"Api": api}
		for _, m := range []map[string]any{of, more} {
			for k, v := range m {
				inputs[k] = v
			}
		}
		return map[string]any{"name": id, "action": "aws:executeAwsApi", "inputs": inputs}
	}
	look := step("look", "GetRegexPatternSet", nil)
	look["outputs"] = []any{map[string]any{"Name": "token", "Selector": "$.LockToken", "Type": "String"}} // which AWS asks for, so that nobody's change is lost
	runbook := awsssm.NewCfnDocument(stack, jsii.String("CloseFreeTier"), &awsssm.CfnDocumentProps{
		Name: jsii.String(c.Name + "-close-free-tier"), DocumentType: jsii.String("Automation"), DocumentFormat: jsii.String("JSON"), UpdateMethod: jsii.String("NewVersion"),
		Content: map[string]any{
			"schemaVersion": "0.3", "description": "Refuses calls without a key at the edge.", "assumeRole": closer.RoleArn(),
			"mainSteps": []any{look, step("close", "UpdateRegexPatternSet", map[string]any{
				"RegularExpressionList": []any{map[string]any{"RegexString": everyPath}}, "LockToken": "{{ look.token }}"})},
		},
	})
	definition := awscdk.Fn_Join(jsii.String(""), &[]*string{
		jsii.String(fmt.Sprintf("arn:aws:ssm:%s:%s:automation-definition/", edgeRegion, c.Account)), runbook.Ref(), jsii.String(":$DEFAULT")})
	pass := allow([]string{"iam:PassRole"}, closer.RoleArn())
	pass.AddCondition(jsii.String("StringEquals"), map[string]string{"iam:PassedToService": "ssm.amazonaws.com"})
	starter := role("OverBudgetRole", "events.amazonaws.com", "What the alarm OverBudget may do", allow([]string{"ssm:StartAutomationExecution"}, definition), pass)
	awsevents.NewCfnRule(stack, jsii.String("OverBudgetRule"), &awsevents.CfnRuleProps{
		Name: jsii.String(c.Name + "-over-budget"), State: jsii.String("ENABLED"),
		EventPattern: map[string]any{
			"source": []string{"aws.cloudwatch"}, "detail-type": []string{"CloudWatch Alarm State Change"},
			"resources": []string{fmt.Sprintf("arn:aws:cloudwatch:%s:%s:alarm:%s", edgeRegion, c.Account, alarmName(c.Name, overBudget, true))},
			"detail":    map[string]any{"state": map[string]any{"value": []string{"ALARM"}}},
		},
		Targets: []any{&awsevents.CfnRule_TargetProperty{Id: jsii.String("close"), Arn: definition, RoleArn: starter.RoleArn()}},
	})
	return &awswafv2.CfnWebACL_StatementProperty{RegexPatternSetReferenceStatement: &awswafv2.CfnWebACL_RegexPatternSetReferenceStatementProperty{
		Arn: set.AttrArn(), FieldToMatch: &awswafv2.CfnWebACL_FieldToMatchProperty{UriPath: map[string]any{}},
		TextTransformations: &[]*awswafv2.CfnWebACL_TextTransformationProperty{{Priority: jsii.Number(0), Type: jsii.String("NONE")}},
	}}
}
