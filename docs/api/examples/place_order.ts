const { BASE_URL, ACCESS_TOKEN, TOKEN_ID, MEMBER_ID, PRICE, TOKENS } = process.env;

const response = await fetch(`${BASE_URL}/v1/orders`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "order-5209",
  },
  body: JSON.stringify({
    token_id: TOKEN_ID,
    user_id: MEMBER_ID,
    type: "Buy",
    price: Number(PRICE),
    tokens: Number(TOKENS),
    client_order_id: "5209",
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data: order } = await response.json();
console.log(order._id, order.status, order.meta.filled);
