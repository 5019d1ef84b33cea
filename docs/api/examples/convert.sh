QUOTE=$(curl -sS "$BASE_URL/v1/api/conversions/quote" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -d '{"from_currency": "KES", "to_currency": "USD", "amount": 129}')
QUOTE_ID=$(echo "$QUOTE" | sed -nE 's/.*"quote_id":"([^"]+)".*/\1/p')

if [ -z "$QUOTE_ID" ]; then
  echo "$QUOTE"
else
  curl -sS "$BASE_URL/v1/api/conversions" \
    -H "Authorization: Bearer $ACCESS_TOKEN" \
    -H "Content-Type: application/json" \
    -d '{"quote_id": "'"$QUOTE_ID"'"}'
fi
