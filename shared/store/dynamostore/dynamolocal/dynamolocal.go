// Package dynamolocal runs DynamoDB Local, Amazon's emulator of DynamoDB, on this machine and in
// memory. Java and the jars that `make tools` fetches must be installed.
package dynamolocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/store/dynamostore"
)

const install = "install Java 17 and Maven and run make tools"

var ErrMissing = errors.New("needs DynamoDB Local: " + install)

// Any Region works, because -sharedDb makes all regions one.
const Region = "eu-south-1"

func Start(ctx context.Context) (endpoint string, stop func(), err error) {
	for range 5 {
		// DynamoDB Local ends at once if another process takes the free port.
		if endpoint, stop, err = start(ctx); !errors.Is(err, errEnded) {
			break
		}
	}
	return endpoint, stop, err
}

var errEnded = errors.New("it ended")

func start(ctx context.Context) (endpoint string, stop func(), err error) {
	dir, err := testenv.FindTool("dynamodb-local")
	if errors.Is(err, testenv.ErrNoTool) {
		return "", nil, ErrMissing
	}
	if err != nil {
		return "", nil, err
	}
	java, err := exec.LookPath("java")
	if err != nil {
		return "", nil, ErrMissing
	}
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	command := exec.Command(java, "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Djava.library.path="+dir, "-cp", filepath.Join(dir, "*"),
		"software.amazon.dynamodb.services.local.main.ServerRunner",
		"-inMemory", "-sharedDb", "-disableTelemetry", "-port", strconv.Itoa(port))
	diesWithParent(command)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	started, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		// On Linux, DynamoDB Local is killed when the thread that started it ends.
		runtime.LockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			ended <- command.Wait()
		}
	}()
	if err := <-started; err != nil {
		return "", nil, fmt.Errorf("start DynamoDB Local: %w", err)
	}
	stop = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		<-ended
	})
	endpoint = "http://127.0.0.1:" + strconv.Itoa(port)
	for {
		if response, err := http.Get(endpoint); err == nil {
			response.Body.Close()
			return endpoint, stop, nil
		}
		select {
		case err := <-ended:
			return "", nil, fmt.Errorf("start DynamoDB Local: %w: %w\n%s", errEnded, err, &output)
		case <-ctx.Done():
			stop()
			return "", nil, fmt.Errorf("start DynamoDB Local: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func Client(endpoint string, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: Region, BaseEndpoint: aws.String(endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}, options...)
}

var shared = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	endpoint, _, err := Start(ctx)
	return endpoint, err
})

func Endpoint(t testing.TB) string {
	t.Helper()
	testenv.Tool(t, "dynamodb-local")
	endpoint, err := shared()
	if errors.Is(err, ErrMissing) {
		testenv.Missing(t, "DynamoDB Local", install)
	}
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

var tables atomic.Int64

func Table(t testing.TB, now func() time.Time, options ...func(*dynamodb.Options)) *dynamostore.Store {
	t.Helper()
	return TableAt(t, Endpoint(t), now, options...)
}

func TableAt(t testing.TB, endpoint string, now func() time.Time, options ...func(*dynamodb.Options)) *dynamostore.Store {
	t.Helper()
	name := fmt.Sprintf("test-%d-%d", os.Getpid(), tables.Add(1))
	client := Client(endpoint, options...)
	if err := dynamostore.Create(t.Context(), client, name); err != nil {
		t.Fatal(err)
	}
	return dynamostore.New(client, name, now)
}

func OnCapacity(f func(op string, read, write float64)) func(*dynamodb.Options) {
	const field = "ConsumedCapacity"
	count := middleware.InitializeMiddlewareFunc("capacity", func(ctx context.Context, in middleware.InitializeInput,
		next middleware.InitializeHandler) (out middleware.InitializeOutput, m middleware.Metadata, err error) {
		if asked := reflect.ValueOf(in.Parameters).Elem().FieldByName("Return" + field); asked.IsValid() {
			asked.SetString("TOTAL")
		}
		if out, m, err = next.HandleInitialize(ctx, in); err != nil {
			return out, m, err
		}
		units := 0.0
		switch used := reflect.ValueOf(out.Result).Elem().FieldByName(field); {
		case !used.IsValid():
			return out, m, err
		case used.Kind() == reflect.Slice:
			for _, c := range used.Interface().([]types.ConsumedCapacity) {
				units += aws.ToFloat64(c.CapacityUnits)
			}
		case !used.IsNil():
			units = aws.ToFloat64(used.Interface().(*types.ConsumedCapacity).CapacityUnits)
		}
		if op := awsmiddleware.GetOperationName(ctx); op == "GetItem" || op == "Query" || op == "Scan" {
			f(op, units, 0)
		} else {
			f(op, 0, units)
		}
		return out, m, err
	})
	return dynamodb.WithAPIOptions(func(s *middleware.Stack) error { return s.Initialize.Add(count, middleware.After) })
}
