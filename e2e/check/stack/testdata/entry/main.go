// Command entry runs in the containers of moto, a local imitation of AWS. It passes one event to a
// function's executable as Lambda does, copies the function's log, and prints the answer at the
// end.
package main

import (
	"context"
	"fmt"
	"os"

	"verdetto/cmd/lambdalocal/runtimeapi"
)

const bootstrap = "/var/task/bootstrap"

func main() {
	if err := run(os.Args[2]); err != nil { // the event follows the handler's name
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(event string) error {
	if err := os.Chmod(bootstrap, 0o755); err != nil { // moto unpacks files without the execute bit
		return fmt.Errorf("find executable: %w", err)
	}
	process, err := runtimeapi.Start(context.Background(), bootstrap, os.Environ(), os.Stderr)
	if err != nil {
		return fmt.Errorf("start executable: %w", err)
	}
	answer, err := process.Invoke(context.Background(), []byte(event))
	process.Close()
	if err != nil {
		return fmt.Errorf("invoke: %w", err)
	}
	if answer.Error != "" {
		return fmt.Errorf("the function failed: %s", answer.Error)
	}
	fmt.Printf("%s\n", answer.Payload)
	return nil
}
