const { BASE_URL, ACCESS_TOKEN } = process.env;

const query = new URLSearchParams({ client_reference: "invoice-1042" });
const response = await fetch(`${BASE_URL}/v1/api/deposits?${query}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
for (const each of data.deposits) {
  console.log(each._id, each.status, each.net_amount, each.currency);
}
