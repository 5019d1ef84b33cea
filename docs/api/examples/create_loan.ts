const { BASE_URL, ACCESS_TOKEN, LOAN_CONFIGURATION_ID, MEMBER_ID, TOKEN_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/credit/loan`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "loan-731",
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
const { data: loan } = await response.json();
console.log(loan.id, loan.status, loan.repayment_date);
