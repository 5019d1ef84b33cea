const { BASE_URL, ACCESS_TOKEN, EVENTS_CURSOR } = process.env;

// Keep the cursor where you keep what you did with the events.
let cursor = EVENTS_CURSOR ?? "start";
while (true) {
  const query = new URLSearchParams({ after: cursor, limit: "200" });
  const response = await fetch(`${BASE_URL}/v1/api/events?${query}`, {
    headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
  });
  if (!response.ok) {
    throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
  }
  const { data } = await response.json();
  for (const event of data.events) {
    console.log(event.id, event.type, event.subject_id);
  }
  cursor = data.next_cursor;
  if (data.count < 200) break;
}
console.log("Next time:", cursor);
