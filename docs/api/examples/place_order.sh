curl -sS "$BASE_URL/v1/orders" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: order-5209" \
  -d @- <<JSON
{
  "token_id": "$TOKEN_ID",
  "user_id": "$MEMBER_ID",
  "type": "Buy",
  "price": $PRICE,
  "tokens": $TOKENS,
  "client_order_id": "5209"
}
JSON
