curl -sS "$BASE_URL/v1/api/wallet/withdraw" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: withdrawal-1842" \
  -d '{
    "amount": 1250.5,
    "currency": "KES",
    "bank_name": "Equity Bank Kenya",
    "account_name": "Adaora Nwosu",
    "account_number": "0180290011"
  }'
