curl -sS --get "$BASE_URL/v1/api/wallet/statement" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d currency=KES \
  -d "from=$(date -u +%Y-%m-01)" \
  -d "to=$(date -u +%Y-%m-%d)"
