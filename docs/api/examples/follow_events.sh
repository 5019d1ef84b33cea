curl -sS -G "$BASE_URL/v1/api/events" \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -d after="${EVENTS_CURSOR:-start}" \
  -d limit=200
