// Requests a verdict. The types in api.d.ts are not committed: openapi-typescript
// generates them from the service's OpenAPI description.
import type { components, paths } from "./api";

declare const process: { argv: string[] };

type Operation = paths["/v1/analisi"]["get"];
type Question = Operation["parameters"]["query"];
type Verdict = components["schemas"]["Analysis"];
type Problem = components["schemas"]["Problem"];

async function main(base: string, question: Question): Promise<void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) query.set(name, String(value));
  const answer = await fetch(base + "/v1/analisi?" + query);
  if (answer.ok) {
    const v: Verdict = await answer.json();
    const level: "ottimo" | "buono" | "normale" | "caro" | "dati-insufficienti" = v.verdetto.livello;
    console.log(v.origine, v.destinazione, level, v.verdetto.campione, v.osservazioni);
  } else {
    const p: Problem = await answer.json();
    console.log(p.code);
  }
}

const [base, origine, destinazione] = process.argv.slice(2);
void main(base, { origine, destinazione });
