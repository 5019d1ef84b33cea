# -i shows the status, X-Error-Code and X-Request-ID above the body.
curl -sS -i "$BASE_URL/v1/api/wallet/withdraw" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: withdrawal-1843" \
  -d '{
    "amount": 900000000,
    "currency": "KES",
    "bank_name": "Equity Bank Kenya",
    "account_name": "Adaora Nwosu",
    "account_number": "0180290011"
  }'
