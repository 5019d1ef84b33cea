const { BASE_URL, ACCESS_TOKEN } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/wallet/withdraw`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "withdrawal-1842",
  },
  body: JSON.stringify({
    amount: 1250.5,
    currency: "KES",
    bank_name: "Equity Bank Kenya",
    account_name: "Adaora Nwosu",
    account_number: "0180290011",
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log(data.withdrawalRequest._id, data.withdrawalRequest.status);
