package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Under another logical id, a deployment would replace the resource.
func name(construct constructs.Construct, id string) {
	made := construct.Node().DefaultChild()
	if made == nil {
		made = construct
	}
	made.(awscdk.CfnElement).OverrideLogicalId(jsii.String(id))
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func output(stack awscdk.Stack, id string, value *string, what string) {
	awscdk.NewCfnOutput(stack, jsii.String(id), &awscdk.CfnOutputProps{Value: value, Description: jsii.String(what)})
}

func join(separator string, values ...*string) *string {
	return awscdk.Fn_Join(jsii.String(separator), &values)
}

func allow(sid string, actions []string, resources ...*string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String(sid), Actions: list(actions...), Resources: &resources,
	})
}

func inline(statements ...awsiam.PolicyStatement) *map[string]awsiam.PolicyDocument {
	return &map[string]awsiam.PolicyDocument{"Own": awsiam.NewPolicyDocument(
		&awsiam.PolicyDocumentProps{Statements: &statements})}
}

func seconds(n int) awscdk.Duration { return awscdk.Duration_Seconds(jsii.Number(n)) }

func list(values ...string) *[]*string { return jsii.Strings(values...) }
