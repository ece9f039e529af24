package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
)

func copyCommand() *cobra.Command {
	var from, to string
	c := newCommand("copy", "copy a store into another, while no process uses them", func(ctx context.Context) error {
		if from == "" || to == "" {
			return errors.New("copy needs -from and -to: bolt:FILE or dynamodb:TABLE")
		}
		bar, begun := newMeter("items", nil), time.Now()
		items, err := onemachine.Copy(ctx, from, to, func(items int, doing string) { bar.show(items, 0, doing) })
		bar.clear()
		if err != nil {
			return err
		}
		fmt.Printf("%d items copied and compared in %.1f s; from now on serve -store %s\n", items, time.Since(begun).Seconds(), to)
		return nil
	})
	c.Flags().StringVar(&from, "from", "", "the source: `bolt:FILE` or dynamodb:TABLE")
	c.Flags().StringVar(&to, "to", "", "the target: `dynamodb:TABLE` or bolt:FILE; missing, empty, or from an interrupted copy")
	return c
}
