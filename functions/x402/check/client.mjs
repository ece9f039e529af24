// Requests a resource and pays for it: node client.mjs URL NODE SEED (32 bytes in hex). Prints the
// status, the header PAYMENT-RESPONSE and the body.
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactSvmScheme } from "@x402/svm/exact/client";

const [url, rpcUrl, seed] = process.argv.slice(2);
const signer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(seed, "hex"));
const client = new x402Client().register("solana:*", new ExactSvmScheme(signer, { rpcUrl }));
const answer = await wrapFetchWithPayment(fetch, client)(url);
console.log(answer.status, answer.headers.get("PAYMENT-RESPONSE"), await answer.text());
