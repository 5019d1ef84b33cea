const { BASE_URL, ACCESS_TOKEN, WEBHOOK_URL } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/webhook`, {
  method: "PUT",
  headers: { Authorization: `Bearer ${ACCESS_TOKEN}`, "Content-Type": "application/json" },
  body: JSON.stringify({ url: WEBHOOK_URL }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log(data.secret ?? "The secret was shown when the endpoint was created");
