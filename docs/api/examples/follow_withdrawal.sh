curl -sS "$BASE_URL/v1/api/withdrawals/$WITHDRAWAL_ID" \
  -H "Authorization: Bearer $ACCESS_TOKEN"
