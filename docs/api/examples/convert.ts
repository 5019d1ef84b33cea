const { BASE_URL, ACCESS_TOKEN } = process.env;

async function post(path: string, body: object) {
  const response = await fetch(`${BASE_URL}/v1/api/conversions${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${ACCESS_TOKEN}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
  }
  return (await response.json()).data;
}

const quote = await post("/quote", {
  from_currency: "KES",
  to_currency: "USD",
  amount: 129,
});
console.log("arrives:", quote.converted_amount);

const conversion = await post("", { quote_id: quote.quote_id });
console.log(conversion._id, conversion.status);
