const { BASE_URL, ACCESS_TOKEN } = process.env;

const query = new URLSearchParams({
  status: "Pending",
  sort: "createdAt",
  limit: "100",
  use_cursor: "true",
});
while (true) {
  const response = await fetch(`${BASE_URL}/v1/api/withdrawals?${query}`, {
    headers: { Authorization: `Bearer ${ACCESS_TOKEN}` },
  });
  if (!response.ok) {
    throw new Error(`${response.headers.get("X-Error-Code")}: ${await response.text()}`);
  }
  const { data } = await response.json();
  for (const withdrawal of data.withdrawals) {
    console.log(withdrawal.reference, withdrawal.amount, withdrawal.currency);
  }
  if (data.next_cursor === null) break;
  query.set("cursor", data.next_cursor);
}
