curl -sS "$BASE_URL/v1/api/transfers" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: transfer-311" \
  -d '{
    "from": {"wallet": "organisation"},
    "to": {"user_id": "'"$MEMBER_ID"'"},
    "amount": 250.5,
    "currency": "KES"
  }'
