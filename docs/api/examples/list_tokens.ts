const { BASE_URL, ACCESS_TOKEN } = process.env;

const query = new URLSearchParams({ currency: "NGN", primary_raise: "false", sort: "name" });
const response = await fetch(`${BASE_URL}/v1/api/tokens?${query}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
for (const token of data.tokens) {
  const { _id, symbol, price, currency, min_trade } = token;
  console.log(_id, symbol, price.buy, currency, "at least", min_trade.buy);
}
