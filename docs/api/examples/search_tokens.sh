curl -sS -G "$BASE_URL/v1/api/token/search" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  --data-urlencode "name=resid kilim" \
  -d exited=false
