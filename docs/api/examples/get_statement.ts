const { BASE_URL, ACCESS_TOKEN } = process.env;

const today = new Date().toISOString().slice(0, 10);
const query = new URLSearchParams({ currency: "KES", from: `${today.slice(0, 8)}01`, to: today });
const response = await fetch(`${BASE_URL}/v1/api/wallet/statement?${query}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log("Opening balance", data.opening.total);
for (const each of data.movements) {
  console.log(each.createdAt, each.description, each.amount, each.balance);
}
console.log("Closing balance", data.closing.total);
