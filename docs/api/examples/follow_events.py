import os

import requests

# Keep the cursor where you keep what you did with the events.
cursor = os.environ.get("EVENTS_CURSOR", "start")
while True:
    response = requests.get(
        f"{os.environ['BASE_URL']}/v1/api/events",
        headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},
        params={"after": cursor, "limit": 200},
        timeout=30,
    )
    if not response.ok:
        raise SystemExit(f"{response.headers.get('X-Error-Code')}: {response.text}")
    data = response.json()["data"]
    for event in data["events"]:
        print(event["id"], event["type"], event["subject_id"])
    cursor = data["next_cursor"]
    if data["count"] < 200:
        break
print("Next time:", cursor)
