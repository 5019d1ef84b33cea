const { BASE_URL, ACCESS_TOKEN } = process.env;

const query = new URLSearchParams({ name: "resid kilim", exited: "false" });
const response = await fetch(`${BASE_URL}/v1/api/token/search?${query}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
for (const token of data.tokens) console.log(token.symbol, token.name);
