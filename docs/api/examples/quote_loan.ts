const { BASE_URL, ACCESS_TOKEN, LOAN_CONFIGURATION_ID, MEMBER_ID, TOKEN_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/credit/loan/quote`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
    loan_configuration_id: LOAN_CONFIGURATION_ID,
    user_id: MEMBER_ID,
    currency: "NGN",
    amount: "8400",
    interest_rate: 0.025,
    duration: 3,
    repayment_amount: "9030",
    collaterals: [{ token_id: TOKEN_ID, quantity: 150 }],
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data: quote } = await response.json();
console.log(quote.acceptable, quote.max_amount, quote.repayment_date);
for (const refusal of quote.refusals) console.log(refusal.code, refusal.message);
