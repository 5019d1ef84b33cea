const { BASE_URL, ACCESS_TOKEN, DAY_FROM, DAY_TO } = process.env;

// Every account of the day from its first movement to its last, then fills and events against them.
const day = { created_from: DAY_FROM ?? "", created_to: DAY_TO ?? "" };

async function* read(path: string, plural: string, query: Record<string, string> = {}) {
  let cursor: string | null = "";
  while (cursor !== null) {
    const more: Record<string, string> = { use_cursor: "true", limit: "200", ...query };
    if (cursor) more.cursor = cursor;
    const response = await fetch(`${BASE_URL}${path}?${new URLSearchParams(more)}`, {
      headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
    });
    if (!response.ok) {
      throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
    }
    const { data } = await response.json();
    yield* data[plural];
    cursor = data.next_cursor;
  }
}

// Whole cents, since binary floating point is not exact.
const cents = (amount: number) => Math.round(amount * 100);

const differences: string[] = [];
const balances = new Map<string, number>();
const moved = new Set<string>();
const traded = new Map<string, number>();
const add = (order: string, amount: number) => traded.set(order, (traded.get(order) ?? 0) + amount);

for await (const movement of read("/v1/api/movements", "movements", day)) {
  const { owner, currency, account } = movement;
  const key = `${owner} ${currency} ${account}`;
  const before = cents(movement.balance_after) - cents(movement.amount);
  if ((balances.get(key) ?? before) !== before) {
    differences.push(`${key}: ${balances.get(key)} before ${movement._id}`);
  }
  balances.set(key, cents(movement.balance_after));
  if (movement.record === "trade") add(movement.order, cents(movement.amount));
  moved.add(`${movement.type} ${movement.subject}`);
}

for await (const wallet of read("/v1/api/balances", "balances")) {
  for (const [key, balance] of balances) {
    const [owner, currency, part] = key.split(" ");
    if (owner !== wallet.owner || currency !== wallet.currency) continue;
    if (Math.abs(balance) !== cents(wallet[part])) differences.push(`${key}: not ${wallet[part]}`);
  }
}

for await (const fill of read("/v1/orders/fills", "fills", day)) {
  const sign = fill.type === "Buy" ? 1 : -1;
  add(fill.order, sign * cents(fill.value) + cents(fill.fee));
}
for (const [order, left] of traded) {
  if (left !== 0) differences.push(`order ${order}: ${left} cents between movements and fills`);
}

for (const [event, kind] of [
  ["withdrawal.completed", "withdrawal_settle"],
  ["deposit.completed", "deposit"],
  ["transfer.completed", "wallet_transfer"],
]) {
  const left = new Set([...moved].filter((each) => each.startsWith(`${kind} `)));
  for await (const each of read("/v1/api/events", "events", { type: event, ...day })) {
    if (!left.delete(`${kind} ${each.subject_id}`)) {
      differences.push(`${event}: ${each.subject_id} has no movement`);
    }
  }
  for (const each of left) differences.push(`${each} has no event`);
}

console.log(differences.join("\n") || `${balances.size} accounts tie out`);
