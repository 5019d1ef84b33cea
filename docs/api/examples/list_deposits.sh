curl -sS --get "$BASE_URL/v1/api/deposits" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d client_reference=invoice-1042
