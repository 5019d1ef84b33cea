curl -sS "$BASE_URL/v1/api/credit/loan" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: loan-731" \
  -d @- <<JSON
{
  "loan_configuration_id": "$LOAN_CONFIGURATION_ID",
  "user_id": "$MEMBER_ID",
  "currency": "NGN",
  "amount": "8400",
  "interest_rate": 0.025,
  "duration": 3,
  "repayment_amount": "9030",
  "collaterals": [{"token_id": "$TOKEN_ID", "quantity": 150}]
}
JSON
