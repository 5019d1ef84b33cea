const { BASE_URL, ACCESS_TOKEN } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/banks?currency=KES`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
for (const bank of data) console.log(bank.name);
