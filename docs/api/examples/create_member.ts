const { BASE_URL, ACCESS_TOKEN } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/members`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "member-20417",
  },
  body: JSON.stringify({
    name: "Wanjiru Kamau",
    email: "wanjiru.kamau@example.com",
    external_id: "20417",
  }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log(data._id);
