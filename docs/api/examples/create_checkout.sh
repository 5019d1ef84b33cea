curl -sS "$BASE_URL/v1/api/members/$MEMBER_ID/deposits/checkout" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: invoice-1042" \
  -d '{
    "amount": 250000,
    "currency": "NGN",
    "redirect_url": "https://baobridge.example/paid",
    "client_reference": "invoice-1042"
  }'
