package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"regexp"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3assets"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// origin connects CloudFront to API Gateway by a domain, and by mutual TLS if ClientCertificate and
// Authority are set.
type origin struct {
	Domain            string `json:"domain"`
	Certificate       string `json:"certificate"` // ARN in the stack's region
	ClientCertificate string `json:"clientCertificate"`
	// Authority is the path of a PEM file, absolute or relative to the configuration file.
	Authority string `json:"authority"`
}

func (o origin) hasDomain() bool { return o.Domain != "" }

func (o origin) isMutual() bool { return o.ClientCertificate != "" }

func (o origin) rules(c config) []rule {
	if o == (origin{}) {
		// Stacks in two regions cannot exchange addresses, so a service outside us-east-1 needs a domain.
		return []rule{{"origin", when(c.Region != edgeRegion && regionShape.MatchString(c.Region),
			"missing: elsewhere than in us-east-1 API Gateway needs a domain of its own, by which CloudFront reaches "+
				"it")}}
	}
	here := regexp.MustCompile(`^arn:aws:acm:` + regexp.QuoteMeta(c.Region) + `:[0-9]{12}:certificate/[0-9a-f-]+$`)
	rules := []rule{
		{"origin", when(c.Domain == "", "it needs the service's own domain as well")},
		{"origin.domain", shaped(o.Domain, domainShape, "a domain such as origin.example.com")},
		{"origin.domain", when(o.Domain != "" && o.Domain == c.Domain,
			"%q is the service's own; give another name, such as origin.%[1]s", o.Domain)},
		{"origin.certificate", shaped(o.Certificate, here, "the ARN of a certificate in "+c.Region)},
		{"origin.clientCertificate, origin.authority", when(o.isMutual() != (o.Authority != ""),
			"give both or neither")},
	}
	if o.isMutual() && o.Authority != "" {
		err := checkAuthority(o.Authority)
		rules = append(rules,
			rule{"origin.clientCertificate", shaped(o.ClientCertificate, certificateShape,
				"the ARN of a certificate in us-east-1")},
			rule{"origin.authority", when(err != nil, "%v", err)},
		)
	}
	return rules
}

func checkAuthority(file string) error {
	rest, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	found := 0
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("%s holds a %s; only certificates belong in it", file, block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !certificate.IsCA {
			return fmt.Errorf("%s holds the certificate of %s, which is no authority's", file, certificate.Subject)
		}
		found++
	}
	if found == 0 {
		return fmt.Errorf("%s holds no certificate in PEM", file)
	}
	return nil
}

func (o origin) behind(stack awscdk.Stack, api awsapigatewayv2.CfnApi, stage awsapigatewayv2.CfnStage) {
	props := &awsapigatewayv2.CfnDomainNameProps{
		DomainName: jsii.String(o.Domain),
		DomainNameConfigurations: []awsapigatewayv2.CfnDomainName_DomainNameConfigurationProperty{{
			CertificateArn: jsii.String(o.Certificate), EndpointType: jsii.String("REGIONAL"),
			SecurityPolicy: jsii.String("TLS_1_2"),
		}},
	}
	if o.isMutual() {
		// The asset's name depends on its content, so API Gateway loads a new authority.
		authority := awss3assets.NewAsset(stack, jsii.String("OriginAuthority"),
			&awss3assets.AssetProps{Path: jsii.String(o.Authority)})
		props.MutualTlsAuthentication = &awsapigatewayv2.CfnDomainName_MutualTlsAuthenticationProperty{TruststoreUri: authority.S3ObjectUrl()}
	}
	domain := awsapigatewayv2.NewCfnDomainName(stack, jsii.String("OriginDomain"), props)
	awsapigatewayv2.NewCfnApiMapping(stack, jsii.String("OriginMapping"), &awsapigatewayv2.CfnApiMappingProps{
		ApiId: api.Ref(), DomainName: domain.Ref(), Stage: stage.Ref(),
	})
	output(stack, "OriginRecord", join(" CNAME ", jsii.String(o.Domain), domain.AttrRegionalDomainName()),
		"the DNS record by which CloudFront reaches API Gateway")
}

func (o origin) prove(d cloudfront.Distribution) {
	if o.isMutual() {
		for i := range routes.Shares {
			d.Node().DefaultChild().(cloudfront.CfnDistribution).AddPropertyOverride(
				jsii.String(fmt.Sprintf("DistributionConfig.Origins.%d.CustomOriginConfig.OriginMtlsConfig", i)),
				map[string]string{"ClientCertificateArn": o.ClientCertificate})
		}
	}
}
