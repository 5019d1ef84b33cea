const { BASE_URL, ACCESS_TOKEN } = process.env;

const query = new URLSearchParams({ currency: "NGN", primary_raise: "false", sort: "name" });
const response = await fetch(`${BASE_URL}/v1/api/tokens?${query}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) throw new Error(await response.text());
const { data } = await response.json();
for (const token of data.tokens) {
  console.log(token._id, token.symbol, token.price.buy, token.currency);
}
