const { BASE_URL, ACCESS_TOKEN, MEMBER_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/transfers`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "transfer-311",
  },
  body: JSON.stringify({
    from: { wallet: "organisation" },
    to: { user_id: MEMBER_ID },
    amount: 250.5,
    currency: "KES",
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log(data._id, data.status);
