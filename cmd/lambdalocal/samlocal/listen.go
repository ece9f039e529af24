package samlocal

import (
	"fmt"
	"net"
	"os"
	"os/exec"
)

// listenMark is set in a process that was handed a listener, which is then its fourth file.
const listenMark = "VERDETTO_SAM_LISTENER"

// Listen listens on an address, or gives the listener that this process was handed:
// what has a network of its own is reached by one that was opened outside.
func Listen(address string) (net.Listener, error) {
	if os.Getenv(listenMark) == "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen: %w; choose another with -listen", err)
		}
		return listener, nil
	}
	file := os.NewFile(3, "listener")
	defer file.Close()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("take over the listener: %w", err)
	}
	return listener, nil
}

// HandOn hands a listener, if there is one, to a command of Within.
func HandOn(command *exec.Cmd, listener net.Listener) error {
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil
	}
	file, err := tcp.File()
	if err != nil {
		return fmt.Errorf("hand on the listener: %w", err)
	}
	command.ExtraFiles = []*os.File{file}
	command.Env = append(command.Env, listenMark+"=3")
	return nil
}
