package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
)

func pepperCommand() *cobra.Command {
	var o pepperOptions
	var commands []*cobra.Command
	for _, p := range []struct {
		name, does string
		run        func(context.Context, pepperOptions) error
	}{
		{"export", "write the secret of a store to a file", exportPepper},
		{"import", "write an exported secret into a store", importPepper},
		{"check", "check that an exported secret belongs to a store", checkPepper},
	} {
		c := newCommand(p.name, p.does, func(ctx context.Context) error {
			if p.name != "export" && (o.store == "" || o.from == "") {
				return fmt.Errorf("pepper %s needs -store and -from", p.name)
			}
			return p.run(ctx, o)
		})
		takeSettings(c, map[string]*string{"store": &o.store})
		if p.name == "export" {
			c.Flags().StringVar(&o.to, "to", "", "the new `file`, readable by you alone; default: standard output")
		} else {
			c.Flags().StringVar(&o.from, "from", "", "the `file` from export, or one that you typed")
		}
		if p.name == "import" {
			c.Flags().BoolVar(&o.force, "force", false, "replace the pepper of the store: lost keys can no longer be recovered, and earlier links stop working")
		}
		commands = append(commands, c)
	}
	return newParent("pepper", "export, import or check the secret of a store (its pepper)", commands...)
}

type pepperOptions struct {
	store, to, from string
	force           bool
}

func exportPepper(ctx context.Context, o pepperOptions) error {
	pepper, err := onemachine.GivenPepper(ctx)
	if o.store != "" {
		table, fault := onemachine.ReadStore(ctx, o.store, time.Now)
		if fault != nil {
			return fault
		}
		defer table.Close()
		pepper, err = onemachine.PepperInUse(ctx, table, o.store, false)
	}
	switch {
	case err != nil:
		return err
	case pepper == nil:
		return errors.New("pepper export needs -store, or VERDETTO_PEPPER as the service has it")
	case o.to == "":
		fmt.Println(config.PepperText(pepper))
		return nil
	}
	file, err := os.OpenFile(o.to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("export pepper: %s exists already; choose another name", o.to)
	}
	if err != nil {
		return fmt.Errorf("export pepper: %w", err)
	}
	// No newline at the end: operators paste the whole file as the value of a parameter.
	_, err = file.WriteString(config.PepperText(pepper))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("export pepper: %w", err)
	}
	fmt.Printf("exported to %s. Keep it apart from backups: on paper, or in a password manager\n", o.to)
	return nil
}

func readPepper(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read pepper: %w", err)
	}
	pepper, err := config.ParsePepper(string(text))
	if err == nil && bytes.Equal(pepper, text) {
		err = errors.New("it is not a file of verdetto pepper export")
	}
	if err != nil {
		return nil, fmt.Errorf("read pepper from %s: %w", file, err)
	}
	return pepper, nil
}

func checkPepper(ctx context.Context, o pepperOptions) error {
	pepper, err := readPepper(o.from)
	if err != nil {
		return err
	}
	table, err := onemachine.ReadStore(ctx, o.store, time.Now)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := onemachine.CheckPepper(ctx, table, pepper, false); err != nil {
		return err
	}
	fmt.Printf("the pepper in %s belongs to %s\n", o.from, o.store)
	return nil
}

func importPepper(ctx context.Context, o pepperOptions) error {
	pepper, err := readPepper(o.from)
	if err != nil {
		return err
	}
	table, err := onemachine.OpenAlone(ctx, o.store, time.Now)
	if err != nil {
		return err
	}
	defer table.Close()
	err = onemachine.CheckPepper(ctx, table, pepper, false)
	if errors.Is(err, store.ErrOtherPepper) && !o.force {
		return fmt.Errorf("import pepper: %w. -force replaces the pepper of a store whose data you do not need", err)
	}
	if err != nil && !errors.Is(err, store.ErrOtherPepper) {
		return err
	}
	if err := store.ReplacePepper(ctx, table, pepper); err != nil {
		return err
	}
	fmt.Printf("%s now holds this pepper. If VERDETTO_PEPPER is set, it overrides the store\n", o.store)
	return nil
}
