for list in api/movements orders/fills api/events; do
  curl -sS -G "$BASE_URL/v1/$list" \
    -H "Authorization: Bearer $ACCESS_TOKEN" \
    -d created_from="$DAY_FROM" \
    -d created_to="$DAY_TO" \
    -d use_cursor=true \
    -d limit=200
done
curl -sS -G "$BASE_URL/v1/api/balances" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d use_cursor=true \
  -d limit=200
