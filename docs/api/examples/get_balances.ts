const { BASE_URL, ACCESS_TOKEN } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/wallet`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
for (const balance of data) console.log(balance.currency, balance.available);
