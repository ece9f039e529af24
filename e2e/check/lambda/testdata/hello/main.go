// Command hello is a minimal Lambda function. A test compares the start of our executables with the
// start of this function.
package main

import "github.com/aws/aws-lambda-go/lambda"

func main() { lambda.Start(func() (string, error) { return "hello", nil }) }
