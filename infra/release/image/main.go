// Command image writes the container image of a release as an OCI layout, for amd64 and arm64. The
// same executables, certificates and flags give the same image.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const repository = "verdetto.example/verdetto"

const user = 65532

type content struct {
	version, commit string
	created         time.Time
	certificates    []byte
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var c content
	executables := flag.String("executables", "", "executable of each architecture: amd64=FILE,arm64=FILE")
	certificates := flag.String("certificates", "/etc/ssl/certs/ca-certificates.crt", "the root certificates")
	to := flag.String("to", "", "folder for the OCI layout; an existing one is replaced")
	load := flag.String("load", "", "also write this file for docker load, with the image of the first architecture")
	push := flag.String("push", "", "push the image under these names, separated by commas")
	created := flag.Int64("created", 0, "time of the commit, in seconds since 1970")
	flag.StringVar(&c.version, "version", "", "version of the release")
	flag.StringVar(&c.commit, "commit", "", "commit of the release")
	flag.Parse()
	if *executables == "" || *to == "" || c.version == "" || *created == 0 {
		return errors.New("image needs -executables, -to, -version and -created; see -help")
	}
	c.created = time.Unix(*created, 0).UTC()
	var err error
	if c.certificates, err = os.ReadFile(*certificates); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for n, pair := range strings.Split(*executables, ",") {
		architecture, file, _ := strings.Cut(pair, "=")
		image, err := c.image(architecture, file)
		if err != nil {
			return fmt.Errorf("image of %s: %w", architecture, err)
		}
		if n == 0 && *load != "" {
			tag, err := name.NewTag(repository + ":" + c.version)
			if err != nil {
				return err
			}
			if err := tarball.MultiWriteToFile(*load, map[name.Tag]v1.Image{tag: image}); err != nil {
				return err
			}
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}}})
	}
	if err := os.RemoveAll(*to); err != nil {
		return err
	}
	if _, err := layout.Write(*to, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Println(digest)
	return pushIndex(index, *push)
}

// pushIndex uses the credentials of the user's docker login.
func pushIndex(index v1.ImageIndex, names string) error {
	for _, n := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' }) {
		ref, err := name.ParseReference(n)
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(ref, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("push %s: %w", n, err)
		}
	}
	return nil
}

func (c *content) image(architecture, executable string) (v1.Image, error) {
	program, err := os.ReadFile(filepath.Clean(executable))
	if err != nil {
		return nil, err
	}
	files, err := c.layer([]tar.Header{
		{Name: "etc/", Mode: 0o755}, {Name: "etc/ssl/", Mode: 0o755}, {Name: "etc/ssl/certs/", Mode: 0o755},
		{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644},
		{Name: "data/", Mode: 0o755, Uid: user, Gid: user},
		{Name: "verdetto", Mode: 0o755},
	}, map[string][]byte{"etc/ssl/certs/ca-certificates.crt": c.certificates, "verdetto": program})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, files); err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", architecture, v1.Time{Time: c.created}
	config.Config = c.config()
	return mutate.ConfigFile(image, config)
}

func (c *content) config() v1.Config {
	return v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		WorkingDir:   "/data",
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9464/tcp": {}},
		Env: []string{"PATH=/", "VERDETTO_STORE=bolt:/data/verdetto.db", "VERDETTO_BACKUPS=/data/backups", "VERDETTO_MAIL=/data/mail", "VERDETTO_LISTEN=:8080",
			"VERDETTO_METRICS=:9464", "VERDETTO_LOG=json"},
		Entrypoint: []string{"/verdetto"},
		Cmd:        []string{"serve"},
		StopSignal: "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/verdetto", "status", "-url", "http://127.0.0.1:8080"},
			Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 20 * time.Minute,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Verdetto",
			"org.opencontainers.image.description": "Says whether a flight fare is cheap",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     c.version,
			"org.opencontainers.image.revision":    cmp.Or(c.commit, "unknown"),
			"org.opencontainers.image.created":     c.created.Format(time.RFC3339),
		},
	}
}

func (c *content) layer(headers []tar.Header, files map[string][]byte) (v1.Layer, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, h := range headers {
		h.Typeflag = tar.TypeDir
		if data, ok := files[h.Name]; ok {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(data))
		}
		h.ModTime, h.Format = c.created, tar.FormatPAX
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(files[h.Name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}
