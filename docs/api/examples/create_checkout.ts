const { BASE_URL, ACCESS_TOKEN, MEMBER_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/members/${MEMBER_ID}/deposits/checkout`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "invoice-1042",
  },
  body: JSON.stringify({
    amount: 250000,
    currency: "NGN",
    redirect_url: "https://baobridge.example/paid",
    client_reference: "invoice-1042",
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log("Deposit", data.deposit._id, data.deposit.status);
console.log("Send the person to", data.url);
