package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
)

// A release lets an operator deploy the smallest set-up without Go, Node.js or the CDK.

// chosen contains stand-ins for parameters, such as 111122223333, which occur nowhere else in the
// template.
func chosen() config {
	c := defaults()
	c.Account, c.Region = "111122223333", edgeRegion
	c.Instances = 10 // a new account's quota, so no function reserves concurrency
	c.MailFrom, c.AlarmEmail = "Verdetto <chosen-user@chosen-domain.example>", "chosen@alarm.example"
	c.Generation = 424242
	c.Operator = operator{"chosen-name", "chosen-address", "chosen-email@operator.example", "chosen-phone",
		"chosen-number", "chosen-law"}
	return c
}

type choice struct {
	Type, Description                     string
	Default                               *string `json:",omitempty"`
	AllowedPattern, ConstraintDescription string  `json:",omitempty"`
	stands                                string
	optional                              bool
}

func references() map[string]choice {
	c, none, mail, one := chosen(), "", "mail", "1"
	user, domain, _ := strings.Cut(c.mailAddress(), "@")
	address := `[^@\s<>"]+@[^@\s<>"]+\.[^@\s<>"]+`
	all := map[string]choice{
		"MailUser": {Description: "The part before the @ of the address that mails are sent from", Default: &mail,
			AllowedPattern: `[A-Za-z0-9._-]+`, stands: user},
		"MailDomain": {Description: "Your domain, from which mails are sent, such as example.com. SES verifies it.",
			AllowedPattern:        `([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}`,
			ConstraintDescription: "Give a domain in small letters, such as example.com.", stands: domain},
		"AlarmEmail": {Description: "The address that alarms are sent to. AWS asks it to confirm.",
			AllowedPattern: address, ConstraintDescription: "Give a bare email address.", stands: c.AlarmEmail},
		"Generation": {Description: "Raise this number to restart the functions after you changed a secret.",
			Default: &one, AllowedPattern: `[0-9]{1,5}`, ConstraintDescription: "Give a number.",
			stands: fmt.Sprint(c.Generation)},
	}
	for _, p := range c.Operator.particulars() {
		_, field, _ := strings.Cut(p.field, ".")
		all["Operator"+title(field)] = choice{Description: "For the legal pages: your " + field + ". May be empty.",
			Default: &none, stands: p.value, optional: true}
	}
	for name, p := range all {
		p.Type = "String"
		all[name] = p
	}
	return all
}

const codeBucket = "CodeBucket"

// The key of a zip file contains the parameter folder, which names the version, so a newer
// template installs the newer executables.
func releaseTemplate(out, assets, folder string) (map[string]any, error) {
	made := *assertions.Template_FromStack(newStacks(newApp(out), chosen(), assets)[0], nil).ToJSON()
	text, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	// The CDK derives this id from the address.
	text = bytes.ReplaceAll(text, []byte("Alarmschosenalarmexample"), []byte("AlarmsByMail"))
	template := map[string]any{}
	if err := json.Unmarshal(text, &template); err != nil {
		return nil, err
	}
	template = refer(template).(map[string]any)
	parameters, conditions := map[string]any{codeBucket: choice{Type: "String",
		Description: "The bucket in us-east-1 to which you have uploaded the folder " + folder}}, map[string]any{}
	for name, p := range references() {
		parameters[name] = p
		if p.optional {
			conditions["Has"+name] = fn("Fn::Not", fn("Fn::Equals", ref(name), ""))
		}
	}
	for _, f := range functions {
		r := template["Resources"].(map[string]any)[title(f.name)+"Function"].(map[string]any)
		delete(r, "Metadata")
		r["Properties"].(map[string]any)["Code"] = map[string]any{"S3Bucket": ref(codeBucket),
			"S3Key": folder + "/" + f.name + ".zip"}
	}
	template["Parameters"], template["Conditions"] = parameters, conditions
	template["Rules"] = map[string]any{"Region": map[string]any{"Assertions": []any{map[string]any{
		"Assert":            fn("Fn::Equals", ref("AWS::Region"), edgeRegion),
		"AssertDescription": "Create this stack in us-east-1. For another region use make deploy.",
	}}}}
	return template, nil
}

func ref(name string) map[string]any                  { return map[string]any{"Ref": name} }
func fn(name string, arguments ...any) map[string]any { return map[string]any{name: arguments} }

func refer(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = refer(value)
		}
	case []any:
		for i, value := range v {
			v[i] = refer(value)
		}
	case string:
		with := strings.ReplaceAll(v, chosen().Account, "${AWS::AccountId}")
		for name, p := range references() {
			if v == p.stands && p.optional {
				return fn("Fn::If", "Has"+name, ref(name), ref("AWS::NoValue"))
			}
			with = strings.ReplaceAll(with, p.stands, "${"+name+"}")
		}
		if with != v {
			return map[string]any{"Fn::Sub": with}
		}
	}
	return v
}

// writeRelease writes the same bytes for the same executables and file name.
func writeRelease(file, assets string) error {
	if err := checkBuilt(assets); err != nil {
		return err
	}
	defer closeRuntime()
	folder := strings.TrimSuffix(filepath.Base(file), ".zip")
	out, err := os.MkdirTemp("", "verdetto-template-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	template, err := releaseTemplate(out, assets, folder)
	if err != nil {
		return err
	}
	text, err := json.Marshal(template)
	if err != nil {
		return err
	}
	files := []entry{{folder + "/template.json", 0o644, text}}
	for _, f := range functions {
		executable, err := os.ReadFile(filepath.Join(assets, f.name, "bootstrap"))
		if err != nil {
			return err
		}
		function, err := zipped(entry{"bootstrap", 0o755, executable})
		if err != nil {
			return err
		}
		files = append(files, entry{folder + "/" + f.name + ".zip", 0o644, function})
	}
	release, err := zipped(files...)
	if err != nil {
		return err
	}
	return os.WriteFile(file, release, 0o644)
}

type entry struct {
	name string
	mode os.FileMode
	data []byte
}

func zipped(entries ...entry) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
