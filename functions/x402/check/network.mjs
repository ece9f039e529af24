// A network of one node: Solana's own runtime behind the JSON-RPC that clients and sellers use. The
// first argument is JSON: {mint, accounts: [{owner, account, units}], lamports: {address: number}}.
// It prints its address. It adds four methods for tests: hold returns the units of a token account,
// lamports the balance of an address; expire ends the newest blockhash, and drain empties a token
// account between the simulation of the next transaction and its block.
import { createServer } from "node:http";
import { address, getAddressEncoder, getBase64Encoder, getBase58Decoder, getTransactionDecoder, lamports } from "@solana/kit";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";

const world = JSON.parse(process.argv[2]);
const svm = new LiteSVM();
const token = address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const bytesOf = (text) => getAddressEncoder().encode(address(text));

function put(at, data) {
  svm.setAccount({ address: address(at), data, executable: false, lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))), programAddress: token, space: BigInt(data.length) });
}

// The layout of a mint: 36 bytes for the mint authority (none), the supply, the decimals, the flag
// initialized, 36 bytes for the freeze authority (none).
const mint = new Uint8Array(82);
const supply = world.accounts.reduce((all, a) => all + BigInt(a.units), 0n);
new DataView(mint.buffer).setBigUint64(36, supply, true);
mint[44] = 6;
mint[45] = 1;
put(world.mint, mint);

// The layout of a token account: mint, owner, units, 36 bytes for the delegate (none), the state
// initialized.
function hold(a) {
  const data = new Uint8Array(165);
  data.set(bytesOf(world.mint), 0);
  data.set(bytesOf(a.owner), 32);
  new DataView(data.buffer).setBigUint64(64, BigInt(a.units), true);
  data[108] = 1;
  put(a.account, data);
}
world.accounts.forEach(hold);
for (const [of, amount] of Object.entries(world.lamports)) svm.airdrop(address(of), lamports(BigInt(amount)));

const context = { slot: 1, apiVersion: "3.0.0" };
const known = new Map(); // the error of a transaction by its signature; null if it took effect
let height = 1000;
let drained = null; // the token account to empty between the simulation of the next transaction and its block

// reason formats the error of a transaction as nodes do.
function reason(err) {
  if (typeof err?.err !== "function") return "TransactionError" + err;
  const inner = err.err();
  return { InstructionError: [err.index, inner?.code === undefined ? "InstructionError" + inner : { Custom: inner.code }] };
}

class Refused extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

const methods = {
  getLatestBlockhash: () => ({ context, value: { blockhash: svm.latestBlockhash(), lastValidBlockHeight: height + 150 } }),
  getBlockHeight: () => height,
  getBalance: ([of]) => ({ context, value: Number(svm.getBalance(address(of)) ?? 0n) }),
  getAccountInfo: ([of]) => {
    const a = svm.getAccount(address(of));
    if (!a.exists) return { context, value: null };
    return { context, value: { data: [Buffer.from(a.data).toString("base64"), "base64"], executable: a.executable, lamports: Number(a.lamports), owner: a.programAddress, rentEpoch: 0, space: a.data.length } };
  },
  // Unless skipPreflight is set, sendTransaction first simulates the transaction, as a node does, so a
  // transaction that would fail costs nothing.
  sendTransaction: ([text, options]) => {
    const tx = getTransactionDecoder().decode(getBase64Encoder().encode(text));
    const name = getBase58Decoder().decode(Object.values(tx.signatures)[0]);
    for (const step of ["simulateTransaction", "sendTransaction"]) {
      if (step === "simulateTransaction" && options?.skipPreflight) continue;
      if (step === "sendTransaction" && drained) {
        hold({ ...world.accounts.find((a) => a.account === drained), units: 0 });
        drained = null;
      }
      const result = svm[step](tx);
      const failed = result instanceof FailedTransactionMetadata;
      if (failed && step === "simulateTransaction") throw new Refused(-32002, "Transaction simulation failed: " + result.err() + " " + result.meta().logs().join(" "), { err: reason(result.err()) });
      if (step === "sendTransaction" && !known.has(name)) known.set(name, failed ? reason(result.err()) : null);
    }
    height++;
    return name;
  },
  getSignatureStatuses: ([names]) => ({
    context,
    value: names.map((name) => (known.has(name) ? { slot: 1, confirmations: 1, err: known.get(name), confirmationStatus: "confirmed" } : null)),
  }),
  getTransaction: ([name]) => (known.has(name) ? { slot: 1, blockTime: 1, transaction: null, meta: { err: known.get(name) } } : null),
  hold: ([of]) => Number(new DataView(Uint8Array.from(svm.getAccount(address(of)).data).buffer).getBigUint64(64, true)),
  lamports: ([of]) => Number(svm.getBalance(address(of)) ?? 0n),
  drain: ([of]) => {
    drained = of;
    return null;
  },
  expire: () => {
    height += 1000;
    return svm.expireBlockhash() ?? null;
  },
};

createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const call = JSON.parse(body);
  const answer = { jsonrpc: "2.0", id: call.id };
  try {
    if (!methods[call.method]) throw new Refused(-32601, "no method " + call.method);
    answer.result = methods[call.method](call.params ?? []);
  } catch (error) {
    answer.error = { code: error.code ?? -32603, message: String(error.message ?? error), data: error.data };
  }
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(answer));
}).listen(0, "127.0.0.1", function () {
  console.log("http://127.0.0.1:" + this.address().port);
});
