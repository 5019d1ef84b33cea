curl -sS "$BASE_URL/v1/api/credit/loan/quote" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
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
