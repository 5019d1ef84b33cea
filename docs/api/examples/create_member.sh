curl -sS "$BASE_URL/v1/api/members" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: member-20417" \
  -d '{
    "name": "Wanjiru Kamau",
    "email": "wanjiru.kamau@example.com",
    "external_id": "20417"
  }'
