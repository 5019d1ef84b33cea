curl -sS -G "$BASE_URL/v1/api/tokens" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d currency=NGN \
  -d primary_raise=false \
  -d sort=name
