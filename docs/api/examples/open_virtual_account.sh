curl -sS "$BASE_URL/v1/api/members/$MEMBER_ID/virtual-accounts" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -d '{
    "currency": "NGN",
    "bvn": "12345678901"
  }'
