const { BASE_URL, ACCESS_TOKEN, WITHDRAWAL_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/withdrawals/${WITHDRAWAL_ID}`, {
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log(data.status, data.disburse_amount, data.currency);
