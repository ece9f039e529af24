// Command hello is the smallest possible Lambda function in Go. A test compares the start of our
// executables with the start of this function.
package main

import "github.com/aws/aws-lambda-go/lambda"

func main() { lambda.Start(func() (string, error) { return "hello", nil }) }
