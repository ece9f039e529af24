package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"
)

// logged lists the fields of the edge's log. IP address, query, cookie, referrer and user agent are
// missing, because they carry e-mail addresses, sessions, signed links and keys. (AWS, "Configure
// standard logging (v2)" and "Standard logging reference".)
var logged = []string{
	"timestamp(ms)", "x-edge-location", "x-edge-request-id", "cs-method", "cs-protocol", "cs-uri-stem",
	"cache-behavior-path-pattern",
	"sc-status", "sc-bytes", "x-edge-result-type", "x-edge-detailed-result-type", "time-taken", "origin-fbl",
	"c-country", "asn",
}

// newAccessLog uses standard logging (v2), which has selectable fields and can be set up only in
// us-east-1.
func newAccessLog(stack awscdk.Stack, c config, d cloudfront.Distribution) {
	bucket := awss3.NewBucket(stack, jsii.String("AccessLogs"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(), Encryption: awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:      jsii.Bool(true),
		ObjectOwnership: awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Expiration:                          awscdk.Duration_Days(jsii.Number(c.AccessLogDays)),
			AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(jsii.Number(1)),
		}},
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	name(bucket, "AccessLogs")
	// AWS writes this policy for a log delivery that is set up by hand ("Enable logging from AWS
	// services").
	bucket.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("Delivery"), Actions: list("s3:PutObject"),
		Resources:  &[]*string{bucket.ArnForObjects(jsii.String("AWSLogs/" + c.Account + "/*"))},
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("delivery.logs.amazonaws.com"), nil)},
		Conditions: &map[string]any{
			"StringEquals": map[string]string{"aws:SourceAccount": c.Account,
				"s3:x-amz-acl": "bucket-owner-full-control"},
			"ArnLike": map[string]string{"aws:SourceArn": fmt.Sprintf("arn:aws:logs:%s:%s:delivery-source:%s-edge",
				edgeRegion, c.Account, c.Name)},
		},
	}))
	source := awslogs.NewCfnDeliverySource(stack, jsii.String("AccessLogSource"), &awslogs.CfnDeliverySourceProps{
		Name: jsii.String(c.Name + "-edge"), LogType: jsii.String("ACCESS_LOGS"), ResourceArn: d.DistributionArn(),
	})
	destination := awslogs.NewCfnDeliveryDestination(stack, jsii.String("AccessLogDestination"),
		&awslogs.CfnDeliveryDestinationProps{
			Name: jsii.String(c.Name + "-edge"), OutputFormat: jsii.String("json"),
			DestinationResourceArn: bucket.BucketArn(),
		})
	delivery := awslogs.NewCfnDelivery(stack, jsii.String("AccessLogDelivery"), &awslogs.CfnDeliveryProps{
		DeliverySourceName: source.Ref(), DeliveryDestinationArn: destination.AttrArn(), RecordFields: list(logged...),
	})
	delivery.Node().AddDependency(bucket.Policy()) // creating the delivery tests the bucket
}
