"""Requests a verdict with a generated API client. The package client is not
committed, so generate it first, from the service's OpenAPI description:

    openapi-python-client generate --path openapi.json --meta none --output-path client
    python verdict.py URL ORIGIN DESTINATION

To use a Pro key, put it into the environment variable VERDETTO_KEY.
"""

import os
import sys
from typing import cast

from client import AuthenticatedClient, Client
from client.api.analisi import analisi
from client.models import Analysis, Problem

base, origin, destination = sys.argv[1:]
if key := os.environ.get("VERDETTO_KEY"):
    client = AuthenticatedClient(base, token=key, prefix="", auth_header_name="X-Api-Key")
else:  # the generated types require a key, which is optional
    client = cast(AuthenticatedClient, Client(base))

answer = analisi.sync(client=client, origine=origin, destinazione=destination)
if isinstance(answer, Analysis):
    v = answer.verdetto
    print(answer.origine, answer.destinazione, v.livello.value, v.campione, answer.osservazioni)
elif isinstance(answer, Problem):
    print(answer.code)
else:
    sys.exit("an answer that is not described")
