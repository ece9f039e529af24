"""Asks for a resource and pays for it: client.py URL NODE SEED (32 bytes in hex).

It prints the status, the header that says what became of the payment, and the body.
"""

import asyncio
import sys

from solders.keypair import Keypair
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.svm import KeypairSigner
from x402.mechanisms.svm.exact import ExactSvmScheme


async def main(url: str, node: str, seed: str) -> None:
    signer = KeypairSigner(Keypair.from_seed(bytes.fromhex(seed)))
    client = x402Client().register("solana:*", ExactSvmScheme(signer, node))
    async with x402HttpxClient(client) as http:
        answer = await http.get(url)
    print(answer.status_code, answer.headers.get("PAYMENT-RESPONSE"), answer.text)


asyncio.run(main(*sys.argv[1:]))
