const { BASE_URL, ACCESS_TOKEN, MEMBER_ID } = process.env;

const response = await fetch(`${BASE_URL}/v1/api/members/${MEMBER_ID}/virtual-accounts`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${ACCESS_TOKEN}`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({ currency: "NGN", bvn: "12345678901" }),
});
if (!response.ok) {
  throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
}
const { data } = await response.json();
console.log("Pay to", data.account_number, data.bank_name, data.account_name);
