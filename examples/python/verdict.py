"""Asks for a verdict with a client that is generated from the API's description
into the package client, which is not committed:

    openapi-python-client generate --path openapi.json --meta none --output-path client
    python verdict.py URL ORIGIN DESTINATION

A Pro key in VERDETTO_KEY is sent along; without one calls are counted by address.
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
else:  # the key is optional, which the generated types cannot say
    client = cast(AuthenticatedClient, Client(base))

answer = analisi.sync(client=client, origine=origin, destinazione=destination)
if isinstance(answer, Analysis):
    v = answer.verdetto
    print(answer.origine, answer.destinazione, v.livello.value, v.campione, answer.osservazioni)
elif isinstance(answer, Problem):
    print(answer.code)  # a problem: its detail says what to do next
else:
    sys.exit("an answer that is not described")
