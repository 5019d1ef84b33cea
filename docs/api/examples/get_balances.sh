curl -sS "$BASE_URL/v1/api/wallet" \
  -H "Authorization: Bearer $ACCESS_TOKEN"
