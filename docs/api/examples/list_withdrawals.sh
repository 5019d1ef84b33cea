curl -sS -G "$BASE_URL/v1/api/withdrawals" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d status=Pending \
  -d sort=createdAt \
  -d limit=100 \
  -d use_cursor=true
