// Calls the service with the client that openapi-fetch makes of the document's types. The world it
// acts in comes as JSON in its one argument; what it learned goes to the standard output as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Order = components["schemas"]["Order"];
type Failure = components["schemas"]["Failure"];

interface World {
  base_url: string;
  token: string;
  member_id: string;
  token_id: string;
  loan_configuration_id: string;
}

declare const process: { argv: string[] };

const world: World = JSON.parse(process.argv[2] ?? "{}");
const client = createClient<paths>({
  baseUrl: world.base_url,
  headers: { Authorization: `Bearer ${world.token}` },
});

function done<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

const tokens = done(
  await client.GET("/v1/api/tokens", { params: { query: { limit: 200, primary_raise: false } } }),
);
const symbols: string[] = tokens.data.tokens.map((token) => token.symbol);

// The body of the interface: these five fields, and the types demand no other.
const withdrawal = done(
  await client.POST("/v1/api/wallet/withdraw", {
    body: {
      amount: 500.5,
      bank_name: "Guaranty Trust Bank",
      account_name: "Forrest Green",
      account_number: "0690000031",
      currency: "KES",
    },
  }),
);
const reference: string = withdrawal.data.withdrawalRequest.reference;

const placed = done(
  await client.POST("/v1/orders", {
    params: { header: { "Idempotency-Key": "typescript-1" } },
    body: { token_id: world.token_id, type: "Buy", price: 100, tokens: 2, user_id: world.member_id },
  }),
);
const order: Order = placed.data;
const orders = done(
  await client.GET("/v1/orders/token/{token_id}", {
    params: { path: { token_id: world.token_id }, query: { type: "buy", status: "Active" } },
  }),
);
const total = orders.meta?.totalDocs;

const loan = done(
  await client.POST("/v1/api/credit/loan", {
    body: {
      user_id: world.member_id,
      duration: 3,
      currency: "NGN",
      interest_rate: 0.3,
      amount: "8400",
      repayment_amount: "15960",
      collaterals: [{ token_id: world.token_id, quantity: 105 }],
      loan_configuration_id: world.loan_configuration_id,
    },
  }),
);

const missing = await client.GET("/v1/orders/{order_id}", {
  params: { path: { order_id: "00000000-0000-7000-8000-000000000000" } },
});
if (missing.error === undefined) {
  throw new Error("there is no such order");
}
const failure: Failure = missing.error;

console.log(
  JSON.stringify({
    symbols,
    reference,
    withdrawal_status: withdrawal.data.withdrawalRequest.status,
    order_id: order._id,
    total,
    loan_status: loan.data.status,
    loan_collateral: loan.data.collaterals[0]?.quantity,
    missing: [missing.response.status, failure.status, failure.message],
  }),
);
