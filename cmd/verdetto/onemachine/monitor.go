package onemachine

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"verdetto/shared/runtime/retry"
)

// Watch starts background work that ends with ctx. If address is empty, no metrics are served.
func (o Options) Watch(ctx context.Context, name, address string) error {
	if err := o.HandOutCopies(ctx, name); err != nil {
		return err
	}
	if file, err := fileOf(name); err == nil && o.Monitor != nil {
		o.Monitor.Gauge("disk_free_bytes", "Room on the disk of the store.",
			func() (float64, bool) { return o.room(filepath.Dir(file)) })
	}
	go o.sweepDaily(ctx)
	return o.ServeMetrics(ctx, address)
}

// Only a store in a file needs sweeps: DynamoDB deletes expired items itself.
const sweepEvery = 24 * time.Hour

func (o Options) sweepDaily(ctx context.Context) {
	file, ok := o.Table.(interface {
		Sweep(context.Context) (int, error)
	})
	if !ok {
		return
	}
	for retry.Sleep(ctx, sweepEvery) == nil {
		if swept, err := file.Sweep(ctx); err != nil && ctx.Err() == nil {
			o.Log.ErrorContext(ctx, "expired data could not be deleted from the store; the service tries again in a day", "error", err)
		} else {
			o.Log.InfoContext(ctx, "store swept", "items", swept)
		}
	}
}

func (o Options) ServeMetrics(ctx context.Context, address string) error {
	if address == "" || o.Monitor == nil {
		return nil
	}
	health := o.health()
	o.Monitor.Gauge("fares_age_seconds", "Age of the newest fare of the median origin.", func() (float64, bool) {
		f := health.Look(ctx)
		return f.Days * 24 * 3600, f.Known
	})
	o.Monitor.Gauge("ready", "1 where /readyz says so.", func() (float64, bool) {
		if health.Look(ctx).Reason == "" {
			return 1, true
		}
		return 0, true
	})
	o.Monitor.Gauge("backup_age_seconds", "Age of the newest backup in VERDETTO_BACKUPS.", func() (float64, bool) {
		made, ok := lastBackup(o.Backups)
		return o.Now().Sub(made).Seconds(), ok && !made.IsZero()
	})
	o.Monitor.Gauge("certificate_end_timestamp_seconds", "When the certificate of the public URL ends.", func() (float64, bool) {
		ends := o.Monitor.Ends.Load()
		return float64(ends), ends > 0
	})
	if file, ok := o.Table.(file); ok {
		o.Monitor.Gauge("store_bytes", "Size of the store's file.",
			func() (float64, bool) { size, _ := file.Size(); return float64(size), true })
		o.Monitor.Gauge("store_free_bytes", "Of the store's file, what is used again before it grows.",
			func() (float64, bool) { _, free := file.Size(); return float64(free), true })
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", o.Monitor.Handler())
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen for metrics: %w; choose another address with -metrics", err)
	}
	server := &http.Server{Handler: health.Handler(mux), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	o.Log.InfoContext(ctx, "metrics are answered", "address", listener.Addr().String())
	go server.Serve(listener)
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return nil
}
