const { BASE_URL, CLIENT_ID, CLIENT_SECRET } = process.env;

const response = await fetch(`${BASE_URL}/v1/oauth/token`, {
  method: "POST",
  headers: { Authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },
  body: new URLSearchParams({ grant_type: "client_credentials" }),
});
if (!response.ok) throw new Error(await response.text());
const { access_token } = await response.json();
console.log(access_token);
