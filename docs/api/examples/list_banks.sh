curl -sS "$BASE_URL/v1/api/banks?currency=KES" \
  -H "Authorization: Bearer $ACCESS_TOKEN"
